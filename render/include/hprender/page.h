/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Several profiles on one page: small multiples. Each profile is a panel with a plot of its own;
 * all panels have the same names in the same order and colours, the same size and margins, and one
 * legend.
 *
 *     before                        after
 *     MiB   . peak 9.3 MiB          MiB   . peak 4.1 MiB
 *      10 |                          5 |
 *       0 |______________            0 |______________
 *         0      2      4  s           0      1      2  s
 *     [] name  [] name  [] OTHER (7 names)
 *
 * Units: points, origin at the lower left of the page, y upwards; what is in a chart is relative to
 * its panel. Ownership: everything hangs on the page and dies with it; nothing points into the
 * surveys. Threads: a finished page is not modified.
 */
#ifndef HPRENDER_PAGE_H
#define HPRENDER_PAGE_H

#include "hprender/render.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most profiles on a page. */
#define HPR_PAGE_MOST_PANELS 64

typedef struct hpr_page_options {
    hpr_options chart; /* of the modern look. Width and height are those of the page; height 0: what
                          the panels need. AUTO puts the legend below, or beside the last panels
                          where there is room, and names also on their bands */
    bool same_scale;   /* all panels have the same axes, so that heights and times compare; the
                          units must be the same. Else each has its own, whatever its units */
} hpr_page_options;

/* A profile that is to be drawn. */
typedef struct hpr_page_source {
    hpf_survey *survey;
    const char *name; /* UTF-8, different from the others' names; stands above the panel unless all
                         programs (JOB) differ and fit there. Borrowed during the call */
} hpr_page_source;

typedef struct hpr_panel {
    const hpr_chart *chart;
    double x_pt, y_pt; /* its lower left corner */
} hpr_panel;

struct hpr_page {
    double width_pt, height_pt;
    size_t n_columns, n_rows;
    bool same_scale;
    const hpr_panel *panels; /* row by row from the upper left */
    size_t n_panels;
    /* The bands of all panels, bottom first, as a chart that covers the page: their fills, and
     * their labels, KEY where the legend has them. Its amounts are those of all panels one after
     * the other, each in shares of its own peak unless the scale is the same, and no plot. */
    const hpr_chart *legend;
};

/* Selects names over all profiles, orders, scales, lays out. Errors: those of hpf_survey_series;
 * LIMIT for too many profiles, or too small a page; ARGUMENT for units that differ where the scale
 * is to be the same. */
HPF_API HPF_MUST_USE hpf_status hpr_page_create(hpr_page **out, const hpr_page_source *sources,
                                                size_t n_sources, const hpr_page_options *options,
                                                hpr_measurer measurer, hpf_error *err);
HPF_API void hpr_page_destroy(hpr_page *page);

/* The ink of a page. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpr_page_scene_create(hpr_scene **out, const hpr_page *page,
                                                      const hpr_page_options *options,
                                                      hpr_measurer measurer, hpf_error *err);

/* Draws a page through a back end. The sink is not finished. `output->fonts` are the ones that the
 * page was measured with. A legend apart is written by hpr_write_legend of `page->legend`. Errors:
 * those of the back end. */
HPF_API HPF_MUST_USE hpf_status hpr_page_write(const hpr_page *page,
                                               const hpr_page_options *options,
                                               const hpr_backend *backend, const hpr_output *output,
                                               hpf_sink *sink, hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif

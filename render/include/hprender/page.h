/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Small multiples: several profiles on one page. Each profile is a panel with its own plot; all
 * panels have the same names in the same order and colours, the same size and margins, and one
 * legend.
 *
 *     before                        after
 *     MiB   . peak 9.3 MiB          MiB   . peak 4.1 MiB
 *      10 |                          5 |
 *       0 |______________            0 |______________
 *         0      2      4  s           0      1      2  s
 *     [] name  [] name  [] OTHER (7 names)
 *
 * Units: points, origin at the lower left of the page, y upwards; positions in a chart are relative
 * to its panel. Ownership: the page owns everything; nothing points into the surveys. Threads: a
 * finished page is not modified.
 */
#ifndef HPRENDER_PAGE_H
#define HPRENDER_PAGE_H

#include "hprender/render.h"

HPF_BEGIN_DECLS

/* Most profiles on a page. */
#define HPR_PAGE_MOST_PANELS 64

typedef struct hpr_page_source {
    hpf_survey *survey;
    const char *name; /* UTF-8, unique; the title of the panel unless all programs (JOB) differ and
                         fit there. Borrowed during the call */
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
    /* The bands of all panels, bottom first, as a chart of the size of the page, without a plot:
     * their fills, and their labels, LEGEND if they are in the legend. The points belong to all
     * panels, one panel after the other, in units of the panel's peak unless the scale is the same.
     */
    const hpr_chart *legend;
};

/* Creates the page of modern charts: selects names over all profiles, orders, scales and lays out.
 * Width and height of the options belong to the page; height 0: as the panels need. HPR_LEGEND_AUTO
 * puts the legend below the panels or in free cells after them, and labels bands where there is
 * room. Errors: from hpf_survey_series; LIMIT for too many profiles or a page that is too small;
 * ARGUMENT if the scale is to be the same and units differ. */
HPF_API HPF_MUST_USE hpf_status hpr_page_create(hpr_page **out, const hpr_page_source *sources,
                                                size_t n_sources, const hpr_options *options,
                                                hpr_measurer measurer, hpf_error *err);
HPF_API void hpr_page_destroy(hpr_page *page);

/* Creates the scene of a page; free it with hpr_scene_destroy. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpr_page_scene_create(hpr_scene **out, const hpr_page *page,
                                                      const hpr_options *options,
                                                      hpr_measurer measurer, hpf_error *err);

/* Writes a page with a back end. Does not finish the sink. `output->fonts` must be the fonts that
 * the page was measured with. Errors: from the back end. */
HPF_API HPF_MUST_USE hpf_status hpr_page_write(const hpr_page *page, const hpr_options *options,
                                               const hpr_backend *backend, const hpr_output *output,
                                               hpf_sink *sink, hpf_error *err);

HPF_END_DECLS
#endif

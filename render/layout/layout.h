/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The modern look. Its steps *scale* and *layout* compute ranges, ticks, boxes and labels from
 * measured text:
 *
 *     title ........................................ date
 *     MiB   . peak 9.3 MiB at 4.2 s
 *      10 |                                 |
 *       5 |   plot                          | names next to their bands
 *       0 |_________________________________|
 *         0     1     2     3     4         s
 */
#ifndef HPR_LAYOUT_H
#define HPR_LAYOUT_H

#include "layout/geometry.h"

/* What a panel of small multiples takes over from the other panels. */
typedef struct hpr__frame {
    const char *title;        /* replaces program and date; NULL: those */
    const hpr__reach *reach;  /* of the axes; NULL: the chart's own */
    double left_pt, right_pt; /* least widths of the margins */
    double x_extent;          /* of the longest x axis of the panels, in the same unit; 0: none */
} hpr__frame;

/* Fills the rest of a chart whose bands are cumulated. `survey` has the marks; NULL: no marks.
 * `frame` NULL: the chart is not a panel. May be called again with other options and another frame.
 * Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_layout(hpr__chart *chart, const hpf_survey *survey,
                                           const hpr_options *options, const hpr__frame *frame,
                                           hpr_measurer measurer, hpf_error *err);

/* Fills a chart in the modern look. After a failure it can only be destroyed. Errors: from
 * hpr_chart_create. */
HPF_MUST_USE hpf_status hpr__chart_modern(hpr__chart *chart, hpf_survey *survey,
                                          const hpr_options *options, hpr_measurer measurer,
                                          hpf_error *err);

/* Chooses the fills of the bands of a chart. `absent` has, by band, one bit
 * for each of several stacks that lack the band; NULL: there is one stack. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_fill_bands(hpr__chart *chart, const uint64_t *absent,
                                               const hpr_options *options, hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps *scale* and *layout* of the modern look: ranges, ticks, boxes, labels, all from
 * measured text.
 *
 *     title ........................................ date
 *     MiB   . peak 9.3 MiB at 4.2 s
 *      10 |                                 |
 *       5 |   plot                          | names beside bands
 *       0 |_________________________________|
 *         0     1     2     3     4         s
 */
#ifndef HPR_LAYOUT_H
#define HPR_LAYOUT_H

#include "layout/geometry.h"

/* What a chart that stands beside others is told by them. */
typedef struct hpr__frame {
    const char *title;        /* stands alone where program and date would; NULL: those */
    const hpr__reach *reach;  /* of the axes; NULL: the chart's own */
    double left_pt, right_pt; /* widths that the margins have at least */
    double x_extent;          /* of the longest x axis beside it, in the same unit; 0: none */
} hpr__frame;

/* Fills the rest of a chart whose bands are cumulated. `survey` has the marks; NULL: there are
 * none. `frame` NULL: the chart stands alone. May be called again with other options and another
 * frame. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_layout(hpr__chart *chart, const hpf_survey *survey,
                                           const hpr_options *options, const hpr__frame *frame,
                                           hpr_measurer measurer, hpf_error *err);

#endif

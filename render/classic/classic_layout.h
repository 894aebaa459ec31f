/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scale and layout of the classic look: a drawing area of 648 x 432 points, origin at the lower
 * left (docs/hp2ps.md).
 */
#ifndef HPR_CLASSIC_LAYOUT_H
#define HPR_CLASSIC_LAYOUT_H

#include "chart/chart.h"

#define HPR__CLASSIC_WIDTH_PT      648.0
#define HPR__CLASSIC_HEIGHT_PT     432.0
#define HPR__CLASSIC_LINE_PT       0.5
#define HPR__CLASSIC_TITLE_SIZE_PT 12.0
#define HPR__CLASSIC_TEXT_SIZE_PT  10.0
#define HPR__CLASSIC_KEY_BOX_PT    14.0
#define HPR__CLASSIC_BOX_INSET_PT  5.0 /* between the border and the title box */
#define HPR__CLASSIC_SMALL_BOX_PT                                                                  \
    20.0                                 /* height of the small title box, of a row of the big one \
                                          */
#define HPR__CLASSIC_AXIS_TEXT_Y_PT 5.0  /* baseline of the texts below the graph */
#define HPR__CLASSIC_AXIS_TEXT_X_PT 40.0 /* right end, and turned baseline, of those beside it */
#define HPR__CLASSIC_TICK_PT        4.0
#define HPR__CLASSIC_MARK_PT        4.0 /* half the width of a mark, and its height */

/* hp2ps's estimate of the width of a text in Helvetica 10. */
double hpr__classic_text_width_pt(hpf_str text);

/* The distance between ticks for a range of seven steps of `step`: 1, 2 or 5 times a power of ten.
 */
double hpr__classic_nice_step(double step);

/* Fills all of the public chart that comes after stack and shade: axes, title, key, marks, page.
 * Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__classic_layout(hpr__chart *chart, const hpf_survey *survey,
                                            const hpr_options *options, hpf_error *err);

#endif

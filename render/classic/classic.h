/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The classic look: what hp2ps draws (docs/hp2ps.md), as a chart. The drawing area has 648 x 432
 * points, with the origin at the lower left.
 */
#ifndef HPR_CLASSIC_H
#define HPR_CLASSIC_H

#include "hprender/auxfile.h"
#include "chart/chart.h"

#define HPR__CLASSIC_WIDTH_PT       648.0
#define HPR__CLASSIC_HEIGHT_PT      432.0
#define HPR__CLASSIC_LINE_PT        0.5
#define HPR__CLASSIC_TITLE_SIZE_PT  12.0
#define HPR__CLASSIC_TEXT_SIZE_PT   10.0
#define HPR__CLASSIC_KEY_BOX_PT     14.0
#define HPR__CLASSIC_BOX_INSET_PT   5.0  /* between the border and the title box */
#define HPR__CLASSIC_SMALL_BOX_PT   20.0 /* height of the small title box, or half the big one */
#define HPR__CLASSIC_AXIS_TEXT_Y_PT 5.0  /* baseline of the texts below the graph */
#define HPR__CLASSIC_AXIS_TEXT_X_PT 40.0 /* right end, or turned baseline, of texts left of it */
#define HPR__CLASSIC_TICK_PT        4.0
#define HPR__CLASSIC_MARK_PT        4.0 /* half the width of a mark, and its height */

/* Fills a chart in the classic look. After a failure it can only be destroyed. Errors: from
 * hpr_chart_create. */
HPF_MUST_USE hpf_status hpr__chart_classic(hpr__chart *chart, hpf_survey *survey,
                                           const hpr_options *options, hpf_error *err);

/* Selects, orders and limits the names; the assignment lives as long as the arena. Errors: MEMORY;
 * from hpf_survey_emit when the order needs a second reading; LIMIT for more ORDER lines in the
 * `.aux` file than hp2ps accepts. */
HPF_MUST_USE hpf_status hpr__classic_select(hpr__assignment *assignment, hpf_arena *arena,
                                            hpf_survey *survey, const hpr_options *options,
                                            hpf_error *err);

/* Returns how many ORDER lines, and how many SHADE lines, hp2ps can keep for this profile. */
size_t hpr__classic_map_capacity(const hpf_survey *survey, const hpr_options *options);

/* Lays out a chart that is stacked and shaded: axes, title, key, marks, page. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__classic_layout(hpr__chart *chart, const hpf_survey *survey,
                                            const hpr_options *options, hpf_error *err);

#endif

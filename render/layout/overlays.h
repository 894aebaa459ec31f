/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is drawn over the bands besides their names: quantities, labels of marks, collections.
 */
#ifndef HPR_OVERLAYS_H
#define HPR_OVERLAYS_H

#include "chart/chart.h"

/* Chooses the quantities that are drawn over the bands, and computes their values. Call it before
 * the y axis is scaled, which must include them, and after the bands are cumulated. Without a
 * survey there are none. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__quantity_lines_choose(hpr__chart *chart, const hpf_survey *survey,
                                                   const hpr_options *options, hpf_error *err);

/* Copies the marks and messages within the times of the chart, by time, into `*out`, which is
 * unchanged if there can be none. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__marks_collect(hpr__chart *chart, hpr_mark **out,
                                           const hpf_survey *survey, const hpr_options *options,
                                           hpf_error *err);

/* Chooses which marks are drawn through the whole plot: all, if they are few; else some that have
 * labels and are far enough apart. The others are ticks. The x axis must have its ends, and the
 * plot its width. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__mark_rules_choose(hpr__chart *chart, hpr_mark *marks, hpf_error *err);

/* Labels of marks are set in rows above the plot; each begins at the rule of its mark.
 *
 *     loaded                    Of marks that are close together the first has the highest row:
 *     | index built   served    its label passes over the rules of the others, which end at lower
 *     | | | serving   |         rows. No rule crosses a label.
 */
typedef struct hpr__mark_box {
    double left_pt, right_pt;
    unsigned n_rows; /* at least 1 */
    double text_pt;
    hpr_measurer measurer;
} hpr__mark_box;

/* Returns the most rows that a sheet of this height can have. */
unsigned hpr__mark_rows_at_most(double height_pt, double line_pt);

/* Returns how many of the rows in `box` are needed to show the most labels; 0 without memory. */
unsigned hpr__mark_rows_wanted(const hpr_mark *marks, size_t n_marks, const hpr__mark_box *box);

/* Fills `shown`, `label_x_pt` and `row` of marks whose `x_pt` is known. Of many marks, those whose
 * label has no room become ticks. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__mark_labels_place(hpr__chart *chart, hpr_mark *marks,
                                               const hpr__mark_box *box, hpf_error *err);

/* Distance from the upper edge of the plot, where the ticks of collections begin, to the highest
 * place where anything else may be drawn. */
#define HPR__GC_TICKS_PT 9.0

/* Places the collections of the options that are within the times of the chart. Collections that
 * are too close to each other share a tick, which is major if one of them is. The x axis must be
 * final. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__gc_ticks_place(hpr__chart *chart, const hpr_options *options,
                                            hpf_error *err);

#endif

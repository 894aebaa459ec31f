/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Places for the labels of marks: in rows above the plot, each beginning at the rule of its mark.
 *
 *     loaded                    Of marks that are close together the first has the highest row:
 *     | index built   served    its label goes over the rules of the others, which end at lower
 *     | | | serving   |         ones. No rule goes through a label.
 */
#ifndef HPR_MARK_LABELS_H
#define HPR_MARK_LABELS_H

#include "chart/chart.h"

/* Where labels may be. */
typedef struct hpr__mark_box {
    double left_pt, right_pt;
    unsigned n_rows; /* how many there are; at least 1 */
    double text_pt;
    hpr_measurer measurer;
} hpr__mark_box;

/* As many rows as the sheet has room for, at most. */
unsigned hpr__mark_rows_at_most(double height_pt, double line_pt);

/* How many of the rows in `box` show most of the labels. 0: there is no memory. */
unsigned hpr__mark_rows_wanted(const hpr_mark *marks, size_t n_marks, const hpr__mark_box *box);

/* Fills `shown`, `label_x_pt` and `row` of marks whose places are known. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__mark_labels_place(hpr__chart *chart, hpr_mark *marks,
                                               const hpr__mark_box *box, hpf_error *err);

#endif

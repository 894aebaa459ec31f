/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Room for a text inside a band: where does a box fit between two curves?
 *
 * The plot is cut into columns of about one point; of each curve the lowest and the highest value
 * in every column are kept, ends of segments included. A box over some columns is inside the band
 * when it is below the lowest value of the upper curve and above the highest value of the lower
 * curve there, so what is found truly fits.
 */
#ifndef HPR_LABEL_SPACE_H
#define HPR_LABEL_SPACE_H

#include "base/arena.h"

/* Extremes of a curve by column, in points above the bottom of the plot. */
typedef struct hpr__extent {
    double *lowest, *highest;
} hpr__extent;

/* Where curves lie: points in increasing x_pt from the left of the plot, and the columns. */
typedef struct hpr__columns {
    const double *x_pt; /* n_points */
    size_t n_points;
    double width_pt;        /* of the plot */
    size_t n;               /* columns */
    size_t *column_of;      /* of each point */
    double *scratch;        /* 2 * n */
    const double *rules_pt; /* n_rules: upright lines that a box had better not lie on */
    size_t n_rules;
} hpr__columns;

/* False when there is no memory. */
bool hpr__columns_init(hpr__columns *columns, hpf_arena *arena, const double *x_pt, size_t n_points,
                       double width_pt);
bool hpr__extent_init(hpr__extent *extent, hpf_arena *arena, const hpr__columns *columns);

/* Fills an extent from a curve of n_points amounts, one alone being level from end to end; NULL:
 * all zero, as is what lies before and behind the curve. */
void hpr__extent_fill(hpr__extent *extent, const hpr__columns *columns, const double *amounts,
                      double pt_per_amount);

/* The thickest place of a band, in points. */
double hpr__label_space_thickest(const hpr__columns *columns, const hpr__extent *lower,
                                 const hpr__extent *upper);

typedef struct hpr__box {
    double width_pt, height_pt;
    bool avoids_rules; /* no place on a rule will do */
} hpr__box;

/* Looks for a place for a box: not much tighter than the roomiest one, and as near as can be to the
 * middle of the band's ink. Gives the centre of the box; false when it fits nowhere. */
bool hpr__label_space_find(const hpr__columns *columns, const hpr__extent *lower,
                           const hpr__extent *upper, const hpr__box *box, double *x_pt,
                           double *y_pt);

#endif

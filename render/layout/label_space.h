/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Space for names: boxes inside bands, and names spread along the margin.
 *
 * Inside a band: the plot is divided into columns of about one point. For each curve the lowest and
 * the highest value in every column are kept, including the ends of segments. A box over some
 * columns is inside the band if it is below the lowest value of the upper curve there and above the
 * highest value of the lower curve.
 */
#ifndef HPR_LABEL_SPACE_H
#define HPR_LABEL_SPACE_H

#include <stddef.h>

#include "base/arena.h"

/* Extremes of a curve by column, in points above the bottom of the plot. */
typedef struct hpr__extent {
    double *lowest, *highest;
} hpr__extent;

/* The points of the curves, in increasing x_pt from the left of the plot, and the columns. */
typedef struct hpr__columns {
    const double *x_pt; /* n_points */
    size_t n_points;
    double width_pt;        /* of the plot */
    size_t n;               /* columns */
    size_t *column_of;      /* of each point */
    double *scratch;        /* 2 * n */
    const double *rules_pt; /* n_rules: vertical lines that a box should avoid */
    size_t n_rules;
} hpr__columns;

/* Initialise columns and an extent. Return false if there is no memory. */
bool hpr__columns_init(hpr__columns *columns, hpf_arena *arena, const double *x_pt, size_t n_points,
                       double width_pt);
bool hpr__extent_init(hpr__extent *extent, hpf_arena *arena, const hpr__columns *columns);

/* Fills an extent from a curve of n_points amounts; a single point makes a level curve. `amounts`
 * NULL, and any column outside the curve, count as zero. */
void hpr__extent_fill(hpr__extent *extent, const hpr__columns *columns, const double *amounts,
                      double pt_per_amount);

/* Returns the largest thickness of a band, in points. */
double hpr__label_space_thickest(const hpr__columns *columns, const hpr__extent *lower,
                                 const hpr__extent *upper);

typedef struct hpr__box {
    double width_pt, height_pt;
    bool avoids_rules; /* must not overlap a rule */
} hpr__box;

/* Finds a place for a box: about as high as the highest place there is, and as close as possible to
 * the centre of the band's area. Sets the centre of the box; returns false if it fits nowhere. */
bool hpr__label_space_find(const hpr__columns *columns, const hpr__extent *lower,
                           const hpr__extent *upper, const hpr__box *box, double *x_pt,
                           double *y_pt);

typedef struct hpr__label_slot {
    double wanted; /* in: not decreasing along the array */
    double at;     /* out */
    double pool_mean;
    size_t pool_n; /* scratch: the pools, as a stack */
} hpr__label_slot;

/* Places `n` labels at least `pitch` apart in [low, high], with the least sum of squared distances
 * from where they are wanted. They must fit: (n - 1) * pitch <= high - low.
 *
 * Without the pitch this is isotonic regression, solved by pooling adjacent violators (Barlow et
 * al., Statistical Inference under Order Restrictions, 1972). */
void hpr__space_labels(hpr__label_slot *items, size_t n, double pitch, double low, double high);

#endif

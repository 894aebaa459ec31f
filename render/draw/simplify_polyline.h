/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Simplifying a curve to what a page can show, so that ink is bounded by the page and not by the
 * profile. First, the plot is cut into columns, and of the points in a column only the first, the
 * lowest, the highest and the last stay: a curve that goes up and down within a column paints the
 * same there. Then points on nearly straight stretches go (the cone intersection of Sklansky and
 * Gonzalez, 1980): from each point that stays, the slopes are kept that pass all points since
 * within a tolerance; the first point that no such slope reaches makes the one before it stay.
 */
#ifndef HPR_SIMPLIFY_POLYLINE_H
#define HPR_SIMPLIFY_POLYLINE_H

#include "hprender/render.h"
#include "hprender/scene.h"

typedef struct hpr__fineness {
    double column_pt;
    double tolerance_pt; /* upwards and downwards */
} hpr__fineness;

/* Returns the fineness that `options` asks for: simplified curves are nowhere further from the real
 * ones than options->tolerance_pt. With options->most_points, columns are wider. */
hpr__fineness hpr__fineness_of(const hpr_options *options, double plot_width_pt);

/* Writes the indices of the points that stay, in order, to `shown`, which has room for `n`, and
 * returns their number. x_pt must not decrease. The ends, the lowest and the highest point, and the
 * `n_kept` points of `kept`, in any order, stay. */
size_t hpr__simplify_polyline(size_t *shown, const hpr_point *points, size_t n, const size_t *kept,
                              size_t n_kept, hpr__fineness fineness);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The edge of a band, simplified to what the page can show. One curve serves for all edges of a
 * picture in turn.
 */
#ifndef HPR_CURVE_H
#define HPR_CURVE_H

#include "draw/scene_builder.h"
#include "draw/simplify_polyline.h"

typedef struct hpr__curve {
    hpr_point *points; /* filled in by the caller, from left to right */
    size_t n_points;
    size_t *shown; /* indices of the points that are drawn */
    size_t n_shown;
} hpr__curve;

/* Makes room for `n_points`. Returns false, and fails `ink`, when there is no memory. */
bool hpr__curve_init(hpr__curve *out, hpr__builder *ink, size_t n_points);
void hpr__curve_finish(hpr__curve *curve);

/* Chooses the points that are drawn. Of the bands below and above the curve, `n` values each, the
 * smallest and the largest stay; NULL for no band. */
void hpr__curve_simplify(hpr__curve *curve, const double *below, const double *above, size_t n,
                         hpr__fineness fineness);

/* Returns the points that are drawn, curve->n_shown of them, as part of the scene; NULL when there
 * is no memory. */
hpr_point *hpr__curve_points(hpr__builder *ink, const hpr__curve *curve);

/* Returns the outline of the area between two curves, along one and back along the other, and its
 * number of points. */
hpr_point *hpr__curve_area(hpr__builder *ink, const hpr__curve *along, const hpr__curve *back,
                           size_t *n);

#endif

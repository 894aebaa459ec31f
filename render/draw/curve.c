/* SPDX-License-Identifier: BSD-2-Clause */
#include "draw/curve.h"

#include <stdlib.h>

bool hpr__curve_init(hpr__curve *out, hpr__builder *ink, size_t n_points)
{
    *out = (hpr__curve){
        .points = calloc(n_points + 1, sizeof *out->points),
        .n_points = n_points,
        .shown = calloc(n_points + 1, sizeof *out->shown),
    };
    if (!out->points || !out->shown) {
        hpr__curve_finish(out);
        hpr__builder_fail(ink);
        return false;
    }
    return true;
}

void hpr__curve_finish(hpr__curve *curve)
{
    free(curve->points);
    free(curve->shown);
    *curve = (hpr__curve){0};
}

static void find_extremes(size_t out[2], const double *values, size_t n)
{
    out[0] = out[1] = 0;
    for (size_t i = 1; values && i < n; i++) {
        out[0] = values[i] < values[out[0]] ? i : out[0];
        out[1] = values[i] > values[out[1]] ? i : out[1];
    }
}

void hpr__curve_simplify(hpr__curve *curve, const double *below, const double *above, size_t n,
                         hpr__fineness fineness)
{
    size_t kept[4];
    find_extremes(kept, below, n);
    find_extremes(kept + 2, above, n);
    curve->n_shown =
        hpr__simplify_polyline(curve->shown, curve->points, curve->n_points, kept, 4, fineness);
}

hpr_point *hpr__curve_points(hpr__builder *ink, const hpr__curve *curve)
{
    hpr_point *points = hpr__builder_points(ink, curve->n_shown);
    for (size_t i = 0; points && i < curve->n_shown; i++) {
        points[i] = curve->points[curve->shown[i]];
    }
    return points;
}

hpr_point *hpr__curve_area(hpr__builder *ink, const hpr__curve *along, const hpr__curve *back,
                           size_t *n)
{
    *n = along->n_shown + back->n_shown;
    hpr_point *points = hpr__builder_points(ink, *n);
    for (size_t i = 0; points && i < along->n_shown; i++) {
        points[i] = along->points[along->shown[i]];
    }
    for (size_t i = 0; points && i < back->n_shown; i++) {
        points[*n - 1 - i] = back->points[back->shown[i]];
    }
    return points;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cone intersection, with slopes instead of angles, since curves go from left to right.
 */
#include "thin.h"

#include <math.h>

/* Slopes that pass all points since the one that stays. */
typedef struct cone {
    double low, high;
} cone;

static const cone wide_open = {-HUGE_VAL, HUGE_VAL};

static double slope_to(hpr_point from, hpr_point to, double offset_pt)
{
    return (to.y_pt + offset_pt - from.y_pt) / (to.x_pt - from.x_pt);
}

/* Whether a straight line from `from` to `to` passes all points of the cone. */
static bool is_reached(const cone *c, hpr_point from, hpr_point to)
{
    if (to.x_pt <= from.x_pt) {
        return false;
    }
    double slope = slope_to(from, to, 0);
    return slope >= c->low && slope <= c->high;
}

static void narrow(cone *c, hpr_point from, hpr_point to, double tolerance_pt)
{
    if (to.x_pt > from.x_pt) {
        c->low = fmax(c->low, slope_to(from, to, -tolerance_pt));
        c->high = fmin(c->high, slope_to(from, to, tolerance_pt));
    }
}

size_t hpr__thin(hpr_point *points, size_t n, double tolerance_pt)
{
    if (n < 3) {
        return n;
    }
    size_t n_kept = 1; /* points[n_kept - 1] stays, and is where the cone begins */
    hpr_point before = points[1];
    cone c = wide_open;
    bool is_level = before.x_pt > points[0].x_pt;
    narrow(&c, points[0], before, tolerance_pt);
    for (size_t i = 2; i < n; i++) {
        hpr_point next = points[i];
        if (!is_level || !is_reached(&c, points[n_kept - 1], next)) {
            points[n_kept++] = before;
            c = wide_open;
        }
        is_level = next.x_pt > points[n_kept - 1].x_pt;
        narrow(&c, points[n_kept - 1], next, tolerance_pt);
        before = next;
    }
    points[n_kept++] = before;
    return n_kept;
}

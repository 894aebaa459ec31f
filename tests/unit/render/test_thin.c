/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Thinning: few points, ends kept, never off by more than the tolerance.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "thin.h"

static double height_at(const hpr_point *curve, size_t n, double x_pt)
{
    size_t i = 1;
    while (i + 1 < n && curve[i].x_pt < x_pt) {
        i++;
    }
    double share = (x_pt - curve[i - 1].x_pt) / (curve[i].x_pt - curve[i - 1].x_pt);
    return curve[i - 1].y_pt + share * (curve[i].y_pt - curve[i - 1].y_pt);
}

Test(thin, a_straight_line_has_two_points)
{
    hpr_point points[50];
    for (int i = 0; i < 50; i++) {
        points[i] = (hpr_point){i * 1.3, 7 - i * 0.1};
    }
    cr_assert_eq(hpr__thin(points, 50, 0.01), 2);
    cr_assert_float_eq(points[1].x_pt, 49 * 1.3, 1e-12);
}

Test(thin, corners_and_jumps_stay)
{
    hpr_point points[] = {{0, 0}, {1, 0}, {2, 0}, {2, 5}, {3, 5}, {4, 5}, {5, 9}};
    cr_assert_eq(hpr__thin(points, 7, 0.1), 5);
    cr_assert_float_eq(points[1].x_pt, 2, 1e-12);
    cr_assert_float_eq(points[1].y_pt, 0, 1e-12);
    cr_assert_float_eq(points[2].y_pt, 5, 1e-12);
    cr_assert_float_eq(points[3].x_pt, 4, 1e-12);
}

Test(thin, keeps_the_tolerance)
{
    enum { N = 400 };
    for (unsigned seed = 1; seed < 40; seed++) {
        hpr_point whole[N], thinned[N];
        unsigned state = seed;
        double y = 0;
        for (int i = 0; i < N; i++) {
            state = state * 1664525u + 1013904223u;
            y += ((double)(state >> 24) - 128) / 1280 * (seed % 5);
            whole[i] = (hpr_point){i * 0.5, y + sin(i * 0.05) * 10};
        }
        memcpy(thinned, whole, sizeof whole);
        size_t n = hpr__thin(thinned, N, 0.05);
        cr_expect_lt(n, N);
        for (int i = 0; i < N; i++) {
            cr_expect_leq(fabs(height_at(thinned, n, whole[i].x_pt) - whole[i].y_pt), 0.05 + 1e-9);
        }
    }
}

Test(thin, few_points_are_left_alone)
{
    hpr_point points[] = {{0, 0}, {1, 1}};
    cr_assert_eq(hpr__thin(points, 2, 1), 2);
    cr_assert_eq(hpr__thin(points, 0, 1), 0);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Boxes for labels are inside their bands, and found wherever one fits.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "base/arena.h"
#include "layout/label_space.h"

static hpf_arena *arena;
static hpr__columns columns;
static hpr__extent lower, upper;

static void make(const double *x_pt, size_t n, const double *low, const double *high)
{
    arena = hpf_arena_create();
    cr_assert(hpr__columns_init(&columns, arena, x_pt, n, 100));
    cr_assert(hpr__extent_init(&lower, arena, &columns));
    cr_assert(hpr__extent_init(&upper, arena, &columns));
    hpr__extent_fill(&lower, &columns, low, 1);
    hpr__extent_fill(&upper, &columns, high, 1);
}

static void drop(void)
{
    hpf_arena_destroy(arena);
}

static double value_at(const double *x_pt, size_t n, const double *curve, double x)
{
    for (size_t i = 1; i < n; i++) {
        if (x <= x_pt[i] && x_pt[i] > x_pt[i - 1]) {
            double share = fmax(0, (x - x_pt[i - 1]) / (x_pt[i] - x_pt[i - 1]));
            return curve[i - 1] + share * (curve[i] - curve[i - 1]);
        }
    }
    return curve[n - 1];
}

static bool find(double width_pt, double height_pt, bool avoids_rules, double *x_pt, double *y_pt)
{
    const hpr__box box = {width_pt, height_pt, avoids_rules};
    return hpr__label_space_find(&columns, &lower, &upper, &box, x_pt, y_pt);
}

Test(label_space, level_band_is_labelled_in_the_middle, .fini = drop)
{
    static const double x_pt[] = {0, 100}, high[] = {20, 20};
    double x, y;
    make(x_pt, 2, NULL, high);
    cr_assert(find(30, 10, false, &x, &y));
    cr_assert_float_eq(x, 50, 1);
    cr_assert_float_eq(y, 10, 1e-9);
    cr_assert(find(30, 19.8, false, &x, &y));
    cr_assert_not(find(30, 20.5, false, &x, &y));
    cr_assert_not(find(120, 5, false, &x, &y));
}

Test(label_space, avoids_rules_if_requested, .fini = drop)
{
    static const double x_pt[] = {0, 100}, high[] = {20, 20}, rules_pt[] = {50};
    double x, y;
    make(x_pt, 2, NULL, high);
    columns.rules_pt = rules_pt;
    columns.n_rules = 1;
    cr_assert(find(30, 10, false, &x, &y));
    cr_assert_float_eq(x, 50, 1);
    cr_assert(find(30, 10, true, &x, &y));
    cr_assert_geq(fabs(x - 50), 15);
    cr_assert_not(find(60, 10, true, &x, &y));
}

Test(label_space, is_placed_where_the_band_is_thick, .fini = drop)
{
    static const double x_pt[] = {0, 60, 70, 90, 100}, high[] = {2, 2, 30, 30, 2};
    double x, y;
    make(x_pt, 5, NULL, high);
    cr_assert(find(16, 20, false, &x, &y));
    cr_assert_float_eq(x, 80, 3);
    cr_assert_float_eq(hpr__label_space_thickest(&columns, &lower, &upper), 30, 1e-9);
}

Test(label_space, band_of_one_point_is_level, .fini = drop)
{
    static const double x_pt[] = {50}, high[] = {20};
    double x, y;
    make(x_pt, 1, NULL, high);
    cr_assert(find(30, 10, false, &x, &y));
}

Test(label_space, boxes_are_inside)
{
    unsigned state = 4;
    int n_found = 0;
    for (int round = 0; round < 300; round++) {
        double x_pt[20], low[20], high[20];
        size_t n = 2 + (size_t)round % 19;
        for (size_t i = 0; i < n; i++) {
            x_pt[i] = 100.0 * (double)i / (double)(n - 1);
            state = state * 1664525u + 1013904223u;
            low[i] = (double)(state >> 26);
            state = state * 1664525u + 1013904223u;
            high[i] = low[i] + (double)(state >> 26);
        }
        make(x_pt, n, low, high);
        double x, y, width = 5 + round % 30, height = 5 + round % 10;
        if (find(width, height, false, &x, &y)) {
            n_found++;
            for (double at = x - width / 2; at <= x + width / 2; at += 0.25) {
                cr_expect_geq(at, -1e-9);
                cr_expect_leq(at, 100 + 1e-9);
                cr_expect_leq(value_at(x_pt, n, low, at), y - height / 2 + 1e-9);
                cr_expect_geq(value_at(x_pt, n, high, at), y + height / 2 - 1e-9);
            }
        }
        drop();
    }
    cr_assert_gt(n_found, 50);
}

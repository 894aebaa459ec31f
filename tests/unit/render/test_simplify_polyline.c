/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Simplified curves: few points, within the tolerance, with all points that must stay.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "sanitizer.h"
#include "rng.h"
#include "draw/curve.h"

enum { N = 4000 };

static hpr_point points[N];
static size_t shown[N];
static const hpr__fineness fine = {0.08, 0.06};

static double distance_to_segment(hpr_point p, hpr_point a, hpr_point b)
{
    double dx = b.x_pt - a.x_pt, dy = b.y_pt - a.y_pt;
    double length = dx * dx + dy * dy;
    double t = length > 0 ? ((p.x_pt - a.x_pt) * dx + (p.y_pt - a.y_pt) * dy) / length : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(p.x_pt - a.x_pt - t * dx, p.y_pt - a.y_pt - t * dy);
}

/* Returns the distance of the i-th point from the simplified curve. */
static double distance_to_shown(size_t i, size_t n_shown)
{
    double least = HUGE_VAL;
    for (size_t k = 0; k + 1 < n_shown; k++) {
        hpr_point a = points[shown[k]], b = points[shown[k + 1]];
        if (a.x_pt <= points[i].x_pt + 1 && b.x_pt >= points[i].x_pt - 1) {
            least = fmin(least, distance_to_segment(points[i], a, b));
        }
    }
    return least;
}

/* Returns the distance of the middle of the k-th simplified segment from the curve. */
static double distance_of_piece(size_t k)
{
    hpr_point a = points[shown[k]], b = points[shown[k + 1]];
    hpr_point middle = {(a.x_pt + b.x_pt) / 2, (a.y_pt + b.y_pt) / 2};
    double least = HUGE_VAL;
    for (size_t i = shown[k]; i < shown[k + 1]; i++) {
        least = fmin(least, distance_to_segment(middle, points[i], points[i + 1]));
    }
    return least;
}

static void make_curve(uint64_t seed)
{
    rng chance = {seed};
    double y = 0, noise = (double)(seed % 4) * 20, width = seed % 3 ? 200 : 20;
    for (int i = 0; i < N; i++) {
        y += ((double)rng_below(&chance, 256) - 128) / 1280 * (double)(seed % 5);
        points[i].x_pt = width * i / N;
        points[i].y_pt = y + sin(i * 0.05) * 10 + noise * (double)rng_below(&chance, 1000) / 1000;
        if (seed % 7 == 0) {
            points[i].x_pt = floor(points[i].x_pt); /* jumps */
        }
    }
}

Test(simplify_polyline, straight_line_has_two_points)
{
    for (int i = 0; i < 50; i++) {
        points[i] = (hpr_point){i * 1.3, 7 - i * 0.1};
    }
    cr_assert_eq(hpr__simplify_polyline(shown, points, 50, NULL, 0, fine), 2);
    cr_assert_eq(shown[1], 49);
}

Test(simplify_polyline, keeps_corners_and_jumps)
{
    const hpr_point few[] = {{0, 0}, {1, 0}, {2, 0}, {2, 5}, {3, 5}, {4, 5}, {5, 9}};
    const size_t wanted[] = {0, 2, 3, 5, 6};
    cr_assert_eq(hpr__simplify_polyline(shown, few, 7, NULL, 0, fine), 5);
    cr_assert_arr_eq(shown, wanted, sizeof wanted);
}

Test(simplify_polyline, is_within_the_tolerance)
{
    for (uint64_t seed = 1; seed <= CASES(40); seed++) {
        make_curve(seed);
        size_t n = hpr__simplify_polyline(shown, points, N, NULL, 0, fine);
        cr_expect_leq(n, N);
        for (size_t i = 0; i < N; i += 7) {
            cr_expect_leq(distance_to_shown(i, n), 0.1 + 1e-9, "seed %d, point %zu", (int)seed, i);
        }
        for (size_t k = 0; k + 1 < n; k++) {
            cr_expect_leq(distance_of_piece(k), 0.1 + 1e-9, "seed %d, piece %zu", (int)seed, k);
        }
    }
}

Test(simplify_polyline, width_limits_the_number_of_points)
{
    const hpr__fineness coarse = {2, 0.06};
    for (uint64_t seed = 1; seed <= CASES(40); seed++) {
        make_curve(seed);
        size_t n = hpr__simplify_polyline(shown, points, N, NULL, 0, coarse);
        cr_expect_leq(n, 4 * 101 + 4, "seed %d: %zu", (int)seed, n);
    }
}

Test(simplify_polyline, keeps_extremes_and_required_points)
{
    const hpr__fineness coarse = {50, 50};
    for (uint64_t seed = 1; seed <= CASES(20); seed++) {
        make_curve(seed);
        size_t low = 0, high = 0, n_found = 0;
        for (size_t i = 0; i < N; i++) {
            low = points[i].y_pt < points[low].y_pt ? i : low;
            high = points[i].y_pt > points[high].y_pt ? i : high;
        }
        const size_t kept[] = {1234, 17, 1234};
        const size_t wanted[] = {0, 17, 1234, low, high, N - 1};
        size_t n = hpr__simplify_polyline(shown, points, N, kept, 3, coarse);
        for (size_t w = 0; w < 6; w++) {
            for (size_t k = 0; k < n; k++) {
                n_found += shown[k] == wanted[w];
                cr_expect(k == 0 || shown[k] > shown[k - 1]);
            }
        }
        cr_expect_geq(n_found, 6, "seed %d", (int)seed);
    }
}

Test(simplify_polyline, keeps_few_points)
{
    const hpr_point two[] = {{0, 0}, {1, 1}};
    cr_assert_eq(hpr__simplify_polyline(shown, two, 2, NULL, 0, fine), 2);
    cr_assert_eq(hpr__simplify_polyline(shown, two, 1, NULL, 0, fine), 1);
    cr_assert_eq(hpr__simplify_polyline(shown, two, 0, NULL, 0, fine), 0);
}

/* A calm half, then one that goes up and down at each of `n` points. */
static hpr__curve half_noisy(size_t n)
{
    for (size_t i = 0; i < 2 * n; i++) {
        points[i] = (hpr_point){240.0 * (double)i / (double)(2 * n), i < n ? 50 : i % 2 ? 90 : 10};
        shown[i] = i;
    }
    return (hpr__curve){.points = points, .n_points = 2 * n, .shown = shown, .n_shown = 2 * n};
}

/* 240 turns over 120 pt: a stroke of 1 pt would cover the noisy half twice. */
Test(simplify_polyline, noise_is_crowded_and_the_rest_is_not)
{
    hpr__curve curve = half_noisy(240);
    unsigned crowding;
    size_t end = hpr__curve_stretch(&curve, 0, 1, &crowding);
    cr_expect_eq(crowding, 0);
    cr_expect_eq(points[end].x_pt, 120);
    cr_expect_eq(hpr__curve_stretch(&curve, end, 1, &crowding), 479);
    cr_expect_eq(crowding, 2, "%u", crowding);
    curve = half_noisy(20);
    cr_expect_eq(hpr__curve_stretch(&curve, 0, 1, &crowding), 39, "6 pt between turns");
    cr_expect_eq(crowding, 0);
    curve = half_noisy(2000);
    end = hpr__curve_stretch(&curve, 0, 1, &crowding);
    hpr__curve_stretch(&curve, end, 1, &crowding);
    cr_expect_eq(crowding, HPR__MOST_CROWDED);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The measure, compared with values by hand, and the properties of the search.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sanitizer.h"
#include "base/arena.h"
#include "chart/wiggle.h"

enum { MOST_BANDS = 32, MOST_POINTS = 700 };

static double values[MOST_BANDS][MOST_POINTS];
static const double *rows[MOST_BANDS];

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static hpr__series random_series(uint32_t seed, uint32_t n_bands, size_t n_points)
{
    uint32_t state = seed;
    for (uint32_t b = 0; b < n_bands; b++) {
        double level = next_random(&state) % 1000;
        double noise = next_random(&state) % 100;
        for (size_t t = 0; t < n_points; t++) {
            level += (double)(next_random(&state) % 21) - 10;
            level = level < 0 ? 0 : level;
            values[b][t] = level + noise * (next_random(&state) % 3);
        }
        rows[b] = values[b];
    }
    return (hpr__series){rows, n_bands, n_points};
}

static void count_up(uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
}

Test(wiggle, measure_equals_values_by_hand)
{
    static const double calm[] = {10, 10, 10};
    static const double restless[] = {0, 4, 0};
    const double *both[] = {calm, restless};
    hpr__series series = {both, 2, 3};
    /* The restless band alone: thickness 2, its middle moves by 2, twice. */
    const uint32_t calm_below[] = {0, 1};
    cr_assert_float_eq(hpr__wiggle_of(&series, calm_below, 2), 8, 1e-12);
    /* Below the other, it also moves ten units of thickness by 4, twice. */
    const uint32_t calm_above[] = {1, 0};
    cr_assert_float_eq(hpr__wiggle_of(&series, calm_above, 2), 88, 1e-12);
}

Test(wiggle, restless_bands_are_on_top)
{
    static const double calm[] = {10, 10, 10};
    static const double restless[] = {0, 4, 0};
    const double *both[] = {restless, calm};
    hpr__series series = {both, 2, 3};
    uint32_t order[] = {0, 1};
    hpf_arena *arena = hpf_arena_create();
    cr_assert(hpr__wiggle_minimise(&series, order, 2, NULL, 0, arena));
    cr_assert_eq(order[0], 1);
    cr_assert_eq(order[1], 0);
    hpf_arena_destroy(arena);
}

Test(wiggle, is_a_permutation_and_no_worse_than_the_seeds)
{
    for (uint32_t seed = 1; seed <= CASES(60); seed++) {
        uint32_t n = 1 + seed % MOST_BANDS;
        hpr__series series = random_series(seed, n, 1 + seed * 11);
        uint32_t order[MOST_BANDS], up[MOST_BANDS], down[MOST_BANDS];
        count_up(order, n);
        count_up(up, n);
        for (uint32_t i = 0; i < n; i++) {
            down[i] = n - 1 - i;
        }
        const uint32_t *seeds[] = {up, down};
        hpf_arena *arena = hpf_arena_create();
        cr_assert(hpr__wiggle_minimise(&series, order, n, seeds, 2, arena));
        double found = hpr__wiggle_of(&series, order, n);
        cr_expect_leq(found, hpr__wiggle_of(&series, up, n));
        cr_expect_leq(found, hpr__wiggle_of(&series, down, n));
        bool is_there[MOST_BANDS] = {false};
        for (uint32_t i = 0; i < n; i++) {
            cr_expect_not(is_there[order[i]]);
            is_there[order[i]] = true;
        }
        hpf_arena_destroy(arena);
    }
}

static double best_of_all(const hpr__series *series, uint32_t *order, uint32_t fixed, uint32_t n)
{
    if (fixed == n) {
        return hpr__wiggle_of(series, order, n);
    }
    double best = -1;
    for (uint32_t i = fixed; i < n; i++) {
        uint32_t swapped = order[fixed];
        order[fixed] = order[i];
        order[i] = swapped;
        double found = best_of_all(series, order, fixed + 1, n);
        best = best < 0 || found < best ? found : best;
        order[i] = order[fixed];
        order[fixed] = swapped;
    }
    return best;
}

Test(wiggle, is_near_the_best_of_all_orders)
{
    for (uint32_t seed = 1; seed <= CASES(20); seed++) {
        hpr__series series = random_series(seed * 977, 6, 40);
        uint32_t order[6];
        hpf_arena *arena = hpf_arena_create();
        count_up(order, 6);
        double best = best_of_all(&series, order, 0, 6);
        cr_assert(hpr__wiggle_minimise(&series, order, 6, NULL, 0, arena));
        cr_expect_leq(hpr__wiggle_of(&series, order, 6), best * 1.1);
        hpf_arena_destroy(arena);
    }
}

/* The search continues until no single move improves the order. */
Test(wiggle, no_single_move_improves_it)
{
    enum { N = 30 };
    for (uint32_t seed = 1; seed <= CASES(60); seed++) {
        hpr__series series = random_series(seed * 31, N, 40);
        uint32_t order[N], moved[N];
        hpf_arena *arena = hpf_arena_create();
        count_up(order, N);
        cr_assert(hpr__wiggle_minimise(&series, order, N, NULL, 0, arena));
        double found = hpr__wiggle_of(&series, order, N);
        for (uint32_t from = 0; from < N; from++) {
            for (uint32_t to = 0; to < N; to++) {
                for (uint32_t i = 0, next = 0; i < N; i++) {
                    next += next == from;
                    moved[i] = i == to ? order[from] : order[next++];
                }
                double other = hpr__wiggle_of(&series, moved, N);
                cr_expect_geq(other, found * (1 - 1e-4), "seed %u: %u to %u gains %g", seed, from,
                              to, 1 - other / found);
            }
        }
        hpf_arena_destroy(arena);
    }
}

Test(wiggle, equal_input_gives_equal_order)
{
    uint32_t first[20], second[20];
    for (int run = 0; run < 2; run++) {
        hpr__series series = random_series(5, 20, 600);
        uint32_t *order = run ? second : first;
        hpf_arena *arena = hpf_arena_create();
        count_up(order, 20);
        cr_assert(hpr__wiggle_minimise(&series, order, 20, NULL, 0, arena));
        hpf_arena_destroy(arena);
    }
    cr_assert_eq(memcmp(first, second, sizeof first), 0);
}

Test(wiggle, accepts_few_bands)
{
    hpr__series series = random_series(3, 3, 1);
    uint32_t order[] = {2, 0, 1};
    hpf_arena *arena = hpf_arena_create();
    cr_assert(hpr__wiggle_minimise(&series, order, 3, NULL, 0, arena));
    cr_assert_eq(order[0], 2);
    cr_assert(hpr__wiggle_minimise(&series, order, 0, NULL, 0, arena));
    hpf_arena_destroy(arena);
}

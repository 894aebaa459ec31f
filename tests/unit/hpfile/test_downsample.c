/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Drawn samples: all of few; of many, the ends, and peaks and dips of every stretch, never too
 * many.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "summary/downsample.h"
#include "rng.h"

static hpf__downsample drawn;

static void tear_down(void)
{
    hpf__downsample_finish(&drawn);
}

TestSuite(drawn, .fini = tear_down);

static void add(uint64_t index, double time, double total)
{
    hpf_drawn_sample drawn_sample = {.time = time, .total = total, .sample_index = index};
    cr_assert(hpf__downsample_add(&drawn, &drawn_sample));
}

static bool has(uint64_t index)
{
    for (size_t i = 0; i < drawn.n_all; i++) {
        if (drawn.all[i].sample_index == index) {
            return true;
        }
    }
    return false;
}

static void expect_increasing(void)
{
    for (size_t i = 1; i < drawn.n_all; i++) {
        cr_assert_lt(drawn.all[i - 1].sample_index, drawn.all[i].sample_index);
        cr_assert_leq(drawn.all[i - 1].time, drawn.all[i].time);
    }
}

/* Cells have increasing numbers, in the part that has been joined and in the rest; a cell of double
 * width has both of its halves. */
static void expect_separate_cells(void)
{
    for (size_t i = 1; i < drawn.n_cells; i++) {
        uint64_t before = drawn.cells[i - 1].number, number = drawn.cells[i].number;
        if (i == drawn.n_coarse) {
            cr_assert_gt(number / 2, before);
        } else {
            cr_assert_gt(number, before);
        }
    }
}

Test(drawn, an_empty_profile_draws_no_sample)
{
    hpf__downsample_init(&drawn, 100);
    cr_assert(hpf__downsample_settle(&drawn));
    cr_assert_eq(drawn.n_all, 0);
}

Test(drawn, few_samples_are_all_drawn)
{
    hpf__downsample_init(&drawn, 100);
    for (uint64_t i = 0; i < 100; i++) {
        add(i, (double)i, 1);
    }
    cr_assert(hpf__downsample_settle(&drawn));
    cr_assert_eq(drawn.n_all, 100);
    expect_increasing();
}

Test(drawn, one_too_many_is_reduced)
{
    hpf__downsample_init(&drawn, 100);
    for (uint64_t i = 0; i < 101; i++) {
        add(i, (double)i, (double)(i % 7));
    }
    cr_assert(hpf__downsample_settle(&drawn));
    cr_assert_lt(drawn.n_all, 101);
    cr_assert(has(0) && has(100) && has(6));
    expect_increasing();
}

Test(drawn, peak_ends_and_number_hold_for_random_walks)
{
    rng chance = {17};
    for (int round = 0; round < 200; round++) {
        size_t max = 16 + (size_t)rng_below(&chance, 300);
        uint64_t n = 1 + rng_below(&chance, 5000);
        uint64_t peak = 0;
        double time = (double)rng_below(&chance, 100);
        double peak_total = -1;
        hpf__downsample_init(&drawn, max);
        for (uint64_t i = 0; i < n; i++) {
            double total = (double)rng_below(&chance, 1000);
            if (total > peak_total) {
                peak_total = total;
                peak = i;
            }
            add(i, time, total);
            expect_separate_cells();
            time += rng_below(&chance, 4) ? (double)rng_below(&chance, 1000) / 1000
                                          : (double)rng_below(&chance, 50);
        }
        cr_assert(hpf__downsample_settle(&drawn));
        cr_assert_leq(drawn.n_all, max);
        cr_assert(has(0) && has(n - 1), "round %d", round);
        cr_assert(has(peak), "round %d: the peak %llu of %llu is lost", round,
                  (unsigned long long)peak, (unsigned long long)n);
        expect_increasing();
        hpf__downsample_finish(&drawn);
    }
}

/* One sample more never loses much of the detail, however long the run is. */
Test(drawn, nearly_as_many_as_there_may_be)
{
    enum { N = 2000, MAX = 320 };
    hpf__downsample before = {0};
    rng chance = {3};
    hpf__downsample_init(&before, MAX);
    for (uint64_t i = 0; i < N; i++) {
        hpf_drawn_sample drawn_sample = {
            .time = (double)i, .total = (double)rng_below(&chance, 1000), .sample_index = i};
        cr_assert(hpf__downsample_add(&before, &drawn_sample));
        cr_assert(hpf__downsample_copy(&drawn, &before) && hpf__downsample_settle(&drawn));
        cr_assert_geq(drawn.n_all, i < MAX ? i + 1 : MAX * 5 / 6, "%zu of %llu", drawn.n_all,
                      (unsigned long long)i + 1);
        cr_assert_leq(drawn.n_all, MAX);
    }
    hpf__downsample_finish(&before);
}

/* What a longer run drawn samples of a part was drawn when that part was all: who keeps only the
 * samples that are drawn so far will have what is drawn later. */
Test(drawn, skipped_samples_are_never_drawn)
{
    enum { N = 700, MAX = 60 };
    static bool is_passed[N];
    hpf__downsample growing = {0};
    rng chance = {5};
    double time = 0;
    hpf__downsample_init(&growing, MAX);
    for (uint64_t i = 0; i < N; i++) {
        hpf_drawn_sample drawn_sample = {
            .time = time, .total = (double)rng_below(&chance, 99), .sample_index = i};
        time += rng_below(&chance, 3) ? 1 : (double)rng_below(&chance, 90);
        cr_assert(hpf__downsample_add(&growing, &drawn_sample));
        cr_assert(hpf__downsample_copy(&drawn, &growing) && hpf__downsample_settle(&drawn));
        for (uint64_t k = 0; k + 1 < i; k++) {
            bool is_drawn = has(k);
            cr_assert_not(is_passed[k] && is_drawn, "%llu at %llu", (unsigned long long)k,
                          (unsigned long long)i);
            is_passed[k] = !is_drawn;
        }
    }
    hpf__downsample_finish(&growing);
}

/* With a grid of at least max / 8 cells, neighbours are never further apart than two cells. */
Test(drawn, evenly_spaced_samples_are_covered_evenly)
{
    enum { N = 100000, MAX = 800 };
    hpf__downsample_init(&drawn, MAX);
    for (uint64_t i = 0; i < N; i++) {
        add(i, (double)i * 0.1, 5);
    }
    cr_assert(hpf__downsample_settle(&drawn));
    double cell = N * 0.1 / (MAX / 8);
    for (size_t i = 1; i < drawn.n_all; i++) {
        cr_assert_leq(drawn.all[i].time - drawn.all[i - 1].time, 2 * cell + 0.1);
    }
}

Test(drawn, every_cell_keeps_its_dip)
{
    enum { N = 10000 };
    hpf__downsample_init(&drawn, 400);
    for (uint64_t i = 0; i < N; i++) {
        add(i, (double)i, i % 1000 == 500 ? 0 : i % 1000 == 200 ? 100 : 50);
    }
    cr_assert(hpf__downsample_settle(&drawn));
    for (uint64_t i = 0; i < N; i += 1000) {
        cr_expect(has(i + 500) && has(i + 200), "around %llu", (unsigned long long)i);
    }
}

Test(drawn, times_that_stay_equal_or_jump)
{
    static const double steps[] = {0, 1e-300, 5e-324, 1e90, 1e-9};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        hpf__downsample_init(&drawn, 64);
        double time = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            add(i, time, i == 321 ? 7 : 1);
            time += i == 500 ? 1e99 : steps[k];
        }
        cr_assert(hpf__downsample_settle(&drawn));
        cr_expect(has(0) && has(321) && has(999), "step %g", steps[k]);
        cr_expect_leq(drawn.n_all, 64);
        expect_increasing();
        hpf__downsample_finish(&drawn);
    }
}

/* A long stillness at the beginning must not spoil the grid for what comes later. */
Test(drawn, equal_times_at_the_beginning_keep_the_shape_of_the_rest)
{
    hpf__downsample_init(&drawn, 64);
    for (uint64_t i = 0; i < 100; i++) {
        add(i, 0, 1);
    }
    for (uint64_t i = 100; i < 1100; i++) {
        add(i, (double)(i - 99) * 1e-6, (double)(i % 10));
    }
    cr_assert(hpf__downsample_settle(&drawn));
    cr_expect_geq(drawn.n_all, 16, "only %zu drawn samples", drawn.n_all);
}

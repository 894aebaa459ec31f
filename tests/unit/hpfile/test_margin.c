/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/margin.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static const double rate_bytes = 65536;

/* Returns a number of the exponential distribution with a mean of 1. */
static double exponential(void)
{
    return -log((rand() + 1.0) / (RAND_MAX + 2.0));
}

Test(margin, exact_amounts_have_none)
{
    cr_assert_eq(hpf_margin_weight(100, 0), 100);
    cr_assert_eq(hpf_margin_variance(1e6, 10, 0), 0);
    cr_assert_eq(hpf_margin(1e6, 0, 0), 0);
    cr_assert_eq(hpf_margin(1e6, 0, rate_bytes), 0, "each block was a sample");
}

Test(margin, weights_of_samples_are_unbiased)
{
    const double sizes[] = {16, 1000, 65536, 1e6};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double size = sizes[i];
        double sampled = 1 - exp(-size / rate_bytes);
        cr_assert_float_eq(hpf_margin_weight(size, rate_bytes) * sampled, size, 1e-6 * size);
    }
    cr_assert_eq(hpf_margin_weight(0, rate_bytes), 0);
}

Test(margin, variance_is_largest_where_blocks_are_small)
{
    cr_assert_float_eq(hpf_margin_variance(1e6, 0, rate_bytes), 1e6 * rate_bytes, 1);
    double last = hpf_margin_variance(1e6, 0, rate_bytes);
    for (double n = 1e6; n >= 1; n /= 10) {
        double now = hpf_margin_variance(1e6, n, rate_bytes);
        cr_assert_leq(now, last, "%g blocks", n);
        last = now;
    }
    cr_assert_lt(sqrt(last), 1000, "one block of a megabyte is always a sample");
}

/* Samples `n` blocks of a size many times; returns in how many of 1,000 cases the truth is within
 * the margin of the estimate. */
static int count_within(double size, int n)
{
    int n_within = 0;
    for (int k = 0; k < 1000; k++) {
        double estimate = 0, blocks = 0, left = exponential() * rate_bytes;
        for (int i = 0; i < n; i++) {
            if (size >= left) {
                estimate += hpf_margin_weight(size, rate_bytes);
                blocks += hpf_margin_weight(size, rate_bytes) / size;
                left = exponential() * rate_bytes;
            } else {
                left -= size;
            }
        }
        double variance = hpf_margin_variance(estimate, blocks, rate_bytes);
        double margin = hpf_margin(estimate, variance, rate_bytes);
        n_within += fabs(estimate - size * n) <= margin + 1e-6 * size * n;
    }
    return n_within;
}

Test(margin, contains_the_truth_in_95_of_100_cases)
{
    srand(1);
    cr_assert_geq(count_within(100, 20000), 930);
    cr_assert_geq(count_within(50000, 60), 930);
    cr_assert_geq(count_within(300000, 20), 930);
    cr_assert_geq(count_within(100, 2000), 930, "few samples");
    cr_assert_geq(count_within(100, 50), 930, "mostly none");
}

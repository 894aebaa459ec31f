/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing points: few enough, in order, with the ends and the peak.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "output/downsample.h"

enum { N = 10000, PEAK = 6421 };

static double times[N], totals[N];

static hpr_chart zigzag(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        times[i] = (double)i;
        totals[i] = (double)(i * 7919 % 101);
    }
    totals[PEAK] = 1000;
    return (hpr_chart){.n_points = n,
                       .times = times,
                       .xs = times,
                       .totals = totals,
                       .x = {.low = 0, .high = (double)(n - 1)},
                       .plot_x_pt = 40,
                       .plot_width_pt = 400};
}

static bool has(const size_t *shown, size_t n, size_t wanted)
{
    for (size_t i = 0; i < n; i++) {
        if (shown[i] == wanted) {
            return true;
        }
    }
    return false;
}

Test(downsample, keeps_ends_and_peak_in_order)
{
    hpr_chart chart = zigzag(N);
    size_t n;
    size_t *shown = hpr__downsample(&n, &chart, chart.totals, 200);
    cr_assert(n > 100 && n <= 204, "%zu", n);
    cr_assert(has(shown, n, 0) && has(shown, n, N - 1) && has(shown, n, PEAK));
    for (size_t i = 1; i < n; i++) {
        cr_assert(shown[i - 1] < shown[i]);
    }
    free(shown);
}

Test(downsample, keeps_all_of_few)
{
    hpr_chart chart = zigzag(150);
    size_t n;
    size_t *shown = hpr__downsample(&n, &chart, chart.totals, 200);
    cr_assert_eq(n, 150);
    free(shown);
}

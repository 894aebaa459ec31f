/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Isotonic regression by pooling adjacent violators.
 */
#include "layout/label_spacing.h"

/* Joins pools from the top of the stack while they are out of order; returns how many are left. */
static size_t pool(hpr__label_slot *pools, size_t n_pools)
{
    while (n_pools > 1 && pools[n_pools - 1].pool_mean < pools[n_pools - 2].pool_mean) {
        hpr__label_slot *lower = &pools[n_pools - 2];
        const hpr__label_slot *upper = &pools[n_pools - 1];
        double n = (double)(lower->pool_n + upper->pool_n);
        lower->pool_mean =
            (lower->pool_mean * (double)lower->pool_n + upper->pool_mean * (double)upper->pool_n) /
            n;
        lower->pool_n += upper->pool_n;
        n_pools--;
    }
    return n_pools;
}

void hpr__space_labels(hpr__label_slot *items, size_t n, double pitch, double low, double high)
{
    size_t n_pools = 0;
    for (size_t i = 0; i < n; i++) {
        items[n_pools].pool_mean = items[i].wanted - (double)i * pitch;
        items[n_pools].pool_n = 1;
        n_pools = pool(items, n_pools + 1);
    }
    double highest = n > 0 ? high - (double)(n - 1) * pitch : high;
    size_t i = 0;
    for (size_t p = 0; p < n_pools; p++) {
        double base = items[p].pool_mean;
        base = base > highest ? highest : base;
        base = base < low ? low : base;
        for (size_t member = 0; member < items[p].pool_n; member++) {
            items[i].at = base + (double)i * pitch;
            i++;
        }
    }
}

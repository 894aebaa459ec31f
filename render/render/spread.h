/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Spreading labels along a line: each as near as can be to where it wants to be, none on another.
 *
 * The sum of squared displacements is least. With the spacing taken off, this is isotonic
 * regression, solved by pooling neighbours that collide (Barlow et al., Statistical Inference under
 * Order Restrictions, 1972).
 */
#ifndef HPR_SPREAD_H
#define HPR_SPREAD_H

#include <stddef.h>

typedef struct hpr__spread_item {
    double wanted; /* in: not decreasing along the array */
    double at;     /* out */
    double pool_mean;
    size_t pool_n; /* scratch: the pools, as a stack */
} hpr__spread_item;

/* Places `n` items at least `pitch` apart in [low, high]; they must fit: (n - 1) * pitch <= high -
 * low. */
void hpr__spread(hpr__spread_item *items, size_t n, double pitch, double low, double high);

#endif

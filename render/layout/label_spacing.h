/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Spreading labels along a line: each as near as can be to where it wants to be, none on another.
 *
 * The sum of squared displacements is least. With the spacing taken off, this is isotonic
 * regression, solved by pooling neighbours that collide (Barlow et al., Statistical Inference under
 * Order Restrictions, 1972).
 */
#ifndef HPR_LABEL_SPACING_H
#define HPR_LABEL_SPACING_H

#include <stddef.h>

typedef struct hpr__label_slot {
    double wanted; /* in: not decreasing along the array */
    double at;     /* out */
    double pool_mean;
    size_t pool_n; /* scratch: the pools, as a stack */
} hpr__label_slot;

/* Places `n` items at least `pitch` apart in [low, high]; they must fit: (n - 1) * pitch <= high -
 * low. */
void hpr__space_labels(hpr__label_slot *items, size_t n, double pitch, double low, double high);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Wiggle, and the order of bands that minimises it.
 *
 * Measure. Let h(b,t) be the thickness of band b at point t and m(b,t) the height of its middle:
 * half its own thickness and all of the bands below it. The wiggle of an order is
 *
 *     sum over t and b of  (h(b,t) + h(b,t+1)) / 2  *  |m(b,t+1) - m(b,t)|
 *
 * that is, how far the drawn area moves up and down from left to right. It is the weighted
 * wiggle of Byron and Wattenberg (Stacked Graphs - Geometry & Aesthetics, 2008, section 5), with
 * the absolute movement of Di Bartolomeo and Hu (There is More to Streamgraphs than Movies, 2016),
 * so that one jump does not outweigh everything else, and with the base line fixed at zero.
 *
 * Search. Like Mathiesen and Schulz (Aesthetics and Ordering in Stacked Area Charts, 2021): take
 * the best of several simple orders, then move one band at a time to its best place until nothing
 * improves. Moving a band past its neighbour affects only these two, so one pass over the other
 * bands tries all places.
 */
#ifndef HPR_WIGGLE_H
#define HPR_WIGGLE_H

#include "base/arena.h"

typedef struct hpr__series {
    const double *const *values; /* n_bands rows of n_points amounts */
    uint32_t n_bands;
    size_t n_points;
} hpr__series;

/* Returns the wiggle of an order. `order[i]` is the band at place i, bottom first. The order has
 * `order_n` different bands; the others are not drawn. */
double hpr__wiggle_of(const hpr__series *series, const uint32_t *order, uint32_t order_n);

/* Replaces `order` by the best of itself, the `n_seeds` other orders, and the result of a search
 * from the best of these. Deterministic. Takes scratch memory from `arena`; returns false if there
 * is none. */
bool hpr__wiggle_minimise(const hpr__series *series, uint32_t *order, uint32_t order_n,
                          const uint32_t *const *seeds, uint32_t n_seeds, hpf_arena *arena);

#endif

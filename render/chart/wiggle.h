/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The order of bands in which the picture moves least.
 *
 * Measure. Let h(b,t) be the thickness of band b at point t and m(b,t) the height of its middle:
 * half its own thickness and all of the bands below it. The wiggle of an order is
 *
 *     sum over t and b of  (h(b,t) + h(b,t+1)) / 2  *  |m(b,t+1) - m(b,t)|
 *
 * that is, how far the ink moves up and down on its way through the picture. It is the weighted
 * wiggle of Byron and Wattenberg (Stacked Graphs - Geometry & Aesthetics, 2008, section 5), with
 * the absolute movement of Di Bartolomeo and Hu (There is More to Streamgraphs than Movies, 2016),
 * which does not let one jump outweigh everything, and the base line fixed at zero.
 *
 * Search. Like Mathiesen and Schulz (Aesthetics and Ordering in Stacked Area Charts, 2021): take
 * the best of several simple orders, then take out one band at a time and put it back where it does
 * least harm, until nothing improves. Moving a band past its neighbour changes only the two, so a
 * band is tried at all places in one pass over the others.
 */
#ifndef HPR_WIGGLE_H
#define HPR_WIGGLE_H

#include "base/arena.h"

/* Series of the bands: `values` has n_bands rows of n_points amounts. */
typedef struct hpr__series {
    const double *const *values;
    uint32_t n_bands;
    size_t n_points;
} hpr__series;

/* The wiggle of an order: `order[i]` is the band at place i, bottom first. At most all bands are in
 * it, each once. `order_n` may be less than n_bands: the others are not there. */
double hpr__wiggle_of(const hpr__series *series, const uint32_t *order, uint32_t order_n);

/* Changes `order` into the best of itself, the `n_seeds` others, and what the search makes of the
 * best: never worse than any seed by hpr__wiggle_of. Deterministic. Scratch memory from `arena`;
 * false when there is none. */
bool hpr__wiggle_minimise(const hpr__series *series, uint32_t *order, uint32_t order_n,
                          const uint32_t *const *seeds, uint32_t n_seeds, hpf_arena *arena);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Repeatable chance for tests: the splitmix64 generator (Steele, Lea, Flood, "Fast splittable
 * pseudorandom number generators", 2014, figure 16). The same seed gives the same numbers anywhere.
 */
#ifndef CENSUS_TESTS_RNG_H
#define CENSUS_TESTS_RNG_H

#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number in [0, n); n is small, so the remainder is fair enough. */
static inline uint64_t rng_below(rng *r, uint64_t n)
{
    return rng_next(r) % n;
}

#endif

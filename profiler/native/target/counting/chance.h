/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples of blocks by bytes: each byte that a thread allocates is a sample with the same small
 * probability, and a block is one if it has such a byte. So a block of n bytes is a sample with
 * probability 1 - exp(-n / mean), and represents n / (1 - exp(-n / mean)) bytes: sums are unbiased.
 * (A Poisson process, as the profilers of jemalloc and tcmalloc have it.)
 *
 * The functions use no library: they run in malloc.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_CHANCE_H
#define HPP_NATIVE_TARGET_COUNTING_CHANCE_H

#include <stdint.h>

/* Returns the next of the numbers that follow a state. */
static inline uint64_t hpp__chance_next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Returns how many bytes, at least 1, a thread may allocate until the next sample. */
uint64_t hpp__chance_bytes(uint64_t *state, uint64_t mean_bytes);

/* Returns the bytes that a sample of n bytes represents, at least n. */
uint64_t hpp__chance_represented(uint64_t n_bytes, uint64_t mean_bytes);

/* Returns the first state of the calling thread, which is not 0. */
uint64_t hpp__chance_begin(void);

#endif

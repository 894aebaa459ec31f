/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counting of a sample of the blocks (`census run --rate`): the usual malloc subtracts its bytes
 * from a counter of its thread, the usual free looks at the filter of the table of blocks, and both
 * go on to the next allocator. Samples are counted with the bytes and blocks that they
 * represent. While they take too much of the processor's time, the collector doubles the mean
 * number of bytes between them.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_RATE_H
#define HPP_NATIVE_TARGET_COUNTING_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocks.h"

/* The bytes that the thread may allocate until its next sample; 0: it has not begun, or all blocks
 * are counted. */
extern HPP_HIDDEN _Thread_local uint64_t hpp__bytes_to_count HPP_INITIAL_EXEC;

/* Returns whether a new block is not a sample. If not, it may be one. */
HPP_ALWAYS_INLINE bool hpp__rate_passes(size_t n_bytes)
{
    if (HPP_UNLIKELY(n_bytes >= hpp__bytes_to_count)) {
        return false;
    }
    hpp__bytes_to_count -= n_bytes;
    return true;
}

/* Returns whether the thread's next block is a sample, if it has this size. */
bool hpp__rate_is_due(size_t n_bytes);

/* Returns whether a block that does not pass is a sample, and then stores the level of its mean
 * (HPP_CALL_RATE). */
bool hpp__rate_draw(size_t n_bytes, uint32_t *level);

/* What a block counts for. */
typedef struct hpp_weight {
    uint64_t bytes;
    uint32_t blocks;
} hpp_weight;

/* Returns the weight of a sample, whose site has its level; of one block while all are counted. */
hpp_weight hpp__rate_weigh(hpp_block block);

/* Adds the time since a time stamp to what samples took; what is longer than a sample takes was an
 * interruption. */
void hpp__rate_add_time(uint64_t begun_at);

/* Begins in a process, if the settings say so. */
void hpp__rate_start(void);

/* In a forked child, whose samples are to be other ones than its parent's. */
void hpp__rate_forked(void);

/* Samples of blocks by bytes: each byte that a thread allocates is a sample with the same small
 * probability, and a block is one if it has such a byte. So a block of n bytes is a sample with
 * probability 1 - exp(-n / mean), and represents n / (1 - exp(-n / mean)) bytes: sums are
 * unbiased. (A Poisson process, as the profilers of jemalloc and tcmalloc have it.)
 *
 * The functions use no library, since they run in malloc, and no floating point, whose flags, modes
 * and traps are the program's. */

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

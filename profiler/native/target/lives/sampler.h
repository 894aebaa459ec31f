/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The sampled biography: which blocks are watched, and when they are used.
 *
 * Blocks are sampled by bytes: a block of n bytes is watched with probability 1 - exp(-n / mean),
 * and then represents n / (1 - exp(-n / mean)) bytes, so that sums are unbiased. Where only samples
 * are counted (rate.h), these are the blocks that are watched. The memory of one is a slot
 * (sample_slots.h).
 *
 * Each census begins an era. Soon after, a thread of the program takes a step: it reads which
 * blocks were used in the era that ends, and drops their entries in the page table. It is the first
 * thread that makes or frees a sample, or whose clock ticks (cpu_ticks.h), so while the program
 * runs, a step comes at most some milliseconds of processor time late; while it sleeps, nothing is
 * used. The page table does not say when a page was used. So the collector looks at it at the end
 * of each era, too, and notes in the window what it has seen: a step that comes late, because the
 * program has slept through eras, finds there the first era in which a block was used since the
 * last step. If the collector may not look, that is the era in which the program fell asleep.
 *
 * What a thread does with a new block at first is its creation and not a use: until the thread has
 * made some more samples, or until the next step.
 */
#ifndef HPP_NATIVE_TARGET_LIVES_SAMPLER_H
#define HPP_NATIVE_TARGET_LIVES_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

#include "native/window/platform.h"

/* The bytes that the thread may allocate until its next sample. */
extern HPP_HIDDEN _Thread_local uint64_t hpp__bytes_to_sample HPP_INITIAL_EXEC;

/* Returns whether a block may have to be watched; else counts its bytes. */
HPP_ALWAYS_INLINE bool hpp__sampler_is_due(size_t n_bytes)
{
    if (HPP_UNLIKELY(n_bytes >= hpp__bytes_to_sample)) {
        return true;
    }
    hpp__bytes_to_sample -= n_bytes;
    return false;
}

/* Makes a block that is due. Returns NULL if it is not to be watched; the next allocator makes it
 * then. Preserves errno. */
void *hpp__sampler_make(size_t n_bytes, size_t alignment, bool is_zeroed);

/* Begins the life of a block of hpp__sampler_make that has been counted. */
void hpp__sampler_begin(void *block);

/* Frees a block. Returns false if it is not of hpp__sampler_make, or has been freed before. */
bool hpp__sampler_free(void *block);

/* Returns whether a block is of hpp__sampler_make, and stores its size. */
bool hpp__sampler_owns(const void *block, size_t *n_bytes);

/* Returns the bytes that a block of hpp__sampler_make may contain: glibc's own realloc may have
 * enlarged it in its place. 0: it is not such a block. */
size_t hpp__sampler_room(const void *block);

/* Takes the step into the era that the collector wants, if there is one. */
void hpp__sampler_keep_up(void);

/* Checks that the process can be watched, and watches forks. Call it once, before others. */
void hpp__sampler_start(void);

/* Lets `count` be called for a block that was freed without this library: it removes the block from
 * the table, and counts it as freed. */
typedef void hpp_count_freed(const void *block);
void hpp__sampler_on_unseen_free(hpp_count_freed *count);

/* In a forked child with a window of its own: it begins without samples. */
void hpp__sampler_forked(void);

/* Records the uses of the last era, at the end of the process. */
void hpp__sampler_end(void);

/* A process that is no thread will have the same memory. */
void hpp__sampler_share(void);

/* Ends the sampling; `reason` is HPP_EVENT_. */
void hpp__sampler_stop(uint32_t reason);

#endif

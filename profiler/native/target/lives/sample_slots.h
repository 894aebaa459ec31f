/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory of sampled blocks: slots, in chunks of shared memory.
 *
 * A sampled block has pages of its own, so that the page table tells whether it was used: to drop
 * its entries (MADV_DONTNEED) loses nothing, because the data stay in the memory file, and the next
 * access, also one by a system call, brings the entry back. No signal is needed, and nothing fails.
 *
 * A fault that reads also maps pages around it, of 64 KiB. So slots are that far apart, and a chunk
 * is mostly holes. Of a larger block that uses many pages in each era, only some are looked at,
 * others in each era, as long as one of them is used.
 *
 * fork: memory that is shared with a child must not be written to any more. Each chunk has a twin,
 * a private mapping of the same file that was never touched. Before a fork, the twins are moved
 * over their chunks, in one step each, so parent and child have private copies that the kernel
 * makes when they write. Nothing is copied, and other threads notice nothing. Blocks in such a
 * frozen chunk are not watched any more, unless the parent has no other thread: then it copies them
 * to a new memory file, and shares that.
 *
 * A library may pass a block to glibc's own free or realloc, which it got by dlsym or by
 * RTLD_DEEPBIND. So each block has the header of a block that glibc has mapped by itself, which may
 * begin at a power of two in its first page. The page before that is a gap in the mappings, and
 * belongs to the block as glibc sees it: its free unmaps the block, which a step finds, and its
 * realloc cannot move or shorten it, because mremap refuses to begin in a gap, and copies it
 * instead. glibc refuses to free a block twice, as it does others.
 *
 * Threads: any, also signal handlers. The state of a slot says who may change it; no thread waits
 * for another, except before a fork for threads that drop entries, take slots or fork, too.
 */
#ifndef HPP_NATIVE_TARGET_LIVES_SAMPLE_SLOTS_H
#define HPP_NATIVE_TARGET_LIVES_SAMPLE_SLOTS_H

#include <stdbool.h>

#include "native/target/counting/blocks.h"
#include "lives.h"

enum {
    HPP_SLOT_STRIDE_BYTES = 1 << 16, /* what a fault maps at most */
    HPP_MAX_SLOT_BYTES = 1 << 20,    /* larger blocks have a chunk each */
    HPP_MAX_SAMPLE_ALIGNMENT = 2048, /* programs change the mapping of aligned pages */
    /* The step at the end of the first may interrupt the code that fills the block. */
    HPP_ERAS_OF_CREATION = 2,
};

/* All chunks; the newest first. */
extern HPP_HIDDEN _Atomic(hpp_sample_chunk *) hpp__sample_chunks;

/* Takes a slot for a block. `is_zeroed` asks for zeros. Returns NULL if there is none; else its
 * state is HPP_SAMPLE_TAKEN. `random` varies the place of the block in its pages. */
hpp_sample *hpp__sample_take(size_t n_bytes, size_t alignment, bool is_zeroed, uint64_t random);

/* Frees the slot of a sample that is HPP_SAMPLE_TAKEN. */
void hpp__sample_release(hpp_sample *sample);

/* Returns whether the free of glibc has unmapped a block, in a chunk that is not frozen. */
bool hpp__sample_is_unmapped(const hpp_sample *sample);

/* Frees the slot of such a block. No other thread may change the sample. */
void hpp__sample_release_unmapped(hpp_sample *sample);

/* Returns the bytes from the beginning of a block to the end of its pages. */
uint64_t hpp__sample_room(const hpp_sample *sample);

/* Frees the memory of a slot that is free, in a chunk that is not frozen. */
void hpp__sample_clear(hpp_sample *sample, const hpp_sample_chunk *chunk);

/* Returns the sample with a block at an address, or NULL. */
hpp_sample *hpp__sample_at(const void *block);

static inline bool hpp__sample_move(hpp_sample *sample, hpp_sample_state from, hpp_sample_state to)
{
    uint32_t expected = from;
    return atomic_compare_exchange_strong(&sample->state, &expected, to);
}

/* Opens the page table of the process; a negated errno on failure, and where pages are larger than
 * 4 KiB. */
long hpp__sample_open_pagemap(void);

/* The number of entries of a chunk. */
enum { HPP_CHUNK_PAGES = 1 << 14 };

/* Return whether a block was used since its entries were dropped: by the page table, or by entries
 * that hpp__sample_read_chunk has read. */
bool hpp__sample_is_touched(const hpp_sample *sample, long pagemap);
bool hpp__sample_was_touched(const hpp_sample *sample, const uint64_t *entries);

/* Returns when the collector first saw that the block was used, as hpp_window_head.looked. */
uint64_t hpp__sample_seen(const hpp_sample *sample);

/* Reads the entries of all slots. Returns false for a chunk of large blocks, of which only some
 * pages are looked at. */
bool hpp__sample_read_chunk(const hpp_sample_chunk *chunk, long pagemap, uint64_t *entries);

/* Returns whether a slot has any. */
bool hpp__sample_has_entries(uint32_t slot, const uint64_t *entries);

/* Drops the entries of slots from `first` to before `end`. Returns false if the memory is locked.
 */
bool hpp__sample_drop_slots(const hpp_sample_chunk *chunk, uint32_t first, uint32_t end);

/* Returns whether a sample cannot be watched any more. */
bool hpp__sample_is_frozen(const hpp_sample *sample);

/* Drop the entries of a block, unless it is frozen: all; or the used ones, for the next era. Call
 * them between hpp__samples_begin_change and hpp__samples_end_change. Return false if the memory is
 * locked. */
bool hpp__sample_drop(hpp_sample *sample);
bool hpp__sample_drop_used(hpp_sample *sample, long pagemap, bool is_touched);

/* Enclose drops and new blocks: signals are blocked meanwhile, and a fork waits. The first returns
 * false, and the second must not be called, while a fork is going on. */
bool hpp__samples_begin_change(uint64_t *signal_mask);
void hpp__samples_end_change(uint64_t signal_mask);

/* Before a fork: freezes all chunks, and lets no new ones be made. Calls `retire` for each slot of
 * chunks whose blocks are watched no longer; with NULL, they may be thawed. */
typedef void hpp_visit_sample(hpp_sample *sample);
void hpp__samples_freeze(hpp_visit_sample *retire);

/* After the fork, in the parent and in the child: allow new chunks. The first also thaws; the
 * second calls `retire` for all slots that could be thawed. */
void hpp__samples_in_parent(hpp_visit_sample *retire);
void hpp__samples_in_child(hpp_visit_sample *retire);

/* Returns the bytes of all blocks that are watched. */
uint64_t hpp__samples_bytes(void);

#endif

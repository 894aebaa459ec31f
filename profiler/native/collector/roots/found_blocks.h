/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks that were found by the structures of an allocator.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_ROOTS_FOUND_BLOCKS_H
#define HPP_NATIVE_COLLECTOR_ROOTS_FOUND_BLOCKS_H

#include "native/collector/image/image.h"

/* All zero but for `most_blocks` is a heap without blocks. */
typedef struct hpp__found_blocks {
    /* Sorted by address. Sizes are those that malloc_usable_size returns; sites are unknown. */
    hpp__image_block *blocks;
    size_t n_blocks, capacity;
    size_t most_blocks;    /* that fit into the memory that there is: damaged lists have circles */
    uint64_t bytes;        /* of the blocks */
    uint64_t free_bytes;   /* of what is free, at the ends of heaps, too */
    uint64_t cached_bytes; /* of these: in the caches of threads and in fast bins */
    size_t n_arenas;
    uint64_t unread_bytes; /* of heaps, behind what is not valid */
    uint64_t *unused;      /* blocks that are no one's: in caches, or the allocator's own */
    size_t n_unused, unused_capacity;
    bool lacks_memory;
} hpp__found_blocks;

void hpp__found_blocks_finish(hpp__found_blocks *heap);

/* Adds a block. Returns false if there are more than fit, or without memory. */
bool hpp__found_blocks_add(hpp__found_blocks *heap, uint64_t address, uint64_t size_bytes);

void hpp__found_blocks_sort(hpp__found_blocks *heap);

/* Returns the block at an address, or NULL. Blocks must be sorted. */
const hpp__image_block *hpp__found_blocks_at(const hpp__found_blocks *heap, uint64_t address);

/* Notes that a block is no one's. */
void hpp__found_blocks_drop(hpp__found_blocks *heap, uint64_t address);

/* Removes such blocks, and of those that overlap in a damaged heap the later ones. Blocks must be
 * sorted; each takes `header_bytes` more than its size. */
void hpp__found_blocks_keep_used(hpp__found_blocks *heap, uint64_t header_bytes);

#endif

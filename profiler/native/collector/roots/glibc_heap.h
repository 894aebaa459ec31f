/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The live blocks of a program that was not profiled, from the structures of glibc's malloc in an
 * image of it: 2.31 to 2.43, x86-64. No symbols are needed: an arena is recognised by its bins, of
 * which each empty one points to itself, and each other one to chunks that point back.
 *
 * Pools of Python's allocator, which are in mappings of its own, are found by their headers.
 *
 * Source: glibc, malloc/malloc.c and malloc/arena.c (struct malloc_chunk, malloc_state, heap_info,
 * tcache_perthread_struct); CPython, Objects/obmalloc.c (struct pool_header). What is read is
 * untrusted: each chunk must end at the next one, and what is in a list of free chunks must be a
 * chunk.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_ROOTS_GLIBC_HEAP_H
#define HPP_NATIVE_COLLECTOR_ROOTS_GLIBC_HEAP_H

#include "hpfile/error.h"
#include "native/collector/image/image.h"

typedef struct hpp__glibc_heap {
    /* Sorted by address. Sizes are those that malloc_usable_size returns; sites are unknown. */
    hpp__image_block *blocks;
    size_t n_blocks;
    uint64_t bytes;        /* of the blocks */
    uint64_t free_bytes;   /* of free chunks, with those at the ends of heaps */
    uint64_t cached_bytes; /* of these: in the caches of threads and in fast bins */
    size_t n_arenas;
    uint64_t unread_bytes; /* of heaps, behind a chunk that is not valid */
} hpp__glibc_heap;

/* Finds the live blocks of an image that has at most `n_bytes` of memory. Errors: MEMORY;
 * UNSUPPORTED if the image has no arena of glibc. Call hpp__glibc_heap_finish in any case. */
hpf_status hpp__glibc_heap_read(hpp__glibc_heap *out, const hpp__image *image, uint64_t n_bytes,
                                hpf_error *err);
void hpp__glibc_heap_finish(hpp__glibc_heap *heap);

/* Adds to an image the blocks that are not in it: those that are older than the profile, or not in
 * its sample. They get this site. Errors: MEMORY; UNSUPPORTED if the image has no arena of glibc,
 * or most of its blocks are in none; then it stays as it is. */
hpf_status hpp__glibc_heap_add_others(hpp__image *image, uint32_t site, hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The live blocks of a program by the structures of glibc's malloc in an image of it: 2.31 to 2.43,
 * x86-64. No symbols are needed: an arena is recognised by its bins, of which each empty one points
 * to itself, and each other one to chunks that point back.
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

#include "found_blocks.h"

/* The size of a heap of an arena that is not the main one, and its alignment. */
#define HPP__GLIBC_HEAP_BYTES (UINT64_C(1) << 26)

/* How such a heap begins: as the first words of glibc's heap_info. */
typedef struct hpp__glibc_heap_info {
    uint64_t arena, previous; /* addresses of the arena, and of the heap before; 0: none */
    uint64_t n_bytes, n_writable_bytes;
} hpp__glibc_heap_info;

/* Reads the beginning of the heap at an address. Returns whether there is one. */
bool hpp__glibc_heap_info_read(hpp__glibc_heap_info *out, const hpp__image *image,
                               uint64_t address);

/* A flag of the size of a chunk, the word before a block: the chunk is a mapping of its own. */
enum { HPP__GLIBC_IS_MAPPED = 2 };

/* Returns the bytes of a block, as malloc_usable_size does, by the two words before it. The size of
 * a chunk that is a mapping reaches to the end of that, and since glibc 2.43 to where the header of
 * a chunk behind it would begin. */
uint64_t hpp__glibc_block_bytes(const uint64_t header[2]);

/* Adds the live blocks of an image to a heap without any. Returns whether the image has an arena of
 * glibc; without memory, the heap says so. */
bool hpp__glibc_heap_read(hpp__found_blocks *out, const hpp__image *image);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The live blocks of a program that was not profiled, or of the time before it was: by the
 * structures of its allocators in an image, which are glibc's malloc, jemalloc, and Python's pools.
 *
 * What is read is untrusted; see glibc_heap.h and jemalloc_heap.h.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_ROOTS_FOUND_HEAP_H
#define HPP_NATIVE_COLLECTOR_ROOTS_FOUND_HEAP_H

#include "found_blocks.h"
#include "hpfile/error.h"

/* Finds the live blocks of an image that has at most `n_bytes` of memory. Errors: MEMORY;
 * UNSUPPORTED if no heap is found. Call hpp__found_blocks_finish in any case. */
hpf_status hpp__found_heap_read(hpp__found_blocks *out, const hpp__image *image, uint64_t n_bytes,
                                hpf_error *err);

/* Adds to an image the blocks that are not in it: those that are older than the profile, or not in
 * its sample. They get this site. Errors: MEMORY; UNSUPPORTED if no heap is found, or most blocks
 * of the image are in none; then it stays as it is. */
hpf_status hpp__found_heap_add_others(hpp__image *image, uint32_t site, hpf_error *err);

#endif

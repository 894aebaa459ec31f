/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The allocator that the program would have had without us: the next one in the order in which the
 * dynamic linker looks.
 *
 * The table can be called from the start: its first use fills it. Looking a name up may itself
 * allocate; that is served from a small pool, and never given back.
 */
#ifndef HPP_NATIVE_NEXT_ALLOCATOR_H
#define HPP_NATIVE_NEXT_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "native/window/platform.h"

typedef struct hpp_next_allocator {
    void *(*malloc)(size_t n_bytes);
    void *(*calloc)(size_t n, size_t n_bytes);
    void *(*realloc)(void *block, size_t n_bytes);
    void (*free)(void *block);
    void *(*memalign)(size_t alignment, size_t n_bytes);
    int (*posix_memalign)(void **block, size_t alignment, size_t n_bytes);
    void *(*aligned_alloc)(size_t alignment, size_t n_bytes);
    void *(*valloc)(size_t n_bytes);
    void *(*pvalloc)(size_t n_bytes);
    /* These only some allocators have; NULL: this one has not. */
    void (*free_sized)(void *block, size_t n_bytes);
    void (*free_aligned_sized)(void *block, size_t alignment, size_t n_bytes);
    void (*sdallocx)(void *block, size_t n_bytes, int flags);
} hpp_next_allocator;

extern HPP_HIDDEN hpp_next_allocator hpp__next;

/* Fills the table, if that has not been done. Leaves errno alone. */
void hpp__next_allocator_find(void);

/* Whether both are in the same loaded object. */
bool hpp__next_allocator_is_together(const void *function, const void *other);

/* A block of the pool: its size, which is never 0. 0 for any other. */
size_t hpp__next_allocator_pool_bytes(const void *block);

#endif

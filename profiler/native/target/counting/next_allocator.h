/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The next allocator: the one that the program would use without this library, by the search order
 * of the dynamic linker.
 *
 * The first allocation, or the constructor of this library, fills the table. The lookup of a
 * function may itself allocate; such blocks come from a small pool, and are never freed.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_NEXT_ALLOCATOR_H
#define HPP_NATIVE_TARGET_COUNTING_NEXT_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "native/window/platform.h"

typedef struct hpp_next_allocator {
    void *(*malloc)(size_t n_bytes);
    void *(*calloc)(size_t n, size_t n_bytes);
    void *(*realloc)(void *block, size_t n_bytes);
    void *(*reallocarray)(void *block, size_t n, size_t n_bytes); /* for products that overflow */
    void (*free)(void *block);
    void *(*memalign)(size_t alignment, size_t n_bytes);
    int (*posix_memalign)(void **block, size_t alignment, size_t n_bytes);
    void *(*aligned_alloc)(size_t alignment, size_t n_bytes);
    void *(*valloc)(size_t n_bytes);
    void *(*pvalloc)(size_t n_bytes);
    /* Only some allocators have these; else NULL. */
    void (*free_sized)(void *block, size_t n_bytes);
    void (*free_aligned_sized)(void *block, size_t alignment, size_t n_bytes);
    size_t (*usable_size)(void *block);
    void (*sdallocx)(void *block, size_t n_bytes, int flags);
    void *python; /* PyMem_SetAllocator of the program, or of a library that it links */
    /* Of libc. */
    void *(*mmap)(void *wanted, size_t n_bytes, int protection, int flags, int file, off_t offset);
    int (*munmap)(void *begin, size_t n_bytes);
    void *(*mremap)(void *block, size_t n_before, size_t n_bytes, int flags, void *wanted);
    int (*mprotect)(void *begin, size_t n_bytes, int protection);
} hpp_next_allocator;

extern HPP_HIDDEN hpp_next_allocator hpp__next;

/* Whether this library was loaded into a running program (attach.h). */
extern HPP_HIDDEN bool hpp__is_attached;

/* Returns the function that the program would call for a name without this library, or NULL. */
void *hpp__next_function(const char *name);

/* Returns whether an address is in this library. */
bool hpp__next_allocator_is_own(uintptr_t address);

/* Fills the table at the first call. Preserves errno. Call it only where the program may allocate.
 */
void hpp__next_allocator_find(void);

/* Returns whether the table is filled. */
bool hpp__next_allocator_is_found(void);

/* Returns whether the program calls an allocator without this library: the executable comes first
 * in the search order. */
bool hpp__next_allocator_is_hidden(void);

/* Returns whether two functions are in the same loaded object. */
bool hpp__next_allocator_is_together(const void *function, const void *other);

/* Returns the size of a block of the pool, which is never 0; 0 for any other block. */
size_t hpp__next_allocator_pool_bytes(const void *block);

#endif

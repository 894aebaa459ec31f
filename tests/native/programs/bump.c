/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An allocator that never reuses memory and has only counters as state, so that signal handlers
 * may allocate at any moment, which the C library does not guarantee. It keeps the addresses of its
 * first blocks, below a multiple of 64 MiB, where the blocks begin. Programs link to it, after any
 * preloaded library.
 */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

enum { HEADER_BYTES = 16, N_NOTES = 1 << 20, ALIGNMENT = 1 << 26 };
#define ARENA_BYTES ((size_t)16 << 30)

static _Atomic uintptr_t arena;
static _Atomic size_t used_bytes, n_blocks;

/* Returns where blocks begin. */
static uintptr_t base(void)
{
    uintptr_t old = arena;
    if (old != 0) {
        return old;
    }
    size_t all_bytes = ARENA_BYTES + 2 * ALIGNMENT;
    void *fresh = mmap(NULL, all_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fresh == MAP_FAILED) {
        abort();
    }
    uintptr_t begin = ((uintptr_t)fresh / ALIGNMENT + 2) * ALIGNMENT;
    if (!atomic_compare_exchange_strong(&arena, &old, begin)) {
        munmap(fresh, all_bytes);
        return old;
    }
    return begin;
}

/* The functions below do not call each other, since calls go through preloaded libraries. */
static void *take(size_t alignment, size_t size)
{
    if (size > ARENA_BYTES / 4 || alignment > ARENA_BYTES / 4) {
        errno = ENOMEM;
        return NULL;
    }
    alignment = alignment < HEADER_BYTES ? HEADER_BYTES : alignment;
    size_t room = (size + alignment + 2 * HEADER_BYTES) & ~(size_t)(HEADER_BYTES - 1);
    size_t at = atomic_fetch_add(&used_bytes, room);
    if (at + room > ARENA_BYTES) {
        errno = ENOMEM;
        return NULL;
    }
    uintptr_t block = (base() + at + HEADER_BYTES + alignment - 1) & ~(uintptr_t)(alignment - 1);
    ((size_t *)block)[-1] = size;
    size_t number = atomic_fetch_add(&n_blocks, 1);
    if (number < N_NOTES) {
        ((uintptr_t *)base())[-1 - (long)number] = block;
    }
    return (void *)block;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    return take(alignment, size);
}

EXPORT void *malloc(size_t size)
{
    return take(HEADER_BYTES, size);
}

EXPORT void *calloc(size_t n, size_t size)
{
    if (size > 0 && n > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return take(HEADER_BYTES, n * size);
}

EXPORT void free(void *block)
{
    (void)block;
}

EXPORT void *realloc(void *block, size_t size)
{
    size_t before = block ? ((size_t *)block)[-1] : 0;
    void *moved = take(HEADER_BYTES, size);
    if (moved && block) {
        memcpy(moved, block, before < size ? before : size);
    }
    return moved;
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *found = take(alignment, size);
    if (!found) {
        return ENOMEM;
    }
    *block = found;
    return 0;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return take(alignment, size);
}

EXPORT void *valloc(size_t size)
{
    return take(4096, size);
}

EXPORT void *pvalloc(size_t size)
{
    return take(4096, (size + 4095) & ~(size_t)4095);
}

EXPORT size_t malloc_usable_size(void *block)
{
    return block ? ((size_t *)block)[-1] : 0;
}

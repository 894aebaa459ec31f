/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks of growing size in a list; each piece is cut from the newest. A piece larger than a block
 * gets a block of its own, after the newest in the list, so that the newest can still be filled.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK_BYTES   (1u << 10)
#define LARGEST_BLOCK_BYTES (1u << 20)

typedef struct block {
    struct block *next;
    size_t capacity_bytes;
    alignas(max_align_t) unsigned char bytes[];
} block;

struct hpf_arena {
    block *newest;
    size_t taken_bytes; /* of the newest block */
    size_t used_bytes;  /* of all */
};

hpf_arena *hpf_arena_create(void)
{
    return calloc(1, sizeof(hpf_arena));
}

void hpf_arena_destroy(hpf_arena *arena)
{
    if (!arena) {
        return;
    }
    for (block *b = arena->newest; b;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    free(arena);
}

/* A block for many pieces is not zeroed: its end may never be used, and then takes no memory. */
static block *block_create(size_t capacity_bytes, bool is_zeroed)
{
    if (capacity_bytes > SIZE_MAX - sizeof(block)) {
        return NULL;
    }
    block *b = is_zeroed ? calloc(1, sizeof(block) + capacity_bytes)
                         : malloc(sizeof(block) + capacity_bytes);
    if (b) {
        b->next = NULL;
        b->capacity_bytes = capacity_bytes;
    }
    return b;
}

/* Puts a block for `n_bytes` in place; a large piece goes after a newest block that has room left.
 */
static void *take_from_new_block(hpf_arena *arena, size_t n_bytes)
{
    size_t capacity = arena->newest ? arena->newest->capacity_bytes * 2 : FIRST_BLOCK_BYTES;
    if (capacity > LARGEST_BLOCK_BYTES) {
        capacity = LARGEST_BLOCK_BYTES;
    }
    bool is_large = n_bytes > capacity / 2;
    block *b = block_create(is_large ? n_bytes : capacity, is_large);
    if (!b) {
        return NULL;
    }
    arena->used_bytes += n_bytes;
    if (is_large && arena->newest) {
        b->next = arena->newest->next;
        arena->newest->next = b;
    } else {
        b->next = arena->newest;
        arena->newest = b;
        arena->taken_bytes = n_bytes;
    }
    return is_large ? b->bytes : memset(b->bytes, 0, n_bytes);
}

void *hpf_arena_alloc(hpf_arena *arena, size_t n_bytes)
{
    const size_t align = alignof(max_align_t);
    if (n_bytes > SIZE_MAX - align) {
        return NULL;
    }
    n_bytes = (n_bytes + align - 1) / align * align;
    block *b = arena->newest;
    if (!b || n_bytes > b->capacity_bytes - arena->taken_bytes) {
        return take_from_new_block(arena, n_bytes);
    }
    void *piece = b->bytes + arena->taken_bytes;
    arena->taken_bytes += n_bytes;
    arena->used_bytes += n_bytes;
    return memset(piece, 0, n_bytes);
}

void *hpf_arena_array(hpf_arena *arena, size_t n, size_t element_bytes)
{
    if (element_bytes && n > SIZE_MAX / element_bytes) {
        return NULL;
    }
    return hpf_arena_alloc(arena, n * element_bytes);
}

char *hpf_arena_text(hpf_arena *arena, hpf_str text)
{
    char *copy = text.length < SIZE_MAX ? hpf_arena_alloc(arena, text.length + 1) : NULL;
    if (copy && text.length) {
        memcpy(copy, text.data, text.length);
    }
    return copy;
}

size_t hpf_arena_used_bytes(const hpf_arena *arena)
{
    return arena->used_bytes;
}

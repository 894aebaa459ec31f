/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An arena: memory that is allocated piece by piece and freed all at once. Everything that belongs
 * to one profile, one census or one chart is in one arena.
 *
 * Threads: one arena, one thread at a time.
 */
#ifndef HPFILE_ARENA_H
#define HPFILE_ARENA_H

#include "hpfile/error.h"
#include "hpfile/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_arena hpf_arena;

/* Creates an empty arena. Returns NULL when there is no memory. */
hpf_arena *hpf_arena_create(void);
void hpf_arena_destroy(hpf_arena *arena);

/* Returns zeroed memory, aligned for any type, or NULL when there is none. A size of 0 gives a
 * valid pointer.
 */
void *hpf_arena_alloc(hpf_arena *arena, size_t n_bytes);

/* Returns zeroed memory for `n` elements; NULL also when the product overflows. */
void *hpf_arena_array(hpf_arena *arena, size_t n, size_t element_bytes);

/* Returns a copy of `text` with a NUL after it, or NULL when there is no memory. */
char *hpf_arena_text(hpf_arena *arena, hpf_str text);

/* Returns the same as a text: {NULL, 0} when there is no memory. */
static inline hpf_str hpf_arena_str(hpf_arena *arena, hpf_str text)
{
    const char *data = hpf_arena_text(arena, text);
    hpf_str copy = {data, data ? text.length : 0};
    return copy;
}

/* Returns the number of bytes allocated so far. */
size_t hpf_arena_used_bytes(const hpf_arena *arena);

#ifdef __cplusplus
}
#endif
#endif

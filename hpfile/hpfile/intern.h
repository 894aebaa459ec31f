/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One copy of each name, and its number: 0, 1, 2, ... in order of first sight.
 */
#ifndef HPF_INTERN_H
#define HPF_INTERN_H

#include "hpfile/arena.h"

/* Every copy is followed by this many readable zero bytes, so that it can be compared by whole
 * vectors. */
#define HPF__INTERN_PADDING 32

typedef struct hpf__intern {
    hpf_arena *arena;
    hpf_str *names; /* by number */
    uint32_t *hashes;
    uint32_t *slots; /* open addressing: number + 1, or 0; a power of two, at most half full */
    uint32_t n_names;
    uint32_t n_slots;
    size_t names_capacity;
    size_t hashes_capacity;
} hpf__intern;

/* Finds or adds. Returns HPF_OK, HPF_ERR_MEMORY or HPF_ERR_LIMIT (2^30 names). `*is_new` tells. */
hpf_status hpf__intern_add(hpf__intern *table, hpf_str text, uint32_t *number, bool *is_new);

/* Whether it is there, and its number. */
bool hpf__intern_find(const hpf__intern *table, hpf_str text, uint32_t *number);
void hpf__intern_finish(hpf__intern *table);

#endif

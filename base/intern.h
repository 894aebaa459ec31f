/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One copy of each name, which ends with a NUL, and its number: 0, 1, 2, ... in the order in which
 * names are added.
 */
#ifndef HPF_INTERN_H
#define HPF_INTERN_H

#include "base/hash_table.h"
#include "base/arena.h"

/* All zero is an empty table. */
typedef struct hpf__intern {
    hpf_arena *arena;
    hpf_str *names; /* by number */
    uint32_t n_names;
    size_t capacity;
    hpf__hash_table table;
} hpf__intern;

/* Stores the number of `text` in `*number`, adding the text if it is new (`*is_new`). Returns
 * HPF_OK, HPF_ERR_MEMORY or HPF_ERR_LIMIT (2^30 names). */
hpf_status hpf__intern_add(hpf__intern *names, hpf_str text, uint32_t *number, bool *is_new);

/* Returns whether `text` was added, and stores its number. */
bool hpf__intern_find(const hpf__intern *names, hpf_str text, uint32_t *number);
void hpf__intern_finish(hpf__intern *names);

#endif

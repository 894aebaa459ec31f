/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/arena.h"
#include "base/intern.h"

#include "base/array.h"

static uint32_t find(const hpf__intern *names, hpf_str text, uint32_t hash)
{
    hpf__hash_probe probe = {0};
    uint32_t number;
    do {
        number = hpf__hash_next(&names->table, hash, &probe);
    } while (number != HPF__HASH_NONE && !hpf_str_equal(names->names[number], text));
    return number;
}

bool hpf__intern_find(const hpf__intern *names, hpf_str text, uint32_t *number)
{
    *number = find(names, text, hpf__hash_bytes(text.data, text.length));
    return *number != HPF__HASH_NONE;
}

hpf_status hpf__intern_add(hpf__intern *names, hpf_str text, uint32_t *number, bool *is_new)
{
    uint32_t hash = hpf__hash_bytes(text.data, text.length);
    *number = find(names, text, hash);
    *is_new = false;
    if (*number != HPF__HASH_NONE) {
        return HPF_OK;
    }
    if (names->n_names >= UINT32_C(1) << 30) {
        return HPF_ERR_LIMIT;
    }
    if ((!names->arena && !(names->arena = hpf_arena_create())) ||
        !HPF__ARRAY_RESERVE(names->names, names->capacity, (size_t)names->n_names + 1) ||
        !hpf__hash_reserve(&names->table)) {
        return HPF_ERR_MEMORY;
    }
    hpf_str copy = hpf_arena_str(names->arena, text);
    if (!copy.data) {
        return HPF_ERR_MEMORY;
    }
    names->names[names->n_names] = copy;
    hpf__hash_insert(&names->table, hash, names->n_names);
    *number = names->n_names++;
    *is_new = true;
    return HPF_OK;
}

void hpf__intern_finish(hpf__intern *names)
{
    hpf_arena_destroy(names->arena);
    free(names->names);
    hpf__hash_finish(&names->table);
    *names = (hpf__intern){0};
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A hash table with open addressing and linear probing over numbers; texts live in an arena. The
 * hash mixes eight bytes at a time by multiplication: names are short and looked up by the million.
 */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "buf.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
    a ^= b;
    a *= UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 29;
}

static uint32_t hash_bytes(hpf_str text)
{
    uint64_t h = text.length;
    const char *p = text.data;
    size_t left = text.length;
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = mix(h, word);
    }
    uint64_t word = 0;
    if (left) {
        memcpy(&word, p, left);
    }
    h = mix(mix(h, word), UINT64_C(0x2545f4914f6cdd1d));
    return (uint32_t)(h >> 32);
}

/* Numbers into a fresh array of slots. */
static bool rehash(hpf__intern *table, uint32_t n_slots)
{
    uint32_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots) {
        return false;
    }
    for (uint32_t i = 0; i < table->n_names; i++) {
        uint32_t at = table->hashes[i] & (n_slots - 1);
        while (slots[at]) {
            at = (at + 1) & (n_slots - 1);
        }
        slots[at] = i + 1;
    }
    free(table->slots);
    table->slots = slots;
    table->n_slots = n_slots;
    return true;
}

static bool make_room(hpf__intern *table)
{
    if (!table->arena && !(table->arena = hpf_arena_create())) {
        return false;
    }
    size_t needed = (size_t)table->n_names + 1;
    hpf_str *names = hpf__grow(table->names, &table->names_capacity, needed, sizeof *names);
    if (!names) {
        return false;
    }
    table->names = names;
    uint32_t *hashes = hpf__grow(table->hashes, &table->hashes_capacity, needed, sizeof *hashes);
    if (!hashes) {
        return false;
    }
    table->hashes = hashes;
    if (needed * 2 > table->n_slots) {
        return rehash(table, table->n_slots ? table->n_slots * 2 : 64);
    }
    return true;
}

/* The slot where `text` is, or the free one where it would be. */
static uint32_t find_slot(const hpf__intern *table, hpf_str text, uint32_t hash)
{
    uint32_t mask = table->n_slots - 1;
    uint32_t at = hash & mask;
    while (table->slots[at]) {
        uint32_t number = table->slots[at] - 1;
        if (table->hashes[number] == hash && hpf_str_equal(table->names[number], text)) {
            break;
        }
        at = (at + 1) & mask;
    }
    return at;
}

bool hpf__intern_find(const hpf__intern *table, hpf_str text, uint32_t *number)
{
    if (table->n_slots == 0) {
        return false;
    }
    uint32_t at = find_slot(table, text, hash_bytes(text));
    *number = table->slots[at] - 1;
    return table->slots[at] != 0;
}

hpf_status hpf__intern_add(hpf__intern *table, hpf_str text, uint32_t *number, bool *is_new)
{
    uint32_t hash = hash_bytes(text);
    *is_new = false;
    if (table->n_slots) {
        uint32_t at = find_slot(table, text, hash);
        if (table->slots[at]) {
            *number = table->slots[at] - 1;
            return HPF_OK;
        }
    }
    if (table->n_names >= UINT32_C(1) << 30) {
        return HPF_ERR_LIMIT;
    }
    if (!make_room(table) || text.length > SIZE_MAX - HPF__INTERN_PADDING) {
        return HPF_ERR_MEMORY;
    }
    char *copy = hpf_arena_alloc(table->arena, text.length + HPF__INTERN_PADDING);
    if (!copy) {
        return HPF_ERR_MEMORY;
    }
    if (text.length) {
        memcpy(copy, text.data, text.length);
    }
    table->slots[find_slot(table, text, hash)] = table->n_names + 1;
    table->names[table->n_names] = (hpf_str){copy, text.length};
    table->hashes[table->n_names] = hash;
    *number = table->n_names++;
    *is_new = true;
    return HPF_OK;
}

void hpf__intern_finish(hpf__intern *table)
{
    hpf_arena_destroy(table->arena);
    free(table->names);
    free(table->hashes);
    free(table->slots);
    *table = (hpf__intern){0};
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A hash table from keys to indices, with open addressing and linear probing. The keys stay with
 * the caller, usually in an array that the indices point into; the table compares hashes only:
 *
 *     uint32_t hash = hpf__hash_bytes(key.data, key.length), index;
 *     hpf__hash_probe probe = {0};
 *     while ((index = hpf__hash_next(&table, hash, &probe)) != HPF__HASH_NONE &&
 *            !hpf_str_equal(keys[index], key)) {
 *     }
 *     if (index == HPF__HASH_NONE && hpf__hash_reserve(&table)) {
 *         hpf__hash_insert(&table, hash, n_keys);
 *         keys[n_keys++] = key;
 *     }
 *
 * Entries are never removed. Not for code that runs inside an allocator.
 */
#ifndef HPF_HASH_TABLE_H
#define HPF_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Not an index. */
#define HPF__HASH_NONE UINT32_MAX

typedef struct hpf__hash_slot {
    uint32_t hash;
    uint32_t index_plus_1; /* 0: free */
} hpf__hash_slot;

/* All zero is an empty table. */
typedef struct hpf__hash_table {
    hpf__hash_slot *slots;
    uint32_t n_slots; /* a power of two, or 0 */
    uint32_t n_used;  /* at most half of them */
} hpf__hash_table;

/* The position of a search. All zero is its start. */
typedef struct hpf__hash_probe {
    uint32_t n_steps;
} hpf__hash_probe;

static inline uint64_t hpf__hash_mix(uint64_t a, uint64_t b)
{
    a ^= b;
    a *= UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 29;
}

/* Returns a hash of one number. */
static inline uint32_t hpf__hash_word(uint64_t word)
{
    return (uint32_t)(hpf__hash_mix(hpf__hash_mix(word, 8), UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

/* Returns a hash of `n_bytes` bytes, mixing eight at a time. */
static inline uint32_t hpf__hash_bytes(const void *bytes, size_t n_bytes)
{
    const char *p = bytes;
    uint64_t h = n_bytes;
    uint64_t word;
    for (; n_bytes >= 8; n_bytes -= 8, p += 8) {
        memcpy(&word, p, 8);
        h = hpf__hash_mix(h, word);
    }
    word = 0;
    if (n_bytes) {
        memcpy(&word, p, n_bytes);
    }
    h = hpf__hash_mix(hpf__hash_mix(h, word), UINT64_C(0x2545f4914f6cdd1d));
    return (uint32_t)(h >> 32);
}

/* Returns the next index that was inserted with this hash, or HPF__HASH_NONE after the last. */
static inline uint32_t hpf__hash_next(const hpf__hash_table *table, uint32_t hash,
                                      hpf__hash_probe *probe)
{
    if (table->n_slots == 0) {
        return HPF__HASH_NONE;
    }
    for (;;) {
        const hpf__hash_slot *slot = &table->slots[(hash + probe->n_steps) & (table->n_slots - 1)];
        if (slot->index_plus_1 == 0) {
            return HPF__HASH_NONE;
        }
        probe->n_steps++;
        if (slot->hash == hash) {
            return slot->index_plus_1 - 1;
        }
    }
}

/* Inserts an index, without looking for an equal key. There must be room: see hpf__hash_reserve. */
static inline void hpf__hash_insert(hpf__hash_table *table, uint32_t hash, uint32_t index)
{
    uint32_t at = hash & (table->n_slots - 1);
    while (table->slots[at].index_plus_1) {
        at = (at + 1) & (table->n_slots - 1);
    }
    table->slots[at] = (hpf__hash_slot){hash, index + 1};
    table->n_used++;
}

/* Makes room for one more entry, doubling the table when it is half full. Returns false when there
 * is no memory, or with 2^30 entries; the table is unchanged then. */
static inline bool hpf__hash_reserve(hpf__hash_table *table)
{
    if (table->n_used < table->n_slots / 2) {
        return true;
    }
    hpf__hash_table larger = {.n_slots = table->n_slots ? table->n_slots * 2 : 64};
    larger.slots = larger.n_slots ? calloc(larger.n_slots, sizeof *larger.slots) : NULL;
    if (!larger.slots) {
        return false;
    }
    for (uint32_t i = 0; i < table->n_slots; i++) {
        const hpf__hash_slot *slot = &table->slots[i];
        if (slot->index_plus_1) {
            hpf__hash_insert(&larger, slot->hash, slot->index_plus_1 - 1);
        }
    }
    free(table->slots);
    *table = larger;
    return true;
}

/* Frees the slots; the table is empty then. */
static inline void hpf__hash_finish(hpf__hash_table *table)
{
    free(table->slots);
    *table = (hpf__hash_table){0};
}

#endif

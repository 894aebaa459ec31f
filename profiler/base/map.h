/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A hash table from 64-bit keys to 64-bit values, with open addressing and linear probing. Keys are
 * references of objects, addresses of shapes and stacks, pairs of small numbers.
 *
 * Without memory to grow, the table fills up; an addition fails only if it is full.
 */
#ifndef HPP_MAP_H
#define HPP_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hpprof/compiler.h"

typedef struct hpp__map_slot {
    uint64_t key; /* 0: free */
    uint64_t value;
} hpp__map_slot;

/* All zero is an empty map. Invariant: at least one slot is free.
 *
 * With `is_near` (set it before the first addition), neighbouring keys have neighbouring slots: 64
 * keys in a row, in units of 2^unit_shift, share a run of 64 slots. So the words of objects that
 * are neighbours in the heap are neighbours, too. Keys should be multiples of the unit. */
typedef struct hpp__map {
    hpp__map_slot *slots;
    size_t n_slots; /* a power of two, or 0 */
    size_t n_keys;
    unsigned shift; /* 64 - log2(n_slots) */
    unsigned unit_shift;
    bool is_near;
} hpp__map;

static inline uint64_t hpp__map_mix(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

/* Returns the slot where the search for a key begins. The map is not empty. */
static inline size_t hpp__map_home(const hpp__map *map, uint64_t key)
{
    if (!map->is_near) {
        return (size_t)(hpp__map_mix(key) >> map->shift);
    }
    uint64_t unit = key >> map->unit_shift;
    return (size_t)((hpp__map_mix(unit >> 6) >> map->shift & ~UINT64_C(63)) | (unit & 63));
}

/* Returns the value of a key, or NULL. The pointer is valid until the next addition or removal. */
static inline uint64_t *hpp__map_find(const hpp__map *map, uint64_t key)
{
    if (HPP_UNLIKELY(map->n_slots == 0)) {
        return NULL;
    }
    for (size_t i = hpp__map_home(map, key);; i = (i + 1) & (map->n_slots - 1)) {
        if (HPP_LIKELY(map->slots[i].key == key)) {
            return &map->slots[i].value;
        }
        if (map->slots[i].key == 0) {
            return NULL;
        }
    }
}

static inline void hpp__map_prefetch(const hpp__map *map, uint64_t key)
{
    if (map->n_slots != 0) {
        HPP_PREFETCH(&map->slots[hpp__map_home(map, key)]);
    }
}

/* Returns the value of a key, which is not 0; adds a missing key with value 0. Returns NULL without
 * memory. The pointer is valid as long as one from hpp__map_find. */
uint64_t *hpp__map_add(hpp__map *map, uint64_t key);

/* Removes a key if it is there. */
void hpp__map_remove(hpp__map *map, uint64_t key);

/* Removes all keys and keeps the memory. */
void hpp__map_clear(hpp__map *map);

void hpp__map_finish(hpp__map *map);

#endif

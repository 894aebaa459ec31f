/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table from 64-bit keys to 64-bit values, open addressing with linear probing. It serves for
 * objects (by reference), for shapes and stacks (by address), and for pairs of small numbers.
 *
 * When it cannot grow it fills up; only when it is full to the last slot does an addition fail.
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
 * A map with `is_near` set (before the first addition) keeps keys that are neighbours together: a
 * window of 64 of them, counted in units of 2^unit_shift, has its home in 64 slots in a row. So
 * objects that lie together in the heap have their words together, too. Keys that are not multiples
 * of the unit are allowed, but better rare. */
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

/* Where the search for a key begins. The map is not empty. */
static inline size_t hpp__map_home(const hpp__map *map, uint64_t key)
{
    if (!map->is_near) {
        return (size_t)(hpp__map_mix(key) >> map->shift);
    }
    uint64_t unit = key >> map->unit_shift;
    return (size_t)((hpp__map_mix(unit >> 6) >> map->shift & ~UINT64_C(63)) | (unit & 63));
}

/* The value of a key, or NULL. Valid until the next addition or removal. */
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

/* The value of a key, which is added with value 0 when it is not there. `key` is not 0. NULL when
 * there is no memory. Valid like that of hpp__map_find. */
uint64_t *hpp__map_add(hpp__map *map, uint64_t key);

/* Removes a key if it is there. */
void hpp__map_remove(hpp__map *map, uint64_t key);

/* Removes all keys, keeps the memory. */
void hpp__map_clear(hpp__map *map);

void hpp__map_finish(hpp__map *map);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Removal shifts the rest of a run back instead of leaving a mark, so that a table through which
 * millions of short-lived objects pass stays as fast as a new one.
 */
#include "map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_N_SLOTS 64 /* a window of near keys, at least */
#define FIRST_SHIFT   58
#define SMALL_N_SLOTS (1u << 16)
#define LARGE_BYTES   ((size_t)2 << 20)

static void insert_new(hpp__map *map, hpp__map_slot slot)
{
    size_t i = hpp__map_home(map, slot.key);
    while (map->slots[i].key != 0) {
        i = (i + 1) & (map->n_slots - 1);
    }
    map->slots[i] = slot;
}

/* Allocates slots, all free; many of them in large pages, if the system has them. */
static hpp__map_slot *new_slots(size_t n_slots)
{
    if (n_slots > SIZE_MAX / sizeof(hpp__map_slot)) {
        return NULL;
    }
    hpp__map_slot *slots = calloc(n_slots, sizeof *slots);
    size_t n_bytes = n_slots * sizeof *slots;
    if (slots && n_bytes >= LARGE_BYTES) {
        char *page = (char *)slots + (LARGE_BYTES - (uintptr_t)slots % LARGE_BYTES);
        madvise(page, n_bytes - LARGE_BYTES, MADV_HUGEPAGE);
    }
    return slots;
}

/* Returns whether the map must grow: a quarter of the slots stays free, three quarters in small
 * maps. */
static bool is_crowded(const hpp__map *map)
{
    size_t n_slots = map->n_slots;
    return map->n_keys >= (n_slots <= SMALL_N_SLOTS ? n_slots / 4 : n_slots / 4 * 3);
}

static bool grow(hpp__map *map)
{
    hpp__map larger = *map;
    larger.n_slots = map->n_slots ? map->n_slots * 2 : FIRST_N_SLOTS;
    larger.shift = map->n_slots ? map->shift - 1 : FIRST_SHIFT;
    larger.slots = new_slots(larger.n_slots);
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; i < map->n_slots; i++) {
        if (map->slots[i].key != 0) {
            insert_new(&larger, map->slots[i]);
        }
    }
    free(map->slots);
    *map = larger;
    return true;
}

uint64_t *hpp__map_add(hpp__map *map, uint64_t key)
{
    uint64_t *found = hpp__map_find(map, key);
    if (found) {
        return found;
    }
    if (is_crowded(map) && !grow(map) && map->n_keys + 1 >= map->n_slots) {
        return NULL;
    }
    insert_new(map, (hpp__map_slot){key, 0});
    map->n_keys++;
    return hpp__map_find(map, key);
}

/* Returns whether the key at `from` may move to the free slot `hole`: its home is not between them.
 */
static bool may_move(const hpp__map *map, size_t from, size_t hole)
{
    size_t mask = map->n_slots - 1;
    size_t home = hpp__map_home(map, map->slots[from].key);
    return ((from - home) & mask) >= ((from - hole) & mask);
}

void hpp__map_remove(hpp__map *map, uint64_t key)
{
    uint64_t *found = hpp__map_find(map, key);
    if (!found) {
        return;
    }
    size_t mask = map->n_slots - 1;
    size_t hole = hpp__map_home(map, key);
    while (map->slots[hole].key != key) {
        hole = (hole + 1) & mask;
    }
    for (size_t i = (hole + 1) & mask; map->slots[i].key != 0; i = (i + 1) & mask) {
        if (may_move(map, i, hole)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole] = (hpp__map_slot){0, 0};
    map->n_keys--;
}

void hpp__map_clear(hpp__map *map)
{
    if (map->n_keys != 0) {
        memset(map->slots, 0, map->n_slots * sizeof *map->slots);
        map->n_keys = 0;
    }
}

void hpp__map_finish(hpp__map *map)
{
    free(map->slots);
    map->slots = NULL;
    map->n_slots = map->n_keys = 0;
}

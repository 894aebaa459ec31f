/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two kinds of table over one arena.
 */
#include "cache.h"

#include "base/arena.h"
#include "base/hash_table.h"
#include "hpfile/str.h"

bool hpp__cache_init(hpp__cache *cache)
{
    *cache = (hpp__cache){.arena = hpf_arena_create()};
    return cache->arena != NULL;
}

void hpp__cache_finish(hpp__cache *cache)
{
    hpf_arena_destroy(cache->arena);
    hpp__map_finish(&cache->texts);
    *cache = (hpp__cache){0};
}

static const hpf_str *copy_text(hpf_arena *arena, hpf_str text)
{
    hpf_str *kept = hpf_arena_alloc(arena, sizeof *kept);
    if (kept) {
        *kept = hpf_arena_str(arena, text);
    }
    return kept && kept->data ? kept : NULL;
}

hpf_str hpp__cache_text(hpp__cache *cache, hpf_str text)
{
    if (text.length == 0) {
        return HPF_STR("");
    }
    for (uint64_t hash = hpf__hash_bytes(text.data, text.length) | 1;; hash += 2) {
        uint64_t *slot = hpp__map_add(&cache->texts, hash);
        if (!slot) {
            return HPF_STR("");
        }
        if (*slot == 0) {
            *slot = (uint64_t)(uintptr_t)copy_text(cache->arena, text);
        }
        const hpf_str *kept = (const hpf_str *)(uintptr_t)*slot;
        if (!kept) {
            return HPF_STR("");
        }
        if (hpf_str_equal(*kept, text)) {
            return *kept;
        }
    }
}

/* Keys of the map are not 0. Nothing is remembered for the last of all addresses. */
const void *hpp__cache_find(const hpp__addresses *addresses, uint64_t address)
{
    const uint64_t *slot = address < UINT64_MAX ? hpp__map_find(addresses, address + 1) : NULL;
    return slot ? (const void *)(uintptr_t)*slot : NULL;
}

static bool are_named(hpp_functions functions)
{
    for (size_t i = 0; i < functions.n; i++) {
        if (functions.list[i].name.length == 0) {
            return false;
        }
    }
    return true;
}

static hpf_str set_text(hpf_str text)
{
    return text.data ? text : HPF_STR("");
}

const hpp_functions *hpp__cache_keep(hpp__cache *cache, hpp_functions functions)
{
    if (!are_named(functions)) {
        return NULL;
    }
    hpp_functions *kept = hpf_arena_alloc(cache->arena, sizeof *kept);
    hpp_function *list = hpf_arena_array(cache->arena, functions.n, sizeof *list);
    if (!kept || !list) {
        return NULL;
    }
    for (size_t i = 0; i < functions.n; i++) {
        list[i] = functions.list[i];
        list[i].linkage = set_text(list[i].linkage);
        list[i].module = set_text(list[i].module);
        list[i].file = set_text(list[i].file);
        list[i].start_file = set_text(list[i].start_file);
    }
    *kept = (hpp_functions){list, functions.n};
    return kept;
}

void hpp__cache_add(hpp__addresses *addresses, uint64_t address, const void *kept)
{
    uint64_t *slot = kept && address < UINT64_MAX ? hpp__map_add(addresses, address + 1) : NULL;
    if (slot) {
        *slot = (uint64_t)(uintptr_t)kept;
    }
}

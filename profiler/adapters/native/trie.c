/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An entry is a word: half of the hash, which tells most others apart, and the number. It is stored
 * when the record is complete, so whoever finds it may read the record.
 */
#include "trie.h"

#include <stdbool.h>

#include "platform.h"
#include "window_chunk.h"

enum {
    FIRST_TABLE_BITS = 10,
    GROWTH_BITS = 2, /* the next table is so much larger */
    N_TABLES = 9,
};

typedef _Atomic uint64_t index_slot;

typedef struct hpp_index {
    _Atomic(index_slot *) tables[N_TABLES];
    _Atomic uint32_t n_entries[N_TABLES];
} hpp_index;

/* What is looked for: a node, or a site (node and call). */
typedef struct key {
    uint64_t hash;
    uint64_t first, second;
} key;

/* Whether the record of a number is what is looked for. */
typedef bool match_record(uint32_t number, const key *wanted);

static hpp_index nodes;
static hpp_index sites;

static uint64_t table_size(unsigned table)
{
    return (uint64_t)1 << (FIRST_TABLE_BITS + GROWTH_BITS * table);
}

static uint64_t scramble(uint64_t first, uint64_t second)
{
    uint64_t hash = (first ^ (second >> 32 | second << 32)) * 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 29 ^ second) * 0xbf58476d1ce4e5b9;
    return hash ^ hash >> 32;
}

/* ---- the index ----------------------------------------------------------------------------- */

/* Goes through the entries that have the key's hash, up to a place where there is none. Returns the
 * number, or 0 and the place. */
static inline uint32_t find_in(index_slot **place, index_slot *slots, uint64_t size,
                               const key *wanted, match_record *matches)
{
    for (uint64_t i = wanted->hash;; i++) {
        index_slot *slot = &slots[i & (size - 1)];
        uint64_t entry = atomic_load_explicit(slot, memory_order_acquire);
        if (entry == 0) {
            *place = slot;
            return 0;
        }
        if (entry >> 32 == wanted->hash >> 32 && matches((uint32_t)entry, wanted)) {
            return (uint32_t)entry;
        }
    }
}

/* The number of the newest table, which is there. -1: there is none. */
static int newest_table(hpp_index *index)
{
    int n = 0;
    while (n < N_TABLES && atomic_load_explicit(&index->tables[n], memory_order_acquire)) {
        n++;
    }
    return n - 1;
}

/* Makes a table, unless another thread is quicker. */
static void make_table(hpp_index *index, unsigned table)
{
    index_slot *none = NULL;
    index_slot *fresh = hpp__map(table_size(table) * sizeof(*fresh));
    if (fresh && !atomic_compare_exchange_strong(&index->tables[table], &none, fresh)) {
        hpp__unmap(fresh, table_size(table) * sizeof(*fresh));
    }
}

/* The table to add to. -1: there is no memory, or no room. */
static int table_with_room(hpp_index *index)
{
    int table = newest_table(index);
    bool is_full = table < 0 || index->n_entries[table] >= table_size((unsigned)table) / 2;
    if (is_full && table + 1 < N_TABLES) {
        make_table(index, (unsigned)(table + 1));
        table = newest_table(index);
    }
    bool has_room = table >= 0 && index->n_entries[table] < table_size((unsigned)table) / 8 * 7;
    return has_room ? table : -1;
}

/* Enters a number. Returns it, or that which another has entered for the same. */
static uint32_t enter(hpp_index *index, int table, const key *wanted, uint32_t number,
                      match_record *matches)
{
    index_slot *slots = atomic_load_explicit(&index->tables[table], memory_order_acquire);
    uint64_t entry = wanted->hash >> 32 << 32 | number;
    for (;;) {
        index_slot *place;
        uint64_t none = 0;
        uint32_t found = find_in(&place, slots, table_size((unsigned)table), wanted, matches);
        if (found != 0) {
            return found;
        }
        if (atomic_compare_exchange_strong_explicit(place, &none, entry, memory_order_release,
                                                    memory_order_relaxed)) {
            atomic_fetch_add_explicit(&index->n_entries[table], 1, memory_order_relaxed);
            return number;
        }
    }
}

static inline uint32_t find(hpp_index *index, const key *wanted, match_record *matches)
{
    int newest = newest_table(index);
    for (int table = newest; table >= 0; table--) {
        index_slot *place;
        index_slot *slots = atomic_load_explicit(&index->tables[table], memory_order_acquire);
        uint32_t found = find_in(&place, slots, table_size((unsigned)table), wanted, matches);
        if (found == 0) {
            continue;
        }
        if (table < newest && (newest = table_with_room(index)) > table) {
            enter(index, newest, wanted, found, matches);
        }
        return found;
    }
    return 0;
}

/* ---- records ------------------------------------------------------------------------------- */

static hpp_window_node *node_record(uint32_t node)
{
    hpp_window_node *chunk =
        hpp__window_chunk(&hpp__window->node_pages[node / HPP_NODES_PER_CHUNK],
                          HPP_NODES_PER_CHUNK * sizeof(*chunk) / HPP_WINDOW_PAGE_BYTES);
    return chunk ? &chunk[node % HPP_NODES_PER_CHUNK] : NULL;
}

static hpp_window_site *site_record(uint32_t site)
{
    hpp_window_site *chunk =
        hpp__window_chunk(&hpp__window->site_pages[site / HPP_SITES_PER_CHUNK],
                          HPP_SITES_PER_CHUNK * sizeof(*chunk) / HPP_WINDOW_PAGE_BYTES);
    return chunk ? &chunk[site % HPP_SITES_PER_CHUNK] : NULL;
}

static key node_key(uint32_t parent, uintptr_t address, uint16_t module_index, uint16_t flags)
{
    key wanted = {.first = address,
                  .second = parent | (uint64_t)module_index << 32 | (uint64_t)flags << 48};
    wanted.hash = scramble(wanted.first, wanted.second);
    return wanted;
}

static bool matches_node(uint32_t number, const key *wanted)
{
    const hpp_window_node *node = node_record(number);
    return node->address == wanted->first && node->parent == (uint32_t)wanted->second &&
           node->module_index == (uint16_t)(wanted->second >> 32) &&
           node->flags == (uint16_t)(wanted->second >> 48);
}

static bool matches_site(uint32_t number, const key *wanted)
{
    const hpp_window_site *site = site_record(number);
    return site->node == wanted->first && site->call == wanted->second;
}

static bool may_grow(void)
{
    uint32_t control = atomic_load_explicit(&hpp__window->head.control, memory_order_relaxed);
    return !(control & (HPP_CONTROL_NO_NEW_STACKS | HPP_CONTROL_NO_NEW_BLOCKS));
}

static HPP_NO_INLINE uint32_t add_node(const key *wanted)
{
    int table = may_grow() ? table_with_room(&nodes) : -1;
    uint32_t number = table < 0 ? UINT32_MAX
                                : hpp__window_next(&hpp__window->head.n_nodes,
                                                   HPP_MAX_NODE_CHUNKS * HPP_NODES_PER_CHUNK);
    hpp_window_node *node = number != UINT32_MAX ? node_record(number) : NULL;
    if (!node) {
        return 0;
    }
    *node = (hpp_window_node){.address = wanted->first,
                              .parent = (uint32_t)wanted->second,
                              .module_index = (uint16_t)(wanted->second >> 32),
                              .flags = (uint16_t)(wanted->second >> 48)};
    return enter(&nodes, table, wanted, number, matches_node);
}

static HPP_NO_INLINE uint32_t add_site(const key *wanted)
{
    int table = may_grow() ? table_with_room(&sites) : -1;
    uint32_t number =
        table < 0 ? UINT32_MAX : hpp__window_next(&hpp__window->head.n_sites, HPP_MAX_SITES);
    hpp_window_site *site = number != UINT32_MAX ? site_record(number) : NULL;
    if (!site) {
        return 0;
    }
    site->call = (uint32_t)wanted->second;
    atomic_thread_fence(memory_order_release);
    site->node = (uint32_t)wanted->first;
    return enter(&sites, table, wanted, number, matches_site);
}

uint32_t hpp__trie_node(uint32_t parent, uintptr_t address, uint16_t module_index, uint16_t flags)
{
    key wanted = node_key(parent, address, module_index, flags);
    uint32_t found = find(&nodes, &wanted, matches_node);
    return HPP_LIKELY(found != 0) ? found : add_node(&wanted);
}

uint32_t hpp__trie_site(uint32_t node, hpp_call call)
{
    key wanted = {.first = node, .second = call, .hash = scramble(node, call)};
    uint32_t found = find(&sites, &wanted, matches_site);
    return HPP_LIKELY(found != 0) ? found : add_site(&wanted);
}

const hpp_window_node *hpp__trie_look(uint32_t node)
{
    return node_record(node);
}

uint32_t hpp__trie_site_node(uint32_t site)
{
    return site_record(site)->node;
}

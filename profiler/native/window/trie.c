/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An entry is a number and, in the upper bits, a part of the hash. It is stored after the record is
 * complete, so its reader may read the record.
 */
#include "trie.h"

#include <stdbool.h>

#include "platform.h"
#include "window_writer.h"

enum {
    FIRST_TABLE_BITS = 10, /* a page */
    NUMBER_BITS = 25,
};

#define NUMBER_MASK (((uint32_t)1 << NUMBER_BITS) - 1)

_Static_assert(HPP_MAX_NODE_CHUNKS *HPP_NODES_PER_CHUNK <= 1 << NUMBER_BITS, "nodes fit");
_Static_assert(HPP_MAX_SITES <= 1 << NUMBER_BITS, "sites fit");
_Static_assert(HPP_MAX_LIVES <= 1 << NUMBER_BITS, "lives fit");

typedef _Atomic uint32_t index_slot;

typedef struct hpp_index {
    _Atomic uintptr_t table;    /* its first slot, and in the lowest bits the logarithm of its size;
                                   0: none yet */
    _Atomic uint32_t n_entries; /* in the table, or in one that it has replaced since */
} hpp_index;

/* What a node, a site or a life is: for a site node and call, for a life site and era, for a node
 * its record's two words. */
typedef struct key {
    uint64_t first, second;
} key;

/* Returns the contents of a record. */
typedef key read_record(uint32_t number);

static hpp_index nodes;
static hpp_index sites;
static hpp_index lives;

static uint64_t scramble(const key *wanted)
{
    uint64_t second = wanted->second;
    uint64_t hash = (wanted->first ^ (second >> 32 | second << 32)) * 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 29 ^ second) * 0xbf58476d1ce4e5b9;
    return hash ^ hash >> 32;
}

/* ---- the index ----------------------------------------------------------------------------- */

static index_slot *slots_of(uintptr_t table)
{
    return (index_slot *)(table & ~(uintptr_t)(HPP_WINDOW_PAGE_BYTES - 1));
}

static uint64_t size_of(uintptr_t table)
{
    return table != 0 ? (uint64_t)1 << table % HPP_WINDOW_PAGE_BYTES : 0;
}

static uint32_t make_entry(uint64_t hash, uint32_t number)
{
    return ((uint32_t)(hash >> 32) & ~NUMBER_MASK) | number;
}

/* Searches the entries with the hash up to a free place. Returns the number, or 0 and the place. */
static inline uint32_t find_in(index_slot **place, uintptr_t table, const key *wanted,
                               uint64_t hash, read_record *read)
{
    uint64_t mask = size_of(table) - 1;
    for (uint64_t i = hash;; i++) {
        index_slot *slot = &slots_of(table)[i & mask];
        uint32_t entry = atomic_load_explicit(slot, memory_order_acquire);
        if (entry == 0) {
            *place = slot;
            return 0;
        }
        uint32_t number = entry & NUMBER_MASK;
        if (entry == make_entry(hash, number)) {
            key found = read(number);
            if (found.first == wanted->first && found.second == wanted->second) {
                return number;
            }
        }
    }
}

/* Copies the entries of a table into a new one that no other thread can see yet. */
static void copy_entries(uintptr_t to, uintptr_t from, read_record *read)
{
    for (uint64_t i = 0; i < size_of(from); i++) {
        uint32_t entry = atomic_load_explicit(&slots_of(from)[i], memory_order_acquire);
        if (entry == 0) {
            continue;
        }
        key record = read(entry & NUMBER_MASK);
        uint64_t place = scramble(&record);
        while (slots_of(to)[place & (size_of(to) - 1)] != 0) {
            place++;
        }
        atomic_store_explicit(&slots_of(to)[place & (size_of(to) - 1)], entry,
                              memory_order_relaxed);
    }
}

/* Replaces a table by one of twice the size, unless another thread is quicker. Where somebody still
 * looks into the old one, it is empty from now on. */
static HPP_NO_INLINE void replace_table(hpp_index *index, uintptr_t old, read_record *read)
{
    unsigned bits = old != 0 ? (unsigned)(old % HPP_WINDOW_PAGE_BYTES) + 1 : FIRST_TABLE_BITS;
    size_t n_bytes = sizeof(index_slot) << bits;
    void *memory = hpp__map_near(n_bytes);
    if (memory == NULL) {
        return;
    }
    uintptr_t fresh = (uintptr_t)memory | bits;
    copy_entries(fresh, old, read);
    uintptr_t expected = old;
    if (!atomic_compare_exchange_strong(&index->table, &expected, fresh)) {
        hpp__unmap(memory, n_bytes);
    } else if (old != 0) {
        hpp__clear(slots_of(old), n_bytes / 2);
    }
}

/* Returns the table to add to. 0: there is no memory, or no room. */
static uintptr_t table_with_room(hpp_index *index, read_record *read)
{
    uintptr_t table = atomic_load_explicit(&index->table, memory_order_acquire);
    uint32_t n = atomic_load_explicit(&index->n_entries, memory_order_relaxed);
    if (HPP_UNLIKELY(n >= size_of(table) / 4 * 3)) {
        replace_table(index, table, read);
        table = atomic_load_explicit(&index->table, memory_order_acquire);
    }
    return n < size_of(table) / 8 * 7 ? table : 0;
}

/* Enters a number. Returns it, or that which another has entered for the same. */
static uint32_t enter(hpp_index *index, uintptr_t table, const key *wanted, uint32_t number,
                      read_record *read)
{
    uint64_t hash = scramble(wanted);
    for (;;) {
        index_slot *place;
        uint32_t none = 0;
        uint32_t found = find_in(&place, table, wanted, hash, read);
        if (found != 0) {
            return found;
        }
        if (atomic_compare_exchange_strong_explicit(place, &none, make_entry(hash, number),
                                                    memory_order_release, memory_order_relaxed)) {
            atomic_fetch_add_explicit(&index->n_entries, 1, memory_order_relaxed);
            return number;
        }
    }
}

static inline uint32_t find(hpp_index *index, const key *wanted, read_record *read)
{
    index_slot *place;
    uintptr_t table = atomic_load_explicit(&index->table, memory_order_acquire);
    return HPP_LIKELY(table != 0) ? find_in(&place, table, wanted, scramble(wanted), read) : 0;
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

static hpp_window_life *life_record(uint32_t number)
{
    hpp_window_life *chunk =
        hpp__window_chunk(&hpp__window->life_pages[number / HPP_LIVES_PER_CHUNK],
                          HPP_LIVES_PER_CHUNK * sizeof(*chunk) / HPP_WINDOW_PAGE_BYTES);
    return chunk ? &chunk[number % HPP_LIVES_PER_CHUNK] : NULL;
}

static key node_key(uint32_t parent, uintptr_t address, uint16_t module_index, uint16_t flags)
{
    return (key){address, parent | (uint64_t)module_index << 32 | (uint64_t)flags << 48};
}

static key read_node(uint32_t number)
{
    const hpp_window_node *node = hpp__trie_look(number);
    return node_key(node->parent, node->address, node->module_index, node->flags);
}

static key read_site(uint32_t number)
{
    const hpp_window_site *site = site_record(number);
    return (key){site->node, site->call};
}

static key read_life(uint32_t number)
{
    const hpp_window_life *life = life_record(number);
    return (key){life->site, life->era};
}

static bool may_grow(void)
{
    uint32_t control = atomic_load_explicit(&hpp__window->head.control, memory_order_relaxed);
    return !(control & (HPP_CONTROL_NO_NEW_STACKS | HPP_CONTROL_NO_NEW_BLOCKS));
}

static HPP_NO_INLINE uint32_t add_node(const key *wanted)
{
    uintptr_t table = may_grow() ? table_with_room(&nodes, read_node) : 0;
    uint32_t number = table == 0 ? UINT32_MAX
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
    return enter(&nodes, table, wanted, number, read_node);
}

static HPP_NO_INLINE uint32_t add_site(const key *wanted)
{
    uintptr_t table = may_grow() ? table_with_room(&sites, read_site) : 0;
    uint32_t number =
        table == 0 ? UINT32_MAX : hpp__window_next(&hpp__window->head.n_sites, HPP_MAX_SITES);
    hpp_window_site *site = number != UINT32_MAX ? site_record(number) : NULL;
    if (!site) {
        return 0;
    }
    site->call = (uint32_t)wanted->second;
    atomic_thread_fence(memory_order_release);
    site->node = (uint32_t)wanted->first;
    return enter(&sites, table, wanted, number, read_site);
}

static HPP_NO_INLINE uint32_t add_life(const key *wanted)
{
    uintptr_t table = may_grow() ? table_with_room(&lives, read_life) : 0;
    uint32_t number =
        table == 0 ? UINT32_MAX : hpp__window_next(&hpp__window->head.n_lives, HPP_MAX_LIVES);
    hpp_window_life *life = number != UINT32_MAX ? life_record(number) : NULL;
    if (!life) {
        return 0;
    }
    life->era = (uint32_t)wanted->second;
    atomic_thread_fence(memory_order_release);
    life->site = (uint32_t)wanted->first;
    return enter(&lives, table, wanted, number, read_life);
}

uint32_t hpp__trie_node(uint32_t parent, uintptr_t address, uint16_t module_index, uint16_t flags)
{
    key wanted = node_key(parent, address, module_index, flags);
    uint32_t found = find(&nodes, &wanted, read_node);
    return HPP_LIKELY(found != 0) ? found : add_node(&wanted);
}

uint32_t hpp__trie_find_node(uint32_t parent, uintptr_t address, uint16_t module_index,
                             uint16_t flags)
{
    key wanted = node_key(parent, address, module_index, flags);
    return find(&nodes, &wanted, read_node);
}

uint32_t hpp__trie_site(uint32_t node, uint32_t call)
{
    key wanted = {node, call};
    uint32_t found = find(&sites, &wanted, read_site);
    return HPP_LIKELY(found != 0) ? found : add_site(&wanted);
}

uint32_t hpp__trie_site_with(uint32_t site, uint32_t more)
{
    const hpp_window_site *record = site_record(site);
    return hpp__trie_site(record->node, record->call | more);
}

uint32_t hpp__trie_site_call(uint32_t site)
{
    return site_record(site)->call;
}

uint32_t hpp__trie_site_node(uint32_t site)
{
    return site_record(site)->node;
}

hpp_window_life *hpp__trie_life(uint32_t site, uint32_t era)
{
    key wanted = {site, era};
    uint32_t found = find(&lives, &wanted, read_life);
    found = HPP_LIKELY(found != 0) ? found : add_life(&wanted);
    return found != 0 ? life_record(found) : NULL;
}

void hpp__trie_forget_lives(void)
{
    uintptr_t table = atomic_exchange(&lives.table, 0);
    atomic_store(&lives.n_entries, 0);
    if (table != 0) {
        hpp__unmap(slots_of(table), size_of(table) * sizeof(index_slot));
    }
}

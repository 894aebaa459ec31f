/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds or creates the nodes, sites and lives of the window.
 *
 * A hash table in private memory maps the contents of a node, site or life to its number. Entries
 * are only added, by compare and swap. When it is three quarters full, a larger table replaces it,
 * and its memory is unmapped.
 *
 * Two threads that look up a new node at the same moment may both create it. Then one of them is
 * never referenced, or both are, while a table is being replaced. This costs a record and changes
 * no sum.
 *
 * Threads: any, also signal handlers, and after fork in the child; nothing waits.
 */
#ifndef HPP_NATIVE_WINDOW_TRIE_H
#define HPP_NATIVE_WINDOW_TRIE_H

#include "window_writer.h"

/* Returns the node of an address below `parent`; 0 if it is new and the window is full or must not
 * grow. */
uint32_t hpp__trie_node(uint32_t parent, uintptr_t address, uint16_t module_index, uint16_t flags);

/* Returns an existing node; 0 if there is none. */
uint32_t hpp__trie_find_node(uint32_t parent, uintptr_t address, uint16_t module_index,
                             uint16_t flags);

/* Returns the site of a node and the `call` of hpp_window_site; 0 as above. */
uint32_t hpp__trie_site(uint32_t node, uint32_t call);

/* Returns the site of an existing site's node and call, to which `more` is added: it was not there,
 * or is HPP_CALL_INHERITED. 0 as above. */
uint32_t hpp__trie_site_with(uint32_t site, uint32_t more);

/* Returns the record of an existing node. */
static inline const hpp_window_node *hpp__trie_look(uint32_t node)
{
    uint32_t page = atomic_load_explicit(&hpp__window->node_pages[node / HPP_NODES_PER_CHUNK],
                                         memory_order_acquire);
    return (const hpp_window_node *)hpp__window_at(page) + node % HPP_NODES_PER_CHUNK;
}

/* Return the node, and the `call`, of an existing site. */
uint32_t hpp__trie_site_node(uint32_t site);
uint32_t hpp__trie_site_call(uint32_t site);

/* Returns the record of a site's lives in an era; NULL as above. */
hpp_window_life *hpp__trie_life(uint32_t site, uint32_t era);

/* In a forked child, whose window has no lives yet, clears their table. */
void hpp__trie_forget_lives(void);

#endif

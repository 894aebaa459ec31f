/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Nodes and sites of the window: one for each that is asked for, whoever asks.
 *
 * An index from what a node or a site is to its number is private memory: a hash table that is only
 * added to, by compare and swap. When it is three quarters full, a larger one with the same entries
 * takes its place, and its memory goes back to the kernel.
 *
 * Two threads that ask for a new node at the same moment may both make it; then one of the two is
 * never referred to, or, in the moment in which a larger table takes over, both are. That costs a
 * record and changes no sum.
 *
 * Threads: any, also in signal handlers, and after fork in the child; nothing waits.
 */
#ifndef HPP_NATIVE_TRIE_H
#define HPP_NATIVE_TRIE_H

#include "window.h"

/* The node of an address below `parent`. 0: it is new, and the window is full or must not grow. */
uint32_t hpp__trie_node(uint32_t parent, uintptr_t address, uint16_t module_index, uint16_t flags);

/* The site of a node and a call. 0: the same. */
uint32_t hpp__trie_site(uint32_t node, hpp_call call);

/* The record of a node that there is. */
const hpp_window_node *hpp__trie_look(uint32_t node);

/* The node of a site that there is. */
uint32_t hpp__trie_site_node(uint32_t site);

#endif

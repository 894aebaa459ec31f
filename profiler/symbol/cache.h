/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What was found stays found: texts, each kept once, and the functions at each address.
 *
 * Threads: one cache, one thread at a time.
 */
#ifndef HPP_SYMBOL_CACHE_H
#define HPP_SYMBOL_CACHE_H

#include "hpfile/arena.h"
#include "function.h"
#include "base/map.h"

typedef struct hpp__cache {
    hpf_arena *arena;
    hpp__map texts; /* hash of a text -> hpf_str; equal hashes take the odd numbers behind */
} hpp__cache;

/* Functions by address, of one object. All zero is empty. */
typedef hpp__map hpp__addresses;

bool hpp__cache_init(hpp__cache *cache);
void hpp__cache_finish(hpp__cache *cache);

/* The one copy of a text, with a NUL behind it; equal texts, equal pointers. An empty text when
 * there is no memory. */
hpf_str hpp__cache_text(hpp__cache *cache, hpf_str text);

/* What is remembered for an address, or NULL. */
const hpp_functions *hpp__cache_find(const hpp__addresses *addresses, uint64_t address);

/* Copies a list, whose texts are the cache's; texts that are not set become empty ones. NULL when
 * there is no memory, or was none for a name: a function without one is not kept. */
const hpp_functions *hpp__cache_keep(hpp__cache *cache, hpp_functions functions);

/* Remembers what is kept for an address; without memory it is forgotten. */
void hpp__cache_add(hpp__addresses *addresses, uint64_t address, const hpp_functions *kept);

#endif

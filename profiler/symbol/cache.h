/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cache of a resolver: interned texts, and the functions at each address.
 *
 * Threads: use a cache in one thread at a time.
 */
#ifndef HPP_SYMBOL_CACHE_H
#define HPP_SYMBOL_CACHE_H

#include "base/arena.h"
#include "hpprof/function.h"
#include "base/map.h"

typedef struct hpp__cache {
    hpf_arena *arena;
    hpp__map texts; /* hash of a text -> hpf_str; equal hashes use the next odd keys */
} hpp__cache;

/* What is known of addresses of one object. All zero is empty. */
typedef hpp__map hpp__addresses;

bool hpp__cache_init(hpp__cache *cache);
void hpp__cache_finish(hpp__cache *cache);

/* Returns the interned copy of a text, which ends with a NUL; an empty text without memory. */
hpf_str hpp__cache_text(hpp__cache *cache, hpf_str text);

/* Returns what is cached for an address, or NULL. */
const void *hpp__cache_find(const hpp__addresses *addresses, uint64_t address);

/* Copies a list of functions with interned texts; missing texts become empty. Returns NULL without
 * memory, or if a function has no name. */
const hpp_functions *hpp__cache_keep(hpp__cache *cache, hpp_functions functions);

/* Caches what is known of an address, if there is memory; NULL is nothing. */
void hpp__cache_add(hpp__addresses *addresses, uint64_t address, const void *kept);

#endif

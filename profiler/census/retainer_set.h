/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Retainer sets. They are interned: equal sets have equal numbers, so a union that changes nothing
 * is one comparison. Sets are kept for the whole profile, since censuses share most of them.
 *
 * All sets above the size limit are one set, MANY. A union with MANY is MANY, so an object's set
 * does not depend on the order in which its retainers are found.
 */
#ifndef HPP_RETAINER_SET_H
#define HPP_RETAINER_SET_H

#include "base/map.h"

enum {
    HPP__SET_NONE = 0,          /* the empty set: no root reaches the object */
    HPP__SET_MANY = 1,          /* too large */
    HPP__SET_OUT_OF_MEMORY = 2, /* no memory; a union with it, also of MANY, is OUT_OF_MEMORY */
    HPP__FIRST_SET = 3
};

typedef struct hpp__set {
    uint64_t hash;      /* the sum of its elements' hashes, independent of their order */
    size_t first_index; /* of its elements, increasing, in the pool */
    uint32_t n;
} hpp__set;

/* A cached union. */
typedef struct hpp__union {
    uint32_t a, b, result;
} hpp__union;

#define HPP__N_UNIONS 4096u

typedef struct hpp__sets {
    uint32_t max_elements;
    hpp__set *sets; /* by number */
    size_t sets_capacity;
    uint32_t n_sets; /* with the three special ones */
    uint32_t *pool;  /* elements of all sets */
    size_t n_pool, pool_capacity;
    hpp__map by_hash;   /* hash -> number; equal hashes use the next odd keys */
    uint64_t n_failed;  /* sets without memory */
    hpp__union *unions; /* HPP__N_UNIONS */
} hpp__sets;

/* Initialises sets. Returns false without memory. */
bool hpp__sets_init(hpp__sets *sets, uint32_t max_elements);
void hpp__sets_finish(hpp__sets *sets);

/* Returns the set of one element. */
uint32_t hpp__sets_singleton(hpp__sets *sets, uint32_t element);

/* Returns the union of two sets. */
uint32_t hpp__sets_union(hpp__sets *sets, uint32_t a, uint32_t b);

/* Returns the elements of a set in increasing order; a special set has none. Valid until a set is
 * created. */
const uint32_t *hpp__sets_elements(const hpp__sets *sets, uint32_t set, uint32_t *n);

#endif

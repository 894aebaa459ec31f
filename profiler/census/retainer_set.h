/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Retainer sets: each one exists once and is known by its number, so that equal sets are equal
 * numbers and a union that changes nothing is seen at once. Sets stay for the life of a profile:
 * successive censuses have most of them in common.
 *
 * The sets above the limit are one set, MANY. Union with MANY is MANY; so the result for an object
 * is its true set, or MANY when that is too large, in whatever order the retainers are found.
 */
#ifndef HPP_RETAINER_SET_H
#define HPP_RETAINER_SET_H

#include "base/map.h"

enum {
    HPP__SET_NONE = 0,          /* the empty set: reached by no root */
    HPP__SET_MANY = 1,          /* too large */
    HPP__SET_OUT_OF_MEMORY = 2, /* could not be made; takes in all others, MANY included */
    HPP__FIRST_SET = 3
};

typedef struct hpp__set {
    uint64_t hash; /* the sum of its elements' hashes: the order of additions does not matter */
    size_t first_index; /* of its elements, increasing, in the pool */
    uint32_t n;
} hpp__set;

/* A union done before. */
typedef struct hpp__union {
    uint32_t a, b, result;
} hpp__union;

#define HPP__N_UNIONS 4096u

typedef struct hpp__sets {
    uint32_t max_elements;
    hpp__set *sets; /* by number */
    size_t sets_capacity;
    uint32_t n_sets; /* numbers given, the three special ones included */
    uint32_t *pool;  /* elements of all sets */
    size_t n_pool, pool_capacity;
    hpp__map by_hash;  /* hash -> number; equal hashes take the odd numbers behind */
    uint64_t n_failed; /* sets that found no memory */
    hpp__union unions[HPP__N_UNIONS];
} hpp__sets;

/* False when there is no memory. */
bool hpp__sets_init(hpp__sets *sets, uint32_t max_elements);
void hpp__sets_finish(hpp__sets *sets);

/* The set of one element. */
uint32_t hpp__sets_singleton(hpp__sets *sets, uint32_t element);

/* The set of all elements of both. */
uint32_t hpp__sets_union(hpp__sets *sets, uint32_t a, uint32_t b);

/* The elements of a set, increasing; none of the special sets. Borrowed until a set is made. */
const uint32_t *hpp__sets_elements(const hpp__sets *sets, uint32_t set, uint32_t *n);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Elements of all sets lie in one pool. A new set is written to the end of the pool first; when it
 * turns out to exist already, the pool is cut back.
 */
#include "retainer_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static uint32_t add_set(hpp__sets *s, uint64_t hash, uint32_t n)
{
    if (s->n_sets == UINT32_MAX ||
        !HPF__ARRAY_RESERVE_ZEROED(s->sets, s->sets_capacity, s->n_sets + (size_t)1)) {
        return HPP__SET_OUT_OF_MEMORY;
    }
    s->sets[s->n_sets] = (hpp__set){hash, s->n_pool, n};
    s->n_pool += n;
    return s->n_sets++;
}

/* Finds or creates the set of the `n` elements after the end of the pool. */
static uint32_t intern(hpp__sets *s, uint32_t n)
{
    const uint32_t *elements = s->pool + s->n_pool;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t mixed = (elements[i] + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
        mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        hash += mixed ^ mixed >> 27; /* in any order */
    }
    for (uint64_t key = hash | 1;; key += 2) {
        uint64_t *number = hpp__map_add(&s->by_hash, key);
        if (!number) {
            return HPP__SET_OUT_OF_MEMORY;
        }
        if (*number == HPP__SET_NONE) {
            uint32_t made = add_set(s, hash, n);
            *number = made == HPP__SET_OUT_OF_MEMORY ? HPP__SET_NONE : made;
            return made;
        }
        const hpp__set *set = &s->sets[*number];
        if (set->hash == hash && set->n == n &&
            memcmp(s->pool + set->first_index, elements, n * sizeof *elements) == 0) {
            return (uint32_t)*number;
        }
    }
}

static uint32_t noted(hpp__sets *s, uint32_t set)
{
    s->n_failed += set == HPP__SET_OUT_OF_MEMORY;
    return set;
}

static bool reserve(hpp__sets *s, uint32_t n)
{
    return HPF__ARRAY_RESERVE(s->pool, s->pool_capacity, s->n_pool + n);
}

uint32_t hpp__sets_singleton(hpp__sets *s, uint32_t element)
{
    if (!reserve(s, 1)) {
        return noted(s, HPP__SET_OUT_OF_MEMORY);
    }
    s->pool[s->n_pool] = element;
    return noted(s, intern(s, 1));
}

/* Merges two sets after the end of the pool, which has room. Returns the number of elements. */
static uint32_t merge(hpp__sets *s, const hpp__set *a, const hpp__set *b)
{
    const uint32_t *from = s->pool + a->first_index, *end = from + a->n;
    const uint32_t *other = s->pool + b->first_index, *other_end = other + b->n;
    uint32_t *out = s->pool + s->n_pool;
    uint32_t n = 0;
    while (from < end && other < other_end) {
        uint32_t least = *from < *other ? *from : *other;
        from += *from == least;
        other += *other == least;
        out[n++] = least;
    }
    while (from < end) {
        out[n++] = *from++;
    }
    while (other < other_end) {
        out[n++] = *other++;
    }
    return n;
}

static uint32_t unite(hpp__sets *s, uint32_t a, uint32_t b)
{
    uint32_t room = s->sets[a].n + s->sets[b].n;
    if (!reserve(s, room)) {
        return HPP__SET_OUT_OF_MEMORY;
    }
    uint32_t n = merge(s, &s->sets[a], &s->sets[b]);
    return n > s->max_elements ? HPP__SET_MANY : intern(s, n);
}

uint32_t hpp__sets_union(hpp__sets *s, uint32_t a, uint32_t b)
{
    if (a == b || b == HPP__SET_NONE) {
        return a;
    }
    if (a == HPP__SET_NONE) {
        return b;
    }
    if (a < HPP__FIRST_SET || b < HPP__FIRST_SET) {
        return a == HPP__SET_OUT_OF_MEMORY || b == HPP__SET_OUT_OF_MEMORY ? HPP__SET_OUT_OF_MEMORY
                                                                          : HPP__SET_MANY;
    }
    hpp__union *known = &s->unions[(a * UINT32_C(0x9e3779b1) ^ b) % HPP__N_UNIONS];
    if (known->a != a || known->b != b) {
        uint32_t result = unite(s, a, b);
        if (result == HPP__SET_OUT_OF_MEMORY) {
            return noted(s, result);
        }
        *known = (hpp__union){a, b, result};
    }
    return known->result;
}

const uint32_t *hpp__sets_elements(const hpp__sets *s, uint32_t set, uint32_t *n)
{
    *n = s->sets[set].n;
    return s->pool + s->sets[set].first_index;
}

bool hpp__sets_init(hpp__sets *s, uint32_t max_elements)
{
    *s = (hpp__sets){.max_elements = max_elements, .n_sets = HPP__FIRST_SET};
    s->unions = calloc(HPP__N_UNIONS, sizeof *s->unions);
    return s->unions && HPF__ARRAY_RESERVE_ZEROED(s->sets, s->sets_capacity, HPP__FIRST_SET) &&
           reserve(s, 1);
}

void hpp__sets_finish(hpp__sets *s)
{
    hpp__map_finish(&s->by_hash);
    free(s->sets);
    free(s->pool);
    free(s->unions);
    s->sets = NULL;
    s->pool = NULL;
    s->unions = NULL;
}

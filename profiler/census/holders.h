/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What holds the retainers: the retainer sets of retainers, by their identity. From a set of
 * retainers, they lead to the sets that hold these, and so on to the roots.
 */
#ifndef HPP_HOLDERS_H
#define HPP_HOLDERS_H

#include "base/map.h"

/* In place of a set: the retainer is a root. */
#define HPP__SET_OF_ROOT UINT32_MAX

/* Retainers with one identity and one set. */
typedef struct hpp__holding {
    uint32_t retainer, set;
    uint64_t size_bytes, n_objects;      /* in this census */
    uint64_t most_bytes, n_most_objects; /* in the census in which they were largest */
} hpp__holding;

typedef struct hpp__holders {
    hpp__map index_of; /* identity and set -> index + 1 */
    hpp__holding *all;
    size_t n, capacity;
} hpp__holders;

void hpp__holders_finish(hpp__holders *holders);

/* Add a retainer in a census; end the census. hpp__holders_add returns false without memory: then
 * one is missing. */
bool hpp__holders_add(hpp__holders *holders, uint32_t retainer, uint32_t set, uint64_t size_bytes);
void hpp__holders_end(hpp__holders *holders);

#endif

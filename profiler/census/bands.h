/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From keys and their costs to the bands of a result. A key gets its band, an index and a name,
 * when it first costs something; both stay. What finds no memory for a band goes into one that is
 * always there.
 */
#ifndef HPP_BANDS_H
#define HPP_BANDS_H

#include "hpfile/arena.h"
#include "hpprof/census_types.h"
#include "base/text.h"

/* Appends the name of a key. */
typedef void hpp__write_name(uint32_t key, hpp__text *out, void *context);

typedef struct hpp__bands {
    hpf_arena *arena; /* of the names; borrowed */
    hpp__write_name *write_name;
    void *context;
    hpp_band *bands;  /* by index; room for one more than n_bands */
    hpp_band *shown;  /* those that cost something, after hpp__bands_end; the same room */
    uint32_t *key_of; /* by index; of the band for what is lost, its key */
    size_t bands_capacity, shown_capacity, key_of_capacity;
    uint32_t n_bands;
    uint32_t *index_of; /* by key: index + 1, or 0 */
    size_t index_of_capacity;
    uint32_t lost_key;   /* has the band for what is lost, too */
    uint32_t lost_index; /* + 1, or 0 */
} hpp__bands;

/* False when there is no memory. `lost_key` is the key of what could not be told apart. */
bool hpp__bands_init(hpp__bands *bands, uint32_t lost_key, hpp__write_name *write_name,
                     void *context, hpf_arena *arena);
void hpp__bands_finish(hpp__bands *bands);

/* A result: begin, add any number of costs per key, end with the bands in `result`. */
void hpp__bands_begin(hpp__bands *bands);
void hpp__bands_add(hpp__bands *bands, uint32_t key, uint64_t size_bytes);
void hpp__bands_end(hpp__bands *bands, hpp_census_result *result);

#endif

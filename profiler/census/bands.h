/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the bands of a result from keys and their costs. A key gets its band (index and name) with
 * its first cost, and keeps it. Without memory for a new band, costs go to the lost band, which
 * always exists.
 */
#ifndef HPP_BANDS_H
#define HPP_BANDS_H

#include "base/arena.h"
#include "hpprof/census_types.h"
#include "result.h"
#include "base/text.h"

/* Appends the name of a key. */
typedef void hpp__write_name(uint32_t key, hpp__text *out, void *context);

typedef struct hpp__bands {
    hpf_arena *arena; /* of the names; borrowed */
    hpp__write_name *write_name;
    void *context;
    hpp_band *bands;  /* by index; room for one more than n_bands */
    hpp_band *shown;  /* those with costs, after hpp__bands_end; the same room */
    uint32_t *key_of; /* by index */
    size_t bands_capacity, shown_capacity, key_of_capacity;
    uint32_t n_bands;
    uint32_t *index_of; /* by key: index + 1, or 0 */
    size_t index_of_capacity;
    uint32_t lost_key;   /* the key of the lost band */
    uint32_t lost_index; /* + 1, or 0 */
} hpp__bands;

/* Initialises bands. Returns false without memory. */
bool hpp__bands_init(hpp__bands *bands, uint32_t lost_key, hpp__write_name *write_name,
                     void *context, hpf_arena *arena);
void hpp__bands_finish(hpp__bands *bands);

/* Make a result: begin; add any number of costs; end, which stores the bands in `result`. */
void hpp__bands_begin(hpp__bands *bands);
void hpp__bands_add(hpp__bands *bands, uint32_t key, uint64_t size_bytes);
void hpp__bands_end(hpp__bands *bands, hpp_census_result *result);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The private state of the engine of hpprof/census.h.
 */
#ifndef HPP_CENSUS_H
#define HPP_CENSUS_H

#include <pthread.h>

#include "bands.h"
#include "biography.h"
#include "hpprof/census.h"
#include "band_key.h"
#include "restrict.h"
#include "retainer.h"

struct hpp_census {
    hpp_heap heap;
    hpf_breakdown breakdown;
    bool has_retainers, has_biography, uses_sums;
    bool count_stacks, many_threads;
    bool has_ended; /* all objects are dead */
    uint32_t max_name_bytes;
    uint32_t lost_key;    /* of the breakdown: the band OUT_OF_MEMORY */
    pthread_mutex_t lock; /* of the biography, its memos included, when there are many threads */
    hpf_arena *arena;
    hpp__restrict restrictions;
    hpp__band_keys keys; /* for breakdowns by producer, module, description, type or kind */
    hpp__retainer retainer;
    hpp__biography biography;
    hpp__bands bands;
    uint64_t *counts; /* bytes by key, in a census without biography */
    size_t counts_capacity;
    hpp_census_result result;
};

#endif

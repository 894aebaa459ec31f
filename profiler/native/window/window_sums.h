/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The counters of a window, added up: what each site has cost in all threads together. A census is
 * one walk over the cells that exist; chunks that no thread has touched cost nothing.
 *
 * The program goes on counting during the walk. Of each cell the frees are read before the
 * allocations, so that a thread never seems to free more than it has; a block that goes from thread
 * to thread in that moment can make one site's frees exceed its allocations, and live amounts are
 * taken as 0 then. At rest, and after the end, all sums are exact.
 */
#ifndef HPP_NATIVE_WINDOW_SUMS_H
#define HPP_NATIVE_WINDOW_SUMS_H

#include <stdbool.h>

#include "window_reader.h"

/* The counters of a site, or of several together. */
typedef struct hpp__costs {
    uint64_t allocations, allocated_bytes;
    uint64_t frees, freed_bytes;
} hpp__costs;

/* What is alive of it; 0 where frees seem to exceed allocations. */
static inline uint64_t hpp__costs_live_bytes(const hpp__costs *costs)
{
    uint64_t live = costs->allocated_bytes - costs->freed_bytes;
    return live >> 63 ? 0 : live;
}

static inline uint64_t hpp__costs_live_blocks(const hpp__costs *costs)
{
    uint64_t live = costs->allocations - costs->frees;
    return live >> 63 ? 0 : live;
}

static inline void hpp__costs_add(hpp__costs *to, const hpp__costs *from)
{
    to->allocations += from->allocations;
    to->allocated_bytes += from->allocated_bytes;
    to->frees += from->frees;
    to->freed_bytes += from->freed_bytes;
}

typedef struct hpp__window_sums {
    hpp__costs *sites; /* by site */
    uint32_t n_sites;
    uint64_t *allocated_bytes; /* by slot, of all its threads */
    uint32_t n_slots;
    size_t sites_capacity, slots_capacity;
} hpp__window_sums;

/* Adds up all cells as they are now; the reader was refreshed. False: no memory, and the sums are
 * those of before. Accepts zeroed sums. */
bool hpp__window_sums_take(hpp__window_sums *sums, const hpp__window_reader *reader);

void hpp__window_sums_finish(hpp__window_sums *sums);

#endif

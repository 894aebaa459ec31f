/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sums the counters of a window by site, over all threads. A census is one walk over the existing
 * cells; chunks that no thread has used take no time.
 *
 * The program continues to count during the walk. The frees of a cell are read before its
 * allocations, so that a thread never seems to free more than it has allocated. A block that moves
 * between threads meanwhile can make the frees of a site exceed its allocations; live amounts are 0
 * then. All sums are exact while the program does not run, and after its end.
 */
#ifndef HPP_NATIVE_WINDOW_WINDOW_SUMS_H
#define HPP_NATIVE_WINDOW_WINDOW_SUMS_H

#include <stdbool.h>

#include "window_reader.h"

/* The counters of a site, or of several together. */
typedef struct hpp__costs {
    uint64_t allocations, allocated_bytes;
    uint64_t frees, freed_bytes;
} hpp__costs;

/* Return the live amounts of a site; 0 if frees exceed allocations. */
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

/* Sums all cells; call hpp__window_reader_refresh before. Accepts zeroed sums. Returns false
 * without memory; the sums are unchanged then. */
bool hpp__window_sums_take(hpp__window_sums *sums, const hpp__window_reader *reader);

/* Sums the live amounts of the latest peak; nothing else of it is known. Stores in `peak` which
 * one. Returns false if there is none, or it cannot be read now, or without memory. */
bool hpp__window_sums_take_peak(hpp__window_sums *sums, hpp__window_peak *peak,
                                const hpp__window_reader *reader);

/* Return the live bytes of all sites, and all of their counters. */
uint64_t hpp__window_sums_live_bytes(const hpp__window_sums *sums);
hpp__costs hpp__window_sums_total(const hpp__window_sums *sums);

void hpp__window_sums_finish(hpp__window_sums *sums);

#endif

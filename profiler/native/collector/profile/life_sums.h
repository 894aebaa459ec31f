/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sums the lives of a window: the bytes of each site by phase, in an era.
 *
 * Threads: one thread at a time; the program may write meanwhile.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_LIFE_SUMS_H
#define HPP_NATIVE_COLLECTOR_PROFILE_LIFE_SUMS_H

#include "native/window/window_reader.h"

/* The bytes of a site by phase. While the program runs, one may be less than 0 for a moment. */
typedef struct hpp__site_phases {
    int64_t bytes[HPP_N_PHASES];
} hpp__site_phases;

typedef struct hpp__life_sums {
    hpp_window_life *changes; /* by era */
    hpp__site_phases *sites;
    size_t n_changes, changes_capacity, sites_capacity;
    size_t n_done; /* changes that are in the sums */
    uint32_t n_sites;
} hpp__life_sums;

/* Copies the changes of a window and sets all sums to 0. Accepts zeroed lives. Returns false
 * without memory; there are no changes then. */
bool hpp__life_sums_load(hpp__life_sums *lives, const hpp__window_reader *reader);

/* Adds the changes up to an era, which must not decrease. */
void hpp__life_sums_advance(hpp__life_sums *lives, uint32_t era);

void hpp__life_sums_finish(hpp__life_sums *lives);

#endif

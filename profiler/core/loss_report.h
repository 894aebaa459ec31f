/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a profile lacks for want of memory, in words.
 */
#ifndef HPP_MISSING_H
#define HPP_MISSING_H

#include "hpfile/sink.h"
#include "hpprof/profiler.h"

typedef struct hpp__missing {
    hpp_missing censuses; /* of all of them */
    hpp_losses stacks;
    uint64_t n_samples;         /* that could not be written */
    uint64_t n_retainer_passes; /* that are not in the report */
    uint64_t n_roots;           /* variables that could not be registered */
    bool no_title;              /* the profile's title lacks options and arguments */
    bool no_ticks;              /* the clock could not be started */
    bool no_places;             /* there was no room to count by address */
    bool no_report;             /* the time and allocation report could not be made */
    bool no_final_biography;    /* what is in the `.hp` file is provisional */
} hpp__missing;

/* What a profiler notes, for adapters that have something to note. */
hpp__missing *hpp__profiler_missing(hpp_profiler *profiler);

/* Adds what one census lacks. */
void hpp__missing_add(hpp__missing *missing, const hpp_missing *census);

bool hpp__missing_is_any(const hpp__missing *missing);

/* One line for each, "Missing: ...". */
void hpp__missing_write(const hpp__missing *missing, hpf_sink *sink);

#endif

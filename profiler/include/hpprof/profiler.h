/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile of a running program, from start to stop: when a census is due, what it writes, and the
 * report at the end.
 *
 *   NAME.hp          the heap profile: a sample per census, each written whole when it is taken.
 *                    A biography is provisional while the program runs; at the end the file is
 *                    replaced by the final one
 *   NAME.eventlog    the same as an event log (-l), with whole stacks and labels of marks
 *   NAME.prof        the time and allocation report, the retainer censuses and sets, and notes on
 *                    what is missing for want of memory, which make this file even if none was
 * asked NAME.time.bins, NAME.heap.bins   ticks and allocation by address (-B)
 *
 * A profiler never fails its program. Where it cannot start, it is NULL, and all functions below
 * accept that and do nothing. Later failures of memory are noted, those of output come back from
 * hpp_profiler_stop.
 *
 * Threads: start, census, mark, stop and destroy on one thread at a time, census also with the
 * heap at rest; hpp_profiler_census_due and hpp_profiler_allocated_at on any thread. Cost-centre
 * stacks (ccs.h) belong to the process: one profiler at a time makes sense.
 */
#ifndef HPPROF_PROFILER_H
#define HPPROF_PROFILER_H

#include "hpprof/ccs.h"
#include "hpprof/census.h"
#include "hpprof/clock.h"
#include "hpprof/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to profile. Everything is borrowed until the profiler is destroyed. Zero means the default,
 * where one is given. */
typedef struct hpp_config {
    const hpp_options *options;
    const char *program;          /* its path; the last part names the output */
    const char *const *arguments; /* without the profiler's */
    size_t n_arguments;
    const char *date;     /* for titles; NULL: now, as "Sat Nov 21 02:07 2026" */
    const hpp_heap *heap; /* NULL: no heap, which is an error with -h */
    hpp_clock clock;      /* hpp_clock_cpu */
    hpp_ticker ticker;    /* HPP_TICKER_THREAD */
    /* NULL, or who else is told the samples as they are taken. */
    const hpf_events *events;
    void *events_context;
} hpp_config;

typedef struct hpp_profiler hpp_profiler;

/* Starts what the options ask for; `*out` is NULL when they ask for nothing, and after a failure.
 * Errors: MEMORY; IO when the output cannot be made; ARGUMENT when options and heap do not fit;
 * UNSUPPORTED for a second signal ticker. */
HPF_API HPF_MUST_USE hpf_status hpp_profiler_start(hpp_profiler **out, const hpp_config *config,
                                                   hpf_error *err);

/* Whether it is time for a census: the program then collects all garbage and calls
 * hpp_profiler_census. Always true with -i0. Costs a look at the clock. */
HPF_API bool hpp_profiler_census_due(const hpp_profiler *profiler);

/* Takes a census now, due or not. The time it takes is not on the profile's clock, and its ticks go
 * to OVERHEAD. */
HPF_API void hpp_profiler_census(hpp_profiler *profiler);

/* The engine, for the hooks of a biography; NULL without a heap profile. */
HPF_API hpp_census *hpp_profiler_engine(hpp_profiler *profiler);

/* The profile's clock: seconds since the start. */
HPF_API double hpp_profiler_time_s(const hpp_profiler *profiler);

/* Marks this moment in the heap profile. */
HPF_API void hpp_profiler_mark(hpp_profiler *profiler, hpf_str label);

/* Counts an allocation at a place of the code for -B; NULL: a place that is not known. */
HPF_API void hpp_profiler_allocated_at(hpp_profiler *profiler, const void *place, size_t n_bytes);

/* For a runtime that raises an exception: with -xc, writes what it is and the cost-centre stack to
 * a file descriptor. */
HPF_API void hpp_profiler_exception(const hpp_profiler *profiler, const char *what, int fd);

/* Ends the profile and writes what is left. Errors: the first that any output met. A second call
 * does nothing. */
HPF_API HPF_MUST_USE hpf_status hpp_profiler_stop(hpp_profiler *profiler, hpf_error *err);

/* Frees a profiler; what was not stopped is cut off as if the program had died. */
HPF_API void hpp_profiler_destroy(hpp_profiler *profiler);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of a profile: start, censuses, and the files that it writes.
 *
 *   NAME.hp          the heap profile: each census writes one complete sample. A biography is
 *                    provisional until the end, when the file is replaced by the final one
 *   NAME.lines       number and sizes of retainer sets, and visits per object, over time (-hr)
 *   NAME.eventlog    the same as an event log (-l), with whole stacks, labels of marks, the ticks
 *                    of a time profile, and what the runtime adds (log.h)
 *   NAME.prof        the time and allocation report, retainer censuses and sets, and what is
 *                    missing for lack of memory; if something is, also without -p
 *   NAME.heapsnapshot
 *                    objects and references at one census (--snapshot, hpp_profiler_snapshot), for
 *                    `census report --dominators` and DevTools of Chrome
 *   NAME.time.bins, NAME.heap.bins
 *                    ticks and allocation by address (-B)
 *
 * A profiler never stops its program. If it cannot start, it is NULL, which all functions below
 * accept and ignore. The `.prof` file lists later failures of memory; hpp_profiler_stop returns
 * errors of output.
 *
 * Threads: call hpp_profiler_census_due and hpp_profiler_allocated_at on any thread, the other
 * functions on one thread at a time. The heap must not change during hpp_profiler_census.
 * Cost-centre stacks (ccs.h) belong to the process: use one profiler at a time.
 */
#ifndef HPPROF_PROFILER_H
#define HPPROF_PROFILER_H

#include "hpprof/ccs.h"
#include "hpprof/census_types.h"
#include "hpprof/clock.h"
#include "hpprof/options.h"

HPF_BEGIN_DECLS

/* What to profile. Everything is borrowed until the profiler is destroyed. Zero means the default
 * given here. */
typedef struct hpp_config {
    size_t size;                  /* of the struct (hpfile/version.h) */
    const hpp_options *options;   /* NULL: no profile */
    const char *program;          /* its path; output is named by the last part */
    const char *const *arguments; /* without the profiler's */
    size_t n_arguments;
    const char *date;     /* for titles; NULL: now, as "Sat Nov 21 02:07 2026" */
    const hpp_heap *heap; /* NULL: none, which is an error with -h */
    hpp_clock clock;      /* hpp_clock_cpu */
    hpp_ticker ticker;    /* HPP_TICKER_THREAD */
    /* Callbacks for the samples as they are taken; may be NULL. */
    const hpf_events *events;
    void *events_context;
} hpp_config;

typedef struct hpp_profiler hpp_profiler;

/* Starts a profile. Sets `*out` to NULL if the options contain no profile, and after a failure.
 * Errors: MEMORY; IO if the output cannot be created; ARGUMENT if the heap lacks what the options
 * need; UNSUPPORTED for a second signal ticker. */
HPF_API HPF_MUST_USE hpf_status hpp_profiler_start(hpp_profiler **out, const hpp_config *config,
                                                   hpf_error *err);

/* Returns whether a census is due: then collect all garbage and call hpp_profiler_census. Always
 * true with -i0. Reads the clock. */
HPF_API bool hpp_profiler_census_due(const hpp_profiler *profiler);

/* Takes a census now, due or not. The profile's clock stops meanwhile, and ticks go to OVERHEAD. */
HPF_API void hpp_profiler_census(hpp_profiler *profiler);

/* Returns the time of the profile's clock since the start, in seconds. */
HPF_API double hpp_profiler_time_s(const hpp_profiler *profiler);

/* Marks this moment in the heap profile. */
HPF_API void hpp_profiler_mark(hpp_profiler *profiler, hpf_str label);

/* Writes NAME.heapsnapshot now, in place of an older one. Call it after a complete collection. The
 * profile's clock stops meanwhile. Errors: MEMORY; LIMIT; IO; ARGUMENT for a heap without roots or
 * children. */
HPF_API HPF_MUST_USE hpf_status hpp_profiler_snapshot(hpp_profiler *profiler, hpf_error *err);

/* Counts an allocation at a code address, for -B; NULL is an unknown address. */
HPF_API void hpp_profiler_allocated_at(hpp_profiler *profiler, const void *place, size_t n_bytes);

/* With -xc, writes an exception's text and the cost-centre stack to a file descriptor. For runtimes
 * that raise exceptions. */
HPF_API void hpp_profiler_exception(const hpp_profiler *profiler, const char *what, int fd);

/* Ends the profile and completes its files. A second call does nothing. Errors: the first of any
 * output. */
HPF_API HPF_MUST_USE hpf_status hpp_profiler_stop(hpp_profiler *profiler, hpf_error *err);

/* Frees a profiler. Without hpp_profiler_stop, its files end as if the program had been killed. */
HPF_API void hpp_profiler_destroy(hpp_profiler *profiler);

HPF_END_DECLS
#endif

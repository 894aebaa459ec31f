/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the stacks of a native program have cost since it started, and the time and allocation
 * report of that, in the layout of GHC's: functions are the cost centres. An entry is an
 * allocation.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_STACK_COSTS_H
#define HPP_NATIVE_COLLECTOR_PROFILE_STACK_COSTS_H

#include <pthread.h>

#include "hpprof/options.h"
#include "hpfile/sink.h"
#include "site_heap.h"

/* The title of a report. */
typedef struct hpp__report_title {
    hpf_str date, program, command;
    const hpf_str *arguments;
    size_t n_arguments;
} hpp__report_title;

/* Writes the report of the given sums, in the form that `options` set. Errors: MEMORY. */
hpf_status hpp__cost_report_write(hpf_sink *sink, hpp__site_heap *heap,
                                  const hpp__window_sums *sums, const hpp_options *options,
                                  const hpp__report_title *title, hpf_error *err);

/* Clock ticks by id of their stack, grown as stacks are found; the caller frees `by_stack`. */
typedef struct hpp__stack_ticks {
    uint64_t *by_stack;
    size_t capacity;
} hpp__stack_ticks;

/* Adds all ticks since the program started. Without memory for a stack, its ticks are omitted. */
void hpp__stack_ticks_count(hpp__stack_ticks *ticks, hpp__site_heap *heap,
                            const hpp__window_sums *sums);

/* The costs of all stacks at one moment. */
typedef struct hpp__all_costs {
    struct hpp__stack_entry {
        const hpp__stack *stack;
        hpp_stack_costs costs;
        uint64_t entries;
    } * list; /* by id of the stack */
    size_t n;
    bool has_entries; /* functions have reported theirs (census cc) */
} hpp__all_costs;

/* Stores the costs of all stacks. The caller frees the list. Errors: MEMORY. */
hpf_status hpp__all_costs_count(hpp__all_costs *out, hpp__named_stacks *stacks,
                                const hpp__window_sums *sums, hpf_error *err);

/* The latest costs and sample of a process, for other threads. */
typedef struct hpp__shared_costs {
    pthread_mutex_t lock;
    hpp__all_costs costs;
    hpp_latest latest; /* without samples: there is none */
} hpp__shared_costs;

/* Replaces the costs, and frees the earlier ones. */
void hpp__shared_costs_replace(hpp__shared_costs *shared, const hpp__all_costs *costs);

/* Replaces the sample; copies its bands, whose names are borrowed. Without memory, the earlier one
 * stays. */
void hpp__shared_costs_sample(hpp__shared_costs *shared, const hpp_latest *latest);

/* Frees the costs and the sample: there are none any more. */
void hpp__shared_costs_clear(hpp__shared_costs *shared);

/* Visits the costs of all stacks that have any. */
void hpp__shared_costs_visit(hpp__shared_costs *shared, hpp_visit_costs *visit, void *context);

/* Visits the sample, if there is one. */
void hpp__shared_costs_visit_latest(hpp__shared_costs *shared, hpp_visit_latest *visit,
                                    void *context);

#endif

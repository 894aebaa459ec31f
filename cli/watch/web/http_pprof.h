/* SPDX-License-Identifier: BSD-2-Clause
 *
 * For pprof: the live heap of files that grow, which is the stacks of their latest samples, added
 * up; the live heap, allocations and processor time of the programs of a collector; and allocations
 * and processor time that files have.
 */
#ifndef CENSUS_WATCH_HTTP_PPROF_H
#define CENSUS_WATCH_HTTP_PPROF_H

#include "hpfile/stacks.h"
#include "hpfile/sink.h"
#include "hpprof/collector.h"

#include "watch/loop/watch.h"
#include "http_guard.h"

/* One profile for pprof. All zero: empty. */
typedef struct http_pprof {
    hpf_stacks *stacks;
    hpf_stack_amounts amounts;
    hpf_survey *survey; /* of the first profile; borrowed until its profile changes */
    double time;        /* of its latest sample */
} http_pprof;

/* Adds the latest sample of a profile; profiles without a sample, or with another unit than the
 * first one, are left out. Errors: MEMORY, LIMIT, from the survey. */
HPF_MUST_USE hpf_status http_pprof_add(http_pprof *p, const watched *profile, hpf_error *err);

/* Writes the profile, if there was a sample. Errors: END without one; MEMORY, from the sink. */
HPF_MUST_USE hpf_status http_pprof_write(const http_pprof *p, hpf_sink *sink, hpf_error *err);
void http_pprof_finish(http_pprof *p);

enum {
    HTTP_ALLOCATIONS,
    HTTP_ALLOCATED_BYTES,
    HTTP_LIVE_BLOCKS,
    HTTP_LIVE_BYTES,
    HTTP_TICKS,
    HTTP_N_COSTS
};

/* Costs of stacks: so far, or from one moment to another. */
typedef struct http_costs {
    hpf_stacks *stacks;
    hpf_stack_amounts amounts[HTTP_N_COSTS]; /* below 0: of a process that has ended */
    double tick_ns;                          /* 0: unknown */
    bool has_blocks;                         /* not only bytes are known */
    uint32_t process_id;                     /* of a collector; 0: all */
    double begin_s;    /* clock_now_s() of a measurement; 0: of all costs so far */
    uint32_t epoch;    /* of the profile that was subtracted */
    hpf_status status; /* the first error */
} http_costs;

/* Costs of one process of a collector; 0: of all that is added. Returns NULL without memory. */
http_costs *http_costs_create(uint32_t process_id);
void http_costs_destroy(http_costs *costs);

/* Returns why a collector has no costs of a process alone; NULL if it has. */
const char *http_costs_refused(const hpp_collector *collector, uint32_t process_id);

/* Add what the programs of a collector, or the stacks of a profile, have cost until now. */
void http_costs_add_programs(http_costs *costs, const hpp_collector *collector);
void http_costs_add_profile(http_costs *costs, const watched *profile, http_place where);

/* Returns whether a profile has costs for a place: allocations or processor time. */
bool http_costs_are_in(const watched *profile, http_place where);

/* Begins a measurement: what was added is subtracted from what is added later. */
void http_costs_begin(http_costs *costs);

/* Writes what belongs to a place: the live heap, the allocations, or the processor time. Errors:
 * END without a sample of the heap; MEMORY, LIMIT, from the sink. */
HPF_MUST_USE hpf_status http_costs_write(http_costs *costs, hpf_str program, http_place where,
                                         hpf_sink *sink, hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The time profile of an event log (`+RTS -p -l`): the stack at each tick, as a tree of cost-centre
 * stacks for hpfile/prof.h. Logs have neither entries nor allocation: these are 0.
 *
 * Memory: cost centres and different stacks; samples only where their order is kept.
 */
#ifndef HPFILE_EVENTLOG_TIME_H
#define HPFILE_EVENTLOG_TIME_H

#include "eventlog/eventlog.h"
#include "prof/prof.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_eventlog_time hpf_eventlog_time;

/* Returns NULL when there is no memory. */
HPF_API hpf_eventlog_time *hpf_eventlog_time_create(void);
HPF_API void hpf_eventlog_time_destroy(hpf_eventlog_time *time);

/* Reads a record; records of other types are ignored. Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_time_note(hpf_eventlog_time *time,
                                                       const hpf_event *event, hpf_error *err);

/* Returns whether there were ticks, or how long they are. */
HPF_API bool hpf_eventlog_time_has_begun(const hpf_eventlog_time *time);

/* Returns the number of ticks so far. */
HPF_API uint64_t hpf_eventlog_time_n_ticks(const hpf_eventlog_time *time);

/* Stores each sample from now on, for hpf_eventlog_time_samples. */
HPF_API void hpf_eventlog_time_keep_order(hpf_eventlog_time *time);

/* A tick of one capability. */
typedef struct hpf_time_sample {
    uint64_t time_ns;
    uint32_t stack; /* index into hpf_prof.stacks */
    uint16_t cap;
} hpf_time_sample;

/* Returns the stored samples, by capability, then by time. Borrowed until the next record. */
HPF_API const hpf_time_sample *hpf_eventlog_time_samples(hpf_eventlog_time *time,
                                                         size_t *n_samples);

/* Stores the profile so far, with cost centres in the order of their definition. Borrowed until the
 * next call. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_time_profile(hpf_eventlog_time *time, hpf_prof *out,
                                                          hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif

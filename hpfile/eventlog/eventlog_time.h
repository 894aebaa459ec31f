/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The time profile of an event log (`+RTS -p -l`): where the program was at each tick, as a tree of
 * cost-centre stacks for hpfile/prof.h. Logs know neither entries nor allocation: those are 0.
 *
 * Memory: cost centres and different stacks; samples only where their order is kept.
 */
#ifndef HPFILE_EVENTLOG_TIME_H
#define HPFILE_EVENTLOG_TIME_H

#include "hpfile/eventlog.h"
#include "hpfile/prof.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_eventlog_time hpf_eventlog_time;

/* NULL when there is no memory. */
HPF_API hpf_eventlog_time *hpf_eventlog_time_create(void);
HPF_API void hpf_eventlog_time_destroy(hpf_eventlog_time *time);

/* Notes an event; those that say nothing of time do nothing. Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_time_note(hpf_eventlog_time *time,
                                                       const hpf_event *event, hpf_error *err);

/* Ticks noted so far. */
HPF_API uint64_t hpf_eventlog_time_n_ticks(const hpf_eventlog_time *time);

/* From now on keeps each sample, for hpf_eventlog_time_samples. */
HPF_API void hpf_eventlog_time_keep_order(hpf_eventlog_time *time);

/* A tick of one capability. */
typedef struct hpf_time_sample {
    uint64_t time_ns;
    uint32_t stack; /* index into hpf_prof.stacks */
    uint16_t cap;
} hpf_time_sample;

/* The samples that were kept: capability by capability, each in the order of time. Borrowed until
 * the next note or the end. */
HPF_API const hpf_time_sample *hpf_eventlog_time_samples(hpf_eventlog_time *time,
                                                         size_t *n_samples);

/* What was noted, with cost centres in the order of their definition. Borrowed until the next call
 * or the end. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_time_profile(hpf_eventlog_time *time, hpf_prof *out,
                                                          hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif

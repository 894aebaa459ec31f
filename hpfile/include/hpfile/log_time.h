/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The time profile of an event log (`+RTS -p -l`): where the program was at each tick, as a tree of
 * cost-centre stacks for hpfile/prof.h. Logs know neither entries nor allocation: those are 0.
 *
 * Memory: cost centres and different stacks, never samples.
 */
#ifndef HPFILE_LOG_TIME_H
#define HPFILE_LOG_TIME_H

#include "hpfile/eventlog.h"
#include "hpfile/prof.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_log_time hpf_log_time;

/* NULL when there is no memory. */
HPF_API hpf_log_time *hpf_log_time_create(void);
HPF_API void hpf_log_time_destroy(hpf_log_time *time);

/* Notes an event; those that say nothing of time do nothing. Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_log_time_note(hpf_log_time *time, const hpf_event *event,
                                                  hpf_error *err);

/* Ticks noted so far. */
HPF_API uint64_t hpf_log_time_n_ticks(const hpf_log_time *time);

/* What was noted, with cost centres in the order of their definition. Borrowed until the next call
 * or the end. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_log_time_profile(hpf_log_time *time, hpf_prof *out,
                                                     hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif

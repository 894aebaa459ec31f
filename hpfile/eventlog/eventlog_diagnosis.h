/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Why the heap profile of an event log has no samples, or not all, judged by the records so far.
 */
#ifndef HPF_EVENTLOG_DIAGNOSIS_H
#define HPF_EVENTLOG_DIAGNOSIS_H

#include "hpfile/eventlog.h"

#define HPF__PROFILE_LIST_BYTES 48

/* The state of the log. */
typedef struct hpf__eventlog_state {
    const hpf_eventlog_metadata *metadata;
    int profile;    /* the number of the profile that is read; -1: none has begun */
    bool is_chosen; /* by its number */
    uint64_t n_samples;
    uint64_t n_others; /* costs of other profiles */
    bool is_running;   /* there are records after the command line */
    bool is_over;      /* the log has ended */
} hpf__eventlog_state;

/* Returns HPF_OK, or fills `diagnosis` with the status MORE when there are no samples yet, and
 * UNSUPPORTED when samples of other profiles are skipped. */
hpf_status hpf__eventlog_diagnosis(const hpf__eventlog_state *sight, hpf_error *diagnosis);

/* Writes the numbers of the profiles that have begun, each once ("0, 3, 4"), or "none". */
void hpf__eventlog_list_profiles(const hpf_eventlog_metadata *metadata,
                                 char ids[HPF__PROFILE_LIST_BYTES]);

#endif

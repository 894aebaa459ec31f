/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the heap profile of an event log lacks, in words, as far as the log has told.
 */
#ifndef HPF_LOG_CAVEAT_H
#define HPF_LOG_CAVEAT_H

#include "hpfile/eventlog.h"

#define HPF__LOG_IDS_BYTES 48

/* What is known of the log. */
typedef struct hpf__log_sight {
    const hpf_eventlog_metadata *facts;
    int profile;    /* the number of the profile that is read; -1: none was begun yet */
    bool is_chosen; /* by its number */
    uint64_t n_samples;
    uint64_t n_others; /* costs of other profiles */
    bool is_running;   /* the program says more than how it was started */
    bool is_over;      /* no more comes */
} hpf__log_sight;

/* HPF_OK: nothing. Otherwise `caveat` says it, with the status MORE when samples are yet to come,
 * UNSUPPORTED when there are those of other profiles, which are left out. */
hpf_status hpf__eventlog_diagnosis(const hpf__log_sight *sight, hpf_error *caveat);

/* "0, 3, 4": the numbers of the profiles that began, each once; or "none". */
void hpf__log_list_ids(const hpf_eventlog_metadata *facts, char ids[HPF__LOG_IDS_BYTES]);

#endif

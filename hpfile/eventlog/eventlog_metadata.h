/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the metadata of an event log mean.
 */
#ifndef HPF_EVENTLOG_METADATA_H
#define HPF_EVENTLOG_METADATA_H

#include "hpfile/eventlog.h"

/* Returns whether the command line has an option of the run-time system with this beginning. False
 * while the command line is unknown; options may also come from the environment. */
bool hpf__eventlog_metadata_has_option(const hpf_eventlog_metadata *metadata,
                                       const char *beginning);

/* Returns whether GHC's run-time system wrote the log: it is identified as GHC, or not at all. */
bool hpf__eventlog_metadata_is_ghc(const hpf_eventlog_metadata *metadata);

/* Returns the further break-down that the flags of a cost centre mean; NONE if there is none. */
hpf_breakdown hpf__eventlog_further(unsigned flags);

/* Why the heap profile of an event log has no samples, or not all, judged by the records so far. */

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

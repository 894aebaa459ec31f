/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The ticky counters of an event log (a program built with -ticky and -eventlog, `+RTS -lT`): how
 * often each closure was entered, and what it allocated.
 *
 * The run-time system sets its counters to 0 at each sample, so those of all samples are added up;
 * one amount over time is a profile (hpf__eventlog_read_ticky). Definitions may come before or
 * after the samples that use them; GHC writes them when the program ends. Amounts are bytes, as the
 * compiled code counts them.
 *
 * Memory: counters, never samples.
 */
#ifndef HPFILE_EVENTLOG_TICKY_H
#define HPFILE_EVENTLOG_TICKY_H

#include "eventlog/eventlog.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_ticky_counter {
    uint64_t id;           /* an address: what joins definition and samples */
    hpf_str name;          /* "Main.go{v r1zC} (fun)"; empty when it was never defined */
    hpf_str kinds;         /* of the arguments, a letter each */
    hpf_str description;   /* more of it, as JSON; older logs have none */
    uint32_t arity;        /* arguments of a function, fields of a constructor */
    uint64_t entries;      /* how often it was entered */
    uint64_t allocs_bytes; /* that it allocated */
    uint64_t allocd_bytes; /* that were allocated of it; only with -ticky-allocd */
} hpf_ticky_counter;

/* The amounts of a counter over time (hpf_reader_options.value): "ticky-entries", "ticky-allocs",
 * "ticky-allocd", in the order of their fields in a sample; ends with NULL. */
extern const char *const hpf__ticky_values[];

/* Says how to get a log with counters. */
#define HPF_NO_TICKY                                                                               \
    "no ticky counters in the event log: build with -ticky and -eventlog (GHC 9.2 or later) and "  \
    "run with +RTS -lT"

typedef struct hpf_eventlog_ticky hpf_eventlog_ticky;

/* Returns NULL when there is no memory. */
HPF_API hpf_eventlog_ticky *hpf_eventlog_ticky_create(void);
HPF_API void hpf_eventlog_ticky_destroy(hpf_eventlog_ticky *ticky);

/* Reads a record; records of other types are ignored. Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_ticky_note(hpf_eventlog_ticky *ticky,
                                                        const hpf_event *event, hpf_error *err);

HPF_API size_t hpf_eventlog_ticky_n_counters(const hpf_eventlog_ticky *ticky);

/* Fills `counters`, which has room for all: those that allocated most first, then by entries, by
 * what was allocated of them, and by name. Texts are borrowed until the next call of
 * hpf_eventlog_ticky_note. */
HPF_API void hpf_eventlog_ticky_list(const hpf_eventlog_ticky *ticky, hpf_ticky_counter *counters);

/* Returns the name of the counter of a sample, borrowed until the next call of
 * hpf_eventlog_ticky_note; its number, "0x409f78", if it is not defined. */
hpf_str hpf__eventlog_ticky_name(hpf_eventlog_ticky *ticky, const hpf_event *sample);

#ifdef __cplusplus
}
#endif
#endif

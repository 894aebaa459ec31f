/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The garbage collections of an event log (`+RTS -lg`, part of `-l`): when each was, and whether it
 * was a major one, of an older generation than the youngest.
 *
 * Memory: the collections.
 */
#ifndef HPF_EVENTLOG_GC_H
#define HPF_EVENTLOG_GC_H

#include "eventlog/eventlog.h"

typedef struct hpf_eventlog_gc {
    hpf_collection *list; /* as the log has them; see hpf_eventlog_gc_settle */
    size_t n, capacity;
    bool has_statistics; /* they count, and begins do not, of which each capability has its own */
} hpf_eventlog_gc;

/* Notes an event; those of no collection do nothing. The struct begins zeroed. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_gc_note(hpf_eventlog_gc *log, const hpf_event *event,
                                                     hpf_error *err);

/* Puts the collections in the order of time. */
HPF_API void hpf_eventlog_gc_settle(hpf_eventlog_gc *log);
HPF_API void hpf_eventlog_gc_finish(hpf_eventlog_gc *log);

#endif

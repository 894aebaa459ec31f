/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the run-time system of an event log did: its garbage collections (`+RTS -lg`, part of `-l`),
 * and over time its allocation, pauses, threads, sparks and messages.
 *
 * Memory: the collections, and the last state of each capability.
 */
#ifndef HPF_EVENTLOG_ACTIVITY_H
#define HPF_EVENTLOG_ACTIVITY_H

#include "eventlog/eventlog.h"

/* When each collection was, and whether it was a major one, of an older generation than the
 * youngest. */
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

/* Activity between two times. */
typedef struct hpf_eventlog_activity hpf_eventlog_activity;

/* Messages that are kept; later ones are counted. */
enum { HPF_MAX_MESSAGES = 16384 };

/* Returns NULL when there is no memory. `begin_s` is less than `end_s`. */
HPF_API hpf_eventlog_activity *hpf_eventlog_activity_create(double begin_s, double end_s);
HPF_API void hpf_eventlog_activity_destroy(hpf_eventlog_activity *activity);

/* Notes an event; other events do nothing. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_activity_note(hpf_eventlog_activity *activity,
                                                           const hpf_event *event, hpf_error *err);

/* Ends what is not over at `end_s`, and returns the activity, borrowed. Call it once. */
HPF_API const hpf_activity *hpf_eventlog_activity_settle(hpf_eventlog_activity *activity);

#endif

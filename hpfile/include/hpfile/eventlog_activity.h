/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the run-time system of an event log did: its garbage collections (`+RTS -lg`, part of `-l`),
 * and over time its allocation, pauses, threads, sparks and messages.
 *
 * Memory: the collections; a fixed amount for the rest.
 */
#ifndef HPFILE_EVENTLOG_ACTIVITY_H
#define HPFILE_EVENTLOG_ACTIVITY_H

#include "hpfile/eventlog.h"

HPF_BEGIN_DECLS

/* What is known of the activity so far, in at most 13 MiB. */
typedef struct hpf_eventlog_activity hpf_eventlog_activity;

/* When each collection was, and whether it was a major one, of an older generation than the
 * youngest. */
typedef struct hpf_eventlog_gc {
    hpf_collection *list; /* as the log has them; see hpf_eventlog_gc_sort */
    size_t n, capacity;
    bool has_statistics; /* they count, and begins do not, of which each capability has its own */
} hpf_eventlog_gc;

/* Notes an event; one that is of no collection does nothing. The struct begins zeroed. Errors:
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_gc_note(hpf_eventlog_gc *log, const hpf_event *event,
                                                     hpf_error *err);

/* Puts the collections in the order of time, by `clock`, which may be NULL. */
HPF_API void hpf_eventlog_gc_sort(hpf_eventlog_gc *log, const hpf_eventlog_activity *clock);
HPF_API void hpf_eventlog_gc_finish(hpf_eventlog_gc *log);

/* Messages that are kept; others, and all after the first MiB of texts, are counted. */
enum { HPF_MAX_MESSAGES = 16384 };

/* Returns NULL when there is no memory. */
HPF_API hpf_eventlog_activity *hpf_eventlog_activity_create(void);
HPF_API void hpf_eventlog_activity_destroy(hpf_eventlog_activity *activity);

/* Notes an event; other events do nothing. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_activity_note(hpf_eventlog_activity *activity,
                                                           const hpf_event *event, hpf_error *err);

/* From now on, times are the mutator's: the time before the first thread runs, and the sum over
 * processors of the times in which they run threads, as known so far; in logs without threads, the
 * elapsed time without collections. Exact to a 16384th of the elapsed time. Returns false, and does
 * nothing, if there are no such records. */
HPF_API bool hpf_eventlog_activity_use_mutator_clock(hpf_eventlog_activity *activity);

/* Returns the activity between two times, borrowed until the next call with this argument. What is
 * not over is taken to last until `end_s`, or to the last record. Amounts belong to the elapsed
 * time in a cell, scaled to the length of the cell. `begin_s` is less than `end_s` and not
 * negative.
 */
HPF_API const hpf_activity *hpf_eventlog_activity_between(hpf_eventlog_activity *activity,
                                                          double begin_s, double end_s);

/* Returns whether there is something to show. */
HPF_API bool hpf_activity_is_empty(const hpf_activity *activity);

HPF_END_DECLS
#endif

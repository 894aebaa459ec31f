/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap profile of an event log as events. The functions with the names of functions in
 * detect/reader.h do the same.
 */
#ifndef HPF_EVENTLOG_HEAP_H
#define HPF_EVENTLOG_HEAP_H

#include "hpfile/eventlog.h"
#include "hpfile/frame.h"

typedef struct hpf__eventlog_heap hpf__eventlog_heap;

hpf__eventlog_heap *hpf__eventlog_heap_create(const hpf_events *events, void *context,
                                              const hpf_reader_options *options);
hpf_status hpf__eventlog_heap_feed(hpf__eventlog_heap *heap, const char *bytes, size_t n_bytes,
                                   hpf_error *err);
hpf_status hpf__eventlog_heap_finish(hpf__eventlog_heap *heap, hpf_error *err);
void hpf__eventlog_heap_revisit(hpf__eventlog_heap *heap, const hpf_events *events, void *context);
hpf_status hpf__eventlog_heap_settle(hpf__eventlog_heap *heap, hpf_error *err);
hpf_str hpf__eventlog_heap_name(const hpf__eventlog_heap *heap, hpf_name name);
size_t hpf__eventlog_heap_frames(const hpf__eventlog_heap *heap, hpf_name name, hpf_frame *frames,
                                 size_t room);
size_t hpf__eventlog_heap_calls(const hpf__eventlog_heap *heap, hpf_name name, hpf_frame *frames,
                                size_t room);
const hpf_eventlog_metadata *hpf__eventlog_heap_metadata(const hpf__eventlog_heap *heap);
void hpf__eventlog_heap_destroy(hpf__eventlog_heap *heap);

/* Returns the reader of the records, with what it counted. */
const hpf_eventlog *hpf__eventlog_heap_records(const hpf__eventlog_heap *heap);

/* Returns how the profile that is read began; NULL if that is not in the log. */
const hpf_eventlog_profile *hpf__eventlog_heap_profile(const hpf__eventlog_heap *heap);

/* Returns whether its end marker was read. */
bool hpf__eventlog_heap_has_end(const hpf__eventlog_heap *heap);

/* Fills in what hpf_live_diagnosis says (hpfile/live.h), except about late samples. */
hpf_status hpf__eventlog_heap_diagnose(const hpf__eventlog_heap *heap, hpf_error *diagnosis);

/* Returns whether some samples are changes of the one before, and cannot be read alone. */
bool hpf__eventlog_heap_has_changes(const hpf__eventlog_heap *heap);

/* Returns the number of samples that were earlier than the one before them. Such a sample gets the
 * time of the one before, unless hpf__eventlog_heap_keep_times was called: then the consumer puts
 * samples in order. */
uint64_t hpf__eventlog_heap_n_late(const hpf__eventlog_heap *heap);
void hpf__eventlog_heap_keep_times(hpf__eventlog_heap *heap);

/* Reads an amount of ticky counters (hpf__ticky_values): the definitions, then the samples. Errors:
 * ARGUMENT if the log has no counters; from the source, which was opened with `keep`, of the log
 * and the consumer. */
hpf_status hpf__eventlog_read_ticky(hpf_source *source, const hpf_events *events, void *context,
                                    const hpf_reader_options *options, hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Records of event logs that are not part of the heap profile: ticks of a time profile,
 * collections, threads, messages. `writer` is one of hpf_format_eventlog. Records of one capability
 * should come in the order of time.
 */
#ifndef HPFILE_EVENTLOG_WRITER_H
#define HPFILE_EVENTLOG_WRITER_H

#include "hpfile/eventlog.h"
#include "hpfile/frame.h"
#include "hpfile/writer.h"

HPF_BEGIN_DECLS

/* Writes a record: its `payload`, as documented for its type, and then `text`, as UTF-8 and cut to
 * the room in a record. Omits records of undeclared types, and those that are shorter than
 * declared; what is longer is cut. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_writer_record(hpf_writer *writer, uint16_t id,
                                                           uint64_t time_ns, uint16_t cap,
                                                           hpf_str payload, hpf_str text,
                                                           hpf_error *err);

/* Writes the begin of a time profile, and one of its ticks, which are numbered from 1. `frames` are
 * innermost first, without the root MAIN; frames beyond 255 are omitted. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_writer_begin_time(hpf_writer *writer, uint64_t tick_ns,
                                                               hpf_error *err);
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_writer_tick(hpf_writer *writer, uint64_t time_ns,
                                                         uint32_t cap, uint64_t tick,
                                                         const hpf_frame *frames, size_t n_frames,
                                                         hpf_error *err);

/* Fills at most `room` frames of the stack with a number, as for ticks, and returns how many the
 * stack has. */
typedef size_t hpf_frames_of_stack(void *context, size_t stack, hpf_frame *frames, size_t room);

/* Writes the totals of `n` stacks, which the caller numbers: the totals of stacks that are new,
 * and, at most for a 16th of the log, or if the totals are the last ones, the ones that have
 * changed. Stacks that have allocated nothing are left out. The log must have been created with
 * `writes_totals`. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_writer_totals(hpf_writer *writer, uint64_t time_ns,
                                                           const hpf_stack_totals *totals, size_t n,
                                                           hpf_frames_of_stack *frames_of,
                                                           void *context, bool is_last,
                                                           hpf_error *err);

/* Declares the types of another log. Call it before the first event. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_writer_declare(hpf_writer *writer,
                                                            const hpf_eventlog *log,
                                                            hpf_error *err);

/* Copies the records of a log, which was opened with `keep`, that are not part of its heap profile,
 * also marks and sizes of the heap: those from window[0] to window[1], in seconds, and earlier ones
 * that define names and settings. The types of the log were declared. Errors: from the source and
 * both logs. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_writer_copy(hpf_writer *writer, hpf_source *source,
                                                         const double window[2], hpf_error *err);

/* Each log has two sets of capabilities, of the process and of its clock. */
enum { HPF_EVENTLOG_OWN_CAPSETS = 2 };

HPF_END_DECLS
#endif

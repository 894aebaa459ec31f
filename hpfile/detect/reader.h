/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A resumable push reader from profiles to events, and one call for a whole source. Bytes that are
 * fed are `.hp` text (docs/formats/hp.md) or a GHC event log (docs/formats/eventlog.md), detected
 * by their first four bytes; profiles of other formats are read whole.
 *
 * The events do not depend on how the input is cut into pieces. Events of an event log come in the
 * order of the file: marks and quantities are not sorted by time, and a sample that is earlier than
 * the one before it gets that one's time, with a warning (a survey sorts them).
 *
 * Memory: the names, the costs of the sample being read, and at most one unfinished line, string or
 * record.
 */
#ifndef HPF_READER_H
#define HPF_READER_H

#include "eventlog/eventlog_heap.h"
#include "hpfile/event.h"
#include "hpfile/frame.h"
#include "hpfile/source.h"
#include "hpfile/writer.h"

typedef struct hpf_reader hpf_reader;

/* Creates a reader. `events` is copied, `context` is borrowed for its life, NULL `options` are all
 * zero. Returns NULL when there is no memory. */
HPF_API hpf_reader *hpf_reader_create(const hpf_events *events, void *context,
                                      const hpf_reader_options *options);

/* Reads the next bytes, and emits the events of all complete statements. A statement of more than 4
 * KiB that comes in pieces may be delayed by a quarter of its length. Errors are sticky: SYNTAX,
 * ORDER, RANGE, LIMIT, MEMORY; from the consumer. */
HPF_API HPF_MUST_USE hpf_status hpf_reader_feed(hpf_reader *reader, const char *bytes,
                                                size_t n_bytes, hpf_error *err);

/* Ends the input: reads the last statement, and checks that there were all four headers and at
 * least one sample. */
HPF_API HPF_MUST_USE hpf_status hpf_reader_finish(hpf_reader *reader, hpf_error *err);

/* Returns whether sources of a format are read whole. */
bool hpf__reader_is_whole(const hpf_format *format, const hpf_reader_options *options);

/* Reads sources of such a format, instead of feed and finish. The bytes of the
 * second pass are those of `spool`; NULL: there is none. */
HPF_MUST_USE hpf_status hpf__reader_read(hpf_reader *reader, const hpf_format *format,
                                         hpf_source *const *sources, size_t n_sources,
                                         hpf_source *spool, size_t *failed, hpf_error *err);

/* Prepares the second pass over samples whose offsets are known: discards an incomplete sample, the
 * time and any error, keeps the names, and emits to another consumer. Offsets start at 0 again. The
 * next bytes must begin at a `begin_offset` of a sample. Call hpf_reader_settle at an `end_offset`
 * before bytes that do not follow it directly. hpf_reader_finish is not called in this mode. */
HPF_API void hpf_reader_revisit(hpf_reader *reader, const hpf_events *events, void *context);

/* Ends a run of samples in the second pass: reads the last statement without the byte after it. */
HPF_API HPF_MUST_USE hpf_status hpf_reader_settle(hpf_reader *reader, hpf_error *err);

/* Returns whether all bytes fed so far are read and no sample is incomplete. Always false for an
 * event log, which may hold samples back; true for a profile that was read whole. */
bool hpf_reader_is_between(const hpf_reader *reader);

/* Returns a name by its number, borrowed from the reader. */
HPF_API hpf_str hpf_reader_name(const hpf_reader *reader, hpf_name name);

/* Fills at most `room` frames of a name: its stack, innermost first, or its info table. Returns how
 * many there are; 0 for a name that has only text. The texts are borrowed from the reader. */
size_t hpf_reader_frames(const hpf_reader *reader, hpf_name name, hpf_frame *frames, size_t room);

/* Does the same with calls in place of functions, as far as the log has them, if `room` is enough
 * for all frames: the source of a frame is the place of its call, and empty if the stacks with this
 * name call from several. Later samples may add such stacks. Takes time in proportion to the
 * stacks. */
size_t hpf_reader_calls(const hpf_reader *reader, hpf_name name, hpf_frame *frames, size_t room);

HPF_API void hpf_reader_destroy(hpf_reader *reader);

/* Reads a whole source: create, feed until the end, finish, destroy. */
HPF_API HPF_MUST_USE hpf_status hpf_read_source(hpf_source *source, const hpf_events *events,
                                                void *context, const hpf_reader_options *options,
                                                hpf_error *err);

/* Checks that the view shows something of the names so far, as hpf_reader_finish does. Errors:
 * RANGE, UNSUPPORTED. */
hpf_status hpf__reader_check_view(const hpf_reader *reader, hpf_error *err);

/* Returns the rules by which the reader names stacks; NULL without memory. */
const hpf_frame_rules *hpf__reader_rules(hpf_reader *reader);

/* Returns the reader of an event log, or NULL when the input is not one, or not yet known. */
hpf__eventlog_heap *hpf__reader_log(const hpf_reader *reader);

#endif

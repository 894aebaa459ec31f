/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles to events: a resumable push reader, and one call for a whole source. The input is `.hp`
 * text (docs/formats/hp.md) or a GHC event log (docs/formats/eventlog.md), told apart by its first
 * four bytes.
 *
 * However the input is cut into pieces, the events are the same. Events of an event log come in the
 * order of the file: marks and lines are not in the order of time, and a sample that is earlier
 * than the one before it is given that one's time, with a warning (hpfile/survey.h puts them in
 * order).
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

typedef struct hpf_reader hpf_reader;

/* `events` is copied, `context` borrowed for the reader's life. NULL `options` means all zero.
 * Returns NULL when there is no memory. */
HPF_API hpf_reader *hpf_reader_create(const hpf_events *events, void *context,
                                      const hpf_reader_options *options);

/* Reads on. All statements that are complete become events before it returns, save that one of more
 * than 4 KiB that came in pieces may wait for a quarter of its length more. A failed reader stays
 * failed and says the same again. Errors: SYNTAX, ORDER, RANGE, LIMIT, MEMORY; what a consumer
 * returned. */
HPF_API HPF_MUST_USE hpf_status hpf_reader_feed(hpf_reader *reader, const char *bytes,
                                                size_t n_bytes, hpf_error *err);

/* The input ends here: reads what was held back, and checks that all four headers and at least one
 * sample were there. */
HPF_API HPF_MUST_USE hpf_status hpf_reader_finish(hpf_reader *reader, hpf_error *err);

/* Prepares to read the bytes of samples known from hpf_sample offsets again: forgets any unfinished
 * sample, clock and error, keeps the names and their numbers, and sends events to another consumer.
 * Places and offsets count from here.
 * The bytes fed next must begin at a `begin_offset`; where they end at an `end_offset` and the next
 * ones are not their neighbours, call hpf_reader_settle in between. hpf_reader_finish is not called
 * in this mode. */
HPF_API void hpf_reader_revisit(hpf_reader *reader, const hpf_events *events, void *context);

/* The bytes fed so far end a sample: reads what was held back for lack of the next byte. */
HPF_API HPF_MUST_USE hpf_status hpf_reader_settle(hpf_reader *reader, hpf_error *err);

/* Whether all bytes fed so far are read, and no sample is unfinished. Never so in an event log,
 * where samples may be held back to be put in order. */
HPF_API bool hpf_reader_is_between(const hpf_reader *reader);

/* Names seen so far, by number, and how many; borrowed until the reader is destroyed. */
HPF_API hpf_str hpf_reader_name(const hpf_reader *reader, hpf_name name);
HPF_API uint32_t hpf_reader_n_names(const hpf_reader *reader);

/* What a name of an event log stands for: the frames of its stack, innermost first, or the one info
 * table. Fills at most `room` and returns how many there are; 0 for names that are nothing but a
 * text. The texts are borrowed until the reader is destroyed. */
HPF_API size_t hpf_reader_frames(const hpf_reader *reader, hpf_name name, hpf_frame *frames,
                                 size_t room);

HPF_API void hpf_reader_destroy(hpf_reader *reader);

/* Reads a whole source: create, feed until the end, finish, destroy. */
HPF_API HPF_MUST_USE hpf_status hpf_read_source(hpf_source *source, const hpf_events *events,
                                                void *context, const hpf_reader_options *options,
                                                hpf_error *err);

/* Returns the reader of an event log, or NULL when the input is not one, or not yet known. */
hpf__eventlog_heap *hpf__reader_log(const hpf_reader *reader);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `.hp` text to events: a resumable push reader, and one call for a whole source.
 *
 * The syntax, what is tolerated beyond hp2ps's, and how the two are told apart: docs/formats/hp.md.
 * However the input is cut into pieces, the events are the same.
 *
 * Memory: the names, the costs of the sample being read, and at most one unfinished line or string.
 */
#ifndef HPFILE_READER_H
#define HPFILE_READER_H

#include "hpfile/event.h"
#include "hpfile/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_reader hpf_reader;

/* Something odd that does not stop the reader, with the same struct as an error: a last sample cut
 * short. May be NULL. */
typedef void hpf_warning(void *context, const hpf_error *warning);

typedef struct hpf_reader_options {
    hpf_warning *warning;
    void *warning_context;
} hpf_reader_options;

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

/* Names seen so far, by number, and how many; borrowed until the reader is destroyed. */
HPF_API hpf_str hpf_reader_name(const hpf_reader *reader, hpf_name name);
HPF_API uint32_t hpf_reader_n_names(const hpf_reader *reader);

HPF_API void hpf_reader_destroy(hpf_reader *reader);

/* Reads a whole source: create, feed until the end, finish, destroy. */
HPF_API HPF_MUST_USE hpf_status hpf_read_source(hpf_source *source, const hpf_events *events,
                                                void *context, const hpf_reader_options *options,
                                                hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The records of an event log that is written. A record is its payload, which is appended in
 * pieces, and then its type and time. Records are collected in blocks, which are written with each
 * sample and when they are full.
 *
 * Errors: without memory, `is_out_of_memory` is set, and records are missing from then on.
 */
#ifndef HPF_EVENTLOG_RECORDS_H
#define HPF_EVENTLOG_RECORDS_H

#include "base/buffer.h"
#include "hpfile/eventlog.h"
#include "base/arena.h"
#include "hpfile/sink.h"
#include "hpfile/writer.h"

enum { HPF__LOG_MAX_PAYLOAD = 65535 };

typedef struct hpf__log_records {
    hpf_sink *sink;             /* borrowed */
    hpf_arena *arena;           /* borrowed */
    hpf__buffer payload;        /* of the next record */
    struct log_stream *streams; /* see eventlog_records.c */
    size_t n_streams, streams_capacity;
    hpf_event_type *types; /* that the log declares */
    size_t n_types, types_capacity;
    uint64_t n_bytes; /* of all records */
    bool is_out_of_memory;
} hpf__log_records;

/* Begins a log with the types that a writer with these options uses. `log` is zeroed. */
void hpf__log_init(hpf__log_records *log, hpf_sink *sink, hpf_arena *arena,
                   const hpf_writer_options *options);
void hpf__log_finish(hpf__log_records *log);

/* Adds a type to the ones that the log declares; not if the writer's own records of it have another
 * length. */
void hpf__log_add_type(hpf__log_records *log, const hpf_event_type *type);

/* Returns the declared type with a number; NULL if there is none. */
const hpf_event_type *hpf__log_find_type(const hpf__log_records *log, uint16_t id);

/* Writes the head of the log, with all types. */
void hpf__log_write_types(hpf__log_records *log);

/* Append to the payload: bytes; a big-endian number; a number in groups of 7 bits, the lowest
 * first, of which all but the last have the bit 128; a difference, modulo 2^64, in such groups,
 * with its sign in the lowest bit; text as logs hold it (UTF-8, U+FFFD for each byte that is none,
 * up to the first NUL, and at most `room` bytes, of whole characters); such a text and a NUL. */
void hpf__log_put(hpf__log_records *log, const void *bytes, size_t n);
void hpf__log_put_number(hpf__log_records *log, uint64_t number, size_t n_bytes);
void hpf__log_put_groups(hpf__log_records *log, uint64_t number);
void hpf__log_put_change(hpf__log_records *log, uint64_t before, uint64_t now);
void hpf__log_put_text(hpf__log_records *log, hpf_str text, size_t room);
void hpf__log_put_string(hpf__log_records *log, hpf_str text, size_t room);

/* Makes a record of the payload, which is empty then: of a type that the writer itself uses, or of
 * any declared type and of a capability (or HPF_EVENT_NO_CAP). */
void hpf__log_end_record(hpf__log_records *log, uint16_t id, uint64_t time_ns);
void hpf__log_end_record_of(hpf__log_records *log, const hpf_event_type *type, uint16_t cap,
                            uint64_t time_ns);

/* Returns the time of the last sample or definition. */
uint64_t hpf__log_now_ns(const hpf__log_records *log);

/* Writes the collected records. */
void hpf__log_write_blocks(hpf__log_records *log);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of the writer of event logs share: its state, and the bytes of records.
 */
#ifndef HPF_EVENTLOG_WRITER_STATE_H
#define HPF_EVENTLOG_WRITER_STATE_H

#include "base/buffer.h"
#include "hpfile/eventlog_writer.h"
#include "base/intern.h"

#define HPF__MAX_PAYLOAD 65535u
#define HPF__N_HELD      3 /* lines that make one MEM_RETURN */

/* Records in the order of time that leave in blocks. As GHC's run-time system does, samples and all
 * that belongs to them are of no capability, marks and sizes of capability 0. */
typedef struct hpf__log_stream {
    hpf__buffer block; /* records that have not left */
    uint64_t now_ns;   /* the latest time that was written */
    uint64_t block_ns; /* the latest in blocks that have left */
} hpf__log_stream;

enum { HPF__OF_CAPABILITY, HPF__OF_NONE, HPF__N_STREAMS };

/* A name as it stands in records, behind the amount. */
typedef struct hpf__log_key {
    hpf_str bytes;
    bool is_stack;
} hpf__log_key;

struct hpf_eventlog_writer {
    hpf_sink *sink;
    hpf_eventlog_writer_options options;
    hpf_arena *arena;
    hpf_str headers[HPF_N_HEADERS];
    bool is_begun;
    bool is_out_of_memory;
    hpf__log_stream streams[HPF__N_STREAMS];
    hpf__buffer scratch; /* a payload */
    hpf__intern centres, stacks, labels;
    hpf__log_key *keys; /* by name */
    size_t keys_capacity;
    uint64_t n_samples;
    const char *heap_line;    /* "heap" or "resident", whichever came first; NULL: none did */
    double held[HPF__N_HELD]; /* parts of a MEM_RETURN that came already: */
    double held_time;         /*   at this time */
    unsigned has_held;        /*   these bits */
};

/* Append to a buffer. Out of memory is noted in the writer. */
void hpf__writer_put(hpf_eventlog_writer *w, hpf__buffer *to, const void *bytes, size_t n);
void hpf__writer_put_number(hpf_eventlog_writer *w, hpf__buffer *to, uint64_t number,
                            size_t n_bytes);

/* The text as logs hold it: UTF-8, U+FFFD for each byte that is none, up to the first NUL, and at
 * most `room` bytes, of whole characters. */
void hpf__writer_put_text(hpf_eventlog_writer *w, hpf__buffer *to, hpf_str text, size_t room);

/* The same, and a NUL, for which there is room beside `room`. */
void hpf__writer_put_string(hpf_eventlog_writer *w, hpf__buffer *to, hpf_str text, size_t room);

/* A record whose payload is in scratch, which is emptied, at the end of its stream. */
void hpf__writer_put_record(hpf_eventlog_writer *w, uint16_t id, uint64_t time_ns);

/* What a name is in records. Defines its cost centres or its info table, if they are new. */
hpf__log_key hpf__writer_make_key(hpf_eventlog_writer *w, hpf_name name, hpf_str text);

#endif

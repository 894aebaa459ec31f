/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a recording says about its processes, as it is read.
 */
#ifndef HPF_RECORDING_H
#define HPF_RECORDING_H

#include "hpfile/recording.h"
#include "base/buffer.h"
#include "hpfile/error.h"
#include "hpfile/str.h"

/* The chunks of a recording (docs/formats/census.md), from bytes that come in pieces.
 *
 * Memory: one row, at most 64 KiB; to unpack logs, some MiB. */

#define HPF__RECORDING_MAGIC "CENSUS" /* with its zero byte */

enum {
    HPF__RECORDING_MAJOR = 2,
    HPF__RECORDING_HEAD_BYTES = 8, /* magic and major version */
    HPF__RECORDING_ROW_BYTES = 1 << 16,
    HPF__RECORDING_FRAME_BYTES = 1 << 20, /* of a log, at most, in a frame of zstd */
};

/* The kinds of chunks; readers skip others. */
enum {
    HPF__CHUNK_PROCESS = 1,
    HPF__CHUNK_LOG,
    HPF__CHUNK_END,
    HPF__CHUNK_INHERITED,
    HPF__CHUNK_REPORT,
    HPF__CHUNK_MEMORY,
    HPF__CHUNK_PACKED_LOG, /* read as HPF__CHUNK_LOG */
};

/* The numbers of the fields of rows. */
enum {
    HPF__PROCESS_PARENT = 1,
    HPF__PROCESS_PID,
    HPF__PROCESS_START_US,
    HPF__PROCESS_DATE_S,
    HPF__PROCESS_NAME,
    HPF__PROCESS_COMMAND,
    HPF__PROCESS_HOST,
};
enum {
    HPF__END_US = 1,
    HPF__END_HOW,
    HPF__END_CODE,
    HPF__END_PEAK_BYTES,
    HPF__END_LEFT_BYTES,
    HPF__END_N_SAMPLES,
    HPF__END_NAME,
    HPF__END_MISSED_PEAK_BYTES,
    HPF__END_MISSED_PEAK_US,
};
enum { HPF__INHERITED_BYTES = 1 };
enum {
    HPF__MEMORY_KILLER = 1,
    HPF__MEMORY_N_KILLED,
    HPF__MEMORY_WHOLE_CGROUP,
    HPF__MEMORY_STALLED,
    HPF__MEMORY_HOLDER,
    HPF__MEMORY_HOLDER_BYTES,
    HPF__MEMORY_LIMITS = 16, /* used, and at most, of each hpf_memory_limit */
};

/* A whole row, or a piece of a log or report. */
typedef struct hpf__chunk_part {
    unsigned kind; /* one of those above */
    uint64_t process;
    hpf_str bytes;       /* of the row, log or report; valid until the next call */
    uint64_t frame;      /* of packed bytes: where their frame is in the recording; else 0 */
    uint64_t offset;     /* of the bytes of a log or report, in the recording or in that frame */
    bool is_sample;      /* a chunk of a log begins; `bytes` are empty: */
    uint64_t time_us;    /*   of the sample that ends with the chunk, on the clock of the run */
    uint64_t live_bytes; /*   in this sample */
} hpf__chunk_part;

/* All zero at the beginning of a recording, but for `log_of`. */
typedef struct hpf__chunks {
    uint64_t log_of;  /* the process whose log is read; of others, only the samples */
    hpf__buffer held; /* an incomplete head of a chunk, or an incomplete row */
    uint64_t offset;  /* of the next byte */
    bool is_inside;   /* of a chunk: */
    hpf__chunk_part chunk;
    uint64_t left; /* of its payload */
    bool is_packed;
    struct hpf__unpacker *unpacker; /* NULL until it is needed */
} hpf__chunks;

/* Unpacks frames of zstd. */
typedef struct hpf__unpacker hpf__unpacker;

/* Creates one for a frame. Returns NULL when there is no memory. */
hpf__unpacker *hpf__unpacker_create(void);
void hpf__unpacker_destroy(hpf__unpacker *unpacker);

/* Takes bytes of a frame from the front of `*in`, and stores the next ones that it contains, which
 * are valid until the next call. Returns HPF_OK; HPF_MORE if there are none without more input;
 * HPF_END if these are the last ones, and maybe none: the next call begins another frame. Errors:
 * SYNTAX. */
hpf_status hpf__unpacker_next(hpf__unpacker *unpacker, hpf_str *in, hpf_str *out, hpf_error *err);

/* Returns whether an input that begins with `head` is a recording. */
bool hpf__is_recording(hpf_str head);

/* Takes bytes from the front of `*in` and stores the next part. Returns HPF_MORE when all bytes are
 * taken. Errors: SYNTAX; VERSION for a recording of a newer major version; MEMORY. */
hpf_status hpf__chunks_next(hpf__chunks *chunks, hpf_str *in, hpf__chunk_part *out, hpf_error *err);

void hpf__chunks_finish(hpf__chunks *chunks);

/* Creates a list without processes. Returns NULL when there is no memory. */
hpf_recording *hpf__recording_create(void);
void hpf__recording_destroy(hpf_recording *recording);

/* Notes a part of a recording. Errors: SYNTAX, MEMORY. */
HPF_MUST_USE hpf_status hpf__recording_note(hpf_recording *recording, const hpf__chunk_part *part,
                                            hpf_error *err);

/* Ends the list where the recording ends: a process whose only sample is cut has none. */
void hpf__recording_end(hpf_recording *recording, const hpf__chunks *chunks);

/* Chooses a process that has a log: by its number, its process id, its name or a part of it that
 * is not a number; the
 * one with the largest peak of several, and of all if `which` is NULL; none for "all". Errors:
 * ARGUMENT, SYNTAX if there is none. */
HPF_MUST_USE hpf_status hpf__recording_choose(hpf_recording *recording, const char *which,
                                              hpf_error *err);

/* Returns whether `which` is the sum of all processes. */
bool hpf__recording_is_all(const char *which);

/* Sets the error of a choice in another input, and returns its status. */
hpf_status hpf__recording_fail_other(hpf_error *err);

#endif

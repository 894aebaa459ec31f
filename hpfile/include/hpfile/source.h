/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Input: a file, a descriptor or memory, compressed or not.
 *
 * gzip, xz and zstd are recognised by their first bytes and decompressed; all offsets count the
 * decompressed bytes. Files are read, not mapped: their producer may truncate them at any time, and
 * a mapping would then raise SIGBUS.
 *
 * Recordings of census (docs/formats/census.md) are recognised, too, and read as the event log of
 * one process; offsets count the bytes of this log.
 *
 * Reading twice: a plain file is read again. Pipes and compressed input are spooled if the option
 * `keep` is set, or if they are recordings: in memory up to 4 MiB, then in an unnamed temporary
 * file.
 *
 * Threads: one source, one thread at a time.
 */
#ifndef HPFILE_SOURCE_H
#define HPFILE_SOURCE_H

#include "hpfile/error.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

typedef struct hpf_source hpf_source;

typedef struct hpf_source_options {
    size_t size;               /* of the struct (version.h) */
    bool keep;                 /* spool input that cannot be read twice */
    const char *temporary_dir; /* for the spool; NULL: /tmp. Borrowed until destroy */
    /* Of a recording of census (recording.h), the process whose event log is read: its number,
     * process id, name or a part of it; "all": their sum; NULL: the one with the largest peak.
     * Borrowed until the first piece was read. Other input is UNSUPPORTED, unless NULL. */
    const char *process;
    /* Read the retainer sets of this process instead, in the layout of a .prof report: empty
     * without -hr. */
    bool of_report;
} hpf_source_options;

/* Opens a file. NULL `options` are all zero. Errors: IO, also for a directory; MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_source_open(hpf_source **out, const char *path,
                                                const hpf_source_options *options, hpf_error *err);

/* Creates a source of an open descriptor, which the caller keeps and closes. */
HPF_API HPF_MUST_USE hpf_status hpf_source_from_fd(hpf_source **out, int fd,
                                                   const hpf_source_options *options,
                                                   hpf_error *err);

/* Creates a source of memory, which is borrowed for the life of the source. */
HPF_API HPF_MUST_USE hpf_status hpf_source_from_memory(hpf_source **out, hpf_str bytes,
                                                       const hpf_source_options *options,
                                                       hpf_error *err);

/* Reads the next piece. Returns HPF_OK with at least one byte in `*out`, borrowed until the next
 * call on this source, or HPF_END. Errors: IO; SYNTAX for broken compressed data. */
HPF_API HPF_MUST_USE hpf_status hpf_source_next(hpf_source *source, hpf_str *out, hpf_error *err);

/* Restarts at the first byte. Errors: IO, also when the file was truncated; ARGUMENT without
 * `keep`. */
HPF_API HPF_MUST_USE hpf_status hpf_source_rewind(hpf_source *source, hpf_error *err);

HPF_API void hpf_source_destroy(hpf_source *source);

/* Reads the bytes [offset, offset + length) again, which hpf_source_next has returned before.
 * Errors: IO, also when the file was truncated; ARGUMENT without `keep`. */
HPF_API HPF_MUST_USE hpf_status hpf_source_read_at(hpf_source *source, uint64_t offset, void *into,
                                                   size_t length, hpf_error *err);

/* Return the size of the input as stored, 0 for a pipe, and how many of these bytes were read. */
HPF_API uint64_t hpf_source_stored_bytes(const hpf_source *source);
HPF_API uint64_t hpf_source_position_bytes(const hpf_source *source);

/* Returns "gzip", "xz", "zstd", or "" for input that is not compressed. Known after the first
 * piece. */
HPF_API const char *hpf_source_compression(const hpf_source *source);

/* Returns the processes of a recording (recording.h), known after the first piece; NULL for other
 * input. Borrowed. */
typedef struct hpf_recording hpf_recording;
HPF_API const hpf_recording *hpf_source_recording(const hpf_source *source);

HPF_END_DECLS
#endif

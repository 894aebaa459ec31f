/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes in: from a file, a descriptor or memory, compressed or not.
 *
 * gzip, xz and zstd are recognised by their first bytes and read as if they were not compressed;
 * all offsets speak of the uncompressed bytes. Files are read, not mapped: a profile may be cut or
 * replaced by its producer at any time, and a mapping would then raise SIGBUS; it would also count
 * as memory.
 *
 * Reading twice: hpf_source_read_at gives any range that was passed already. A plain file is read
 * again; what comes from a pipe or is compressed is kept aside when `keep` was asked for, in memory
 * up to 4 MiB and then in an unnamed temporary file.
 *
 * Threads: one source, one thread at a time.
 */
#ifndef HPFILE_SOURCE_H
#define HPFILE_SOURCE_H

#include "hpfile/error.h"
#include "hpfile/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_source hpf_source;

typedef struct hpf_source_options {
    bool keep;                 /* hpf_source_read_at will be called */
    const char *temporary_dir; /* where to keep aside; NULL means /tmp. Borrowed until destroy */
} hpf_source_options;

/* Opens a file. NULL `options` means all zero. Errors: IO, MEMORY; a directory is an IO error. */
HPF_API HPF_MUST_USE hpf_status hpf_source_open(hpf_source **out, const char *path,
                                                const hpf_source_options *options, hpf_error *err);

/* Reads an open descriptor, which stays the caller's. */
HPF_API HPF_MUST_USE hpf_status hpf_source_from_fd(hpf_source **out, int fd,
                                                   const hpf_source_options *options,
                                                   hpf_error *err);

/* Reads memory, which is borrowed for the source's life. */
HPF_API HPF_MUST_USE hpf_status hpf_source_from_memory(hpf_source **out, hpf_str bytes,
                                                       const hpf_source_options *options,
                                                       hpf_error *err);

/* The next piece: HPF_OK and at least one byte in `*out`, borrowed until the next call on this
 * source; or HPF_END. Errors: IO; SYNTAX for compressed data that is broken. */
HPF_API HPF_MUST_USE hpf_status hpf_source_next(hpf_source *source, hpf_str *out, hpf_error *err);

/* Bytes [offset, offset + length) of what hpf_source_next has given so far, into `into`.
 * Errors: IO (also when the file is shorter by now); ARGUMENT when nothing was kept. */
HPF_API HPF_MUST_USE hpf_status hpf_source_read_at(hpf_source *source, uint64_t offset, void *into,
                                                   size_t length, hpf_error *err);

/* Starts again: the next hpf_source_next gives the first bytes. Same errors. */
HPF_API HPF_MUST_USE hpf_status hpf_source_rewind(hpf_source *source, hpf_error *err);

/* Size of the input as stored, in bytes, or 0 when unknown (a pipe); bytes of it read so far. */
HPF_API uint64_t hpf_source_stored_bytes(const hpf_source *source);
HPF_API uint64_t hpf_source_position_bytes(const hpf_source *source);

/* "gzip", "xz", "zstd", or "" when the input is not compressed. Known after the first piece. */
HPF_API const char *hpf_source_compression(const hpf_source *source);

HPF_API void hpf_source_destroy(hpf_source *source);

#ifdef __cplusplus
}
#endif
#endif

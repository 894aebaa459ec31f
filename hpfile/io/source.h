/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ranges of a source that were read before, and its size.
 */
#ifndef HPF_SOURCE_H
#define HPF_SOURCE_H

#include "hpfile/source.h"

/* Reads the bytes [offset, offset + length) again, which hpf_source_next has returned before.
 * Errors: IO, also when the file was truncated; ARGUMENT without `keep`. */
HPF_API HPF_MUST_USE hpf_status hpf_source_read_at(hpf_source *source, uint64_t offset, void *into,
                                                   size_t length, hpf_error *err);

/* Return the size of the input as stored, 0 for a pipe, and how many of these bytes were read. */
HPF_API uint64_t hpf_source_stored_bytes(const hpf_source *source);
HPF_API uint64_t hpf_source_position_bytes(const hpf_source *source);

/* Returns how many bytes were returned, decompressed. */
HPF_API uint64_t hpf_source_offset(const hpf_source *source);

/* Returns "gzip", "xz", "zstd", or "" for input that is not compressed. Known after the first
 * piece. */
HPF_API const char *hpf_source_compression(const hpf_source *source);

#endif

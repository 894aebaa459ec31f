/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes out: to memory, to a file descriptor, or to a file that appears only when it is whole.
 *
 * A sink remembers its first error: writing code writes straight on and asks once, at the end, with
 * hpf_sink_finish. Writes are gathered in a buffer of 64 KiB.
 *
 * Threads: one sink, one thread at a time.
 */
#ifndef HPFILE_SINK_H
#define HPFILE_SINK_H

#include "hpfile/error.h"
#include "hpfile/str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_sink hpf_sink;

/* A sink into memory; read the bytes with hpf_sink_bytes. NULL when there is no memory. */
HPF_API hpf_sink *hpf_sink_to_memory(void);

/* A sink into an open descriptor, which stays the caller's: it is never closed here. */
HPF_API hpf_sink *hpf_sink_to_fd(int fd);

/* A sink into the file `path` by way of a temporary beside it: only hpf_sink_finish puts the file
 * in place (fsync is not asked for; rename is atomic). Until then, and when anything fails, what
 * was at `path` stays as it was. A `path` that is no regular file (a device, a pipe) is written
 * directly; a symbolic link is followed. The mode of an existing file is kept. Returns NULL with
 * `err` set when the temporary cannot be made. */
HPF_API hpf_sink *hpf_sink_to_path(const char *path, hpf_error *err);

/* Each call appends. After a failure they do nothing. */
HPF_API void hpf_sink_write(hpf_sink *sink, const void *bytes, size_t n_bytes);
HPF_API void hpf_sink_str(hpf_sink *sink, hpf_str text);
HPF_API void hpf_sink_text(hpf_sink *sink, const char *text);
HPF_API void hpf_sink_printf(hpf_sink *sink, const char *format, ...) HPF_PRINTF(2, 3);

/* Appends a whole number / a number with `decimals` digits after the point (at most 17, trailing
 * zeros kept) / the shortest text that reads back as the same double. Always with a point, whatever
 * the locale. A number that is not finite fails the sink with HPF_ERR_RANGE. */
HPF_API void hpf_sink_whole(hpf_sink *sink, uint64_t value);
HPF_API void hpf_sink_fixed(hpf_sink *sink, double value, int decimals);
HPF_API void hpf_sink_shortest(hpf_sink *sink, double value);

/* Pushes the buffer out to a descriptor; returns the sticky status. */
HPF_API hpf_status hpf_sink_flush(hpf_sink *sink, hpf_error *err);

/* Bytes written so far, buffered or not. */
HPF_API uint64_t hpf_sink_position(const hpf_sink *sink);

/* The bytes of a memory sink; borrowed until the next write. Empty for other sinks. */
HPF_API hpf_str hpf_sink_bytes(const hpf_sink *sink);

/* Records a failure that was found elsewhere (a drawing library, say), unless one is known. */
HPF_API void hpf_sink_fail(hpf_sink *sink, const hpf_error *why);

/* Flushes, puts a file in place, and reports the first error of the sink's life. */
HPF_API HPF_MUST_USE hpf_status hpf_sink_finish(hpf_sink *sink, hpf_error *err);

/* Frees the sink; without a finish before, a file sink leaves no trace. Accepts NULL. */
HPF_API void hpf_sink_destroy(hpf_sink *sink);

#ifdef __cplusplus
}
#endif
#endif

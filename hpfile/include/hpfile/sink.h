/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Output: to memory, to a file descriptor, or to a file that is replaced only when it is complete.
 *
 * Errors are sticky: write functions return nothing, and hpf_sink_finish reports the first error.
 * Writes are buffered, 64 KiB.
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

/* Creates a sink into memory; hpf_sink_bytes returns the bytes. Returns NULL when there is no
 * memory. */
HPF_API hpf_sink *hpf_sink_to_memory(void);

/* Creates a sink into an open descriptor, which the caller keeps and closes. */
HPF_API hpf_sink *hpf_sink_to_fd(int fd);

/* Creates a sink into the file `path`. It writes a temporary file in the same folder, which
 * hpf_sink_finish renames (without fsync). Until then, and after an error, the old file is
 * unchanged. Devices and pipes are written directly; symbolic links are followed; the mode of an
 * existing file is kept. Returns NULL with `err` set if the temporary file cannot be created. */
HPF_API hpf_sink *hpf_sink_to_path(const char *path, hpf_error *err);

/* Removes the temporary files of all sinks of the process, for a handler of signals that end it:
 * async-signal-safe. The sinks fail when they are finished. */
HPF_API void hpf_sink_remove_temporaries(void);

/* Appends bytes. After an error it does nothing. */
HPF_API void hpf_sink_write(hpf_sink *sink, const void *bytes, size_t n_bytes);

/* Flushes the buffer; returns the sticky status. */
HPF_API hpf_status hpf_sink_flush(hpf_sink *sink, hpf_error *err);

/* Returns the bytes of a memory sink, borrowed until the next write; empty for other sinks. */
HPF_API hpf_str hpf_sink_bytes(const hpf_sink *sink);

/* Flushes the buffer, renames the temporary file, and returns the first error of the sink's life.
 */
HPF_API HPF_MUST_USE hpf_status hpf_sink_finish(hpf_sink *sink, hpf_error *err);

/* Frees the sink. Without hpf_sink_finish, a file sink leaves no trace. Accepts NULL. */
HPF_API void hpf_sink_destroy(hpf_sink *sink);

#ifdef __cplusplus
}
#endif
#endif

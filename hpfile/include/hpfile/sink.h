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

HPF_BEGIN_DECLS

typedef struct hpf_sink hpf_sink;

/* Creates a sink into memory; hpf_sink_bytes returns the bytes. Returns NULL when there is no
 * memory. */
HPF_API hpf_sink *hpf_sink_to_memory(void);

/* Creates a sink into an open descriptor, which the caller keeps and closes. */
HPF_API hpf_sink *hpf_sink_to_fd(int fd);

/* Opens a file that grows, emptied, for hpf_sink_to_fd. Returns its descriptor, which the caller
 * closes, or -1 with errno set. Refuses links and pipes of other users (EPERM). */
HPF_API int hpf_sink_open_growing(const char *path);

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

/* Append bytes as they are. */
HPF_API void hpf_sink_str(hpf_sink *sink, hpf_str text);
HPF_API void hpf_sink_text(hpf_sink *sink, const char *text);
HPF_API void hpf_sink_printf(hpf_sink *sink, const char *format, ...) HPF_PRINTF(2, 3);

/* Append a whole number; a number with `decimals` digits after the point, at most 17; the shortest
 * text that reads back as the same double. The locale does not matter. A number that is not finite
 * fails the sink with HPF_ERR_RANGE. */
HPF_API void hpf_sink_whole(hpf_sink *sink, uint64_t value);
HPF_API void hpf_sink_fixed(hpf_sink *sink, double value, int decimals);
HPF_API void hpf_sink_shortest(hpf_sink *sink, double value);

/* Append bytes for people to read, as UTF-8: invalid bytes, control characters and characters that
 * change the direction of text become U+FFFD. hpf_sink_lines keeps line feeds and tabs, and so does
 * hpf_sink_markup, which escapes the text as content or quoted attribute of HTML or XML. */
HPF_API void hpf_sink_name(hpf_sink *sink, hpf_str name);
HPF_API void hpf_sink_lines(hpf_sink *sink, hpf_str lines);
HPF_API void hpf_sink_markup(hpf_sink *sink, hpf_str text);

/* Appends a text as a cell of a CSV table: quoted, with quotes inside doubled, the other bytes as
 * they are. A spreadsheet would calculate a text that begins with one of "=+-@" or a control
 * character: unless `is_raw`, such a text gets an apostrophe in front, and one that begins with
 * apostrophes and then with such a character gets one more. The reader of profiles removes one. */
HPF_API void hpf_sink_cell(hpf_sink *sink, hpf_str text, bool is_raw);

/* Appends a word of a command line, quoted unless a POSIX shell reads it as it is. */
HPF_API void hpf_sink_word(hpf_sink *sink, hpf_str word);

/* Fails the sink with an error from elsewhere, such as a drawing library, unless it has failed. */
HPF_API void hpf_sink_fail(hpf_sink *sink, const hpf_error *why);

/* Returns the number of bytes written so far, buffered or not. */
HPF_API uint64_t hpf_sink_position(const hpf_sink *sink);

/* Flushes the buffer; returns the sticky status. */
HPF_API hpf_status hpf_sink_flush(hpf_sink *sink, hpf_error *err);

/* Removes the bytes of a memory sink, and frees much memory. Its position stays. */
HPF_API void hpf_sink_clear(hpf_sink *sink);

/* Returns the bytes of a memory sink, borrowed until the next write; empty for other sinks. */
HPF_API hpf_str hpf_sink_bytes(const hpf_sink *sink);

/* Flushes the buffer, renames the temporary file, and returns the first error of the sink's life.
 */
HPF_API HPF_MUST_USE hpf_status hpf_sink_finish(hpf_sink *sink, hpf_error *err);

/* Frees the sink. Without hpf_sink_finish, a file sink leaves no trace. Accepts NULL. */
HPF_API void hpf_sink_destroy(hpf_sink *sink);

HPF_END_DECLS
#endif

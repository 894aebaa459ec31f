/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts and numbers into a sink, for writers of formats.
 */
#ifndef HPF_SINK_H
#define HPF_SINK_H

#include "hpfile/sink.h"

/* Opens a file that grows, emptied, and returns its descriptor; -1 with errno set. Refuses links
 * and pipes of other users (EPERM). */
HPF_API int hpf__open_growing(const char *path);

/* Append bytes. After an error they do nothing. */
HPF_API void hpf_sink_str(hpf_sink *sink, hpf_str text);
HPF_API void hpf_sink_text(hpf_sink *sink, const char *text);
HPF_API void hpf_sink_printf(hpf_sink *sink, const char *format, ...) HPF_PRINTF(2, 3);

/* Append a whole number; a number with `decimals` digits after the point, at most 17; the shortest
 * text that reads back as the same double. The locale does not matter. A number that is not finite
 * fails the sink with HPF_ERR_RANGE. */
HPF_API void hpf_sink_whole(hpf_sink *sink, uint64_t value);
HPF_API void hpf_sink_fixed(hpf_sink *sink, double value, int decimals);
HPF_API void hpf_sink_shortest(hpf_sink *sink, double value);

/* Returns the number of bytes written so far, buffered or not. */
HPF_API uint64_t hpf_sink_position(const hpf_sink *sink);

/* Fails the sink with an error from elsewhere, such as a drawing library, unless it has failed. */
HPF_API void hpf_sink_fail(hpf_sink *sink, const hpf_error *why);

#endif

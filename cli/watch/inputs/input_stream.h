/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile from a pipe, a FIFO, a device or a connection.
 *
 * A pipe ends once. After a writer of a FIFO has ended, the next one continues the profile, unless
 * it starts a new one (profile_boundary.h). A connection that ends is retried, and then starts a
 * new profile. With options->once, the first end is the end.
 */
#ifndef CENSUS_WATCH_INPUT_STREAM_H
#define CENSUS_WATCH_INPUT_STREAM_H

#include "watch_input.h"

/* Reads an open descriptor, which remains the property of the caller. All functions return NULL
 * after a message. */
watch_input *input_stream_from_fd(int fd, const char *name, const watch_input_options *options);

/* Reads a FIFO or a device. */
watch_input *input_stream_from_path(const char *path, const watch_input_options *options);

/* Connects to `unix:PATH` or `tcp:HOST:PORT`. */
watch_input *input_stream_from_address(const char *address, const watch_input_options *options);

#endif

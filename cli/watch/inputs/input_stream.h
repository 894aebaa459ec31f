/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile that comes through a pipe, a FIFO, a device or a connection.
 *
 * It ends where a pipe ends. Writers of a FIFO may come and go: the next one goes on with the
 * profile, unless what it writes begins another (restart.h). A connection that ends is made again,
 * and what then comes is another profile. With options->once, the first end is the end.
 */
#ifndef CENSUS_WATCH_INPUT_STREAM_H
#define CENSUS_WATCH_INPUT_STREAM_H

#include "watch_input.h"

/* An open descriptor, which stays the caller's. NULL after a message; so are the others. */
watch_input *input_stream_from_fd(int fd, const char *name, const watch_input_options *options);

/* A FIFO or a device by its path. */
watch_input *input_stream_from_path(const char *path, const watch_input_options *options);

/* `unix:PATH` or `tcp:HOST:PORT`. */
watch_input *input_stream_from_address(const char *address, const watch_input_options *options);

#endif

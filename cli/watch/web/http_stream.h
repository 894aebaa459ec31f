/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The stream of one viewer: server-sent events from the ring, in pieces of any size. A slow viewer
 * continues with the newest base.
 */
#ifndef CENSUS_WATCH_HTTP_STREAM_H
#define CENSUS_WATCH_HTTP_STREAM_H

#include "http_ring.h"

/* All zero: ended. */
typedef struct http_stream {
    const http_ring *ring; /* borrowed */
    uint64_t number;       /* number of the last message */
    http_text *text;       /* text being sent, or NULL */
    const char *aside;     /* static text between two messages */
    size_t at;             /* position in `aside` or else `text` */
} http_stream;

/* Reads the number of the last message that a viewer of `instance` has seen from Last-Event-ID.
 * Returns false if there is none; `text` may be NULL. */
bool http_stream_parse_id(const char *text, const char *instance, uint64_t *number);

/* Starts after message `number`, if the ring still has what follows, else with the base, which must
 * exist. Without `is_resumed`, starts with the base. */
void http_stream_begin(http_stream *stream, const http_ring *ring, bool is_resumed,
                       uint64_t number);
void http_stream_end(http_stream *stream);

/* Reads the next bytes, at most `room`. Returns 0 if there is nothing to send. */
size_t http_stream_read(http_stream *stream, char *to, size_t room);

/* Sends a heartbeat if nothing else is being sent. */
void http_stream_beat(http_stream *stream);

#endif

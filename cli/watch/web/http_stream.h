/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What one viewer is sent: server-sent events out of the ring, in pieces of any size. A viewer who
 * falls behind goes on with the newest base.
 */
#ifndef CENSUS_WATCH_HTTP_STREAM_H
#define CENSUS_WATCH_HTTP_STREAM_H

#include "http_ring.h"

/* All zero is one that has ended. */
typedef struct http_stream {
    const http_ring *ring; /* borrowed */
    uint64_t number;       /* of the last message that was taken */
    http_text *text;       /* what is being sent; NULL: nothing */
    const char *aside;     /* static text that is due between two messages */
    size_t at;             /* how far into `aside` or else `text` */
} http_stream;

/* The number of the last message that a viewer of `instance` has seen, out of what it says in
 * Last-Event-ID. False when it says nothing of use; `text` may be NULL. */
bool http_stream_parse_id(const char *text, const char *instance, uint64_t *number);

/* Begins after message `number`, if the ring still has what follows; else, and when `is_resumed` is
 * false, with the base, which must be there. */
void http_stream_begin(http_stream *stream, const http_ring *ring, bool is_resumed,
                       uint64_t number);
void http_stream_end(http_stream *stream);

/* The next bytes, at most `room`; 0 when there is nothing to say at present. */
size_t http_stream_read(http_stream *stream, char *to, size_t room);

/* Has something sent if nothing is on its way, so that both sides know whether the other is there.
 */
void http_stream_beat(http_stream *stream);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Messages for viewers, shared by all of them: a base, which is the complete state, and the
 * messages since. Each viewer is a cursor. Messages are numbered from 1; the base includes all
 * messages up to its number. From time to time a new base replaces the old base and messages, which
 * bounds memory and lets slow viewers skip old messages.
 *
 * Texts are reference counted: a viewer keeps the text that it is sending.
 *
 * Messages are server-sent events with the id `INSTANCE-NUMBER`. The instance differs for each
 * server, so that ids of different servers are not confused.
 */
#ifndef CENSUS_WATCH_HTTP_RING_H
#define CENSUS_WATCH_HTTP_RING_H

#include "hpfile/event.h"
#include "hpfile/sink.h"
#include "http_ring.h"

/* Reference-counted bytes. */
typedef struct http_text {
    size_t n_owners;
    size_t length;
    char bytes[];
} http_text;

void http_text_release(http_text *text); /* accepts NULL */

typedef struct http_ring {
    http_text *base;      /* NULL: not needed yet */
    uint64_t base_number; /* the last message included in the base */
    uint64_t last_number; /* the last message; base_number if there are none */
    http_text **messages; /* base_number + 1 ... last_number */
    size_t capacity;
    size_t n_bytes; /* size of the messages */
} http_ring;

void http_ring_finish(http_ring *ring);

/* Appends a message. Returns false without memory; a new base is then needed. */
bool http_ring_push(http_ring *ring, hpf_str text);

/* Replaces the base and all messages. The base gets a number of its own, to distinguish it from the
 * old one. Returns false without memory; the ring is then empty. */
bool http_ring_rebase(http_ring *ring, hpf_str base);

/* Removes the base and all messages, and increments the number. */
void http_ring_clear(http_ring *ring);

/* Returns whether a viewer who has all messages up to `number` can continue from there. */
bool http_ring_continues(const http_ring *ring, uint64_t number);

/* Returns the message after `*number`, or the base if there are no such old messages, and updates
 * `*number`. NULL: nothing new. The caller becomes an owner. */
http_text *http_ring_next(const http_ring *ring, uint64_t *number);

typedef struct http_channel {
    http_ring ring;
    char instance[17];
    bool has_lost; /* memory was short: a new base is needed */
} http_channel;

/* Writes the start of an event; its data must follow in one line. `number` 0: no id. */
void http_event_begin(hpf_sink *sink, const http_channel *channel, const char *event,
                      uint64_t number);
void http_event_end(hpf_sink *sink);

/* Starts the next message, in a memory sink. Returns NULL without memory. */
hpf_sink *http_channel_open(http_channel *channel, const char *event);
/* Ends a message and appends it to the ring. Destroys the sink; accepts NULL. */
void http_channel_send(http_channel *channel, hpf_sink *message);

/* The stream of one viewer: server-sent events from the ring, in pieces of any size. A slow
 * viewer continues with the newest base. */

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

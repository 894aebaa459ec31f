/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What viewers are feed, once for all of them: a base, which says all there is to say to somebody
 * who knows nothing, and the messages since. A viewer is a cursor into it. Messages are numbered
 * from 1; the base stands for all up to its number. From time to time a new base takes the place of
 * old base and messages, so memory is bounded, and who is slow skips what has lost its meaning.
 *
 * Texts are shared and counted: a viewer holds the one it is sending, whatever becomes of the ring.
 */
#ifndef CENSUS_WATCH_HTTP_RING_H
#define CENSUS_WATCH_HTTP_RING_H

#include "hpfile/event.h"
#include "hpfile/sink.h"

/* Bytes that several own. Freed when nobody does. */
typedef struct http_text {
    size_t n_owners;
    size_t length;
    char bytes[];
} http_text;

/* One owner, the caller. NULL when there is no memory. */
http_text *http_text_create(hpf_str bytes);
http_text *http_text_share(http_text *text);
void http_text_release(http_text *text); /* accepts NULL */

typedef struct http_ring {
    http_text *base;      /* NULL: nobody needed one yet */
    uint64_t base_number; /* the last message that the base stands for */
    uint64_t last_number; /* of all messages; the number of the base if there are none since */
    http_text **messages; /* base_number + 1 ... last_number */
    size_t capacity;
    size_t n_bytes; /* of the messages */
} http_ring;

void http_ring_finish(http_ring *ring);

/* Appends a message. False when there is no memory: then only a new base helps. */
bool http_ring_push(http_ring *ring, hpf_str text);

/* Replaces all that there is. The base counts as a message, with a number of its own, so that
 * nobody takes the old one for the new. False when there is no memory: then the ring is empty. */
bool http_ring_rebase(http_ring *ring, hpf_str base);

/* Forgets everything, and makes that a message too. */
void http_ring_clear(http_ring *ring);

/* Whether somebody who knows all messages up to `number` can go on from there. */
bool http_ring_continues(const http_ring *ring, uint64_t number);

/* What comes after `*number`, which becomes that of what is returned: the message, or the base if
 * messages do not go back that far. NULL: nothing. Shared with the caller. */
http_text *http_ring_next(const http_ring *ring, uint64_t *number);

typedef struct http_channel {
    http_ring ring;
    char instance[17];
    bool has_lost; /* memory was short: viewers need a new base */
} http_channel;

/* The head of an event, in `sink`; what follows is its data, in one line. `number` 0: no id. */
void http_event_begin(hpf_sink *sink, const http_channel *channel, const char *event,
                      uint64_t number);
void http_event_end(hpf_sink *sink);

/* Begins the next message: a sink in memory. NULL when there is no memory. */
hpf_sink *http_channel_open(http_channel *channel, const char *event);
/* Ends it and puts it into the ring. Destroys the sink; NULL is none. */
void http_channel_send(http_channel *channel, hpf_sink *message);

#endif

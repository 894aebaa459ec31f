/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Server-sent events on their way into the ring. Each has the id `INSTANCE-NUMBER`: the instance is
 * another one for each server, so that what a viewer knows of one is not taken for another's.
 */
#ifndef CENSUS_WATCH_HTTP_CHANNEL_H
#define CENSUS_WATCH_HTTP_CHANNEL_H

#include "hpfile/sink.h"

#include "http_ring.h"

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

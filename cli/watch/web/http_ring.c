/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The array of messages is always cleared as a whole. Events follow the HTML standard, "Server-sent
 * events".
 */
#include "hpfile/sink.h"
#include "http_ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Creates a text with one owner, the caller. Returns NULL without memory. */
static http_text *create_text(hpf_str bytes)
{
    http_text *text = malloc(sizeof *text + bytes.length);
    if (text) {
        text->n_owners = 1;
        text->length = bytes.length;
        memcpy(text->bytes, bytes.data, bytes.length);
    }
    return text;
}

static http_text *share_text(http_text *text)
{
    text->n_owners++;
    return text;
}

void http_text_release(http_text *text)
{
    if (text && --text->n_owners == 0) {
        free(text);
    }
}

static size_t n_messages(const http_ring *ring)
{
    return (size_t)(ring->last_number - ring->base_number);
}

void http_ring_clear(http_ring *ring)
{
    for (size_t i = 0; i < n_messages(ring); i++) {
        http_text_release(ring->messages[i]);
    }
    http_text_release(ring->base);
    ring->base = NULL;
    ring->n_bytes = 0;
    ring->base_number = ++ring->last_number;
}

void http_ring_finish(http_ring *ring)
{
    http_ring_clear(ring);
    free(ring->messages);
    ring->messages = NULL;
    ring->capacity = 0;
}

bool http_ring_push(http_ring *ring, hpf_str text)
{
    size_t n = n_messages(ring);
    http_text *message = create_text(text);
    if (!message || !HPF__ARRAY_PUSH(ring->messages, n, ring->capacity, message)) {
        http_text_release(message);
        return false;
    }
    ring->last_number++;
    ring->n_bytes += text.length;
    return true;
}

bool http_ring_rebase(http_ring *ring, hpf_str base)
{
    http_ring_clear(ring);
    ring->base = create_text(base);
    return ring->base != NULL;
}

bool http_ring_continues(const http_ring *ring, uint64_t number)
{
    return number >= ring->base_number && number <= ring->last_number;
}

http_text *http_ring_next(const http_ring *ring, uint64_t *number)
{
    if (!http_ring_continues(ring, *number)) {
        *number = ring->base_number;
        return ring->base ? share_text(ring->base) : NULL;
    }
    if (*number == ring->last_number) {
        return NULL;
    }
    return share_text(ring->messages[(*number)++ - ring->base_number]);
}

void http_event_begin(hpf_sink *sink, const http_channel *channel, const char *event,
                      uint64_t number)
{
    if (number > 0) {
        hpf_sink_printf(sink, "id: %s-%llu\n", channel->instance, (unsigned long long)number);
    }
    hpf_sink_printf(sink, "event: %s\ndata: ", event);
}

void http_event_end(hpf_sink *sink)
{
    hpf_sink_text(sink, "\n\n");
}

hpf_sink *http_channel_open(http_channel *channel, const char *event)
{
    hpf_sink *message = hpf_sink_to_memory();
    if (message) {
        http_event_begin(message, channel, event, channel->ring.last_number + 1);
    } else {
        channel->has_lost = true;
    }
    return message;
}

void http_channel_send(http_channel *channel, hpf_sink *message)
{
    hpf_error err;
    if (!message) {
        return;
    }
    http_event_end(message);
    if (hpf_sink_finish(message, &err) != HPF_OK ||
        !http_ring_push(&channel->ring, hpf_sink_bytes(message))) {
        channel->has_lost = true;
    }
    hpf_sink_destroy(message);
}

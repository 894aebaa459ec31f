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

/* A cursor in the ring, and a position in the current text. */

/* Delay before a browser reconnects. */
static const char greeting[] = "retry: 2000\n\n";
static const char heartbeat[] = ":\n\n";

bool http_stream_parse_id(const char *text, const char *instance, uint64_t *number)
{
    size_t n = strlen(instance);
    if (!text || strncmp(text, instance, n) != 0 || text[n] != '-') {
        return false;
    }
    const char *digits = text + n + 1;
    size_t n_digits = strspn(digits, "0123456789");
    *number = strtoull(digits, NULL, 10);
    return n_digits > 0 && n_digits < 20 && !digits[n_digits];
}

void http_stream_begin(http_stream *stream, const http_ring *ring, bool is_resumed, uint64_t number)
{
    *stream = (http_stream){
        .ring = ring,
        .number = is_resumed ? number : UINT64_MAX,
        .aside = greeting,
    };
}

void http_stream_end(http_stream *stream)
{
    http_text_release(stream->text);
    *stream = (http_stream){.ring = NULL};
}

void http_stream_beat(http_stream *stream)
{
    if (!stream->text && !stream->aside) {
        stream->aside = heartbeat;
    }
}

/* Takes the next message if needed. Returns whether there is something to send. */
static bool has_more(http_stream *stream)
{
    if (!stream->aside && !stream->text) {
        stream->text = http_ring_next(stream->ring, &stream->number);
    }
    return stream->aside || stream->text;
}

static size_t copy_out(http_stream *stream, hpf_str from, char *to, size_t room)
{
    size_t left = from.length - stream->at;
    size_t n = left < room ? left : room;
    memcpy(to, from.data + stream->at, n);
    stream->at = n == left ? 0 : stream->at + n;
    return n;
}

static size_t read_piece(http_stream *stream, char *to, size_t room)
{
    http_text *text = stream->text;
    if (stream->aside) {
        hpf_str all = hpf_str_of(stream->aside);
        size_t n = copy_out(stream, all, to, room);
        stream->aside = stream->at ? stream->aside : NULL;
        return n;
    }
    size_t n = copy_out(stream, (hpf_str){text->bytes, text->length}, to, room);
    if (!stream->at) {
        http_text_release(text);
        stream->text = NULL;
    }
    return n;
}

size_t http_stream_read(http_stream *stream, char *to, size_t room)
{
    size_t n = 0;
    while (n < room && stream->ring && has_more(stream)) {
        n += read_piece(stream, to + n, room - n);
    }
    return n;
}

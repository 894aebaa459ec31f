/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A cursor in the ring, and a position in the current text.
 */
#include "http_stream.h"

#include <stdlib.h>
#include <string.h>

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

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The format is that of the HTML standard, "Server-sent events".
 */
#include "http_channel.h"

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

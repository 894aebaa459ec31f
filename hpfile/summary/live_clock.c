/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads records ahead of the reader of the profile.
 */
#include "summary/live_clock.h"

#include <stdlib.h>

#include "base/big_endian.h"
#include "base/buffer.h"
#include "eventlog/eventlog_activity.h"
#include "hpfile/eventlog_tags.h"

#define MOST_WAITING_BYTES ((size_t)64 << 20)
#define BLOCK_BYTES        14u /* of the payload of a BLOCK_MARKER */
#define CAP_BYTES          2u

/* A piece of input. */
typedef struct waiting {
    size_t n_bytes;
    uint64_t latest_ns; /* of the records up to its end */
} waiting;

/* A block that is being read. */
typedef struct block {
    uint64_t end_offset, end_ns;
    uint16_t cap;
} block;

struct hpf__live_clock {
    hpf_eventlog_activity *activity;
    hpf_eventlog *records;
    uint64_t *known_ns; /* for each capability: the end of its last block; UINT64_MAX: has ended */
    size_t n_caps, caps_capacity;
    block block;
    hpf__buffer bytes;
    size_t begin; /* of the bytes that were not taken */
    waiting *pieces;
    size_t n_pieces, first_piece, pieces_capacity;
    bool is_open; /* the log is sound, and has not ended */
};

static hpf_status set_known(hpf__live_clock *c, uint16_t cap, uint64_t ns, hpf_error *err)
{
    if (cap == HPF_EVENT_NO_CAP) {
        return HPF_OK;
    }
    if (!HPF__ARRAY_RESERVE(c->known_ns, c->caps_capacity, (size_t)cap + 1)) {
        return hpf_error_set_memory(err);
    }
    while (c->n_caps <= cap) {
        c->known_ns[c->n_caps++] = UINT64_MAX;
    }
    c->known_ns[cap] = ns;
    return HPF_OK;
}

static hpf_status end_block(hpf__live_clock *c, hpf_error *err)
{
    block ended = c->block;
    if (ended.end_offset == 0 || hpf_eventlog_offset(c->records) < ended.end_offset) {
        return HPF_OK;
    }
    c->block.end_offset = 0;
    bool has_ended = ended.cap < c->n_caps && c->known_ns[ended.cap] == UINT64_MAX;
    return has_ended ? HPF_OK : set_known(c, ended.cap, ended.end_ns, err);
}

static hpf_status on_type(void *context, const hpf_event_type *type, bool *is_wanted,
                          hpf_error *err)
{
    (void)context;
    (void)err;
    *is_wanted = hpf__eventlog_activity_wants(type->id) || type->id == HPF__EVENT_BLOCK_MARKER ||
                 (type->id >= HPF__EVENT_CAP_CREATE && type->id <= HPF__EVENT_CAP_ENABLE);
    return HPF_OK;
}

static hpf_status on_event(void *context, const hpf_event *event, hpf_error *err)
{
    hpf__live_clock *c = context;
    const char *p = event->payload.data;
    bool is_block = event->type->id == HPF__EVENT_BLOCK_MARKER;
    bool is_cap =
        event->type->id >= HPF__EVENT_CAP_CREATE && event->type->id <= HPF__EVENT_CAP_ENABLE;
    if (!hpf_event_name(event->type) || event->payload.length < (is_block ? BLOCK_BYTES
                                                                 : is_cap ? CAP_BYTES
                                                                          : 0)) {
        return HPF_OK;
    }
    hpf_status status = HPF_OK;
    switch (event->type->id) {
    case HPF__EVENT_BLOCK_MARKER:
        status = end_block(c, err);
        c->block =
            (block){event->begin_offset + hpf__read4(p), hpf__read8(p + 4), hpf__read2(p + 12)};
        return status;
    case HPF__EVENT_CAP_CREATE:
    case HPF__EVENT_CAP_ENABLE:
        return set_known(c, hpf__read2(p), event->time_ns, err);
    case HPF__EVENT_CAP_DELETE:
    case HPF__EVENT_CAP_DISABLE:
        return set_known(c, hpf__read2(p), UINT64_MAX, err);
    default:
        return hpf_eventlog_activity_note(c->activity, event, err);
    }
}

hpf__live_clock *hpf__live_clock_create(hpf_eventlog_activity *activity)
{
    static const hpf_event_visitor visitor = {.type = on_type, .event = on_event};
    hpf__live_clock *c = calloc(1, sizeof *c);
    if (!c || !(c->records = hpf_eventlog_create(&visitor, c))) {
        free(c);
        return NULL;
    }
    c->activity = activity;
    c->is_open = true;
    return c;
}

void hpf__live_clock_destroy(hpf__live_clock *c)
{
    if (c) {
        hpf_eventlog_destroy(c->records);
        hpf__buffer_finish(&c->bytes);
        free(c->known_ns);
        free(c->pieces);
        free(c);
    }
}

hpf_status hpf__live_clock_feed(hpf__live_clock *c, const char *bytes, size_t n_bytes,
                                hpf_error *err)
{
    hpf_error damage;
    if (c->begin > c->bytes.length / 2) {
        c->bytes.length -= c->begin;
        memmove(c->bytes.bytes, c->bytes.bytes + c->begin, c->bytes.length);
        c->n_pieces -= c->first_piece;
        memmove(c->pieces, c->pieces + c->first_piece, c->n_pieces * sizeof *c->pieces);
        c->begin = c->first_piece = 0;
    }
    if (!hpf__buffer_append(&c->bytes, bytes, n_bytes)) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_eventlog_feed(c->records, bytes, n_bytes, &damage);
    status = status == HPF_OK ? end_block(c, &damage) : status;
    if (status == HPF_ERR_MEMORY) {
        return hpf_error_set_memory(err);
    }
    hpf_eventlog_activity_use_mutator_clock(c->activity);
    c->is_open = status == HPF_OK && hpf_eventlog_state(c->records) != HPF_EVENTLOG_COMPLETE;
    waiting piece = {n_bytes, hpf_eventlog_last_ns(c->records)};
    return HPF__ARRAY_PUSH(c->pieces, c->n_pieces, c->pieces_capacity, piece)
               ? HPF_OK
               : hpf_error_set_memory(err);
}

bool hpf__live_clock_next(hpf__live_clock *c, bool takes_all, hpf_str *piece)
{
    uint64_t known_ns = c->n_caps > 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < c->n_caps; i++) {
        known_ns = c->known_ns[i] < known_ns ? c->known_ns[i] : known_ns;
    }
    if (c->first_piece == c->n_pieces) {
        return false;
    }
    const waiting *next = &c->pieces[c->first_piece];
    if (!takes_all && c->is_open && next->latest_ns > known_ns &&
        c->bytes.length - c->begin <= MOST_WAITING_BYTES) {
        return false;
    }
    *piece = (hpf_str){c->bytes.bytes + c->begin, next->n_bytes};
    c->begin += next->n_bytes;
    c->first_piece++;
    return true;
}

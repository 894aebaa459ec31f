/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Splits an event log into records; can stop and continue at any byte.
 *
 * A log is a sequence of items: the magic, declarations of types, the mark between header and
 * records, records, the end marker. Only complete items are read. An incomplete one is kept in
 * `carry`, and `item_bytes` is the number of bytes needed before the next attempt.
 */
#include "eventlog/eventlog_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/big_endian.h"
#include "hpfile/eventlog_tags.h"
#include "base/arena.h"
#include "hpfile/str.h"

#define MAGIC           "hdrbhetb" /* begin of header, begin of event types */
#define TYPE_BEGIN      "etb\0"
#define TYPE_END        "ete\0"
#define TYPES_END       "hetehdredatb" /* end of event types, end of header, begin of data */
#define WORD_BYTES      4u
#define MAGIC_BYTES     (2 * WORD_BYTES)
#define TYPES_END_BYTES (3 * WORD_BYTES)
#define TYPE_HEAD_BYTES 12u /* begin word, number, size, length of the description */
#define TYPE_MAX_BYTES  65536u

#define END_MARKER   0xffffu
#define END_BYTES    2u
#define HEAD_BYTES   10u                        /* type and time */
#define LENGTH_BYTES 2u                         /* of the length of a record of variable length */
#define BLOCK_BYTES  14u                        /* of a BLOCK_MARKER */
#define EMPTY_BYTES  (HEAD_BYTES + BLOCK_BYTES) /* of a block with nothing in it */

/* Records that must follow each other, in the order of time and at most 18 minutes apart, to show
 * that damage is over; the longest that are considered; bytes to be searched at once. */
enum { N_PLAUSIBLE = 5, MOST_PLAUSIBLE_BYTES = 4096, SEARCH_BYTES = 65536 };
#define MOST_PLAUSIBLE_GAP_NS (1ull << 40)

typedef enum state {
    IN_MAGIC,
    IN_TYPES,
    IN_RECORDS,
    IN_DAMAGE,  /* before the next plausible record */
    IN_REVISIT, /* at a record, or at the begin of the whole log */
    AT_END,
} state;

/* The part of a type that the record loop needs. */
typedef struct slot {
    hpf_event_type *type; /* NULL: not declared */
    int32_t n_bytes;
    bool is_wanted;
    bool is_run; /* goes to log->run first */
} slot;

struct hpf_eventlog {
    hpf_event_visitor visitor;
    void *context;
    hpf_error error; /* sticky */

    state state;
    hpf__buffer carry; /* an unfinished item */
    uint64_t offset;   /* of the next item */
    bool is_counting;

    hpf_arena *arena;
    hpf_event_type **types; /* in order of declaration */
    size_t n_types, types_capacity;
    slot *slots; /* by number */
    size_t n_slots, slots_capacity;

    hpf__eventlog_run *run; /* may be NULL */
    const uint16_t *run_ids;
    size_t n_run_ids;

    hpf_eventlog_end end; /* of the first reading, when it is not the first any more */
    uint64_t last_ns;     /* the latest time */
    uint64_t block_end;   /* offset after the block being read */
    uint16_t block_cap;
    uint64_t n_blocks; /* begun, with more in them than their marker */

    hpf_eventlog_damage damage; /* of the first reading, without the place being searched */
    uint64_t damage_begin;      /* of that place */
};

hpf_eventlog *hpf_eventlog_create(const hpf_event_visitor *visitor, void *context)
{
    hpf_eventlog *log = calloc(1, sizeof *log);
    if (!log || !(log->arena = hpf_arena_create())) {
        free(log);
        return NULL;
    }
    log->visitor = *visitor;
    log->context = context;
    log->is_counting = true;
    return log;
}

void hpf_eventlog_destroy(hpf_eventlog *log)
{
    if (log) {
        hpf__buffer_finish(&log->carry);
        hpf_arena_destroy(log->arena);
        free(log->types);
        free(log->slots);
        free(log);
    }
}

static hpf_status fail_at(hpf_eventlog *log, hpf_status status, const char *what)
{
    hpf_error_set(&log->error, status, "%s", what);
    log->error.offset = log->offset;
    return status;
}

/* --- the header --- */

static slot *make_slot(hpf_eventlog *log, uint16_t id)
{
    size_t needed = (size_t)id + 1;
    if (!HPF__ARRAY_RESERVE(log->slots, log->slots_capacity, needed)) {
        return NULL;
    }
    if (needed > log->n_slots) {
        memset(log->slots + log->n_slots, 0, (needed - log->n_slots) * sizeof *log->slots);
        log->n_slots = needed;
    }
    return &log->slots[id];
}

static hpf_event_type *make_type(hpf_eventlog *log, uint16_t id)
{
    hpf_event_type *type = hpf_arena_alloc(log->arena, sizeof *type);
    if (!type || !HPF__ARRAY_PUSH(log->types, log->n_types, log->types_capacity, type)) {
        return NULL;
    }
    type->id = id;
    return type;
}

static bool is_run_id(const hpf_eventlog *log, uint16_t id)
{
    size_t i = 0;
    while (i < log->n_run_ids && log->run_ids[i] != id) {
        i++;
    }
    return i < log->n_run_ids;
}

/* Declares a type. If it is declared twice, the last declaration counts. */
static hpf_status declare(hpf_eventlog *log, uint16_t id, int32_t n_bytes, hpf_str description)
{
    slot *s = make_slot(log, id);
    if (!s || (!s->type && !(s->type = make_type(log, id)))) {
        return hpf_error_set_memory(&log->error);
    }
    hpf_event_type *type = s->type;
    if (!hpf_str_equal(type->description, description)) {
        type->description = hpf_arena_str(log->arena, description);
        if (!type->description.data) {
            return hpf_error_set_memory(&log->error);
        }
    }
    s->n_bytes = type->n_bytes = n_bytes;
    s->is_wanted = log->visitor.event != NULL;
    hpf_status status = HPF_OK;
    if (log->visitor.type) {
        status = log->visitor.type(log->context, type, &s->is_wanted, &log->error);
    }
    s->is_run = s->is_wanted && n_bytes == HPF_EVENT_VARIABLE && is_run_id(log, id);
    return status;
}

/* Returns the length of the declaration at `p`, or the number of bytes needed to compute it. An
 * invalid one is as long as its head. */
static size_t type_bytes(const char *p, size_t n)
{
    if (n < TYPE_HEAD_BYTES) {
        return TYPE_HEAD_BYTES;
    }
    size_t description = hpf__read4(p + 8);
    size_t extra_at = TYPE_HEAD_BYTES + description;
    if (description > TYPE_MAX_BYTES || n < extra_at + WORD_BYTES) {
        return description > TYPE_MAX_BYTES ? TYPE_HEAD_BYTES : extra_at + WORD_BYTES;
    }
    size_t extra = hpf__read4(p + extra_at);
    return extra > TYPE_MAX_BYTES ? TYPE_HEAD_BYTES : extra_at + WORD_BYTES + extra + WORD_BYTES;
}

/* GHC 6.12 declares thread numbers of 8 bytes and writes 4, declares no bytes for STARTUP and
 * writes 2. */
static bool is_of_ghc_6_12(uint16_t id, int32_t n_bytes)
{
    return (id == HPF__EVENT_STARTUP && n_bytes == 0) ||
           (id == HPF__EVENT_CREATE_THREAD && n_bytes == 8);
}

static hpf_status read_type(hpf_eventlog *log, const char *p, size_t n)
{
    hpf_str description = {p + TYPE_HEAD_BYTES, hpf__read4(p + 8)};
    int32_t n_bytes = (int16_t)hpf__read2(p + 6);
    if (n < TYPE_HEAD_BYTES + 2 * WORD_BYTES ||
        memcmp(p + n - WORD_BYTES, TYPE_END, WORD_BYTES) != 0) {
        return fail_at(log, HPF_ERR_SYNTAX,
                       "the header of the event log is invalid: an event type has a wrong length");
    }
    if (n_bytes < HPF_EVENT_VARIABLE) {
        return fail_at(log, HPF_ERR_SYNTAX,
                       "the header of the event log is invalid: an event type has a negative size");
    }
    uint16_t id = hpf__read2(p + 4);
    if (is_of_ghc_6_12(id, n_bytes)) {
        return fail_at(log, HPF_ERR_VERSION,
                       "event logs of GHC 6.12 cannot be read, because their headers have wrong "
                       "sizes: use GHC 7.0 or later");
    }
    return declare(log, id, n_bytes, description);
}

/* Reads the complete item at `p`. */
static hpf_status read_header_item(hpf_eventlog *log, const char *p, size_t n)
{
    if (log->state == IN_MAGIC) {
        log->state = IN_TYPES;
        return memcmp(p, MAGIC, MAGIC_BYTES) == 0
                   ? HPF_OK
                   : fail_at(log, HPF_ERR_SYNTAX,
                             "not an event log: it does not begin with hdrbhetb");
    }
    if (memcmp(p, TYPE_BEGIN, WORD_BYTES) == 0) {
        return read_type(log, p, n);
    }
    log->state = IN_RECORDS;
    if (n < TYPES_END_BYTES || memcmp(p, TYPES_END, TYPES_END_BYTES) != 0) {
        return fail_at(log, HPF_ERR_SYNTAX,
                       "the header of the event log is invalid: expected a type");
    }
    return HPF_OK;
}

/* --- records --- */

static hpf_status fail_undeclared(hpf_eventlog *log, unsigned id)
{
    hpf_error_set(&log->error, HPF_ERR_SYNTAX,
                  "event type %u at byte %llu is not declared in the header", id,
                  (unsigned long long)log->offset);
    log->error.offset = log->offset;
    return HPF_ERR_SYNTAX;
}

static inline const slot *slot_of(const hpf_eventlog *log, unsigned id)
{
    return HPF__LIKELY(id < log->n_slots) && HPF__LIKELY(log->slots[id].type != NULL)
               ? &log->slots[id]
               : NULL;
}

/* A block's size includes its marker. */
static void enter_block(hpf_eventlog *log, const char *payload, size_t n, uint64_t offset)
{
    if (n >= BLOCK_BYTES) {
        uint32_t n_bytes = hpf__read4(payload);
        log->block_end = offset + n_bytes;
        log->block_cap = hpf__read2(payload + 12);
        log->n_blocks += n_bytes > EMPTY_BYTES;
    }
}

static hpf_status visit(hpf_eventlog *log, const slot *s, uint64_t time_ns, hpf_str payload,
                        uint64_t begin, uint64_t end)
{
    hpf_event event = {.type = s->type,
                       .time_ns = time_ns,
                       .begin_offset = begin,
                       .end_offset = end,
                       .cap = begin < log->block_end ? log->block_cap : HPF_EVENT_NO_CAP,
                       .payload = payload};
    return log->visitor.event(log->context, &event, &log->error);
}

static inline void note_time(hpf_eventlog *log, uint64_t time_ns)
{
    log->last_ns = time_ns > log->last_ns ? time_ns : log->last_ns;
}

/* Returns how long a payload is that is declared to have `n` bytes. GHC 9.10 declares that of an
 * info table, which ends with its sixth text, a byte too long. */
static size_t payload_bytes(unsigned id, const char *payload, size_t n)
{
    enum { N_TEXTS = 6, TEXTS_AT = 8 };
    size_t at = TEXTS_AT;
    if (id != HPF__EVENT_IPE) {
        return n;
    }
    for (unsigned i = 0; i < N_TEXTS && at < n; i++) {
        const char *end = memchr(payload + at, '\0', n - at);
        at = end ? (size_t)(end - payload) + 1 : n;
    }
    return at + 1 == n ? at : n;
}

static const char *take_run(hpf_eventlog *log, const slot *s, const char *p, const char *end)
{
    hpf__eventlog_taken taken = {0};
    const char *left = log->run(log->context, p, end, log->offset, &taken);
    log->offset += (uint64_t)(left - p);
    s->type->n_events += log->is_counting ? taken.n_records : 0;
    if (taken.n_records) {
        note_time(log, hpf__read8(taken.last + 2));
    }
    return left;
}

/* Reads complete records; returns the first byte after them. log->offset moves along. */
static const char *read_records(hpf_eventlog *log, const char *p, const char *end,
                                hpf_status *status)
{
    while ((size_t)(end - p) >= HEAD_BYTES) {
        unsigned id = hpf__read2(p);
        const slot *s = slot_of(log, id);
        if (HPF__UNLIKELY(!s)) {
            break;
        }
        if (s->is_run) {
            const char *left = take_run(log, s, p, end);
            if (left > p) {
                p = left;
                continue;
            }
        }
        size_t head = HEAD_BYTES;
        size_t n = (size_t)s->n_bytes;
        if (s->n_bytes < 0) {
            head += LENGTH_BYTES;
            if ((size_t)(end - p) < head) {
                break;
            }
            n = hpf__read2(p + HEAD_BYTES);
        }
        if ((size_t)(end - p) < head + n) {
            break;
        }
        n = payload_bytes(id, p + head, n);
        uint64_t begin = log->offset;
        if (HPF__UNLIKELY(id == HPF__EVENT_BLOCK_MARKER)) {
            enter_block(log, p + head, n, begin);
        }
        log->offset += head + n;
        s->type->n_events += log->is_counting;
        uint64_t time_ns = hpf__read8(p + 2);
        note_time(log, time_ns);
        if (s->is_wanted) {
            *status = visit(log, s, time_ns, (hpf_str){p + head, n}, begin, log->offset);
        }
        p += head + n;
        if (HPF__UNLIKELY(*status != HPF_OK)) {
            break;
        }
    }
    return p;
}

/* Returns the length of the record at `p`, or the number of bytes needed to compute it. An
 * undeclared type is as long as its number. */
static size_t record_bytes(const hpf_eventlog *log, const char *p, size_t n)
{
    if (n < END_BYTES) {
        return END_BYTES;
    }
    const slot *s = slot_of(log, hpf__read2(p));
    if (!s) {
        return END_BYTES;
    }
    if (s->n_bytes >= 0) {
        return HEAD_BYTES + (size_t)s->n_bytes;
    }
    const size_t head = HEAD_BYTES + LENGTH_BYTES;
    if (n < head) {
        return head;
    }
    size_t n_payload = hpf__read2(p + HEAD_BYTES);
    return head +
           (n < head + n_payload ? n_payload : payload_bytes(hpf__read2(p), p + head, n_payload));
}

/* Returns the number of bytes of `p` that show whether plausible records begin there, which is at
 * most `n` if `*is_plausible` is decided. The end marker ends them, too. */
static size_t plausible_bytes(const hpf_eventlog *log, const char *p, size_t n, bool *is_plausible)
{
    size_t at = 0;
    uint64_t before_ns = 0;
    *is_plausible = false;
    for (size_t i = 0; i < N_PLAUSIBLE; i++) {
        if (n - at < END_BYTES) {
            return at + END_BYTES;
        }
        unsigned id = hpf__read2(p + at);
        if (id == END_MARKER && i > 0) {
            break;
        }
        if (!slot_of(log, id)) {
            return at;
        }
        if (n - at < HEAD_BYTES) {
            return at + HEAD_BYTES;
        }
        uint64_t time_ns = hpf__read8(p + at + END_BYTES);
        bool is_later = time_ns - before_ns < MOST_PLAUSIBLE_GAP_NS;
        size_t n_bytes = record_bytes(log, p + at, n - at);
        if (time_ns == 0 || time_ns >> 60 || n_bytes > MOST_PLAUSIBLE_BYTES ||
            (i > 0 && !is_later && id != HPF__EVENT_BLOCK_MARKER)) {
            return at;
        }
        if (n_bytes > n - at) {
            return at + n_bytes;
        }
        before_ns = time_ns;
        at += n_bytes;
    }
    *is_plausible = true;
    return at;
}

/* Skips bytes up to plausible records; returns where these begin, or the first byte for which more
 * bytes are needed. */
static const char *skip_damage(hpf_eventlog *log, const char *p, const char *end)
{
    bool is_plausible = false;
    while (p < end &&
           plausible_bytes(log, p, (size_t)(end - p), &is_plausible) <= (size_t)(end - p)) {
        if (is_plausible) {
            log->state = IN_RECORDS;
            if (log->is_counting) {
                log->damage.n_places++;
                log->damage.n_bytes += log->offset - log->damage_begin;
            }
            break;
        }
        p++;
        log->offset++;
    }
    return p;
}

/* --- items --- */

/* Returns the length of the item at `p`, or, if its `n` bytes do not show it, a larger number than
 * `n`: the bytes needed to read it or to know more. */
static size_t item_bytes(const hpf_eventlog *log, const char *p, size_t n)
{
    switch (log->state) {
    case IN_MAGIC:
        return MAGIC_BYTES;
    case IN_TYPES:
        if (n < WORD_BYTES) {
            return WORD_BYTES;
        }
        return memcmp(p, TYPE_BEGIN, WORD_BYTES) == 0 ? type_bytes(p, n) : TYPES_END_BYTES;
    case IN_REVISIT:
        return WORD_BYTES;
    case IN_DAMAGE: {
        bool is_plausible;
        return plausible_bytes(log, p, n, &is_plausible);
    }
    default:
        return record_bytes(log, p, n);
    }
}

/* Handles a place where no record can begin, the end marker or damage; returns the first byte after
 * the marker. Records that are changes of those before cannot be read if one of them is missing. */
static const char *read_end(hpf_eventlog *log, const char *p, hpf_status *status)
{
    unsigned id = hpf__read2(p);
    if (id == END_MARKER) {
        log->state = AT_END;
        log->offset += END_BYTES;
        return p + END_BYTES;
    }
    if (hpf_eventlog_n_events(log) == 0 ||
        hpf__eventlog_declares(log, HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES) ||
        hpf__eventlog_declares(log, HPF__EVENT_HEAP_PROF_STACK_TOTALS_CHANGES)) {
        *status = fail_undeclared(log, id);
        return p;
    }
    log->state = IN_DAMAGE;
    log->damage_begin = log->offset;
    if (log->damage.n_places == 0 && log->is_counting) {
        log->damage.first_offset = log->offset;
    }
    if (log->visitor.damage) {
        log->visitor.damage(log->context);
    }
    return p;
}

/* Reads all complete items; returns the first byte after them. */
static const char *read_items(hpf_eventlog *log, const char *p, const char *end, hpf_status *status)
{
    while (*status == HPF_OK && log->state != AT_END && p < end) {
        if (log->state == IN_DAMAGE) {
            p = skip_damage(log, p, end);
        }
        if (log->state == IN_RECORDS) {
            p = read_records(log, p, end, status);
        }
        size_t n = item_bytes(log, p, (size_t)(end - p));
        if (*status != HPF_OK || n > (size_t)(end - p)) {
            break;
        }
        if (log->state == IN_RECORDS) {
            p = read_end(log, p, status);
        } else if (log->state == IN_REVISIT) {
            log->state = memcmp(p, HPF_EVENTLOG_MAGIC, WORD_BYTES) == 0 ? IN_MAGIC : IN_RECORDS;
        } else {
            *status = read_header_item(log, p, n);
            log->offset += n;
            p += n;
        }
    }
    return log->state == AT_END ? end : p;
}

/* Completes the item in carry with the first bytes of the piece, and reads it. */
static hpf_status feed_carry(hpf_eventlog *log, const char **at, const char *end)
{
    hpf__buffer *carry = &log->carry;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && carry->length && log->state != AT_END) {
        size_t needed = item_bytes(log, carry->bytes, carry->length);
        if (needed > carry->length) {
            size_t there = (size_t)(end - *at);
            size_t n = needed - carry->length;
            n = log->state == IN_DAMAGE && n < SEARCH_BYTES ? SEARCH_BYTES : n;
            n = n < there ? n : there;
            if (!hpf__buffer_append(carry, *at, n)) {
                return hpf_error_set_memory(&log->error);
            }
            *at += n;
            if (n == there && carry->length < needed) {
                return HPF_OK;
            }
        }
        const char *carry_end = carry->bytes + carry->length;
        const char *left = read_items(log, carry->bytes, carry_end, &status);
        memmove(carry->bytes, left, (size_t)(carry_end - left));
        carry->length = (size_t)(carry_end - left);
    }
    return status;
}

/* A consumer may have returned a status without describing it. */
static hpf_status settle_status(hpf_eventlog *log, hpf_status status, hpf_error *err)
{
    if (status != HPF_OK && log->error.status == HPF_OK) {
        hpf_error_set(&log->error, status, "%s", hpf_status_name(status));
    }
    if (log->error.status != HPF_OK && err) {
        *err = log->error;
    }
    return log->error.status;
}

static hpf_status feed(hpf_eventlog *log, const char *bytes, size_t n_bytes)
{
    const char *at = bytes;
    const char *end = bytes + n_bytes;
    hpf_status status = feed_carry(log, &at, end);
    if (status == HPF_OK && log->state != AT_END && at < end) {
        at = read_items(log, at, end, &status);
        if (status == HPF_OK && at < end &&
            !hpf__buffer_append(&log->carry, at, (size_t)(end - at))) {
            status = hpf_error_set_memory(&log->error);
        }
    }
    return status;
}

hpf_status hpf_eventlog_feed(hpf_eventlog *log, const char *bytes, size_t n_bytes, hpf_error *err)
{
    hpf_status status = log->error.status;
    if (status == HPF_OK && n_bytes) {
        status = feed(log, bytes, n_bytes);
        log->carry.length = status == HPF_OK ? log->carry.length : 0;
    }
    return settle_status(log, status, err);
}

hpf_eventlog_end hpf_eventlog_state(const hpf_eventlog *log)
{
    if (!log->is_counting) {
        return log->end;
    }
    switch (log->state) {
    case IN_MAGIC:
    case IN_TYPES:
        return HPF_EVENTLOG_IN_HEADER;
    case AT_END:
        return HPF_EVENTLOG_COMPLETE;
    case IN_DAMAGE:
        return HPF_EVENTLOG_IN_RECORD;
    default:
        return log->carry.length ? HPF_EVENTLOG_IN_RECORD : HPF_EVENTLOG_OPEN;
    }
}

uint64_t hpf_eventlog_offset(const hpf_eventlog *log)
{
    return log->offset;
}

hpf_eventlog_damage hpf_eventlog_damaged(const hpf_eventlog *log)
{
    hpf_eventlog_damage damage = log->damage;
    if (log->state == IN_DAMAGE && log->is_counting) {
        damage.n_places++;
        damage.n_bytes += log->offset + log->carry.length - log->damage_begin;
    }
    return damage;
}

bool hpf_eventlog_describe_damage(const hpf_eventlog *log, hpf_error *warning)
{
    hpf_eventlog_damage damage = hpf_eventlog_damaged(log);
    if (damage.n_places == 0) {
        return false;
    }
    hpf_error_set(warning, HPF_ERR_SYNTAX,
                  "the event log is damaged in %llu %s, first at byte %llu: skipped %llu bytes",
                  (unsigned long long)damage.n_places, damage.n_places == 1 ? "place" : "places",
                  (unsigned long long)damage.first_offset, (unsigned long long)damage.n_bytes);
    warning->offset = damage.first_offset;
    return true;
}

uint64_t hpf_eventlog_n_events(const hpf_eventlog *log)
{
    uint64_t n = 0;
    for (size_t i = 0; i < log->n_types; i++) {
        n += log->types[i]->n_events;
    }
    return n;
}

uint64_t hpf_eventlog_n_of_type(const hpf_eventlog *log, unsigned id)
{
    for (size_t i = 0; i < log->n_types; i++) {
        if (log->types[i]->id == id) {
            return log->types[i]->n_events;
        }
    }
    return 0;
}

uint64_t hpf_eventlog_last_ns(const hpf_eventlog *log)
{
    return log->last_ns;
}

size_t hpf_eventlog_n_types(const hpf_eventlog *log)
{
    return log->n_types;
}

const hpf_event_type *hpf_eventlog_type(const hpf_eventlog *log, size_t index)
{
    return log->types[index];
}

void hpf__eventlog_revisit(hpf_eventlog *log)
{
    log->end = hpf_eventlog_state(log);
    log->damage = hpf_eventlog_damaged(log);
    log->error = (hpf_error){0};
    log->carry.length = 0;
    log->offset = 0;
    log->block_end = 0;
    log->is_counting = false;
    if (log->state == IN_RECORDS || log->state == IN_DAMAGE || log->state == AT_END) {
        log->state = IN_REVISIT;
    }
}

void hpf__eventlog_set_run(hpf_eventlog *log, hpf__eventlog_run *run, const uint16_t *ids,
                           size_t n_ids)
{
    log->run = run;
    log->run_ids = ids;
    log->n_run_ids = n_ids;
}

bool hpf__eventlog_declares(const hpf_eventlog *log, uint16_t id)
{
    return id < log->n_slots && log->slots[id].type;
}

uint64_t hpf__eventlog_n_blocks(const hpf_eventlog *log)
{
    return log->n_blocks - (log->n_blocks > 0 && log->offset < log->block_end);
}

bool hpf__eventlog_cut_groups(hpf_str *from, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; from->length > 0 && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char)*from->data;
        *from = hpf_str_from(*from, 1);
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return true;
        }
    }
    return false;
}

bool hpf__eventlog_cut_change(hpf_str *from, uint64_t *change)
{
    uint64_t number;
    bool is_cut = hpf__eventlog_cut_groups(from, &number);
    *change = number >> 1 ^ (number & 1 ? UINT64_MAX : 0);
    return is_cut;
}

hpf_status hpf_eventlog_read_source(hpf_eventlog **out, hpf_source *source,
                                    const hpf_event_visitor *visitor, void *context, hpf_error *err)
{
    hpf_eventlog *log = hpf_eventlog_create(visitor, context);
    hpf_status status = log ? HPF_OK : hpf_error_set_memory(err);
    hpf_str piece;
    while (status == HPF_OK && (status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        status = hpf_eventlog_feed(log, piece.data, piece.length, err);
    }
    if (out) {
        *out = log;
    } else {
        hpf_eventlog_destroy(log);
    }
    return status == HPF_END ? HPF_OK : status;
}

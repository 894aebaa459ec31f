/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each change is a splice: some bytes give way to others. Records that are made up follow the
 * fields of the table of event types, with small numbers, so that they speak of the same profiles,
 * cost centres and counters.
 */
#include "log_mutator.h"

#include <stdbool.h>
#include <string.h>

#include "base/big_endian.h"
#include "hpfile/eventlog_tags.h"
#include "fuzz.h"

#define MOST_RECORDS 512u
#define MOST_PAYLOAD 300u
#define HEADER_WORD  4u
#define MAGIC_BYTES  8u
#define RECORD_HEAD  10u /* type and time */
#define VARIABLE     (-1)
#define UNDECLARED   (-2)
#define N_TYPES      1024u

typedef struct record {
    size_t at, payload_at, end;
    uint16_t id;
} record;

/* A log in its room, and where its parts are. */
typedef struct log_map {
    uint8_t *data;
    size_t size, max_size;
    int sizes[N_TYPES]; /* of types: VARIABLE, UNDECLARED, or bytes */
    size_t types_end;   /* of the header's declarations */
    size_t n_records;
    record records[MOST_RECORDS]; /* the first ones */
    rng *chance;
} log_map;

/* Bytes being made. What does not fit is left out. */
typedef struct made {
    uint8_t bytes[MOST_PAYLOAD + 64];
    size_t n;
} made;

static const struct {
    uint16_t id;
    const char *fields;
} known[] = {
#define KNOWN(number, name, fields) {number, fields},
    HPF__EVENTS(KNOWN)
#undef KNOWN
};

#define N_KNOWN (sizeof known / sizeof known[0])

/* --- where things are --- */

static uint64_t read_number(const log_map *log, size_t at, unsigned n_bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < n_bytes && at + i < log->size; i++) {
        number = number << 8 | log->data[at + i];
    }
    return number;
}

static bool is_word(const log_map *log, size_t at, const char *word)
{
    return at + HEADER_WORD <= log->size && memcmp(log->data + at, word, HEADER_WORD) == 0;
}

/* Finds the declarations; returns where the records begin, 0 if they do not. */
static size_t map_types(log_map *log)
{
    size_t at = MAGIC_BYTES;
    for (size_t i = 0; i < N_TYPES; i++) {
        log->sizes[i] = UNDECLARED;
    }
    while (is_word(log, at, "etb\0")) {
        uint64_t id = read_number(log, at + 4, 2);
        if (id < N_TYPES) {
            log->sizes[id] = (int16_t)read_number(log, at + 6, 2);
        }
        at += 12 + read_number(log, at + 8, 4);
        at += at < log->size ? 8 + read_number(log, at, 4) : 0;
    }
    log->types_end = at;
    return is_word(log, at, "hete") ? at + 3 * HEADER_WORD : 0;
}

static bool map_record(const log_map *log, size_t at, record *r)
{
    uint64_t id = read_number(log, at, 2);
    if (at + RECORD_HEAD > log->size || id >= N_TYPES || log->sizes[id] <= UNDECLARED) {
        return false;
    }
    bool is_variable = log->sizes[id] == VARIABLE;
    r->at = at;
    r->id = (uint16_t)id;
    r->payload_at = at + RECORD_HEAD + (is_variable ? 2 : 0);
    r->end = r->payload_at +
             (is_variable ? read_number(log, at + RECORD_HEAD, 2) : (uint64_t)log->sizes[id]);
    return r->end <= log->size;
}

static bool map_log(log_map *log)
{
    size_t at = map_types(log);
    while (at && log->n_records < MOST_RECORDS &&
           map_record(log, at, &log->records[log->n_records])) {
        at = log->records[log->n_records++].end;
    }
    return at != 0 && log->n_records != 0;
}

/* --- making bytes --- */

static void put(made *m, uint64_t number, unsigned n_bytes)
{
    for (unsigned i = n_bytes; i-- > 0 && m->n < sizeof m->bytes;) {
        m->bytes[m->n++] = (uint8_t)(number >> 8 * i);
    }
}

/* Mostly small; at times at an edge. */
static uint64_t some_number(rng *chance)
{
    static const uint64_t edges[] = {0,     127,       128,        255,       256,
                                     65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    return rng_below(chance, 8) ? rng_below(chance, 6)
                                : edges[rng_below(chance, sizeof edges / sizeof edges[0])];
}

static void put_text(made *m, rng *chance)
{
    static const char *const texts[] = {"",       "a",    "MAIN", "CAF",
                                        "main.f", "\xff", "0x40", "GHC-9.0.2"};
    const char *text = texts[rng_below(chance, sizeof texts / sizeof texts[0])];
    for (; *text; text++) {
        put(m, (uint8_t)*text, 1);
    }
}

static void put_stack(made *m, rng *chance)
{
    uint64_t depth = rng_below(chance, 5);
    put(m, rng_below(chance, 16) ? depth : depth + 1, 1);
    for (uint64_t i = 0; i < depth; i++) {
        put(m, some_number(chance), 4);
    }
}

static void put_field(made *m, char kind, rng *chance)
{
    switch (kind) {
    case '1':
    case '2':
    case '4':
    case '8':
        put(m, some_number(chance), (unsigned)(kind - '0'));
        break;
    case 'k':
        put_stack(m, chance);
        break;
    case 'v':
        put_text(m, chance);
        put(m, 0, 1);
        put_text(m, chance);
        put(m, 0, 1);
        break;
    default:
        put_text(m, chance);
        put(m, 0, kind == 's');
    }
}

static void put_fields(made *m, uint16_t id, rng *chance)
{
    size_t i = 0;
    while (i < N_KNOWN && known[i].id != id) {
        i++;
    }
    for (const char *f = i < N_KNOWN ? known[i].fields : ""; (f = strchr(f, ':')) != NULL; f++) {
        put_field(m, f[1], chance);
    }
}

/* Replaces bytes of the log; what would not fit stays undone. */
static void splice(log_map *log, size_t at, size_t end, const uint8_t *bytes, size_t n)
{
    size_t rest = log->size - end;
    if (n > log->max_size || at + rest > log->max_size - n) {
        return;
    }
    memmove(log->data + at + n, log->data + end, rest);
    memcpy(log->data + at, bytes, n);
    log->size = at + n + rest;
}

/* A record of the type, with the payload cut or filled to what the header tells. */
static void splice_record(log_map *log, size_t at, size_t end, uint16_t id, uint64_t time_ns,
                          const made *payload)
{
    int declared = log->sizes[id];
    size_t n = payload->n < MOST_PAYLOAD ? payload->n : MOST_PAYLOAD;
    made m = {.n = 0};
    put(&m, id, 2);
    put(&m, time_ns, 8);
    if (declared == VARIABLE) {
        put(&m, n, 2);
    } else if (declared > (int)MOST_PAYLOAD) {
        return;
    }
    memcpy(m.bytes + m.n, payload->bytes, n);
    m.n += declared == VARIABLE ? n : (size_t)declared;
    splice(log, at, end, m.bytes, m.n);
}

/* --- changes --- */

static const record *some_record(const log_map *log)
{
    return &log->records[rng_below(log->chance, log->n_records)];
}

/* The end of a few records from `first` on. */
static size_t end_of_some(const log_map *log, const record *first)
{
    size_t left = log->n_records - (size_t)(first - log->records);
    size_t most = rng_below(log->chance, 4) ? 4 : left;
    return first[rng_below(log->chance, most < left ? most : left)].end;
}

static uint64_t time_of(const log_map *log, const record *r)
{
    return read_number(log, r->at + 2, 8);
}

static made payload_of(const log_map *log, const record *r)
{
    made m = {.n = r->end - r->payload_at};
    m.n = m.n < MOST_PAYLOAD ? m.n : MOST_PAYLOAD;
    memcpy(m.bytes, log->data + r->payload_at, m.n);
    return m;
}

static void remove_records(log_map *log)
{
    const record *first = some_record(log);
    splice(log, first->at, end_of_some(log, first), log->data, 0);
}

static void repeat_records(log_map *log)
{
    static uint8_t copy[1 << 16];
    const record *first = some_record(log);
    size_t n = end_of_some(log, first) - first->at;
    n = n < sizeof copy ? n : sizeof copy;
    memcpy(copy, log->data + first->at, n);
    const record *to = some_record(log);
    splice(log, to->at, to->at, copy, n);
}

static void change_type(log_map *log)
{
    const record *r = some_record(log);
    uint16_t id = some_record(log)->id;
    made payload = payload_of(log, r);
    splice_record(log, r->at, r->end, id, time_of(log, r), &payload);
}

static void change_payload(log_map *log)
{
    const record *r = some_record(log);
    made payload = payload_of(log, r);
    if (payload.n == 0 || rng_below(log->chance, 3) == 0) {
        payload = (made){.n = 0};
        put_fields(&payload, r->id, log->chance);
    } else {
        payload.n = LLVMFuzzerMutate(payload.bytes, payload.n, MOST_PAYLOAD);
    }
    splice_record(log, r->at, r->end, r->id, time_of(log, r), &payload);
}

static void change_number(log_map *log)
{
    const record *r = some_record(log);
    made payload = payload_of(log, r);
    made number = {.n = 0};
    put(&number, some_number(log->chance), 1u << rng_below(log->chance, 4));
    if (payload.n >= number.n) {
        memcpy(payload.bytes + rng_below(log->chance, payload.n - number.n + 1), number.bytes,
               number.n);
        splice(log, r->payload_at, r->payload_at + payload.n, payload.bytes, payload.n);
    }
}

static void change_time(log_map *log)
{
    const record *r = some_record(log);
    uint64_t time = time_of(log, some_record(log)) + rng_below(log->chance, 3) - 1;
    made m = {.n = 0};
    put(&m, rng_below(log->chance, 4) ? time : some_number(log->chance), 8);
    splice(log, r->at + 2, r->at + RECORD_HEAD, m.bytes, m.n);
}

/* A new record of a declared type. */
static void invent_record(log_map *log)
{
    uint16_t id = known[rng_below(log->chance, N_KNOWN)].id;
    const record *to = some_record(log);
    made payload = {.n = 0};
    put_fields(&payload, id, log->chance);
    if (log->sizes[id] != UNDECLARED) {
        splice_record(log, to->at, to->at, id, time_of(log, to), &payload);
    }
}

/* A few records as a block of a capability. */
static void wrap_block(log_map *log)
{
    const record *first = some_record(log);
    size_t n = end_of_some(log, first) - first->at;
    made payload = {.n = 0};
    put(&payload, RECORD_HEAD + 14 + n, 4);
    put(&payload, time_of(log, first), 8);
    put(&payload, rng_below(log->chance, 3), 2);
    if (log->sizes[HPF__EVENT_BLOCK_MARKER] == 14) {
        splice_record(log, first->at, first->at, HPF__EVENT_BLOCK_MARKER, time_of(log, first),
                      &payload);
    }
}

/* Records of one more type can be had from now on: a known one, or one from the future. At times a
 * type gets another size, which breaks the frame: that too must be read without harm. */
static void declare_type(log_map *log)
{
    bool is_known = rng_below(log->chance, 4) != 0;
    uint16_t id = is_known ? known[rng_below(log->chance, N_KNOWN)].id
                           : (uint16_t)rng_below(log->chance, N_TYPES);
    made m = {.n = 0};
    put(&m, 0x65746200, 4); /* etb */
    put(&m, id, 2);
    put(&m, rng_below(log->chance, 2) ? UINT16_MAX : rng_below(log->chance, 40), 2);
    put(&m, 0, 8);
    put(&m, 0x65746500, 4); /* ete */
    if (log->sizes[id] == UNDECLARED || rng_below(log->chance, 16) == 0) {
        splice(log, log->types_end, log->types_end, m.bytes, m.n);
    }
}

static void change_bytes(log_map *log)
{
    log->size = LLVMFuzzerMutate(log->data, log->size, log->max_size);
}

size_t log_mutate(uint8_t *data, size_t size, size_t max_size, rng *chance)
{
    static void (*const changes[])(log_map *) = {
        remove_records, repeat_records, change_type, change_payload, change_payload, change_number,
        change_time,    invent_record,  wrap_block,  declare_type,   change_bytes,
    };
    static log_map log;
    log = (log_map){.data = data, .size = size, .max_size = max_size, .chance = chance};
    if (map_log(&log)) {
        changes[rng_below(chance, sizeof changes / sizeof changes[0])](&log);
    } else {
        change_bytes(&log);
    }
    return log.size;
}

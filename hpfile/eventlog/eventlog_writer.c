/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Events to records. Records gather in blocks, which get their markers when they are full, that is,
 * with each sample. What a log begins with waits for the first thing that is no header.
 */
#include "hpfile/eventlog_writer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eventlog/eventlog_tags.h"
#include "eventlog/eventlog_writer_state.h"
#include "hpfile/str.h"
#include "hpfile/utf8.h"
#include "base/date.h"

#define SET_BYTES    4u    /* of the number of a capability set */
#define BLOCK_HEAD   24u   /* bytes of a BLOCK_MARKER */
#define BLOCK_BYTES  60000 /* of marks and lines before they leave without a sample */
#define MBLOCK_BYTES 1048576.0

/* What is declared, with GHC's words. */
typedef struct type {
    uint16_t id;
    int16_t n_bytes;
    int16_t stream;
    const char *description;
} type;

static const type types[] = {
    {HPF__EVENT_BLOCK_MARKER, 14, HPF__OF_NONE, "Block marker"},
    {HPF__EVENT_CAPSET_CREATE, 6, HPF__OF_NONE, "Create capability set"},
    {HPF__EVENT_CAPSET_ASSIGN_CAP, 6, HPF__OF_NONE, "Add capability to capability set"},
    {HPF__EVENT_RTS_IDENTIFIER, -1, HPF__OF_NONE, "RTS name and version"},
    {HPF__EVENT_PROGRAM_ARGS, -1, HPF__OF_NONE, "Program arguments"},
    {HPF__EVENT_WALL_CLOCK_TIME, 16, HPF__OF_NONE, "Wall clock time"},
    {HPF__EVENT_CAP_CREATE, 2, HPF__OF_NONE, "Create capability"},
    {HPF__EVENT_HEAP_SIZE, 12, HPF__OF_CAPABILITY, "Current heap size"},
    {HPF__EVENT_HEAP_LIVE, 12, HPF__OF_CAPABILITY, "Current heap live data"},
    {HPF__EVENT_USER_MARKER, -1, HPF__OF_CAPABILITY, "User marker"},
    {HPF__EVENT_MEM_RETURN, 16, HPF__OF_CAPABILITY, "Memory return statistics"},
    {HPF__EVENT_BLOCKS_SIZE, 12, HPF__OF_CAPABILITY,
     "Current heap size (size of allocated blocks)"},
    {HPF__EVENT_HEAP_PROF_BEGIN, -1, HPF__OF_NONE, "Start of heap profile"},
    {HPF__EVENT_HEAP_PROF_COST_CENTRE, -1, HPF__OF_NONE, "Cost center definition"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN, 8, HPF__OF_NONE, "Start of heap profile sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, -1, HPF__OF_NONE, "Heap profile cost-centre sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_STRING, -1, HPF__OF_NONE, "Heap profile string sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_END, 8, HPF__OF_NONE, "End of heap profile sample"},
    {HPF__EVENT_IPE, -1, HPF__OF_NONE, "Info Table Source Position"},
};

static const type *type_of(uint16_t id)
{
    const type *t = types;
    while (t->id != id) {
        t++;
    }
    return t;
}

hpf_eventlog_writer *hpf_eventlog_writer_create(hpf_sink *sink,
                                                const hpf_eventlog_writer_options *options)
{
    hpf_eventlog_writer *w = calloc(1, sizeof *w);
    if (!w || !(w->arena = hpf_arena_create())) {
        free(w);
        return NULL;
    }
    w->sink = sink;
    w->options = options ? *options : (hpf_eventlog_writer_options){0};
    w->options.units_per_s = w->options.units_per_s > 0 ? w->options.units_per_s : 1;
    hpf_str rts = w->options.rts.length ? w->options.rts : HPF_STR("heapcensus rts");
    w->options.rts = (hpf_str){hpf_arena_text(w->arena, rts), rts.length};
    if (!w->options.rts.data) {
        hpf_eventlog_writer_destroy(w);
        return NULL;
    }
    return w;
}

void hpf_eventlog_writer_destroy(hpf_eventlog_writer *w)
{
    if (w) {
        hpf_arena_destroy(w->arena);
        for (int i = 0; i < HPF__N_STREAMS; i++) {
            hpf__buffer_finish(&w->streams[i].block);
        }
        hpf__buffer_finish(&w->scratch);
        hpf__intern_finish(&w->centres);
        hpf__intern_finish(&w->stacks);
        hpf__intern_finish(&w->labels);
        free(w->keys);
        free(w);
    }
}

/* --- bytes --- */

void hpf__writer_put(hpf_eventlog_writer *w, hpf__buffer *to, const void *bytes, size_t n)
{
    w->is_out_of_memory |= n && !hpf__buffer_append(to, bytes, n);
}

void hpf__writer_put_number(hpf_eventlog_writer *w, hpf__buffer *to, uint64_t number,
                            size_t n_bytes)
{
    char bytes[8];
    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] = (char)(number >> 8 * (n_bytes - 1 - i));
    }
    hpf__writer_put(w, to, bytes, n_bytes);
}

void hpf__writer_put_text(hpf_eventlog_writer *w, hpf__buffer *to, hpf_str text, size_t room)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    while (text.length && *text.data) {
        size_t n = hpf_utf8_next(text, NULL);
        hpf_str shown = n ? (hpf_str){text.data, n} : HPF_STR(replacement);
        if (shown.length > room) {
            break;
        }
        hpf__writer_put(w, to, shown.data, shown.length);
        room -= shown.length;
        n += n == 0;
        text = (hpf_str){text.data + n, text.length - n};
    }
}

void hpf__writer_put_string(hpf_eventlog_writer *w, hpf__buffer *to, hpf_str text, size_t room)
{
    hpf__writer_put_text(w, to, text, room);
    hpf__writer_put_number(w, to, 0, 1);
}

void hpf__writer_put_record(hpf_eventlog_writer *w, uint16_t id, uint64_t time_ns)
{
    const type *t = type_of(id);
    hpf__log_stream *to = &w->streams[t->stream];
    assert(w->scratch.length <= HPF__MAX_PAYLOAD);
    to->now_ns = time_ns > to->now_ns ? time_ns : to->now_ns;
    hpf__writer_put_number(w, &to->block, id, 2);
    hpf__writer_put_number(w, &to->block, time_ns, 8);
    if (t->n_bytes < 0) {
        hpf__writer_put_number(w, &to->block, w->scratch.length, 2);
    }
    hpf__writer_put(w, &to->block, w->scratch.bytes, w->scratch.length);
    w->scratch.length = 0;
}

/* What a stream gathered leaves as a block. */
static void leave_block(hpf_eventlog_writer *w, hpf__log_stream *stream, uint16_t cap)
{
    hpf__buffer marker = {0};
    if (stream->block.length) {
        hpf__writer_put_number(w, &marker, HPF__EVENT_BLOCK_MARKER, 2);
        hpf__writer_put_number(w, &marker, stream->block_ns, 8);
        hpf__writer_put_number(w, &marker, BLOCK_HEAD + stream->block.length, 4);
        hpf__writer_put_number(w, &marker, stream->now_ns, 8);
        hpf__writer_put_number(w, &marker, cap, 2);
        hpf_sink_write(w->sink, marker.bytes, marker.length);
        hpf_sink_write(w->sink, stream->block.bytes, stream->block.length);
        stream->block.length = 0;
        stream->block_ns = stream->now_ns;
        hpf__buffer_finish(&marker);
    }
}

/* Marks and sizes go ahead of the sample that they came before. */
static void leave(hpf_eventlog_writer *w)
{
    leave_block(w, &w->streams[HPF__OF_CAPABILITY], 0);
    leave_block(w, &w->streams[HPF__OF_NONE], HPF_EVENT_NO_CAP);
}

static hpf_status status_of(const hpf_eventlog_writer *w, hpf_error *err)
{
    return w->is_out_of_memory ? hpf_error_set_memory(err) : HPF_OK;
}

/* --- the begin --- */

static void write_types(hpf_eventlog_writer *w)
{
    hpf__buffer header = {0};
    hpf__writer_put(w, &header, "hdrbhetb", 8);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t length = strlen(types[i].description);
        hpf__writer_put(w, &header, "etb\0", 4);
        hpf__writer_put_number(w, &header, types[i].id, 2);
        hpf__writer_put_number(w, &header, (uint16_t)types[i].n_bytes, 2);
        hpf__writer_put_number(w, &header, length, 4);
        hpf__writer_put(w, &header, types[i].description, length);
        hpf__writer_put_number(w, &header, 0, 4);
        hpf__writer_put(w, &header, "ete\0", 4);
    }
    hpf__writer_put(w, &header, "hetehdredatb", 12);
    hpf_sink_write(w->sink, header.bytes, header.length);
    hpf__buffer_finish(&header);
}

/* Capability 0, and the sets that GHC has for the process and for its clock. */
static void put_capabilities(hpf_eventlog_writer *w)
{
    const uint16_t kinds[] = {2, 3};
    hpf__writer_put_number(w, &w->scratch, 0, 2);
    hpf__writer_put_record(w, HPF__EVENT_CAP_CREATE, 0);
    for (uint32_t set = 0; set < 2; set++) {
        hpf__writer_put_number(w, &w->scratch, set, 4);
        hpf__writer_put_number(w, &w->scratch, kinds[set], 2);
        hpf__writer_put_record(w, HPF__EVENT_CAPSET_CREATE, 0);
        hpf__writer_put_number(w, &w->scratch, set, 4);
        hpf__writer_put_number(w, &w->scratch, 0, 2);
        hpf__writer_put_record(w, HPF__EVENT_CAPSET_ASSIGN_CAP, 0);
    }
}

/* The words of JOB, each with a NUL in place of the blank behind it. */
static void put_args(hpf_eventlog_writer *w)
{
    hpf__writer_put_number(w, &w->scratch, 0, SET_BYTES);
    hpf__writer_put_string(w, &w->scratch, w->headers[HPF_HEADER_JOB],
                           HPF__MAX_PAYLOAD - SET_BYTES - 1);
    for (size_t i = SET_BYTES; i < w->scratch.length; i++) {
        w->scratch.bytes[i] = w->scratch.bytes[i] == ' ' ? '\0' : w->scratch.bytes[i];
    }
    hpf__writer_put_record(w, HPF__EVENT_PROGRAM_ARGS, 0);
}

static void put_date(hpf_eventlog_writer *w)
{
    uint64_t unix_s;
    if (hpf__log_date_parse(w->headers[HPF_HEADER_DATE], &unix_s)) {
        hpf__writer_put_number(w, &w->scratch, 1, 4);
        hpf__writer_put_number(w, &w->scratch, unix_s, 8);
        hpf__writer_put_number(w, &w->scratch, 0, 4);
        hpf__writer_put_record(w, HPF__EVENT_WALL_CLOCK_TIME, 0);
    }
}

static void put_profile(hpf_eventlog_writer *w)
{
    hpf_breakdown breakdown = w->options.breakdown;
    breakdown = breakdown == HPF_BREAKDOWN_NONE ? HPF_BREAKDOWN_CLOSURE_DESCR : breakdown;
    hpf__writer_put_number(w, &w->scratch, 0, 1);
    hpf__writer_put_number(w, &w->scratch, w->options.period_ns, 8);
    hpf__writer_put_number(w, &w->scratch, (uint64_t)breakdown, 4);
    hpf__writer_put(w, &w->scratch, "\0\0\0\0\0\0\0", HPF_N_FILTERS);
    hpf__writer_put_record(w, HPF__EVENT_HEAP_PROF_BEGIN, 0);
}

static void begin(hpf_eventlog_writer *w)
{
    if (w->is_begun) {
        return;
    }
    w->is_begun = true;
    write_types(w);
    put_capabilities(w);
    hpf__writer_put_number(w, &w->scratch, 0, SET_BYTES);
    hpf__writer_put_text(w, &w->scratch, w->options.rts, HPF__MAX_PAYLOAD - SET_BYTES);
    hpf__writer_put_record(w, HPF__EVENT_RTS_IDENTIFIER, 0);
    put_args(w);
    put_date(w);
    put_profile(w);
    leave(w);
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf_eventlog_writer *w = context;
    char *copy = hpf_arena_text(w->arena, text);
    w->headers[which] = (hpf_str){copy, text.length};
    return copy ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf_eventlog_writer *w = context;
    if (!HPF__ARRAY_RESERVE(w->keys, w->keys_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    begin(w);
    w->keys[name] = hpf__writer_make_key(w, name, text);
    return status_of(w, err);
}

/* --- samples, marks, lines --- */

/* Whole numbers from 0 to 2^64 - 1. */
static uint64_t round_whole(double number)
{
    const double two_to_64 = 18446744073709551616.0;
    double rounded = nearbyint(number);
    return rounded >= two_to_64 ? UINT64_MAX : rounded > 0 ? (uint64_t)rounded : 0;
}

static uint64_t ns_of(const hpf_eventlog_writer *w, double time)
{
    return round_whole(time / w->options.units_per_s * 1e9);
}

static void put_cost(hpf_eventlog_writer *w, const hpf_cost *cost, uint64_t time_ns)
{
    const hpf__log_key *k = &w->keys[cost->name];
    hpf__writer_put_number(w, &w->scratch, 0, 1);
    hpf__writer_put_number(w, &w->scratch, cost->is_real ? round_whole(cost->real) : cost->whole,
                           8);
    hpf__writer_put(w, &w->scratch, k->bytes.data, k->bytes.length);
    hpf__writer_put_record(w,
                           k->is_stack ? HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE
                                       : HPF__EVENT_HEAP_PROF_SAMPLE_STRING,
                           time_ns);
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_eventlog_writer *w = context;
    uint64_t time_ns = ns_of(w, sample->time);
    begin(w);
    hpf__writer_put_number(w, &w->scratch, w->n_samples, 8);
    hpf__writer_put_record(w, HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN, time_ns);
    for (size_t i = 0; i < sample->n_costs; i++) {
        put_cost(w, &sample->costs[i], time_ns);
    }
    hpf__writer_put_number(w, &w->scratch, w->n_samples++, 8);
    hpf__writer_put_record(w, HPF__EVENT_HEAP_PROF_SAMPLE_END, time_ns);
    leave(w);
    return w->options.flush_samples && !w->is_out_of_memory ? hpf_sink_flush(w->sink, err)
                                                            : status_of(w, err);
}

static void leave_if_full(hpf_eventlog_writer *w)
{
    if (w->streams[HPF__OF_CAPABILITY].block.length >= BLOCK_BYTES) {
        leave(w);
    }
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_eventlog_writer *w = context;
    begin(w);
    hpf__writer_put_text(w, &w->scratch, label, HPF__MAX_PAYLOAD);
    hpf__writer_put_record(w, HPF__EVENT_USER_MARKER, ns_of(w, time));
    leave_if_full(w);
    return status_of(w, err);
}

/* The bytes held, needed and returned at one time are one record, counted in megablocks. */
static void put_held(hpf_eventlog_writer *w, unsigned which, hpf_line_point point)
{
    w->has_held = point.time == w->held_time ? w->has_held | 1u << which : 1u << which;
    w->held_time = point.time;
    w->held[which] = point.value;
    if (w->has_held == (1u << HPF__N_HELD) - 1) {
        hpf__writer_put_number(w, &w->scratch, 0, 4);
        for (int i = 0; i < HPF__N_HELD; i++) {
            hpf__writer_put_number(w, &w->scratch, round_whole(w->held[i] / MBLOCK_BYTES), 4);
        }
        hpf__writer_put_record(w, HPF__EVENT_MEM_RETURN, ns_of(w, point.time));
        w->has_held = 0;
    }
}

/* Logs know one size of the heap: of lines that could be it, the one that comes first is. */
static bool is_heap_line(hpf_eventlog_writer *w, const char *name)
{
    w->heap_line = w->heap_line ? w->heap_line : name;
    return w->heap_line == name;
}

static hpf_status on_line(void *context, hpf_str name, hpf_line_point point, hpf_error *err)
{
    static const struct {
        const char *name;
        uint16_t id;
    } sizes[] = {
        {"live", HPF__EVENT_HEAP_LIVE},
        {"heap", HPF__EVENT_HEAP_SIZE},
        {"resident", HPF__EVENT_HEAP_SIZE},
        {"blocks", HPF__EVENT_BLOCKS_SIZE},
    };
    static const char *const held[HPF__N_HELD] = {"held", "needed", "returned"};
    hpf_eventlog_writer *w = context;
    begin(w);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bool is_size = sizes[i].id == HPF__EVENT_HEAP_SIZE;
        if (hpf_str_is(name, sizes[i].name) && (!is_size || is_heap_line(w, sizes[i].name))) {
            hpf__writer_put_number(w, &w->scratch, 0, 4);
            hpf__writer_put_number(w, &w->scratch, round_whole(point.value), 8);
            hpf__writer_put_record(w, sizes[i].id, ns_of(w, point.time));
        }
    }
    for (unsigned i = 0; i < HPF__N_HELD; i++) {
        if (hpf_str_is(name, held[i])) {
            put_held(w, i, point);
        }
    }
    leave_if_full(w);
    return status_of(w, err);
}

const hpf_events hpf_eventlog_writer_events = {
    .header = on_header, .name = on_name, .sample = on_sample, .mark = on_mark, .line = on_line};

hpf_status hpf_eventlog_writer_finish(hpf_eventlog_writer *w, hpf_error *err)
{
    begin(w);
    leave(w);
    hpf_sink_write(w->sink, "\xff\xff", 2);
    return status_of(w, err);
}

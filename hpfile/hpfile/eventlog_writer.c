/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Events to records. Records gather in a block, which gets its marker when it is full, that is,
 * with each sample. What a log begins with waits for the first thing that is no header.
 */
#include "hpfile/eventlog_writer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eventlog_tags.h"
#include "eventlog_writer_state.h"
#include "hpfile/str.h"
#include "hpfile/utf8.h"
#include "log_date.h"

#define SET_BYTES    4u    /* of the number of a capability set */
#define BLOCK_HEAD   24u   /* bytes of a BLOCK_MARKER */
#define BLOCK_BYTES  60000 /* of marks and lines before they leave without a sample */
#define MBLOCK_BYTES 1048576.0

/* What is declared, with GHC's words. */
static const struct {
    uint16_t id;
    int16_t n_bytes;
    const char *description;
} types[] = {
    {HPF__EVENT_BLOCK_MARKER, 14, "Block marker"},
    {HPF__EVENT_CAPSET_CREATE, 6, "Create capability set"},
    {HPF__EVENT_CAPSET_ASSIGN_CAP, 6, "Add capability to capability set"},
    {HPF__EVENT_RTS_IDENTIFIER, -1, "RTS name and version"},
    {HPF__EVENT_PROGRAM_ARGS, -1, "Program arguments"},
    {HPF__EVENT_WALL_CLOCK_TIME, 16, "Wall clock time"},
    {HPF__EVENT_CAP_CREATE, 2, "Create capability"},
    {HPF__EVENT_HEAP_SIZE, 12, "Current heap size"},
    {HPF__EVENT_HEAP_LIVE, 12, "Current heap live data"},
    {HPF__EVENT_USER_MARKER, -1, "User marker"},
    {HPF__EVENT_MEM_RETURN, 16, "Memory return statistics"},
    {HPF__EVENT_BLOCKS_SIZE, 12, "Current heap size (size of allocated blocks)"},
    {HPF__EVENT_HEAP_PROF_BEGIN, -1, "Start of heap profile"},
    {HPF__EVENT_HEAP_PROF_COST_CENTRE, -1, "Cost center definition"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN, 8, "Start of heap profile sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, -1, "Heap profile cost-centre sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_STRING, -1, "Heap profile string sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_END, 8, "End of heap profile sample"},
    {HPF__EVENT_IPE, -1, "Info Table Source Position"},
};

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
        hpf__buf_finish(&w->block);
        hpf__buf_finish(&w->scratch);
        hpf__intern_finish(&w->centres);
        hpf__intern_finish(&w->labels);
        free(w->keys);
        free(w);
    }
}

/* --- bytes --- */

void hpf__writer_put(hpf_eventlog_writer *w, hpf__buf *to, const void *bytes, size_t n)
{
    w->is_out_of_memory |= n && !hpf__buf_append(to, bytes, n);
}

void hpf__writer_put_number(hpf_eventlog_writer *w, hpf__buf *to, uint64_t number, size_t n_bytes)
{
    char bytes[8];
    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] = (char)(number >> 8 * (n_bytes - 1 - i));
    }
    hpf__writer_put(w, to, bytes, n_bytes);
}

void hpf__writer_put_text(hpf_eventlog_writer *w, hpf__buf *to, hpf_str text, size_t room)
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

void hpf__writer_put_string(hpf_eventlog_writer *w, hpf__buf *to, hpf_str text, size_t room)
{
    hpf__writer_put_text(w, to, text, room);
    hpf__writer_put_number(w, to, 0, 1);
}

static bool is_variable(uint16_t id)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].id == id) {
            return types[i].n_bytes < 0;
        }
    }
    return false;
}

/* The head of a record of the block whose payload has `n` bytes. */
static void put_head(hpf_eventlog_writer *w, uint16_t id, uint64_t time_ns, size_t n)
{
    w->now_ns = time_ns > w->now_ns ? time_ns : w->now_ns;
    hpf__writer_put_number(w, &w->block, id, 2);
    hpf__writer_put_number(w, &w->block, time_ns, 8);
    if (is_variable(id)) {
        hpf__writer_put_number(w, &w->block, n, 2);
    }
}

void hpf__writer_put_record(hpf_eventlog_writer *w, uint16_t id, uint64_t time_ns)
{
    assert(w->scratch.length <= HPF__MAX_PAYLOAD);
    put_head(w, id, time_ns, w->scratch.length);
    hpf__writer_put(w, &w->block, w->scratch.bytes, w->scratch.length);
    w->scratch.length = 0;
}

/* What gathered leaves as a block of capability 0. */
static void leave(hpf_eventlog_writer *w)
{
    hpf__buf marker = {0};
    if (w->block.length) {
        hpf__writer_put_number(w, &marker, HPF__EVENT_BLOCK_MARKER, 2);
        hpf__writer_put_number(w, &marker, w->block_ns, 8);
        hpf__writer_put_number(w, &marker, BLOCK_HEAD + w->block.length, 4);
        hpf__writer_put_number(w, &marker, w->now_ns, 8);
        hpf__writer_put_number(w, &marker, 0, 2);
        hpf_sink_write(w->sink, marker.bytes, marker.length);
        hpf_sink_write(w->sink, w->block.bytes, w->block.length);
        w->block.length = 0;
        w->block_ns = w->now_ns;
        hpf__buf_finish(&marker);
    }
}

static hpf_status status_of(const hpf_eventlog_writer *w, hpf_error *err)
{
    return w->is_out_of_memory ? hpf_error_set_memory(err) : HPF_OK;
}

/* --- the begin --- */

static void write_types(hpf_eventlog_writer *w)
{
    hpf__buf header = {0};
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
    hpf__buf_finish(&header);
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
    hpf__log_key *keys = hpf__grow(w->keys, &w->keys_capacity, (size_t)name + 1, sizeof *keys);
    if (!keys) {
        return hpf_error_set_memory(err);
    }
    w->keys = keys;
    begin(w);
    keys[name] = hpf__writer_make_key(w, name, text);
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
    if (w->block.length >= BLOCK_BYTES) {
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

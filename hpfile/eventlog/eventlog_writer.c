/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A writer of event logs that GHC's tools read (docs/formats/eventlog.md): samples of labels, of
 * cost-centre stacks or of info tables, markers, the size of the heap. Limits of the format: times
 * are whole nanoseconds, amounts are whole numbers below 2^64, the date is in minutes, and only
 * quantities of event logs are written ("resident" as the size of the process). Texts are
 * UTF-8, cut to the length of a record; names that become equal get a number in front. The head of
 * the log is written at the first event that is not a header.
 */
#include "base/arena.h"
#include "event/format_row.h"
#include "base/frame.h"
#include "hpfile/eventlog_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/date.h"
#include "base/intern.h"
#include "eventlog/eventlog_records.h"
#include "hpfile/eventlog_tags.h"
#include "eventlog/eventlog_totals.h"
#include "hpfile/str.h"

#define N_HELD 3 /* quantities that make one MEM_RETURN */

/* A name as it is in records, after the amount. */
typedef struct log_key {
    hpf_str bytes;
    bool is_stack;
    /* For samples that are changes: */
    uint32_t id;      /* the number that readers know, plus 1; 0: not written yet */
    uint64_t written; /* the amount in the sample before */
    uint64_t now;     /* in this sample */
} log_key;

/* The totals of a stack in the log. */
typedef struct written_totals {
    hpf_stack_totals amounts;
    bool is_written;
} written_totals;

typedef struct eventlog_writer {
    hpf_writer base;
    hpf__log_records log;
    hpf_str headers[HPF_N_HEADERS];
    bool is_begun;
    hpf__intern centres, stacks, labels;
    log_key *keys; /* by name */
    size_t keys_capacity;
    hpf_name *known; /* by id: names that readers know, for samples that are changes */
    size_t n_known, known_capacity;
    uint64_t n_samples;
    written_totals *totals; /* by number of the caller */
    uint32_t *totals_order; /* numbers of the caller, in the order of the log */
    size_t n_totals, totals_capacity, totals_order_capacity;
    uint64_t n_totals_bytes; /* of changes of totals */
    double held[N_HELD];     /* parts of a MEM_RETURN that came already: */
    double held_time;        /*   at this time */
    unsigned has_held;       /*   these bits */
} eventlog_writer;

#define MAX_FRAMES 255u

/* Longest texts, so that no record is too long. */
#define CENTRE_TEXT_BYTES 21800u
#define INFO_TEXT_BYTES   10900u
#define LABEL_BYTES       65500u
#define FILTER_BYTES      9300u

/* Info tables get addresses that no program has. */
#define FIRST_ADDRESS (UINT64_C(0xf) << 60)

#define SET_BYTES    4u /* of the number of a capability set */
#define MBLOCK_BYTES 1048576.0

/* --- names --- */

static hpf_str keep(eventlog_writer *w, hpf_str text)
{
    hpf_str copy = hpf_arena_str(w->base.arena, text);
    w->log.is_out_of_memory |= !copy.data;
    return copy;
}

/* Interns the bytes of the payload from `begin` on. Returns whether they are new. */
static bool intern(eventlog_writer *w, hpf__intern *table, size_t begin, uint32_t *number)
{
    bool is_new = false;
    *number = 0;
    if (!w->log.is_out_of_memory) {
        hpf_str text = {w->log.payload.bytes + begin, w->log.payload.length - begin};
        w->log.is_out_of_memory = hpf__intern_add(table, text, number, &is_new) != HPF_OK;
    }
    return is_new;
}

/* --- stacks --- */

static unsigned flags_of(const hpf_frame *frame)
{
    if (!hpf__frame_is_type(frame)) {
        return frame->is_caf ? HPF__CENTRE_IS_CAF : 0;
    }
    switch (frame->further) {
    case HPF_BREAKDOWN_TYPE:
        return HPF__CENTRE_IS_TYPE;
    case HPF_BREAKDOWN_RETAINER:
        return HPF__CENTRE_IS_RETAINER_SET;
    case HPF_BREAKDOWN_BIOGRAPHY:
        return HPF__CENTRE_IS_PHASE;
    default:
        return HPF__CENTRE_IS_BAND;
    }
}

/* Returns the number of the cost centre of a frame, and defines it if it is new; of a call, also
 * the place of its function. Cost centres of different `twin` are never the same. */
static uint32_t number_of_centre(eventlog_writer *w, const hpf_frame *frame, uint64_t twin)
{
    uint32_t number;
    w->log.payload.length = 0;
    hpf__log_put_number(&w->log, (uint64_t)w->centres.n_names + 1, 4);
    hpf__log_put_string(&w->log, frame->label, CENTRE_TEXT_BYTES);
    hpf__log_put_string(&w->log, frame->module, CENTRE_TEXT_BYTES);
    hpf__log_put_string(&w->log, frame->source, CENTRE_TEXT_BYTES);
    hpf__log_put_number(&w->log, flags_of(frame), 1);
    size_t length = w->log.payload.length;
    hpf__log_put_number(&w->log, twin, 8);
    hpf__log_put(&w->log, frame->function_source.data, frame->function_source.length);
    bool is_new = intern(w, &w->centres, 4, &number);
    w->log.payload.length = length;
    if (is_new) {
        hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_COST_CENTRE, hpf__log_now_ns(&w->log));
    }
    w->log.payload.length = 0;
    if (is_new && frame->function_source.length > 0 &&
        hpf__log_find_type(&w->log, HPF__EVENT_HEAP_PROF_CALL)) {
        hpf_frame function = *frame;
        function.source = frame->function_source;
        function.function_source = HPF_STR("");
        uint32_t number_of_function = number_of_centre(w, &function, 0);
        hpf__log_put_number(&w->log, (uint64_t)number + 1, 4);
        hpf__log_put_number(&w->log, number_of_function, 4);
        hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_CALL, hpf__log_now_ns(&w->log));
    }
    return number + 1;
}

/* Stores the numbers of the cost centres of a stack. The innermost is `twin`'s. */
static void number_stack(eventlog_writer *w, const hpf_frame *frames, size_t depth, uint64_t twin,
                         uint32_t numbers[MAX_FRAMES])
{
    for (size_t i = 0; i < depth; i++) {
        numbers[i] = number_of_centre(w, &frames[i], i == 0 ? twin : 0);
    }
}

static void put_stack(eventlog_writer *w, const uint32_t *numbers, size_t depth)
{
    hpf__log_put_number(&w->log, depth, 1);
    for (size_t i = 0; i < depth; i++) {
        hpf__log_put_number(&w->log, numbers[i], 4);
    }
}

/* Takes the payload as the key of a name. */
static log_key take_key(eventlog_writer *w, bool is_stack)
{
    hpf_str bytes = keep(w, hpf__buffer_str(&w->log.payload));
    w->log.payload.length = 0;
    return (log_key){.bytes = bytes, .is_stack = is_stack};
}

/* Two names may have the same frames, as far as these are known: the later gets a cost centre of
 * its own. */
static log_key make_stack(eventlog_writer *w, hpf_name name, const hpf_frame *frames, size_t depth)
{
    uint32_t known;
    uint32_t numbers[MAX_FRAMES];
    number_stack(w, frames, depth, 0, numbers);
    put_stack(w, numbers, depth);
    if (!intern(w, &w->stacks, 0, &known)) {
        number_stack(w, frames, depth, (uint64_t)name + 1, numbers);
        put_stack(w, numbers, depth);
    }
    return take_key(w, true);
}

/* --- labels --- */

/* Two texts may become equal by truncation or as UTF-8: then the later one gets a number in front.
 */
static log_key make_label(eventlog_writer *w, hpf_name name, hpf_str text)
{
    uint32_t known;
    char number[16] = "";
    bool is_own = false;
    for (unsigned long i = name; !is_own && !w->log.is_out_of_memory; i++) {
        w->log.payload.length = 0;
        hpf__log_put(&w->log, number, strlen(number));
        hpf__log_put_string(&w->log, text, LABEL_BYTES);
        is_own = intern(w, &w->labels, 0, &known);
        snprintf(number, sizeof number, "(%lu)", i);
    }
    return take_key(w, false);
}

/* --- info tables --- */

/* Tools read the closure type as a number. */
static hpf_str number_or_zero(hpf_str text)
{
    size_t i = 0;
    while (i < text.length && text.data[i] >= '0' && text.data[i] <= '9') {
        i++;
    }
    return i && i == text.length ? text : HPF_STR("0");
}

/* The label is the address; a record describes the info table. */
static log_key make_info(eventlog_writer *w, hpf_name name, const hpf_frame *info)
{
    uint64_t address = FIRST_ADDRESS + name;
    const hpf_str texts[] = {info->table,  number_or_zero(info->closure_type),
                             info->type,   info->label,
                             info->module, info->source};
    char label[24];
    hpf__log_put_number(&w->log, address, 8);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hpf__log_put_string(&w->log, texts[i], INFO_TEXT_BYTES);
    }
    hpf__log_end_record(&w->log, HPF__EVENT_IPE, hpf__log_now_ns(&w->log));
    int n = snprintf(label, sizeof label, "0x%llx", (unsigned long long)address);
    return make_label(w, name, (hpf_str){label, (size_t)n});
}

/* Returns what a name is in records, and defines its cost centres or its info table if they are
 * new. The empty stack has no frames; it is known by its name. */
static log_key make_key(eventlog_writer *w, hpf_name name, hpf_str text)
{
    static const hpf_frame no_frames[1];
    hpf_frame *frames = w->base.options.frames ? calloc(MAX_FRAMES, sizeof *frames) : NULL;
    size_t depth = 0;
    if (frames) {
        depth = w->base.options.frames(w->base.options.frames_context, name, frames, MAX_FRAMES);
        depth = depth < MAX_FRAMES ? depth : MAX_FRAMES;
    }
    bool is_main =
        w->base.options.breakdown == HPF_BREAKDOWN_COST_CENTRE && hpf_str_is(text, "MAIN");
    bool is_table = depth == 1 && w->base.options.breakdown == HPF_BREAKDOWN_INFO_TABLE;
    w->log.is_out_of_memory |= w->base.options.frames && !frames;
    log_key made = is_table           ? make_info(w, name, &frames[0])
                   : depth || is_main ? make_stack(w, name, frames ? frames : no_frames, depth)
                                      : make_label(w, name, text);
    free(frames);
    return made;
}

/* --- the begin --- */

static hpf_status status_of(const eventlog_writer *w, hpf_error *err)
{
    return w->log.is_out_of_memory ? hpf_error_set_memory(err) : HPF_OK;
}

/* Capability 0, and the sets that GHC has for the process and for its clock. */
static void put_capabilities(eventlog_writer *w)
{
    const uint16_t kinds[HPF_EVENTLOG_OWN_CAPSETS] = {2, 3};
    hpf__log_put_number(&w->log, 0, 2);
    hpf__log_end_record(&w->log, HPF__EVENT_CAP_CREATE, 0);
    for (uint32_t set = 0; set < HPF_EVENTLOG_OWN_CAPSETS; set++) {
        hpf__log_put_number(&w->log, set, 4);
        hpf__log_put_number(&w->log, kinds[set], 2);
        hpf__log_end_record(&w->log, HPF__EVENT_CAPSET_CREATE, 0);
        hpf__log_put_number(&w->log, set, 4);
        hpf__log_put_number(&w->log, 0, 2);
        hpf__log_end_record(&w->log, HPF__EVENT_CAPSET_ASSIGN_CAP, 0);
    }
}

/* Writes the words of JOB, each with a NUL instead of the blank after it. */
static void put_args(eventlog_writer *w)
{
    hpf__log_put_number(&w->log, 0, SET_BYTES);
    hpf__log_put_string(&w->log, w->headers[HPF_HEADER_JOB], HPF__LOG_MAX_PAYLOAD - SET_BYTES - 1);
    for (size_t i = SET_BYTES; i < w->log.payload.length; i++) {
        w->log.payload.bytes[i] = w->log.payload.bytes[i] == ' ' ? '\0' : w->log.payload.bytes[i];
    }
    hpf__log_end_record(&w->log, HPF__EVENT_PROGRAM_ARGS, 0);
}

static void put_date(eventlog_writer *w)
{
    uint64_t unix_s;
    if (hpf__date_parse(w->headers[HPF_HEADER_DATE], &unix_s)) {
        hpf__log_put_number(&w->log, 1, 4);
        hpf__log_put_number(&w->log, unix_s, 8);
        hpf__log_put_number(&w->log, 0, 4);
        hpf__log_end_record(&w->log, HPF__EVENT_WALL_CLOCK_TIME, 0);
    }
}

static void put_profile(eventlog_writer *w)
{
    hpf_breakdown breakdown = w->base.options.breakdown;
    breakdown = breakdown == HPF_BREAKDOWN_NONE ? HPF_BREAKDOWN_CLOSURE_DESCR : breakdown;
    hpf__log_put_number(&w->log, 0, 1);
    hpf__log_put_number(&w->log, w->base.options.period_ns, 8);
    hpf__log_put_number(&w->log, (uint64_t)breakdown, 4);
    for (int i = 0; i < HPF_N_RESTRICTIONS; i++) {
        hpf__log_put_string(&w->log, w->base.options.filters[i], FILTER_BYTES);
    }
    hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_BEGIN, 0);
    if (w->base.options.rate_bytes) {
        hpf__log_put_number(&w->log, 0, 1);
        hpf__log_put_number(&w->log, w->base.options.rate_bytes, 8);
        hpf__log_end_record(
            &w->log,
            w->base.options.has_watch ? HPF__EVENT_HEAP_PROF_WATCH : HPF__EVENT_HEAP_PROF_RATE, 0);
    }
}

static void begin(eventlog_writer *w)
{
    if (w->is_begun) {
        return;
    }
    w->is_begun = true;
    hpf__log_write_types(&w->log);
    put_capabilities(w);
    hpf__log_put_number(&w->log, 0, SET_BYTES);
    hpf__log_put_text(&w->log, w->base.options.rts, HPF__LOG_MAX_PAYLOAD - SET_BYTES);
    hpf__log_end_record(&w->log, HPF__EVENT_RTS_IDENTIFIER, 0);
    put_args(w);
    put_date(w);
    put_profile(w);
    hpf__log_write_blocks(&w->log);
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    eventlog_writer *w = context;
    w->headers[which] = hpf_arena_str(w->base.arena, text);
    return w->headers[which].data ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    eventlog_writer *w = context;
    if (!HPF__ARRAY_RESERVE(w->keys, w->keys_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    begin(w);
    w->keys[name] = make_key(w, name, text);
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

static uint64_t ns_of(const eventlog_writer *w, double time)
{
    return round_whole(time / w->base.options.units_per_s * 1e9);
}

static uint64_t whole_of(const hpf_cost *cost)
{
    return cost->is_real ? round_whole(cost->real) : cost->whole;
}

static void put_cost(eventlog_writer *w, hpf_name name, uint64_t amount, uint64_t time_ns)
{
    const log_key *k = &w->keys[name];
    hpf__log_put_number(&w->log, 0, 1);
    hpf__log_put_number(&w->log, amount, 8);
    hpf__log_put(&w->log, k->bytes.data, k->bytes.length);
    hpf__log_end_record(&w->log,
                        k->is_stack ? HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE
                                    : HPF__EVENT_HEAP_PROF_SAMPLE_STRING,
                        time_ns);
}

/* Writes the amounts that differ from the sample before: first the amounts of names that readers
 * know, then names that are new, with their amounts, which gives them the next numbers. */
static void put_changes(eventlog_writer *w, const hpf_sample *sample, uint64_t time_ns)
{
    enum { MOST_PAIR_BYTES = 20 };
    if (!HPF__ARRAY_RESERVE(w->known, w->known_capacity, w->n_known + sample->n_costs)) {
        w->log.is_out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < sample->n_costs; i++) {
        w->keys[sample->costs[i].name].now += whole_of(&sample->costs[i]);
    }
    hpf__log_put_number(&w->log, 0, 1);
    size_t next = 0; /* id after the last one in the record */
    for (size_t id = 0; id < w->n_known; id++) {
        log_key *key = &w->keys[w->known[id]];
        if (w->log.payload.length + MOST_PAIR_BYTES > HPF__LOG_MAX_PAYLOAD) {
            hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES, time_ns);
            hpf__log_put_number(&w->log, 0, 1);
            next = 0;
        }
        if (key->now != key->written) {
            hpf__log_put_groups(&w->log, id - next);
            hpf__log_put_change(&w->log, key->written, key->now);
            next = id + 1;
        }
        key->written = key->now;
    }
    hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES, time_ns);
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_name name = sample->costs[i].name;
        log_key *key = &w->keys[name];
        if (key->id == 0 && key->now > 0) {
            put_cost(w, name, key->now, time_ns);
            w->known[w->n_known++] = name;
            key->id = (uint32_t)w->n_known;
            key->written = key->now;
        }
    }
    for (size_t i = 0; i < sample->n_costs; i++) {
        w->keys[sample->costs[i].name].now = 0;
    }
}

/* Biographies are known when the program ends: the records of their samples have that time, and
 * the time of the sample is a field. */
static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    eventlog_writer *w = context;
    uint64_t time_ns = ns_of(w, sample->time);
    begin(w);
    hpf__log_put_number(&w->log, w->n_samples, 8);
    if (w->base.options.breakdown == HPF_BREAKDOWN_BIOGRAPHY ||
        w->base.options.filters[HPF_RESTRICT_BIOGRAPHY].length > 0) {
        uint64_t end_ns = ns_of(w, w->base.options.end_time);
        hpf__log_put_number(&w->log, time_ns, 8);
        time_ns = end_ns > time_ns ? end_ns : time_ns;
        hpf__log_end_record(&w->log, HPF__EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, time_ns);
    } else {
        hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN, time_ns);
    }
    if (w->base.options.writes_changes) {
        put_changes(w, sample, time_ns);
    }
    for (size_t i = 0; i < sample->n_costs && !w->base.options.writes_changes; i++) {
        put_cost(w, sample->costs[i].name, whole_of(&sample->costs[i]), time_ns);
    }
    hpf__log_put_number(&w->log, w->n_samples++, 8);
    hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_SAMPLE_END, time_ns);
    hpf__log_write_blocks(&w->log);
    return w->base.options.flush_samples && !w->log.is_out_of_memory
               ? hpf_sink_flush(w->log.sink, err)
               : status_of(w, err);
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    eventlog_writer *w = context;
    begin(w);
    hpf__log_put_text(&w->log, label, HPF__LOG_MAX_PAYLOAD);
    hpf__log_end_record(&w->log, HPF__EVENT_USER_MARKER, ns_of(w, time));
    return status_of(w, err);
}

/* Writes the bytes held, needed and returned at one time as one record, in megablocks. */
static void put_held(eventlog_writer *w, unsigned which, hpf_quantity_point point)
{
    w->has_held = point.time == w->held_time ? w->has_held | 1u << which : 1u << which;
    w->held_time = point.time;
    w->held[which] = point.value;
    if (w->has_held == (1u << N_HELD) - 1) {
        hpf__log_put_number(&w->log, 0, 4);
        for (int i = 0; i < N_HELD; i++) {
            hpf__log_put_number(&w->log, round_whole(w->held[i] / MBLOCK_BYTES), 4);
        }
        hpf__log_end_record(&w->log, HPF__EVENT_MEM_RETURN, ns_of(w, point.time));
        w->has_held = 0;
    }
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    static const struct {
        const char *name;
        uint16_t id;
        uint32_t set; /* of capabilities */
    } sizes[] = {
        {"live", HPF__EVENT_HEAP_LIVE, 0},
        {"heap", HPF__EVENT_HEAP_SIZE, 0},
        {"resident", HPF__EVENT_HEAP_SIZE, HPF__SET_OF_PROCESS},
        {"blocks", HPF__EVENT_BLOCKS_SIZE, 0},
    };
    static const char *const held[N_HELD] = {"held", "needed", "returned"};
    eventlog_writer *w = context;
    begin(w);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (hpf_str_is(name, sizes[i].name)) {
            hpf__log_put_number(&w->log, sizes[i].set, 4);
            hpf__log_put_number(&w->log, round_whole(point.value), 8);
            hpf__log_end_record(&w->log, sizes[i].id, ns_of(w, point.time));
        }
    }
    for (unsigned i = 0; i < N_HELD; i++) {
        if (hpf_str_is(name, held[i])) {
            put_held(w, i, point);
        }
    }
    return status_of(w, err);
}

/* --- records of other kinds --- */

hpf_status hpf_eventlog_writer_declare(hpf_writer *writer, const hpf_eventlog *log, hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)writer;
    for (size_t i = 0; i < hpf_eventlog_n_types(log); i++) {
        const hpf_event_type *type = hpf_eventlog_type(log, i);
        if (!hpf__log_find_type(&w->log, type->id) &&
            type->id != HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES) {
            hpf__log_add_type(&w->log, type);
        }
    }
    return status_of(w, err);
}

hpf_status hpf_eventlog_writer_record(hpf_writer *writer, uint16_t id, uint64_t time_ns,
                                      uint16_t cap, hpf_str payload, hpf_str text, hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)writer;
    begin(w);
    const hpf_event_type *t = hpf__log_find_type(&w->log, id);
    bool is_fixed = t && t->n_bytes >= 0;
    size_t n_bytes = is_fixed ? (size_t)t->n_bytes : payload.length;
    if (!t || payload.length > HPF__LOG_MAX_PAYLOAD || payload.length < n_bytes) {
        return HPF_OK;
    }
    payload.length = n_bytes;
    hpf__log_put(&w->log, payload.data, payload.length);
    hpf__log_put_text(&w->log, text, HPF__LOG_MAX_PAYLOAD - payload.length);
    hpf__log_end_record_of(&w->log, t, cap, time_ns);
    return status_of(w, err);
}

hpf_status hpf_eventlog_writer_begin_time(hpf_writer *writer, uint64_t tick_ns, hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)writer;
    begin(w);
    hpf__log_put_number(&w->log, tick_ns, 8);
    hpf__log_end_record(&w->log, HPF__EVENT_PROF_BEGIN, 0);
    return status_of(w, err);
}

hpf_status hpf_eventlog_writer_tick(hpf_writer *writer, uint64_t time_ns, uint32_t cap,
                                    uint64_t tick, const hpf_frame *frames, size_t n_frames,
                                    hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)writer;
    uint32_t stack[MAX_FRAMES];
    size_t depth = n_frames < MAX_FRAMES ? n_frames : MAX_FRAMES;
    begin(w);
    number_stack(w, frames, depth, 0, stack);
    hpf__log_put_number(&w->log, cap, 4);
    hpf__log_put_number(&w->log, tick, 8);
    put_stack(w, stack, depth);
    hpf__log_end_record(&w->log, HPF__EVENT_PROF_SAMPLE_COST_CENTRE, time_ns);
    return status_of(w, err);
}

/* Writes the first totals of a stack, which so gets the next number in the log. */
static void put_totals(eventlog_writer *w, uint64_t time_ns, const hpf_stack_totals *totals,
                       const hpf_frame *frames, size_t n_frames)
{
    uint32_t stack[MAX_FRAMES];
    size_t depth = n_frames < MAX_FRAMES ? n_frames : MAX_FRAMES;
    number_stack(w, frames, depth, 0, stack);
    hpf__log_put_number(&w->log, 0, 1);
    hpf__log_put_number(&w->log, totals->allocated_bytes, 8);
    hpf__log_put_number(&w->log, totals->peak_bytes, 8);
    hpf__log_put_number(&w->log, totals->peak_blocks, 8);
    put_stack(w, stack, depth);
    hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_STACK_TOTALS, time_ns);
}

static bool are_equal(const hpf_stack_totals *a, const hpf_stack_totals *b)
{
    return a->allocated_bytes == b->allocated_bytes && a->peak_bytes == b->peak_bytes &&
           a->peak_blocks == b->peak_blocks;
}

/* Writes how the totals of known stacks differ from those in the log. */
static void put_changes_of_totals(eventlog_writer *w, uint64_t time_ns,
                                  const hpf_stack_totals *totals)
{
    enum { MOST_ENTRY_BYTES = 40 };
    uint64_t n_bytes_before = w->log.n_bytes;
    size_t next = 0; /* number after the last one in the record */
    hpf__log_put_number(&w->log, 0, 1);
    for (size_t i = 0; i < w->n_totals; i++) {
        const hpf_stack_totals *now = &totals[w->totals_order[i]];
        hpf_stack_totals *before = &w->totals[w->totals_order[i]].amounts;
        if (are_equal(now, before)) {
            continue;
        }
        if (w->log.payload.length + MOST_ENTRY_BYTES > HPF__LOG_MAX_PAYLOAD) {
            hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_STACK_TOTALS_CHANGES, time_ns);
            hpf__log_put_number(&w->log, 0, 1);
            next = 0;
        }
        hpf__log_put_groups(&w->log, i - next);
        hpf__log_put_change(&w->log, before->allocated_bytes, now->allocated_bytes);
        hpf__log_put_change(&w->log, before->peak_bytes, now->peak_bytes);
        hpf__log_put_change(&w->log, before->peak_blocks, now->peak_blocks);
        *before = *now;
        next = i + 1;
    }
    hpf__log_end_record(&w->log, HPF__EVENT_HEAP_PROF_STACK_TOTALS_CHANGES, time_ns);
    w->n_totals_bytes += w->log.n_bytes - n_bytes_before;
}

hpf_status hpf_eventlog_writer_totals(hpf_writer *writer, uint64_t time_ns,
                                      const hpf_stack_totals *totals, size_t n,
                                      hpf_frames_of_stack *frames_of, void *context, bool is_last,
                                      hpf_error *err)
{
    enum { USUAL_ENTRY_BYTES = 8, SHARE_OF_LOG = 16 };
    eventlog_writer *w = (eventlog_writer *)writer;
    hpf_frame frames[MAX_FRAMES];
    size_t n_changed = 0;
    begin(w);
    if (!HPF__ARRAY_RESERVE_ZEROED(w->totals, w->totals_capacity, n) ||
        !HPF__ARRAY_RESERVE(w->totals_order, w->totals_order_capacity, n)) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < w->n_totals; i++) {
        uint32_t stack = w->totals_order[i];
        n_changed += !are_equal(&totals[stack], &w->totals[stack].amounts);
    }
    if (n_changed > 0 && (is_last || w->n_totals_bytes + n_changed * USUAL_ENTRY_BYTES <=
                                         w->log.n_bytes / SHARE_OF_LOG)) {
        put_changes_of_totals(w, time_ns, totals);
    }
    for (size_t i = 0; i < n; i++) {
        if (totals[i].allocated_bytes > 0 && !w->totals[i].is_written) {
            put_totals(w, time_ns, &totals[i], frames, frames_of(context, i, frames, MAX_FRAMES));
            w->totals[i] = (written_totals){totals[i], true};
            w->totals_order[w->n_totals++] = (uint32_t)i;
        }
    }
    return status_of(w, err);
}

/* --- the whole --- */

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)base;
    begin(w);
    hpf__log_write_blocks(&w->log);
    hpf_sink_write(w->log.sink, "\xff\xff", 2);
    return status_of(w, err);
}

static void release(hpf_writer *base)
{
    eventlog_writer *w = (eventlog_writer *)base;
    hpf__log_finish(&w->log);
    hpf__intern_finish(&w->centres);
    hpf__intern_finish(&w->stacks);
    hpf__intern_finish(&w->labels);
    free(w->keys);
    free(w->known);
    free(w->totals);
    free(w->totals_order);
}

static bool init(hpf_writer *base)
{
    eventlog_writer *w = (eventlog_writer *)base;
    hpf_writer_options *options = &base->options;
    options->rts = keep(w, options->rts.length ? options->rts : HPF_STR("heapcensus rts"));
    for (int i = 0; i < HPF_N_RESTRICTIONS; i++) {
        options->filters[i] = keep(w, options->filters[i]);
    }
    hpf__log_init(&w->log, base->sink, base->arena, options);
    return !w->log.is_out_of_memory;
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(eventlog_writer),
    .events = {.header = on_header,
               .name = on_name,
               .sample = on_sample,
               .mark = on_mark,
               .quantity = on_quantity},
    .init = init,
    .finish = finish,
    .release = release,
};

static bool is_format(hpf_str head)
{
    return hpf_str_begins(head, HPF_EVENTLOG_MAGIC);
}

const hpf_format hpf_format_eventlog = {
    .name = "eventlog",
    .extension = "eventlog",
    .summary = "event log of GHC's run-time system",
    .is_format = is_format,
    .read = hpf__eventlog_read_totals,
    .allocated = "allocated",
    .is_streamed = true,
    .writer = &writer,
    .holds_quantities = true,
    .holds_marks_in_place = true,
    .holds_only_s_and_bytes = true,
};

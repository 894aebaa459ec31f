/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Converts the records of a heap profile to events.
 *
 * A sample begins with a HEAP_PROF_SAMPLE_BEGIN and ends with its END. Logs of GHC 8.2 to 8.8 do
 * not declare END: there a sample ends where the next one begins or the log ends. The time of a
 * sample is the time of its BEGIN record. Biographical samples are written at the end of the
 * program, and have their time in a field.
 *
 * Costs have a stack or a label. Each sample tends to have the same ones in the same order, so
 * eventlog_names.h predicts the next name: run_of_costs reads records as predicted, on_cost the
 * others. In logs by `writes_changes`, a sample has the changes of numbered amounts instead.
 *
 * A log may hold several profiles with different numbers. The first one that begins is read.
 */
#include "hpfile/eventlog.h"
#include "eventlog/eventlog_heap.h"
#include "eventlog/eventlog_ticky.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/big_endian.h"
#include "event/call_stacks.h"
#include "event/costs.h"
#include "event/stack_view.h"
#include "eventlog/eventlog_activity.h"
#include "eventlog/eventlog_reader.h"
#include "hpfile/eventlog_tags.h"
#include "eventlog/eventlog_metadata.h"
#include "eventlog/eventlog_names.h"

#define COST_BYTES 9u  /* number of the profile and amount, before stack or label */
#define LENGTH_AT  10u /* of the length in a record, and of the payload */
#define COST_AT    12u

#define COUNTER_BYTES 32u /* of a ticky counter in a sample: its number and three amounts */

/* An amount that samples of changes refer to by its number. */
typedef struct numbered {
    hpf_name name;
    uint64_t amount;
} numbered;

struct hpf__eventlog_heap {
    hpf_events events;
    void *context;
    hpf_reader_options options;
    hpf_eventlog *log;
    hpf_error error; /* sticky; the log has its own */
    hpf_eventlog_metadata metadata;
    hpf__eventlog_names names;
    hpf_eventlog_ticky *counters; /* NULL: samples are of a heap profile */
    size_t counter_amount;        /* which of theirs */

    int profile;       /* number of the profile that is read; -1: none has begun */
    bool has_begun;    /* the profile that is read */
    uint64_t n_others; /* costs of other profiles */
    uint64_t n_blocks; /* read before the one that emitted the command line */

    hpf__costs costs; /* of the sample being gathered */
    numbered *numbered;
    size_t n_numbered, numbered_capacity;
    uint64_t folded_offset; /* samples from here on may have names that keys share */
    bool is_changes;        /* the sample is the one before with changes */
    bool has_changes;       /* some sample was */
    bool in_sample;
    bool is_foreign; /* the sample has costs of another profile */
    double time;
    uint64_t begin_offset, end_offset; /* of the sample, as far as it was read */
    double last_time;                  /* of the last sample that was emitted */
    uint64_t n_samples, n_late, n_damaged;
    bool has_units;
    bool is_revisiting;
    bool is_whole; /* the header was read, not only samples again */
    bool is_finished;
};

static const hpf_event_visitor visitor;
static hpf__eventlog_run run_of_costs;

hpf__eventlog_heap *hpf__eventlog_heap_create(const hpf_events *events, void *context,
                                              const hpf_reader_options *options)
{
    hpf__eventlog_heap *h = calloc(1, sizeof *h);
    size_t amount = 0;
    bool is_ticky = options && hpf_str_begins(options->value, "ticky-") &&
                    hpf__choose_value(&amount, hpf__ticky_values, options, NULL) == HPF_OK;
    if (!h || !(h->log = hpf_eventlog_create(&visitor, h)) ||
        (is_ticky && !(h->counters = hpf_eventlog_ticky_create()))) {
        hpf__eventlog_heap_destroy(h);
        return NULL;
    }
    h->events = *events;
    h->context = context;
    h->options = options ? *options : (hpf_reader_options){0};
    h->counter_amount = amount;
    h->names.shares_names = is_ticky;
    static const uint16_t costs[] = {HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE,
                                     HPF__EVENT_HEAP_PROF_SAMPLE_STRING};
    hpf__eventlog_set_run(h->log, run_of_costs, costs, 2);
    h->profile = h->options.has_log_profile ? h->options.log_profile : -1;
    h->names.by_stack = h->options.by_stack || (h->options.view && !h->options.view->shows_names);
    h->names.rules = h->options.rules;
    h->names.symbolise = h->options.symbolise;
    h->names.symbolise_context = h->options.symbolise_context;
    h->names.by_line =
        h->options.by_line || (h->options.view && hpf__stack_view_has_lines(h->options.view));
    h->last_time = -INFINITY;
    return h;
}

void hpf__eventlog_heap_destroy(hpf__eventlog_heap *h)
{
    if (h) {
        hpf_eventlog_destroy(h->log);
        hpf_eventlog_metadata_finish(&h->metadata);
        hpf__eventlog_names_finish(&h->names);
        hpf_eventlog_ticky_destroy(h->counters);
        hpf__costs_finish(&h->costs);
        free(h->numbered);
        free(h);
    }
}

static double seconds(const hpf__eventlog_heap *h, uint64_t ns)
{
    double elapsed_s = (double)ns / 1e9;
    return h->options.clock ? hpf__eventlog_activity_time(h->options.clock, elapsed_s) : elapsed_s;
}

static hpf_status fail(hpf_status status, hpf_error *err)
{
    return status == HPF_ERR_LIMIT ? hpf_error_set(err, status, "more than 2^30 names")
                                   : hpf_error_set_memory(err);
}

/* --- samples --- */

static void open_sample(hpf__eventlog_heap *h, const hpf_event *event, uint64_t time_ns)
{
    h->in_sample = true;
    h->time = seconds(h, time_ns);
    h->begin_offset = event->begin_offset;
    h->end_offset = event->end_offset;
    h->names.program = h->metadata.args.length ? hpf_str_of(h->metadata.args.data) : HPF_STR("");
    hpf__eventlog_keys_start(&h->names.stacks);
    hpf__eventlog_keys_start(&h->names.labels);
}

/* Ends and emits the open sample, if any. A sample that has only costs of another profile is not
 * emitted. */
static hpf_status emit_sample(hpf__eventlog_heap *h, hpf_error *err)
{
    for (size_t i = 0; i < h->n_numbered && h->in_sample && h->is_changes; i++) {
        const hpf_cost cost = {.name = h->numbered[i].name, .whole = h->numbered[i].amount};
        if (cost.whole > 0 && !hpf__costs_add(&h->costs, cost, h->names.texts.n_names)) {
            return hpf_error_set_memory(err);
        }
    }
    bool is_folded = h->names.shares_names && h->begin_offset >= h->folded_offset;
    if (is_folded && !hpf__costs_fold(&h->costs, h->names.texts.n_names)) {
        return hpf_error_set_memory(err);
    }
    bool is_ours = h->in_sample && (h->costs.n || !h->is_foreign);
    bool is_late = is_ours && h->time < h->last_time && !h->options.keeps_times;
    hpf_sample sample = {.time = is_late ? h->last_time : h->time,
                         .costs = h->costs.all,
                         .n_costs = h->costs.n,
                         .begin_offset = h->begin_offset,
                         .end_offset = h->end_offset};
    h->in_sample = false;
    h->is_changes = false;
    h->is_foreign = false;
    h->costs.n = 0;
    if (!is_ours) {
        return HPF_OK;
    }
    h->n_late += is_late;
    h->last_time = sample.time;
    h->n_samples++;
    return h->events.sample ? h->events.sample(h->context, &sample, err) : HPF_OK;
}

static hpf_status add_cost(hpf__eventlog_heap *h, const hpf_event *event, hpf_name name,
                           hpf_error *err)
{
    size_t at = h->counters ? 8 * (h->counter_amount + 1) : 1;
    hpf_cost cost = {.name = name, .whole = hpf__read8(event->payload.data + at)};
    h->end_offset = event->end_offset;
    if (h->is_changes) {
        if (!HPF__ARRAY_RESERVE(h->numbered, h->numbered_capacity, h->n_numbered + 1)) {
            return hpf_error_set_memory(err);
        }
        h->numbered[h->n_numbered++] = (numbered){name, cost.whole};
        return HPF_OK;
    }
    return hpf__costs_add(&h->costs, cost, h->names.texts.n_names) ? HPF_OK
                                                                   : hpf_error_set_memory(err);
}

/* Adds a cost whose name was not predicted; emits the name first if it is new. From the first
 * sample on in which keys share a name, samples are folded, also when they are read again. */
static hpf_status add_unexpected(hpf__eventlog_heap *h, const hpf_event *event, bool is_stack,
                                 hpf_str key, hpf_error *err)
{
    hpf_name name;
    bool is_new, shared_names = h->names.shares_names;
    hpf_status status = is_stack ? hpf__eventlog_names_of_stack(&h->names, key, &name, &is_new)
                                 : hpf__eventlog_names_of_label(&h->names, key, &name, &is_new);
    if (status != HPF_OK) {
        return fail(status, err);
    }
    h->folded_offset = shared_names ? h->folded_offset : h->begin_offset;
    if (is_new && h->events.name) {
        status = h->events.name(h->context, name, h->names.texts.names[name], err);
    }
    return status == HPF_OK ? add_cost(h, event, name, err) : status;
}

/* Returns whether a record is of another profile than the first one that had records. */
static bool is_of_other_profile(hpf__eventlog_heap *h, hpf_str payload)
{
    int profile = (unsigned char)*payload.data;
    h->profile = h->profile < 0 ? profile : h->profile;
    bool is_other = profile != h->profile;
    h->is_foreign |= is_other;
    h->n_others += is_other;
    return is_other;
}

static hpf_status on_cost(hpf__eventlog_heap *h, const hpf_event *event, bool is_stack,
                          hpf_error *err)
{
    hpf_str payload = event->payload;
    if (!h->in_sample || payload.length < COST_BYTES) {
        return HPF_OK;
    }
    if (is_of_other_profile(h, payload)) {
        return HPF_OK;
    }
    hpf_str key = hpf_str_from(payload, COST_BYTES);
    hpf_name name;
    return hpf__eventlog_keys_guess(is_stack ? &h->names.stacks : &h->names.labels, key, &name)
               ? add_cost(h, event, name, err)
               : add_unexpected(h, event, is_stack, key, err);
}

/* Reads one of the amounts of a ticky counter since the sample before. */
static hpf_status on_counter(hpf__eventlog_heap *h, const hpf_event *event, hpf_error *err)
{
    size_t at = 8 * (h->counter_amount + 1);
    if (!h->in_sample || event->payload.length < COUNTER_BYTES ||
        hpf__read8(event->payload.data + at) == 0) {
        return HPF_OK;
    }
    hpf_str key = hpf__eventlog_ticky_name(h->counters, event);
    hpf_name name;
    return hpf__eventlog_keys_guess(&h->names.labels, key, &name)
               ? add_cost(h, event, name, err)
               : add_unexpected(h, event, false, key, err);
}

/* Reads changes of amounts that earlier samples had: how many numbers are left out, and the
 * difference, with its sign in the lowest bit. */
static hpf_status on_changes(hpf__eventlog_heap *h, const hpf_event *event, hpf_error *err)
{
    hpf_str rest = event->payload;
    if (!h->in_sample || rest.length < 1) {
        return HPF_OK;
    }
    if (is_of_other_profile(h, rest)) {
        return HPF_OK;
    }
    h->is_changes = h->has_changes = true;
    h->end_offset = event->end_offset;
    rest = hpf_str_from(rest, 1);
    for (uint64_t next = 0; rest.length > 0; next++) {
        uint64_t gap, change;
        if (!hpf__eventlog_cut_groups(&rest, &gap) || !hpf__eventlog_cut_change(&rest, &change) ||
            next >= h->n_numbered || gap >= h->n_numbered - next) {
            return hpf_error_set(err, HPF_ERR_SYNTAX,
                                 "expected changes of the %zu amounts in samples before",
                                 h->n_numbered);
        }
        next += gap;
        h->numbered[next].amount += change;
    }
    return HPF_OK;
}

/* Returns whether the record at `p` is a cost of type `id` in the profile that is read. The length
 * of the payload and the number of the profile are adjacent, and are compared together. */
static inline bool is_cost_of(const hpf__eventlog_key *link, const char *p, uint16_t id,
                              int profile)
{
    size_t length = COST_BYTES + link->text.length;
    uint32_t length_and_profile = (uint32_t)length << 8 | (uint32_t)profile;
    return hpf__read2(p) == id && hpf__read4(p + LENGTH_AT) >> 8 == length_and_profile &&
           hpf__eventlog_key_is(link, p + COST_AT + COST_BYTES);
}

/* Reads consecutive costs whose names are the predicted ones: the inner loop of reading a log. Its
 * state is kept in registers. It stops at a record so near to the end of the bytes that the head of
 * a key could be cut. */
static const char *run_of_costs(void *context, const char *p, const char *end, uint64_t offset,
                                hpf__eventlog_taken *taken)
{
    hpf__eventlog_heap *h = context;
    const char *begin = p;
    uint16_t id = hpf__read2(p);
    hpf__eventlog_keys *keys =
        id == HPF__EVENT_HEAP_PROF_SAMPLE_STRING ? &h->names.labels : &h->names.stacks;
    if (!h->in_sample || h->is_changes || !keys->links || !h->costs.all || h->profile < 0) {
        return p;
    }
    const hpf__eventlog_key *links = keys->links;
    const hpf__eventlog_key *last = &links[keys->last];
    int profile = h->profile;
    hpf_cost *cost = h->costs.all + h->costs.n;
    const hpf_cost *cost_end = h->costs.all + h->costs.capacity;
    while (cost < cost_end && last->next) {
        const hpf__eventlog_key *expected = &links[last->next];
        size_t n_bytes = COST_AT + COST_BYTES + expected->text.length;
        if ((size_t)(end - p) < n_bytes + HPF__KEY_HEAD_BYTES ||
            !is_cost_of(expected, p, id, profile)) {
            break;
        }
        cost->name = expected->name;
        cost->is_real = false;
        cost->whole = hpf__read8(p + COST_AT + 1);
        cost++;
        last = expected;
        p += n_bytes;
    }
    taken->n_records = (uint64_t)(cost - h->costs.all) - h->costs.n;
    taken->last = p - (COST_AT + COST_BYTES + last->text.length);
    keys->last = (uint32_t)(last - links);
    h->costs.n += taken->n_records;
    h->end_offset = taken->n_records ? offset + (uint64_t)(p - begin) : h->end_offset;
    return p;
}

static hpf_status on_sample_begin(hpf__eventlog_heap *h, const hpf_event *event, hpf_error *err)
{
    bool has_time =
        event->type->id == HPF__EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN && event->payload.length >= 16;
    hpf_status status = emit_sample(h, err);
    open_sample(h, event, has_time ? hpf__read8(event->payload.data + 8) : event->time_ns);
    return status;
}

/* --- headers, quantities, marks, definitions --- */

static hpf_status emit_header(hpf__eventlog_heap *h, hpf_header which, hpf_str text, hpf_error *err)
{
    return h->events.header ? h->events.header(h->context, which, text, err) : HPF_OK;
}

static hpf_status emit_units(hpf__eventlog_heap *h, hpf_error *err)
{
    h->has_units = true;
    bool is_entries = h->counters && h->counter_amount == 0;
    hpf_str unit = is_entries ? HPF_STR("entries") : HPF_STR("bytes");
    hpf_status status = emit_header(h, HPF_HEADER_SAMPLE_UNIT, HPF_STR("seconds"), err);
    return status == HPF_OK ? emit_header(h, HPF_HEADER_VALUE_UNIT, unit, err) : status;
}

static hpf_status emit_quantity(hpf__eventlog_heap *h, const hpf_event *event, hpf_str name,
                                double value, hpf_error *err)
{
    hpf_quantity_point point = {seconds(h, event->time_ns), value};
    return h->events.quantity ? h->events.quantity(h->context, name, point, err) : HPF_OK;
}

/* Reads HEAP_SIZE and similar records: capability set, bytes. */
static hpf_status on_size(hpf__eventlog_heap *h, const hpf_event *event, hpf_str name,
                          hpf_error *err)
{
    return event->payload.length < 12
               ? HPF_OK
               : emit_quantity(h, event, name, (double)hpf__read8(event->payload.data + 4), err);
}

/* Returns whether a record is about the whole process, not the heap of the run-time system. */
static bool is_of_process(const hpf_event *event)
{
    return event->payload.length >= 4 && hpf__read4(event->payload.data) == HPF__SET_OF_PROCESS;
}

static hpf_status on_mem_return(hpf__eventlog_heap *h, const hpf_event *event, hpf_error *err)
{
    static const hpf_str names[] = {{"held", 4}, {"needed", 6}, {"returned", 8}};
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < 3 && status == HPF_OK && event->payload.length >= 16; i++) {
        double mblocks = hpf__read4(event->payload.data + 4 * (i + 1));
        status = emit_quantity(h, event, names[i], mblocks * (double)h->metadata.mblock_bytes, err);
    }
    return status;
}

static hpf_status on_marker(hpf__eventlog_heap *h, const hpf_event *event, hpf_error *err)
{
    hpf_str label = event->payload;
    while (label.length && label.data[label.length - 1] == '\0') {
        label.length--;
    }
    return h->events.mark ? h->events.mark(h->context, seconds(h, event->time_ns), label, err)
                          : HPF_OK;
}

/* Begins the profile that was noted last. */
static void note_profile(hpf__eventlog_heap *h)
{
    const hpf_eventlog_profile *begun =
        h->metadata.n_profiles ? &h->metadata.profiles[h->metadata.n_profiles - 1] : NULL;
    if (begun && (h->profile < 0 || h->profile == begun->id)) {
        h->profile = begun->id;
        h->has_begun = true;
        h->names.labels_are_infos = begun->breakdown == HPF_BREAKDOWN_INFO_TABLE;
    }
}

/* Reads metadata from the event, and emits the headers that result. */
static hpf_status on_fact(hpf__eventlog_heap *h, const hpf_event *event, hpf_error *err)
{
    if (h->is_revisiting) {
        return HPF_OK;
    }
    hpf_status status = hpf_eventlog_metadata_note(&h->metadata, event, err);
    if (status != HPF_OK) {
        return status;
    }
    switch (event->type->id) {
    case HPF__EVENT_PROGRAM_ARGS:
        h->n_blocks = hpf__eventlog_n_blocks(h->log);
        return emit_header(h, HPF_HEADER_JOB, h->metadata.job, err);
    case HPF__EVENT_WALL_CLOCK_TIME:
        return emit_header(h, HPF_HEADER_DATE, h->metadata.date, err);
    case HPF__EVENT_HEAP_PROF_BEGIN:
        note_profile(h);
        return HPF_OK;
    default:
        return HPF_OK;
    }
}

/* Keeps info tables that come before the profile begins, when the break-down is not yet known. */
static hpf_status on_definition(hpf__eventlog_heap *h, const hpf_event *event, hpf_error *err)
{
    if (h->is_revisiting) {
        return HPF_OK;
    }
    hpf_status status = HPF_OK;
    if (event->type->id == HPF__EVENT_HEAP_PROF_COST_CENTRE) {
        status = hpf_eventlog_metadata_note(&h->metadata, event, err);
        status = status == HPF_OK ? hpf__eventlog_names_define_centre(&h->names, event->payload)
                                  : status;
    } else if (event->type->id == HPF__EVENT_HEAP_PROF_CALL) {
        status = hpf__eventlog_names_define_call(&h->names, event->payload);
    } else if (h->names.labels_are_infos || !h->has_begun) {
        status = hpf__eventlog_names_define_info(&h->names, event->payload);
    }
    return status == HPF_OK ? HPF_OK : fail(status, err);
}

/* A definition ends a sample. */
static hpf_status on_counter_definition(hpf__eventlog_heap *h, const hpf_event *event,
                                        hpf_error *err)
{
    hpf_status status = h->in_sample ? emit_sample(h, err) : HPF_OK;
    return status == HPF_OK ? hpf_eventlog_ticky_note(h->counters, event, err) : status;
}

/* --- the visitor --- */

static hpf_status on_type(void *context, const hpf_event_type *type, bool *is_wanted,
                          hpf_error *err)
{
    static const uint16_t of_counters[] = {
        HPF__EVENT_USER_MARKER,
        HPF__EVENT_TICKY_COUNTER_DEF,
        HPF__EVENT_TICKY_COUNTER_SAMPLE,
        HPF__EVENT_TICKY_COUNTER_BEGIN_SAMPLE,
    };
    static const uint16_t of_heap[] = {
        HPF__EVENT_HEAP_SIZE,
        HPF__EVENT_HEAP_LIVE,
        HPF__EVENT_USER_MARKER,
        HPF__EVENT_MEM_RETURN,
        HPF__EVENT_BLOCKS_SIZE,
        HPF__EVENT_HEAP_PROF_COST_CENTRE,
        HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN,
        HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE,
        HPF__EVENT_HEAP_PROF_SAMPLE_STRING,
        HPF__EVENT_HEAP_PROF_SAMPLE_END,
        HPF__EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN,
        HPF__EVENT_IPE,
        HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES,
        HPF__EVENT_HEAP_PROF_CALL,
    };
    hpf__eventlog_heap *h = context;
    const uint16_t *wanted = h->counters ? of_counters : of_heap;
    size_t n = h->counters ? sizeof of_counters / sizeof *wanted : sizeof of_heap / sizeof *wanted;
    *is_wanted = hpf_eventlog_metadata_want(type->id);
    for (size_t i = 0; i < n; i++) {
        *is_wanted |= wanted[i] == type->id;
    }
    hpf_status status = HPF_OK;
    if (h->options.visitor && !h->is_revisiting) {
        bool is_visited = false;
        status = h->options.visitor->type(h->options.visitor_context, type, &is_visited, err);
        *is_wanted |= is_visited;
    }
    *is_wanted &= hpf_event_name(type) != NULL;
    h->is_whole = true;
    return status != HPF_OK || h->has_units ? status : emit_units(h, err);
}

static hpf_status on_other(hpf__eventlog_heap *h, const hpf_event *event, hpf_error *err)
{
    switch (event->type->id) {
    case HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN:
    case HPF__EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN:
    case HPF__EVENT_TICKY_COUNTER_BEGIN_SAMPLE:
        return on_sample_begin(h, event, err);
    case HPF__EVENT_TICKY_COUNTER_SAMPLE:
        return on_counter(h, event, err);
    case HPF__EVENT_TICKY_COUNTER_DEF:
        return on_counter_definition(h, event, err);
    case HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES:
        return on_changes(h, event, err);
    case HPF__EVENT_HEAP_PROF_SAMPLE_END:
        h->end_offset = event->end_offset;
        return emit_sample(h, err);
    case HPF__EVENT_HEAP_PROF_COST_CENTRE:
    case HPF__EVENT_HEAP_PROF_CALL:
    case HPF__EVENT_IPE:
        return on_definition(h, event, err);
    case HPF__EVENT_USER_MARKER:
        return on_marker(h, event, err);
    case HPF__EVENT_HEAP_LIVE:
        return on_size(h, event, HPF_STR("live"), err);
    case HPF__EVENT_HEAP_SIZE:
        return on_size(h, event, is_of_process(event) ? HPF_STR("resident") : HPF_STR("heap"), err);
    case HPF__EVENT_BLOCKS_SIZE:
        return on_size(h, event, HPF_STR("blocks"), err);
    case HPF__EVENT_MEM_RETURN:
        return on_mem_return(h, event, err);
    default:
        return on_fact(h, event, err);
    }
}

/* Costs come first, because nearly all records are costs. */
static hpf_status on_event(void *context, const hpf_event *event, hpf_error *err)
{
    hpf__eventlog_heap *h = context;
    bool is_stack = event->type->id == HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE;
    if (is_stack || event->type->id == HPF__EVENT_HEAP_PROF_SAMPLE_STRING) {
        return on_cost(h, event, is_stack, err);
    }
    hpf_status status = h->options.visitor && !h->is_revisiting
                            ? h->options.visitor->event(h->options.visitor_context, event, err)
                            : HPF_OK;
    return status == HPF_OK ? on_other(h, event, err) : status;
}

/* Discards the sample being gathered, of which records are missing. */
static void on_damage(void *context)
{
    hpf__eventlog_heap *h = context;
    h->n_damaged += h->in_sample && !h->is_revisiting;
    h->in_sample = false;
    h->is_foreign = false;
    h->costs.n = 0;
    if (h->options.visitor && h->options.visitor->damage && !h->is_revisiting) {
        h->options.visitor->damage(h->options.visitor_context);
    }
}

static const hpf_event_visitor visitor = {.type = on_type, .event = on_event, .damage = on_damage};

/* --- reading --- */

hpf_status hpf__eventlog_heap_feed(hpf__eventlog_heap *h, const char *bytes, size_t n_bytes,
                                   hpf_error *err)
{
    return hpf_eventlog_feed(h->log, bytes, n_bytes, err);
}

static void warn(hpf__eventlog_heap *h, hpf_error *warning)
{
    warning->offset = hpf_eventlog_offset(h->log);
    if (h->options.warning) {
        h->options.warning(h->options.warning_context, warning);
    }
}

static void warn_of_end(hpf__eventlog_heap *h)
{
    static const char *const ends[] = {
        [HPF_EVENTLOG_OPEN] = "has no end marker",
        [HPF_EVENTLOG_IN_RECORD] = "ends inside a record",
        [HPF_EVENTLOG_IN_HEADER] = "ends inside its header",
    };
    hpf_eventlog_end end = hpf_eventlog_state(h->log);
    const char *what = h->in_sample ? "ends inside a sample" : ends[end];
    hpf_error warning;
    if (end == HPF_EVENTLOG_COMPLETE && !h->in_sample) {
        return;
    }
    if (h->n_samples == 0) {
        hpf_error_set(&warning, HPF_END, "the event log %s", what);
    } else {
        hpf_error_set(&warning, HPF_END, "the event log %s: kept the %llu complete %s before", what,
                      (unsigned long long)h->n_samples, h->n_samples == 1 ? "sample" : "samples");
    }
    warn(h, &warning);
}

/* Up to 8.8, GHC writes samples by retainer and by biography without their costs. */
static bool lacks_costs(const hpf__eventlog_heap *h)
{
    const hpf_eventlog_profile *profile = hpf__eventlog_heap_profile(h);
    return profile && h->n_samples > 0 && h->names.texts.n_names == 0 &&
           (profile->breakdown == HPF_BREAKDOWN_RETAINER ||
            profile->breakdown == HPF_BREAKDOWN_BIOGRAPHY) &&
           !hpf__eventlog_declares(h->log, HPF__EVENT_HEAP_PROF_SAMPLE_END);
}

static void warn_of_rest(hpf__eventlog_heap *h)
{
    hpf_error warning;
    if (hpf_eventlog_describe_damage(h->log, &warning)) {
        size_t n = strlen(warning.message);
        if (h->n_damaged) {
            snprintf(warning.message + n, sizeof warning.message - n, ", left out %llu %s",
                     (unsigned long long)h->n_damaged, h->n_damaged == 1 ? "sample" : "samples");
        }
        if (h->options.warning) {
            h->options.warning(h->options.warning_context, &warning);
        }
    }
    if (h->n_late) {
        hpf_error_set(&warning, HPF_ERR_ORDER,
                      "%llu %s earlier than the sample before, and shown at its time",
                      (unsigned long long)h->n_late, h->n_late == 1 ? "sample is" : "samples are");
        warn(h, &warning);
    }
    if (hpf__eventlog_heap_diagnose(h, &warning) == HPF_ERR_UNSUPPORTED) {
        warn(h, &warning);
    }
    if (lacks_costs(h)) {
        hpf_error_set(&warning, HPF_ERR_UNSUPPORTED,
                      "GHC 8.8 and earlier write no retainer sets and no biographies into event "
                      "logs: use the .hp file of the same run");
        warn(h, &warning);
    }
}

bool hpf__eventlog_heap_has_end(const hpf__eventlog_heap *h)
{
    return hpf_eventlog_state(h->log) == HPF_EVENTLOG_COMPLETE;
}

hpf_status hpf__eventlog_heap_diagnose(const hpf__eventlog_heap *h, hpf_error *diagnosis)
{
    bool is_running = hpf__eventlog_n_blocks(h->log) > h->n_blocks;
    if (h->counters) {
        return is_running && h->n_samples == 0 && !h->is_finished
                   ? hpf_error_set(diagnosis, HPF_MORE, HPF_NO_TICKY)
                   : HPF_OK;
    }
    const hpf__eventlog_state sight = {
        .metadata = &h->metadata,
        .profile = h->profile,
        .is_chosen = h->options.has_log_profile,
        .n_samples = h->n_samples,
        .n_others = h->n_others,
        .is_running = is_running,
        .is_over = h->is_finished,
    };
    return hpf__eventlog_diagnosis(&sight, diagnosis);
}

/* Returns whether the end of the log also ends the last sample. */
static bool ends_sample(const hpf__eventlog_heap *h)
{
    return (h->counters || !hpf__eventlog_declares(h->log, HPF__EVENT_HEAP_PROF_SAMPLE_END)) &&
           hpf__eventlog_heap_has_end(h);
}

static hpf_status leave_rest(hpf__eventlog_heap *h, hpf_error *err)
{
    hpf_status status = ends_sample(h) ? emit_sample(h, err) : HPF_OK;
    warn_of_end(h);
    warn_of_rest(h);
    if (status == HPF_OK && h->costs.n && h->events.leftover) {
        status = h->events.leftover(h->context, h->costs.all, h->costs.n, err);
    }
    return status;
}

static hpf_status fail_to_find(hpf__eventlog_heap *h)
{
    char ids[HPF__PROFILE_LIST_BYTES];
    hpf__eventlog_list_profiles(&h->metadata, ids);
    h->error.offset = hpf_eventlog_offset(h->log);
    return hpf_error_set(&h->error, HPF_ERR_ARGUMENT,
                         "no heap profile number %d in the event log, which has %s", h->profile,
                         ids);
}

hpf_status hpf__eventlog_heap_finish(hpf__eventlog_heap *h, hpf_error *err)
{
    hpf_status status = hpf_eventlog_feed(h->log, NULL, 0, &h->error);
    if (status == HPF_OK && !h->is_finished) {
        h->is_finished = true;
        status = leave_rest(h, &h->error);
        if (status == HPF_OK && h->options.has_log_profile && !hpf__eventlog_heap_profile(h)) {
            status = fail_to_find(h);
        } else if (status == HPF_OK && h->counters && h->n_samples == 0) {
            status = hpf_error_set(&h->error, HPF_ERR_ARGUMENT, HPF_NO_TICKY);
        } else if (status == HPF_OK && h->n_samples == 0) {
            status = hpf_error_set(&h->error, HPF_ERR_SYNTAX,
                                   "no complete heap sample in the event log: %s",
                                   hpf__eventlog_heap_profile(h)
                                       ? "did the program end before the first one? Use a shorter "
                                         "interval, such as +RTS -i0.001"
                                       : "run the program with +RTS -l -hT, or build it with -prof "
                                         "and use -l -hc");
            h->error.offset = hpf_eventlog_offset(h->log);
        }
    }
    if (h->error.status != HPF_OK && err) {
        *err = h->error;
    }
    return h->error.status;
}

void hpf__eventlog_heap_revisit(hpf__eventlog_heap *h, const hpf_events *events, void *context)
{
    h->events = *events;
    h->context = context;
    h->error = (hpf_error){0};
    h->is_revisiting = true;
    h->is_whole = false;
    h->in_sample = false;
    h->is_changes = false;
    h->is_foreign = false;
    h->costs.n = 0;
    h->n_numbered = 0;
    h->last_time = -INFINITY;
    hpf__eventlog_revisit(h->log);
}

hpf_status hpf__eventlog_heap_settle(hpf__eventlog_heap *h, hpf_error *err)
{
    hpf_status status = hpf_eventlog_feed(h->log, NULL, 0, err);
    if (status == HPF_OK && (!h->is_whole || ends_sample(h))) {
        status = emit_sample(h, err);
    }
    h->last_time = -INFINITY;
    return status;
}

bool hpf__eventlog_heap_has_changes(const hpf__eventlog_heap *h)
{
    return h->has_changes;
}

hpf_str hpf__eventlog_heap_name(const hpf__eventlog_heap *h, hpf_name name)
{
    return h->names.texts.names[name];
}

size_t hpf__eventlog_heap_frames(const hpf__eventlog_heap *h, hpf_name name, hpf_frame *frames,
                                 size_t room)
{
    return hpf__eventlog_names_frames(&h->names, name, frames, room);
}

size_t hpf__eventlog_heap_calls(const hpf__eventlog_heap *h, hpf_name name, hpf_frame *frames,
                                size_t room)
{
    return hpf__eventlog_names_calls(&h->names, name, frames, room);
}

const hpf_eventlog_metadata *hpf__eventlog_heap_metadata(const hpf__eventlog_heap *h)
{
    return &h->metadata;
}

const hpf_eventlog *hpf__eventlog_heap_records(const hpf__eventlog_heap *h)
{
    return h->log;
}

const hpf_eventlog_profile *hpf__eventlog_heap_profile(const hpf__eventlog_heap *h)
{
    for (size_t i = 0; i < h->metadata.n_profiles; i++) {
        if (h->metadata.profiles[i].id == h->profile) {
            return &h->metadata.profiles[i];
        }
    }
    return NULL;
}

uint64_t hpf__eventlog_heap_n_late(const hpf__eventlog_heap *h)
{
    return h->n_late;
}

void hpf__eventlog_heap_keep_times(hpf__eventlog_heap *h)
{
    h->options.keeps_times = true;
}

/* --- ticky counters --- */

static hpf_status note_counter(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_ticky_note(context, event, err);
}

hpf_status hpf__eventlog_read_ticky(hpf_source *source, const hpf_events *events, void *context,
                                    const hpf_reader_options *options, hpf_error *err)
{
    static const hpf_event_visitor definitions = {.event = note_counter};
    hpf__eventlog_heap *h = hpf__eventlog_heap_create(events, context, options);
    hpf_str piece;
    hpf_status status = h ? hpf_eventlog_read_source(NULL, source, &definitions, h->counters, err)
                          : hpf_error_set_memory(err);
    status = status == HPF_OK ? hpf_source_rewind(source, err) : status;
    while (status == HPF_OK && (status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        status = hpf__eventlog_heap_feed(h, piece.data, piece.length, err);
    }
    status = status == HPF_END ? hpf__eventlog_heap_finish(h, err) : status;
    hpf__eventlog_heap_destroy(h);
    return status;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The totals of a stack change while the log grows, so they are emitted at its end.
 */
#include "eventlog/eventlog_totals.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/big_endian.h"
#include "event/call_stacks.h"
#include "eventlog/eventlog_heap.h"
#include "hpfile/eventlog.h"
#include "eventlog/eventlog_reader.h"
#include "eventlog/eventlog_resident.h"
#include "hpfile/str.h"

#define AMOUNT_AT 1u  /* in a record: three amounts after the profile */
#define STACK_AT  25u /* and after these */

enum { MAX_FRAMES = 255 };

bool hpf__eventlog_totals_want(const hpf_event_type *type)
{
    return type->n_bytes == HPF_EVENT_VARIABLE &&
           (type->id == HPF__EVENT_HEAP_PROF_STACK_TOTALS ||
            type->id == HPF__EVENT_HEAP_PROF_STACK_TOTALS_CHANGES);
}

static hpf_status add_stack(hpf__eventlog_totals *t, hpf_str payload, hpf_error *err)
{
    if (payload.length <= STACK_AT) {
        return HPF_OK;
    }
    struct hpf__total total = {.amounts = {hpf__read8(payload.data + AMOUNT_AT),
                                           hpf__read8(payload.data + AMOUNT_AT + 8),
                                           hpf__read8(payload.data + AMOUNT_AT + 16)}};
    bool is_new;
    hpf_status status = hpf__eventlog_names_of_stack(&t->names, hpf_str_from(payload, STACK_AT),
                                                     &total.name, &is_new);
    if (status != HPF_OK) {
        return hpf_error_set(err, status, "no room for the stacks of the log");
    }
    return HPF__ARRAY_PUSH(t->list, t->n, t->capacity, total) ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status change_stacks(hpf__eventlog_totals *t, hpf_str payload, hpf_error *err)
{
    hpf_str rest = hpf_str_from(payload, payload.length > 0);
    for (uint64_t next = 0; rest.length > 0; next++) {
        uint64_t gap;
        hpf_stack_totals change;
        if (!hpf__eventlog_cut_groups(&rest, &gap) ||
            !hpf__eventlog_cut_change(&rest, &change.allocated_bytes) ||
            !hpf__eventlog_cut_change(&rest, &change.peak_bytes) ||
            !hpf__eventlog_cut_change(&rest, &change.peak_blocks) || next >= t->n ||
            gap >= t->n - next) {
            return hpf_error_set(err, HPF_ERR_SYNTAX,
                                 "expected changes of the totals of %zu stacks", t->n);
        }
        next += gap;
        t->list[next].amounts.allocated_bytes += change.allocated_bytes;
        t->list[next].amounts.peak_bytes += change.peak_bytes;
        t->list[next].amounts.peak_blocks += change.peak_blocks;
    }
    return HPF_OK;
}

hpf_status hpf__eventlog_totals_note(hpf__eventlog_totals *t, const hpf_event *event,
                                     hpf_error *err)
{
    return event->type->id == HPF__EVENT_HEAP_PROF_STACK_TOTALS
               ? add_stack(t, event->payload, err)
               : change_stacks(t, event->payload, err);
}

void hpf__eventlog_totals_finish(hpf__eventlog_totals *t)
{
    hpf__eventlog_names_finish(&t->names);
    free(t->list);
}

enum { ALLOCATED, PEAK, BLOCKS }; /* the amounts, in this order */

typedef struct totals {
    size_t amount; /* to read */
    bool is_declared;
    hpf_eventlog_metadata metadata;
    hpf__eventlog_totals totals;
    hpf__call_stacks stacks;
    uint64_t time_ns; /* of the last record */
} totals;

static hpf_status want(void *context, const hpf_event_type *type, bool *is_wanted, hpf_error *err)
{
    totals *t = context;
    (void)err;
    bool is_of_totals = hpf__eventlog_totals_want(type);
    t->is_declared |= is_of_totals;
    *is_wanted = type->id == HPF__EVENT_HEAP_PROF_COST_CENTRE ||
                 type->id == HPF__EVENT_HEAP_PROF_CALL || is_of_totals ||
                 hpf_eventlog_metadata_want(type->id);
    return HPF_OK;
}

static hpf_status emit_headers(totals *t, hpf_error *err)
{
    const hpf_str headers[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = hpf__call_stacks_command(t->metadata.job),
        [HPF_HEADER_DATE] = t->metadata.date,
        [HPF_HEADER_VALUE_UNIT] = t->amount == BLOCKS ? HPF_STR("blocks") : HPF_STR("bytes"),
    };
    return hpf__call_stacks_headers(&t->stacks, headers, err);
}

static hpf_status complain(hpf_error *err)
{
    return hpf_error_set(err, HPF_ERR_ARGUMENT,
                         "the event log has no totals of stacks: census run writes them, unless "
                         "restrictions such as -hm select blocks");
}

static hpf_status on_event(void *context, const hpf_event *event, hpf_error *err)
{
    totals *t = context;
    if (!t->is_declared) {
        return complain(err);
    }
    bool is_call = event->type->id == HPF__EVENT_HEAP_PROF_CALL;
    if (is_call || event->type->id == HPF__EVENT_HEAP_PROF_COST_CENTRE) {
        hpf__eventlog_names *names = &t->totals.names;
        hpf_status status = is_call ? hpf__eventlog_names_define_call(names, event->payload)
                                    : hpf__eventlog_names_define_centre(names, event->payload);
        return status == HPF_OK ? HPF_OK : hpf_error_set_memory(err);
    }
    if (!hpf__eventlog_totals_want(event->type)) {
        return hpf_eventlog_metadata_note(&t->metadata, event, err);
    }
    t->time_ns = event->time_ns;
    return hpf__eventlog_totals_note(&t->totals, event, err);
}

static hpf_status emit_totals(totals *t, hpf_error *err)
{
    hpf_status status = t->totals.n > 0 ? emit_headers(t, err) : complain(err);
    if (status == HPF_OK &&
        !HPF__ARRAY_RESERVE(t->stacks.frames, t->stacks.frames_capacity, MAX_FRAMES)) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < t->totals.n && status == HPF_OK; i++) {
        const struct hpf__total *of = &t->totals.list[i];
        size_t n =
            hpf__eventlog_names_frames(&t->totals.names, of->name, t->stacks.frames, MAX_FRAMES);
        uint64_t amounts[] = {[ALLOCATED] = of->amounts.allocated_bytes,
                              [PEAK] = of->amounts.peak_bytes,
                              [BLOCKS] = of->amounts.peak_blocks};
        t->stacks.n_frames = n < MAX_FRAMES ? n : MAX_FRAMES;
        status = hpf__call_stacks_cost(&t->stacks, amounts[t->amount], err);
    }
    return status == HPF_OK ? hpf__emitter_sample(&t->stacks.emit, (double)t->time_ns / 1e9,
                                                  (hpf__location){0}, err)
                            : status;
}

hpf_status hpf__eventlog_read_totals(hpf_source *source, const hpf_events *events, void *context,
                                     const hpf_reader_options *options, hpf_error *err)
{
    static const hpf_event_visitor visitor = {.type = want, .event = on_event};
    static const char *const values[] = {[ALLOCATED] = "allocated",
                                         [PEAK] = "peak",
                                         [BLOCKS] = "blocks",
                                         "ticky-entries",
                                         "ticky-allocs",
                                         "ticky-allocd",
                                         HPF__RESIDENT_VALUES,
                                         NULL};
    enum { FIRST_RESIDENT = BLOCKS + 4 };
    totals t = {.stacks = {.emit = {.events = events, .context = context}}};
    t.totals.names.by_stack = options && options->by_stack;
    t.totals.names.by_line = options && options->by_line;
    t.totals.names.rules = options ? options->rules : NULL;
    hpf_status status = hpf__choose_value(&t.amount, values, options, err);
    if (status == HPF_OK && t.amount >= FIRST_RESIDENT) {
        return hpf__eventlog_read_resident(source, events, context, t.amount - FIRST_RESIDENT, err);
    }
    if (status == HPF_OK && t.amount > BLOCKS) {
        return hpf__eventlog_read_ticky(source, events, context, options, err);
    }
    status = status == HPF_OK ? hpf_eventlog_read_source(NULL, source, &visitor, &t, err) : status;
    status = status == HPF_OK ? emit_totals(&t, err) : status;
    hpf__call_stacks_finish(&t.stacks);
    hpf__eventlog_totals_finish(&t.totals);
    hpf_eventlog_metadata_finish(&t.metadata);
    return status;
}

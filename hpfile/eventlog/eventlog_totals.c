/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Totals are at the end of a log, after the records with its metadata, so headers are emitted
 * before the first total.
 */
#include "eventlog/eventlog_totals.h"

#include "base/big_endian.h"
#include "event/call_stacks.h"
#include "eventlog/eventlog_metadata.h"
#include "eventlog/eventlog_names.h"
#include "hpfile/str.h"

#define AMOUNT_AT 1u  /* in a record: three amounts after the profile */
#define STACK_AT  25u /* and after these */

enum { MAX_FRAMES = 255 };

enum { ALLOCATED, PEAK, BLOCKS }; /* the amounts, in this order */

typedef struct totals {
    size_t amount; /* to read */
    bool is_declared;
    hpf_eventlog_metadata metadata;
    hpf__eventlog_names names;
    hpf__emitter emit;
    hpf__call_stacks stacks;
    uint64_t time_ns; /* of the last record */
    uint64_t n_stacks;
    hpf_frame frames[MAX_FRAMES];
} totals;

static hpf_status want(void *context, const hpf_event_type *type, bool *is_wanted, hpf_error *err)
{
    totals *t = context;
    (void)err;
    bool is_totals = hpf__is_stack_totals(type);
    t->is_declared |= is_totals;
    *is_wanted = type->id == HPF__EVENT_HEAP_PROF_COST_CENTRE || is_totals ||
                 hpf_eventlog_metadata_want(type->id);
    return HPF_OK;
}

static hpf_status emit_headers(totals *t, hpf_error *err)
{
    hpf_str command = hpf__call_stacks_command(t->metadata.job);
    hpf_status status = hpf__call_stacks_job(&t->emit, command, err);
    if (status == HPF_OK) {
        status = hpf__emitter_header(&t->emit, HPF_HEADER_DATE, t->metadata.date, err);
    }
    if (status == HPF_OK) {
        status = hpf__emitter_default_header(&t->emit, HPF_HEADER_SAMPLE_UNIT, err);
    }
    hpf_str unit = t->amount == BLOCKS ? HPF_STR("blocks") : HPF_STR("bytes");
    return status == HPF_OK ? hpf__emitter_header(&t->emit, HPF_HEADER_VALUE_UNIT, unit, err)
                            : status;
}

static hpf_status complain(hpf_error *err)
{
    return hpf_error_set(err, HPF_ERR_ARGUMENT,
                         "the event log has no totals of stacks: census run writes them when the "
                         "program ends");
}

static hpf_status on_event(void *context, const hpf_event *event, hpf_error *err)
{
    totals *t = context;
    if (!t->is_declared) {
        return complain(err);
    }
    hpf_str payload = event->payload;
    if (event->type->id == HPF__EVENT_HEAP_PROF_COST_CENTRE) {
        hpf_status status = hpf__eventlog_names_define_centre(&t->names, payload);
        return status == HPF_OK ? HPF_OK : hpf_error_set_memory(err);
    }
    if (event->type->id != HPF__EVENT_HEAP_PROF_STACK_TOTALS) {
        return hpf_eventlog_metadata_note(&t->metadata, event, err);
    }
    if (payload.length <= STACK_AT) {
        return HPF_OK;
    }
    hpf_name name;
    bool is_new;
    hpf_status status = t->n_stacks++ == 0 ? emit_headers(t, err) : HPF_OK;
    if (status != HPF_OK) {
        return status;
    }
    t->time_ns = event->time_ns;
    status =
        hpf__eventlog_names_of_stack(&t->names, hpf_str_from(payload, STACK_AT), &name, &is_new);
    if (status != HPF_OK) {
        return hpf_error_set(err, status, "no room for the stacks of the log");
    }
    size_t n = hpf__eventlog_names_frames(&t->names, name, t->frames, MAX_FRAMES);
    return hpf__call_stacks_cost(&t->stacks, t->frames, n < MAX_FRAMES ? n : MAX_FRAMES,
                                 hpf__read8(payload.data + AMOUNT_AT + 8 * t->amount), err);
}

hpf_status hpf__eventlog_read_totals(hpf_source *source, const hpf_events *events, void *context,
                                     const hpf_reader_options *options, hpf_error *err)
{
    static const hpf_event_visitor visitor = {.type = want, .event = on_event};
    static const char *const values[] = {
        [ALLOCATED] = "allocated", [PEAK] = "peak", [BLOCKS] = "blocks", NULL};
    totals t = {.emit = {.events = events, .context = context}};
    t.stacks.emit = &t.emit;
    hpf_status status = hpf__choose_value(&t.amount, values, options, err);
    status = status == HPF_OK ? hpf_eventlog_read_source(NULL, source, &visitor, &t, err) : status;
    if (status == HPF_OK && t.n_stacks == 0) {
        status = complain(err);
    }
    status = status == HPF_OK
                 ? hpf__emitter_sample(&t.emit, (double)t.time_ns / 1e9, (hpf__location){0}, err)
                 : status;
    hpf__call_stacks_finish(&t.stacks);
    hpf__emitter_finish(&t.emit);
    hpf__eventlog_names_finish(&t.names);
    hpf_eventlog_metadata_finish(&t.metadata);
    return status;
}

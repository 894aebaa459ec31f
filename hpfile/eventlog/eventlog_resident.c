/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each record is a sample.
 */
#include "eventlog/eventlog_resident.h"

#include "event/call_stacks.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/resident.h"

enum { PSS = 1, FIRST_PINNED = 2, GENERATIONS = FIRST_PINNED + HPF_N_PINNED }; /* values */

typedef struct resident {
    size_t value;
    hpf__emitter emit;
    hpf_eventlog_metadata metadata;
    bool has_headers;
} resident;

/* Returns the type of the records that have the value. */
static uint16_t event_of(const resident *r)
{
    return r->value == GENERATIONS ? HPF__EVENT_HEAP_PROF_GENERATIONS
                                   : HPF__EVENT_HEAP_PROF_RESIDENT;
}

static hpf_status want(void *context, const hpf_event_type *type, bool *is_wanted, hpf_error *err)
{
    (void)err;
    *is_wanted = type->id == event_of(context) || hpf_eventlog_metadata_want(type->id);
    return HPF_OK;
}

static hpf_status emit_headers(resident *r, hpf_error *err)
{
    const hpf_str headers[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = hpf__call_stacks_command(r->metadata.job),
        [HPF_HEADER_DATE] = r->metadata.date,
        [HPF_HEADER_SAMPLE_UNIT] = HPF_STR("seconds"),
        [HPF_HEADER_VALUE_UNIT] = HPF_STR("bytes"),
    };
    hpf_status status = HPF_OK;
    r->has_headers = true;
    for (int i = 0; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        hpf_str text = headers[i].data ? headers[i] : HPF_STR("");
        status = hpf__emitter_header(&r->emit, (hpf_header)i, text, err);
    }
    return status;
}

/* Returns whether a row is part of the value, with its amount. */
static bool choose(const resident *r, const hpf_resident_row *row, uint64_t *bytes)
{
    *bytes = r->value == PSS ? row->second_bytes : row->bytes;
    return r->value < FIRST_PINNED || r->value == GENERATIONS
               ? row->kind == HPF_RESIDENT_ROW_PART
               : row->kind == HPF_RESIDENT_ROW_PINNED + (unsigned)(r->value - FIRST_PINNED);
}

static hpf_status emit_row(resident *r, const hpf_resident_row *row, double time, hpf_error *err)
{
    hpf_cost cost = {0};
    if (row->kind == HPF_RESIDENT_ROW_PAGE_TABLES) {
        const hpf_quantity_point point = {time, (double)row->bytes};
        return hpf__emitter_line(&r->emit, HPF_STR("page tables"), point, err);
    }
    if (!choose(r, row, &cost.whole) || cost.whole == 0) {
        return HPF_OK;
    }
    hpf_status status = hpf__emitter_name(&r->emit, row->name, &cost.name, err);
    return status == HPF_OK ? hpf__emitter_cost(&r->emit, &cost, err) : status;
}

static hpf_status on_event(void *context, const hpf_event *event, hpf_error *err)
{
    resident *r = context;
    if (event->type->id != event_of(r)) {
        return hpf_eventlog_metadata_note(&r->metadata, event, err);
    }
    hpf_status status = r->has_headers ? HPF_OK : emit_headers(r, err);
    double time = (double)event->time_ns / 1e9;
    hpf_str rest = event->payload;
    hpf_resident_row row;
    while (status == HPF_OK && hpf_resident_take_row(&row, &rest)) {
        status = emit_row(r, &row, time, err);
    }
    return status == HPF_OK ? hpf__emitter_sample(&r->emit, time, (hpf__location){0}, err) : status;
}

hpf_status hpf__eventlog_read_resident(hpf_source *source, const hpf_events *events, void *context,
                                       size_t value, hpf_error *err)
{
    static const hpf_event_visitor visitor = {.type = want, .event = on_event};
    resident r = {.value = value, .emit = {.events = events, .context = context}};
    hpf_status status = hpf_eventlog_read_source(NULL, source, &visitor, &r, err);
    if (status == HPF_OK && !r.has_headers) {
        status = hpf_error_set(err, HPF_ERR_ARGUMENT,
                               value == GENERATIONS
                                   ? "the event log does not say where closures of a Haskell heap "
                                     "are: use census run -hT"
                                   : "the event log does not say what the resident set is made of: "
                                     "use census run --resident");
    }
    hpf__emitter_finish(&r.emit);
    hpf_eventlog_metadata_finish(&r.metadata);
    return status;
}

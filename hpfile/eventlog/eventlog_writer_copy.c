/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies all of a log except its heap profile. Cost centres are numbered again by the writer, so
 * ticks are written with their frames; so are the last totals of stacks, at the end. All other
 * records are copied as they are.
 */
#include <stdlib.h>

#include "base/big_endian.h"
#include "eventlog/eventlog_names.h"
#include "hpfile/eventlog_tags.h"
#include "eventlog/eventlog_totals.h"
#include "hpfile/eventlog_writer.h"

#define STACK_AT 12u /* in a tick, after capability and number */

enum { MAX_FRAMES = 255 };

typedef struct copying {
    hpf_writer *writer;
    const double *window; /* two times in seconds */
    hpf__eventlog_totals totals;
    uint64_t totals_ns; /* of their last record */
    hpf_frame frames[MAX_FRAMES];
} copying;

/* Returns whether the writer creates the record itself: the head of the log, and its heap profile.
 */
static bool is_written(const hpf_event *event)
{
    const char *p = event->payload.data;
    size_t length = event->payload.length;
    switch (event->type->id) {
    case HPF__EVENT_CAP_CREATE:
        return length >= 2 && hpf__read2(p) == 0;
    case HPF__EVENT_CAPSET_CREATE:
        return length >= 4 && hpf__read4(p) < HPF_EVENTLOG_OWN_CAPSETS;
    case HPF__EVENT_CAPSET_ASSIGN_CAP:
        return length >= 6 && hpf__read4(p) < HPF_EVENTLOG_OWN_CAPSETS && hpf__read2(p + 4) == 0;
    case HPF__EVENT_BLOCK_MARKER:
    case HPF__EVENT_RTS_IDENTIFIER:
    case HPF__EVENT_PROGRAM_ARGS:
    case HPF__EVENT_WALL_CLOCK_TIME:
    case HPF__EVENT_HEAP_PROF_BEGIN:
    case HPF__EVENT_HEAP_PROF_COST_CENTRE:
    case HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN:
    case HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE:
    case HPF__EVENT_HEAP_PROF_SAMPLE_STRING:
    case HPF__EVENT_HEAP_PROF_SAMPLE_END:
    case HPF__EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN:
    case HPF__EVENT_IPE:
    case HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES:
        return true;
    default:
        return false;
    }
}

/* Returns whether later records need this one. */
static bool is_definition(uint16_t id)
{
    switch (id) {
    case HPF__EVENT_OSPROCESS_PID:
    case HPF__EVENT_OSPROCESS_PPID:
    case HPF__EVENT_PROGRAM_ENV:
    case HPF__EVENT_INTERN_STRING:
    case HPF__EVENT_CAPSET_CREATE:
    case HPF__EVENT_CAPSET_ASSIGN_CAP:
    case HPF__EVENT_CAP_CREATE:
    case HPF__EVENT_CREATE_THREAD:
    case HPF__EVENT_THREAD_LABEL:
    case HPF__EVENT_HEAP_INFO_GHC:
    case HPF__EVENT_PERF_NAME:
    case HPF__EVENT_PROF_BEGIN:
    case HPF__EVENT_TICKY_COUNTER_DEF:
        return true;
    default:
        return false;
    }
}

static hpf_status copy_tick(copying *c, const hpf_event *event, hpf_error *err)
{
    hpf_str payload = event->payload;
    if (payload.length <= STACK_AT) {
        return HPF_OK;
    }
    hpf__eventlog_names *names = &c->totals.names;
    hpf_name name;
    bool is_new;
    hpf_status status =
        hpf__eventlog_names_of_stack(names, hpf_str_from(payload, STACK_AT), &name, &is_new);
    if (status != HPF_OK) {
        return hpf_error_set(err, status, "no room for the stacks of the log");
    }
    size_t n = hpf__eventlog_names_frames(names, name, c->frames, MAX_FRAMES);
    return hpf_eventlog_writer_tick(c->writer, event->time_ns, hpf__read4(payload.data),
                                    hpf__read8(payload.data + 4), c->frames,
                                    n < MAX_FRAMES ? n : MAX_FRAMES, err);
}

static size_t frames_of_total(void *context, size_t stack, hpf_frame *frames, size_t room)
{
    const hpf__eventlog_totals *totals = context;
    return hpf__eventlog_names_frames(&totals->names, totals->list[stack].name, frames, room);
}

static hpf_status write_totals(copying *c, hpf_error *err)
{
    size_t n = c->totals.n;
    if (n == 0) {
        return HPF_OK;
    }
    hpf_stack_totals *totals = calloc(n, sizeof *totals);
    if (!totals) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        totals[i] = c->totals.list[i].amounts;
    }
    hpf_status status = hpf_eventlog_writer_totals(c->writer, c->totals_ns, totals, n,
                                                   frames_of_total, &c->totals, true, err);
    free(totals);
    return status;
}

static hpf_status on_event(void *context, const hpf_event *event, hpf_error *err)
{
    copying *c = context;
    double time_s = (double)event->time_ns / 1e9;
    bool is_late = time_s > c->window[1];
    bool is_inside = time_s >= c->window[0] && !is_late;
    bool is_call = event->type->id == HPF__EVENT_HEAP_PROF_CALL;
    if (is_call || event->type->id == HPF__EVENT_HEAP_PROF_COST_CENTRE) {
        hpf__eventlog_names *names = &c->totals.names;
        hpf_status status = is_call ? hpf__eventlog_names_define_call(names, event->payload)
                                    : hpf__eventlog_names_define_centre(names, event->payload);
        return status == HPF_OK ? HPF_OK : hpf_error_set_memory(err);
    }
    if (!is_inside && (is_late || !is_definition(event->type->id))) {
        return HPF_OK;
    }
    if (event->type->id == HPF__EVENT_PROF_SAMPLE_COST_CENTRE) {
        return copy_tick(c, event, err);
    }
    if (hpf__eventlog_totals_want(event->type)) {
        c->totals_ns = event->time_ns;
        return hpf__eventlog_totals_note(&c->totals, event, err);
    }
    return is_written(event)
               ? HPF_OK
               : hpf_eventlog_writer_record(c->writer, event->type->id, event->time_ns, event->cap,
                                            event->payload, HPF_STR(""), err);
}

hpf_status hpf_eventlog_writer_copy(hpf_writer *writer, hpf_source *source, const double window[2],
                                    hpf_error *err)
{
    static const hpf_event_visitor visitor = {.event = on_event};
    copying *c = calloc(1, sizeof *c);
    if (!c) {
        return hpf_error_set_memory(err);
    }
    c->writer = writer;
    c->window = window;
    c->totals.names.by_line = true;
    hpf_status status = hpf_source_rewind(source, err);
    if (status == HPF_OK) {
        status = hpf_eventlog_read_source(NULL, source, &visitor, c, err);
    }
    status = status == HPF_OK ? write_totals(c, err) : status;
    hpf__eventlog_totals_finish(&c->totals);
    free(c);
    return status;
}

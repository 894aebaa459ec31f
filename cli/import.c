/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sends events to two writers. Names of several sources get common numbers.
 */
#include "import.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "event/call_stacks.h"
#include "event/format_row.h"
#include "hpfile/sidecar.h"
#include "hpfile/eventlog_activity.h"
#include "hpfile/str.h"
#include "hpfile/writer.h"
#include "summary/quantity.h"

#include "symbolise.h"

static const hpf_str live = {"live", 4};

typedef struct importer {
    hpf_writer *profile;
    hpf_sidecar_writer *rest;
    hpf_frame_table *frames;
    hpf__emitter emit; /* names and samples of all sources, to the writer and the table */
    hpf__call_stacks stacks;
    bool is_stack;       /* the name being emitted, whose frames follow */
    hpf_str emitted;     /* that name */
    hpf_name *number_of; /* in `emit`, by the name of the source; NONE: not known yet */
    hpf_str *texts;      /* by the name of the source, borrowed from its reader */
    size_t number_capacity, texts_capacity;
    symboliser *symboliser; /* NULL: frames have names */
    bool is_first;
    bool is_series;
    double time;                /* of the sample in a series */
    hpf_quantity_point *points; /* of live bytes */
    size_t n_points;
    size_t capacity;
} importer;

#define NONE UINT32_MAX

/* --- to the writers --- */

/* Returns the number at the start of the name of a stack, "(12)". */
static hpf_str key_of(hpf_str stack)
{
    const char *end = memchr(stack.data, ')', stack.length);
    return (hpf_str){stack.data, end ? (size_t)(end + 1 - stack.data) : stack.length};
}

static hpf_status write_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    importer *t = context;
    t->emitted = text;
    return hpf_writer_events.name(t->profile, name, t->is_stack ? key_of(text) : text, err);
}

/* Frames follow their name. */
static hpf_status write_frames(void *context, hpf_name name, const hpf_frame *frames,
                               size_t n_frames, hpf_error *err)
{
    const importer *t = context;
    (void)name;
    return hpf_frame_table_add(t->frames, key_of(t->emitted), t->emitted, frames, n_frames, err);
}

static hpf_status write_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    const importer *t = context;
    return hpf_writer_events.sample(t->profile, sample, err);
}

/* --- from the readers --- */

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    const importer *t = context;
    return t->is_first ? hpf_writer_events.header(t->profile, which, text, err) : HPF_OK;
}

/* A name is emitted when its frames come, or when it is used. */
static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    importer *t = context;
    if (!HPF__ARRAY_RESERVE(t->number_of, t->number_capacity, (size_t)name + 1) ||
        !HPF__ARRAY_RESERVE(t->texts, t->texts_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    t->number_of[name] = NONE;
    t->texts[name] = text;
    return HPF_OK;
}

static hpf_status on_frames(void *context, hpf_name name, const hpf_frame *frames, size_t n_frames,
                            hpf_error *err)
{
    importer *t = context;
    hpf_status status =
        t->symboliser ? symboliser_name(t->symboliser, &frames, &n_frames, err) : HPF_OK;
    t->is_stack = true;
    status = status == HPF_OK
                 ? hpf__call_stacks_name(&t->stacks, frames, n_frames, &t->number_of[name], err)
                 : status;
    t->is_stack = false;
    return status;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    importer *t = context;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < sample->n_costs && status == HPF_OK; i++) {
        hpf_cost cost = sample->costs[i];
        hpf_name *number = &t->number_of[cost.name];
        if (*number == NONE) {
            status = hpf__emitter_name(&t->emit, t->texts[cost.name], number, err);
        }
        cost.name = *number;
        status = status == HPF_OK ? hpf__emitter_cost(&t->emit, &cost, err) : status;
    }
    double time = t->is_series ? t->time : sample->time;
    return status == HPF_OK ? hpf__emitter_sample(&t->emit, time, (hpf__location){0}, err) : status;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    const importer *t = context;
    hpf_status status = hpf_sidecar_writer_events.mark(t->rest, time, label, err);
    return status == HPF_OK ? hpf_writer_events.mark(t->profile, time, label, err) : status;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    const importer *t = context;
    return hpf_sidecar_writer_events.quantity(t->rest, name, point, err);
}

static hpf_status begin(importer *t, hpf_sink *profile, hpf_sink *rest, hpf_error *err)
{
    static const hpf_events writing = {
        .name = write_name, .frames = write_frames, .sample = write_sample};
    *t = (importer){.rest = hpf_sidecar_writer_create(rest), .is_first = true};
    t->emit = (hpf__emitter){.events = &writing, .context = t};
    t->stacks.emit = &t->emit;
    return t->rest ? hpf_writer_create(&t->profile, &hpf_format_hp, profile, NULL, err)
                   : hpf_error_set_memory(err);
}

static hpf_status finish(importer *t, hpf_status status, hpf_error *err)
{
    status = status == HPF_OK ? hpf_writer_finish(t->profile, err) : status;
    hpf_writer_destroy(t->profile);
    hpf_sidecar_writer_destroy(t->rest);
    symboliser_destroy(t->symboliser);
    hpf__call_stacks_finish(&t->stacks);
    hpf__emitter_finish(&t->emit);
    free(t->number_of);
    free(t->texts);
    free(t->points);
    return status;
}

/* --- series --- */

/* A source of a series. */
typedef struct taken {
    size_t index;
    double at_s; /* NAN: unknown */
} taken;

static int compare_taken(const void *left, const void *right)
{
    const taken *a = left, *b = right;
    int order = (a->at_s > b->at_s) - (a->at_s < b->at_s);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Reads when the sources were taken, and sorts them by that; times become seconds after the first.
 * Returns HPF_MORE if that is not known of all: times are places in the list then. */
static hpf_status order(taken *all, const hpf_format *format, hpf_source *const *sources, size_t n,
                        const hpf_reader_options *given, size_t *failed, hpf_error *err)
{
    static const hpf_events nothing;
    hpf_reader_options options = *given;
    hpf_status status = HPF_OK;
    bool is_known = true;
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        all[i] = (taken){i, NAN};
        *failed = i;
        options.taken_at_s = &all[i].at_s;
        status = hpf_format_read(format, sources[i], &nothing, NULL, &options, err);
        status = status == HPF_OK ? hpf_source_rewind(sources[i], err) : status;
        is_known = is_known && !isnan(all[i].at_s);
    }
    if (status != HPF_OK) {
        return status;
    }
    if (is_known) {
        qsort(all, n, sizeof *all, compare_taken);
    }
    double first_s = all[0].at_s;
    for (size_t i = 0; i < n; i++) {
        all[i].at_s = is_known ? all[i].at_s - first_s : (double)i;
    }
    return is_known ? HPF_OK : HPF_MORE;
}

hpf_status import_profile(const hpf_format *format, hpf_source *const *sources, size_t n_sources,
                          const hpf_reader_options *options, const import_output *to,
                          size_t *failed, hpf_error *err)
{
    static const hpf_events events = {.header = on_header,
                                      .name = on_name,
                                      .frames = on_frames,
                                      .sample = on_sample,
                                      .mark = on_mark,
                                      .quantity = on_quantity};
    importer t;
    hpf_status status = begin(&t, to->profile, to->rest, err);
    taken *all = calloc(n_sources, sizeof *all);
    t.frames = to->frames;
    t.is_series = n_sources > 1;
    t.symboliser = format->has_addresses ? symboliser_create() : NULL;
    if (status == HPF_OK && (!all || (format->has_addresses && !t.symboliser))) {
        status = hpf_error_set_memory(err);
    }
    if (status == HPF_OK && t.is_series) {
        status = order(all, format, sources, n_sources, options, failed, err);
    }
    bool has_no_times = status == HPF_MORE;
    status = has_no_times ? HPF_OK : status;
    for (size_t i = 0; i < n_sources && status == HPF_OK; i++) {
        *failed = all[i].index;
        t.time = all[i].at_s;
        hpf_source *source = sources[all[i].index];
        t.stacks.source = source;
        status = hpf_format_read(format, source, &events, &t, options, err);
        t.stacks.earlier_bytes += hpf_source_offset(source);
        t.is_first = false;
    }
    if (status == HPF_OK && has_no_times) {
        status = hpf_writer_events.header(t.profile, HPF_HEADER_SAMPLE_UNIT, HPF_STR("files"), err);
    }
    free(all);
    return finish(&t, status, err);
}

/* --- logs without a heap profile --- */

/* The points are in the order of the blocks of the log. */
static hpf_status on_quantity_of_log(void *context, hpf_str name, hpf_quantity_point point,
                                     hpf_error *err)
{
    importer *t = context;
    if (hpf_str_equal(name, live) && !HPF__ARRAY_PUSH(t->points, t->n_points, t->capacity, point)) {
        return hpf_error_set_memory(err);
    }
    return on_quantity(context, name, point, err);
}

static hpf_status write_points(importer *t, hpf_error *err)
{
    hpf_status status = hpf_writer_events.name(t->profile, 0, live, err);
    qsort(t->points, t->n_points, sizeof *t->points, hpf__compare_points);
    for (size_t i = 0; i < t->n_points && status == HPF_OK; i++) {
        double bytes = t->points[i].value;
        bool is_whole = bytes < 0x1p64;
        const hpf_cost cost = is_whole ? (hpf_cost){.whole = (uint64_t)bytes}
                                       : (hpf_cost){.is_real = 1, .real = bytes};
        const hpf_sample sample = {.time = t->points[i].time, .costs = &cost, .n_costs = 1};
        status = hpf_writer_events.sample(t->profile, &sample, err);
    }
    return status;
}

hpf_status import_live(hpf_source *source, bool uses_mutator_clock, hpf_sink *profile,
                       hpf_sink *rest, hpf_error *err)
{
    static const hpf_events events = {
        .header = on_header, .mark = on_mark, .quantity = on_quantity_of_log};
    importer t;
    hpf_eventlog_activity *clock = NULL;
    hpf_status status = begin(&t, profile, rest, err);
    if (status == HPF_OK && uses_mutator_clock) {
        status = hpf_eventlog_read_mutator_clock(&clock, source, err);
    }
    if (status == HPF_OK) {
        const hpf_reader_options options = {.clock = clock};
        status = hpf_format_read(&hpf_format_eventlog, source, &events, &t, &options, err);
    }
    hpf_eventlog_activity_destroy(clock);
    /* The log has no sample, which is not an error here. */
    status = status == HPF_OK || status == HPF_ERR_SYNTAX ? HPF_OK : status;
    if (status == HPF_OK) {
        status = t.n_points > 0 ? write_points(&t, err) : HPF_END;
    }
    return finish(&t, status, err);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whole profiles as JSON (docs/formats/json-profile.md): headers, marks, quantities, and an object
 * for each sample with its amounts by name. Repeated names of a sample are added up. The head
 * through the JSON writer, then each sample on a line of its own, put together from keys that are
 * quoted once.
 */
#include <stdlib.h>

#include "hpfile/sink.h"
#include "base/array.h"
#include "base/arena.h"
#include "base/json.h"
#include "event/costs.h"
#include "base/number.h"
#include "event/format_row.h"

/* A point of a line, whose name is borrowed. */
typedef struct named_point {
    hpf_str name;
    hpf_quantity_point at;
} named_point;

typedef struct json_profile_writer {
    hpf_writer base;
    hpf_str headers[HPF_N_HEADERS];
    hpf_mark *marks;
    size_t n_marks;
    size_t marks_capacity;
    named_point *points;
    size_t n_points;
    size_t points_capacity;
    hpf_str *keys; /* by name: as JSON, followed by a colon */
    size_t keys_capacity;
    hpf__sample_by_name sample;
    bool is_begun; /* the head is written */
    bool has_samples;
} json_profile_writer;

static hpf_status refuse_late(hpf_error *err, const char *what)
{
    return hpf_error_set(err, HPF_ERR_ORDER, "a %s cannot follow the first sample", what);
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    json_profile_writer *w = context;
    if (w->is_begun) {
        return refuse_late(err, "header");
    }
    w->headers[which] = hpf_arena_str(w->base.arena, text);
    return w->headers[which].data ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    json_profile_writer *w = context;
    if (w->is_begun) {
        return refuse_late(err, "mark");
    }
    hpf_mark mark = {time, hpf_arena_str(w->base.arena, label)};
    return mark.label.data && HPF__ARRAY_PUSH(w->marks, w->n_marks, w->marks_capacity, mark)
               ? HPF_OK
               : hpf_error_set_memory(err);
}

static hpf_status on_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    json_profile_writer *w = context;
    if (w->is_begun) {
        return refuse_late(err, "quantity");
    }
    named_point named = {name, point};
    return HPF__ARRAY_PUSH(w->points, w->n_points, w->points_capacity, named)
               ? HPF_OK
               : hpf_error_set_memory(err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    json_profile_writer *w = context;
    if (!HPF__ARRAY_RESERVE(w->keys, w->keys_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    w->keys[name] = hpf_json_kept(w->base.arena, text, true);
    return w->keys[name].data ? HPF_OK : hpf_error_set_memory(err);
}

static void write_marks(json_profile_writer *w, hpf_json *json)
{
    hpf_json_array(json, "marks");
    for (size_t i = 0; i < w->n_marks; i++) {
        hpf_json_object(json, NULL);
        hpf_json_number(json, "time", w->marks[i].time);
        hpf_json_bytes(json, "label", w->marks[i].label);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void write_number(hpf_sink *sink, double number)
{
    char text[HPF__NUMBER_BYTES];
    hpf_sink_write(sink, text, hpf__number_shortest(text, number));
}

/* Each point on a line of its own, as samples are. Without any, there is no such member. */
static void write_lines(json_profile_writer *w, hpf_json *json)
{
    if (w->n_points == 0) {
        return;
    }
    hpf_json_array(json, "lines");
    for (size_t i = 0; i < w->n_points; i++) {
        hpf_sink_text(w->base.sink, i > 0 ? ",\n    {\"time\": " : "\n    {\"time\": ");
        write_number(w->base.sink, w->points[i].at.time);
        hpf_sink_text(w->base.sink, ", \"name\": ");
        hpf_json_quoted(w->base.sink, w->points[i].name);
        hpf_sink_text(w->base.sink, ", \"value\": ");
        write_number(w->base.sink, w->points[i].at.value);
        hpf_sink_text(w->base.sink, "}");
    }
    hpf_sink_text(w->base.sink, "\n  ");
    hpf_json_close(json);
}

/* Up to the bracket that opens the samples. */
static void begin(json_profile_writer *w)
{
    static const char *const members[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = "job",
        [HPF_HEADER_DATE] = "date",
        [HPF_HEADER_SAMPLE_UNIT] = "sample_unit",
        [HPF_HEADER_VALUE_UNIT] = "value_unit",
    };
    if (w->is_begun) {
        return;
    }
    w->is_begun = true;
    hpf_json json = hpf_json_begin(w->base.sink);
    hpf_json_object(&json, NULL);
    hpf_json_text(&json, "format", "heapcensus profile");
    hpf_json_whole(&json, "version", 1);
    for (int i = 0; i < HPF_N_HEADERS; i++) {
        hpf_json_bytes(&json, members[i], w->headers[i]);
    }
    write_marks(w, &json);
    write_lines(w, &json);
    hpf_json_array(&json, "samples");
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    json_profile_writer *w = context;
    char number[HPF__NUMBER_BYTES];
    begin(w);
    if (!hpf__sample_by_name_take(&w->sample, sample)) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_text(w->base.sink, w->has_samples ? ",\n    {\"time\": " : "\n    {\"time\": ");
    hpf_sink_write(w->base.sink, number, hpf__number_shortest(number, sample->time));
    hpf_sink_text(w->base.sink, ", \"costs\": {");
    for (size_t i = 0; i < w->sample.n_costs; i++) {
        const hpf_cost *cost = &w->sample.costs[i];
        hpf_sink_write(w->base.sink, ", ", i > 0 ? 2 : 0);
        hpf_sink_str(w->base.sink, w->keys[cost->name]);
        hpf_sink_text(w->base.sink, ": ");
        hpf_sink_write(w->base.sink, number, hpf__number_cost(number, cost));
    }
    hpf_sink_text(w->base.sink, "}}");
    w->has_samples = true;
    return HPF_OK;
}

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    json_profile_writer *w = (json_profile_writer *)base;
    begin(w);
    hpf_sink_text(w->base.sink, w->has_samples ? "\n  ]\n}\n" : "]\n}\n");
    return hpf_sink_flush(w->base.sink, err);
}

static void release(hpf_writer *base)
{
    json_profile_writer *w = (json_profile_writer *)base;
    hpf__sample_by_name_finish(&w->sample);
    free(w->marks);
    free(w->points);
    free(w->keys);
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(json_profile_writer),
    .events = {.header = on_header,
               .name = on_name,
               .sample = on_sample,
               .mark = on_mark,
               .quantity = on_line},
    .finish = finish,
    .release = release,
};

const hpf_format hpf_format_json = {
    .name = "json",
    .extension = "json",
    .summary = "the whole profile: headers, marks and samples",
    .writer = &writer,
    .holds_quantities = true,
};

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Traces of Chrome and Perfetto (docs/formats/chrome.md): a counter with a series for each name, an
 * instant event for each mark. One line for each event.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/number.h"
#include "event/costs.h"
#include "event/format_row.h"
#include "base/json.h"
#include "hpfile/sink.h"

typedef struct chrome_writer {
    hpf_writer base;
    hpf_str headers[HPF_N_HEADERS];
    hpf_str *keys; /* by name, as JSON */
    size_t keys_capacity, n_names;
    hpf__sample_by_name samples[2]; /* the last one, and the one before it */
    bool is_begun, has_samples;
} chrome_writer;

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    chrome_writer *w = context;
    w->headers[which] = hpf_json_kept(w->base.arena, text, false);
    return w->headers[which].data ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    chrome_writer *w = context;
    if (!HPF__ARRAY_RESERVE_ZEROED(w->keys, w->keys_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    w->n_names = name < w->n_names ? w->n_names : (size_t)name + 1;
    w->keys[name] = hpf_json_kept(w->base.arena, text, false);
    return w->keys[name].data ? HPF_OK : hpf_error_set_memory(err);
}

static void begin(chrome_writer *w)
{
    if (w->is_begun) {
        return;
    }
    w->is_begun = true;
    hpf_str job = w->headers[HPF_HEADER_JOB];
    hpf_sink_text(w->base.sink, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
                                "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": "
                                "{\"name\": ");
    hpf_sink_str(w->base.sink, job.length ? job : HPF_STR("\"\""));
    hpf_sink_text(w->base.sink, "}}");
}

/* Begins the next event, up to its time in microseconds. */
static void begin_event(chrome_writer *w, const char *phase, hpf_str name, double time)
{
    char number[HPF__NUMBER_BYTES];
    begin(w);
    hpf_sink_printf(w->base.sink, ",\n{\"ph\": %s, \"pid\": 1, \"tid\": 1, \"name\": ", phase);
    hpf_sink_str(w->base.sink, name);
    hpf_sink_text(w->base.sink, ", \"ts\": ");
    hpf_sink_write(w->base.sink, number,
                   hpf__number_shortest(number, time * 1e6 / w->base.options.units_per_s));
}

static void put_series(chrome_writer *w, const hpf_cost *cost, bool *has_items)
{
    char number[HPF__NUMBER_BYTES];
    hpf_sink_text(w->base.sink, *has_items ? ", " : "");
    hpf_sink_str(w->base.sink, w->keys[cost->name]);
    hpf_sink_text(w->base.sink, ": ");
    hpf_sink_write(w->base.sink, number, hpf__number_cost(number, cost));
    *has_items = true;
}

/* chrome://tracing shows the series of the first event only, and a series that is not in an event
 * as 0; in Perfetto it keeps its value. So the first event has all names, and each of the others
 * all amounts, and 0 once for a name that has gone. */
static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    chrome_writer *w = context;
    bool has_items = false;
    hpf__sample_by_name before = w->samples[0];
    w->samples[0] = w->samples[1];
    w->samples[1] = before;
    if (!hpf__sample_by_name_take(&w->samples[0], sample)) {
        return hpf_error_set_memory(err);
    }
    begin_event(w, "\"C\"", HPF_STR("\"heap profile\""), sample->time);
    hpf_sink_text(w->base.sink, ", \"args\": {");
    for (size_t i = 0; i < w->samples[0].n_costs; i++) {
        put_series(w, &w->samples[0].costs[i], &has_items);
    }
    for (hpf_name name = 0; name < w->n_names && !w->has_samples; name++) {
        const hpf_cost zero = {.name = name};
        if (w->keys[name].data && !hpf__sample_by_name_find(&w->samples[0], name)) {
            put_series(w, &zero, &has_items);
        }
    }
    w->has_samples = true;
    for (size_t i = 0; i < w->samples[1].n_costs; i++) {
        const hpf_cost zero = {.name = w->samples[1].costs[i].name};
        if (hpf_cost_amount(&w->samples[1].costs[i]) > 0 &&
            !hpf__sample_by_name_find(&w->samples[0], zero.name)) {
            put_series(w, &zero, &has_items);
        }
    }
    hpf_sink_text(w->base.sink, "}}");
    return HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    chrome_writer *w = context;
    hpf_str name = hpf_json_kept(w->base.arena, label.length ? label : HPF_STR("mark"), false);
    if (!name.data) {
        return hpf_error_set_memory(err);
    }
    begin_event(w, "\"i\", \"s\": \"g\"", name, time);
    hpf_sink_text(w->base.sink, "}");
    return HPF_OK;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    chrome_writer *w = context;
    char number[HPF__NUMBER_BYTES];
    hpf_str key = hpf_json_kept(w->base.arena, name, false);
    if (!key.data) {
        return hpf_error_set_memory(err);
    }
    begin_event(w, "\"C\"", key, point.time);
    hpf_sink_text(w->base.sink, ", \"args\": {\"value\": ");
    hpf_sink_write(w->base.sink, number, hpf__number_shortest(number, point.value));
    hpf_sink_text(w->base.sink, "}}");
    return HPF_OK;
}

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    chrome_writer *w = (chrome_writer *)base;
    begin(w);
    hpf_sink_text(w->base.sink, "\n], \"otherData\": {");
    static const char *const keys[] = {"job", "date", "sample_unit", "value_unit"};
    for (int i = 0; i < HPF_N_HEADERS; i++) {
        hpf_sink_printf(w->base.sink, "%s\"%s\": ", i ? ", " : "", keys[i]);
        hpf_sink_str(w->base.sink, w->headers[i].length ? w->headers[i] : HPF_STR("\"\""));
    }
    hpf_sink_text(w->base.sink, "}}\n");
    return hpf_sink_flush(w->base.sink, err);
}

static void release(hpf_writer *base)
{
    chrome_writer *w = (chrome_writer *)base;
    hpf__sample_by_name_finish(&w->samples[0]);
    hpf__sample_by_name_finish(&w->samples[1]);
    free(w->keys);
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(chrome_writer),
    .events = {.header = on_header,
               .name = on_name,
               .sample = on_sample,
               .mark = on_mark,
               .quantity = on_quantity},
    .finish = finish,
    .release = release,
};

const hpf_format hpf_format_chrome = {
    .name = "chrome",
    .extension = "trace.json",
    .summary = "trace with counters and marks, for Chrome and Perfetto",
    .writer = &writer,
    .is_lossy = true,
    .holds_quantities = true,
    .holds_marks_in_place = true,
};

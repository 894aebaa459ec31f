/* SPDX-License-Identifier: BSD-2-Clause
 *
 * OpenMetrics (docs/formats/openmetrics.md). The points of a metric must not be mixed with points
 * of others, so all points are kept until the end.
 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/date.h"
#include "base/number.h"
#include "base/utf8.h"
#include "event/costs.h"
#include "event/format_row.h"
#include "hpfile/sink.h"

typedef struct point {
    double time_ms; /* since 1970 */
    hpf_cost cost;
} point;

/* A metric with one label. */
typedef struct metric {
    hpf_str label;
    point *points;
    size_t n, capacity;
} metric;

typedef struct metrics_writer {
    hpf_writer base;
    double begin_s; /* of the profile, since 1970 */
    bool is_bytes;
    metric *names, *quantities;
    size_t n_names, names_capacity, n_quantities, quantities_capacity;
    metric total;
    hpf__sample_by_name samples[2]; /* the one that waits, and the one before it */
    double held_ms;
    bool is_held;
} metrics_writer;

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    metrics_writer *w = context;
    uint64_t unix_s = 0;
    (void)err;
    if (which == HPF_HEADER_DATE) {
        w->begin_s = hpf__date_parse(text, &unix_s) ? (double)unix_s : 0;
    }
    w->is_bytes = which == HPF_HEADER_VALUE_UNIT ? hpf_str_is(text, "bytes") : w->is_bytes;
    return HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    metrics_writer *w = context;
    const metric new = {.label = hpf_arena_str(w->base.arena, text)};
    (void)name; /* names are numbered in this order */
    return new.label.data &&HPF__ARRAY_PUSH(w->names, w->n_names, w->names_capacity, new)
               ? HPF_OK
               : hpf_error_set_memory(err);
}

static bool add_point(metric *m, double time_ms, hpf_cost cost)
{
    const point new = {time_ms, cost};
    return HPF__ARRAY_PUSH(m->points, m->n, m->capacity, new);
}

/* Times are whole milliseconds, as in Prometheus. */
static double milliseconds(const metrics_writer *w, double time)
{
    return round((w->begin_s + time / w->base.options.units_per_s) * 1e3);
}

/* Adds the sample that waits. A name that it no longer has is 0, once. */
static bool add_held(metrics_writer *w)
{
    const hpf__sample_by_name *now = &w->samples[0], *before = &w->samples[1];
    hpf_cost total = {.whole = 0};
    bool fits = true;
    for (size_t i = 0; i < now->n_costs && fits; i++) {
        fits = add_point(&w->names[now->costs[i].name], w->held_ms, now->costs[i]);
        hpf__cost_add(&total, &now->costs[i]);
    }
    for (size_t i = 0; i < before->n_costs && fits; i++) {
        const hpf_cost zero = {.name = before->costs[i].name};
        fits = hpf__sample_by_name_find(now, zero.name) ||
               add_point(&w->names[zero.name], w->held_ms, zero);
    }
    return fits && add_point(&w->total, w->held_ms, total);
}

/* Of samples in the same millisecond, the last one counts. */
static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    metrics_writer *w = context;
    double time_ms = milliseconds(w, sample->time);
    if (w->is_held && time_ms > w->held_ms) {
        if (!add_held(w)) {
            return hpf_error_set_memory(err);
        }
        hpf__sample_by_name before = w->samples[1];
        w->samples[1] = w->samples[0];
        w->samples[0] = before;
    }
    w->is_held = true;
    w->held_ms = time_ms;
    return hpf__sample_by_name_take(&w->samples[0], sample) ? HPF_OK : hpf_error_set_memory(err);
}

/* Quantities are few. */
static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point at, hpf_error *err)
{
    metrics_writer *w = context;
    const hpf_cost cost = {.is_real = 1, .real = at.value};
    double time_ms = milliseconds(w, at.time);
    size_t i = 0;
    while (i < w->n_quantities && !hpf_str_equal(w->quantities[i].label, name)) {
        i++;
    }
    const metric new = {
        .label = {i < w->n_quantities ? "" : hpf_arena_text(w->base.arena, name), name.length}};
    if (!new.label.data ||
        (i == w->n_quantities &&
         !HPF__ARRAY_PUSH(w->quantities, w->n_quantities, w->quantities_capacity, new))) {
        return hpf_error_set_memory(err);
    }
    metric *m = &w->quantities[i];
    if (m->n > 0 && time_ms <= m->points[m->n - 1].time_ms) {
        m->points[m->n - 1].cost =
            time_ms < m->points[m->n - 1].time_ms ? m->points[m->n - 1].cost : cost;
        return HPF_OK;
    }
    return add_point(m, time_ms, cost) ? HPF_OK : hpf_error_set_memory(err);
}

/* ---- The text ---- */

/* Writes the value of a label; bytes that are not UTF-8 become U+FFFD. */
static void write_label(hpf_sink *sink, hpf_str text)
{
    while (text.length > 0) {
        size_t n = hpf_utf8_next(text, NULL);
        char c = *text.data;
        hpf_str escape = c == '\\'   ? HPF_STR("\\\\")
                         : c == '"'  ? HPF_STR("\\\"")
                         : c == '\n' ? HPF_STR("\\n")
                         : n == 0    ? HPF_STR("\xef\xbf\xbd")
                                     : (hpf_str){text.data, n};
        hpf_sink_str(sink, escape);
        text = hpf_str_from(text, n > 0 ? n : 1);
    }
}

static void write_points(const metrics_writer *w, const char *name, const char *label,
                         const metric *m)
{
    char number[HPF__NUMBER_BYTES];
    for (size_t i = 0; i < m->n; i++) {
        hpf_sink_text(w->base.sink, name);
        hpf_sink_text(w->base.sink, w->is_bytes ? "_bytes" : "");
        if (label) {
            hpf_sink_printf(w->base.sink, "{%s=\"", label);
            write_label(w->base.sink, m->label);
            hpf_sink_text(w->base.sink, "\"}");
        }
        hpf_sink_text(w->base.sink, " ");
        hpf_sink_write(w->base.sink, number, hpf__number_cost(number, &m->points[i].cost));
        hpf_sink_text(w->base.sink, " ");
        hpf_sink_write(w->base.sink, number,
                       hpf__number_fixed(number, m->points[i].time_ms / 1e3, 3));
        hpf_sink_text(w->base.sink, "\n");
    }
}

static void write_family(const metrics_writer *w, const char *name, const char *label,
                         const char *help, const metric *metrics, size_t n)
{
    const char *unit = w->is_bytes ? "_bytes" : "";
    hpf_sink_printf(w->base.sink, "# TYPE %s%s gauge\n", name, unit);
    if (w->is_bytes) {
        hpf_sink_printf(w->base.sink, "# UNIT %s_bytes bytes\n", name);
    }
    hpf_sink_printf(w->base.sink, "# HELP %s%s %s\n", name, unit, help);
    for (size_t i = 0; i < n; i++) {
        write_points(w, name, label, &metrics[i]);
    }
}

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    metrics_writer *w = (metrics_writer *)base;
    if (w->is_held && !add_held(w)) {
        return hpf_error_set_memory(err);
    }
    w->is_held = false;
    write_family(w, "census_heap_live", "band", "Live heap by band.", w->names, w->n_names);
    write_family(w, "census_heap_total", NULL, "Live heap.", &w->total, 1);
    if (w->n_quantities > 0) {
        write_family(w, "census_quantity", "name", "Quantities measured with the heap.",
                     w->quantities, w->n_quantities);
    }
    hpf_sink_text(w->base.sink, "# EOF\n");
    return hpf_sink_flush(w->base.sink, err);
}

static void release(hpf_writer *base)
{
    metrics_writer *w = (metrics_writer *)base;
    for (size_t i = 0; i < w->n_names; i++) {
        free(w->names[i].points);
    }
    for (size_t i = 0; i < w->n_quantities; i++) {
        free(w->quantities[i].points);
    }
    free(w->total.points);
    free(w->names);
    free(w->quantities);
    hpf__sample_by_name_finish(&w->samples[0]);
    hpf__sample_by_name_finish(&w->samples[1]);
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(metrics_writer),
    .events = {.header = on_header, .name = on_name, .sample = on_sample, .quantity = on_quantity},
    .finish = finish,
    .release = release,
};

const hpf_format hpf_format_openmetrics = {
    .name = "openmetrics",
    .extension = "om",
    .summary = "metrics with times, for promtool tsdb create-blocks-from openmetrics",
    .writer = &writer,
    .is_lossy = true,
    .holds_quantities = true,
};

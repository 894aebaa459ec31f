/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Events to tables. A tidy row is written when the next sample is known, which decides the names
 * that need a zero before they begin.
 */
#include "hpfile/sink.h"
#include "exchange/csv.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/arena.h"
#include "event/sample_by_name.h"
#include "base/number.h"
#include "event/costs.h"
#include "event/format_row.h"

typedef struct csv_writer {
    hpf_writer base;
    bool is_tidy;
    hpf_str *names;
    size_t names_capacity;
    uint32_t n_names;
    bool is_begun;                            /* the first line is written */
    bool is_held;                             /* tidy: `held` waits for its successor */
    hpf__buffer row;                          /* wide: the cells of one sample */
    hpf__sample_by_name *before, *held, *now; /* in `samples`, taking turns */
    hpf__sample_by_name samples[3];
} csv_writer;

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    csv_writer *w = context;
    if (w->is_begun && !w->is_tidy) {
        return hpf_error_set(err, HPF_ERR_ORDER,
                             "a name cannot be added after the first row of a wide table");
    }
    hpf_str copy = hpf_arena_str(w->base.arena, text);
    if (!copy.data || !HPF__ARRAY_RESERVE(w->names, w->names_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    w->names[name] = copy;
    w->n_names = name + 1;
    return HPF_OK;
}

static void begin(csv_writer *w)
{
    if (w->is_begun) {
        return;
    }
    w->is_begun = true;
    hpf_sink_text(w->base.sink, w->is_tidy ? "time,name,value" : "time");
    for (hpf_name i = 0; !w->is_tidy && i < w->n_names; i++) {
        hpf_sink_text(w->base.sink, ",");
        hpf_sink_cell(w->base.sink, w->names[i], w->base.options.raw_names);
    }
    hpf_sink_text(w->base.sink, "\n");
}

/* The row is put together aside: most cells of many names are zero, two bytes each. */
static bool write_wide(csv_writer *w, const hpf__sample_by_name *sample)
{
    w->row.length = 0;
    if (!hpf__buffer_reserve(&w->row, HPF__NUMBER_BYTES)) {
        return false;
    }
    w->row.length = hpf__number_shortest(w->row.bytes, sample->time);
    for (hpf_name i = 0; i < w->n_names; i++) {
        const hpf_cost *cost = hpf__sample_by_name_find(sample, i);
        if (!hpf__buffer_reserve(&w->row, 1 + HPF__NUMBER_BYTES)) {
            return false;
        }
        char *to = w->row.bytes + w->row.length;
        *to = ',';
        to[1] = '0';
        w->row.length += 1 + (cost ? hpf__number_cost(to + 1, cost) : 1);
    }
    hpf_sink_write(w->base.sink, w->row.bytes, w->row.length);
    hpf_sink_write(w->base.sink, "\n", 1);
    return true;
}

static void write_tidy_row(csv_writer *w, hpf_str time, const hpf_cost *cost)
{
    char amount[HPF__NUMBER_BYTES];
    hpf_sink_str(w->base.sink, time);
    hpf_sink_write(w->base.sink, ",", 1);
    hpf_sink_cell(w->base.sink, w->names[cost->name], w->base.options.raw_names);
    hpf_sink_write(w->base.sink, ",", 1);
    hpf_sink_write(w->base.sink, amount, hpf__number_cost(amount, cost));
    hpf_sink_write(w->base.sink, "\n", 1);
}

/* Zeros for the names of `neighbour` that `sample` lacks, and `done`, unless NULL, too. */
static void write_tidy_zeros(csv_writer *w, hpf_str time, const hpf__sample_by_name *sample,
                             const hpf__sample_by_name *neighbour, const hpf__sample_by_name *done)
{
    for (size_t i = 0; i < neighbour->n_costs; i++) {
        const hpf_cost zero = {.name = neighbour->costs[i].name};
        if (!hpf__sample_by_name_find(sample, zero.name) &&
            !(done && hpf__sample_by_name_find(done, zero.name))) {
            write_tidy_row(w, time, &zero);
        }
    }
}

/* Writes the sample that waited; `now` is the one after it. */
static void write_tidy(csv_writer *w)
{
    char text[HPF__NUMBER_BYTES];
    hpf_str time = {text, hpf__number_shortest(text, w->held->time)};
    for (size_t i = 0; i < w->held->n_costs; i++) {
        write_tidy_row(w, time, &w->held->costs[i]);
    }
    write_tidy_zeros(w, time, w->held, w->before, NULL);
    write_tidy_zeros(w, time, w->held, w->now, w->before);
    if (w->before->n_costs + w->held->n_costs + w->now->n_costs == 0) {
        hpf_sink_str(w->base.sink, time);
        hpf_sink_text(w->base.sink, ",,\n");
    }
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    csv_writer *w = context;
    begin(w);
    if (!hpf__sample_by_name_take(w->now, sample)) {
        return hpf_error_set_memory(err);
    }
    if (!w->is_tidy) {
        return write_wide(w, w->now) ? HPF_OK : hpf_error_set_memory(err);
    }
    if (w->is_held) {
        write_tidy(w);
    }
    w->is_held = true;
    hpf__sample_by_name *oldest = w->before;
    w->before = w->held;
    w->held = w->now;
    w->now = oldest;
    return HPF_OK;
}

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    csv_writer *w = (csv_writer *)base;
    const hpf_sample none = {0};
    begin(w);
    if (w->is_held && hpf__sample_by_name_take(w->now, &none)) {
        write_tidy(w);
        w->is_held = false;
    }
    return hpf_sink_flush(w->base.sink, err);
}

static void release(hpf_writer *base)
{
    csv_writer *w = (csv_writer *)base;
    free(w->names);
    hpf__buffer_finish(&w->row);
    for (int i = 0; i < 3; i++) {
        hpf__sample_by_name_finish(&w->samples[i]);
    }
}

static bool init(hpf_writer *base)
{
    csv_writer *w = (csv_writer *)base;
    w->is_tidy = base->format == &hpf_format_tidy;
    w->before = &w->samples[0];
    w->held = &w->samples[1];
    w->now = &w->samples[2];
    return true;
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(csv_writer),
    .events = {.name = on_name, .sample = on_sample},
    .init = init,
    .finish = finish,
    .release = release,
};

const hpf_format hpf_format_csv = {
    .name = "csv",
    .extension = "csv",
    .summary = "table: one row for each sample, one column for each name",
    .read = hpf__csv_read,
    .is_format = hpf__csv_is_format,
    .writer = &writer,
    .is_for_spreadsheets = true,
};

const hpf_format hpf_format_tidy = {
    .name = "tidy",
    .extension = "tidy",
    .summary = "table as CSV: one row for each amount, with time, name and value",
    .writer = &writer,
    .is_for_spreadsheets = true,
};

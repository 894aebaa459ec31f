/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Readings as text.
 */
#include "hpfile/sink.h"
#include "detect/reader.h"
#include "readings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "retold.h"
#include "rng.h"

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    (void)err;
    static const char *const names[] = {"JOB", "DATE", "SAMPLE_UNIT", "VALUE_UNIT"};
    hpf_sink_printf(context, "%s ", names[which]);
    hpf_sink_str(context, text);
    hpf_sink_text(context, "\n");
    return HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    (void)err;
    hpf_sink_printf(context, "name %u ", name);
    hpf_sink_str(context, text);
    hpf_sink_text(context, "\n");
    return HPF_OK;
}

static void put_costs(hpf_sink *to, const hpf_cost *costs, size_t n_costs)
{
    for (size_t i = 0; i < n_costs; i++) {
        hpf_sink_printf(to, " %u=", costs[i].name);
        if (costs[i].is_real) {
            hpf_sink_shortest(to, costs[i].real);
            hpf_sink_text(to, "r");
        } else {
            hpf_sink_whole(to, costs[i].whole);
        }
    }
    hpf_sink_text(to, "\n");
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    (void)err;
    hpf_sink_text(context, "sample ");
    hpf_sink_shortest(context, sample->time);
    hpf_sink_printf(context, " [%llu,%llu)", (unsigned long long)sample->begin_offset,
                    (unsigned long long)sample->end_offset);
    put_costs(context, sample->costs, sample->n_costs);
    return HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    (void)err;
    hpf_sink_text(context, "mark ");
    hpf_sink_shortest(context, time);
    hpf_sink_text(context, " ");
    hpf_sink_str(context, label);
    hpf_sink_text(context, "\n");
    return HPF_OK;
}

static hpf_status on_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    (void)err;
    hpf_sink_text(context, "line ");
    hpf_sink_str(context, name);
    hpf_sink_text(context, " ");
    hpf_sink_shortest(context, point.time);
    hpf_sink_text(context, " ");
    hpf_sink_shortest(context, point.value);
    hpf_sink_text(context, "\n");
    return HPF_OK;
}

static hpf_status on_leftover(void *context, const hpf_cost *costs, size_t n_costs, hpf_error *err)
{
    (void)err;
    hpf_sink_text(context, "leftover");
    put_costs(context, costs, n_costs);
    return HPF_OK;
}

const hpf_events event_text_events = {.header = on_header,
                                      .name = on_name,
                                      .sample = on_sample,
                                      .mark = on_mark,
                                      .quantity = on_line,
                                      .leftover = on_leftover};

static void put_error(hpf_sink *to, const char *kind, const hpf_error *error)
{
    hpf_sink_printf(to, "%s: %s at %llu %u:%u %s\n", kind, hpf_status_name(error->status),
                    (unsigned long long)error->offset, error->line, error->column, error->message);
}

static void on_warning(void *context, const hpf_error *warning)
{
    reading *r = context;
    r->n_warnings++;
    r->warning = *warning;
    put_error(r->text, "warning", warning);
}

static hpf_status feed_copy(hpf_reader *reader, const char *bytes, size_t n, hpf_error *err)
{
    char *copy = malloc(n ? n : 1);
    if (!copy) {
        abort();
    }
    memcpy(copy, bytes, n);
    hpf_status status = hpf_reader_feed(reader, copy, n, err);
    free(copy);
    return status;
}

static size_t piece_length(size_t left, size_t most_bytes, rng *chance)
{
    size_t n = chance->state ? (size_t)rng_below(chance, (uint64_t)most_bytes + 1) : most_bytes;
    return n < left ? n : left;
}

reading read_text(hpf_str text, size_t most_bytes, uint64_t seed)
{
    reading r = {.text = hpf_sink_to_memory()};
    hpf_reader_options options = {
        .size = sizeof options, .warning = on_warning, .warning_context = &r};
    hpf_reader *reader = hpf_reader_create(&event_text_events, r.text, &options);
    rng chance = {seed};
    for (size_t at = 0; at < text.length && r.status == HPF_OK;) {
        size_t n = piece_length(text.length - at, most_bytes, &chance);
        r.status = feed_copy(reader, text.data + at, n, &r.error);
        at += n;
    }
    if (r.status == HPF_OK) {
        r.status = hpf_reader_finish(reader, &r.error);
    }
    if (r.status != HPF_OK) {
        put_error(r.text, "error", &r.error);
    }
    hpf_reader_destroy(reader);
    return r;
}

reading read_from_source(hpf_source *source)
{
    reading r = {.text = hpf_sink_to_memory()};
    hpf_reader_options options = {
        .size = sizeof options, .warning = on_warning, .warning_context = &r};
    r.status = hpf_read_source(source, &event_text_events, r.text, &options, &r.error);
    if (r.status != HPF_OK) {
        put_error(r.text, "error", &r.error);
    }
    return r;
}

void reading_finish(reading *r)
{
    hpf_sink_destroy(r->text);
    r->text = NULL;
}

bool readings_equal(const reading *a, const reading *b)
{
    hpf_str x = hpf_sink_bytes(a->text);
    hpf_str y = hpf_sink_bytes(b->text);
    return x.length == y.length && memcmp(x.data, y.data, x.length) == 0;
}

hpf_model *model_of_text(hpf_str text, hpf_error *err)
{
    hpf_model *model = hpf_model_create();
    hpf_source *source = NULL;
    hpf_status status = hpf_source_from_memory(&source, text, NULL, err);
    if (status == HPF_OK) {
        status = hpf_read_source(source, &hpf_model_events, model, NULL, err);
    }
    hpf_source_destroy(source);
    if (status != HPF_OK) {
        hpf_model_destroy(model);
        return NULL;
    }
    return model;
}

hpf_sink *write_model(const hpf_model *model)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_hp, sink, NULL);
    hpf_status status = hpf_model_replay(model, &hpf_writer_events, writer, NULL);
    if (status == HPF_OK) {
        status = hpf_writer_finish(writer, NULL);
    }
    hpf_writer_destroy(writer);
    if (status != HPF_OK) {
        hpf_sink_destroy(sink);
        return NULL;
    }
    return sink;
}

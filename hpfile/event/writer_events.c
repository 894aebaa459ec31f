/* SPDX-License-Identifier: BSD-2-Clause
 *
 * All writers: checks events, and passes them to the writer of the format.
 */
#include "hpfile/writer.h"

#include <math.h>
#include <stdlib.h>

#include "base/options.h"
#include "base/lex.h"
#include "event/format_row.h"
#include "event/writer.h"

hpf_status hpf_writer_create(hpf_writer **out, const hpf_format *format, hpf_sink *sink,
                             const hpf_writer_options *options, hpf_error *err)
{
    *out = NULL;
    const hpf__writer_kind *kind = format->writer;
    if (!kind) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "%s can only be read", format->name);
    }
    hpf_writer_options own;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    if (status != HPF_OK) {
        return status;
    }
    hpf_writer *w = calloc(1, kind->bytes);
    hpf_arena *arena = w ? hpf_arena_create() : NULL;
    if (!arena) {
        free(w);
        return hpf_error_set_memory(err);
    }
    *w = (hpf_writer){format, sink, arena, own, 0};
    w->options.units_per_s = w->options.units_per_s > 0 ? w->options.units_per_s : 1;
    if (kind->init && !kind->init(w)) {
        hpf_writer_destroy(w);
        return hpf_error_set_memory(err);
    }
    *out = w;
    return HPF_OK;
}

hpf_status hpf_writer_finish(hpf_writer *w, hpf_error *err)
{
    return w->format->writer->finish(w, err);
}

void hpf_writer_destroy(hpf_writer *w)
{
    if (w) {
        if (w->format->writer->release) {
            w->format->writer->release(w);
        }
        hpf_arena_destroy(w->arena);
        free(w);
    }
}

hpf_status hpf__check_number(double number, const char *what, hpf_error *err)
{
    if (!(number >= 0 && number < HPF__NUMBER_LIMIT)) { /* or NaN */
        return hpf_error_set(err, HPF_ERR_RANGE, "%s is %g, expected a number from 0 to %g", what,
                             number, HPF__NUMBER_LIMIT);
    }
    return HPF_OK;
}

hpf_status hpf__check_sample(const hpf_sample *sample, double *time, hpf_error *err)
{
    hpf_status status = hpf__check_number(sample->time, "the time of a sample", err);
    for (size_t i = 0; i < sample->n_costs && status == HPF_OK; i++) {
        status = hpf__check_number(hpf_cost_amount(&sample->costs[i]), "a cost", err);
    }
    if (status == HPF_OK && sample->time < *time) {
        return hpf_error_set(err, HPF_ERR_ORDER,
                             "sample time %.9g goes back, expected at least %.9g", sample->time,
                             *time);
    }
    *time = sample->time;
    return status;
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf_writer *w = context;
    return w->format->writer->events.header ? w->format->writer->events.header(w, which, text, err)
                                            : HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf_writer *w = context;
    return w->format->writer->events.name ? w->format->writer->events.name(w, name, text, err)
                                          : HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_writer *w = context;
    hpf_status status = hpf__check_sample(sample, &w->time, err);
    return status == HPF_OK ? w->format->writer->events.sample(w, sample, err) : status;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_writer *w = context;
    hpf_status status = hpf__check_number(time, "the time of a mark", err);
    return status == HPF_OK && w->format->writer->events.mark
               ? w->format->writer->events.mark(w, time, label, err)
               : status;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    hpf_writer *w = context;
    hpf_status status = hpf__check_number(point.time, "the time of a quantity", err);
    status = status == HPF_OK ? hpf__check_number(point.value, "a quantity", err) : status;
    return status == HPF_OK && w->format->writer->events.quantity
               ? w->format->writer->events.quantity(w, name, point, err)
               : status;
}

const hpf_events hpf_writer_events = {.header = on_header,
                                      .name = on_name,
                                      .sample = on_sample,
                                      .mark = on_mark,
                                      .quantity = on_quantity};

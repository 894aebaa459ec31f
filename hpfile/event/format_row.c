/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The gate of all writers: checks events, and passes them to the writer of the format.
 */
#include "hpfile/writer.h"

#include <math.h>

#include "base/lex.h"
#include "event/format_row.h"

hpf_status hpf_writer_create(hpf_writer **out, const hpf_format *format, hpf_sink *sink,
                             const hpf_writer_options *options, hpf_error *err)
{
    static const hpf_writer_options none;
    *out = NULL;
    if (!format->create_writer) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "%s can only be read", format->name);
    }
    *out = format->create_writer(sink, options ? options : &none);
    return *out ? HPF_OK : hpf_error_set_memory(err);
}

hpf_status hpf_writer_finish(hpf_writer *w, hpf_error *err)
{
    return w->finish(w, err);
}

void hpf_writer_destroy(hpf_writer *w)
{
    if (w) {
        w->destroy(w);
    }
}

/* The opposite of the comparison also holds for NaN. */
static hpf_status check_number(double number, const char *what, hpf_error *err)
{
    if (!(number >= 0 && number < HPF__NUMBER_LIMIT)) {
        return hpf_error_set(err, HPF_ERR_RANGE, "%s is %g, expected a number from 0 to %g", what,
                             number, HPF__NUMBER_LIMIT);
    }
    return HPF_OK;
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf_writer *w = context;
    return w->events->header ? w->events->header(w, which, text, err) : HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf_writer *w = context;
    return w->events->name ? w->events->name(w, name, text, err) : HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_writer *w = context;
    hpf_status status = check_number(sample->time, "the time of a sample", err);
    for (size_t i = 0; i < sample->n_costs && status == HPF_OK; i++) {
        status = check_number(hpf_cost_amount(&sample->costs[i]), "a cost", err);
    }
    if (status != HPF_OK) {
        return status;
    }
    if (sample->time < w->time) {
        return hpf_error_set(err, HPF_ERR_ORDER,
                             "sample time %.9g goes back, expected at least %.9g", sample->time,
                             w->time);
    }
    w->time = sample->time;
    return w->events->sample(w, sample, err);
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_writer *w = context;
    hpf_status status = check_number(time, "the time of a mark", err);
    return status == HPF_OK && w->events->mark ? w->events->mark(w, time, label, err) : status;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    hpf_writer *w = context;
    hpf_status status = check_number(point.time, "the time of a quantity", err);
    status = status == HPF_OK ? check_number(point.value, "a quantity", err) : status;
    return status == HPF_OK && w->events->quantity ? w->events->quantity(w, name, point, err)
                                                   : status;
}

const hpf_events hpf_writer_events = {.header = on_header,
                                      .name = on_name,
                                      .sample = on_sample,
                                      .mark = on_mark,
                                      .quantity = on_quantity};

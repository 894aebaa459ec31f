/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sends events to two writers.
 */
#include "import.h"

#include <stdlib.h>

#include "base/array.h"
#include "event/format_row.h"
#include "event/sidecar.h"
#include "hpfile/str.h"
#include "hpfile/writer.h"
#include "summary/quantity.h"

static const hpf_str live = {"live", 4};

typedef struct importer {
    hpf_writer *profile;
    hpf_sidecar_writer *rest;
    hpf_quantity_point *points; /* of live bytes */
    size_t n_points;
    size_t capacity;
} importer;

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    const importer *t = context;
    return hpf_writer_events.header(t->profile, which, text, err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    const importer *t = context;
    return hpf_writer_events.name(t->profile, name, text, err);
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    const importer *t = context;
    return hpf_writer_events.sample(t->profile, sample, err);
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
    *t = (importer){.rest = hpf_sidecar_writer_create(rest)};
    return t->rest ? hpf_writer_create(&t->profile, &hpf_format_hp, profile, NULL, err)
                   : hpf_error_set_memory(err);
}

static hpf_status finish(importer *t, hpf_status status, hpf_error *err)
{
    status = status == HPF_OK ? hpf_writer_finish(t->profile, err) : status;
    hpf_writer_destroy(t->profile);
    hpf_sidecar_writer_destroy(t->rest);
    free(t->points);
    return status;
}

hpf_status import_profile(const hpf_format *format, hpf_source *source, size_t max_name_bytes,
                          hpf_sink *profile, hpf_sink *rest, hpf_error *err)
{
    static const hpf_events events = {.header = on_header,
                                      .name = on_name,
                                      .sample = on_sample,
                                      .mark = on_mark,
                                      .quantity = on_quantity};
    importer t;
    hpf_status status = begin(&t, profile, rest, err);
    const hpf_reader_options options = {.max_name_bytes = max_name_bytes};
    status =
        status == HPF_OK ? hpf_format_read(format, source, &events, &t, &options, err) : status;
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

hpf_status import_live(hpf_source *source, hpf_sink *profile, hpf_sink *rest, hpf_error *err)
{
    static const hpf_events events = {
        .header = on_header, .mark = on_mark, .quantity = on_quantity_of_log};
    importer t;
    hpf_status status = begin(&t, profile, rest, err);
    if (status == HPF_OK) {
        status = hpf_format_read(&hpf_format_eventlog, source, &events, &t, NULL, err);
    }
    /* The log has no sample, which is not an error here. */
    status = status == HPF_OK || status == HPF_ERR_SYNTAX ? HPF_OK : status;
    if (status == HPF_OK) {
        status = t.n_points > 0 ? write_points(&t, err) : HPF_END;
    }
    return finish(&t, status, err);
}

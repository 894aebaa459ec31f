/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Event logs without samples as a format: the live bytes that the garbage collector measured are
 * samples of one name.
 */
#include <stdlib.h>

#include "base/array.h"
#include "event/format_row.h"
#include "hpfile/format.h"
#include "summary/quantity.h"
#include "summary/survey_read.h"

typedef struct live_bytes {
    const hpf_events *to;
    void *context;
    hpf_quantity_point *points;
    size_t n, capacity;
} live_bytes;

static const hpf_str live = {"live", 4};

static hpf_status pass_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    const live_bytes *l = context;
    return l->to->header ? l->to->header(l->context, which, text, err) : HPF_OK;
}

static hpf_status pass_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    const live_bytes *l = context;
    return l->to->mark ? l->to->mark(l->context, time, label, err) : HPF_OK;
}

/* The points are in the order of the blocks of the log. */
static hpf_status pass_quantity(void *context, hpf_str name, hpf_quantity_point point,
                                hpf_error *err)
{
    live_bytes *l = context;
    if (hpf_str_equal(name, live) && !HPF__ARRAY_PUSH(l->points, l->n, l->capacity, point)) {
        return hpf_error_set_memory(err);
    }
    return l->to->quantity ? l->to->quantity(l->context, name, point, err) : HPF_OK;
}

static hpf_status read_live_bytes(hpf_source *source, const hpf_events *events, void *context,
                                  const hpf_reader_options *options, hpf_error *err)
{
    static const hpf_events passing = {
        .header = pass_header, .mark = pass_mark, .quantity = pass_quantity};
    live_bytes l = {.to = events, .context = context};
    hpf_reader_options of_log = {
        .size = sizeof of_log, .max_name_bytes = options->max_name_bytes, .clock = options->clock};
    hpf_status status = hpf_format_read(&hpf_format_eventlog, source, &passing, &l, &of_log, err);
    /* The log has no sample, which is not an error here. */
    status = status == HPF_ERR_SYNTAX ? HPF_OK : status;
    if (status == HPF_OK && l.n == 0) {
        status = HPF_END;
    }
    status = status == HPF_OK && events->name ? events->name(context, 0, live, err) : status;
    HPF__ARRAY_SORT(l.points, l.n, hpf__compare_points);
    for (size_t i = 0; i < l.n && status == HPF_OK && events->sample; i++) {
        double bytes = l.points[i].value;
        bool is_whole = bytes < 0x1p64;
        const hpf_cost cost = is_whole ? (hpf_cost){.whole = (uint64_t)bytes}
                                       : (hpf_cost){.is_real = 1, .real = bytes};
        const hpf_sample sample = {.time = l.points[i].time, .costs = &cost, .n_costs = 1};
        status = events->sample(context, &sample, err);
    }
    free(l.points);
    return status;
}

const hpf_format hpf__live_bytes = {.name = "live", .read = read_live_bytes};

/* SPDX-License-Identifier: BSD-2-Clause */
#include "retainer_log.h"

#include <stdlib.h>

#include "base/array.h"

static bool note_pass(hpp__retainer_log *log, const hpp_census_result *result)
{
    const hpp_retainer_figures *figures = &result->retainers;
    double n_objects = figures->n_objects > 0 ? (double)figures->n_objects : 1.0;
    const hpf_prof_census pass = {
        .number = result->era - 1,
        .time_s = result->time_s,
        .max_stack_entries = figures->max_frames,
        .visits_per_object = (double)figures->n_visits / n_objects,
        .has_totals = true,
        .total_cost = figures->size_bytes,
        .n_sets = figures->n_sets,
    };
    return HPF__ARRAY_PUSH(log->passes, log->n, log->capacity, pass);
}

bool hpp__retainer_log_add(hpp__retainer_log *log, hpp__output *output,
                           const hpp_census_result *result)
{
    const hpp_retainer_figures *f = &result->retainers;
    double n_objects = f->n_objects > 0 ? (double)f->n_objects : 1;
    double n_costed = f->n_costed > 0 ? (double)f->n_costed : 1;
    const struct {
        hpf_str name;
        double value;
    } lines[] = {
        {HPF_STR("sets (number)"), f->n_sets},
        {HPF_STR("mean set (retainers)"), (double)f->n_retainers / n_costed},
        {HPF_STR("largest set (retainers)"), f->largest_set},
        {HPF_STR("visits (per object)"), (double)f->n_visits / n_objects},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hpp__output_line(output, result->time_s, lines[i].name, lines[i].value);
    }
    return note_pass(log, result);
}

static int write_set(uint32_t id, hpf_str text, void *sink)
{
    hpf_prof_write_set(sink, id, text);
    return 0;
}

static int write_holding(const hpp_holding *h, void *sink)
{
    const hpf_prof_holding holding = {h->retainer, h->by, h->is_root, h->size_bytes, h->n_objects};
    hpf_prof_write_holding(sink, &holding);
    return 0;
}

void hpp__retainer_log_write(const hpp__retainer_log *log, hpp_census *engine, hpf_sink *sink)
{
    for (size_t i = 0; i < log->n; i++) {
        hpf_prof_write_census(sink, &log->passes[i]);
    }
    hpf_prof_write_sets_title(sink);
    hpp_census_each_set(engine, write_set, sink);
    hpf_prof_write_holdings_title(sink);
    hpp_census_each_holding(engine, write_holding, sink);
}

void hpp__retainer_log_finish(hpp__retainer_log *log)
{
    free(log->passes);
    *log = (hpp__retainer_log){0};
}

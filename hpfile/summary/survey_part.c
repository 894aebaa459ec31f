/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Forwards the events of a part of a profile, with its names renumbered.
 */
#include "hpfile/survey_part.h"

#include <stdlib.h>

#include "base/array.h"

bool hpf_survey_part_init(hpf_survey_part *cut)
{
    size_t n = hpf_survey_n_names(cut->survey);
    cut->number_of = malloc((n + 1) * sizeof *cut->number_of);
    cut->names = malloc((n + 1) * sizeof *cut->names);
    if (!cut->number_of || !cut->names) {
        hpf_survey_part_finish(cut);
        return false;
    }
    cut->n_names = 0;
    for (hpf_name i = 0; i < n; i++) {
        bool is_used = hpf_survey_totals(cut->survey, i)->n_samples > 0;
        cut->number_of[i] = is_used ? cut->n_names : UINT32_MAX;
        cut->names[cut->n_names] = i;
        cut->n_names += is_used;
    }
    return true;
}

void hpf_survey_part_finish(hpf_survey_part *cut)
{
    free(cut->number_of);
    free(cut->names);
    free(cut->costs);
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    const hpf_survey_part *cut = context;
    return cut->to->header ? cut->to->header(cut->context, which, text, err) : HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    const hpf_survey_part *cut = context;
    hpf_name number = cut->number_of[name];
    return cut->to->name && number != UINT32_MAX ? cut->to->name(cut->context, number, text, err)
                                                 : HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_survey_part *cut = context;
    hpf_sample part = *sample;
    if (!HPF__ARRAY_RESERVE(cut->costs, cut->costs_capacity, sample->n_costs)) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < sample->n_costs; i++) {
        cut->costs[i] = sample->costs[i];
        cut->costs[i].name = cut->number_of[sample->costs[i].name];
    }
    part.costs = cut->costs;
    return cut->to->sample ? cut->to->sample(cut->context, &part, err) : HPF_OK;
}

static bool is_inside(const hpf_survey_part *cut, double time)
{
    return time >= cut->from_time && time <= cut->to_time;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    const hpf_survey_part *cut = context;
    return cut->to->mark && is_inside(cut, time) ? cut->to->mark(cut->context, time, label, err)
                                                 : HPF_OK;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    const hpf_survey_part *cut = context;
    return cut->to->quantity && is_inside(cut, point.time)
               ? cut->to->quantity(cut->context, name, point, err)
               : HPF_OK;
}

const hpf_events hpf_survey_part_events = {.header = on_header,
                                           .name = on_name,
                                           .sample = on_sample,
                                           .mark = on_mark,
                                           .quantity = on_quantity};

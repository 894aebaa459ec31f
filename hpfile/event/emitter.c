/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names, costs and samples to events.
 */
#include "event/emitter.h"

hpf_status hpf__emitter_header(hpf__emitter *emit, hpf_header which, hpf_str text, hpf_error *err)
{
    const hpf_events *to = emit->events;
    return to->header ? to->header(emit->context, which, text, err) : HPF_OK;
}

hpf_status hpf__emitter_default_header(hpf__emitter *emit, hpf_header which, hpf_error *err)
{
    hpf_str text = which == HPF_HEADER_SAMPLE_UNIT  ? HPF_STR("seconds")
                   : which == HPF_HEADER_VALUE_UNIT ? HPF_STR("bytes")
                                                    : HPF_STR("");
    return hpf__emitter_header(emit, which, text, err);
}

hpf_status hpf__emitter_mark(hpf__emitter *emit, double time, hpf_str label, hpf_error *err)
{
    const hpf_events *to = emit->events;
    return to->mark ? to->mark(emit->context, time, label, err) : HPF_OK;
}

hpf_status hpf__emitter_line(hpf__emitter *emit, hpf_str name, hpf_quantity_point point,
                             hpf_error *err)
{
    const hpf_events *to = emit->events;
    return to->quantity ? to->quantity(emit->context, name, point, err) : HPF_OK;
}

hpf_status hpf__emitter_name(hpf__emitter *emit, hpf_str text, hpf_name *number, hpf_error *err)
{
    bool is_new = false;
    hpf_status status = hpf__intern_add(&emit->names, text, number, &is_new);
    if (status != HPF_OK) {
        return status == HPF_ERR_MEMORY ? hpf_error_set_memory(err)
                                        : hpf_error_set(err, status, "more than 2^32 names");
    }
    if (is_new && emit->events->name) {
        return emit->events->name(emit->context, *number, emit->names.names[*number], err);
    }
    return HPF_OK;
}

hpf_status hpf__emitter_cost(hpf__emitter *emit, const hpf_cost *cost, hpf_error *err)
{
    return hpf__costs_add(&emit->costs, *cost, emit->names.n_names) ? HPF_OK
                                                                    : hpf_error_set_memory(err);
}

hpf_status hpf__emitter_sample(hpf__emitter *emit, double time, hpf__location place, hpf_error *err)
{
    if (emit->n_samples > 0 && time < emit->time) {
        return hpf__location_error(place, err, HPF_ERR_ORDER, "time goes back, from %.9g to %.9g",
                                   emit->time, time);
    }
    const hpf_sample sample = {.time = time, .costs = emit->costs.all, .n_costs = emit->costs.n};
    emit->time = time;
    emit->n_samples++;
    emit->costs.n = 0;
    return emit->events->sample ? emit->events->sample(emit->context, &sample, err) : HPF_OK;
}

void hpf__emitter_finish(hpf__emitter *emit)
{
    hpf__intern_finish(&emit->names);
    hpf__costs_finish(&emit->costs);
}

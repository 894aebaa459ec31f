/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Gathering a sample: names get their numbers, costs wait for the END_SAMPLE that closes them,
 * wherever they stand (as in hp2ps).
 */
#include "hp/hp_reader_state.h"

hpf_status hpf__fail_memory(hpf__hp_reader *r)
{
    return hpf_error_set_memory(&r->error);
}

hpf_status hpf__define_name(hpf__hp_reader *r, hpf_str text, hpf_name *name)
{
    bool is_new;
    hpf_status status = hpf__intern_add(&r->names, text, name, &is_new);
    if (status == HPF_ERR_LIMIT) {
        return hpf_error_set(&r->error, status, "more than 2^30 names");
    }
    if (status != HPF_OK) {
        return hpf__fail_memory(r);
    }
    if (!is_new) {
        return HPF_OK;
    }
    if (!HPF__ARRAY_RESERVE(r->next_name, r->next_name_capacity, (size_t)*name + 2)) {
        return hpf__fail_memory(r);
    }
    r->next_name[*name + 1] = 0;
    return r->events.name ? r->events.name(r->context, *name, r->names.names[*name], &r->error)
                          : HPF_OK;
}

void hpf__open_sample(hpf__hp_reader *r, double time)
{
    r->time = time;
    r->in_sample = true;
}

hpf_status hpf__emit_sample(hpf__hp_reader *r, uint64_t end_offset)
{
    hpf_sample sample = {.time = r->time,
                         .costs = r->costs.all,
                         .n_costs = r->costs.n,
                         .begin_offset = r->sample_offset,
                         .end_offset = end_offset};
    r->in_sample = false;
    r->n_samples++;
    r->costs.n = 0;
    r->last_name = 0;
    r->sample_offset = end_offset;
    return r->events.sample ? r->events.sample(r->context, &sample, &r->error) : HPF_OK;
}

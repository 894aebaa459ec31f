/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Gathering a sample: names get their numbers, costs wait for the END_SAMPLE that closes them,
 * wherever they stand (as in hp2ps).
 */
#include <math.h>
#include <stdlib.h>

#include "hp_reader_state.h"

/* Beyond this many costs, and four for every name, repeated names of a sample are folded together.
 */
#define FOLD_COSTS 65536

hpf_status hpf__fail_memory(hpf_reader *r)
{
    return hpf_error_set_memory(&r->error);
}

hpf_status hpf__define_name(hpf_reader *r, hpf_str text, hpf_name *name)
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
    uint32_t *next =
        hpf__grow(r->next_name, &r->next_name_capacity, (size_t)*name + 2, sizeof *next);
    if (!next) {
        return hpf__fail_memory(r);
    }
    r->next_name = next;
    next[*name + 1] = 0;
    return r->events.name ? r->events.name(r->context, *name, r->names.names[*name], &r->error)
                          : HPF_OK;
}

static void add_to(hpf_cost *total, const hpf_cost *cost)
{
    if (!total->is_real && !cost->is_real && total->whole <= UINT64_MAX - cost->whole) {
        total->whole += cost->whole;
    } else {
        total->real = hpf_cost_amount(total) + hpf_cost_amount(cost);
        total->is_real = 1;
    }
}

/* Adds up the costs of repeated names, so that a sample's memory goes with its names. */
static hpf_status fold_costs(hpf_reader *r)
{
    size_t *place = calloc(r->names.n_names, sizeof *place);
    if (!place) {
        return hpf__fail_memory(r);
    }
    size_t n = 0;
    for (size_t i = 0; i < r->n_costs; i++) {
        size_t *at = &place[r->costs[i].name];
        if (*at) {
            add_to(&r->costs[*at - 1], &r->costs[i]);
        } else {
            r->costs[n++] = r->costs[i];
            *at = n;
        }
    }
    r->n_costs = n;
    free(place);
    return HPF_OK;
}

hpf_status hpf__make_room_for_cost(hpf_reader *r)
{
    if (r->n_costs >= FOLD_COSTS && r->n_costs / 4 >= r->names.n_names) {
        hpf_status status = fold_costs(r);
        if (status != HPF_OK) {
            return status;
        }
    }
    hpf_cost *costs = hpf__grow(r->costs, &r->costs_capacity, r->n_costs + 1, sizeof *costs);
    if (!costs) {
        return hpf__fail_memory(r);
    }
    r->costs = costs;
    return HPF_OK;
}

void hpf__open_sample(hpf_reader *r, double time)
{
    if (r->first_time == INFINITY) {
        r->first_time = time;
    }
    r->time = time;
    r->in_sample = true;
}

hpf_status hpf__emit_sample(hpf_reader *r, uint64_t end_offset)
{
    hpf_sample sample = {.time = r->time,
                         .costs = r->costs,
                         .n_costs = r->n_costs,
                         .begin_offset = r->sample_offset,
                         .end_offset = end_offset};
    r->in_sample = false;
    r->n_samples++;
    r->n_costs = 0;
    r->last_name = 0;
    r->sample_offset = end_offset;
    return r->events.sample ? r->events.sample(r->context, &sample, &r->error) : HPF_OK;
}

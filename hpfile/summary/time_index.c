/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Gathering and sorting.
 */
#include "summary/time_index.h"

#include <stdlib.h>

#include "base/array.h"

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf__order *order = context;
    if (!HPF__ARRAY_RESERVE(order->places, order->capacity, order->n_places + 1)) {
        return hpf_error_set_memory(err);
    }
    order->places[order->n_places++] =
        (hpf__place){sample->time, sample->begin_offset, sample->end_offset};
    return HPF_OK;
}

const hpf_events hpf__order_events = {.sample = on_sample};

static int compare_places(const void *left, const void *right)
{
    const hpf__place *a = left;
    const hpf__place *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return (a->begin_offset > b->begin_offset) - (a->begin_offset < b->begin_offset);
}

void hpf__order_sort(hpf__order *order)
{
    if (order->n_places) {
        qsort(order->places, order->n_places, sizeof *order->places, compare_places);
    }
}

void hpf__order_finish(hpf__order *order)
{
    free(order->places);
    *order = (hpf__order){0};
}

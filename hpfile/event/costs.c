/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Growing and folding.
 */
#include "event/costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

/* Beyond this many costs, and four for every name, repeated names are folded together. */
#define FOLD_COSTS 65536

void hpf__cost_add(hpf_cost *total, const hpf_cost *cost)
{
    if (!total->is_real && !cost->is_real && total->whole <= UINT64_MAX - cost->whole) {
        total->whole += cost->whole;
    } else {
        total->real = hpf_cost_amount(total) + hpf_cost_amount(cost);
        total->is_real = 1;
    }
}

bool hpf__costs_fold(hpf__costs *costs, uint32_t n_names)
{
    size_t *place = calloc((size_t)n_names + 1, sizeof *place);
    if (!place) {
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < costs->n; i++) {
        size_t *at = &place[costs->all[i].name];
        if (*at) {
            hpf__cost_add(&costs->all[*at - 1], &costs->all[i]);
        } else {
            costs->all[n++] = costs->all[i];
            *at = n;
        }
    }
    costs->n = n;
    free(place);
    return true;
}

bool hpf__costs_make_room(hpf__costs *costs, uint32_t n_names)
{
    if (costs->n >= FOLD_COSTS && costs->n / 4 >= n_names && !hpf__costs_fold(costs, n_names)) {
        return false;
    }
    return HPF__ARRAY_RESERVE(costs->all, costs->capacity, costs->n + 1);
}

void hpf__costs_finish(hpf__costs *costs)
{
    free(costs->all);
    *costs = (hpf__costs){0};
}

size_t hpf__number_cost(char *out, const hpf_cost *cost)
{
    if (!cost->is_real) {
        return hpf__number_whole(out, cost->whole);
    }
    size_t length = hpf__number_shortest(out, cost->real);
    if (!memchr(out, '.', length) && !memchr(out, 'e', length)) {
        memcpy(out + length, ".0", 2);
        length += 2;
    }
    return length;
}

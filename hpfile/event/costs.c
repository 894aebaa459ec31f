/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Growing and folding.
 */
#include "event/costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "hpfile/event.h"

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

/* A table from names to places in a short list; only what was set is cleared. */

/* Makes room for a name and for one more cost. */
static bool make_room(hpf__sample_by_name *table, hpf_name name)
{
    size_t known = table->places_capacity;
    if (name >= known) {
        if (!HPF__ARRAY_RESERVE(table->places, table->places_capacity, (size_t)name + 1)) {
            return false;
        }
        memset(table->places + known, 0, (table->places_capacity - known) * sizeof *table->places);
    }
    return HPF__ARRAY_RESERVE(table->costs, table->costs_capacity, table->n_costs + 1);
}

static void clear(hpf__sample_by_name *table)
{
    for (size_t i = 0; i < table->n_costs; i++) {
        table->places[table->costs[i].name] = 0;
    }
    table->n_costs = 0;
}

bool hpf__sample_by_name_take(hpf__sample_by_name *table, const hpf_sample *sample)
{
    clear(table);
    table->time = sample->time;
    for (size_t i = 0; i < sample->n_costs; i++) {
        const hpf_cost *cost = &sample->costs[i];
        if (hpf__sample_by_name_find(table, cost->name)) {
            hpf__cost_add(&table->costs[table->places[cost->name] - 1], cost);
        } else if (make_room(table, cost->name)) {
            table->costs[table->n_costs++] = *cost;
            table->places[cost->name] = (uint32_t)table->n_costs;
        } else {
            clear(table);
            return false;
        }
    }
    return true;
}

void hpf__sample_by_name_finish(hpf__sample_by_name *table)
{
    free(table->costs);
    free(table->places);
}

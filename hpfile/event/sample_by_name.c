/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table from names to places in a short list; only what was set is cleared.
 */
#include "event/sample_by_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/costs.h"

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

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table from names to places in a short list; only what was set is cleared.
 */
#include "event/sample_by_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/costs.h"

/* Room for a name and for one more cost. */
static bool make_room(hpf__sample_by_name *ledger, hpf_name name)
{
    size_t known = ledger->places_capacity;
    if (name >= known) {
        if (!HPF__ARRAY_RESERVE(ledger->places, ledger->places_capacity, (size_t)name + 1)) {
            return false;
        }
        memset(ledger->places + known, 0,
               (ledger->places_capacity - known) * sizeof *ledger->places);
    }
    return HPF__ARRAY_RESERVE(ledger->costs, ledger->costs_capacity, ledger->n_costs + 1);
}

static void clear(hpf__sample_by_name *ledger)
{
    for (size_t i = 0; i < ledger->n_costs; i++) {
        ledger->places[ledger->costs[i].name] = 0;
    }
    ledger->n_costs = 0;
}

bool hpf__sample_by_name_take(hpf__sample_by_name *ledger, const hpf_sample *sample)
{
    clear(ledger);
    ledger->time = sample->time;
    for (size_t i = 0; i < sample->n_costs; i++) {
        const hpf_cost *cost = &sample->costs[i];
        if (hpf__sample_by_name_find(ledger, cost->name)) {
            hpf__cost_add(&ledger->costs[ledger->places[cost->name] - 1], cost);
        } else if (make_room(ledger, cost->name)) {
            ledger->costs[ledger->n_costs++] = *cost;
            ledger->places[cost->name] = (uint32_t)ledger->n_costs;
        } else {
            clear(ledger);
            return false;
        }
    }
    return true;
}

void hpf__sample_by_name_finish(hpf__sample_by_name *ledger)
{
    free(ledger->costs);
    free(ledger->places);
}

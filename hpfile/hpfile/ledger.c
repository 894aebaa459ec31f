/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table from names to places in a short list; only what was set is cleared.
 */
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "costs.h"

/* Room for a name and for one more cost. */
static bool make_room(hpf__ledger *ledger, hpf_name name)
{
    size_t known = ledger->places_capacity;
    if (name >= known) {
        uint32_t *places =
            hpf__grow(ledger->places, &ledger->places_capacity, (size_t)name + 1, sizeof *places);
        if (!places) {
            return false;
        }
        ledger->places = places;
        memset(places + known, 0, (ledger->places_capacity - known) * sizeof *places);
    }
    hpf_cost *costs =
        hpf__grow(ledger->costs, &ledger->costs_capacity, ledger->n_costs + 1, sizeof *costs);
    ledger->costs = costs ? costs : ledger->costs;
    return costs != NULL;
}

static void clear(hpf__ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_costs; i++) {
        ledger->places[ledger->costs[i].name] = 0;
    }
    ledger->n_costs = 0;
}

bool hpf__ledger_take(hpf__ledger *ledger, const hpf_sample *sample)
{
    clear(ledger);
    ledger->time = sample->time;
    for (size_t i = 0; i < sample->n_costs; i++) {
        const hpf_cost *cost = &sample->costs[i];
        if (hpf__ledger_find(ledger, cost->name)) {
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

void hpf__ledger_finish(hpf__ledger *ledger)
{
    free(ledger->costs);
    free(ledger->places);
}

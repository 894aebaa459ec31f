/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One sample with each name once: amounts of a repeated name are added up.
 */
#ifndef HPF_LEDGER_H
#define HPF_LEDGER_H

#include "hpfile/event.h"

/* All zero is an empty sample. */
typedef struct hpf__ledger {
    double time;
    hpf_cost *costs; /* in order of first sight */
    size_t n_costs;
    size_t costs_capacity;
    uint32_t *places; /* by name: index into costs + 1, or 0 */
    size_t places_capacity;
} hpf__ledger;

/* Takes the place of what was there. False when there is no memory; it is empty then. */
bool hpf__ledger_take(hpf__ledger *ledger, const hpf_sample *sample);

/* The cost of a name, or NULL when it does not occur. */
static inline const hpf_cost *hpf__ledger_find(const hpf__ledger *ledger, hpf_name name)
{
    uint32_t place = name < ledger->places_capacity ? ledger->places[name] : 0;
    return place ? &ledger->costs[place - 1] : NULL;
}

void hpf__ledger_finish(hpf__ledger *ledger);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One sample with each name once: amounts of a repeated name are added up.
 */
#ifndef HPF_SAMPLE_BY_NAME_H
#define HPF_SAMPLE_BY_NAME_H

#include "hpfile/event.h"

/* All zero is an empty sample. */
typedef struct hpf__sample_by_name {
    double time;
    hpf_cost *costs; /* in order of first sight */
    size_t n_costs;
    size_t costs_capacity;
    uint32_t *places; /* by name: index into costs + 1, or 0 */
    size_t places_capacity;
} hpf__sample_by_name;

/* Takes the place of what was there. False when there is no memory; it is empty then. */
bool hpf__sample_by_name_take(hpf__sample_by_name *table, const hpf_sample *sample);

/* Returns the cost of a name, or NULL when it does not occur. */
static inline const hpf_cost *hpf__sample_by_name_find(const hpf__sample_by_name *table,
                                                       hpf_name name)
{
    uint32_t place = name < table->places_capacity ? table->places[name] : 0;
    return place ? &table->costs[place - 1] : NULL;
}

void hpf__sample_by_name_finish(hpf__sample_by_name *table);

#endif

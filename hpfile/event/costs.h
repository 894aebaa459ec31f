/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The costs of a sample while it is gathered. When repeated names make them far more than there are
 * names, several costs of one name are added up, so that a sample's memory goes with its names.
 */
#ifndef HPF_COSTS_H
#define HPF_COSTS_H

#include "base/bits.h"
#include "hpfile/event.h"

typedef struct hpf__costs {
    hpf_cost *all;
    size_t n;
    size_t capacity;
} hpf__costs;

/* Adds amounts; whole numbers stay whole while they fit. */
void hpf__cost_add(hpf_cost *total, const hpf_cost *cost);

/* Makes room for one more cost. `n_names` is more than every name in the costs. False when there is
 * no memory. */
bool hpf__costs_make_room(hpf__costs *costs, uint32_t n_names);

/* Adds up the costs of each name, for which `n_names` is as above. False when there is no memory.
 */
bool hpf__costs_fold(hpf__costs *costs, uint32_t n_names);
void hpf__costs_finish(hpf__costs *costs);

static inline bool hpf__costs_add(hpf__costs *costs, hpf_cost cost, uint32_t n_names)
{
    if (HPF__UNLIKELY(costs->n == costs->capacity) && !hpf__costs_make_room(costs, n_names)) {
        return false;
    }
    costs->all[costs->n++] = cost;
    return true;
}

/* A cost is one word, name above amount. An amount that does not fit follows in a second word. */
#define HPF__PACKED_WHOLE_FOLLOWS UINT32_MAX
#define HPF__PACKED_REAL_FOLLOWS  (UINT32_MAX - 1)

/* Packs a cost into at most two words. Returns the place of the next cost. */
static inline uint64_t *hpf__pack(uint64_t *to, const hpf_cost *cost)
{
    uint64_t name = (uint64_t)cost->name << 32;
    if (!cost->is_real && cost->whole < HPF__PACKED_REAL_FOLLOWS) {
        *to++ = name | cost->whole;
        return to;
    }
    *to++ = name | (cost->is_real ? HPF__PACKED_REAL_FOLLOWS : HPF__PACKED_WHOLE_FOLLOWS);
    *to++ = cost->whole; /* or the bits of `real` */
    return to;
}

/* Unpacks a cost. Returns the place of the next one. */
static inline const uint64_t *hpf__unpack(const uint64_t *from, hpf_cost *cost)
{
    uint64_t word = *from++;
    uint32_t amount = (uint32_t)word;
    *cost = (hpf_cost){.name = (hpf_name)(word >> 32), .whole = amount};
    if (amount >= HPF__PACKED_REAL_FOLLOWS) {
        cost->is_real = amount == HPF__PACKED_REAL_FOLLOWS;
        cost->whole = *from++;
    }
    return from;
}

/* Writes an amount into `out` (HPF__NUMBER_BYTES) and returns the length. A point keeps a double
 * with a whole value from being read back as a whole number. */
size_t hpf__number_cost(char *out, const hpf_cost *cost);

/* One sample with each name once: amounts of a repeated name are added up. */

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

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Costs in few words: a cost is one word, the name above, the amount below. An amount that does not
 * fit below follows in a word of its own.
 */
#ifndef HPF_PACKED_H
#define HPF_PACKED_H

#include <string.h>

#include "hpfile/event.h"

#define HPF__PACKED_WHOLE_FOLLOWS UINT32_MAX
#define HPF__PACKED_REAL_FOLLOWS  (UINT32_MAX - 1)

/* Packs a cost; at most two words. Returns where the next goes. */
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

/* Unpacks one; returns where the next is. */
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

#endif

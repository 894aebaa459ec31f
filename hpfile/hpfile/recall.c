/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A cost is one word: the name above, the amount below. An amount that 32 bits do not hold, or that
 * is a fraction, follows as a double in a word of its own.
 */
#include "recall.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

#define FOLLOWS UINT32_MAX

void hpf__recall_lose(hpf__recall *r)
{
    free(r->words);
    *r = (hpf__recall){.is_lost = true};
}

void hpf__recall_add(hpf__recall *r, const hpf_cost *costs, size_t n_costs)
{
    if (r->is_lost) {
        return;
    }
    size_t needed = r->n_words + 1 + 2 * n_costs;
    uint64_t *words = n_costs < HPF__RECALL_WORDS && needed <= HPF__RECALL_WORDS
                          ? hpf__grow(r->words, &r->capacity, needed, sizeof *words)
                          : NULL;
    if (!words) {
        hpf__recall_lose(r);
        return;
    }
    r->words = words;
    uint64_t *to = words + r->n_words;
    *to++ = n_costs;
    for (size_t i = 0; i < n_costs; i++) {
        const hpf_cost *cost = &costs[i];
        uint64_t name = (uint64_t)cost->name << 32;
        if (!cost->is_real && cost->whole < FOLLOWS) {
            *to++ = name | cost->whole;
        } else {
            double amount = hpf_cost_amount(cost);
            *to++ = name | FOLLOWS;
            memcpy(to++, &amount, sizeof amount);
        }
    }
    r->n_words = (size_t)(to - words);
}

size_t hpf__recall_column(const hpf__recall *r, size_t at, const uint32_t *band_of_name,
                          double *column, size_t stride)
{
    const uint64_t *word = r->words + at;
    for (uint64_t n = *word++; n; n--) {
        uint32_t band = band_of_name[*word >> 32];
        double amount = (double)(*word & UINT32_MAX);
        if ((*word++ & UINT32_MAX) == FOLLOWS) {
            memcpy(&amount, word++, sizeof amount);
        }
        if (band != HPF_NO_BAND) {
            column[(size_t)band * stride] += amount;
        }
    }
    return (size_t)(word - r->words);
}

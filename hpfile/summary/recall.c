/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples one behind the other, each the number of its costs and the costs, packed.
 */
#include "summary/recall.h"

#include <stdlib.h>

#include "base/array.h"
#include "summary/packed.h"

void hpf__recall_lose(hpf__recall *r)
{
    free(r->words);
    *r = (hpf__recall){.is_lost = true};
}

/* Room for `n_more` words, or everything is lost. */
static uint64_t *make_room(hpf__recall *r, size_t n_more)
{
    if (r->is_lost) {
        return NULL;
    }
    if (n_more > r->most_words - r->n_words ||
        !HPF__ARRAY_RESERVE(r->words, r->capacity, r->n_words + n_more)) {
        hpf__recall_lose(r);
        return NULL;
    }
    return r->words + r->n_words;
}

void hpf__recall_add(hpf__recall *r, const hpf_cost *costs, size_t n_costs)
{
    uint64_t *to = make_room(r, n_costs < HPF__RECALL_WORDS ? 1 + 2 * n_costs : SIZE_MAX);
    if (!to) {
        return;
    }
    *to++ = n_costs;
    for (size_t i = 0; i < n_costs; i++) {
        to = hpf__pack(to, &costs[i]);
    }
    r->n_words = (size_t)(to - r->words);
}

size_t hpf__recall_column(const hpf__recall *r, size_t at, const uint32_t *band_of_name,
                          double *column, size_t stride)
{
    const uint64_t *word = r->words + at;
    for (uint64_t n = *word++; n; n--) {
        hpf_cost cost;
        word = hpf__unpack(word, &cost);
        uint32_t band = band_of_name[cost.name];
        if (band != HPF_NO_BAND) {
            column[(size_t)band * stride] += hpf_cost_amount(&cost);
        }
    }
    return (size_t)(word - r->words);
}

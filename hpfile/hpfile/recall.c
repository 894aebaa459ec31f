/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples one behind the other, each the number of its costs and the costs, packed.
 */
#include "recall.h"

#include <stdlib.h>

#include "buf.h"
#include "packed.h"

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
    uint64_t *words = n_more <= r->most_words - r->n_words
                          ? hpf__grow(r->words, &r->capacity, r->n_words + n_more, sizeof *words)
                          : NULL;
    if (!words) {
        hpf__recall_lose(r);
        return NULL;
    }
    r->words = words;
    return words + r->n_words;
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

void hpf__recall_join(hpf__recall *r, const hpf__recall *later, const hpf_name *names)
{
    if (later->is_lost) {
        hpf__recall_lose(r);
        return;
    }
    uint64_t *to = later->n_words ? make_room(r, later->n_words + 1) : NULL;
    if (!to) {
        return;
    }
    const uint64_t *end = later->words + later->n_words;
    for (const uint64_t *word = later->words; word < end;) {
        uint64_t n_costs = *word++;
        *to++ = n_costs;
        for (; n_costs; n_costs--) {
            hpf_cost cost;
            word = hpf__unpack(word, &cost);
            cost.name = names[cost.name];
            to = hpf__pack(to, &cost);
        }
    }
    r->n_words += later->n_words;
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

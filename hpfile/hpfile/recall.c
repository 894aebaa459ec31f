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
            uint64_t amount = *word & UINT32_MAX;
            *to++ = (uint64_t)names[*word++ >> 32] << 32 | amount;
            if (amount == FOLLOWS) {
                *to++ = *word++;
            }
        }
    }
    r->n_words += later->n_words;
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

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The costs of all samples so far, packed, as long as they fit in 32 MiB: the second pass over a
 * profile that is not huge then needs no second reading.
 */
#ifndef HPF_RECALL_H
#define HPF_RECALL_H

#include "hpfile/overview.h"

#define HPF__RECALL_WORDS ((size_t)(32u << 20) / 8)

typedef struct hpf__recall {
    uint64_t *words; /* sample by sample: the number of costs, then each in one word or two */
    size_t n_words;
    size_t capacity;
    size_t most_words; /* more are not kept */
    bool is_lost;      /* there were more */
} hpf__recall;

/* Remembers one more sample, or forgets everything for good. Never fails: it only saves time. */
void hpf__recall_add(hpf__recall *recall, const hpf_cost *costs, size_t n_costs);
void hpf__recall_lose(hpf__recall *recall);

/* Adds the amounts of the sample that begins at word `at` to column[band * stride] for the band of
 * each name; returns where the next sample begins. */
size_t hpf__recall_column(const hpf__recall *recall, size_t at, const uint32_t *band_of_name,
                          double *column, size_t stride);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Series that were told, so that those asked for next cost only what came since. Bands may have
 * changed their numbers, but not what belongs to them.
 */
#ifndef HPF_TOLD_H
#define HPF_TOLD_H

#include "summary/survey.h"

/* All zero is nothing. */
typedef struct hpf__told {
    uint32_t *band_of_name;
    size_t n_names, names_capacity;
    double *values; /* n_bands rows of n_picks */
    uint32_t n_bands;
    size_t values_capacity;
    uint64_t *ends; /* of the picks in the input: they tell one from all others */
    size_t n_picks, ends_capacity;
    uint64_t n_folds; /* how often names had been folded */
    uint32_t rest;    /* the row that their rest was added to; HPF_NO_BAND: none */
} hpf__told;

/* For each band of the series the row that has its values, or UINT32_MAX if all its names are new;
 * `rows` has n_bands elements. False when no row can be used: bands are divided otherwise. */
bool hpf__told_rows(const hpf__told *told, const hpf__series *series, size_t n_names,
                    uint32_t *rows);

/* How many of the `n_picks` at `picks` were told in a row; `*first` is the first of them there.
 * Looks for it from what `*first` was. */
size_t hpf__told_run(const hpf__told *told, const hpf_pick *picks, size_t n_picks, size_t *first);

/* Copies a run into picks `at` and following of the series. */
void hpf__told_copy(const hpf__told *told, const uint32_t *rows, size_t first, size_t n_picks,
                    const hpf__series *series, size_t at);

/* Takes the place of what was told. Never fails: it only saves time. */
void hpf__told_take(hpf__told *told, const hpf__series *series, size_t n_names,
                    const hpf_pick *picks);
void hpf__told_finish(hpf__told *told);

#endif

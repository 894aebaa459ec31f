/* SPDX-License-Identifier: BSD-2-Clause */
#include "life_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int by_era(const void *a, const void *b)
{
    uint32_t left = ((const hpp_window_life *)a)->era;
    uint32_t right = ((const hpp_window_life *)b)->era;
    return (left > right) - (left < right);
}

bool hpp__life_sums_load(hpp__life_sums *lives, const hpp__window_reader *reader)
{
    lives->n_changes = lives->n_done = 0;
    lives->n_sites = 0;
    if (!HPF__ARRAY_RESERVE(lives->changes, lives->changes_capacity, reader->n_lives + (size_t)1) ||
        !HPF__ARRAY_RESERVE(lives->sites, lives->sites_capacity, reader->n_sites + (size_t)1)) {
        return false;
    }
    lives->n_sites = reader->n_sites;
    memset(lives->sites, 0, lives->n_sites * sizeof *lives->sites);
    for (uint32_t i = 1; i < reader->n_lives; i++) {
        lives->n_changes += hpp__window_reader_life(reader, i, &lives->changes[lives->n_changes]);
    }
    qsort(lives->changes, lives->n_changes, sizeof *lives->changes, by_era);
    return true;
}

void hpp__life_sums_advance(hpp__life_sums *lives, uint32_t era)
{
    for (; lives->n_done < lives->n_changes && lives->changes[lives->n_done].era <= era;
         lives->n_done++) {
        const hpp_window_life *change = &lives->changes[lives->n_done];
        for (int phase = 0; phase < HPP_N_PHASES; phase++) {
            /* The window is not trusted: no overflow is undefined. */
            int64_t *sum = &lives->sites[change->site].bytes[phase];
            *sum = (int64_t)((uint64_t)*sum + (uint64_t)change->bytes[phase]);
        }
    }
}

void hpp__life_sums_finish(hpp__life_sums *lives)
{
    free(lives->changes);
    free(lives->sites);
    *lives = (hpp__life_sums){0};
}

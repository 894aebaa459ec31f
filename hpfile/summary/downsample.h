/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses the samples worth drawing (see survey.h) in one pass.
 */
#ifndef HPF_DOWNSAMPLE_H
#define HPF_DOWNSAMPLE_H

#include "hpfile/overview.h"

/* A stretch of time with its lowest and its highest sample, maybe the same one. */
typedef struct hpf__cell {
    uint64_t number; /* time = first time + number * width ..; of coarse ones number * 2 * width */
    hpf_pick low, high;
} hpf__cell;

typedef struct hpf__downsample {
    size_t max_picks;
    hpf_pick first, last;
    uint64_t n_samples;
    hpf_pick *all; /* every sample, until there are too many */
    size_t n_all;
    size_t all_capacity;
    hpf__cell *cells; /* then these, by number; NULL before */
    size_t n_cells;
    size_t n_coarse;   /* of them, the first, are of double width already */
    size_t n_in_cells; /* samples that they hold */
    double width;      /* of the others; 0: time has stood still */
} hpf__downsample;

/* `max_picks` of 0 is the default, 8192. */
void hpf__downsample_init(hpf__downsample *picks, size_t max_picks);
/* Returns false when there is no memory. */
bool hpf__downsample_add(hpf__downsample *picks, const hpf_pick *pick);
/* Makes `picks` a copy of `from`; it is all zero, or an older copy of the same. False when there is
 * no memory. */
bool hpf__downsample_copy(hpf__downsample *picks, const hpf__downsample *from);
/* Gathers the chosen ones in picks->all, by sample index. False when there is no memory. */
bool hpf__downsample_settle(hpf__downsample *picks);
void hpf__downsample_finish(hpf__downsample *picks);

#endif

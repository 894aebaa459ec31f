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
    hpf_drawn_sample low, high;
} hpf__cell;

typedef struct hpf__downsample {
    size_t max_drawn;
    hpf_drawn_sample first, last;
    uint64_t n_samples;
    hpf_drawn_sample *all; /* every sample, until there are too many */
    size_t n_all;
    size_t all_capacity;
    hpf__cell *cells; /* then these, by number; NULL before */
    size_t n_cells;
    size_t n_coarse;   /* of them, the first, are of double width already */
    size_t n_in_cells; /* samples that they hold */
    double width;      /* of the others; 0: time has stood still */
} hpf__downsample;

/* `max_drawn` of 0 is the default, 8192. */
void hpf__downsample_init(hpf__downsample *drawn, size_t max_drawn);
/* Returns false when there is no memory. */
bool hpf__downsample_add(hpf__downsample *drawn, const hpf_drawn_sample *drawn_sample);
/* Makes `drawn` a copy of `from`; it is all zero, or an older copy of the same. False when
 * there is no memory. */
bool hpf__downsample_copy(hpf__downsample *drawn, const hpf__downsample *from);
/* Gathers the chosen ones in drawn->all, by sample index. False when there is no memory. */
bool hpf__downsample_settle(hpf__downsample *drawn);
void hpf__downsample_finish(hpf__downsample *drawn);

#endif

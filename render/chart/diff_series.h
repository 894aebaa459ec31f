/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The difference of two profiles, new minus old, on a common grid, for the rows that differ most.
 */
#ifndef HPR_DIFF_SERIES_H
#define HPR_DIFF_SERIES_H

#include "hpfile/diff.h"
#include "base/arena.h"
#include "hprender/diff.h"

typedef struct hpr__diff_series {
    size_t n_points;
    double *positions; /* n_points: times, or numbers of samples from 1 */
    uint32_t n_rows;   /* the chosen rows, the largest area first */
    const hpf_diff_row **rows;
    double **changes;    /* by chosen row: n_points differences */
    double *rest;        /* n_points: sum of all other rows */
    double *totals;      /* n_points: sum of all rows */
    uint32_t rest_names; /* rows in `rest` */
    bool is_reduced;     /* a profile has more samples than were read */
} hpr__diff_series;

/* Resamples both profiles on the grid and chooses up to `n_rows` rows, all in the arena. Errors:
 * from hpr_diff_chart_create. */
HPF_MUST_USE hpf_status hpr__diff_series_make(hpr__diff_series *out, hpf_arena *arena,
                                              const hpf_diff *diff, hpf_survey *const surveys[2],
                                              bool by_sample, const hpf_alignment *alignment,
                                              uint32_t n_rows, hpf_error *err);

/* Returns the area between a curve and zero. */
double hpr__diff_area(const double *positions, const double *values, size_t n);

#endif

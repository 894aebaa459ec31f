/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two profiles on one grid: new minus old, for the rows that differ most.
 */
#ifndef HPR_DIFF_SERIES_H
#define HPR_DIFF_SERIES_H

#include "base/arena.h"
#include "hprender/diff.h"

typedef struct hpr__diff_series {
    size_t n_points;
    double *positions; /* n_points: times, or numbers of samples from 1 */
    uint32_t n_rows;   /* chosen, the largest area first */
    const hpf_diff_row **rows;
    double **changes;    /* by chosen row: n_points differences */
    double *rest;        /* n_points: of all other rows together */
    double *totals;      /* n_points: of all rows */
    uint32_t rest_names; /* rows in `rest` */
    bool is_reduced;     /* one of the profiles has more samples than were looked at */
} hpr__diff_series;

/* Puts both on the grid and chooses up to `n_rows` rows; everything is in the arena. Errors: as
 * hpr_diff_chart_create. */
HPF_MUST_USE hpf_status hpr__diff_series_make(hpr__diff_series *out, hpf_arena *arena,
                                              const hpf_diff *diff, hpf_survey *const surveys[2],
                                              bool by_sample, uint32_t n_rows, hpf_error *err);

/* The area between a curve and zero. */
double hpr__diff_area(const double *positions, const double *values, size_t n);

#endif

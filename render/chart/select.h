/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps *select* and *limit* of the modern look: which names get a band of their own.
 *
 * Names may be put into groups (group.h), which are names from then on. They are weighed by their
 * area, or by their sum where a profile has no area or its samples stand side by side. The smallest
 * ones that together make less than the trace percentage, and all beyond the largest `n_bands`,
 * share the band OTHER: nothing is dropped, unless it is asked that traces are. A single name left
 * over is shown by name.
 */
#ifndef HPR_SELECT_H
#define HPR_SELECT_H

#include "chart/chart.h"
#include "chart/band_assignment.h"

/* The plan has the names from the largest down; memory from the chart's arena. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_select(hpr__assignment *plan, hpf_arena *arena,
                                           hpf_survey *survey, const hpr_options *options,
                                           hpf_error *err);

/* A name, or names that are one. */
typedef struct hpr__weighed {
    double weight;
    double rank; /* the weight, favoured */
    hpf_str text;
    hpf_name name; /* whatever number the caller knows it by */
} hpr__weighed;

/* How many of a list get a band of their own, and how many that or a share of OTHER. */
typedef struct hpr__limits {
    uint32_t n_drawn, n_kept;
} hpr__limits;

/* Sorts a list by rank, as far as it takes, and draws the line. */
hpr__limits hpr__limit(hpr__weighed *list, uint32_t n, const hpr_options *options);

/* The group of a name as the options have it, or the name itself. Borrowed from the survey. */
hpf_str hpr__group_text(const hpf_survey *survey, hpf_name name, const hpr_options *options);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile in a few numbers: its peak, its means, and how fast each name grows.
 *
 * Means are over time: area under the curve / duration; of a profile without duration, over
 * samples.
 *
 * Growth is the slope of the line of least squares through all samples, a name that is absent being
 * 0; R2 tells how much of the variation that line explains (1: a straight line). An empty first and
 * an empty last sample are left out: GHC always writes them, and no program's heap is empty.
 */
#ifndef CENSUS_SUMMARY_H
#define CENSUS_SUMMARY_H

#include "hpfile/survey.h"

/* One name, or several together. Amounts are in the value unit. What cannot be told is NAN. */
typedef struct summary_row {
    hpf_str name;     /* borrowed from the survey; empty for several */
    hpf_name number;  /* its number there */
    uint32_t n_names; /* in this row */
    double share;     /* of the whole area, 0..1 */
    double mean;
    double max;       /* NAN for several names, which may peak at different times */
    double growth;    /* per unit of time; NAN with fewer than two different times */
    double r_squared; /* NAN without growth, for a constant, and for several names */
} summary_row;

typedef struct summary {
    double peak, peak_time;   /* the first sample with the largest total */
    double final, final_time; /* the last sample kept by the survey that is not empty, else 0 */
    double duration;
    summary_row total;
    summary_row *rows; /* the `n_rows` names with the largest area, largest first */
    uint32_t n_rows;
    summary_row others; /* all further names together; n_names 0: none */
} summary;

/* Names that occur in a complete sample. The survey also knows those after the last one. */
uint32_t summary_n_names(const hpf_survey *survey);

/* Sums up a survey, with at most `most_rows` rows (0: all). False: no memory. */
bool summary_make(summary *out, const hpf_survey *survey, uint32_t most_rows);
void summary_finish(summary *s);

#endif

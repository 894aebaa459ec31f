/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The step *stack*: fetches the series of the bands and stacks them.
 */
#ifndef HPR_STACK_H
#define HPR_STACK_H

#include "chart/chart.h"

/* Fills the times of the chart and its bands in the order of the assignment: names, values, sums.
 * Leaves fills, look, labels and `upper` for later. Errors: those of hpf_survey_series; MEMORY. */
HPF_MUST_USE hpf_status hpr__stack_fetch(hpr__chart *chart, hpf_survey *survey,
                                         const hpr__assignment *assignment, hpf_error *err);

/* Fills `upper` of every band, the totals, the peak and the area, in the current order of the
 * bands. Call it again after reordering them.
 *
 * The area follows the trapezium rule over the drawn points. In a reduced survey, which has samples
 * between the points, it is the sum of the areas of the bands, which count every sample. */
void hpr__stack_cumulate(hpr__chart *chart);

/* Turns all values of a cumulated chart into percents of the totals, and updates the maxima of the
 * bands, which must still be in the order fetched. Empty points at either end, which GHC always
 * writes, take the values of their neighbours. Totals, peak and area stay amounts; `upper` must be
 * filled again. */
void hpr__stack_normalise(hpr__chart *chart);

/* Fills `upper` alone. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__stack_pile_up(hpr__chart *chart, hpf_error *err);

/* Turns the curves of a chart that is stacked into steps: adds a point at the time of each sample
 * but the first, with the amounts of the sample before. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__stack_step(hpr__chart *chart, hpf_error *err);

/* Spaces the points evenly: x becomes the number of the sample in the whole profile, from 1.
 * Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__stack_count_samples(hpr__chart *chart, const hpf_survey *survey,
                                                 hpf_error *err);

#endif

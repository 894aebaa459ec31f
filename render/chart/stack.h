/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The step *stack*: fetches the series of the bands and stacks them.
 */
#ifndef HPR_STACK_H
#define HPR_STACK_H

#include "chart/chart.h"

/* Fills the times of the chart and its bands in the order of the assignment: names, values, sums,
 * `upper`, the totals, the peak and the area. Leaves fills, look and labels for later. `options` of
 * the modern look: values become percents of the totals, and places on the x axis the numbers of
 * the samples, if these say so. NULL: the classic look. Errors: from hpf_survey_series; MEMORY.
 *
 * The area follows the trapezium rule over the drawn points. In a reduced survey, which has samples
 * between the points, it is the sum of the areas of the bands, which count every sample. In a chart
 * of percents, totals, peak and area stay amounts, and `upper` must be filled again. */
HPF_MUST_USE hpf_status hpr__stack_fetch(hpr__chart *chart, hpf_survey *survey,
                                         const hpr__assignment *assignment,
                                         const hpr_options *options, hpf_error *err);

/* Fills `upper` in the current order of the bands. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__stack_pile_up(hpr__chart *chart, hpf_error *err);

/* Turns the curves of a chart that is stacked into steps: adds a point at the time of each sample
 * but the first, with the amounts of the sample before. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__stack_step(hpr__chart *chart, hpf_error *err);

#endif

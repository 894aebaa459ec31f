/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The step *stack*: series of the planned bands, put on top of each other.
 */
#ifndef HPR_STACK_H
#define HPR_STACK_H

#include "chart/chart.h"
#include "chart/band_assignment.h"

/* Fills the chart's times and its bands, bottom first as planned: names, values, sums. Fills, look,
 * labels and `upper` are left for later. Errors: those of hpf_survey_series; MEMORY. */
HPF_MUST_USE hpf_status hpr__stack_fetch(hpr__chart *chart, hpf_survey *survey,
                                         const hpr__assignment *plan, hpf_error *err);

/* Fills `upper` of every band, the totals, the peak and the area, in the present order of the
 * chart's bands. May be called again after they were reordered.
 *
 * The area is the trapezium rule over the drawn points, or, when the survey was reduced (there are
 * samples between the points), the sum of the bands' trapeziums, which count every sample. */
void hpr__stack_cumulate(hpr__chart *chart);

/* Turns all values of a cumulated chart whose bands are as fetched into percents of the totals, and
 * the bands' maxima too. Empty points at either end, which GHC always writes, are like their
 * neighbours. Totals, peak and area stay amounts; `upper` is to be made again. */
void hpr__stack_normalise(hpr__chart *chart);

/* Only fills `upper`. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__stack_pile_up(hpr__chart *chart, hpf_error *err);

/* Puts the points side by side: x is the number of the sample in the whole profile, from 1.
 * Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__stack_count_samples(hpr__chart *chart, const hpf_survey *survey,
                                                 hpf_error *err);

#endif

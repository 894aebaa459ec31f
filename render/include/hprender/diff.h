/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The difference of two profiles as a chart of signed bands: growth is stacked above zero,
 * shrinkage below. It covers the time of both profiles, without empty samples at the end, on the
 * clock of the new one.
 *
 * Both profiles are compared at every time at which either has a sample; amounts between samples
 * are interpolated linearly, as in any chart. A band that is larger at one time and smaller at
 * another is in both stacks, in one colour. Drawn are the names with the largest area between old
 * and new; OTHER is the difference of all other names together. The line is the difference of the
 * totals: the stack above zero minus the stack below.
 */
#ifndef HPRENDER_DIFF_H
#define HPRENDER_DIFF_H

#include "hpfile/diff.h"
#include "hprender/render.h"

HPF_BEGIN_DECLS

/* Most bands of such a chart, and the number if the options say 0. */
#define HPR_DIFF_MOST_BANDS 500

/* Creates a chart with a base (chart.h); free it with hpr_chart_destroy. `surveys` are the two that
 * `diff` was made from. Of the options, other selections than `n_bands`, and orders, are ignored;
 * `by_sample` compares samples of equal number. Errors: RANGE if the profiles do not overlap in
 * time; MEMORY; from hpf_survey_series. */
HPF_API HPF_MUST_USE hpf_status hpr_diff_chart_create(hpr_chart **out, const hpf_diff *diff,
                                                      hpf_survey *const surveys[2],
                                                      const hpr_options *options,
                                                      hpr_measurer measurer, hpf_error *err);

HPF_END_DECLS
#endif

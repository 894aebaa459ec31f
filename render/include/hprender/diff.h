/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The difference of two profiles as a graph of signed bands: what grew is stacked above zero, what
 * shrank below, over the stretch of time that both profiles have, without empty samples at their
 * ends.
 *
 * Both are compared at every moment at which one of them was sampled; between samples amounts are
 * joined by straight lines, as a graph does. A band that is larger at one time and smaller at
 * another is in both stacks, in one colour. Drawn are the names with the largest area between the
 * lines of old and new; the band OTHER is the difference of all the others together. The line is
 * the difference of the totals: what stands above zero minus what hangs below.
 */
#ifndef HPRENDER_DIFF_H
#define HPRENDER_DIFF_H

#include "hpfile/diff.h"
#include "hprender/render.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpr_diff_options {
    hpr_options chart; /* of the modern look: bands, size, theme, text and colours. `by_sample`: the
                          n-th sample of one against the n-th of the other; no other selection or
                          order has a meaning */
    hpf_str title;     /* stands where the program of a profile stands; borrowed during the call */
} hpr_diff_options;

/* Most bands that can be asked for; 0 in the options asks for as many. */
#define HPR_DIFF_MOST_BANDS 500

/* A chart with a base (chart.h). `surveys` are the two that `diff` was made of. Errors: RANGE when
 * the profiles have no stretch of time in common; MEMORY; those of hpf_survey_series. */
HPF_API HPF_MUST_USE hpf_status hpr_diff_chart_create(hpr_chart **out, const hpf_diff *diff,
                                                      hpf_survey *const surveys[2],
                                                      const hpr_diff_options *options,
                                                      hpr_measurer measurer, hpf_error *err);

/* Chart, scene, back end, as hpr_render. Errors: also UNSUPPORTED for a back end that can only
 * stack bands on zero. */
HPF_API HPF_MUST_USE hpf_status hpr_diff_render(const hpf_diff *diff, hpf_survey *const surveys[2],
                                                const hpr_diff_options *options,
                                                const hpr_backend *backend,
                                                const hpr_output *output, hpf_sink *sink,
                                                hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif

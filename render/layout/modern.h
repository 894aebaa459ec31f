/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What charts of differences and pages of several charts share with the modern look.
 */
#ifndef HPR_MODERN_H
#define HPR_MODERN_H

#include "chart/chart.h"
#include "style/palette.h"
#include "chart/band_assignment.h"

/* The colour that the options give a name, or NULL. */
const hpr_colour *hpr__pinned_colour(const hpr_options *options, hpf_str name);

/* What `n` bands are filled with, bottom first, in the theme of the options. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_fill(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                                         const hpr_options *options, hpf_arena *arena,
                                         hpf_error *err);

/* The same for the bands of a chart, which gives them to these. `absent`, by band, has a bit for
 * each of several stacks that do not have it; NULL: there is one stack. */
HPF_MUST_USE hpf_status hpr__modern_fill_bands(hpr__chart *chart, const uint64_t *absent,
                                               const hpr_options *options, hpf_error *err);

/* The bands of a plan with their series: cumulated, in percents if the options say so, not yet in
 * order. Errors: those of hpf_survey_series; MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_fetch(hpr__chart *chart, hpf_survey *survey,
                                          const hpr__assignment *plan, const hpr_options *options,
                                          hpf_error *err);

#endif

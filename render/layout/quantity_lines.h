/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which lines are drawn over the bands, and where they are: a part of the step *scale* of the
 * modern look, since the y axis reaches over them.
 */
#ifndef HPR_QUANTITY_LINES_H
#define HPR_QUANTITY_LINES_H

#include "chart/chart.h"

/* Fills the chart's lines. The bands are cumulated. Without a survey there are none.
 * Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__quantity_lines_choose(hpr__chart *chart, const hpf_survey *survey,
                                                   const hpr_options *options, hpf_error *err);

#endif

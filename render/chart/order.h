/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The step *order* of the modern look: which band is stacked on which.
 *
 * OTHER goes on top, so that its noise does not move the other bands; hp2ps has it at the bottom.
 * The order of least wiggle (wiggle.h) is never worse than the order of hp2ps with OTHER in the
 * same place. OTHER on top may cost 1 % more wiggle than the order of hp2ps as it is; if it would
 * cost more, OTHER is placed like any other band, and the order is never worse than hp2ps's. OTHER
 * also leaves the top when a list of names places it.
 */
#ifndef HPR_ORDER_H
#define HPR_ORDER_H

#include "chart/chart.h"

/* Permutes the bands of the chart, which are fetched as in `assignment`. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_order(hpr__chart *chart, const hpr__assignment *assignment,
                                          const hpr_options *options, hpf_error *err);

#endif

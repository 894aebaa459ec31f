/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The step *order* of the modern look: which band lies on which.
 *
 * OTHER lies on top, where its noise lifts nobody; hp2ps has it at the bottom. The order of least
 * wiggle never moves more than hp2ps's order with OTHER in the same place. Against hp2ps's order as
 * it is, OTHER on top may cost one part in a hundred; where it would cost more, it is searched a
 * place like any other band, and the order never moves more than that one. OTHER also leaves the
 * top when a list says so.
 */
#ifndef HPR_ORDER_H
#define HPR_ORDER_H

#include "chart/chart.h"
#include "chart/band_assignment.h"

/* Permutes the chart's bands, which are those of `plan` as fetched. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_order(hpr__chart *chart, const hpr__assignment *plan,
                                          const hpr_options *options, hpf_error *err);

#endif

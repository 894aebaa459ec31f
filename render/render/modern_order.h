/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The step *order* of the modern look: which band lies on which. OTHER stays on top, where its
 * noise lifts nobody; two orders are compared with OTHER in the same place.
 */
#ifndef HPR_MODERN_ORDER_H
#define HPR_MODERN_ORDER_H

#include "chart.h"

/* Permutes the chart's fetched bands. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_order(hpr__chart *chart, hpr_order order, bool reverse,
                                          hpf_error *err);

#endif

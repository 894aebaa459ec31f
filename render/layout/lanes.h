/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes below the plot: allocation, pauses, threads and sparks of a run-time system.
 */
#ifndef HPR_LANES_H
#define HPR_LANES_H

#include "chart/chart.h"

/* Creates the lanes for which there are records, with their names and notes, and reserves their
 * height. Call it before the heights of the rows are set. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__lanes_create(hpr__chart *chart, const hpr_options *options,
                                          hpf_error *err);

/* Fills in the places and amounts of the lanes. The plot and the x axis must be final. Errors:
 * MEMORY. */
HPF_MUST_USE hpf_status hpr__lanes_place(hpr__chart *chart, const hpr_options *options,
                                         hpf_error *err);

#endif

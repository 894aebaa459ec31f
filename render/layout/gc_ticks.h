/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Collections as ticks along the upper edge of the plot: where they stand, and drawing them.
 */
#ifndef HPR_GC_TICKS_H
#define HPR_GC_TICKS_H

#include "layout/geometry.h"

/* From the upper edge of the plot, where ticks begin, to what may be drawn below them. */
#define HPR__GC_TICKS_PT 9.0

/* Places those of the options that are within the chart's times; of ticks too near to each other
 * one is left, a major one before others. The x axis is settled. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__gc_ticks_place(hpr__chart *chart, const hpr_options *options,
                                            hpf_error *err);

#endif

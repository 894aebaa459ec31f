/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A key in the plot. Names whose bands have hardly any thickness at the right end have little of a
 * margin there; where the plot is empty above those ends, they stand there, and the plot keeps the
 * width of the margin.
 */
#ifndef HPR_INSET_LEGEND_H
#define HPR_INSET_LEGEND_H

#include "layout/labels.h"

/* Places all names that are due in the plot, at its right, low above the bands, if all are of that
 * kind and have room there, clear of the peak's text. The plot's box and the y axis are final.
 * Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__inset_legend_place(bool *is_placed, hpr__chart *chart,
                                                const hpr__label_style *style, bool si_units,
                                                hpf_error *err);

#endif

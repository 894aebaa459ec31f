/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A legend: the names of all bands with their swatches, in rows and columns, the top band first,
 * column by column.
 */
#ifndef HPR_LEGEND_H
#define HPR_LEGEND_H

#include "labels.h"

typedef struct hpr__legend {
    size_t n_columns, n_rows;
    size_t n_shown; /* bands that have a place; if not all have, one more place says how many */
    double size_pt; /* of the font */
    double pitch_pt;
    double *columns_pt; /* n_columns widths, in the arena of the chart */
    double width_pt, height_pt;
} hpr__legend;

/* Finds the arrangement that fits into a box: with the largest font; if none does, with the
 * smallest one and names cut short, and at last without the smallest bands. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__legend_fit(hpr__legend *out, hpr__chart *chart,
                                        const hpr__label_style *style, double width_pt,
                                        double height_pt, hpf_error *err);

/* Makes the labels of the bands those of the legend (HPR_LABEL_KEY), its upper left corner being at
 * a place of the chart; heights are upwards. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__legend_place(hpr__chart *chart, const hpr__legend *legend,
                                          const hpr__label_style *style, double left_pt,
                                          double top_pt, hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A legend: the names of all bands with their swatches, in rows and columns, the top band first,
 * column by column. Each column is as wide as its widest name.
 */
#ifndef HPR_LEGEND_H
#define HPR_LEGEND_H

#include "layout/labels.h"

typedef struct hpr__legend {
    size_t n_columns, n_rows;
    size_t n_shown;  /* bands that have a place; if not all have, one more place says how many */
    bool is_cut;     /* names are cut short, or there is not even a place for all */
    double size_pt;  /* of the font */
    double pitch_pt; /* from row to row */
    const double *ends_pt;      /* n_columns: where each ends, its gap included, from the left */
    double width_pt, height_pt; /* without a gap behind the last column */
} hpr__legend;

/* What an arrangement has to fit into. */
typedef struct hpr__legend_box {
    double width_pt, height_pt;
    bool is_tall; /* as few columns as there can be, instead of as few rows */
} hpr__legend_box;

/* Finds the arrangement that fits into a box: with the largest font; if none does, with the
 * smallest one and names cut short, and at last without the smallest bands. Memory from the chart's
 * arena. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__legend_fit(hpr__legend *out, hpr__chart *chart,
                                        const hpr__label_style *style, const hpr__legend_box *box,
                                        hpf_error *err);

/* Makes the labels of the bands those of the legend (HPR_LABEL_KEY), its upper left corner being at
 * a place of the chart; heights are upwards. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__legend_place(hpr__chart *chart, const hpr__legend *legend,
                                          const hpr__label_style *style, double left_pt,
                                          double top_pt, hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Legends: names of bands with their swatches, the top band first.
 *
 * A legend outside the plot has rows and columns, filled column by column; each column is as wide
 * as its widest name. An inset legend is one column in an empty corner of the plot. It holds names
 * whose bands have almost no thickness at the right end, where a leader would point at nothing.
 */
#ifndef HPR_LEGEND_H
#define HPR_LEGEND_H

#include "layout/labels.h"

typedef struct hpr__legend {
    size_t n_columns, n_rows;
    size_t n_shown;        /* bands with a place; if some have none, one more place says how many */
    bool is_cut;           /* names are elided, or some have no place */
    double size_pt;        /* of the font */
    double pitch_pt;       /* from row to row */
    const double *ends_pt; /* n_columns: right ends, including the gap, from the left */
    double width_pt, height_pt; /* without the gap after the last column */
    double head_pt;             /* of the height, for what all names have in common */
} hpr__legend;

/* What a legend has to fit into. */
typedef struct hpr__legend_box {
    double width_pt, height_pt;
    bool is_tall; /* prefer few columns to few rows */
} hpr__legend_box;

/* Finds the arrangement with the largest font that fits into the box. If there is none, takes the
 * smallest font, elides names, and as a last resort omits the smallest bands. Takes memory from the
 * arena of the chart. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__legend_fit(hpr__legend *out, hpr__chart *chart,
                                        const hpr__label_style *style, const hpr__legend_box *box,
                                        hpf_error *err);

/* Sets the labels of the bands to their places in the legend (HPR_LABEL_LEGEND), whose upper left
 * corner is at (left_pt, top_pt). Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__legend_place(hpr__chart *chart, const hpr__legend *legend,
                                          const hpr__label_style *style, double left_pt,
                                          double top_pt, hpf_error *err);

/* Tries to place all names that are due in an inset legend: at the right of the plot, low above the
 * bands, clear of the text of the peak. Sets `*is_placed`. The box of the plot and the y axis must
 * be final. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__inset_legend_place(bool *is_placed, hpr__chart *chart,
                                                const hpr__label_style *style, bool si_units,
                                                hpf_error *err);

#endif

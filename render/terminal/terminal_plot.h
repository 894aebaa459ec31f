/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Draws a chart in the cells of a terminal: bands in eighths of a cell, axes, marks, names.
 */
#ifndef HPR_TERMINAL_PLOT_H
#define HPR_TERMINAL_PLOT_H

#include "hprender/chart.h"
#include "hprender/text.h"

#include "terminal/screen.h"

/* Size of a cell for the layout of the chart, so that ticks do not overlap. */
#define HPR__CELL_WIDTH_PT  6.0
#define HPR__CELL_HEIGHT_PT 12.0

typedef struct hpr__terminal_style {
    hpr__screen_depth depth;
    bool is_utf8;
    bool is_dark;
    bool si_units;
    hpf_str chosen; /* the selected band; empty: none */
} hpr__terminal_style;

/* Part of a screen. */
typedef struct hpr__terminal_box {
    int row, column, rows, columns;
} hpr__terminal_box;

/* Measures texts for the layout of the chart: all characters have the same width. */
HPF_API hpr_text_size hpr__terminal_measure(void *context, const char *text, double size_pt,
                                            bool bold);

/* Draws axes, bands and marks, and to the right, if there is room, names with their last amounts.
 */
HPF_API void hpr__terminal_draw(hpr__screen *s, const hpr__terminal_box *box,
                                const hpr_chart *chart, const hpr__terminal_style *style);

/* Writes an amount with its unit, such as "12.3 MiB". `out` has room for 80 bytes. */
HPF_API void hpr__terminal_amount(char *out, const hpr_chart *chart, double amount, bool si_units);

/* Returns the last point that is not empty, or 0. */
HPF_API size_t hpr__terminal_last_point(const hpr_chart *chart);

#endif

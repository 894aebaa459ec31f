/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Draws a chart in the cells of a terminal: bands in eighths of a cell, axes, marks, names.
 */
#ifndef CENSUS_WATCH_TTY_PLOT_H
#define CENSUS_WATCH_TTY_PLOT_H

#include "hprender/chart.h"

#include "screen.h"

/* Size of a cell for the layout of the chart, so that ticks do not overlap. */
#define TTY_CELL_WIDTH_PT  6.0
#define TTY_CELL_HEIGHT_PT 12.0

typedef struct tty_plot_style {
    screen_depth depth;
    bool is_utf8;
    bool is_dark;
    bool si_units;
    hpf_str chosen; /* the selected band; empty: none */
} tty_plot_style;

/* Part of a screen. */
typedef struct tty_box {
    int row, column, rows, columns;
} tty_box;

/* Draws axes, bands and marks, and to the right, if there is room, names with their last amounts.
 */
void tty_plot_draw(screen *s, const tty_box *box, const hpr_chart *chart,
                   const tty_plot_style *style);

/* Writes an amount with its unit, such as "12.3 MiB". `out` has room for 80 bytes. */
void tty_plot_amount(char *out, const hpr_chart *chart, double amount, bool si_units);

/* Returns the last point that is not empty, or 0. */
size_t tty_plot_last_point(const hpr_chart *chart);

#endif

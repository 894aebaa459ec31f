/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A chart in the cells of a terminal: bands in eighths of a cell, axes, marks, names. Pure: from a
 * chart to a screen.
 */
#ifndef CENSUS_WATCH_TTY_PLOT_H
#define CENSUS_WATCH_TTY_PLOT_H

#include "hprender/chart.h"

#include "screen.h"

/* How large the chart is to be laid out, so that its ticks have room between them. */
#define TTY_CELL_WIDTH_PT  6.0
#define TTY_CELL_HEIGHT_PT 12.0

typedef struct tty_plot_style {
    screen_depth depth;
    bool is_utf8;
    bool is_dark;
    bool si_units;
    hpf_str chosen; /* the band that stands out from the others; empty: none does */
} tty_plot_style;

/* The part of a screen that the picture may have. */
typedef struct tty_box {
    int row, column, rows, columns;
} tty_box;

/* Draws axes, bands, marks, and at the right, where there is room, the names with what they cost at
 * the end. */
void tty_plot_draw(screen *s, const tty_box *box, const hpr_chart *chart,
                   const tty_plot_style *style);

/* Writes an amount with its unit, such as "12.3 MiB". `out` has room for 80 bytes. */
void tty_plot_amount(char *out, const hpr_chart *chart, double amount, bool si_units);

/* The point at the end that is not empty, if there is one. */
size_t tty_plot_last_point(const hpr_chart *chart);

#endif

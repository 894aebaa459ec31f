/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing points cell by cell.
 */
#include "output/downsample.h"

#include <stdlib.h>

#include "layout/geometry.h"

#define CELL_PT 0.8 /* more points than two in a cell cannot be told apart */

typedef struct choice {
    const hpr_chart *chart;
    const double *amounts;
    size_t *shown;
    size_t n;
    double cell_pt;
} choice;

static void show_point(choice *c, size_t index)
{
    if (c->n == 0 || c->shown[c->n - 1] < index) {
        c->shown[c->n++] = index;
    }
}

/* Of the points [begin, end) of one cell, shows the lowest and the highest by amount. */
static void show_cell(choice *c, size_t begin, size_t end)
{
    const double *amounts = c->amounts;
    size_t low = begin;
    size_t high = begin;
    for (size_t i = begin; i < end; i++) {
        low = amounts[i] < amounts[low] ? i : low;
        high = amounts[i] > amounts[high] ? i : high;
    }
    show_point(c, low < high ? low : high);
    show_point(c, low < high ? high : low);
}

static size_t cell_of(const choice *c, size_t point)
{
    const hpr_chart *chart = c->chart;
    return (size_t)((hpr__x_of(chart, chart->xs[point]) - chart->plot_x_pt) / c->cell_pt);
}

static void show_cells(choice *c, size_t n_points)
{
    show_point(c, 0);
    for (size_t begin = 0, end; begin < n_points; begin = end) {
        size_t cell = cell_of(c, begin);
        for (end = begin + 1; end < n_points && cell_of(c, end) == cell; end++) {
        }
        show_cell(c, begin, end);
    }
    show_point(c, n_points - 1);
}

size_t *hpr__downsample(size_t *n, const hpr_chart *chart, const double *amounts, size_t most)
{
    double cells = most > 0 ? (double)most / 2 : chart->plot_width_pt / CELL_PT;
    choice c = {
        .chart = chart,
        .amounts = amounts,
        .shown = calloc(chart->n_points + 1, sizeof *c.shown),
        .cell_pt = chart->plot_width_pt / cells,
    };
    if (c.shown && (double)chart->n_points <= 2 * cells) {
        for (size_t i = 0; i < chart->n_points; i++) {
            show_point(&c, i);
        }
    } else if (c.shown) {
        show_cells(&c, chart->n_points);
    }
    *n = c.n;
    return c.shown;
}

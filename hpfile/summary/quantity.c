/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Points gather until the limit, then are sorted and divided by time into cells of equal width, of
 * which each keeps its smallest and its largest point. That at least halves them, so a point is
 * sorted a bounded number of times on average.
 */
#include "summary/quantity.h"

#include <stdlib.h>

#include "base/array.h"
#include "hpfile/str.h"

/* Two points for each cell and the last one are less than half of the limit. */
#define N_CELLS (HPF__QUANTITY_MAX_POINTS / 4 - 1)

int hpf__compare_points(const void *left, const void *right)
{
    const hpf_quantity_point *a = left;
    const hpf_quantity_point *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return (a->value > b->value) - (a->value < b->value);
}

static bool is_sorted(const hpf__quantity *quantity)
{
    size_t i = 1;
    while (i < quantity->n_points &&
           hpf__compare_points(&quantity->points[i - 1], &quantity->points[i]) <= 0) {
        i++;
    }
    return i >= quantity->n_points;
}

static void sort_points(hpf__quantity *quantity)
{
    if (!is_sorted(quantity)) {
        qsort(quantity->points, quantity->n_points, sizeof *quantity->points, hpf__compare_points);
    }
}

/* Moves the two extreme points of points[from, to) to `out`, in their order. */
static size_t keep_extremes(hpf_quantity_point *points, size_t from, size_t to, size_t out)
{
    size_t low = from;
    size_t high = from;
    for (size_t i = from + 1; i < to; i++) {
        low = points[i].value < points[low].value ? i : low;
        high = points[i].value > points[high].value ? i : high;
    }
    hpf_quantity_point first = points[low < high ? low : high];
    hpf_quantity_point second = points[low < high ? high : low];
    points[out++] = first;
    if (low != high) {
        points[out++] = second;
    }
    return out;
}

static void thin(hpf__quantity *quantity)
{
    sort_points(quantity);
    hpf_quantity_point *points = quantity->points;
    size_t n = quantity->n_points;
    hpf_quantity_point last = points[n - 1];
    double width = (last.time - points[0].time) / N_CELLS;
    double begin = points[0].time;
    size_t out = 0;
    size_t i = 0;
    for (int cell = 1; cell <= N_CELLS; cell++) {
        size_t from = i;
        while (i < n && (cell == N_CELLS || points[i].time < begin + width * cell)) {
            i++;
        }
        out = i > from ? keep_extremes(points, from, i, out) : out;
    }
    if (hpf__compare_points(&points[out - 1], &last) != 0) {
        points[out++] = last;
    }
    quantity->n_points = out;
}

bool hpf__quantities_add(hpf__quantities *quantities, hpf_str name, hpf_quantity_point point)
{
    uint32_t number;
    bool is_new;
    if (!HPF__ARRAY_RESERVE_ZEROED(quantities->all, quantities->capacity,
                                   (size_t)quantities->names.n_names + 1) ||
        hpf__intern_add(&quantities->names, name, &number, &is_new) != HPF_OK) {
        return false;
    }
    hpf__quantity *quantity = &quantities->all[number];
    if (quantity->n_points == HPF__QUANTITY_MAX_POINTS) {
        thin(quantity);
    }
    if (!HPF__ARRAY_RESERVE(quantity->points, quantity->capacity, quantity->n_points + 1)) {
        return false;
    }
    quantity->points[quantity->n_points++] = point;
    return true;
}

hpf_str hpf__quantities_name(const hpf__quantities *quantities, hpf_str name)
{
    uint32_t number;
    return hpf__intern_find(&quantities->names, name, &number) ? quantities->names.names[number]
                                                               : name;
}

bool hpf__quantities_settle(hpf__quantities *quantities)
{
    free(quantities->settled);
    quantities->settled =
        malloc(((size_t)quantities->names.n_names + 1) * sizeof *quantities->settled);
    if (!quantities->settled) {
        return false;
    }
    for (size_t i = 0; i < quantities->names.n_names; i++) {
        hpf__quantity *quantity = &quantities->all[i];
        sort_points(quantity);
        quantities->settled[i] =
            (hpf_quantity){quantities->names.names[i], quantity->points, quantity->n_points};
    }
    return true;
}

void hpf__quantities_finish(hpf__quantities *quantities)
{
    for (size_t i = 0; i < quantities->names.n_names; i++) {
        free(quantities->all[i].points);
    }
    free(quantities->all);
    free(quantities->settled);
    hpf__intern_finish(&quantities->names);
    *quantities = (hpf__quantities){0};
}

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

static int compare_points(const void *left, const void *right)
{
    const hpf_line_point *a = left;
    const hpf_line_point *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return (a->value > b->value) - (a->value < b->value);
}

static bool is_sorted(const hpf__quantity *line)
{
    size_t i = 1;
    while (i < line->n_points && compare_points(&line->points[i - 1], &line->points[i]) <= 0) {
        i++;
    }
    return i >= line->n_points;
}

static void sort_points(hpf__quantity *line)
{
    if (!is_sorted(line)) {
        qsort(line->points, line->n_points, sizeof *line->points, compare_points);
    }
}

/* The two extreme points of points[from, to) move to `out`, in their order. */
static size_t keep_extremes(hpf_line_point *points, size_t from, size_t to, size_t out)
{
    size_t low = from;
    size_t high = from;
    for (size_t i = from + 1; i < to; i++) {
        low = points[i].value < points[low].value ? i : low;
        high = points[i].value > points[high].value ? i : high;
    }
    hpf_line_point first = points[low < high ? low : high];
    hpf_line_point second = points[low < high ? high : low];
    points[out++] = first;
    if (low != high) {
        points[out++] = second;
    }
    return out;
}

static void thin(hpf__quantity *line)
{
    sort_points(line);
    hpf_line_point *points = line->points;
    size_t n = line->n_points;
    hpf_line_point last = points[n - 1];
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
    if (compare_points(&points[out - 1], &last) != 0) {
        points[out++] = last;
    }
    line->n_points = out;
}

static hpf__quantity *find_known(const hpf__quantities *lines, hpf_str name)
{
    for (size_t i = 0; i < lines->n_lines; i++) {
        if (hpf_str_equal(lines->all[i].name, name)) {
            return &lines->all[i];
        }
    }
    return NULL;
}

static hpf__quantity *find_line(hpf__quantities *lines, hpf_arena *arena, hpf_str name)
{
    hpf__quantity *known = find_known(lines, name);
    if (known) {
        return known;
    }
    if (!HPF__ARRAY_RESERVE(lines->all, lines->capacity, lines->n_lines + 1)) {
        return NULL;
    }
    char *copy = hpf_arena_text(arena, name);
    if (!copy) {
        return NULL;
    }
    lines->all[lines->n_lines] = (hpf__quantity){.name = {copy, name.length}};
    return &lines->all[lines->n_lines++];
}

bool hpf__quantities_add(hpf__quantities *lines, hpf_arena *arena, hpf_str name,
                         hpf_line_point point)
{
    hpf__quantity *line = find_line(lines, arena, name);
    if (!line) {
        return false;
    }
    if (line->n_points == HPF__QUANTITY_MAX_POINTS) {
        thin(line);
    }
    if (!HPF__ARRAY_RESERVE(line->points, line->capacity, line->n_points + 1)) {
        return false;
    }
    line->points[line->n_points++] = point;
    return true;
}

hpf_str hpf__quantities_name(const hpf__quantities *lines, hpf_str name)
{
    const hpf__quantity *line = find_known(lines, name);
    return line ? line->name : name;
}

bool hpf__quantities_settle(hpf__quantities *lines)
{
    free(lines->settled);
    lines->settled = malloc((lines->n_lines + 1) * sizeof *lines->settled);
    if (!lines->settled) {
        return false;
    }
    for (size_t i = 0; i < lines->n_lines; i++) {
        hpf__quantity *line = &lines->all[i];
        sort_points(line);
        lines->settled[i] = (hpf_line){line->name, line->points, line->n_points};
    }
    return true;
}

void hpf__quantities_finish(hpf__quantities *lines)
{
    for (size_t i = 0; i < lines->n_lines; i++) {
        free(lines->all[i].points);
    }
    free(lines->all);
    free(lines->settled);
    *lines = (hpf__quantities){0};
}

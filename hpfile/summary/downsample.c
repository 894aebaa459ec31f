/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Few samples are all kept. When there are more, time is divided into cells of equal width, each of
 * which keeps its lowest and its highest sample. The end of the run is not known beforehand, so
 * cells are joined in pairs whenever they have too many samples: not all at once, which would lose
 * half of the detail for one more sample, but some at a time, from the left. When all have been
 * joined, the width has doubled, and the next round begins. Each sample is read once.
 */
#include "summary/downsample.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define DEFAULT_MAX_DRAWN 8192
#define FINEST            0x1p20 /* cells in the time of the first samples */

enum { N_ENDS = 2 }; /* drawn samples in addition to the cells': the first and the last sample */

void hpf__downsample_init(hpf__downsample *p, size_t max_drawn)
{
    max_drawn = max_drawn ? max_drawn : DEFAULT_MAX_DRAWN;
    *p = (hpf__downsample){.max_drawn = max_drawn < 16 ? 16 : max_drawn};
}

void hpf__downsample_finish(hpf__downsample *p)
{
    free(p->all);
    free(p->cells);
    *p = (hpf__downsample){0};
}

/* Adds samples to a cell. Of two with the same total, the earlier one stays. */
static void join(hpf__cell *cell, const hpf_drawn_sample *low, const hpf_drawn_sample *high)
{
    if (low->total < cell->low.total) {
        cell->low = *low;
    }
    if (high->total > cell->high.total) {
        cell->high = *high;
    }
}

static size_t n_samples_in(const hpf__cell *cell)
{
    return cell->low.sample_index == cell->high.sample_index ? 1 : 2;
}

/* Joins the cells from `begin` to `end` that are halves of one; returns how many are left. */
static size_t join_halves(hpf__downsample *p, size_t begin, size_t end)
{
    size_t n = begin;
    for (size_t i = begin; i < end; i++) {
        hpf__cell cell = p->cells[i];
        p->n_in_cells -= n_samples_in(&cell);
        cell.number /= 2;
        if (n > begin && p->cells[n - 1].number == cell.number) {
            n--;
            p->n_in_cells -= n_samples_in(&p->cells[n]);
            join(&p->cells[n], &cell.low, &cell.high);
        } else {
            p->cells[n] = cell;
        }
        p->n_in_cells += n_samples_in(&p->cells[n++]);
    }
    return n - begin;
}

/* Joins some more pairs of cells, so that these have double width. */
static void coarsen(hpf__downsample *p)
{
    size_t begin = p->n_coarse;
    size_t end = begin + p->max_drawn / 8;
    end = end < p->n_cells ? end : p->n_cells;
    while (end < p->n_cells && p->cells[end].number / 2 == p->cells[end - 1].number / 2) {
        end++;
    }
    p->n_coarse += join_halves(p, begin, end);
    memmove(p->cells + p->n_coarse, p->cells + end, (p->n_cells - end) * sizeof *p->cells);
    p->n_cells -= end - p->n_coarse;
    if (p->n_coarse == p->n_cells) {
        p->n_coarse = 0;
        p->width = fmin(2 * p->width, DBL_MAX);
    }
}

/* Returns the number of the cell that contains a time. Widens all cells until that number is small
 * enough. While all times are equal, there is no width, and one cell. */
static uint64_t number_of(hpf__downsample *p, double time)
{
    const double most = 0x1p53;
    double distance = fmin(time - p->first.time, DBL_MAX);
    if (p->width == 0) {
        p->width = distance / FINEST > 0 ? distance / FINEST : distance;
    }
    while (distance > most * p->width) {
        coarsen(p);
    }
    return (uint64_t)(distance / fmax(p->width, DBL_TRUE_MIN));
}

static void add_to_cells(hpf__downsample *p, const hpf_drawn_sample *drawn_sample)
{
    uint64_t number = number_of(p, drawn_sample->time);
    hpf__cell *last = p->n_cells ? &p->cells[p->n_cells - 1] : NULL;
    if (last && last->number == number) {
        p->n_in_cells -= n_samples_in(last);
        join(last, drawn_sample, drawn_sample);
    } else {
        last = &p->cells[p->n_cells++];
        *last = (hpf__cell){number, *drawn_sample, *drawn_sample};
    }
    p->n_in_cells += n_samples_in(last);
    while (p->n_in_cells > p->max_drawn - N_ENDS) {
        coarsen(p);
    }
}

/* Moves the samples, which are too many now, to cells, at first so narrow that each has one. */
static bool begin_cells(hpf__downsample *p)
{
    p->cells = malloc(p->max_drawn * sizeof *p->cells);
    if (!p->cells) {
        return false;
    }
    p->width = fmin(p->all[p->n_all - 1].time - p->first.time, DBL_MAX) / FINEST;
    for (size_t i = 0; i < p->n_all; i++) {
        add_to_cells(p, &p->all[i]);
    }
    p->n_all = 0;
    return true;
}

bool hpf__downsample_add(hpf__downsample *p, const hpf_drawn_sample *drawn_sample)
{
    if (p->n_samples++ == 0) {
        p->first = *drawn_sample;
    }
    p->last = *drawn_sample;
    if (!p->cells && p->n_all == p->max_drawn && !begin_cells(p)) {
        return false;
    }
    if (p->cells) {
        add_to_cells(p, drawn_sample);
        return true;
    }
    return HPF__ARRAY_PUSH(p->all, p->n_all, p->all_capacity, *drawn_sample);
}

static void append(hpf__downsample *p, const hpf_drawn_sample *drawn_sample)
{
    if (p->n_all == 0 || p->all[p->n_all - 1].sample_index < drawn_sample->sample_index) {
        p->all[p->n_all++] = *drawn_sample;
    }
}

static bool copy_cells(hpf__downsample *p, const hpf__downsample *from)
{
    if (!from->cells) {
        free(p->cells);
        p->cells = NULL;
        return true;
    }
    if (!p->cells && !(p->cells = malloc(from->max_drawn * sizeof *p->cells))) {
        return false;
    }
    memcpy(p->cells, from->cells, from->n_cells * sizeof *p->cells);
    return true;
}

bool hpf__downsample_copy(hpf__downsample *p, const hpf__downsample *from)
{
    if (!HPF__ARRAY_RESERVE(p->all, p->all_capacity, from->n_all) || !copy_cells(p, from)) {
        return false;
    }
    if (from->n_all) {
        memcpy(p->all, from->all, from->n_all * sizeof *p->all);
    }
    hpf__downsample copy = *from;
    copy.all = p->all;
    copy.all_capacity = p->all_capacity;
    copy.cells = p->cells;
    *p = copy;
    return true;
}

bool hpf__downsample_settle(hpf__downsample *p)
{
    if (!p->cells) {
        return true;
    }
    if (!HPF__ARRAY_RESERVE(p->all, p->all_capacity, p->n_in_cells + N_ENDS)) {
        return false;
    }
    p->n_all = 0;
    append(p, &p->first);
    for (size_t i = 0; i < p->n_cells; i++) {
        const hpf__cell *cell = &p->cells[i];
        bool low_first = cell->low.sample_index < cell->high.sample_index;
        append(p, low_first ? &cell->low : &cell->high);
        append(p, low_first ? &cell->high : &cell->low);
    }
    append(p, &p->last);
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * All samples as long as they are few; then cells of equal width, at most max_picks / 4 of them.
 * The end of the run is not known beforehand, so the width doubles, joining pairs of cells,
 * whenever a sample falls behind the last cell. Each sample is looked at once, and a doubling
 * halves what is there.
 */
#include "picks.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

#define DEFAULT_MAX_PICKS 8192

void hpf__picks_init(hpf__picks *p, size_t max_picks)
{
    max_picks = max_picks ? max_picks : DEFAULT_MAX_PICKS;
    *p = (hpf__picks){.max_picks = max_picks < 16 ? 16 : max_picks};
}

void hpf__picks_finish(hpf__picks *p)
{
    free(p->all);
    free(p->cells);
    *p = (hpf__picks){0};
}

static size_t max_cells(const hpf__picks *p)
{
    return p->max_picks / 4;
}

/* Of two samples with the same total the earlier one stays. */
static void join(hpf__cell *cell, const hpf_pick *low, const hpf_pick *high)
{
    if (low->total < cell->low.total) {
        cell->low = *low;
    }
    if (high->total > cell->high.total) {
        cell->high = *high;
    }
}

static void put(hpf__picks *p, uint64_t number, const hpf_pick *low, const hpf_pick *high)
{
    if (p->n_cells && p->cells[p->n_cells - 1].number == number) {
        join(&p->cells[p->n_cells - 1], low, high);
    } else {
        p->cells[p->n_cells++] = (hpf__cell){number, *low, *high};
    }
}

static void double_width(hpf__picks *p)
{
    size_t n = p->n_cells;
    p->width *= 2;
    p->n_cells = 0;
    for (size_t i = 0; i < n; i++) {
        hpf__cell cell = p->cells[i];
        put(p, cell.number / 2, &cell.low, &cell.high);
    }
}

/* The width with which `range` fills half of the cells; 0 while time stands still. */
static double width_for(const hpf__picks *p, double range)
{
    double width = range / (double)(max_cells(p) / 2);
    return width > 0 ? width : range;
}

static void add_to_cells(hpf__picks *p, const hpf_pick *pick)
{
    double distance = pick->time - p->first.time;
    if (p->width == 0) {
        p->width = width_for(p, distance);
    }
    while (distance > 0 && distance / p->width >= (double)max_cells(p)) {
        double_width(p);
    }
    put(p, distance > 0 ? (uint64_t)(distance / p->width) : 0, pick, pick);
}

/* Too many samples: from now on in cells. */
static bool begin_cells(hpf__picks *p)
{
    p->cells = malloc(max_cells(p) * sizeof *p->cells);
    if (!p->cells) {
        return false;
    }
    p->width = width_for(p, p->all[p->n_all - 1].time - p->first.time);
    for (size_t i = 0; i < p->n_all; i++) {
        add_to_cells(p, &p->all[i]);
    }
    p->n_all = 0;
    return true;
}

bool hpf__picks_add(hpf__picks *p, const hpf_pick *pick)
{
    if (p->n_samples++ == 0) {
        p->first = *pick;
    }
    p->last = *pick;
    if (!p->cells && p->n_all == p->max_picks && !begin_cells(p)) {
        return false;
    }
    if (p->cells) {
        add_to_cells(p, pick);
        return true;
    }
    hpf_pick *all = hpf__grow(p->all, &p->all_capacity, p->n_all + 1, sizeof *all);
    if (all) {
        p->all = all;
        all[p->n_all++] = *pick;
    }
    return all != NULL;
}

static void append(hpf__picks *p, const hpf_pick *pick)
{
    if (p->n_all == 0 || p->all[p->n_all - 1].sample_index < pick->sample_index) {
        p->all[p->n_all++] = *pick;
    }
}

static bool add_later(hpf__picks *p, const hpf_pick *pick, uint64_t n_before)
{
    hpf_pick shifted = *pick;
    shifted.sample_index += n_before;
    bool is_known = p->n_samples > 0 && p->last.sample_index >= shifted.sample_index;
    return is_known || hpf__picks_add(p, &shifted);
}

bool hpf__picks_join(hpf__picks *p, const hpf__picks *later, uint64_t n_before)
{
    bool is_added = true;
    for (size_t i = 0; i < later->n_all && is_added; i++) {
        is_added = add_later(p, &later->all[i], n_before);
    }
    for (size_t i = 0; i < later->n_cells && is_added; i++) {
        const hpf__cell *cell = &later->cells[i];
        bool low_first = cell->low.sample_index < cell->high.sample_index;
        is_added = add_later(p, low_first ? &cell->low : &cell->high, n_before) &&
                   add_later(p, low_first ? &cell->high : &cell->low, n_before);
    }
    return is_added && (later->n_samples == 0 || add_later(p, &later->last, n_before));
}

static bool copy_cells(hpf__picks *p, const hpf__picks *from)
{
    if (!from->cells) {
        free(p->cells);
        p->cells = NULL;
        return true;
    }
    if (!p->cells && !(p->cells = malloc(max_cells(from) * sizeof *p->cells))) {
        return false;
    }
    memcpy(p->cells, from->cells, from->n_cells * sizeof *p->cells);
    return true;
}

bool hpf__picks_copy(hpf__picks *p, const hpf__picks *from)
{
    hpf_pick *all = hpf__grow(p->all, &p->all_capacity, from->n_all + 1, sizeof *all);
    p->all = all ? all : p->all;
    if (!all || !copy_cells(p, from)) {
        return false;
    }
    if (from->n_all) {
        memcpy(all, from->all, from->n_all * sizeof *all);
    }
    hpf__picks copy = *from;
    copy.all = all;
    copy.all_capacity = p->all_capacity;
    copy.cells = p->cells;
    *p = copy;
    return true;
}

bool hpf__picks_settle(hpf__picks *p)
{
    if (!p->cells) {
        return true;
    }
    hpf_pick *all = hpf__grow(p->all, &p->all_capacity, 2 * p->n_cells + 2, sizeof *all);
    if (!all) {
        return false;
    }
    p->all = all;
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

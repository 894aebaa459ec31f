/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The search works in single precision on the intervals between points that change most. Orders are
 * compared by the exact measure.
 */
#include "base/arena.h"
#include "chart/wiggle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 8,            /* independent sums, so that compilers can use vectors */
    MOST_INTERVALS = 512, /* used by the search; a multiple of LANES */
    MOST_BANDS = 400,     /* above, there is no search */
    LEAST_ROUNDS = 4,     /* with MOST_BANDS bands; */
    MOST_ROUNDS = 64,     /* more for fewer bands, in the same time */
};

double hpr__wiggle_of(const hpr__series *series, const uint32_t *order, uint32_t order_n)
{
    double wiggle = 0;
    for (size_t t = 0; t + 1 < series->n_points; t++) {
        double below = 0; /* movement of the lower edge */
        for (uint32_t i = 0; i < order_n; i++) {
            const double *row = series->values[order[i]];
            double step = row[t + 1] - row[t];
            wiggle += (row[t] + row[t + 1]) / 2 * fabs(below + step / 2);
            below += step;
        }
    }
    return wiggle;
}

/* The intervals of a search: rows of `n`, padded with zeros to a multiple of LANES. */
typedef struct field {
    size_t n;
    float *steps;    /* by band: change of its thickness */
    float *weights;  /* by band: its mean thickness */
    float *base;     /* change of all bands below the band being moved */
    float *below;    /* the same for the place being tried */
    uint32_t *order; /* the current order */
    uint32_t order_n;
} field;

static const float *steps_of(const field *f, uint32_t band)
{
    return f->steps + band * f->n;
}

static const float *weights_of(const field *f, uint32_t band)
{
    return f->weights + band * f->n;
}

/* Returns how much the wiggle grows when the adjacent bands `lower` and `upper` change places.
 * f->below is the change of all bands below both. */
static float cost_of_exchange(const field *f, uint32_t lower, uint32_t upper)
{
    const float *below = f->below;
    const float *ls = steps_of(f, lower), *lw = weights_of(f, lower);
    const float *us = steps_of(f, upper), *uw = weights_of(f, upper);
    float sums[LANES] = {0};
    for (size_t t = 0; t < f->n; t += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            size_t i = t + lane;
            float l_mid = below[i] + 0.5f * ls[i];
            float u_mid = below[i] + 0.5f * us[i];
            sums[lane] += lw[i] * (fabsf(l_mid + us[i]) - fabsf(l_mid)) +
                          uw[i] * (fabsf(u_mid) - fabsf(u_mid + ls[i]));
        }
    }
    float sum = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        sum += sums[lane];
    }
    return sum;
}

static void add_steps(float *restrict sum, const float *restrict steps, size_t n, float sign)
{
    for (size_t t = 0; t < n; t += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            sum[t + lane] += sign * steps[t + lane];
        }
    }
}

static void move_band(uint32_t *order, uint32_t from, uint32_t to)
{
    uint32_t band = order[from];
    if (from < to) {
        memmove(order + from, order + from + 1, (to - from) * sizeof *order);
    } else {
        memmove(order + to + 1, order + to, (from - to) * sizeof *order);
    }
    order[to] = band;
}

/* Moves the band at `place` to its best place, and f->base to the next place. Returns whether the
 * band moved. */
static bool reinsert(field *f, uint32_t place, float least_gain)
{
    uint32_t band = f->order[place];
    uint32_t best = place;
    float best_cost = -least_gain;
    float cost = 0;
    memcpy(f->below, f->base, f->n * sizeof *f->below);
    for (uint32_t i = place + 1; i < f->order_n; i++) { /* upwards */
        cost += cost_of_exchange(f, band, f->order[i]);
        add_steps(f->below, steps_of(f, f->order[i]), f->n, 1);
        if (cost < best_cost) {
            best_cost = cost;
            best = i;
        }
    }
    cost = 0;
    memcpy(f->below, f->base, f->n * sizeof *f->below);
    for (uint32_t i = place; i-- > 0;) { /* downwards */
        add_steps(f->below, steps_of(f, f->order[i]), f->n, -1);
        cost += cost_of_exchange(f, f->order[i], band);
        if (cost < best_cost) {
            best_cost = cost;
            best = i;
        }
    }
    move_band(f->order, place, best);
    /* A band that moved down is now below the next place, like the bands that it passed. */
    add_steps(f->base, steps_of(f, best > place ? f->order[place] : band), f->n, 1);
    return best != place;
}

static void search_insertions(field *f, float least_gain)
{
    bool has_moved = true;
    uint64_t in_time = (uint64_t)LEAST_ROUNDS * MOST_BANDS * MOST_BANDS / f->order_n / f->order_n;
    for (uint64_t round = 0; has_moved && round < MOST_ROUNDS && round < in_time; round++) {
        has_moved = false;
        memset(f->base, 0, f->n * sizeof *f->base);
        for (uint32_t place = 0; place < f->order_n; place++) {
            has_moved |= reinsert(f, place, least_gain);
        }
    }
}

/* An interval and how much changes in it. */
typedef struct busy_interval {
    double amount;
    size_t t;
} busy_interval;

static int compare_busy_interval(const void *a, const void *b)
{
    const busy_interval *x = a;
    const busy_interval *y = b;
    if (x->amount != y->amount) {
        return x->amount > y->amount ? -1 : 1;
    }
    return x->t < y->t ? -1 : x->t > y->t;
}

/* Lists the intervals with the most movement, weighted by thickness; returns how many. */
static size_t list_busy_intervals(const hpr__series *series, busy_interval *intervals)
{
    size_t n = series->n_points - 1;
    for (size_t t = 0; t < n; t++) {
        double moved = 0;
        double thickness = 0;
        for (uint32_t b = 0; b < series->n_bands; b++) {
            const double *row = series->values[b];
            moved += fabs(row[t + 1] - row[t]);
            thickness += row[t] + row[t + 1];
        }
        intervals[t] = (busy_interval){moved * thickness, t};
    }
    qsort(intervals, n, sizeof *intervals, compare_busy_interval);
    return n < MOST_INTERVALS ? n : MOST_INTERVALS;
}

static double largest_value(const hpr__series *series)
{
    double largest = 0;
    for (uint32_t b = 0; b < series->n_bands; b++) {
        for (size_t t = 0; t < series->n_points; t++) {
            largest = fmax(largest, series->values[b][t]);
        }
    }
    return largest;
}

/* Fills the rows of a field, scaled to a largest amount of 1. */
static void fill_field(field *f, const hpr__series *series, const busy_interval *intervals,
                       size_t n_intervals, double largest)
{
    for (uint32_t b = 0; b < series->n_bands; b++) {
        const double *row = series->values[b];
        float *steps = f->steps + b * f->n;
        float *weights = f->weights + b * f->n;
        for (size_t i = 0; i < n_intervals; i++) {
            size_t t = intervals[i].t;
            steps[i] = (float)((row[t + 1] - row[t]) / largest);
            weights[i] = (float)((row[t] / largest + row[t + 1] / largest) / 2);
        }
    }
}

/* Improves f->order. Returns false if there is no memory. */
static bool search_from(field *f, const hpr__series *series, hpf_arena *arena)
{
    double largest = largest_value(series);
    if (f->order_n < 2 || f->order_n > MOST_BANDS || series->n_points < 2 || !(largest > 0)) {
        return true;
    }
    busy_interval *intervals = hpf_arena_array(arena, series->n_points - 1, sizeof *intervals);
    if (!intervals) {
        return false;
    }
    size_t n_intervals = list_busy_intervals(series, intervals);
    f->n = (n_intervals + LANES - 1) / LANES * LANES;
    f->steps = hpf_arena_array(arena, f->n * series->n_bands, sizeof *f->steps);
    f->weights = hpf_arena_array(arena, f->n * series->n_bands, sizeof *f->weights);
    f->base = hpf_arena_array(arena, f->n, sizeof *f->base);
    f->below = hpf_arena_array(arena, f->n, sizeof *f->below);
    if (!f->steps || !f->weights || !f->base || !f->below) {
        return false;
    }
    fill_field(f, series, intervals, n_intervals, largest);
    search_insertions(f, 1e-5f * (float)n_intervals / (float)f->order_n);
    return true;
}

bool hpr__wiggle_minimise(const hpr__series *series, uint32_t *order, uint32_t order_n,
                          const uint32_t *const *seeds, uint32_t n_seeds, hpf_arena *arena)
{
    size_t n_bytes = order_n * sizeof *order;
    double best = hpr__wiggle_of(series, order, order_n);
    for (uint32_t i = 0; i < n_seeds; i++) {
        double wiggle = hpr__wiggle_of(series, seeds[i], order_n);
        if (wiggle < best) {
            best = wiggle;
            memcpy(order, seeds[i], n_bytes);
        }
    }
    field f = {.order = hpf_arena_array(arena, order_n, sizeof *order), .order_n = order_n};
    if (!f.order) {
        return false;
    }
    memcpy(f.order, order, n_bytes);
    if (!search_from(&f, series, arena)) {
        return false;
    }
    if (hpr__wiggle_of(series, f.order, order_n) < best) {
        memcpy(order, f.order, n_bytes);
    }
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds boxes by sliding minima over columns, and spreads labels by isotonic regression.
 */
#include "base/arena.h"
#include "layout/label_space.h"

#include <math.h>
#include <string.h>

bool hpr__extent_init(hpr__extent *extent, hpf_arena *arena, const hpr__columns *columns)
{
    extent->lowest = hpf_arena_array(arena, columns->n, sizeof(double));
    extent->highest = hpf_arena_array(arena, columns->n, sizeof(double));
    return extent->lowest && extent->highest;
}

static size_t column_at(const hpr__columns *columns, double x_pt)
{
    double column = x_pt / columns->width_pt * (double)columns->n;
    if (!(column > 0)) {
        return 0;
    }
    return column < (double)columns->n ? (size_t)column : columns->n - 1;
}

bool hpr__columns_init(hpr__columns *columns, hpf_arena *arena, const double *x_pt, size_t n_points,
                       double width_pt)
{
    size_t n = width_pt >= 1 ? (size_t)fmin(ceil(width_pt), 4000) : 1;
    *columns = (hpr__columns){
        .x_pt = x_pt,
        .n_points = n_points,
        .width_pt = width_pt,
        .n = n,
        .column_of = hpf_arena_array(arena, n_points, sizeof(size_t)),
        .scratch = hpf_arena_array(arena, 2 * n, sizeof(double)),
    };
    for (size_t i = 0; columns->column_of && i < n_points; i++) {
        columns->column_of[i] = column_at(columns, x_pt[i]);
    }
    return columns->column_of && columns->scratch;
}

/* Faster than fmin and fmax, which handle NaN. */
static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline void include(hpr__extent *extent, size_t column, double y_pt)
{
    extent->lowest[column] = smaller(extent->lowest[column], y_pt);
    extent->highest[column] = larger(extent->highest[column], y_pt);
}

/* Includes a segment at each edge of a column that it crosses. */
static void include_crossings(hpr__extent *extent, const hpr__columns *columns, size_t from,
                              double y0, double y1)
{
    double x0 = columns->x_pt[from], x1 = columns->x_pt[from + 1];
    for (size_t column = columns->column_of[from]; column < columns->column_of[from + 1];
         column++) {
        double edge = (double)(column + 1) / (double)columns->n * columns->width_pt;
        double share = x1 > x0 ? fmin(fmax((edge - x0) / (x1 - x0), 0), 1) : 1;
        double y = y0 + share * (y1 - y0);
        include(extent, column, y);
        include(extent, column + 1, y);
    }
}

void hpr__extent_fill(hpr__extent *extent, const hpr__columns *columns, const double *amounts,
                      double pt_per_amount)
{
    if (!amounts || columns->n_points == 0) {
        memset(extent->lowest, 0, columns->n * sizeof(double));
        memset(extent->highest, 0, columns->n * sizeof(double));
        return;
    }
    for (size_t column = 0; column < columns->n; column++) {
        extent->lowest[column] = HUGE_VAL;
        extent->highest[column] = -HUGE_VAL;
    }
    double y = amounts[0] * pt_per_amount;
    for (size_t column = 0; columns->n_points == 1 && column < columns->n; column++) {
        include(extent, column, y);
    }
    include(extent, columns->column_of[0], y);
    for (size_t i = 1; i < columns->n_points; i++) {
        double next_y = amounts[i] * pt_per_amount;
        include_crossings(extent, columns, i - 1, y, next_y);
        include(extent, columns->column_of[i], next_y);
        y = next_y;
    }
    for (size_t column = 0; column < columns->n; column++) {
        if (extent->lowest[column] > extent->highest[column]) { /* outside the curve */
            extent->lowest[column] = 0;
            extent->highest[column] = 0;
        }
    }
}

double hpr__label_space_thickest(const hpr__columns *columns, const hpr__extent *lower,
                                 const hpr__extent *upper)
{
    double thickest = 0;
    for (size_t i = 0; i < columns->n; i++) {
        thickest = larger(thickest, upper->highest[i] - lower->lowest[i]);
    }
    return thickest;
}

/* Replaces each value by the least of the `window` values that begin there; returns for how many
 * values that many exist. */
static size_t window_minima(double *values, size_t n, size_t window)
{
    size_t reach = 1; /* values[i] is the least of this many */
    while (reach < window) {
        size_t step = reach * 2 <= window ? reach : window - reach;
        for (size_t i = 0; i + reach + step <= n; i++) {
            values[i] = smaller(values[i], values[i + step]);
        }
        reach += step;
    }
    return n - window + 1;
}

/* Returns the horizontal centre of the area of a band. */
static double centre_of_area(const hpr__columns *columns, const hpr__extent *lower,
                             const hpr__extent *upper)
{
    double area = 0;
    double moment = 0;
    for (size_t i = 0; i < columns->n; i++) {
        double thickness = larger(upper->highest[i] - lower->lowest[i], 0);
        area += thickness;
        moment += thickness * ((double)i + 0.5);
    }
    double centre = area > 0 ? moment / area : (double)columns->n / 2;
    return centre * columns->width_pt / (double)columns->n;
}

/* Returns how high a place must be: a good part of the highest one, nearly all of it if that is
 * scarcely higher than the box, and at least the box. */
static double least_height(const double *ceilings, const double *floors, size_t n_places,
                           double box_height_pt)
{
    double highest = 0;
    for (size_t i = 0; i < n_places; i++) {
        highest = larger(highest, ceilings[i] + floors[i]);
    }
    double ample = fmin(0.97 * highest, fmax(0.6 * highest, 1.5 * box_height_pt));
    return fmax(ample, box_height_pt);
}

/* Excludes the columns at the rules. */
static void exclude_rules(const hpr__columns *columns, double *ceilings)
{
    const double gap_pt = 1.5;
    for (size_t i = 0; i < columns->n_rules; i++) {
        size_t last = column_at(columns, columns->rules_pt[i] + gap_pt);
        for (size_t k = column_at(columns, columns->rules_pt[i] - gap_pt); k <= last; k++) {
            ceilings[k] = -HUGE_VAL;
        }
    }
}

bool hpr__label_space_find(const hpr__columns *columns, const hpr__extent *lower,
                           const hpr__extent *upper, const hpr__box *box, double *x_pt,
                           double *y_pt)
{
    double column_pt = columns->width_pt / (double)columns->n;
    size_t window = (size_t)ceil(box->width_pt / column_pt) + 1;
    if (window > columns->n) {
        return false;
    }
    double *ceilings = columns->scratch;
    double *floors = columns->scratch + columns->n; /* negated, so that minima work for them too */
    for (size_t i = 0; i < columns->n; i++) {
        ceilings[i] = upper->lowest[i];
        floors[i] = -lower->highest[i];
    }
    if (box->avoids_rules) {
        exclude_rules(columns, ceilings);
    }
    size_t n_places = window_minima(ceilings, columns->n, window);
    window_minima(floors, columns->n, window);
    double enough = least_height(ceilings, floors, n_places, box->height_pt);
    double wanted = centre_of_area(columns, lower, upper);
    double best_distance = HUGE_VAL;
    for (size_t i = 0; i < n_places; i++) {
        double centre = ((double)i + (double)window / 2) * columns->width_pt / (double)columns->n;
        double distance = fabs(centre - wanted);
        if (ceilings[i] + floors[i] >= enough && distance < best_distance) {
            best_distance = distance;
            *x_pt = centre;
            *y_pt = (ceilings[i] - floors[i]) / 2;
        }
    }
    return best_distance < HUGE_VAL;
}

/* Merges pools at the top of the stack while they are out of order; returns how many remain. */
static size_t pool(hpr__label_slot *pools, size_t n_pools)
{
    while (n_pools > 1 && pools[n_pools - 1].pool_mean < pools[n_pools - 2].pool_mean) {
        hpr__label_slot *lower = &pools[n_pools - 2];
        const hpr__label_slot *upper = &pools[n_pools - 1];
        double n = (double)(lower->pool_n + upper->pool_n);
        lower->pool_mean =
            (lower->pool_mean * (double)lower->pool_n + upper->pool_mean * (double)upper->pool_n) /
            n;
        lower->pool_n += upper->pool_n;
        n_pools--;
    }
    return n_pools;
}

void hpr__space_labels(hpr__label_slot *items, size_t n, double pitch, double low, double high)
{
    size_t n_pools = 0;
    for (size_t i = 0; i < n; i++) {
        items[n_pools].pool_mean = items[i].wanted - (double)i * pitch;
        items[n_pools].pool_n = 1;
        n_pools = pool(items, n_pools + 1);
    }
    double highest = n > 0 ? high - (double)(n - 1) * pitch : high;
    size_t i = 0;
    for (size_t p = 0; p < n_pools; p++) {
        double base = items[p].pool_mean;
        base = base > highest ? highest : base;
        base = base < low ? low : base;
        for (size_t member = 0; member < items[p].pool_n; member++) {
            items[i].at = base + (double)i * pitch;
            i++;
        }
    }
}

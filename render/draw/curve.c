/* SPDX-License-Identifier: BSD-2-Clause */
#include "draw/curve.h"

#include <math.h>
#include <stdlib.h>

/* --- simplification ------------------------------------------------------------------------- */

#define DEFAULT_TOLERANCE_PT 0.1

hpr__fineness hpr__fineness_of(const hpr_options *options, double plot_width_pt)
{
    double error_pt = options->tolerance_pt > 0 ? options->tolerance_pt : DEFAULT_TOLERANCE_PT;
    double widest_pt = options->most_points ? 4 * plot_width_pt / (double)options->most_points : 0;
    /* A curve moves within its columns, then up or down: together less than the whole error. */
    return (hpr__fineness){fmax(0.8 * error_pt, widest_pt), 0.6 * error_pt};
}

/* Appends an index unless it is the last one already. Returns the new number of indices. */
static size_t append(size_t *shown, size_t n, size_t index)
{
    if (n == 0 || shown[n - 1] < index) {
        shown[n++] = index;
    }
    return n;
}

/* Lists the first, the lowest, the highest and the last point of each column of the points
 * [begin, end). Returns their number. */
static size_t choose_in_columns(size_t *shown, const hpr_point *points, size_t begin, size_t end,
                                double column_pt)
{
    size_t n = 0;
    for (size_t next; begin < end; begin = next) {
        double column = floor(points[begin].x_pt / column_pt);
        size_t low = begin, high = begin;
        for (next = begin + 1; next < end && floor(points[next].x_pt / column_pt) == column;
             next++) {
            low = points[next].y_pt < points[low].y_pt ? next : low;
            high = points[next].y_pt > points[high].y_pt ? next : high;
        }
        n = append(shown, n, begin);
        n = append(shown, n, low < high ? low : high);
        n = append(shown, n, low < high ? high : low);
        n = append(shown, n, next - 1);
    }
    return n;
}

static double slope_to(hpr_point from, hpr_point to, double offset_pt)
{
    return (to.y_pt + offset_pt - from.y_pt) / (to.x_pt - from.x_pt);
}

/* Removes the indices of points within `tolerance_pt` of the line between the remaining ones; the
 * first and the last stay. Returns how many stay. */
static size_t remove_straight(size_t *shown, size_t n, const hpr_point *points, double tolerance_pt)
{
    if (n < 3) {
        return n;
    }
    size_t n_kept = 1;
    double low = -HUGE_VAL, high = HUGE_VAL; /* slopes from the last point that stays */
    for (size_t i = 1; i + 1 < n; i++) {
        hpr_point from = points[shown[n_kept - 1]];
        hpr_point here = points[shown[i]];
        hpr_point next = points[shown[i + 1]];
        bool is_steep = here.x_pt <= from.x_pt || next.x_pt <= from.x_pt;
        if (!is_steep) {
            low = fmax(low, slope_to(from, here, -tolerance_pt));
            high = fmin(high, slope_to(from, here, tolerance_pt));
        }
        double slope = is_steep ? 0 : slope_to(from, next, 0);
        if (is_steep || slope < low || slope > high) {
            shown[n_kept++] = shown[i];
            low = -HUGE_VAL;
            high = HUGE_VAL;
        }
    }
    shown[n_kept++] = shown[n - 1];
    return n_kept;
}

/* Returns the first point after `begin` that must stay; `last` if there is none. */
static size_t next_kept(size_t begin, size_t last, const size_t *kept, size_t n_kept)
{
    size_t next = last;
    for (size_t i = 0; i < n_kept; i++) {
        if (kept[i] > begin && kept[i] < next) {
            next = kept[i];
        }
    }
    return next;
}

size_t hpr__simplify_polyline(size_t *shown, const hpr_point *points, size_t n, const size_t *kept,
                              size_t n_kept, hpr__fineness fineness)
{
    if (n == 0) {
        return 0;
    }
    size_t extremes[2] = {0, 0};
    for (size_t i = 1; i < n; i++) {
        extremes[0] = points[i].y_pt < points[extremes[0]].y_pt ? i : extremes[0];
        extremes[1] = points[i].y_pt > points[extremes[1]].y_pt ? i : extremes[1];
    }
    size_t n_shown = 1;
    shown[0] = 0;
    for (size_t begin = 0, end; begin + 1 < n; begin = end) {
        end = next_kept(begin, n - 1, kept, n_kept);
        end = next_kept(begin, end, extremes, 2);
        /* The stretch begins with the point that the one before it ended with. */
        size_t *stretch = shown + n_shown - 1;
        size_t n_stretch = choose_in_columns(stretch, points, begin, end + 1, fineness.column_pt);
        n_shown += remove_straight(stretch, n_stretch, points, fineness.tolerance_pt) - 1;
    }
    return n_shown;
}

/* --- curves --------------------------------------------------------------------------------- */

bool hpr__curve_init(hpr__curve *out, hpr__builder *builder, size_t n_points)
{
    *out = (hpr__curve){
        .points = calloc(n_points + 1, sizeof *out->points),
        .n_points = n_points,
        .shown = calloc(n_points + 1, sizeof *out->shown),
    };
    if (!out->points || !out->shown) {
        hpr__curve_finish(out);
        hpr__builder_fail(builder);
        return false;
    }
    return true;
}

void hpr__curve_finish(hpr__curve *curve)
{
    free(curve->points);
    free(curve->shown);
    *curve = (hpr__curve){0};
}

static void find_extremes(size_t out[2], const double *values, size_t n)
{
    out[0] = out[1] = 0;
    for (size_t i = 1; values && i < n; i++) {
        out[0] = values[i] < values[out[0]] ? i : out[0];
        out[1] = values[i] > values[out[1]] ? i : out[1];
    }
}

void hpr__curve_simplify(hpr__curve *curve, const double *below, const double *above, size_t n,
                         hpr__fineness fineness)
{
    size_t kept[4];
    find_extremes(kept, below, n);
    find_extremes(kept + 2, above, n);
    curve->n_shown =
        hpr__simplify_polyline(curve->shown, curve->points, curve->n_points, kept, 4, fineness);
}

/* Returns the first point after `begin` that is in another cell of the width of the plot, or the
 * last point. */
static size_t end_of_cell(const hpr__curve *curve, size_t begin, double width_pt,
                          unsigned *crowding)
{
    const double cell_pt = 12, least_pt = 4, steep_pt = 2;
    double covered_pt = 0, left_pt = curve->points[curve->shown[begin]].x_pt;
    double cell = floor(left_pt / cell_pt);
    size_t end = begin;
    hpr_point here, next;
    do {
        here = curve->points[curve->shown[end]];
        next = curve->points[curve->shown[++end]];
        double rise_pt = fabs(next.y_pt - here.y_pt);
        bool is_steep = rise_pt > steep_pt && rise_pt > 2 * (next.x_pt - here.x_pt);
        covered_pt += is_steep ? width_pt : 0;
    } while (end + 1 < curve->n_shown && floor(next.x_pt / cell_pt) == cell);
    double covered = covered_pt / fmax(next.x_pt - left_pt, least_pt);
    for (*crowding = 0; covered > 0.5 && *crowding < HPR__MOST_CROWDED; covered /= 2) {
        ++*crowding;
    }
    return end;
}

size_t hpr__curve_stretch(const hpr__curve *curve, size_t begin, double width_pt,
                          unsigned *crowding)
{
    size_t end = end_of_cell(curve, begin, width_pt, crowding);
    while (end + 1 < curve->n_shown) {
        unsigned next;
        size_t end_of_next = end_of_cell(curve, end, width_pt, &next);
        if (next != *crowding) {
            break;
        }
        end = end_of_next;
    }
    return end;
}

hpr_point *hpr__curve_points(hpr__builder *builder, const hpr__curve *curve)
{
    hpr_point *points = hpr__builder_points(builder, curve->n_shown);
    for (size_t i = 0; points && i < curve->n_shown; i++) {
        points[i] = curve->points[curve->shown[i]];
    }
    return points;
}

hpr_point *hpr__curve_area(hpr__builder *builder, const hpr__curve *along, const hpr__curve *back,
                           size_t *n)
{
    *n = along->n_shown + back->n_shown;
    hpr_point *points = hpr__builder_points(builder, *n);
    for (size_t i = 0; points && i < along->n_shown; i++) {
        points[i] = along->points[along->shown[i]];
    }
    for (size_t i = 0; points && i < back->n_shown; i++) {
        points[*n - 1 - i] = back->points[back->shown[i]];
    }
    return points;
}

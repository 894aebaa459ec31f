/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The bands of the modern look: polygons with hairlines between them and the line of the total, or
 * unstacked lines.
 */
#include "draw_modern.h"

#include <math.h>
#include <stdlib.h>

#include "detail.h"
#include "hatch.h"
#include "marker.h"
#include "points.h"
#include "thin.h"

#define OUTLINE_PT      0.8  /* the total */
#define LINE_PT         1.2  /* a band that is a line */
#define MARKER_STEP_PT  42.0 /* between the markers of a line */
#define HATCH_PT        0.35 /* lines of a hatch */
#define LEAST_PARTED_PT 1.0  /* bands thinner than this have no hairline: it would hide them */
#define THINNED_PT      0.03 /* what a curve may lose */

/* Chosen points of a chart. */
typedef struct choice {
    size_t *points;
    size_t n;
} choice;

/* How many points write_curve writes. */
static size_t length_of(const choice *shown)
{
    return shown->n == 1 ? 2 : shown->n;
}

/* Writes a curve from left to right; one point alone is level from end to end. */
static void write_curve(const hpr__drawing *d, const choice *shown, hpr_point *points,
                        const double *amounts)
{
    const hpr_chart *chart = d->chart;
    for (size_t i = 0; i < shown->n; i++) {
        size_t point = shown->points[i];
        points[i] =
            hpr__at(d, hpr__x_of(chart, chart->xs[point]), hpr__y_of(chart, amounts[point]));
    }
    if (shown->n == 1) {
        points[1] = points[0];
        points[0].x_pt = hpr__at(d, chart->plot_x_pt, 0).x_pt;
        points[1].x_pt = hpr__at(d, hpr__right_of_plot(chart), 0).x_pt;
    }
}

void hpr__draw_hatch(const hpr__drawing *d, const hpr_point *points, size_t n, const hpr_fill *fill)
{
    if (fill->hatch_gap_pt > 0) {
        hpr__hatch(d->ink, points, n, fill->hatch_deg, fill->hatch_gap_pt,
                   hpr__paint_stroke(d->theme->ink, HATCH_PT));
    }
}

/* --- on each other -------------------------------------------------------------------------- */

/* Writes what the bands stand on, from right to left below the ends of a curve of `n` points,
 * behind it: the axis, or the base of a chart of differences. Returns the number of points of both.
 */
static size_t write_base(const hpr__drawing *d, const choice *shown, hpr_point *points, size_t n)
{
    if (!d->chart->base) {
        double base = hpr__at(d, 0, d->chart->plot_y_pt).y_pt;
        points[n] = (hpr_point){points[n - 1].x_pt, base};
        points[n + 1] = (hpr_point){points[0].x_pt, base};
        return n + 2;
    }
    hpr_point *base = points + n;
    write_curve(d, shown, base, d->chart->base);
    size_t n_base = hpr__thin(base, length_of(shown), THINNED_PT);
    for (size_t i = 0; i < n_base / 2; i++) {
        hpr_point left = base[i];
        base[i] = base[n_base - 1 - i];
        base[n_base - 1 - i] = left;
    }
    return n + n_base;
}

/* A band is drawn down to the base; the bands below it are drawn over it, so that no paper shines
 * through where two meet. */
static void draw_band(const hpr__drawing *d, const choice *shown, const hpr_band *band)
{
    hpr_point *points = hpr__ink_points(d->ink, 2 * length_of(shown) + 2);
    if (!points) {
        return;
    }
    write_curve(d, shown, points, band->upper);
    size_t n = hpr__thin(points, length_of(shown), THINNED_PT);
    n = write_base(d, shown, points, n);
    hpr__ink_group_begin(d->ink, hpr__tip(band));
    hpr__ink_polygon_owned(d->ink, points, n, hpr__paint_fill(band->fill.colour),
                           hpr__paint_none());
    hpr__draw_hatch(d, points, n, &band->fill);
    hpr__ink_group_end(d->ink);
}

/* Whether the bands on both sides of the upper edge of `band` are thick enough at the i-th point of
 * a curve to be parted by a hairline. */
static bool is_parted(const hpr_chart *chart, const choice *shown, uint32_t band, size_t i)
{
    size_t point = shown->points[shown->n == 1 ? 0 : i];
    double below = chart->bands[band].values[point];
    double above = chart->bands[band + 1].values[point];
    return hpr__height_of(chart, fmin(below, above)) >= LEAST_PARTED_PT;
}

/* The hairline on the upper edge of a band, in as many pieces as it takes. */
static void draw_hairline(const hpr__drawing *d, const choice *shown, uint32_t band,
                          hpr_point *scratch)
{
    hpr_paint paint = hpr__paint_stroke(d->theme->edge, HPR__HAIRLINE_PT);
    size_t length = length_of(shown);
    write_curve(d, shown, scratch, d->chart->bands[band].upper);
    for (size_t begin = 0, end; begin < length; begin = end + 1) {
        end = begin;
        while (end < length && is_parted(d->chart, shown, band, end)) {
            end++;
        }
        if (end > begin) {
            size_t n = hpr__thin(scratch + begin, end - begin, THINNED_PT);
            hpr__ink_line(d->ink, scratch + begin, n, paint);
        }
    }
}

static void draw_curve(const hpr__drawing *d, const choice *shown, const double *amounts,
                       hpr_paint paint)
{
    hpr_point *points = hpr__ink_points(d->ink, length_of(shown));
    if (points) {
        write_curve(d, shown, points, amounts);
        hpr__ink_line_owned(d->ink, points, hpr__thin(points, length_of(shown), THINNED_PT), paint);
    }
}

/* What lies around signed bands: their outer edges, and zero between them. */
static void draw_frame(const hpr__drawing *d, const choice *shown)
{
    const hpr_chart *chart = d->chart;
    hpr_paint edge = hpr__stroke_of(d, d->theme->rule, HPR__HAIRLINE_PT);
    double zero = hpr__y_of(chart, 0);
    draw_curve(d, shown, chart->base, edge);
    draw_curve(d, shown, chart->bands[chart->n_bands - 1].upper, edge);
    hpr__draw_segment(d, chart->plot_x_pt, zero, hpr__right_of_plot(chart), zero,
                      hpr__stroke_of(d, d->theme->outline, HPR__RULE_PT));
}

/* The line of the total lies on the uppermost band; among signed bands it crosses them, with a seam
 * on both sides. */
static void draw_total(const hpr__drawing *d, const choice *shown)
{
    const hpr_chart *chart = d->chart;
    const double *line = chart->bands[chart->n_bands - 1].upper;
    if (chart->base) {
        line = chart->totals;
        draw_frame(d, shown);
        draw_curve(d, shown, line, hpr__stroke_of(d, d->theme->background, 3 * OUTLINE_PT));
    }
    draw_curve(d, shown, line, hpr__stroke_of(d, d->theme->outline, OUTLINE_PT));
}

static bool draw_stack(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    choice shown;
    shown.points = hpr__points_choose(&shown.n, chart, chart->totals, d->most_points);
    if (!shown.points) {
        return false;
    }
    hpr_point *scratch = hpr__ink_points(d->ink, length_of(&shown));
    for (uint32_t i = chart->n_bands; i-- > 0;) {
        draw_band(d, &shown, &chart->bands[i]);
    }
    for (uint32_t i = 0; scratch && i + 1 < chart->n_bands; i++) {
        draw_hairline(d, &shown, i, scratch);
    }
    draw_total(d, &shown);
    free(shown.points);
    return true;
}

/* --- as lines ------------------------------------------------------------------------------- */

hpr_paint hpr__paint_of_line(const hpr__drawing *d, const hpr_band *band)
{
    hpr_paint paint = hpr__stroke_of(d, band->fill.colour, LINE_PT);
    paint.dash_pt = band->fill.dash_pt;
    return paint;
}

/* Markers stand at even distances, those of each line elsewhere. */
static void draw_markers(const hpr__drawing *d, const hpr_band *band)
{
    const hpr_chart *chart = d->chart;
    double phase = ((double)(band - chart->bands) + 0.5) / chart->n_bands;
    double next = chart->plot_x_pt + phase * MARKER_STEP_PT;
    for (size_t i = 1; i < chart->n_points; i++) {
        double from = hpr__x_of(chart, chart->xs[i - 1]), to = hpr__x_of(chart, chart->xs[i]);
        for (; next <= to && to > from; next += MARKER_STEP_PT) {
            double share = (next - from) / (to - from);
            double amount = band->values[i - 1] + share * (band->values[i] - band->values[i - 1]);
            hpr__marker(d->ink, hpr__at(d, next, hpr__y_of(chart, amount)), band->fill.marker,
                        band->fill.colour, d->theme->background);
        }
    }
}

/* Each line shows the points that matter to it. */
static bool draw_line(const hpr__drawing *d, const hpr_band *band)
{
    choice shown;
    shown.points = hpr__points_choose(&shown.n, d->chart, band->values, d->most_points);
    if (!shown.points) {
        return false;
    }
    hpr_point *points = hpr__ink_points(d->ink, length_of(&shown));
    if (points) {
        write_curve(d, &shown, points, band->values);
        hpr__ink_group_begin(d->ink, hpr__tip(band));
        hpr__ink_line_owned(d->ink, points, hpr__thin(points, length_of(&shown), THINNED_PT),
                            hpr__paint_of_line(d, band));
        if (band->fill.marker > 0) {
            draw_markers(d, band);
        }
        hpr__ink_group_end(d->ink);
    }
    free(shown.points);
    return true;
}

bool hpr__draw_bands(const hpr__drawing *d)
{
    if (!d->chart->is_lines) {
        return draw_stack(d);
    }
    bool is_drawn = true;
    for (uint32_t i = 0; i < d->chart->n_bands && is_drawn; i++) {
        const hpr_band *band = &d->chart->bands[i];
        is_drawn = !hpr__is_shown(d->chart, band) || draw_line(d, band);
    }
    return is_drawn;
}

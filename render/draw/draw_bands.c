/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The bands of the modern look: polygons with hairlines between them and the line of the total, or
 * unstacked lines.
 */
#include "draw/draw.h"

#include <math.h>

#include "draw/curve.h"
#include "chart/tooltip.h"
#include "draw/shapes.h"

#define OUTLINE_PT        0.8  /* the total */
#define LINE_PT           1.2  /* a band drawn as a line */
#define MARKER_STEP_PT    42.0 /* between the markers of a line */
#define LEAST_HAIRLINE_PT 1.0  /* a hairline would hide thinner bands */

static bool init_curve(hpr__curve *out, const hpr__drawing *d)
{
    return hpr__curve_init(out, d->builder, d->chart->n_points == 1 ? 2 : d->chart->n_points);
}

static const double *values_of(const hpr_band *band)
{
    return band ? band->values : NULL;
}

/* Sets the points of a curve between two bands, which may be NULL. A single point becomes a level
 * line across the plot. */
static void set_curve(hpr__curve *curve, const hpr__drawing *d, const double *amounts,
                      const hpr_band *below, const hpr_band *above)
{
    const hpr_chart *chart = d->chart;
    for (size_t i = 0; i < chart->n_points; i++) {
        curve->points[i] = hpr__at(d, hpr__x_of(chart, chart->xs[i]), hpr__y_of(chart, amounts[i]));
    }
    if (chart->n_points == 1) {
        curve->points[1] = curve->points[0];
        curve->points[0].x_pt = hpr__at(d, chart->plot_x_pt, 0).x_pt;
        curve->points[1].x_pt = hpr__at(d, hpr__right_of_plot(chart), 0).x_pt;
    }
    hpr__curve_simplify(curve, values_of(below), values_of(above), chart->n_points, d->fineness);
}

static void stroke_curve(const hpr__drawing *d, const hpr__curve *curve, hpr_paint paint)
{
    hpr__builder_line_owned(d->builder, hpr__curve_points(d->builder, curve), curve->n_shown,
                            paint);
}

void hpr__draw_hatch(const hpr__drawing *d, const hpr_point *points, size_t n, const hpr_fill *fill)
{
    hpr_paint paint = hpr__paint_stroke(hpr__hatch_colour(fill), fill->hatch_line_pt);
    paint.dash_pt = fill->hatch_dash_pt;
    for (int i = 0; fill->hatch_gap_pt > 0 && i < 1 + fill->hatch_is_crossed; i++) {
        hpr__hatch(d->builder, points, n, fill->hatch_deg + 90 * i, fill->hatch_gap_pt, paint);
    }
}

/* --- stacked -------------------------------------------------------------------------------- */

/* Sets the lower edge of the stack: the axis, or the base of a chart of differences. Returns false
 * without memory. */
static bool init_base(hpr__curve *out, const hpr__drawing *d)
{
    if (d->chart->base) {
        bool has_memory = init_curve(out, d);
        if (has_memory) {
            set_curve(out, d, d->chart->base, NULL, &d->chart->bands[0]);
        }
        return has_memory;
    }
    if (!hpr__curve_init(out, d->builder, 2)) {
        return false;
    }
    double axis_pt = hpr__at(d, 0, d->chart->plot_y_pt).y_pt;
    double left_pt = d->chart->plot_x_pt, right_pt = hpr__right_of_plot(d->chart);
    if (d->chart->n_points > 1) {
        left_pt = hpr__x_of(d->chart, d->chart->xs[0]);
        right_pt = hpr__x_of(d->chart, d->chart->xs[d->chart->n_points - 1]);
    }
    out->points[0] = (hpr_point){hpr__at(d, left_pt, 0).x_pt, axis_pt};
    out->points[1] = (hpr_point){hpr__at(d, right_pt, 0).x_pt, axis_pt};
    out->shown[1] = 1;
    out->n_shown = 2;
    return true;
}

/* Draws a band down to the base. The bands below it are drawn over it, so that no gap shows where
 * two meet. */
static void draw_band(const hpr__drawing *d, const hpr__curve *upper, const hpr__curve *base,
                      const hpr_band *band)
{
    size_t n;
    hpr_point *points = hpr__curve_area(d->builder, upper, base, &n);
    hpr__builder_group_begin(d->builder, hpr__tooltip(band));
    hpr__builder_polygon_owned(d->builder, points, n, hpr__paint_fill(band->fill.colour),
                               hpr__paint_none());
    if (points) {
        hpr__draw_hatch(d, points, n, &band->fill);
    }
    hpr__builder_group_end(d->builder);
}

/* Returns whether the bands on both sides of the upper edge of `band` are thick enough for a
 * hairline, from one point of the chart to another. In print all are: hatches have no other edge.
 */
static bool has_hairline(const hpr_chart *chart, uint32_t band, size_t from, size_t to)
{
    for (size_t i = from; i <= to && i < chart->n_points; i++) {
        double thinner = fmin(chart->bands[band].values[i], chart->bands[band + 1].values[i]);
        if (hpr__height_of(chart, thinner) < LEAST_HAIRLINE_PT &&
            !chart->bands[band].fill.is_gray) {
            return false;
        }
    }
    return true;
}

/* Draws the hairline on the upper edge of a band, in pieces. */
static void draw_hairline(const hpr__drawing *d, const hpr__curve *upper, uint32_t band)
{
    const hpr_band *bands = d->chart->bands;
    double thinner = fmin(bands[band].max, bands[band + 1].max);
    if (hpr__height_of(d->chart, thinner) < LEAST_HAIRLINE_PT && !bands[band].fill.is_gray) {
        return;
    }
    hpr_colour edge =
        hpr__edge_between(d->theme, bands[band].fill.colour, bands[band + 1].fill.colour);
    hpr_paint paint = hpr__paint_stroke(edge, HPR__HAIRLINE_PT);
    const size_t *shown = upper->shown;
    hpr_point *points = hpr__curve_points(d->builder, upper);
    if (!points) {
        return;
    }
    for (size_t begin = 0, end; begin + 1 < upper->n_shown; begin = end + 1) {
        end = begin;
        while (end + 1 < upper->n_shown &&
               has_hairline(d->chart, band, shown[end], shown[end + 1])) {
            end++;
        }
        if (end > begin) {
            hpr__builder_line_owned(d->builder, points + begin, end - begin + 1, paint);
        }
    }
}

/* Draws the outer edges of signed bands, and the zero line between them. */
static void draw_frame(const hpr__drawing *d, const hpr__curve *base, hpr__curve *scratch)
{
    const hpr_chart *chart = d->chart;
    const hpr_band *top = &chart->bands[chart->n_bands - 1];
    hpr_paint edge = hpr__stroke_of(d, d->theme->rule, HPR__HAIRLINE_PT);
    double zero = hpr__y_of(chart, 0);
    stroke_curve(d, base, edge);
    set_curve(scratch, d, top->upper, top, NULL);
    stroke_curve(d, scratch, edge);
    hpr__draw_segment(d, chart->plot_x_pt, zero, hpr__right_of_plot(chart), zero,
                      hpr__stroke_of(d, d->theme->outline, HPR__RULE_PT));
}

/* Draws the line of the total: the upper edge of the highest band. Among signed bands it crosses
 * them, on a halo. */
static void draw_total(const hpr__drawing *d, const hpr__curve *base, hpr__curve *scratch)
{
    const hpr_chart *chart = d->chart;
    const hpr_band *top = &chart->bands[chart->n_bands - 1];
    if (chart->base) {
        draw_frame(d, base, scratch);
        set_curve(scratch, d, chart->totals, NULL, NULL);
        stroke_curve(d, scratch, hpr__stroke_of(d, d->theme->background, 3 * OUTLINE_PT));
    } else {
        set_curve(scratch, d, top->upper, top, NULL);
    }
    stroke_curve(d, scratch, hpr__stroke_of(d, d->theme->outline, OUTLINE_PT));
}

static void draw_stack(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    hpr__curve base = {0}, edge = {0};
    if (init_base(&base, d) && init_curve(&edge, d)) {
        for (uint32_t i = chart->n_bands; i-- > 0;) {
            const hpr_band *above = i + 1 < chart->n_bands ? &chart->bands[i + 1] : NULL;
            set_curve(&edge, d, chart->bands[i].upper, &chart->bands[i], above);
            draw_band(d, &edge, &base, &chart->bands[i]);
            if (above) {
                draw_hairline(d, &edge, i);
            }
        }
        draw_total(d, &base, &edge);
    }
    hpr__curve_finish(&edge);
    hpr__curve_finish(&base);
}

/* --- as lines ------------------------------------------------------------------------------- */

hpr_paint hpr__paint_of_line(const hpr__drawing *d, const hpr_band *band)
{
    hpr_paint paint = hpr__stroke_of(d, band->fill.line, LINE_PT);
    paint.dash_pt = band->fill.dash_pt;
    return paint;
}

/* Draws the markers of a line at even distances; each line starts at a different place. */
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
            hpr__marker(d->builder, hpr__at(d, next, hpr__y_of(chart, amount)), band->fill.marker,
                        band->fill.line, d->theme->background);
        }
    }
}

static void draw_line(const hpr__drawing *d, const hpr_band *band, hpr__curve *scratch)
{
    set_curve(scratch, d, band->values, NULL, NULL);
    hpr__builder_group_begin(d->builder, hpr__tooltip(band));
    stroke_curve(d, scratch, hpr__paint_of_line(d, band));
    if (band->fill.marker > 0) {
        draw_markers(d, band);
    }
    hpr__builder_group_end(d->builder);
}

void hpr__draw_bands(const hpr__drawing *d)
{
    hpr__curve scratch;
    if (!d->chart->is_lines) {
        draw_stack(d);
    } else if (init_curve(&scratch, d)) {
        for (uint32_t i = 0; i < d->chart->n_bands; i++) {
            if (hpr__is_shown(d->chart, &d->chart->bands[i])) {
                draw_line(d, &d->chart->bands[i], &scratch);
            }
        }
        hpr__curve_finish(&scratch);
    }
}

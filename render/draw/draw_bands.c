/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The bands of the modern look: polygons with hairlines between them and the line of the total, or
 * unstacked lines; the lines of quantities over them.
 */
#include "draw/draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/curve.h"
#include "chart/tooltip.h"
#include "draw/shapes.h"
#include "layout/notes.h"
#include "style/colour.h"

#define OUTLINE_PT        0.8  /* the total */
#define LINE_PT           1.2  /* a band drawn as a line */
#define QUANTITY_PT       0.9  /* the line of a quantity, dashed */
#define HALO_PT           2.2  /* its ground, in the colour of the background */
#define MARKER_STEP_PT    42.0 /* between the markers of a line */
#define LEAST_HAIRLINE_PT 1.0  /* a hairline would hide thinner bands */

enum {
    FEW_BANDS = 100,  /* are drawn one by one */
    MOST_PIECES = 12, /* of a hairline */
};

static const hpr_colour hatch_colour = {0, 0, 0};

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
    if (fill->hatch_gap_pt > 0) {
        hpr__hatch(d->builder, points, n, fill->hatch_deg, fill->hatch_gap_pt,
                   hpr__paint_stroke(hatch_colour, fill->hatch_line_pt));
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

/* Returns the colour of a fill from so far away that its hatch is a shade. */
static hpr_colour shade_of(const hpr_fill *fill)
{
    double share = fill->hatch_gap_pt > 0 ? fill->hatch_line_pt / fill->hatch_gap_pt : 0;
    return hpr__colour_mix(hatch_colour, fill->colour, share);
}

/* Returns the lowest of the neighbours from band `top` down that are drawn as one: together they
 * are nowhere as thick as the page can show, or in print, as the lines between them. So the number
 * of polygons is bounded by the page, not by the profile. */
static uint32_t lowest_of_run(const hpr__drawing *d, uint32_t top)
{
    const hpr_band *bands = d->chart->bands;
    double least_pt = bands[top].fill.is_gray ? HPR__HAIRLINE_PT : d->fineness.tolerance_pt;
    for (uint32_t low = top; low > 0; low--) {
        const hpr_band *next = &bands[low - 1];
        for (size_t i = 0; i < d->chart->n_points; i++) {
            double amount = bands[top].upper[i] - next->upper[i] + next->values[i];
            if (hpr__height_of(d->chart, amount) >= least_pt) {
                return low;
            }
        }
    }
    return 0;
}

/* Begins the group of a band, or of `n` bands of which `largest` is the largest. */
static void begin_group(const hpr__drawing *d, const hpr_band *largest, uint32_t n)
{
    const char *tooltip = hpr__tooltip(largest);
    if (n == 1) {
        hpr__builder_group_begin(d->builder, tooltip);
        return;
    }
    size_t size = strlen(tooltip) + 64;
    char *title = malloc(size);
    if (title) {
        snprintf(title, size, "%" PRIu32 " thin bands, the largest:\n%s", n, tooltip);
        hpr__builder_group_begin(d->builder, title);
        free(title);
    } else {
        hpr__builder_fail(d->builder);
    }
}

/* Draws the bands [low, top] down to the base, several in the mean of their colours. The bands
 * below are drawn over them, so that no gap shows where two meet. */
static void draw_run(const hpr__drawing *d, const hpr__curve *upper, const hpr__curve *base,
                     uint32_t low, uint32_t top)
{
    const hpr_band *largest = &d->chart->bands[top];
    hpr_colour colour = low < top ? shade_of(&largest->fill) : largest->fill.colour;
    double sum = largest->sum;
    for (uint32_t i = top; i-- > low;) {
        const hpr_band *band = &d->chart->bands[i];
        sum += band->sum;
        colour = hpr__colour_mix(shade_of(&band->fill), colour, sum > 0 ? band->sum / sum : 0);
        largest = band->sum > largest->sum ? band : largest;
    }
    size_t n;
    hpr_point *points = hpr__curve_area(d->builder, upper, base, &n);
    begin_group(d, largest, top - low + 1);
    hpr__builder_polygon_owned(d->builder, points, n, hpr__paint_fill(colour), hpr__paint_none());
    if (points && low == top) {
        hpr__draw_hatch(d, points, n, &largest->fill);
    }
    hpr__builder_group_end(d->builder);
}

/* Returns the height of the thinner of the bands on both sides of the upper edge of `band`. */
static double thinner_at(const hpr_chart *chart, uint32_t band, size_t point)
{
    point = point < chart->n_points ? point : chart->n_points - 1;
    double amount = fmin(chart->bands[band].values[point], chart->bands[band + 1].values[point]);
    return hpr__height_of(chart, amount);
}

/* Pieces of an edge along which both bands are thick enough for a hairline. */
typedef struct hairline {
    hpr_point *points; /* two for each point of the edge */
    size_t ends[MOST_PIECES];
    size_t n_points, n_pieces;
    bool is_open; /* the last piece has no end yet */
} hairline;

static void end_piece(hairline *line)
{
    if (line->is_open && line->n_pieces < MOST_PIECES) {
        line->ends[line->n_pieces] = line->n_points;
    }
    line->n_pieces += line->is_open;
    line->is_open = false;
}

/* Adds the line between two points of an edge, as far as the thinner band, `from_pt` and `to_pt`
 * thick there, is thick enough. */
static void add_line(hairline *line, hpr_point from, hpr_point to, double from_pt, double to_pt)
{
    double share = from_pt == to_pt ? 0 : (LEAST_HAIRLINE_PT - from_pt) / (to_pt - from_pt);
    hpr_point limit = {from.x_pt + share * (to.x_pt - from.x_pt),
                       from.y_pt + share * (to.y_pt - from.y_pt)};
    bool is_thick[2] = {from_pt >= LEAST_HAIRLINE_PT, to_pt >= LEAST_HAIRLINE_PT};
    if (!line->is_open && (is_thick[0] || is_thick[1])) {
        line->points[line->n_points++] = is_thick[0] ? from : limit;
        line->is_open = true;
    }
    if (line->is_open) {
        line->points[line->n_points++] = is_thick[1] ? to : limit;
    }
    if (!is_thick[1]) {
        end_piece(line);
    }
}

/* Adds the stretch of an edge between two points that are drawn; nothing if a band is too thin
 * somewhere between them. */
static void add_stretch(hairline *line, const hpr__drawing *d, const hpr__curve *edge,
                        uint32_t band, size_t index)
{
    size_t from = edge->shown[index], to = edge->shown[index + 1];
    double from_pt = HUGE_VAL, to_pt = HUGE_VAL, least_pt = HUGE_VAL;
    if (!d->chart->bands[band].fill.is_gray) { /* hatches have no other edge */
        from_pt = thinner_at(d->chart, band, from);
        to_pt = thinner_at(d->chart, band, to);
        for (size_t i = from + 1; i < to; i++) {
            least_pt = fmin(least_pt, thinner_at(d->chart, band, i));
        }
    }
    if (least_pt < LEAST_HAIRLINE_PT) {
        end_piece(line);
    } else {
        add_line(line, edge->points[from], edge->points[to], from_pt, to_pt);
    }
}

/* Draws the hairline on the upper edge of a band: along all stretches where both bands are thick
 * enough, or nowhere if these are many short ones. Where the edge goes up and down so often that
 * the hairline would hide the bands, it is left out. */
static void draw_hairline(const hpr__drawing *d, const hpr__curve *edge, uint32_t band)
{
    const hpr_band *bands = d->chart->bands;
    double thinner = fmin(bands[band].max, bands[band + 1].max);
    if (hpr__height_of(d->chart, thinner) < LEAST_HAIRLINE_PT && !bands[band].fill.is_gray) {
        return;
    }
    hairline line = {.points = hpr__builder_points(d->builder, 2 * edge->n_shown)};
    unsigned crowding;
    for (size_t begin = 0, end; line.points && begin + 1 < edge->n_shown; begin = end) {
        end = hpr__curve_stretch(edge, begin, HPR__HAIRLINE_PT, &crowding);
        if (crowding > 0) {
            end_piece(&line);
            continue;
        }
        for (size_t i = begin; i < end; i++) {
            add_stretch(&line, d, edge, band, i);
        }
    }
    end_piece(&line);
    hpr_colour colour =
        hpr__edge_between(d->theme, bands[band].fill.colour, bands[band + 1].fill.colour);
    for (size_t i = 0, begin = 0; i < line.n_pieces && line.n_pieces <= MOST_PIECES; i++) {
        hpr__builder_line_owned(d->builder, line.points + begin, line.ends[i] - begin,
                                hpr__paint_stroke(colour, HPR__HAIRLINE_PT));
        begin = line.ends[i];
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

/* Draws the line of the total. Where it goes up and down so often that it would be a wall, it takes
 * the colour of the highest band; among signed bands, which it crosses on a halo, it loses that. */
static void stroke_total(const hpr__drawing *d, const hpr__curve *curve)
{
    const hpr_chart *chart = d->chart;
    hpr_colour ground = shade_of(&chart->bands[chart->n_bands - 1].fill);
    hpr_paint halo = hpr__stroke_of(d, d->theme->background, 3 * OUTLINE_PT);
    hpr_paint paint = hpr__stroke_of(d, d->theme->outline, OUTLINE_PT);
    hpr_point *points = hpr__curve_points(d->builder, curve);
    unsigned crowding;
    for (size_t begin = 0, end; points && begin + 1 < curve->n_shown; begin = end) {
        end = hpr__curve_stretch(curve, begin, paint.width_pt, &crowding);
        if (chart->base && crowding == 0) {
            hpr__builder_line_owned(d->builder, points + begin, end - begin + 1, halo);
        } else if (!chart->base) {
            paint.colour = hpr__colour_mix(d->theme->outline, ground, 1.0 / (1 << crowding));
        }
        hpr__builder_line_owned(d->builder, points + begin, end - begin + 1, paint);
    }
}

/* Draws the line of the total: the upper edge of the highest band; among signed bands, a line that
 * crosses them. */
static void draw_total(const hpr__drawing *d, const hpr__curve *base, hpr__curve *scratch)
{
    const hpr_chart *chart = d->chart;
    const hpr_band *top = &chart->bands[chart->n_bands - 1];
    if (chart->base) {
        draw_frame(d, base, scratch);
        set_curve(scratch, d, chart->totals, NULL, NULL);
    } else {
        set_curve(scratch, d, top->upper, top, NULL);
    }
    stroke_total(d, scratch);
}

static void draw_stack(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    hpr__curve base = {0}, edge = {0};
    if (init_base(&base, d) && init_curve(&edge, d)) {
        bool is_below_run = false;
        for (uint32_t top = chart->n_bands, low; top-- > 0; top = low) {
            const hpr_band *above = top + 1 < chart->n_bands ? &chart->bands[top + 1] : NULL;
            low = chart->n_bands > FEW_BANDS ? lowest_of_run(d, top) : top;
            set_curve(&edge, d, chart->bands[top].upper, &chart->bands[top], above);
            draw_run(d, &edge, &base, low, top);
            if (above && !(is_below_run && low < top)) {
                draw_hairline(d, &edge, top);
            }
            is_below_run = low < top;
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

/* --- quantities ----------------------------------------------------------------------------- */

/* Draws the ground of a line, except where the line goes up and down so often that its ground would
 * hide the bands. */
static void draw_halo(const hpr__drawing *d, const hpr__curve *curve, hpr_point *points)
{
    hpr_paint paint = hpr__stroke_of(d, d->theme->background, HALO_PT);
    unsigned crowding;
    for (size_t begin = 0, end; points && begin + 1 < curve->n_shown; begin = end) {
        end = hpr__curve_stretch(curve, begin, paint.width_pt, &crowding);
        if (crowding == 0) {
            hpr__builder_line_owned(d->builder, points + begin, end - begin + 1, paint);
        }
    }
}

/* Draws a piece of a line, whose points are in the curve. */
static void draw_piece(const hpr__drawing *d, hpr__curve *curve)
{
    hpr__curve_simplify(curve, NULL, NULL, 0, d->fineness);
    hpr_point *points = hpr__curve_points(d->builder, curve);
    hpr_paint paint = hpr__stroke_of(d, d->theme->text, QUANTITY_PT);
    paint.dash_pt = 3;
    draw_halo(d, curve, points);
    hpr__builder_line_owned(d->builder, points, curve->n_shown, paint);
    curve->n_points = 0;
}

/* Adds the place between two points of a line that is at the end of the y axis. */
static void add_crossing(const hpr__drawing *d, hpr__curve *curve, const hpf_quantity_point *a,
                         const hpf_quantity_point *b)
{
    double high = d->chart->y.high, share = (high - a->value) / (b->value - a->value);
    double time = a->time + share * (b->time - a->time);
    curve->points[curve->n_points++] =
        hpr__at(d, hpr__x_of_time(d->chart, time), hpr__y_of(d->chart, high));
}

/* Draws the pieces of a line that are below the end of the y axis, and an arrow at its highest
 * place above that. */
static void draw_quantity(const hpr__drawing *d, const hpr_quantity *line)
{
    const hpr_chart *chart = d->chart;
    hpr__curve curve;
    if (!hpr__curve_init(&curve, d->builder, line->n_points + 2)) {
        return;
    }
    hpr__builder_group_begin(d->builder, line->text);
    curve.n_points = 0;
    for (size_t i = 0; i < line->n_points; i++) {
        const hpf_quantity_point *point = &line->points[i];
        bool is_above = point->value > chart->y.high;
        if (i > 0 && is_above != (point[-1].value > chart->y.high)) {
            add_crossing(d, &curve, &point[-1], point);
        }
        if (!is_above) {
            curve.points[curve.n_points++] =
                hpr__at(d, hpr__x_of_time(chart, point->time), hpr__y_of(chart, point->value));
        }
        if (curve.n_points > 0 && (is_above || i + 1 == line->n_points)) {
            draw_piece(d, &curve);
        }
    }
    double x = hpr__arrow_of(chart, line), top = hpr__top_of_plot(chart);
    if (!isnan(x)) {
        hpr_point corners[] = {hpr__at(d, x, top),
                               hpr__at(d, x - HPR__ARROW_PT / 2, top - HPR__ARROW_PT),
                               hpr__at(d, x + HPR__ARROW_PT / 2, top - HPR__ARROW_PT)};
        hpr__builder_polygon(d->builder, corners, 3, hpr__paint_fill(d->theme->text),
                             hpr__paint_stroke(d->theme->background, HPR__HAIRLINE_PT));
    }
    hpr__builder_group_end(d->builder);
    hpr__curve_finish(&curve);
}

void hpr__draw_quantity_lines(const hpr__drawing *d)
{
    for (size_t i = 0; i < d->chart->n_quantities; i++) {
        draw_quantity(d, &d->chart->quantities[i]);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The ink of the modern look: grid, bands, hairlines in the colour of the paper between them, the
 * line of the total with its peak, axes, names, marks, title.
 */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "elide.h"
#include "hatch.h"
#include "labels.h"
#include "modern_layout.h"
#include "palette.h"
#include "points.h"
#include "scene_build.h"
#include "thin.h"

#define HAIRLINE_PT     0.4  /* between bands */
#define OUTLINE_PT      0.8  /* the total */
#define HATCH_PT        0.35 /* lines of a hatch */
#define RULE_PT         0.5  /* grid, axis, leaders, marks */
#define LEAST_PARTED_PT 1.0  /* bands thinner than this have no hairline: it would hide them */
#define LEAST_APART_PT  0.8  /* marks nearer than this are one */
#define THINNED_PT      0.03 /* what a curve may lose */
#define LEAST_LED_PT    0.8  /* thickness at the right end that a leader points to */
#define TEXT_GAP_PT     4.0
#define PEAK_DOT_PT     1.7

enum {
    DOT_CORNERS = 16,
    MOST_RULES = 12, /* marks that are drawn through the whole plot */
};

/* A chart being drawn. All helpers take heights upwards and turn them around here. */
typedef struct drawing {
    hpr__ink *ink;
    const hpr_chart *chart;
    const hpr__theme *theme;
    hpr_measurer measurer;
    hpr__type_sizes type;
    bool si_units;
    size_t *shown; /* indices of the points that are drawn */
    size_t n_shown;
} drawing;

static hpr_point at(const drawing *d, double x_pt, double y_pt)
{
    return (hpr_point){x_pt, d->chart->height_pt - y_pt};
}

static double right_of_plot(const hpr_chart *chart)
{
    return chart->plot_x_pt + chart->plot_width_pt;
}

static double top_of_plot(const hpr_chart *chart)
{
    return chart->plot_y_pt + chart->plot_height_pt;
}

static hpr_paint stroke_of(const drawing *d, hpr_colour colour, double width_pt)
{
    return hpr__paint_stroke(colour, width_pt * d->theme->line_scale);
}

static void draw_segment(const drawing *d, double x0, double y0, double x1, double y1,
                         hpr_paint paint)
{
    hpr_point points[2] = {at(d, x0, y0), at(d, x1, y1)};
    hpr__ink_line(d->ink, points, 2, paint);
}

static void draw_text(const drawing *d, const char *text, double x_pt, double y_pt, double size_pt,
                      hpr_anchor anchor, hpr_colour colour)
{
    hpr__text_style style = {.size_pt = size_pt, .anchor = anchor, .colour = colour};
    hpr_point place = at(d, x_pt, y_pt);
    hpr__ink_text(d->ink, text, place.x_pt, place.y_pt, &style);
}

/* --- bands ---------------------------------------------------------------------------------- */

/* Writes a curve from left to right, drawn out level to both ends of the plot: n_shown + 2 points.
 */
static void write_curve(const drawing *d, hpr_point *points, const double *amounts)
{
    const hpr_chart *chart = d->chart;
    for (size_t i = 0; i < d->n_shown; i++) {
        size_t point = d->shown[i];
        points[i + 1] =
            at(d, hpr__x_of(chart, chart->times[point]), hpr__y_of(chart, amounts[point]));
    }
    points[0] = (hpr_point){chart->plot_x_pt, points[1].y_pt};
    points[d->n_shown + 1] = (hpr_point){right_of_plot(chart), points[d->n_shown].y_pt};
}

static void hatch(const drawing *d, const hpr_point *points, size_t n, const hpr_fill *fill)
{
    if (fill->hatch_gap_pt > 0) {
        hpr__hatch(d->ink, points, n, fill->hatch_deg, fill->hatch_gap_pt,
                   hpr__paint_stroke(d->theme->ink, HATCH_PT));
    }
}

/* A band is drawn down to the axis; the bands below it are drawn over it, so that no paper shines
 * through where two meet. */
static void draw_band(const drawing *d, uint32_t index)
{
    const hpr_band *band = &d->chart->bands[index];
    hpr_point *points = hpr__ink_points(d->ink, d->n_shown + 4);
    if (!points) {
        return;
    }
    write_curve(d, points, band->upper);
    size_t n = hpr__thin(points, d->n_shown + 2, THINNED_PT);
    points[n++] = at(d, right_of_plot(d->chart), d->chart->plot_y_pt);
    points[n++] = at(d, d->chart->plot_x_pt, d->chart->plot_y_pt);
    hpr__ink_group_begin(d->ink, band->text);
    hpr__ink_polygon_owned(d->ink, points, n, hpr__paint_fill(band->fill.colour),
                           hpr__paint_none());
    hatch(d, points, n, &band->fill);
    hpr__ink_group_end(d->ink);
}

/* Whether the bands on both sides of the upper edge of `band` are thick enough at a point to be
 * parted by a hairline. */
static bool is_parted(const hpr_chart *chart, uint32_t band, size_t point)
{
    double pt_per_amount = chart->plot_height_pt / chart->y.high;
    double below = chart->bands[band].values[point];
    double above = chart->bands[band + 1].values[point];
    return fmin(below, above) * pt_per_amount >= LEAST_PARTED_PT;
}

/* The hairline on the upper edge of a band, in as many pieces as it takes. */
static void draw_hairline(const drawing *d, uint32_t band, hpr_point *scratch)
{
    hpr_paint paint = hpr__paint_stroke(d->theme->edge, HAIRLINE_PT);
    write_curve(d, scratch, d->chart->bands[band].upper);
    size_t begin = 0;
    while (begin < d->n_shown) {
        size_t end = begin;
        while (end < d->n_shown && is_parted(d->chart, band, d->shown[end])) {
            end++;
        }
        if (end > begin) { /* scratch[i + 1] is point i */
            size_t first = begin == 0 ? 0 : begin + 1;
            size_t last = end == d->n_shown ? end + 1 : end;
            size_t n = hpr__thin(scratch + first, last - first + 1, THINNED_PT);
            hpr__ink_line(d->ink, scratch + first, n, paint);
        }
        begin = end + 1;
    }
}

static void draw_bands(const drawing *d)
{
    const hpr_chart *chart = d->chart;
    hpr_point *scratch = hpr__ink_points(d->ink, d->n_shown + 2);
    for (uint32_t i = chart->n_bands; i-- > 0;) {
        draw_band(d, i);
    }
    for (uint32_t i = 0; scratch && i + 1 < chart->n_bands; i++) {
        draw_hairline(d, i, scratch);
    }
}

static void draw_total(const drawing *d)
{
    hpr_point *points = hpr__ink_points(d->ink, d->n_shown + 2);
    if (points) {
        write_curve(d, points, d->chart->totals);
        hpr__ink_line_owned(d->ink, points, hpr__thin(points, d->n_shown + 2, THINNED_PT),
                            stroke_of(d, d->theme->outline, OUTLINE_PT));
    }
}

/* --- axes ----------------------------------------------------------------------------------- */

static double half_height(const drawing *d, double size_pt)
{
    hpr_text_size line = d->measurer.measure(d->measurer.context, "0", size_pt, false);
    return (line.ascent_pt - line.descent_pt) / 2;
}

static void draw_grid(const drawing *d)
{
    const hpr_axis *y = &d->chart->y;
    for (size_t i = 0; i < y->n_ticks; i++) {
        if (y->ticks[i].value > 0) {
            draw_segment(d, d->chart->plot_x_pt, y->ticks[i].at_pt, right_of_plot(d->chart),
                         y->ticks[i].at_pt, stroke_of(d, d->theme->grid, RULE_PT));
        }
    }
}

static void draw_y_axis(const drawing *d)
{
    const hpr_chart *chart = d->chart;
    double right = chart->plot_x_pt - TEXT_GAP_PT;
    double half = half_height(d, d->type.text_pt);
    for (size_t i = 0; i < chart->y.n_ticks; i++) {
        draw_text(d, chart->y.ticks[i].label, right, chart->y.ticks[i].at_pt - half,
                  d->type.text_pt, HPR_ANCHOR_END, d->theme->faint);
    }
    draw_text(d, chart->y.unit, right, top_of_plot(chart) + 1.3 * d->type.text_pt - half,
              d->type.text_pt, HPR_ANCHOR_END, d->theme->faint);
}

static void draw_x_axis(const drawing *d)
{
    const hpr_chart *chart = d->chart;
    double baseline = chart->plot_y_pt - TEXT_GAP_PT - 2 * half_height(d, d->type.text_pt) -
                      0.12 * d->type.text_pt;
    double unit_x = right_of_plot(chart) + TEXT_GAP_PT;
    hpr_paint rule = stroke_of(d, d->theme->rule, RULE_PT);
    draw_segment(d, chart->plot_x_pt, chart->plot_y_pt, right_of_plot(chart), chart->plot_y_pt,
                 rule);
    for (size_t i = 0; i < chart->x.n_ticks; i++) {
        const hpr_tick *tick = &chart->x.ticks[i];
        double width =
            d->measurer.measure(d->measurer.context, tick->label, d->type.text_pt, false).width_pt;
        draw_segment(d, tick->at_pt, chart->plot_y_pt, tick->at_pt, chart->plot_y_pt - 3, rule);
        draw_text(d, tick->label, tick->at_pt, baseline, d->type.text_pt, HPR_ANCHOR_MIDDLE,
                  d->theme->faint);
        unit_x = fmax(unit_x, tick->at_pt + width / 2 + TEXT_GAP_PT);
    }
    draw_text(d, chart->x.unit, unit_x, baseline, d->type.text_pt, HPR_ANCHOR_START,
              d->theme->faint);
}

/* --- names ---------------------------------------------------------------------------------- */

/* The theme's softer black where it reads as well. */
static hpr_colour ink_on(hpr_colour ground)
{
    const hpr_colour soft = hpr__theme_of(HPR_THEME_LIGHT)->ink;
    return hpr__colour_contrast(soft, ground) >= 7 ? soft : hpr__colour_ink_on(ground);
}

static void draw_swatch(const drawing *d, const hpr_band *band)
{
    hpr_point corner = at(d, band->label.box_x_pt, band->label.box_y_pt + HPR__SWATCH_PT);
    hpr__ink_rect(d->ink, corner.x_pt, corner.y_pt, HPR__SWATCH_PT, HPR__SWATCH_PT,
                  hpr__paint_fill(band->fill.colour),
                  hpr__paint_stroke(d->theme->rule, HAIRLINE_PT));
    hpr_point box[4] = {corner,
                        {corner.x_pt + HPR__SWATCH_PT, corner.y_pt},
                        {corner.x_pt + HPR__SWATCH_PT, corner.y_pt + HPR__SWATCH_PT},
                        {corner.x_pt, corner.y_pt + HPR__SWATCH_PT}};
    hatch(d, box, 4, &band->fill);
}

/* From the middle of the band's right end, if it is still there, to its swatch. */
static void draw_leader(const drawing *d, const hpr_band *band)
{
    const hpr_chart *chart = d->chart;
    size_t point = hpr__end_point(chart);
    if (band->values[point] / chart->y.high * chart->plot_height_pt < LEAST_LED_PT) {
        return;
    }
    double begin = hpr__x_of(chart, chart->times[point]) + 1;
    double end = band->label.box_x_pt;
    double middle = band->label.box_y_pt + HPR__SWATCH_PT / 2;
    double anchor = band->label.anchor_y_pt;
    hpr_point points[4] = {at(d, begin, anchor), at(d, right_of_plot(chart) + 2, anchor),
                           at(d, end - 2.5, middle), at(d, end - 1, middle)};
    hpr__ink_line(d->ink, points, 4, stroke_of(d, d->theme->rule, RULE_PT));
}

/* A name is not read through lines. */
static void clear_hatch(const drawing *d, const hpr_band *band)
{
    const hpr_label *label = &band->label;
    if (band->fill.hatch_gap_pt > 0) {
        hpr_text_size size =
            d->measurer.measure(d->measurer.context, label->text, label->size_pt, false);
        hpr_point corner =
            at(d, label->x_pt - size.width_pt / 2 - 1.5, label->y_pt + size.ascent_pt);
        hpr__ink_rect(d->ink, corner.x_pt, corner.y_pt, size.width_pt + 3,
                      size.ascent_pt + size.descent_pt, hpr__paint_fill(band->fill.colour),
                      hpr__paint_none());
    }
}

static void draw_label(const drawing *d, const hpr_band *band)
{
    const hpr_label *label = &band->label;
    if (label->place == HPR_LABEL_NONE) {
        return;
    }
    if (label->place == HPR_LABEL_INSIDE) {
        clear_hatch(d, band);
        draw_text(d, label->text, label->x_pt, label->y_pt, label->size_pt, HPR_ANCHOR_MIDDLE,
                  ink_on(band->fill.colour));
        return;
    }
    if (label->place == HPR_LABEL_MARGIN) {
        draw_leader(d, band);
    }
    draw_swatch(d, band);
    draw_text(d, label->text, label->x_pt, label->y_pt, label->size_pt, HPR_ANCHOR_START,
              d->theme->ink);
}

/* Below a key without room for all: how many are not in it. */
static void draw_rest_of_key(const drawing *d)
{
    const hpr_label *lowest = NULL;
    unsigned n_nowhere = 0;
    for (uint32_t i = d->chart->n_bands; i-- > 0;) {
        const hpr_band *band = &d->chart->bands[i];
        n_nowhere += band->label.place == HPR_LABEL_NONE && band->max > 0;
        lowest = band->label.place == HPR_LABEL_KEY ? &band->label : lowest;
    }
    if (lowest && n_nowhere > 0) {
        char text[48];
        snprintf(text, sizeof text, "and %u smaller", n_nowhere);
        hpr_text_size line = d->measurer.measure(d->measurer.context, text, lowest->size_pt, false);
        draw_text(d, text, lowest->x_pt, lowest->y_pt - line.ascent_pt - line.descent_pt,
                  lowest->size_pt, HPR_ANCHOR_START, d->theme->faint);
    }
}

static void draw_labels(const drawing *d)
{
    for (uint32_t i = 0; i < d->chart->n_bands; i++) {
        draw_label(d, &d->chart->bands[i]);
    }
    draw_rest_of_key(d);
}

/* --- peak and marks -------------------------------------------------------------------------- */

typedef struct span {
    double low, high;
} span;

static void draw_dot(const drawing *d, double x_pt, double y_pt)
{
    hpr_point corners[DOT_CORNERS];
    for (int i = 0; i < DOT_CORNERS; i++) {
        double angle = 6.283185307179586 * i / DOT_CORNERS;
        corners[i] = at(d, x_pt + PEAK_DOT_PT * cos(angle), y_pt + PEAK_DOT_PT * sin(angle));
    }
    hpr__ink_polygon(d->ink, corners, DOT_CORNERS, hpr__paint_fill(d->theme->outline),
                     hpr__paint_stroke(d->theme->background, HAIRLINE_PT));
}

/* The peak's text stands above the highest point, so nothing is under it. Returns where. */
static span draw_peak(const drawing *d)
{
    const hpr_chart *chart = d->chart;
    if (!(chart->peak_total > 0)) {
        return (span){0, 0};
    }
    char text[HPR__PEAK_BYTES];
    char shown[HPR__PEAK_BYTES + 8];
    hpr__peak_text(text, chart, d->si_units);
    double width =
        hpr__elide(shown, text, chart->plot_width_pt, d->type.text_pt, false, d->measurer);
    double x = hpr__x_of(chart, chart->peak_time);
    double y = hpr__y_of(chart, chart->peak_total);
    double left = fmin(fmax(x - width / 2, chart->plot_x_pt), right_of_plot(chart) - width);
    hpr_text_size line = d->measurer.measure(d->measurer.context, shown, d->type.text_pt, false);
    hpr_point corner = at(d, left, y + TEXT_GAP_PT + line.ascent_pt);
    hpr__ink_rect(d->ink, corner.x_pt, corner.y_pt, width, line.ascent_pt + line.descent_pt / 2,
                  hpr__paint_fill(d->theme->background),
                  hpr__paint_none()); /* no grid through it */
    draw_dot(d, x, y);
    draw_text(d, shown, left, y + TEXT_GAP_PT, d->type.text_pt, HPR_ANCHOR_START, d->theme->ink);
    return (span){left, left + width};
}

/* A few marks cross the plot; many only rise a little from the axis. */
static double top_of_mark(const hpr_chart *chart)
{
    return chart->n_marks <= MOST_RULES ? top_of_plot(chart)
                                        : chart->plot_y_pt + fmin(6, chart->plot_height_pt);
}

/* Labels of marks stand in the row above the plot, as far as they do not run into each other or the
 * peak's. */
static void draw_marks(const drawing *d, span taken)
{
    const hpr_chart *chart = d->chart;
    hpr_paint paint = stroke_of(d, d->theme->ink, RULE_PT);
    double free_from = chart->plot_x_pt;
    double drawn_x = -1;
    paint.dash_pt = chart->n_marks <= MOST_RULES ? 2 : 0;
    for (size_t i = 0; i < chart->n_marks; i++) {
        const hpr_mark *mark = &chart->marks[i];
        if (fabs(mark->x_pt - drawn_x) >= LEAST_APART_PT) {
            draw_segment(d, mark->x_pt, chart->plot_y_pt, mark->x_pt, top_of_mark(chart), paint);
            drawn_x = mark->x_pt;
        }
        double width =
            d->measurer.measure(d->measurer.context, mark->label, d->type.text_pt, false).width_pt;
        double left = fmin(mark->x_pt, right_of_plot(chart) - width);
        bool is_free = left >= free_from && (left + width < taken.low || left > taken.high);
        if (*mark->label && is_free) {
            draw_text(d, mark->label, left, top_of_plot(chart) + TEXT_GAP_PT, d->type.text_pt,
                      HPR_ANCHOR_START, d->theme->faint);
            free_from = left + width + TEXT_GAP_PT;
        }
    }
}

/* --- page ----------------------------------------------------------------------------------- */

static void draw_title(const drawing *d)
{
    const hpr_chart *chart = d->chart;
    double pad = hpr__sheet_pad_pt(chart);
    double baseline = chart->height_pt - pad - d->type.title_pt;
    hpr__text_style style = {.size_pt = d->type.title_pt, .colour = d->theme->ink, .bold = true};
    hpr_point place = at(d, pad, baseline);
    hpr__ink_text(d->ink, chart->title.job, place.x_pt, place.y_pt, &style);
    draw_text(d, chart->title.date, chart->width_pt - pad, baseline, d->type.text_pt,
              HPR_ANCHOR_END, d->theme->faint);
}

static void draw_emptiness(const drawing *d)
{
    if (!(d->chart->peak_total > 0)) {
        draw_text(d, "nothing but zeros", d->chart->plot_x_pt + d->chart->plot_width_pt / 2,
                  d->chart->plot_y_pt + d->chart->plot_height_pt / 2, d->type.text_pt,
                  HPR_ANCHOR_MIDDLE, d->theme->faint);
    }
}

static void draw_everything(const drawing *d)
{
    draw_grid(d);
    if (d->n_shown > 0 && d->chart->n_bands > 0) {
        draw_bands(d);
        draw_total(d);
        draw_labels(d);
    }
    draw_x_axis(d);
    draw_y_axis(d);
    draw_emptiness(d);
    draw_marks(d, draw_peak(d));
    draw_title(d);
}

hpf_status hpr__draw_modern(hpr_scene **out, const hpr_chart *chart, const hpr_options *options,
                            hpr_measurer measurer, hpf_error *err)
{
    drawing d = {
        .ink = hpr__ink_create(chart->width_pt, chart->height_pt),
        .chart = chart,
        .theme = hpr__theme_of(options->theme),
        .measurer = measurer,
        .type = hpr__type_sizes_of(chart->width_pt, options),
        .si_units = options->si_units,
    };
    d.shown = hpr__points_choose(&d.n_shown, chart, options->most_points);
    *out = NULL;
    if (!d.shown) {
        hpr__ink_destroy(d.ink);
        return hpf_error_set_memory(err);
    }
    hpr__ink_set_title(d.ink, chart->title.job);
    hpr__ink_set_date(d.ink, chart->title.date);
    hpr__ink_set_creator(d.ink, "heapcensus");
    hpr__ink_set_background(d.ink, d.theme->background);
    hpr__ink_page(d.ink, NULL);
    draw_everything(&d);
    free(d.shown);
    return hpr__ink_finish(d.ink, out, err);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The modern look: grid, bands with their labels, quantity lines, axes, notes, title; a page of
 * several charts; a legend of its own.
 */
#include "base/arena.h"
#include "draw/draw.h"

#include <math.h>
#include <stdio.h>

#include "layout/labels.h"
#include "layout/legend.h"
#include "draw/shapes.h"
#include "hprender/page.h"
#include "base/options.h"

#define LEAST_LED_PT   0.8 /* a band that is thinner at its right end has no leader */
#define LEAST_APART_PT 2.0 /* lines whose right ends are nearer have no leaders */

/* --- axes ----------------------------------------------------------------------------------- */

static double width_of(const hpr__drawing *d, const char *text)
{
    return hpr__measure(d, text, d->type.text_pt).width_pt;
}

static void draw_grid(const hpr__drawing *d)
{
    const hpr_axis *y = &d->chart->y;
    for (size_t i = 0; i < y->n_ticks; i++) {
        if (y->ticks[i].value != 0) {
            hpr__draw_segment(d, d->chart->plot_x_pt, y->ticks[i].at_pt,
                              hpr__right_of_plot(d->chart), y->ticks[i].at_pt,
                              hpr__stroke_of(d, d->theme->grid, HPR__RULE_PT));
        }
    }
}

static void draw_y_axis(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    double right = chart->plot_x_pt - HPR__TEXT_GAP_PT;
    hpr_text_size line = hpr__measure(d, "0", d->type.text_pt);
    double half = (line.ascent_pt - line.descent_pt) / 2;
    double above = hpr__top_of_plot(chart) + 1.3 * d->type.text_pt - half;
    for (size_t i = 0; i < chart->y.n_ticks; i++) {
        hpr__draw_text(d, chart->y.ticks[i].label, right, chart->y.ticks[i].at_pt - half,
                       d->type.text_pt, HPR_ANCHOR_END, d->theme->muted);
    }
    hpr__draw_text(d, chart->y.unit, right, fmin(above, chart->height_pt - line.ascent_pt),
                   d->type.text_pt, HPR_ANCHOR_END, d->theme->muted);
}

static void draw_x_axis(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    hpr_text_size line = hpr__measure(d, "0", d->type.text_pt);
    double bottom = chart->plot_y_pt - chart->lanes_pt;
    double baseline = bottom - hpr__x_label_drop(&line, d->type.text_pt);
    double unit_width = width_of(d, chart->x.unit);
    double unit_x = hpr__right_of_plot(chart) + HPR__TEXT_GAP_PT;
    hpr_paint rule = hpr__stroke_of(d, d->theme->rule, HPR__RULE_PT);
    hpr__draw_segment(d, chart->plot_x_pt, chart->plot_y_pt, hpr__right_of_plot(chart),
                      chart->plot_y_pt, rule);
    for (size_t i = 0; i < chart->x.n_ticks; i++) {
        const hpr_tick *tick = &chart->x.ticks[i];
        double width = width_of(d, tick->label);
        double left = hpr__x_label_left(chart, tick->at_pt, width, unit_width);
        hpr__draw_segment(d, tick->at_pt, bottom, tick->at_pt, bottom - 3, rule);
        hpr__draw_text(d, tick->label, left + width / 2, baseline, d->type.text_pt,
                       HPR_ANCHOR_MIDDLE, d->theme->muted);
        unit_x = fmax(unit_x, left + width + HPR__TEXT_GAP_PT);
    }
    unit_x = fmin(unit_x, chart->width_pt - hpr__sheet_pad_pt(chart) - unit_width);
    hpr__draw_text(d, chart->x.unit, unit_x, baseline, d->type.text_pt, HPR_ANCHOR_START,
                   d->theme->muted);
}

/* --- names ---------------------------------------------------------------------------------- */

/* Returns the colour of text on `ground`: the softer black of the theme where its contrast is
 * enough.
 */
static hpr_colour text_on(hpr_colour ground)
{
    const hpr_colour soft = hpr__theme_of(HPR_THEME_LIGHT)->text;
    return hpr__colour_contrast(soft, ground) >= 7 ? soft : hpr__colour_text_on(ground);
}

static void draw_swatch(const hpr__drawing *d, const hpr_band *band)
{
    double width = hpr__swatch_width_pt(d->chart);
    if (d->chart->is_lines) { /* a piece of the line, with its marker */
        double left = band->label.box_x_pt, middle = band->label.box_y_pt + HPR__SWATCH_PT / 2;
        hpr__draw_segment(d, left, middle, left + width, middle, hpr__paint_of_line(d, band));
        if (band->fill.marker > 0) {
            hpr__marker(d->builder, hpr__at(d, left + width / 2, middle), band->fill.marker,
                        band->fill.line, d->theme->background);
        }
        return;
    }
    hpr_point corner = hpr__at(d, band->label.box_x_pt, band->label.box_y_pt + HPR__SWATCH_PT);
    hpr__builder_rect(d->builder, corner.x_pt, corner.y_pt, width, HPR__SWATCH_PT,
                      hpr__paint_fill(band->fill.colour),
                      hpr__paint_stroke(d->theme->rule, HPR__HAIRLINE_PT));
    hpr_point box[4] = {corner,
                        {corner.x_pt + width, corner.y_pt},
                        {corner.x_pt + width, corner.y_pt + HPR__SWATCH_PT},
                        {corner.x_pt, corner.y_pt + HPR__SWATCH_PT}};
    hpr_fill fill = band->fill;
    fill.hatch_gap_pt /= 2; /* else some have no line */
    hpr__draw_hatch(d, box, 4, &fill);
}

/* Returns whether other lines end where a line ends: leaders from there would be a fan. */
static bool is_end_shared(const hpr_chart *chart, const hpr_band *band)
{
    bool is_shared = false;
    for (uint32_t i = 0; i < chart->n_bands && !is_shared; i++) {
        const hpr_band *other = &chart->bands[i];
        is_shared = other != band && other->label.place == HPR_LABEL_MARGIN &&
                    fabs(other->label.anchor_y_pt - band->label.anchor_y_pt) < LEAST_APART_PT;
    }
    return is_shared;
}

/* Draws the line from the middle of the band's right end, or from the end of its line, to its
 * swatch. */
static void draw_leader(const hpr__drawing *d, const hpr_band *band)
{
    const hpr_chart *chart = d->chart;
    size_t point = hpr__end_point(chart);
    if (hpr__height_of(chart, band->values[point]) < LEAST_LED_PT ||
        (chart->is_lines && is_end_shared(chart, band))) {
        return;
    }
    bool is_level = chart->n_points == 1; /* drawn from end to end */
    double begin = (is_level ? hpr__right_of_plot(chart) : hpr__x_of(chart, chart->xs[point])) + 1;
    double end = band->label.box_x_pt;
    double middle = band->label.box_y_pt + HPR__SWATCH_PT / 2;
    double anchor = band->label.anchor_y_pt;
    hpr_point points[4] = {hpr__at(d, begin, anchor),
                           hpr__at(d, hpr__right_of_plot(chart) + 2, anchor),
                           hpr__at(d, end - 2.5, middle), hpr__at(d, end - 1, middle)};
    hpr__builder_line(d->builder, points, 4, hpr__stroke_of(d, d->theme->rule, HPR__RULE_PT));
}

/* Clears what is under a name: on a band its hatch, or the total line of differences; next to the
 * bands the grid. */
static void clear_under(const hpr__drawing *d, const hpr_band *band)
{
    const hpr_label *label = &band->label;
    const hpr_chart *chart = d->chart;
    hpr_text_size size = hpr__measure(d, label->text, label->size_pt);
    double top = label->y_pt + size.ascent_pt, height = size.ascent_pt + size.descent_pt;
    bool is_inside = label->place == HPR_LABEL_INSIDE;
    if (is_inside && (band->fill.hatch_gap_pt > 0 || chart->base)) {
        hpr__clear(d, label->x_pt - size.width_pt / 2 - 1.5, top, size.width_pt + 3, height,
                   band->fill.colour);
    } else if (label->place == HPR_LABEL_LEGEND && label->x_pt < hpr__right_of_plot(chart) &&
               label->y_pt > chart->plot_y_pt) {
        hpr__clear(d, label->box_x_pt - 1.5, top, label->x_pt + size.width_pt + 3 - label->box_x_pt,
                   height, d->theme->background);
    }
}

static void draw_label(const hpr__drawing *d, const hpr_band *band)
{
    const hpr_label *label = &band->label;
    if (label->place == HPR_LABEL_NONE) {
        return;
    }
    clear_under(d, band);
    if (label->place == HPR_LABEL_INSIDE) {
        hpr__draw_text(d, label->text, label->x_pt, label->y_pt, label->size_pt, HPR_ANCHOR_MIDDLE,
                       text_on(band->fill.colour));
        return;
    }
    if (label->place == HPR_LABEL_MARGIN) {
        draw_leader(d, band);
    }
    draw_swatch(d, band);
    hpr__draw_text(d, label->text, label->x_pt, label->y_pt, label->size_pt, HPR_ANCHOR_START,
                   d->theme->text);
}

/* Writes below a legend how many bands have no room in it. */
static void draw_rest_of_legend(const hpr__drawing *d)
{
    const hpr_label *lowest = NULL;
    unsigned n = 0;
    for (uint32_t i = d->chart->n_bands; i-- > 0;) {
        const hpr_band *band = &d->chart->bands[i];
        n += hpr__label_is_due(d->chart, band);
        lowest = band->label.place == HPR_LABEL_LEGEND ? &band->label : lowest;
    }
    if (!lowest || n == 0) {
        return;
    }
    char text[48];
    snprintf(text, sizeof text, "and %u smaller", n);
    hpr_text_size line = hpr__measure(d, text, lowest->size_pt);
    double left = lowest->x_pt;
    if (left + line.width_pt > d->chart->width_pt) {
        snprintf(text, sizeof text, "+%u", n);
        left = lowest->box_x_pt;
    }
    hpr__draw_text(d, text, left, lowest->y_pt - line.ascent_pt - line.descent_pt, lowest->size_pt,
                   HPR_ANCHOR_START, d->theme->muted);
}

static void draw_labels(const hpr__drawing *d)
{
    for (uint32_t i = 0; i < d->chart->n_bands; i++) {
        draw_label(d, &d->chart->bands[i]);
    }
    const hpr_label *common = &d->chart->common;
    if (common->place == HPR_LABEL_LEGEND) {
        hpr__draw_text(d, common->text, common->x_pt, common->y_pt, common->size_pt,
                       HPR_ANCHOR_START, d->theme->muted);
    }
    draw_rest_of_legend(d);
}

/* --- page ----------------------------------------------------------------------------------- */

static void draw_title(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    double pad = hpr__sheet_pad_pt(chart);
    double baseline = chart->height_pt - pad - d->type.title_pt;
    if (chart->title.caption) {
        hpr__draw_text(d, chart->title.caption, pad, chart->height_pt - pad - d->type.text_pt,
                       d->type.text_pt, HPR_ANCHOR_START, d->theme->muted);
    }
    hpr__text_style style = {.size_pt = d->type.title_pt, .colour = d->theme->text, .bold = true};
    hpr_point place = hpr__at(d, pad, baseline);
    hpr__builder_text(d->builder, chart->title.job, place.x_pt, place.y_pt, &style);
    hpr__draw_text(d, chart->title.date, chart->width_pt - pad, baseline, d->type.text_pt,
                   HPR_ANCHOR_END, d->theme->muted);
}

static void draw_emptiness(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    bool is_empty = chart->base ? chart->n_bands == 0 : !(chart->peak_total > 0);
    if (is_empty) {
        const char *text = chart->base          ? "no difference"
                           : chart->n_bands > 0 ? "nothing but zeros"
                                                : "no names";
        if (width_of(d, text) <= chart->plot_width_pt) {
            hpr__draw_text(d, text, chart->plot_x_pt + chart->plot_width_pt / 2,
                           chart->plot_y_pt + chart->plot_height_pt / 2, d->type.text_pt,
                           HPR_ANCHOR_MIDDLE, d->theme->muted);
        }
    }
}

static void draw_chart(const hpr__drawing *d)
{
    draw_grid(d);
    if (d->chart->n_points > 0 && d->chart->n_bands > 0) {
        hpr__draw_bands(d);
        hpr__draw_quantity_lines(d);
        draw_labels(d);
    }
    draw_x_axis(d);
    draw_y_axis(d);
    draw_emptiness(d);
    hpr__draw_lanes(d);
    hpr__draw_gc_ticks(d);
    hpr__draw_census_marks(d);
    hpr__draw_notes(d);
    draw_title(d);
}

static hpr__drawing drawing_of(const hpr_chart *chart, const hpr_options *options,
                               hpr_measurer measurer)
{
    return (hpr__drawing){
        .chart = chart,
        .theme = hpr__theme_of(options->theme),
        .measurer = measurer,
        .type = hpr__type_sizes_of(chart->width_pt, options),
        .si_units = options->si_units,
        .fineness = hpr__fineness_of(options, chart->plot_width_pt),
    };
}

/* Creates the builder of a scene of that size, and begins its page. */
static void begin_scene(hpr__drawing *d, double width_pt, double height_pt, const char *title)
{
    d->builder = hpr__builder_create(width_pt, height_pt);
    hpr__builder_describe(d->builder, title, d->chart->title.date, "heapcensus");
    hpr__builder_set_background(d->builder, d->theme->background);
    hpr__builder_page(d->builder, NULL);
}

/* --- all ------------------------------------------------------------------------------------ */

hpf_status hpr__draw_modern(hpr_scene **out, const hpr_chart *chart, const hpr_options *options,
                            hpr_measurer measurer, hpf_error *err)
{
    hpr__drawing d = drawing_of(chart, options, measurer);
    *out = NULL;
    begin_scene(&d, chart->width_pt, chart->height_pt, chart->title.job);
    draw_chart(&d);
    return hpr__builder_finish(d.builder, out, err);
}

hpf_status hpr_page_scene_create(hpr_scene **out, const hpr_page *page, const hpr_options *options,
                                 hpr_measurer measurer, hpf_error *err)
{
    hpr_options own;
    *out = NULL;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    if (status) {
        return status;
    }
    hpr__drawing d = drawing_of(page->legend, &own, measurer);
    begin_scene(&d, page->width_pt, page->height_pt, page->legend->title.job);
    for (size_t i = 0; i < page->n_panels; i++) {
        const hpr_panel *panel = &page->panels[i];
        hpr__drawing drawing = drawing_of(panel->chart, &own, measurer);
        drawing.builder = d.builder;
        drawing.corner.x_pt = panel->x_pt;
        drawing.corner.y_pt = page->height_pt - panel->y_pt - panel->chart->height_pt;
        draw_chart(&drawing);
    }
    draw_labels(&d);
    return hpr__builder_finish(d.builder, out, err);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "modern_drawing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "layout/labels.h"
#include "made_up_font.h"

static const hpf_source_options keep = {.size = sizeof keep, .keep = true};

static void draw_source(drawing *d, const hpr_options *options)
{
    hpf_error err = {0};
    cr_assert_eq(hpf_survey_create(&d->survey, d->source, NULL, &err), HPF_OK, "%s", err.message);
    cr_assert_eq(hpr_chart_create(&d->chart, d->survey, options, made_up_measurer, &err), HPF_OK);
    cr_assert_eq(hpr_scene_create(&d->scene, d->chart, options, made_up_measurer, &err), HPF_OK);
}

void draw_file(drawing *d, const char *path, const hpr_options *options)
{
    cr_assert_eq(hpf_source_open(&d->source, path, &keep, NULL), HPF_OK);
    draw_source(d, options);
}

void draw_text(drawing *d, const char *text, const hpr_options *options)
{
    hpf_str bytes = {text, strlen(text)};
    cr_assert_eq(hpf_source_from_memory(&d->source, bytes, &keep, NULL), HPF_OK);
    draw_source(d, options);
}

void destroy(drawing *d)
{
    hpr_scene_destroy(d->scene);
    hpr_chart_destroy(d->chart);
    hpf_survey_destroy(d->survey);
    hpf_source_destroy(d->source);
}

hpr_options sheet(double width_pt, double height_pt)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.width_pt = width_pt;
    options.height_pt = height_pt;
    return options;
}

/* ---- Invariants ---- */

typedef struct box {
    double left, right, low, high;
} box;

static box box_of_label(const hpr_label *label)
{
    hpr_text_size size = made_up_measure(NULL, label->text, label->size_pt, false);
    double left = label->x_pt - (label->place == HPR_LABEL_INSIDE ? size.width_pt / 2 : 0);
    return (box){left, left + size.width_pt, label->y_pt - size.descent_pt,
                 label->y_pt + size.ascent_pt};
}

static bool overlap(box a, box b)
{
    const double slack = 1e-6;
    return a.left < b.right - slack && b.left < a.right - slack && a.low < b.high - slack &&
           b.low < a.high - slack;
}

static void expect_inside_page(const hpr_chart *chart, box b, const char *what)
{
    const double slack = 1e-6;
    cr_expect(b.left >= -slack && b.right <= chart->width_pt + slack && b.low >= -slack &&
                  b.high <= chart->height_pt + slack,
              "%s: %g..%g %g..%g", what, b.left, b.right, b.low, b.high);
}

/* Returns the height of a curve at an x position, by linear interpolation. */
static double height_at(const hpr_chart *chart, const double *amounts, double x_pt)
{
    double share = (x_pt - chart->plot_x_pt) / chart->plot_width_pt;
    double x_value = chart->x.low + share * (chart->x.high - chart->x.low);
    size_t i = 1;
    while (i + 1 < chart->n_points && chart->xs[i] < x_value) {
        i++;
    }
    double amount = amounts[0];
    if (chart->n_points > 1 && chart->xs[i] > chart->xs[i - 1]) {
        double part = (x_value - chart->xs[i - 1]) / (chart->xs[i] - chart->xs[i - 1]);
        amount = amounts[i - 1] + fmin(fmax(part, 0), 1) * (amounts[i] - amounts[i - 1]);
    }
    return chart->plot_y_pt + amount / chart->y.high * chart->plot_height_pt;
}

static void expect_inside_band(const hpr_chart *chart, uint32_t index)
{
    const hpr_band *band = &chart->bands[index];
    box b = box_of_label(&band->label);
    double *lower = calloc(chart->n_points, sizeof *lower);
    for (size_t i = 0; i < chart->n_points; i++) {
        lower[i] = index > 0 ? chart->bands[index - 1].upper[i] : 0;
    }
    for (double x = b.left; x <= b.right; x += 0.5) {
        cr_expect(height_at(chart, lower, x) <= b.low + 1e-3, "%s", band->text);
        cr_expect(height_at(chart, band->upper, x) >= b.high - 1e-3, "%s", band->text);
    }
    free(lower);
}

/* Checks that names next to bands and in legends have the order of the stack: down each column,
 * from the left column to the right one. Lines have the order of their right ends. */
static void expect_order_of_stack(const hpr_chart *chart)
{
    for (uint32_t high = 0; high < chart->n_bands; high++) {
        const hpr_label *above = &chart->bands[high].label;
        for (uint32_t low = 0; low < high; low++) {
            const hpr_label *below = &chart->bands[low].label;
            bool is_key = above->place == HPR_LABEL_LEGEND ||
                          (above->place == HPR_LABEL_MARGIN && !chart->is_lines);
            if (is_key && below->place == above->place) {
                cr_expect(above->x_pt < below->x_pt ||
                              (above->x_pt == below->x_pt && above->y_pt > below->y_pt),
                          "%s, above %s", chart->bands[high].text, chart->bands[low].text);
            }
        }
    }
}

void expect_labels_in_place(const hpr_chart *chart)
{
    expect_order_of_stack(chart);
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        const hpr_band *band = &chart->bands[i];
        if (band->label.place == HPR_LABEL_NONE) {
            continue;
        }
        expect_inside_page(chart, box_of_label(&band->label), band->text);
        cr_expect(band->label.size_pt >= 7 && band->label.size_pt <= 9);
        if (band->label.place == HPR_LABEL_INSIDE && chart->x.high > chart->x.low) {
            expect_inside_band(chart, i);
        }
        for (uint32_t k = 0; k < i; k++) {
            const hpr_label *other = &chart->bands[k].label;
            cr_expect(other->place == HPR_LABEL_NONE ||
                          !overlap(box_of_label(&band->label), box_of_label(other)),
                      "%s on %s", band->text, chart->bands[k].text);
        }
    }
}

static void expect_good_axis(const hpr_axis *axis, double from_pt, double length_pt)
{
    for (size_t i = 0; i < axis->n_ticks; i++) {
        cr_expect(axis->ticks[i].at_pt >= from_pt - 1e-6);
        cr_expect(axis->ticks[i].at_pt <= from_pt + length_pt + 1e-6);
        for (size_t k = 0; k < i; k++) {
            cr_expect_str_neq(axis->ticks[i].label, axis->ticks[k].label);
        }
    }
    cr_expect_leq(axis->n_ticks, 10);
}

static void expect_x_labels_apart(const hpr_chart *chart)
{
    double free_from = -HUGE_VAL;
    for (size_t i = 0; i < chart->x.n_ticks; i++) {
        const hpr_tick *tick = &chart->x.ticks[i];
        double width = made_up_measure(NULL, tick->label, 7, false).width_pt;
        cr_expect_geq(tick->at_pt - width / 2, free_from);
        free_from = tick->at_pt + width / 2;
    }
}

/* Checks that bands are stacked without gaps, and that they contain the whole profile. */
static void expect_whole(const drawing *d)
{
    const hpr_chart *chart = d->chart;
    const hpf_overview *overview = hpf_survey_overview(d->survey);
    for (size_t i = 0; i < chart->n_points && !chart->is_normalised; i++) {
        double sum = 0;
        for (uint32_t b = 0; b < chart->n_bands; b++) {
            sum += chart->bands[b].values[i];
            cr_expect_leq(fabs(chart->bands[b].upper[i] - sum), 1e-9 * sum);
        }
        bool is_stepped = chart->n_points > overview->n_drawn;
        cr_expect_leq(fabs(sum - overview->drawn[is_stepped ? i / 2 : i].total), 1e-9 * sum);
    }
    cr_expect_eq(chart->dropped_names, 0);
    uint32_t n_other = 0;
    for (uint32_t b = 0; b < chart->n_bands; b++) {
        n_other += chart->bands[b].is_other;
    }
    cr_expect_leq(n_other, 1);
}

void expect_sound_scene(const drawing *d)
{
    for (size_t i = 0; i < d->scene->n_items; i++) {
        const hpr_item *item = &d->scene->items[i];
        for (size_t k = 0; k < item->n_points; k++) {
            cr_expect(isfinite(item->points[k].x_pt) && isfinite(item->points[k].y_pt));
            cr_expect(item->points[k].x_pt >= -1e-6 &&
                      item->points[k].x_pt <= d->scene->width_pt + 1e-6);
            cr_expect(item->points[k].y_pt >= -1e-6 &&
                      item->points[k].y_pt <= d->scene->height_pt + 1e-6);
        }
        if (item->kind == HPR_ITEM_TEXT) {
            cr_expect(isfinite(item->at.x_pt) && isfinite(item->at.y_pt) && item->size_pt > 0);
        }
    }
}

void expect_sound(const drawing *d)
{
    const hpr_chart *chart = d->chart;
    cr_expect_gt(chart->plot_width_pt, 0);
    cr_expect_gt(chart->plot_height_pt, 0);
    cr_expect_gt(chart->y.high, 0);
    expect_good_axis(&chart->x, chart->plot_x_pt, chart->plot_width_pt);
    expect_good_axis(&chart->y, chart->plot_y_pt, chart->plot_height_pt);
    expect_x_labels_apart(chart);
    expect_sound_scene(d);
    expect_whole(d);
}

void expect_good(const drawing *d)
{
    expect_sound(d);
    expect_labels_in_place(d->chart);
}

static box box_of_text(const hpr_item *item)
{
    hpr_text_size size = made_up_measure(NULL, item->text, item->size_pt, false);
    static const double before[] = {
        [HPR_ANCHOR_START] = 0, [HPR_ANCHOR_MIDDLE] = 0.5, [HPR_ANCHOR_END] = 1};
    double left = item->at.x_pt - before[item->anchor] * size.width_pt;
    return (box){left, left + size.width_pt, item->at.y_pt - 0.7 * size.ascent_pt, item->at.y_pt};
}

/* Checks that texts of a scene do not overlap and are within the sheet. */
void expect_texts_in_place(const drawing *d)
{
    const hpr_scene *scene = d->scene;
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        if (item->kind != HPR_ITEM_TEXT) {
            continue;
        }
        expect_inside_page(d->chart, box_of_text(item), item->text);
        for (size_t k = 0; k < i; k++) {
            const hpr_item *other = &scene->items[k];
            cr_expect(other->kind != HPR_ITEM_TEXT ||
                          !overlap(box_of_text(item), box_of_text(other)),
                      "'%s' on '%s'", item->text, other->text);
        }
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Quantities as lines over the bands: dashed, on a halo in the colour of the background, named near
 * their right ends where nothing else is.
 */
#include "draw/draw.h"

#include <math.h>
#include <stdlib.h>

#include "draw/curve.h"

#define LINE_PT     0.9
#define HALO_PT     2.2
#define NAME_GAP_PT 2.5 /* between a name and its line */
#define STEP_PT     6.0 /* between the places that are tried for a name */

/* --- lines ---------------------------------------------------------------------------------- */

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

static void draw_line(const hpr__drawing *d, const hpr_quantity *line)
{
    hpr__curve curve;
    if (!hpr__curve_init(&curve, d->builder, line->n_points)) {
        return;
    }
    for (size_t i = 0; i < line->n_points; i++) {
        const hpf_quantity_point *point = &line->points[i];
        curve.points[i] =
            hpr__at(d, hpr__x_of_time(d->chart, point->time), hpr__y_of(d->chart, point->value));
    }
    hpr__curve_simplify(&curve, NULL, NULL, 0, d->fineness);
    hpr_point *points = hpr__curve_points(d->builder, &curve);
    hpr_paint paint = hpr__stroke_of(d, d->theme->text, LINE_PT);
    paint.dash_pt = 3;
    hpr__builder_group_begin(d->builder, line->text);
    draw_halo(d, &curve, points);
    hpr__builder_line_owned(d->builder, points, curve.n_shown, paint);
    hpr__builder_group_end(d->builder);
    hpr__curve_finish(&curve);
}

void hpr__draw_quantity_lines(const hpr__drawing *d)
{
    for (size_t i = 0; i < d->chart->n_quantities; i++) {
        draw_line(d, &d->chart->quantities[i]);
    }
}

/* --- names ---------------------------------------------------------------------------------- */

/* Areas of the texts that are drawn already. */
typedef struct obstacles {
    hpr__area *areas;
    size_t n;
} obstacles;

static bool is_on_rule(const hpr_chart *chart, const hpr__area *area)
{
    for (size_t i = 0; i < chart->n_marks; i++) {
        double x = chart->marks[i].x_pt;
        if (chart->marks[i].is_ruled && x > area->left_pt - NAME_GAP_PT &&
            x < area->right_pt + NAME_GAP_PT) {
            return true;
        }
    }
    return false;
}

static bool is_in_plot(const hpr_chart *chart, const hpr__area *area)
{
    return area->left_pt >= chart->plot_x_pt && area->right_pt <= hpr__right_of_plot(chart) &&
           area->bottom_pt >= chart->plot_y_pt && area->top_pt <= hpr__top_of_plot(chart) + 1;
}

/* Finds the lowest and the highest place of a line between two places of the x axis. */
static void find_extent(const hpr__drawing *d, const hpr_quantity *line, double left_pt,
                        double right_pt, double *low_pt, double *high_pt)
{
    const hpr_chart *chart = d->chart;
    double before_x = 0, before_y = 0;
    *low_pt = HUGE_VAL;
    *high_pt = -HUGE_VAL;
    for (size_t i = 0; i < line->n_points; i++) {
        double x = hpr__x_of_time(chart, line->points[i].time);
        double y = hpr__y_of(chart, line->points[i].value);
        bool is_inside = x >= left_pt && x <= right_pt;
        bool is_across = i > 0 && before_x < right_pt && x > left_pt;
        if (is_inside || is_across) {
            *low_pt = fmin(*low_pt, is_across ? fmin(before_y, y) : y);
            *high_pt = fmax(*high_pt, is_across ? fmax(before_y, y) : y);
        }
        before_x = x;
        before_y = y;
    }
}

bool hpr__is_on_lines(const hpr__drawing *d, const hpr__area *area)
{
    for (size_t i = 0; i < d->chart->n_quantities; i++) {
        double low, high;
        find_extent(d, &d->chart->quantities[i], area->left_pt, area->right_pt, &low, &high);
        if (low <= area->top_pt && high >= area->bottom_pt) {
            return true;
        }
    }
    return false;
}

static bool is_free(const hpr__drawing *d, const obstacles *others, const hpr__area *area)
{
    bool is_clear =
        is_in_plot(d->chart, area) && !is_on_rule(d->chart, area) && !hpr__is_on_lines(d, area);
    for (size_t i = 0; is_clear && i < others->n; i++) {
        const hpr__area *other = &others->areas[i];
        is_clear = area->right_pt < other->left_pt || other->right_pt < area->left_pt ||
                   area->top_pt < other->bottom_pt || other->top_pt < area->bottom_pt;
    }
    return is_clear;
}

/* Returns the area of a name that ends at `right_pt`, above its line or below it. */
static hpr__area area_near(const hpr__drawing *d, const hpr_quantity *line, hpr_text_size size,
                           double right_pt, bool is_above)
{
    double low, high;
    hpr__area area = {.left_pt = right_pt - size.width_pt, .right_pt = right_pt};
    find_extent(d, line, area.left_pt, area.right_pt, &low, &high);
    area.bottom_pt =
        is_above ? high + NAME_GAP_PT : low - NAME_GAP_PT - size.ascent_pt - size.descent_pt;
    area.top_pt = area.bottom_pt + size.ascent_pt + size.descent_pt;
    return area;
}

/* Returns whether any part of the stack is as high as an area. */
static bool is_on_stack(const hpr_chart *chart, const hpr__area *area)
{
    double before_x = -HUGE_VAL;
    bool was_high = false;
    for (size_t i = 0; i < chart->n_points && !chart->is_lines; i++) {
        double x = hpr__x_of(chart, chart->xs[i]);
        bool is_high = hpr__y_of(chart, chart->totals[i]) > area->bottom_pt - NAME_GAP_PT;
        if ((is_high || was_high) && x >= area->left_pt && before_x <= area->right_pt) {
            return true;
        }
        before_x = x;
        was_high = is_high;
    }
    return false;
}

/* Returns the area right of the end of a line, at its height, below the top of the plot. */
static hpr__area area_after(const hpr__drawing *d, const hpr_quantity *line, hpr_text_size size)
{
    const hpf_quantity_point *last = &line->points[line->n_points - 1];
    double left = hpr__x_of_time(d->chart, last->time) + NAME_GAP_PT;
    double height = size.ascent_pt + size.descent_pt;
    double middle = hpr__y_of(d->chart, last->value);
    double bottom = fmin(middle - height / 2, hpr__top_of_plot(d->chart) - height);
    return (hpr__area){left, left + size.width_pt, bottom, bottom + height};
}

/* Finds the area right of the line, or the rightmost free one above it, or below it and above the
 * bands; with `is_on_bands`, below it on the bands. Returns whether there is one. */
static bool find_free(const hpr__drawing *d, const hpr_quantity *line, const obstacles *others,
                      hpr_text_size size, bool is_on_bands, hpr__area *out)
{
    const hpr_chart *chart = d->chart;
    double begin = hpr__x_of_time(chart, line->points[0].time);
    double end = hpr__x_of_time(chart, line->points[line->n_points - 1].time);
    end = fmin(end, hpr__right_of_plot(chart) - 1);
    *out = area_after(d, line, size);
    if (!is_on_stack(chart, out) && is_free(d, others, out)) {
        return true;
    }
    for (double right = end; right - size.width_pt >= begin; right -= STEP_PT) {
        *out = area_near(d, line, size, right, true);
        if (!is_on_bands && is_free(d, others, out)) {
            return true;
        }
        *out = area_near(d, line, size, right, false);
        if ((is_on_bands || !is_on_stack(chart, out)) && is_free(d, others, out)) {
            return true;
        }
    }
    return false;
}

/* Returns the best area for a name; without any room, that at the end of the line. */
static hpr__area find_area(const hpr__drawing *d, const hpr_quantity *line, const obstacles *others,
                           hpr_text_size size)
{
    const hpr_chart *chart = d->chart;
    hpr__area area;
    if (find_free(d, line, others, size, false, &area) ||
        find_free(d, line, others, size, true, &area)) {
        return area;
    }
    double end = hpr__x_of_time(chart, line->points[line->n_points - 1].time);
    end = fmin(fmax(end, chart->plot_x_pt + size.width_pt), hpr__right_of_plot(chart) - 1);
    area = area_near(d, line, size, end, true);
    double excess = fmax(0, area.top_pt - hpr__top_of_plot(chart));
    area.top_pt -= excess;
    area.bottom_pt -= excess;
    return area;
}

static void draw_name(const hpr__drawing *d, const hpr_quantity *line, const hpr__area *area,
                      hpr_text_size size)
{
    hpr_point corner = hpr__at(d, area->left_pt - 1, area->top_pt);
    hpr__builder_rect(d->builder, corner.x_pt, corner.y_pt, size.width_pt + 2,
                      area->top_pt - area->bottom_pt, hpr__paint_fill(d->theme->background),
                      hpr__paint_none());
    hpr__draw_text(d, line->text, area->left_pt, area->bottom_pt + size.descent_pt, d->type.text_pt,
                   HPR_ANCHOR_START, d->theme->text);
}

static void add_band_names(const hpr__drawing *d, obstacles *others)
{
    for (uint32_t i = 0; i < d->chart->n_bands; i++) {
        const hpr_label *label = &d->chart->bands[i].label;
        if (label->place != HPR_LABEL_INSIDE) {
            continue;
        }
        hpr_text_size size = hpr__measure(d, label->text, label->size_pt);
        others->areas[others->n++] =
            (hpr__area){label->x_pt - size.width_pt / 2, label->x_pt + size.width_pt / 2,
                        label->y_pt - size.descent_pt, label->y_pt + size.ascent_pt};
    }
}

void hpr__draw_quantity_names(const hpr__drawing *d, const hpr__area *taken)
{
    const hpr_chart *chart = d->chart;
    obstacles others = {.areas =
                            malloc((chart->n_bands + chart->n_quantities + 1) * sizeof(hpr__area))};
    if (!others.areas) {
        hpr__builder_fail(d->builder);
        return;
    }
    others.areas[others.n++] = *taken;
    add_band_names(d, &others);
    for (size_t i = 0; i < chart->n_quantities; i++) {
        const hpr_quantity *line = &chart->quantities[i];
        hpr_text_size size = hpr__measure(d, line->text, d->type.text_pt);
        hpr__area area = find_area(d, line, &others, size);
        draw_name(d, line, &area, size);
        others.areas[others.n++] = area;
    }
    free(others.areas);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Notes of the modern look: the peak, marks, names of quantity lines, garbage collections,
 * censuses.
 */
#include "draw/draw.h"

#include <math.h>
#include <stdlib.h>

#include "layout/notes.h"

#define LEAST_APART_PT 0.8 /* marks that are nearer share a rule */
#define MINOR_GC_PT    3.0 /* lengths of ticks */
#define MAJOR_GC_PT    7.0
#define GC_WIDTH_PT    0.5
#define PEAK_DOT_PT    1.7
#define LEAST_LED_PT   4.0 /* a text that is farther from the dot has a leader */

enum { DOT_CORNERS = 16 };

void hpr__draw_segment(const hpr__drawing *d, double x0_pt, double y0_pt, double x1_pt,
                       double y1_pt, hpr_paint paint)
{
    hpr_point points[2] = {hpr__at(d, x0_pt, y0_pt), hpr__at(d, x1_pt, y1_pt)};
    hpr__builder_line(d->builder, points, 2, paint);
}

void hpr__draw_text(const hpr__drawing *d, const char *text, double x_pt, double y_pt,
                    double size_pt, hpr_anchor anchor, hpr_colour colour)
{
    hpr__text_style style = {.size_pt = size_pt, .anchor = anchor, .colour = colour};
    hpr_point place = hpr__at(d, x_pt, y_pt);
    hpr__builder_text(d->builder, text, place.x_pt, place.y_pt, &style);
}

/* --- peak ----------------------------------------------------------------------------------- */

static void draw_dot(const hpr__drawing *d, double x_pt, double y_pt)
{
    hpr_point corners[DOT_CORNERS];
    for (int i = 0; i < DOT_CORNERS; i++) {
        double angle = 6.283185307179586 * i / DOT_CORNERS;
        corners[i] = hpr__at(d, x_pt + PEAK_DOT_PT * cos(angle), y_pt + PEAK_DOT_PT * sin(angle));
    }
    hpr__builder_polygon(d->builder, corners, DOT_CORNERS, hpr__paint_fill(d->theme->outline),
                         hpr__paint_stroke(d->theme->background, HPR__HAIRLINE_PT));
}

/* Connects the dot with a text that is far from it. */
static void draw_peak_leader(const hpr__drawing *d, const hpr__peak_note *note)
{
    const hpr__area *area = &note->area;
    if (!d->chart->base && hpr__peak_note_distance(note) > LEAST_LED_PT) {
        double x = fmin(fmax(note->dot_x_pt, area->left_pt - 1), area->right_pt + 1);
        double y = x == note->dot_x_pt ? area->bottom_pt - 1 : (area->bottom_pt + area->top_pt) / 2;
        hpr__draw_segment(d, note->dot_x_pt, note->dot_y_pt, x, y,
                          hpr__stroke_of(d, d->theme->rule, HPR__RULE_PT));
    }
}

/* Draws the text on a cleared area: no grid and no rule crosses it. */
static void draw_peak(const hpr__drawing *d, const hpr__peak_note *note)
{
    const hpr__area *area = &note->area;
    double descent = hpr__measure(d, note->text, d->type.text_pt).descent_pt;
    hpr__clear(d, area->left_pt, area->top_pt, area->right_pt - area->left_pt,
               area->top_pt - area->bottom_pt + descent / 2, d->theme->background);
    draw_peak_leader(d, note);
    draw_dot(d, note->dot_x_pt, note->dot_y_pt);
    hpr__draw_text(d, note->text, area->left_pt, area->bottom_pt, d->type.text_pt, HPR_ANCHOR_START,
                   d->theme->text);
}

/* --- marks ---------------------------------------------------------------------------------- */

/* Returns the baseline of a row of labels. The lowest is above the row of the peak's text. */
static double baseline_of_row(const hpr__drawing *d, unsigned row)
{
    hpr_text_size line = hpr__measure(d, "0", d->type.text_pt);
    return hpr__top_of_plot(d->chart) + HPR__TEXT_GAP_PT +
           (row + 1) * (line.ascent_pt + line.descent_pt);
}

/* Returns the upper end of a mark: its label, or the top of the plot; of a tick, a little above the
 * axis. */
static double top_of_mark(const hpr__drawing *d, const hpr_mark *mark)
{
    const hpr_chart *chart = d->chart;
    if (!mark->is_ruled) {
        return chart->plot_y_pt + fmin(6, chart->plot_height_pt);
    }
    return *mark->shown ? baseline_of_row(d, mark->row) - 2 : hpr__top_of_plot(chart);
}

/* Draws one rule or tick for mark `first` and all marks that are too near to be seen apart. Returns
 * the next mark. */
static size_t draw_rule(const hpr__drawing *d, size_t first)
{
    const hpr_chart *chart = d->chart;
    hpr_paint paint = hpr__stroke_of(d, d->theme->text, HPR__RULE_PT);
    double x = chart->marks[first].x_pt;
    double top = 0;
    size_t i = first;
    for (; i < chart->n_marks && chart->marks[i].x_pt - x < LEAST_APART_PT; i++) {
        top = fmax(top, top_of_mark(d, &chart->marks[i]));
        x = chart->marks[i].is_ruled ? chart->marks[i].x_pt : x;
        paint.dash_pt = chart->marks[i].is_ruled ? 2 : paint.dash_pt;
    }
    hpr__draw_segment(d, x, chart->plot_y_pt - chart->lanes_pt, x, top, paint);
    return i;
}

static void draw_mark_labels(const hpr__drawing *d)
{
    for (size_t i = 0; i < d->chart->n_marks; i++) {
        const hpr_mark *mark = &d->chart->marks[i];
        if (*mark->shown) {
            hpr__draw_text(d, mark->shown, mark->label_x_pt, baseline_of_row(d, mark->row),
                           d->type.text_pt, HPR_ANCHOR_START, d->theme->muted);
        }
    }
}

/* Draws the names of quantity lines, outside of `taken`. */
static void draw_quantity_names(const hpr__drawing *d, const hpr__note_style *style,
                                const hpr__area *taken)
{
    hpr__area *areas = hpr__quantity_names_place(d->chart, style, taken);
    if (!areas) {
        hpr__builder_fail(d->builder);
        return;
    }
    for (size_t i = 0; i < d->chart->n_quantities; i++) {
        const char *name = d->chart->quantities[i].text;
        hpr_text_size size = hpr__measure(d, name, d->type.text_pt);
        hpr__clear(d, areas[i].left_pt - 1, areas[i].top_pt, size.width_pt + 2,
                   areas[i].top_pt - areas[i].bottom_pt, d->theme->background);
        hpr__draw_text(d, name, areas[i].left_pt, areas[i].bottom_pt + size.descent_pt,
                       d->type.text_pt, HPR_ANCHOR_START, d->theme->text);
    }
    free(areas);
}

void hpr__draw_notes(const hpr__drawing *d)
{
    const hpr__note_style style = {d->measurer, d->type.text_pt, d->si_units};
    const hpr__peak_note peak = hpr__peak_note_place(d->chart, &style);
    for (size_t i = 0; i < d->chart->n_marks;) {
        i = draw_rule(d, i);
    }
    if (peak.is_there) {
        draw_peak(d, &peak);
    }
    hpr__area taken = peak.area; /* with a gap, so that "live peak 9 MiB" is not read as one text */
    taken.left_pt -= 2 * HPR__TEXT_GAP_PT;
    taken.right_pt += 2 * HPR__TEXT_GAP_PT;
    draw_quantity_names(d, &style, &taken);
    draw_mark_labels(d);
}

/* --- garbage collections -------------------------------------------------------------------- */

/* Writes "GC" right of the ticks if there is room. */
static void draw_gc_name(const hpr__drawing *d)
{
    const double gap_pt = 3;
    double size_pt = d->type.text_pt;
    hpr_text_size size = hpr__measure(d, "GC", size_pt);
    double left = hpr__right_of_plot(d->chart) + gap_pt;
    if (left + size.width_pt <= d->chart->width_pt) {
        hpr__draw_text(d, "GC", left, hpr__top_of_plot(d->chart) - size.ascent_pt, size_pt,
                       HPR_ANCHOR_START, d->theme->muted);
    }
}

void hpr__draw_gc_ticks(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    double top = hpr__top_of_plot(chart);
    hpr_paint paint = hpr__stroke_of(d, d->theme->text, GC_WIDTH_PT);
    if (chart->n_collections == 0) {
        return;
    }
    hpr__builder_group_begin(d->builder, "garbage collections; the longer ticks are major ones");
    for (size_t i = 0; i < chart->n_collections; i++) {
        const hpr_collection *c = &chart->collections[i];
        double length = c->is_major ? MAJOR_GC_PT : MINOR_GC_PT;
        hpr__draw_segment(d, c->x_pt, top, c->x_pt, top - length, paint);
    }
    hpr__builder_group_end(d->builder);
    draw_gc_name(d);
}

/* --- censuses ------------------------------------------------------------------------------- */

/* Draws a triangle that hangs from the x axis at each sample that is not empty. Of triangles that
 * would touch, the first is drawn. */
void hpr__draw_census_marks(const hpr__drawing *d)
{
    const double half_pt = 2, height_pt = 3.4, apart_pt = 5.2;
    const hpr_chart *chart = d->chart;
    double last_x = -HUGE_VAL;
    if (!chart->has_census_marks) {
        return;
    }
    hpr__builder_group_begin(d->builder, "censuses");
    for (size_t i = 0; i < chart->n_points; i++) {
        double x = hpr__x_of(chart, chart->xs[i]);
        if (chart->totals[i] > 0 && x - last_x >= apart_pt) {
            double base = chart->plot_y_pt;
            hpr_point corners[] = {hpr__at(d, x, base - height_pt), hpr__at(d, x - half_pt, base),
                                   hpr__at(d, x + half_pt, base)};
            hpr__builder_polygon(d->builder, corners, 3, hpr__paint_fill(d->theme->text),
                                 hpr__paint_none());
            last_x = x;
        }
    }
    hpr__builder_group_end(d->builder);
}

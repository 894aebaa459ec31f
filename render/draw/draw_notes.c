/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Notes of the modern look: the peak, marks, garbage collections, censuses. The text of the peak is
 * above the highest point (of differences: above the plot), moved to where no mark and no quantity
 * line crosses it. The labels of marks are in rows above it (layout/mark_labels.h).
 */
#include "draw/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout/elide.h"

#define LEAST_APART_PT 0.8 /* marks that are nearer share a rule */
#define MINOR_GC_PT    3.0 /* lengths of ticks */
#define MAJOR_GC_PT    7.0
#define GC_WIDTH_PT    0.5
#define PEAK_DOT_PT    1.7
#define LEAST_LED_PT   4.0 /* a text that is farther from the dot has a leader */

enum { DOT_CORNERS = 16 };

static const double most_name_share = 0.4; /* of the plot's width, for the name of a line */

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

/* The text of the peak and its box. */
typedef struct peak_note {
    bool is_there;
    double dot_x_pt, dot_y_pt;
    char text[HPR__PEAK_BYTES + 8];
    double left_pt, right_pt, baseline_pt;
    double top_pt;
} peak_note;

/* Returns the leftmost place of the text. That of differences keeps a distance from the unit, which
 * is in the same row. */
static double lowest_left(const hpr_chart *chart)
{
    return chart->plot_x_pt + (chart->base ? 2 * HPR__TEXT_GAP_PT : 0);
}

/* Returns how far a text must move from `left` in a direction (1 or -1) until no rule crosses it;
 * HUGE_VAL if there is no such place. */
static double shift_past_rules(const hpr_chart *chart, double left, double width, double direction)
{
    const double gap = 2;
    double lowest = lowest_left(chart);
    double highest = hpr__right_of_plot(chart) - width;
    double at = left;
    for (size_t tries = 0; tries <= chart->n_marks && at >= lowest && at <= highest; tries++) {
        double clear = at;
        for (size_t i = 0; i < chart->n_marks; i++) {
            double x = chart->marks[i].x_pt;
            if (chart->marks[i].is_ruled && x > at - gap && x < at + width + gap) {
                clear = direction > 0 ? fmax(clear, x + gap) : fmin(clear, x - gap - width);
            }
        }
        if (clear == at) {
            return fabs(at - left);
        }
        at = clear;
    }
    return HUGE_VAL;
}

/* Returns the left end of a text, as near as possible to `wanted`. */
static double place_between_rules(const hpr_chart *chart, double wanted, double width)
{
    double lowest = lowest_left(chart);
    double left = fmax(fmin(wanted, hpr__right_of_plot(chart) - width), lowest);
    double up = shift_past_rules(chart, left, width, 1);
    double down = shift_past_rules(chart, left, width, -1);
    if (fmin(up, down) == HUGE_VAL) {
        return left;
    }
    return up <= down ? left + up : left - down;
}

/* Returns the distance of the dot from a text's box. */
static double distance_of(const peak_note *note, const hpr__area *area)
{
    double x = fmax(area->left_pt - note->dot_x_pt, note->dot_x_pt - area->right_pt);
    double y = area->bottom_pt - HPR__TEXT_GAP_PT - note->dot_y_pt;
    return hypot(fmax(0, x), fmax(0, y));
}

/* Returns whether an area is in the plot, and crossed by no quantity line and no rule. */
static bool is_clear(const hpr__drawing *d, const hpr__area *area)
{
    const hpr_chart *chart = d->chart;
    const hpr__area padded = {area->left_pt - 2, area->right_pt + 2, area->bottom_pt, area->top_pt};
    double width = area->right_pt - area->left_pt;
    bool is_inside = area->left_pt >= chart->plot_x_pt &&
                     area->right_pt <= hpr__right_of_plot(chart) &&
                     area->bottom_pt <= hpr__top_of_plot(chart) + HPR__TEXT_GAP_PT;
    bool is_on_rule = shift_past_rules(chart, area->left_pt, width, 1) > 0;
    return is_inside && !is_on_rule && !hpr__is_on_lines(d, &padded);
}

/* Returns the lowest baseline from `baseline_pt` on at which no grid line crosses a text. */
static double above_grid(const hpr_chart *chart, double baseline_pt, hpr_text_size size)
{
    const double gap = 0.7;
    for (size_t i = 0; i < chart->y.n_ticks; i++) {
        double line = chart->y.ticks[i].at_pt;
        if (line > baseline_pt - size.descent_pt - gap && line < baseline_pt + size.ascent_pt) {
            baseline_pt = line + size.descent_pt + gap;
        }
    }
    return baseline_pt;
}

/* Moves the text of the peak to the nearest clear place, in its row or a few above. */
static void avoid_lines(const hpr__drawing *d, peak_note *note)
{
    enum { N_ROWS = 5 };
    const double step = 4;
    double width = note->right_pt - note->left_pt;
    double height = note->top_pt - note->baseline_pt;
    double nearest = HUGE_VAL;
    peak_note best = *note;
    hpr_text_size size = hpr__measure(d, note->text, d->type.text_pt);
    for (int row = 0; row < N_ROWS; row++) {
        double baseline = above_grid(d->chart, note->baseline_pt + row * height, size);
        for (double left = note->dot_x_pt - 2 * width; left <= note->dot_x_pt + width;
             left += step) {
            const hpr__area area = {left, left + width, baseline, baseline + height};
            double middle = fabs(left + width / 2 - note->dot_x_pt);
            double distance = distance_of(note, &area) + 1e-3 * middle;
            if (distance < nearest && is_clear(d, &area)) {
                nearest = distance;
                best.left_pt = left;
                best.right_pt = left + width;
                best.baseline_pt = baseline;
                best.top_pt = baseline + height;
            }
        }
    }
    *note = best;
}

/* Chooses the longest wording that has room above the plot, and elides the shortest one if needed.
 * Returns its width. */
static double put_peak_text(const hpr__drawing *d, peak_note *note, const hpr__peak *peak)
{
    const double room = d->chart->plot_width_pt;
    char text[HPR__PEAK_BYTES];
    char name[HPR__ELIDED_BYTES] = "";
    if (peak->band) {
        hpr__elide(name, peak->band->text, room * most_name_share, d->type.text_pt, false,
                   d->measurer);
    }
    for (int words = HPR__PEAK_AND_TIME; words <= HPR__PEAK_BARE; words++) {
        hpr__peak_text(text, d->chart, peak, d->si_units, (hpr__peak_words)words,
                       *name ? name : NULL);
        if (hpr__measure(d, text, d->type.text_pt).width_pt <= room) {
            break;
        }
    }
    return hpr__elide(note->text, text, room, d->type.text_pt, false, d->measurer);
}

static peak_note place_peak(const hpr__drawing *d)
{
    const hpr_chart *chart = d->chart;
    peak_note note = {.is_there = false};
    hpr__peak peak;
    if (!hpr__peak_of(&peak, chart)) {
        return note;
    }
    double width = put_peak_text(d, &note, &peak);
    note.dot_x_pt = hpr__x_of_time(chart, peak.time);
    note.dot_y_pt = hpr__y_of(chart, peak.at);
    note.left_pt = place_between_rules(chart, note.dot_x_pt - width / 2, width);
    note.right_pt = note.left_pt + width;
    hpr_text_size size = hpr__measure(d, note.text, d->type.text_pt);
    note.baseline_pt = (chart->base ? hpr__top_of_plot(chart) : note.dot_y_pt) + HPR__TEXT_GAP_PT;
    note.baseline_pt = above_grid(chart, note.baseline_pt, size);
    note.top_pt = note.baseline_pt + size.ascent_pt;
    if (chart->n_quantities > 0) {
        avoid_lines(d, &note);
    }
    note.is_there = note.top_pt <= chart->height_pt; /* else the page is too low */
    return note;
}

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
static void draw_peak_leader(const hpr__drawing *d, const peak_note *note)
{
    const hpr__area area = {note->left_pt, note->right_pt, note->baseline_pt, note->top_pt};
    if (!d->chart->base && distance_of(note, &area) > LEAST_LED_PT) {
        double x = fmin(fmax(note->dot_x_pt, area.left_pt - 1), area.right_pt + 1);
        double y = x == note->dot_x_pt ? area.bottom_pt - 1 : (area.bottom_pt + area.top_pt) / 2;
        hpr__draw_segment(d, note->dot_x_pt, note->dot_y_pt, x, y,
                          hpr__stroke_of(d, d->theme->rule, HPR__RULE_PT));
    }
}

/* Draws the text on a cleared area: no grid and no rule crosses it. */
static void draw_peak(const hpr__drawing *d, const peak_note *note)
{
    double descent = hpr__measure(d, note->text, d->type.text_pt).descent_pt;
    hpr_point corner = hpr__at(d, note->left_pt, note->top_pt);
    hpr__builder_rect(d->builder, corner.x_pt, corner.y_pt, note->right_pt - note->left_pt,
                      note->top_pt - note->baseline_pt + descent / 2,
                      hpr__paint_fill(d->theme->background), hpr__paint_none());
    draw_peak_leader(d, note);
    draw_dot(d, note->dot_x_pt, note->dot_y_pt);
    hpr__draw_text(d, note->text, note->left_pt, note->baseline_pt, d->type.text_pt,
                   HPR_ANCHOR_START, d->theme->text);
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

/* Draws one rule or tick for mark `first` and those that are too near to be seen apart. Returns the
 * next mark. */
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

void hpr__draw_notes(const hpr__drawing *d)
{
    peak_note peak = place_peak(d);
    for (size_t i = 0; i < d->chart->n_marks;) {
        i = draw_rule(d, i);
    }
    if (peak.is_there) {
        draw_peak(d, &peak);
    }
    const double apart =
        2 * HPR__TEXT_GAP_PT; /* so that "live peak 9 MiB" is not read as one text */
    const hpr__area taken = {peak.left_pt - apart, peak.right_pt + apart, peak.baseline_pt,
                             peak.top_pt};
    hpr__draw_quantity_names(d, &taken);
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

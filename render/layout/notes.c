/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each text has a preferred place. Where something crosses it, other places are tried: for the
 * peak, those next to the highest point in a few rows; for the name of a line, those along the line
 * from right to left, first above it, then below it.
 */
#include "layout/notes.h"

#include <math.h>
#include <stdlib.h>

#define NAME_GAP_PT 2.5 /* between a name and its line */
#define STEP_PT     6.0 /* between the places that are tried for a name */

enum { MOST_CUT_NAMES = 4 }; /* one below the other, next to an arrow */

static const double most_name_share = 0.4; /* of the plot's width, for the name of a line */

static hpr_text_size measure(const hpr__note_style *style, const char *text, double size_pt)
{
    return style->measurer.measure(style->measurer.context, text, size_pt, false);
}

/* Returns whether a rule of a mark is in an area, or nearer than `gap_pt` to its sides. */
static bool is_on_rule(const hpr_chart *chart, const hpr__area *area, double gap_pt)
{
    for (size_t i = 0; i < chart->n_marks; i++) {
        double x = chart->marks[i].x_pt;
        if (chart->marks[i].is_ruled && x > area->left_pt - gap_pt && x < area->right_pt + gap_pt) {
            return true;
        }
    }
    return false;
}

/* Finds the lowest and the highest place of a line between two places of the x axis; without any
 * there, the place of its end. */
static void find_extent(const hpr_chart *chart, const hpr_quantity *line, double left_pt,
                        double right_pt, double *low_pt, double *high_pt)
{
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
    if (*low_pt > *high_pt) {
        *low_pt = *high_pt = before_y;
    }
}

/* Returns whether the line of any quantity crosses an area. */
static bool is_on_lines(const hpr_chart *chart, const hpr__area *area)
{
    for (size_t i = 0; i < chart->n_quantities; i++) {
        double low, high;
        find_extent(chart, &chart->quantities[i], area->left_pt, area->right_pt, &low, &high);
        if (low <= area->top_pt && high >= area->bottom_pt) {
            return true;
        }
    }
    return false;
}

/* --- peak ----------------------------------------------------------------------------------- */

/* Returns the leftmost place of the text. In a chart of differences, the unit is in the same row.
 */
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

double hpr__peak_note_distance(const hpr__peak_note *note)
{
    double x = fmax(note->area.left_pt - note->dot_x_pt, note->dot_x_pt - note->area.right_pt);
    double y = note->area.bottom_pt - HPR__TEXT_GAP_PT - note->dot_y_pt;
    return hypot(fmax(0, x), fmax(0, y));
}

/* Returns whether an area is in the plot, and crossed by no quantity line and no rule. */
static bool is_clear(const hpr_chart *chart, const hpr__area *area)
{
    const hpr__area padded = {area->left_pt - 2, area->right_pt + 2, area->bottom_pt, area->top_pt};
    return area->left_pt >= chart->plot_x_pt && area->right_pt <= hpr__right_of_plot(chart) &&
           area->bottom_pt <= hpr__top_of_plot(chart) + HPR__TEXT_GAP_PT &&
           !is_on_rule(chart, &padded, 0) && !is_on_lines(chart, &padded);
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
static void avoid_lines(hpr__peak_note *note, const hpr_chart *chart, hpr_text_size size)
{
    enum { N_ROWS = 5 };
    const double step = 4;
    const hpr__area first = note->area;
    double width = first.right_pt - first.left_pt;
    double height = first.top_pt - first.bottom_pt;
    double nearest = HUGE_VAL;
    hpr__peak_note tried = *note;
    for (int row = 0; row < N_ROWS; row++) {
        double baseline = above_grid(chart, first.bottom_pt + row * height, size);
        for (double left = note->dot_x_pt - 2 * width; left <= note->dot_x_pt + width;
             left += step) {
            tried.area = (hpr__area){left, left + width, baseline, baseline + height};
            double middle = fabs(left + width / 2 - note->dot_x_pt);
            double distance = hpr__peak_note_distance(&tried) + 1e-3 * middle;
            if (distance < nearest && is_clear(chart, &tried.area)) {
                nearest = distance;
                note->area = tried.area;
            }
        }
    }
}

/* Chooses the longest wording that has room above the plot, and elides the shortest one if needed.
 * Returns its width. */
static double choose_text(hpr__peak_note *note, const hpr_chart *chart, const hpr__peak *peak,
                          const hpr__note_style *style)
{
    const double room = chart->plot_width_pt;
    char text[HPR__PEAK_BYTES];
    char name[HPR__ELIDED_BYTES] = "";
    if (peak->band) {
        hpr__elide(name, peak->band->text, room * most_name_share, style->text_pt, false,
                   style->measurer);
    }
    for (int words = HPR__PEAK_AND_TIME; words <= HPR__PEAK_BARE; words++) {
        hpr__peak_text(text, chart, peak, style->si_units, (hpr__peak_words)words,
                       *name ? name : NULL);
        if (measure(style, text, style->text_pt).width_pt <= room) {
            break;
        }
    }
    return hpr__elide(note->text, text, room, style->text_pt, false, style->measurer);
}

hpr__peak_note hpr__peak_note_place(const hpr_chart *chart, const hpr__note_style *style)
{
    hpr__peak_note note = {.is_there = false};
    hpr__peak peak;
    if (!hpr__peak_of(&peak, chart)) {
        return note;
    }
    double width = choose_text(&note, chart, &peak, style);
    note.dot_x_pt = hpr__x_of_time(chart, peak.time);
    note.dot_y_pt = hpr__y_of(chart, peak.at);
    double left = place_between_rules(chart, note.dot_x_pt - width / 2, width);
    double bottom = (chart->base ? hpr__top_of_plot(chart) : note.dot_y_pt) + HPR__TEXT_GAP_PT;
    hpr_text_size size = measure(style, note.text, style->text_pt);
    bottom = above_grid(chart, bottom, size);
    note.area = (hpr__area){left, left + width, bottom, bottom + size.ascent_pt};
    if (chart->n_quantities > 0) {
        avoid_lines(&note, chart, size);
    }
    note.is_there = note.area.top_pt <= chart->height_pt; /* else the page is too low */
    return note;
}

/* --- names of quantity lines ---------------------------------------------------------------- */

/* Areas of all texts in the plot. */
typedef struct obstacles {
    hpr__area *areas;
    size_t n;
} obstacles;

/* Returns whether an area has nothing of any other text. */
static bool is_apart(const obstacles *others, const hpr__area *area)
{
    bool is_apart = true;
    for (size_t i = 0; is_apart && i < others->n; i++) {
        const hpr__area *other = &others->areas[i];
        is_apart = area->right_pt < other->left_pt || other->right_pt < area->left_pt ||
                   area->top_pt < other->bottom_pt || other->top_pt < area->bottom_pt;
    }
    return is_apart;
}

static bool is_free(const hpr_chart *chart, const obstacles *others, const hpr__area *area)
{
    return area->left_pt >= chart->plot_x_pt && area->right_pt <= hpr__right_of_plot(chart) &&
           area->bottom_pt >= chart->plot_y_pt && area->top_pt <= hpr__top_of_plot(chart) + 1 &&
           !is_on_rule(chart, area, NAME_GAP_PT) && !is_on_lines(chart, area) &&
           is_apart(others, area);
}

/* Returns the area of a name that ends at `right_pt`, above its line or below it. */
static hpr__area area_near(const hpr_chart *chart, const hpr_quantity *line, hpr_text_size size,
                           double right_pt, bool is_above)
{
    double low, high;
    hpr__area area = {.left_pt = right_pt - size.width_pt, .right_pt = right_pt};
    find_extent(chart, line, area.left_pt, area.right_pt, &low, &high);
    area.bottom_pt =
        is_above ? high + NAME_GAP_PT : low - NAME_GAP_PT - size.ascent_pt - size.descent_pt;
    area.top_pt = area.bottom_pt + size.ascent_pt + size.descent_pt;
    return area;
}

double hpr__arrow_of(const hpr_chart *chart, const hpr_quantity *line)
{
    const hpf_quantity_point *highest = &line->points[0];
    for (size_t i = 1; i < line->n_points; i++) {
        highest = line->points[i].value > highest->value ? &line->points[i] : highest;
    }
    double x = hpr__x_of_time(chart, highest->time);
    return !(highest->value > chart->y.high) ? NAN
                                             : fmin(fmax(x, chart->plot_x_pt + HPR__ARROW_PT / 2),
                                                    hpr__right_of_plot(chart) - HPR__ARROW_PT / 2);
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
static hpr__area area_after(const hpr_chart *chart, const hpr_quantity *line, hpr_text_size size)
{
    const hpf_quantity_point *last = &line->points[line->n_points - 1];
    double left = hpr__x_of_time(chart, last->time) + NAME_GAP_PT;
    double height = size.ascent_pt + size.descent_pt;
    double middle = hpr__y_of(chart, last->value);
    double bottom = fmin(middle - height / 2, hpr__top_of_plot(chart) - height);
    return (hpr__area){left, left + size.width_pt, bottom, bottom + height};
}

/* Returns the best area for a name: next to the arrow of a line that is cut, below the names of
 * others with an arrow there; right of the line; else the rightmost free one above it, or below it
 * and above the bands; else the rightmost free one below it on the bands; without any room, the one
 * at the end of the line. */
static hpr__area find_area(const hpr_chart *chart, const hpr_quantity *line,
                           const obstacles *others, hpr_text_size size)
{
    double begin = hpr__x_of_time(chart, line->points[0].time);
    double last = hpr__x_of_time(chart, line->points[line->n_points - 1].time);
    double end = fmin(last, hpr__right_of_plot(chart) - 1);
    double arrow = hpr__arrow_of(chart, line), height = size.ascent_pt + size.descent_pt;
    for (int place = 0; place < 2 * MOST_CUT_NAMES && !isnan(arrow); place++) {
        bool is_left = place % 2;
        double left = is_left ? arrow - HPR__ARROW_PT - size.width_pt : arrow + HPR__ARROW_PT;
        double top = hpr__top_of_plot(chart) - place / 2 * (height + NAME_GAP_PT);
        hpr__area area = {left, left + size.width_pt, top - height, top};
        if ((is_left || area.right_pt <= hpr__right_of_plot(chart)) && is_apart(others, &area)) {
            return area;
        }
    }
    hpr__area area = area_after(chart, line, size);
    if (!is_on_stack(chart, &area) && is_free(chart, others, &area)) {
        return area;
    }
    for (int is_on_bands = 0; is_on_bands <= 1; is_on_bands++) {
        for (double right = end; right - size.width_pt >= begin; right -= STEP_PT) {
            area = area_near(chart, line, size, right, true);
            if (!is_on_bands && is_free(chart, others, &area)) {
                return area;
            }
            area = area_near(chart, line, size, right, false);
            if ((is_on_bands || !is_on_stack(chart, &area)) && is_free(chart, others, &area)) {
                return area;
            }
        }
    }
    end = fmin(fmax(last, chart->plot_x_pt + size.width_pt), hpr__right_of_plot(chart) - 1);
    area = area_near(chart, line, size, end, true);
    double excess = fmax(0, area.top_pt - hpr__top_of_plot(chart));
    area.top_pt -= excess;
    area.bottom_pt -= excess;
    return area;
}

/* Adds the names that are set on bands. */
static void add_band_names(obstacles *others, const hpr_chart *chart, const hpr__note_style *style)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        const hpr_label *label = &chart->bands[i].label;
        if (label->place == HPR_LABEL_INSIDE) {
            hpr_text_size size = measure(style, label->text, label->size_pt);
            others->areas[others->n++] =
                (hpr__area){label->x_pt - size.width_pt / 2, label->x_pt + size.width_pt / 2,
                            label->y_pt - size.descent_pt, label->y_pt + size.ascent_pt};
        }
    }
}

hpr__area *hpr__quantity_names_place(const hpr_chart *chart, const hpr__note_style *style,
                                     const hpr__area *taken)
{
    size_t n = chart->n_quantities;
    obstacles all = {.areas = malloc((n + 1 + chart->n_bands) * sizeof *all.areas), .n = n};
    if (!all.areas) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        all.areas[i].left_pt = HUGE_VAL; /* nowhere yet */
    }
    all.areas[all.n++] = *taken;
    add_band_names(&all, chart, style);
    for (size_t i = 0; i < n; i++) {
        const hpr_quantity *line = &chart->quantities[i];
        all.areas[i] = find_area(chart, line, &all, measure(style, line->text, style->text_pt));
    }
    return all.areas;
}

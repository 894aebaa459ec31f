/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Quantities, marks and garbage collections of a modern chart.
 */
#include "base/arena.h"
#include "layout/overlays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sidecar.h"
#include "hpfile/str.h"
#include "layout/elide.h"
#include "layout/geometry.h"

/* --- quantities ------------------------------------------------------------------------------ */

/* A quantity that is not selected by name is drawn if it rises above the bands, if this share of
 * its points is not above the end of the y axis, and if its distance from the bands changes by this
 * share of their peak: a constant one tells nothing. */
static const double least_seen = 0.25;
static const double least_rise = 1.02;
static const double least_change = 0.1;

/* Returns the points within the times of the chart. */
static hpr_quantity clip(const hpr_chart *chart, const hpf_quantity *line)
{
    double from = chart->times[0], to = chart->times[chart->n_points - 1];
    size_t begin = 0, end = line->n_points;
    while (begin < end && line->points[begin].time < from) {
        begin++;
    }
    while (end > begin && line->points[end - 1].time > to) {
        end--;
    }
    hpr_quantity clipped = {.name = line->name,
                            .points = line->points + begin,
                            .n_points = end - begin,
                            .has_own_unit = hpf_quantity_has_own_unit(line->name),
                            .scale = 1};
    for (size_t i = 0; i < clipped.n_points; i++) {
        clipped.max = fmax(clipped.max, clipped.points[i].value);
    }
    return clipped;
}

static bool is_named(const hpr_options *options, hpf_str name)
{
    for (size_t i = 0; i < options->n_overlay_names; i++) {
        if (hpf_str_equal(options->overlay_names[i], name)) {
            return true;
        }
    }
    return false;
}

/* Returns whether a quantity describes the profiler or the collector instead of the program. */
static bool is_internal(hpf_str name)
{
    return hpf_str_is(name, "profiler") || hpf_str_is(name, "needed") ||
           hpf_str_is(name, "returned");
}

/* Interpolates the quantity at the times of the chart; NAN outside its points. The second of two
 * points of the chart at the same time has the last amount of that time. */
static void interpolate(double *values, const hpr_chart *chart, const hpr_quantity *line)
{
    size_t next = 0; /* the first point at or after the time */
    for (size_t i = 0; i < chart->n_points; i++) {
        double time = chart->times[i];
        while (next < line->n_points && line->points[next].time < time) {
            next++;
        }
        while (i > 0 && chart->times[i - 1] == time && next + 1 < line->n_points &&
               line->points[next + 1].time == time) {
            next++;
        }
        if (next < line->n_points && line->points[next].time == time) {
            values[i] = line->points[next].value;
        } else if (next == 0 || next == line->n_points) {
            values[i] = NAN;
        } else {
            const hpf_quantity_point *a = &line->points[next - 1], *b = &line->points[next];
            values[i] = a->value + (b->value - a->value) * (time - a->time) / (b->time - a->time);
        }
    }
}

/* Returns whether enough of a quantity is seen, and its distance from the total changes much. */
static bool is_telling(const hpr_chart *chart, const double *values, double peak)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    size_t n = 0, n_seen = 0;
    for (size_t i = 0; i < chart->n_points; i++) {
        if (!isnan(values[i])) {
            least = fmin(least, values[i] - chart->totals[i]);
            most = fmax(most, values[i] - chart->totals[i]);
            n_seen += !hpr__is_above(values[i], peak);
            n++;
        }
    }
    return (double)n_seen >= least_seen * (double)n && most - least >= least_change * peak;
}

static bool is_wanted(const hpr_chart *chart, const hpr_options *options, const hpr_quantity *line,
                      double peak)
{
    switch (options->overlay) {
    case HPR_OVERLAY_FITTING:
        return !is_internal(line->name) && !line->has_own_unit && line->max > peak * least_rise &&
               is_telling(chart, line->values, peak);
    case HPR_OVERLAY_ALL:
        return true;
    case HPR_OVERLAY_NAMED:
        return is_named(options, line->name);
    case HPR_OVERLAY_NONE:
        break;
    }
    return false;
}

/* Sets the text of a quantity: its name and, if the y axis does not show it, its maximum. */
static hpf_status name_quantity(hpr__chart *chart, hpr_quantity *line, double peak, bool si_units,
                                hpf_error *err)
{
    enum { MAXIMUM_BYTES = 2 * HPR_UNIT_LABEL_BYTES };
    hpf_str value_unit = chart->public.headers[HPF_HEADER_VALUE_UNIT];
    char number[HPR_UNIT_LABEL_BYTES];
    hpr_unit unit = hpr_unit_of_values(value_unit, line->max, si_units);
    hpf_status status = hpr__chart_text(chart, line->name, &line->text, err);
    if (status || !(line->has_own_unit || hpr__is_above(line->max, peak))) {
        return status;
    }
    if (line->has_own_unit) {
        snprintf(number, sizeof number, line->max < 1000 ? "%.3g" : "%.0f", line->max);
        unit.name = "";
    } else {
        hpr_unit_label_rounded(number, line->max, &unit, 3);
        unit.name = unit.name ? unit.name : "";
    }
    size_t room = strlen(line->text) + MAXIMUM_BYTES;
    char *text = hpf_arena_alloc(chart->arena, room);
    if (!text) {
        return hpf_error_set_memory(err);
    }
    snprintf(text, room, "%s, at most %s%s%s", line->text, number, *unit.name ? " " : "",
             unit.name);
    line->text = text;
    return HPF_OK;
}

/* Copies the points of a quantity, as steps if these are wanted, and computes its values. */
static hpf_status copy_points(hpr__chart *chart, hpr_quantity *line, bool as_steps, hpf_error *err)
{
    size_t n_points = as_steps ? 2 * line->n_points - 1 : line->n_points;
    hpf_quantity_point *points = hpf_arena_array(chart->arena, n_points, sizeof *points);
    double *values = hpf_arena_array(chart->arena, chart->public.n_points, sizeof *values);
    if (!points || !values) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n_points; i++) {
        points[i] = (hpf_quantity_point){line->points[as_steps ? (i + 1) / 2 : i].time,
                                         line->points[as_steps ? i / 2 : i].value};
    }
    line->points = points;
    line->n_points = n_points;
    interpolate(values, &chart->public, line);
    line->values = values;
    return HPF_OK;
}

/* Scales a quantity with a unit of its own to the height of the bands. */
static void scale_to_bands(hpr_quantity *line, size_t n_values, double peak)
{
    if (peak > 0 && line->max > 0) {
        hpf_quantity_point *points = (hpf_quantity_point *)(uintptr_t)line->points;
        double *values = (double *)(uintptr_t)line->values;
        line->scale = peak / line->max;
        line->max = peak;
        for (size_t i = 0; i < line->n_points; i++) {
            points[i].value *= line->scale;
        }
        for (size_t i = 0; i < n_values; i++) {
            values[i] *= line->scale;
        }
    }
}

hpf_status hpr__quantity_lines_choose(hpr__chart *chart, const hpf_survey *survey,
                                      const hpr_options *options, hpf_error *err)
{
    const hpf_overview *overview = survey ? hpf_survey_overview(survey) : NULL;
    hpr_chart *public = &chart->public;
    hpr__peak peak;
    public->n_quantities = 0;
    if (!overview || overview->n_quantities == 0 || public->n_points == 0 ||
        public->is_normalised) {
        return HPF_OK;
    }
    double highest = hpr__peak_of(&peak, public) ? peak.at : 0;
    hpr_quantity *lines = hpf_arena_array(chart->arena, overview->n_quantities, sizeof *lines);
    if (!lines) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < overview->n_quantities; i++) {
        hpr_quantity line = clip(public, &overview->quantities[i]);
        hpf_status status =
            line.n_points > 0 ? copy_points(chart, &line, options->as_steps, err) : HPF_OK;
        if (!status && (line.n_points == 0 || !is_wanted(public, options, &line, highest))) {
            continue;
        }
        status = status ? status : name_quantity(chart, &line, highest, options->si_units, err);
        status = status ? status : hpr__chart_bytes(chart, line.name, &line.name, err);
        if (status) {
            return status;
        }
        if (line.has_own_unit) {
            scale_to_bands(&line, public->n_points, highest);
        }
        lines[public->n_quantities++] = line;
    }
    public->quantities = lines;
    return HPF_OK;
}

/* --- marks ----------------------------------------------------------------------------------- */

#define GAP_PT         8.0 /* right of a label: less is read as the blank of one text */
#define BEFORE_RULE_PT 2.0 /* right of a label that ends at its rule */
#define LEAST_EMS      2.9 /* width of an elided label */

#define LEAST_RULE_PT 22.0 /* between the rules of many marks */

enum { MOST_ROWS = 5, MOST_RULES = 12 };

static const double most_of_height = 0.28; /* for all rows */

/* A mark with a label, and how many marks have the same label. */
typedef struct labelled {
    const char *label;
    size_t mark, n_alike;
} labelled;

static int compare_labels(const void *a, const void *b)
{
    const labelled *x = a;
    const labelled *y = b;
    int order = strcmp(x->label, y->label);
    return order != 0 ? order : (x->mark > y->mark) - (x->mark < y->mark);
}

static int compare_rarity(const void *a, const void *b)
{
    const labelled *x = a;
    const labelled *y = b;
    return x->n_alike != y->n_alike ? (x->n_alike > y->n_alike) - (x->n_alike < y->n_alike)
                                    : (x->mark > y->mark) - (x->mark < y->mark);
}

/* Gives rules to marks that are far enough apart: those with rare labels first. */
static void rule_some(hpr_mark *marks, labelled *order, size_t n)
{
    qsort(order, n, sizeof *order, compare_labels);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && strcmp(order[begin].label, order[end].label) == 0; end++) {
        }
        for (size_t i = begin; i < end; i++) {
            order[i].n_alike = end - begin;
        }
    }
    qsort(order, n, sizeof *order, compare_rarity);
    size_t n_ruled = 0; /* kept at the front of `order` */
    for (size_t i = 0; i < n; i++) {
        hpr_mark *mark = &marks[order[i].mark];
        mark->is_ruled = true;
        for (size_t k = 0; k < n_ruled && mark->is_ruled; k++) {
            mark->is_ruled = fabs(marks[order[k].mark].x_pt - mark->x_pt) >= LEAST_RULE_PT;
        }
        if (mark->is_ruled) {
            order[n_ruled++] = order[i];
        }
    }
}

hpf_status hpr__mark_rules_choose(hpr__chart *chart, hpr_mark *marks, hpf_error *err)
{
    size_t n = chart->public.n_marks, n_labelled = 0;
    labelled *order = hpf_arena_array(chart->arena, n, sizeof *order);
    if (!order) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        marks[i].x_pt = hpr__x_of_time(&chart->public, marks[i].time);
        marks[i].is_ruled = n <= MOST_RULES;
        if (*marks[i].label) {
            order[n_labelled++] = (labelled){.label = marks[i].label, .mark = i};
        }
    }
    if (n > MOST_RULES && n_labelled > 0) {
        rule_some(marks, order, n_labelled);
    }
    return HPF_OK;
}

/* The left end of the leftmost label of each row, so far. */
typedef struct row_ends {
    double left_pt[MOST_ROWS];
    unsigned n;
} row_ends;

/* The place of a label. */
typedef struct spot {
    double width_pt; /* of the whole label */
    double x_pt, room_pt;
    unsigned row;
} spot;

unsigned hpr__mark_rows_at_most(double height_pt, double line_pt)
{
    return (unsigned)fmax(1, fmin(MOST_ROWS, floor(most_of_height * height_pt / line_pt)));
}

/* Returns how wide a label that begins at `x_pt` may be in a row. */
static double room_in(const row_ends *rows, unsigned row, double x_pt)
{
    double end = HUGE_VAL;
    for (unsigned i = 0; i < row; i++) {
        if (rows->left_pt[i] < x_pt) {
            return 0; /* its rule would cross that label */
        }
    }
    for (unsigned i = row; i < rows->n; i++) {
        end = fmin(end, rows->left_pt[i]);
    }
    return end - GAP_PT - x_pt;
}

/* Returns the spot right of the rule at `x_pt`, in the lowest row with the wanted width, or else in
 * the row with the most room. */
static spot spot_right(const row_ends *rows, double x_pt, double width_pt, double wanted_pt)
{
    spot best = {width_pt, x_pt, 0, 0};
    for (unsigned row = 0; row < rows->n && best.room_pt < wanted_pt; row++) {
        double room = room_in(rows, row, x_pt);
        if (room > best.room_pt) {
            best.room_pt = room;
            best.row = row;
        }
    }
    return best;
}

/* Returns the spot left of the rule if the whole label fits only there, else the spot right of it.
 */
static spot spot_of(const row_ends *rows, double x_pt, double width_pt, double wanted_pt,
                    double free_from_pt)
{
    spot right = spot_right(rows, x_pt, width_pt, wanted_pt);
    double left = x_pt - BEFORE_RULE_PT - width_pt;
    bool is_left = right.room_pt < width_pt && left >= free_from_pt && rows->left_pt[0] >= x_pt;
    return is_left ? (spot){width_pt, left, width_pt, 0} : right;
}

/* Returns the position of the last mark with a label before mark `i`, or the left end. */
static double place_before(const hpr_mark *marks, size_t i, const hpr__mark_box *box)
{
    while (i > 0 && !(*marks[i - 1].label && marks[i - 1].is_ruled)) {
        i--;
    }
    return i > 0 ? marks[i - 1].x_pt : box->left_pt;
}

/* A way to place labels, in `n_rows` rows with none wider than `most_wanted_pt`, and its result. */
typedef struct arrangement {
    unsigned n_rows;
    double most_wanted_pt;
    size_t n_shown, n_whole;
} arrangement;

/* Places the labels from right to left, so that the limits of each label are known: the labels of
 * its own row, and the rules that go up to its row or higher, which are where labels of such rows
 * begin. A label goes to the lowest row in which it has the wanted width, or else is elided, in the
 * row with the most room. */
static void place_spots(arrangement *p, spot *spots, const hpr_mark *marks, size_t n,
                        const hpr__mark_box *box)
{
    row_ends rows = {.n = p->n_rows};
    for (unsigned row = 0; row < rows.n; row++) {
        rows.left_pt[row] = box->right_pt + GAP_PT;
    }
    p->n_shown = p->n_whole = 0;
    for (size_t i = n; i-- > 0;) {
        double width = spots[i].width_pt;
        if (width > 0) {
            spots[i] = spot_of(&rows, marks[i].x_pt, width, fmin(width, p->most_wanted_pt),
                               place_before(marks, i, box));
        }
        if (spots[i].room_pt < fmin(width, LEAST_EMS * box->text_pt)) {
            spots[i].room_pt = 0;
        } else if (width > 0) {
            rows.left_pt[spots[i].row] = spots[i].x_pt;
            p->n_shown++;
        }
        p->n_whole += width > 0 && spots[i].room_pt >= width;
    }
}

/* Returns the arrangement that shows the most labels; of equals, the one with the most whole
 * labels, and then the one with the fewest rows. */
static arrangement best_arrangement(spot *spots, const hpr_mark *marks, size_t n,
                                    const hpr__mark_box *box)
{
    static const double wanted_ems[] = {HUGE_VAL, 13, 9, 6.5, 5, 4, LEAST_EMS};
    arrangement best = {.n_rows = 1, .most_wanted_pt = HUGE_VAL};
    for (unsigned n_rows = 1; n_rows <= box->n_rows; n_rows++) {
        for (size_t i = 0; i < sizeof wanted_ems / sizeof *wanted_ems; i++) {
            arrangement p = {.n_rows = n_rows, .most_wanted_pt = wanted_ems[i] * box->text_pt};
            place_spots(&p, spots, marks, n, box);
            if (p.n_shown > best.n_shown ||
                (p.n_shown == best.n_shown && p.n_whole > best.n_whole)) {
                best = p;
            }
        }
    }
    return best;
}

static spot *spots_of(const hpr_mark *marks, size_t n, const hpr__mark_box *box)
{
    spot *spots = calloc(n + 1, sizeof *spots);
    for (size_t i = 0; spots && i < n; i++) {
        if (!marks[i].is_ruled) {
            continue;
        }
        spots[i].width_pt =
            box->measurer.measure(box->measurer.context, marks[i].label, box->text_pt, false)
                .width_pt;
    }
    return spots;
}

unsigned hpr__mark_rows_wanted(const hpr_mark *marks, size_t n_marks, const hpr__mark_box *box)
{
    spot *spots = spots_of(marks, n_marks, box);
    unsigned wanted = spots ? best_arrangement(spots, marks, n_marks, box).n_rows : 0;
    free(spots);
    return wanted;
}

static hpf_status show_label(hpr__chart *chart, hpr_mark *mark, const spot *s,
                             const hpr__mark_box *box, hpf_error *err)
{
    const double slack = 1e-6; /* against rounding */
    char *shown = hpf_arena_alloc(chart->arena, hpr__elided_bytes(mark->label));
    if (!shown) {
        return hpf_error_set_memory(err);
    }
    hpr__elide(shown, mark->label, s->room_pt + slack, box->text_pt, false, box->measurer);
    mark->shown = shown;
    mark->label_x_pt = s->x_pt;
    mark->row = s->row;
    return HPF_OK;
}

hpf_status hpr__mark_labels_place(hpr__chart *chart, hpr_mark *marks, const hpr__mark_box *box,
                                  hpf_error *err)
{
    size_t n = chart->public.n_marks;
    spot *spots = spots_of(marks, n, box);
    if (!spots) {
        return hpf_error_set_memory(err);
    }
    arrangement p = best_arrangement(spots, marks, n, box);
    place_spots(&p, spots, marks, n, box);
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < n && !status; i++) {
        if (spots[i].room_pt > 0) {
            status = show_label(chart, &marks[i], &spots[i], box, err);
        } else if (n > MOST_RULES) {
            marks[i].is_ruled = false;
        }
    }
    free(spots);
    return status;
}

/* --- marks ----------------------------------------------------------------------------------- */

static int compare_marks(const void *a, const void *b)
{
    const hpr_mark *x = a;
    const hpr_mark *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

hpf_status hpr__marks_collect(hpr__chart *chart, hpr_mark **out, const hpf_survey *survey,
                              const hpr_options *options, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    public->n_marks = 0;
    if (!survey || options->no_marks || public->n_points == 0) {
        return HPF_OK;
    }
    const hpf_overview *overview = hpf_survey_overview(survey);
    const hpf_activity *activity = options->activity;
    size_t n_marks = overview->n_marks + (activity ? activity->n_messages : 0);
    hpr_mark *marks = hpf_arena_array(chart->arena, n_marks, sizeof *marks);
    if (!marks) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n_marks; i++) {
        const hpf_mark *mark = i < overview->n_marks ? &overview->marks[i]
                                                     : &activity->messages[i - overview->n_marks];
        if (mark->time < public->times[0] || mark->time > public->times[public->n_points - 1]) {
            continue;
        }
        hpr_mark *kept = &marks[public->n_marks++];
        *kept = (hpr_mark){.time = mark->time, .shown = ""};
        if (hpr__chart_text(chart, mark->label, &kept->label, err)) {
            return HPF_ERR_MEMORY;
        }
    }
    qsort(marks, public->n_marks, sizeof *marks, compare_marks);
    public->marks = marks;
    *out = marks;
    return HPF_OK;
}

/* --- collections ----------------------------------------------------------------------------- */

#define LEAST_APART_PT 0.9

hpf_status hpr__gc_ticks_place(hpr__chart *chart, const hpr_options *options, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    if (options->n_collections == 0 || public->n_points == 0) {
        return HPF_OK;
    }
    hpr_collection *placed = hpf_arena_array(chart->arena, options->n_collections, sizeof *placed);
    if (!placed) {
        return hpf_error_set_memory(err);
    }
    double first = public->times[0];
    double last = public->times[public->n_points - 1];
    size_t n = 0;
    for (size_t i = 0; i < options->n_collections; i++) {
        const hpf_collection *c = &options->collections[i];
        double x = hpr__x_of_time(public, c->time_s);
        if (c->time_s < first || c->time_s > last) {
            continue;
        }
        if (n > 0 && x - placed[n - 1].x_pt < LEAST_APART_PT) {
            placed[n - 1].n++;
            placed[n - 1].is_major |= c->is_major;
        } else {
            placed[n++] = (hpr_collection){c->time_s, x, 1, c->is_major};
        }
    }
    public->collections = placed;
    public->n_collections = n;
    return HPF_OK;
}

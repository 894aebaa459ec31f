/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Boxes from the outside in: heights first, which fix the y axis and so the left margin; then the
 * right margin, which depends on the names that find no room on their bands, which depends on the
 * width of the plot; then the x axis.
 */
#include "layout/layout.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/overlays.h"
#include "layout/legend.h"
#include "layout/elide.h"
#include "layout/labels.h"

enum {
    X_LABEL_GAP_PT = 10,  /* between labels of the x axis */
    LEAST_X_TICK_PT = 28, /* between ticks */
    LEAST_Y_TICK_PT = 20,
    LEAST_PLOT_PT = 24, /* what gives way to the plot when a sheet is tiny */
    LEAST_CUT_EMS = 6,  /* names that stand nowhere else are not cut to less */
    LEGEND_GAP_PT = 6,  /* above a legend below the plot */
    DATE_GAP_PT = 12,   /* between program and date */
};

/* Of the sheet's width, for names, which do not get shorter when it does. */
static const double most_margin_share = 0.3;
static const double most_narrow_margin_share = 0.36;
static const double most_left_share = 0.65;
static const double most_legend_share = 0.4; /* of its height */

static const double most_longer = 10; /* than its own is the x axis whose unit a chart takes over */

/* What stands above and below the plot and its axis, in the order in which it gives way to a plot
 * that is getting too low. */
enum { ROW_TITLE, ROW_LEGEND, ROW_HEAD, N_ROWS };

/* Everything that the layout is working with. */
typedef struct layout {
    hpr__chart *chart;
    hpr_chart *public;
    const hpr_options *options;
    hpr__frame frame;
    hpr_measurer measurer;
    hpr__type_sizes type;
    hpr_text_size line; /* of the text font */
    double pad_pt;      /* around the sheet */
    hpr_unit x_unit, y_unit;
    bool is_flat;                         /* there is no amount but 0 */
    bool has_title, has_legend, has_head; /* the rows that have room */
    double *x_pt;                         /* places of the points, from the left of the plot */
    hpr_mark *marks;                      /* public->marks */
    unsigned n_mark_rows;                 /* of their labels */
    hpr__legend legend;                   /* below the plot; no height: none */
} layout;

static double width_of(const layout *l, const char *text)
{
    return l->measurer.measure(l->measurer.context, text, l->type.text_pt, false).width_pt;
}

/* --- scale ---------------------------------------------------------------------------------- */

/* 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 or 10 times a power of ten: multiples of round steps. */
static double steady_end(double highest, double factor)
{
    enum { LEAST_STEPS = 5 };
    double step = hpr__nice_step(highest / factor / LEAST_STEPS);
    return ceil(highest / factor / step - 1e-9) * step * factor;
}

/* The ends of the y axis: a little beyond what there is. */
static void scale_y(layout *l, const hpr__reach *reach)
{
    hpr_chart *public = l->public;
    hpr_axis *y = &public->y;
    l->is_flat = !(reach->y_high > reach->y_low);
    y->low = fmax(reach->y_low * 1.01, -DBL_MAX / 2);
    y->high = l->is_flat ? 1 : fmin(reach->y_high * 1.01, DBL_MAX / 2);
    l->y_unit = public->is_normalised
                    ? (hpr_unit){1, "", "%"}
                    : hpr_unit_of_values(public->headers[HPF_HEADER_VALUE_UNIT],
                                         fmax(y->high, -y->low), l->options->si_units);
    if (public->is_normalised && !public->is_lines) {
        y->high = 100;
    } else if (l->options->steady_y && !l->is_flat && !public->base) {
        y->high = steady_end(reach->y_high, l->y_unit.factor);
    }
}

/* An axis of nothing is only numbered 0 and 1. */
static int most_y_ticks(const layout *l)
{
    return l->is_flat ? 2 : (int)fmin(fmax(l->public->plot_height_pt / LEAST_Y_TICK_PT, 2), 8);
}

/* Raises the upper end so far that an amount is `room_pt` below it, if the plot is not too low. */
static void make_room_above(layout *l, double amount, double room_pt)
{
    hpr_axis *y = &l->public->y;
    double free_pt = l->public->plot_height_pt - room_pt;
    if (free_pt > LEAST_PLOT_PT) {
        y->high = fmax(y->high, y->low + (amount - y->low) * l->public->plot_height_pt / free_pt);
    }
}

/* What is drawn, and what is said of the peak, stays below the ticks of collections. */
static void clear_collections(layout *l, const hpr__reach *reach)
{
    const hpr_chart *public = l->public;
    hpr__peak peak;
    if (l->options->n_collections == 0 || l->is_flat ||
        (public->is_normalised && !public->is_lines)) {
        return;
    }
    make_room_above(l, reach->y_high, HPR__GC_TICKS_PT);
    if (hpr__peak_of(&peak, public)) {
        double line_pt = l->line.ascent_pt + l->line.descent_pt + HPR__TEXT_GAP_PT;
        make_room_above(l, peak.at, HPR__GC_TICKS_PT + line_pt);
    }
}

/* Moves an end to the next tick if that costs little of the height. */
static void round_y(layout *l)
{
    hpr_axis *y = &l->public->y;
    hpr__ticks ticks = hpr__ticks_of_count(y->low, y->high, most_y_ticks(l), &l->y_unit);
    double slack = 0.05 * (y->high - y->low);
    if (ticks.n > 0 && !(l->public->is_normalised && !l->public->is_lines)) {
        double above = hpr__tick_value(&ticks, ticks.n, &l->y_unit);
        double below = hpr__tick_value(&ticks, -1, &l->y_unit);
        y->high = above <= y->high + slack ? above : y->high;
        y->low = y->low < 0 && below >= y->low - slack ? below : y->low;
    }
}

/* What the unit of times is chosen by: the axis' own extent, or that of a longer one beside it, if
 * it reads well in the other's unit. */
static double extent_for_unit(double own, double others)
{
    return others > own && others <= most_longer * own ? others : own;
}

static void scale_x(layout *l, const hpr__reach *reach)
{
    const hpr_chart *public = l->public;
    hpr_axis *x = &l->public->x;
    x->low = reach->x_low;
    x->high = reach->x_high;
    double span = extent_for_unit(x->high - x->low, l->frame.x_extent);
    l->x_unit = public->is_by_sample ? (hpr_unit){1, "", "sample"}
                                     : hpr_unit_of_times(public->headers[HPF_HEADER_SAMPLE_UNIT],
                                                         span > 0 ? span : fabs(x->high));
}

/* A unit as it is shown: the profile's own words, which may be long, when it has no name. */
static hpf_status name_unit(layout *l, const char **out, const char *name, hpf_header which,
                            hpf_error *err)
{
    const char *text = name;
    if (!text && hpr__chart_text(l->chart, l->public->headers[which], &text, err)) {
        return HPF_ERR_MEMORY;
    }
    char *shown = hpf_arena_alloc(l->chart->arena, hpr__elided_bytes(text));
    if (!shown) {
        return hpf_error_set_memory(err);
    }
    double room = name ? HUGE_VAL : l->public->width_pt * 0.2;
    hpr__elide(shown, text, room, l->type.text_pt, false, l->measurer);
    *out = shown;
    return HPF_OK;
}

static hpf_status name_x_unit(layout *l, hpf_error *err)
{
    l->public->x.factor = l->x_unit.factor;
    return name_unit(l, &l->public->x.unit, l->x_unit.name, HPF_HEADER_SAMPLE_UNIT, err);
}

static hpf_status name_units(layout *l, hpf_error *err)
{
    hpr_chart *public = l->public;
    if (name_unit(l, &public->amount_unit, NULL, HPF_HEADER_VALUE_UNIT, err) ||
        name_unit(l, &public->time_unit, NULL, HPF_HEADER_SAMPLE_UNIT, err) ||
        name_unit(l, &public->y.unit, l->y_unit.name, HPF_HEADER_VALUE_UNIT, err)) {
        return HPF_ERR_MEMORY;
    }
    public->y.factor = l->y_unit.factor;
    return name_x_unit(l, err);
}

/* --- ticks ---------------------------------------------------------------------------------- */

/* Turns ticks into an axis's own, leaving out a label equal to the one before. */
static hpf_status keep_ticks(layout *l, hpr_axis *axis, const hpr__ticks *ticks,
                             const hpr_unit *unit, hpf_error *err)
{
    hpr_tick *kept = hpf_arena_array(l->chart->arena, (size_t)ticks->n, sizeof *kept);
    if (!kept) {
        return hpf_error_set_memory(err);
    }
    axis->ticks = kept;
    axis->n_ticks = 0;
    for (int i = 0; i < ticks->n; i++) {
        char label[HPR_UNIT_LABEL_BYTES + 1] = "+";
        double value = hpr__tick_value(ticks, i, unit);
        bool has_sign = l->public->base && axis == &l->public->y && value > 0;
        hpr__unit_label(label + has_sign, value, unit, ticks->decimals);
        if (axis->n_ticks > 0 && strcmp(kept[axis->n_ticks - 1].label, label) == 0) {
            continue;
        }
        const char *copy = hpf_arena_text(l->chart->arena, (hpf_str){label, strlen(label)});
        if (!copy) {
            return hpf_error_set_memory(err);
        }
        kept[axis->n_ticks++] = (hpr_tick){.value = value, .label = copy};
    }
    return HPF_OK;
}

/* The axis's ticks while they are still to be written. */
static hpr_tick *tick_at(hpr_axis *axis, size_t i)
{
    return (hpr_tick *)(uintptr_t)&axis->ticks[i];
}

/* Where there is no row for the unit, it stands behind the highest number. */
static hpf_status move_unit(layout *l, hpf_error *err)
{
    hpr_axis *y = &l->public->y;
    if (y->n_ticks == 0 || !*y->unit) {
        return HPF_OK;
    }
    hpr_tick *highest = tick_at(y, y->n_ticks - 1);
    size_t n_bytes = strlen(highest->label) + strlen(y->unit) + sizeof " ";
    char *label = hpf_arena_alloc(l->chart->arena, n_bytes);
    if (!label) {
        return hpf_error_set_memory(err);
    }
    snprintf(label, n_bytes, "%s %s", highest->label, y->unit);
    highest->label = label;
    y->unit = "";
    return HPF_OK;
}

static hpf_status tick_y(layout *l, hpf_error *err)
{
    hpr_axis *y = &l->public->y;
    hpr__ticks ticks = hpr__ticks_of_count(y->low, y->high, most_y_ticks(l), &l->y_unit);
    hpf_status status = keep_ticks(l, y, &ticks, &l->y_unit, err);
    for (size_t i = 0; !status && i < y->n_ticks; i++) {
        tick_at(y, i)->at_pt = hpr__y_of(l->public, y->ticks[i].value);
    }
    return !status && !l->has_head ? move_unit(l, err) : status;
}

/* Whether labels of the x axis keep their distance. */
static bool is_x_loose(const layout *l, const hpr__ticks *ticks)
{
    double free_from = -HUGE_VAL;
    for (int i = 0; i < ticks->n; i++) {
        char label[HPR_UNIT_LABEL_BYTES];
        double value = hpr__tick_value(ticks, i, &l->x_unit);
        hpr__unit_label(label, value, &l->x_unit, ticks->decimals);
        double width = width_of(l, label);
        double x = hpr__x_label_left(l->public, hpr__x_of(l->public, value), width,
                                     width_of(l, l->public->x.unit));
        if (x < free_from) {
            return false;
        }
        free_from = x + width + X_LABEL_GAP_PT;
    }
    return true;
}

/* One tick alone says nothing of how long the axis is: a finer step may have room all the same. */
static hpr__ticks avoid_lone_tick(const layout *l, hpr__ticks ticks, int most)
{
    const hpr_axis *x = &l->public->x;
    for (int n = most + 1; n <= most + 2 && ticks.n == 1 && !l->public->is_by_sample; n++) {
        hpr__ticks finer = hpr__ticks_of_count(x->low, x->high, n, &l->x_unit);
        ticks = finer.n > 1 && is_x_loose(l, &finer) ? finer : ticks;
    }
    return ticks;
}

/* Whether the sheet is wide enough for a number of the x axis beside its unit. */
static bool has_x_room(const layout *l, const char *label)
{
    double width = width_of(l, label) + HPR__TICK_GAP_PT + width_of(l, l->public->x.unit);
    return width <= l->public->width_pt - 2 * l->pad_pt;
}

/* The x axis has this tick alone, with fewer digits where the sheet has no room for six. */
static hpf_status keep_single_tick(layout *l, double value, hpf_error *err)
{
    hpr_axis *x = &l->public->x;
    hpr_tick *tick = hpf_arena_alloc(l->chart->arena, sizeof *tick);
    char label[HPR_UNIT_LABEL_BYTES];
    int n_digits = 6;
    do {
        hpr_unit_label_rounded(label, value, &l->x_unit, n_digits);
    } while (!has_x_room(l, label) && --n_digits > 0);
    const char *copy = hpf_arena_text(l->chart->arena, (hpf_str){label, strlen(label)});
    if (!tick || !copy) {
        return hpf_error_set_memory(err);
    }
    *tick = (hpr_tick){.value = value, .label = copy};
    x->ticks = tick;
    x->n_ticks = 1;
    return HPF_OK;
}

/* A lone number that the sheet has no room for is of times that are large for what the axis spans:
 * it stands in the unit that suits itself. */
static hpf_status shorten_lone_tick(layout *l, hpf_error *err)
{
    const hpr_axis *x = &l->public->x;
    if (x->n_ticks != 1 || l->public->is_by_sample || has_x_room(l, x->ticks[0].label)) {
        return HPF_OK;
    }
    double value = x->ticks[0].value;
    l->x_unit = hpr_unit_of_times(l->public->headers[HPF_HEADER_SAMPLE_UNIT], fabs(value));
    return name_x_unit(l, err) ? HPF_ERR_MEMORY : keep_single_tick(l, value, err);
}

static hpf_status tick_x(layout *l, hpf_error *err)
{
    hpr_axis *x = &l->public->x;
    int most = (int)fmin(fmax(l->public->plot_width_pt / LEAST_X_TICK_PT, 2), 10);
    if (l->public->is_by_sample) { /* no half samples */
        most = (int)fmin(most, x->high - x->low + 1);
    }
    hpr__ticks ticks = hpr__ticks_of_count(x->low, x->high, most, &l->x_unit);
    while (ticks.n > 1 && !is_x_loose(l, &ticks)) {
        most = ticks.n - 1;
        ticks = hpr__ticks_of_count(x->low, x->high, most, &l->x_unit);
    }
    ticks = avoid_lone_tick(l, ticks, most);
    hpf_status status;
    if (ticks.n > 0 || l->public->n_points == 0) {
        status = keep_ticks(l, x, &ticks, &l->x_unit, err);
    } else {
        status = keep_single_tick(l, (x->low + x->high) / 2, err);
    }
    status = status ? status : shorten_lone_tick(l, err);
    for (size_t i = 0; !status && i < x->n_ticks; i++) {
        tick_at(x, i)->at_pt = hpr__x_of(l->public, x->ticks[i].value);
    }
    return status;
}

/* --- boxes ---------------------------------------------------------------------------------- */

/* Heights of the rows above and below the plot. */
static void place_rows(layout *l)
{
    hpr_chart *public = l->public;
    double line = l->line.ascent_pt + l->line.descent_pt;
    double drop = hpr__x_label_drop(&l->line, l->type.text_pt);
    double axis = l->pad_pt + fmax(line + HPR__TICK_GAP_PT, drop + l->line.descent_pt);
    double labels = hpr__has_mark_labels(public) ? l->n_mark_rows * line : 0;
    double rows[N_ROWS] = {
        [ROW_TITLE] = l->options->no_title ? 0 : l->type.title_pt * 1.9,
        [ROW_LEGEND] = l->legend.height_pt > 0 ? l->legend.height_pt + LEGEND_GAP_PT : 0,
        [ROW_HEAD] = labels + line + HPR__TICK_GAP_PT,
    };
    double plot = public->height_pt - axis - l->pad_pt - rows[0] - rows[1] - rows[2];
    for (int i = 0; i < N_ROWS && plot < LEAST_PLOT_PT; i++) {
        plot += rows[i];
        rows[i] = 0;
    }
    l->has_title = rows[ROW_TITLE] > 0;
    l->has_legend = rows[ROW_LEGEND] > 0;
    l->has_head = rows[ROW_HEAD] > 0;
    plot -= l->has_head ? 0 : line / 2; /* what a number at the top takes */
    public->plot_y_pt = fmin(axis + rows[ROW_LEGEND], public->height_pt * 0.6);
    public->plot_height_pt = fmax(plot, public->height_pt * 0.2);
}

/* The left margin holds the tick labels of the y axis, and half of the first one of the x axis. */
static void place_left(layout *l)
{
    const hpr_axis *y = &l->public->y;
    double widest = width_of(l, y->unit);
    for (size_t i = 0; i < y->n_ticks; i++) {
        widest = fmax(widest, width_of(l, y->ticks[i].label));
    }
    double left = fmax(l->pad_pt + widest + HPR__TICK_GAP_PT, l->frame.left_pt);
    l->public->plot_x_pt = fmin(left, l->public->width_pt * most_left_share);
}

/* The plot takes what a right margin leaves; the points move with it. */
static void place_right(layout *l, double margin_pt)
{
    hpr_chart *public = l->public;
    double width = public->width_pt - public->plot_x_pt - margin_pt;
    public->plot_width_pt = fmax(width, public->width_pt * 0.2);
    for (size_t i = 0; i < public->n_points; i++) {
        l->x_pt[i] = hpr__x_of(public, public->xs[i]) - public->plot_x_pt;
    }
}

static hpr__label_style style_of(const layout *l, double margin_text_pt)
{
    return (hpr__label_style){l->measurer, l->type.text_pt, l->type.smallest_pt, margin_text_pt};
}

/* What the margin must hold in any case: the end of the x axis. */
static double least_margin(const layout *l)
{
    double margin = l->pad_pt + width_of(l, l->public->x.unit) + 2 * HPR__TICK_GAP_PT;
    return fmax(margin, l->frame.right_pt);
}

static double most_margin(const layout *l)
{
    double width = l->public->width_pt;
    double share = width < HPR__NARROW_PT ? most_narrow_margin_share : most_margin_share;
    double wide_swatch = hpr__swatch_width_pt(l->public) - HPR__SWATCH_PT;
    return fmax(width * share + wide_swatch, least_margin(l));
}

static hpf_status fill_margin(layout *l, const hpr__label_style *style, double margin_pt,
                              bool as_key, hpf_error *err)
{
    const hpr_chart *public = l->public;
    hpr__margin_box box = {
        .width_pt = margin_pt - l->pad_pt,
        .low_pt = public->plot_y_pt,
        .high_pt = public->plot_y_pt + public->plot_height_pt + l->line.descent_pt,
    };
    return hpr__labels_margin(l->chart, style, &box, as_key, err);
}

/* Inside labels first without names in the margin; as long as some find no room, a wider margin. */
static hpf_status place_direct_labels(layout *l, hpf_error *err)
{
    double margin = least_margin(l);
    double most = most_margin(l);
    hpr__label_style style = style_of(l, most - l->pad_pt - hpr__margin_extra_pt(l->public));
    for (;;) {
        double wanted;
        place_right(l, margin);
        hpf_status status = hpr__labels_inside(l->chart, &style, l->x_pt, err);
        if (!status) {
            status = hpr__labels_margin_width(&wanted, l->chart, &style, err);
        }
        if (status) {
            return status;
        }
        wanted = wanted > 0 ? fmin(wanted + l->pad_pt, most) : 0;
        if (wanted <= margin) {
            break;
        }
        bool is_placed;
        status = hpr__inset_legend_place(&is_placed, l->chart, &style, l->options->si_units, err);
        if (status || is_placed) {
            return status;
        }
        margin = wanted;
    }
    return fill_margin(l, &style, margin, false, err);
}

/* All names in a key beside the plot. */
static hpf_status place_key(layout *l, hpf_error *err)
{
    double wanted;
    double most = most_margin(l);
    hpr__label_style style = style_of(l, most - l->pad_pt - hpr__margin_extra_pt(l->public));
    if (hpr__labels_margin_width(&wanted, l->chart, &style, err)) {
        return HPF_ERR_MEMORY;
    }
    double margin = fmax(least_margin(l), fmin(wanted + l->pad_pt, most));
    place_right(l, margin);
    return fill_margin(l, &style, margin, true, err);
}

static hpf_status place_labels(layout *l, hpf_error *err)
{
    hpr__label_style style = style_of(l, 0);
    switch (l->options->legend) {
    case HPR_LEGEND_AUTO:
        return place_direct_labels(l, err);
    case HPR_LEGEND_RIGHT:
        return place_key(l, err);
    case HPR_LEGEND_NONE:
        style.margin_text_pt = LEAST_CUT_EMS * l->type.text_pt;
        place_right(l, least_margin(l));
        return hpr__labels_inside(l->chart, &style, l->x_pt, err);
    case HPR_LEGEND_BELOW:
        place_right(l, least_margin(l));
        return !l->has_legend ? HPF_OK
                              : hpr__legend_place(l->chart, &l->legend, &style, l->pad_pt,
                                                  l->pad_pt + l->legend.height_pt, err);
    case HPR_LEGEND_SEPARATE:
        break;
    }
    place_right(l, least_margin(l));
    return HPF_OK;
}

/* The legend below takes its height from the plot. */
static hpf_status fit_legend(layout *l, hpf_error *err)
{
    if (l->options->legend != HPR_LEGEND_BELOW) {
        return HPF_OK;
    }
    hpr__label_style style = style_of(l, 0);
    l->public->plot_height_pt = l->public->height_pt; /* for now: which bands show depends on it */
    const hpr__legend_box box = {.width_pt = l->public->width_pt - 2 * l->pad_pt,
                                 .height_pt = l->public->height_pt * most_legend_share};
    return hpr__legend_fit(&l->legend, l->chart, &style, &box, err);
}

/* --- texts and marks ------------------------------------------------------------------------ */

/* What is said above the plot: program and date, or what others say of the chart. */
static hpf_status copy_titles(layout *l, hpr_title *title, hpf_error *err)
{
    const char *own = l->frame.title;
    if (own) {
        title->date_bytes = HPF_STR("");
        return hpr__chart_bytes(l->chart, (hpf_str){own, strlen(own)}, &title->job_bytes, err);
    }
    title->job_bytes = l->public->headers[HPF_HEADER_JOB];
    title->date_bytes = l->public->headers[HPF_HEADER_DATE];
    return HPF_OK;
}

/* The date gives way to the job: it is shown when both fit. */
static hpf_status place_title(layout *l, hpf_error *err)
{
    hpr_title *title = &l->public->title;
    const char *job, *date;
    *title = (hpr_title){.box = HPR_TITLE_NONE, .job = "", .area = "", .date = ""};
    if (!l->has_title) {
        return HPF_OK;
    }
    if (copy_titles(l, title, err) || hpr__chart_text(l->chart, title->job_bytes, &job, err) ||
        hpr__chart_text(l->chart, title->date_bytes, &date, err)) {
        return HPF_ERR_MEMORY;
    }
    char *shown_job = hpf_arena_alloc(l->chart->arena, hpr__elided_bytes(job));
    char *shown_date = hpf_arena_alloc(l->chart->arena, hpr__elided_bytes(date));
    if (!shown_job || !shown_date) {
        return hpf_error_set_memory(err);
    }
    double width = l->public->width_pt - 2 * l->pad_pt;
    double date_width =
        hpr__elide(shown_date, date, width * 0.4, l->type.text_pt, false, l->measurer);
    double gap = date_width > 0 ? DATE_GAP_PT : 0;
    hpr__elide(shown_job, job, width - date_width - gap, l->type.title_pt, true, l->measurer);
    title->job = shown_job;
    title->date = shown_date;
    return HPF_OK;
}

static int compare_marks(const void *a, const void *b)
{
    const hpr_mark *x = a;
    const hpr_mark *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

/* The marks within the time that is drawn; their places follow. */
static hpf_status collect_marks(layout *l, const hpf_survey *survey, hpf_error *err)
{
    hpr_chart *public = l->public;
    public->n_marks = 0;
    if (!survey || l->options->no_marks || public->n_points == 0) {
        return HPF_OK;
    }
    const hpf_overview *overview = hpf_survey_overview(survey);
    l->marks = hpf_arena_array(l->chart->arena, overview->n_marks, sizeof *l->marks);
    if (!l->marks) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < overview->n_marks; i++) {
        const hpf_mark *mark = &overview->marks[i];
        if (mark->time < public->times[0] || mark->time > public->times[public->n_points - 1]) {
            continue;
        }
        hpr_mark *kept = &l->marks[public->n_marks++];
        *kept = (hpr_mark){.time = mark->time, .shown = ""};
        if (hpr__chart_text(l->chart, mark->label, &kept->label, err)) {
            return HPF_ERR_MEMORY;
        }
    }
    qsort(l->marks, public->n_marks, sizeof *l->marks, compare_marks);
    public->marks = l->marks;
    return HPF_OK;
}

static void place_marks(layout *l)
{
    for (size_t i = 0; i < l->public->n_marks; i++) {
        l->marks[i].x_pt = hpr__x_of_time(l->public, l->marks[i].time);
    }
}

/* Rows that would show more of the labels where marks are now, few enough for the sheet. Marks that
 * have no rules have one row: nobody could tell whose the others are. */
static unsigned mark_rows_wanted(const layout *l, const hpr__mark_box *box)
{
    hpr__mark_box high = *box;
    double line = l->line.ascent_pt + l->line.descent_pt;
    high.n_rows =
        hpr__has_rules(l->public) ? hpr__mark_rows_at_most(l->public->height_pt, line) : 1;
    return hpr__mark_rows_wanted(l->marks, l->public->n_marks, &high);
}

static hpr__mark_box mark_box(const layout *l)
{
    return (hpr__mark_box){.left_pt = l->public->plot_x_pt,
                           .right_pt = l->public->width_pt - l->pad_pt,
                           .n_rows = l->n_mark_rows,
                           .text_pt = l->type.text_pt,
                           .measurer = l->measurer};
}

/* All but the labels of marks, which have so many rows. */
static hpf_status arrange(layout *l, const hpr__reach *reach, hpf_error *err)
{
    scale_y(l, reach);
    scale_x(l, reach);
    if (name_units(l, err) || fit_legend(l, err)) {
        return HPF_ERR_MEMORY;
    }
    place_rows(l);
    clear_collections(l, reach);
    round_y(l);
    if (tick_y(l, err)) {
        return HPF_ERR_MEMORY;
    }
    place_left(l);
    if (place_labels(l, err) || tick_x(l, err) || place_title(l, err)) {
        return HPF_ERR_MEMORY;
    }
    place_marks(l);
    return HPF_OK;
}

/* How many rows labels of marks want is known when marks have their places; rows take from the
 * height of the plot, so all is arranged again then. */
static hpf_status arrange_with_marks(layout *l, const hpr__reach *reach, hpf_error *err)
{
    hpf_status status = arrange(l, reach, err);
    if (status || !hpr__has_mark_labels(l->public) || !l->has_head) {
        return status;
    }
    hpr__mark_box box = mark_box(l);
    l->n_mark_rows = mark_rows_wanted(l, &box);
    if (l->n_mark_rows > 1) {
        status = arrange(l, reach, err);
        box = mark_box(l);
    }
    if (l->n_mark_rows == 0) {
        return hpf_error_set_memory(err);
    }
    return !status && l->has_head ? hpr__mark_labels_place(l->chart, l->marks, &box, err) : status;
}

static hpf_status fill_layout(layout *l, const hpf_survey *survey, hpf_error *err)
{
    if (hpr__quantity_lines_choose(l->chart, survey, l->options, err)) {
        return HPF_ERR_MEMORY;
    }
    const hpr__reach own = hpr__reach_of(l->public);
    const hpr__reach *reach = l->frame.reach ? l->frame.reach : &own;
    if (collect_marks(l, survey, err) || arrange_with_marks(l, reach, err) ||
        hpr__gc_ticks_place(l->chart, l->options, err)) {
        return HPF_ERR_MEMORY;
    }
    return HPF_OK;
}

hpf_status hpr__modern_layout(hpr__chart *chart, const hpf_survey *survey,
                              const hpr_options *options, const hpr__frame *frame,
                              hpr_measurer measurer, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    public->width_pt = options->width_pt > 0 ? options->width_pt : 648;
    public->height_pt = options->height_pt > 0 ? options->height_pt : 432;
    layout l = {
        .chart = chart,
        .public = public,
        .options = options,
        .frame = frame ? *frame : (hpr__frame){.title = NULL},
        .measurer = measurer,
        .type = hpr__type_sizes_of(public->width_pt, options),
        .pad_pt = hpr__sheet_pad_pt(public),
        .n_mark_rows = 1,
        .x_pt = hpf_arena_array(chart->arena, public->n_points, sizeof(double)),
    };
    if (!l.x_pt) {
        return hpf_error_set_memory(err);
    }
    l.line = measurer.measure(measurer.context, "0", l.type.text_pt, false);
    return fill_layout(&l, survey, err);
}

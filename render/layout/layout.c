/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lays out boxes from the outside in. Heights come first; they determine the y axis and so the left
 * margin. The right margin depends on the names that do not fit on their bands, and these depend on
 * the width of the plot. The x axis comes last.
 */
#include "base/arena.h"
#include "layout/layout.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/overlays.h"
#include "layout/lanes.h"
#include "layout/legend.h"
#include "layout/elide.h"
#include "layout/labels.h"

enum {
    X_LABEL_GAP_PT = 10,  /* between labels of the x axis */
    LEAST_X_TICK_PT = 28, /* between ticks */
    LEAST_Y_TICK_PT = 20,
    LEAST_PLOT_PT = 24, /* rows are dropped to give the plot this height */
    LEAST_CUT_EMS = 6,  /* least width of names that are set only on bands */
    LEGEND_GAP_PT = 6,  /* above a legend below the plot */
    LEAST_STEPS = 5,    /* of a steady y axis */
    MOST_ROUNDS = 4,    /* to settle how much space a legend needs */
    DATE_GAP_PT = 12,   /* between program and date */
};

/* Shares of the width of the sheet for names; narrow sheets need a larger share. */
static const double most_margin_share = 0.3;
static const double most_narrow_margin_share = 0.36;
static const double most_left_share = 0.65;
static const double most_legend_share = 1.0 / 3; /* of the height */

static const double most_longer =
    10; /* an x axis may be this much longer than its own to set its unit */

/* Rows above and below the plot, in the order in which they are dropped if the plot gets too low.
 */
enum { ROW_TITLE, ROW_LEGEND, ROW_HEAD, ROW_LANES, N_ROWS };

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
    bool is_flat;                         /* all amounts are 0 */
    bool has_title, has_legend, has_head; /* rows that are not dropped */
    double *x_pt;                         /* places of the points, from the left of the plot */
    hpr_mark *marks;                      /* public->marks */
    unsigned n_mark_rows;                 /* for their labels */
    hpr__legend legend;                   /* below the plot; height 0: none */
    bool is_key_below; /* AUTO: names that are not on bands are below the plot, else right of it */
    bool is_unsettled; /* everything has to be laid out again */
    int n_rounds;      /* how often that was so */
} layout;

static double width_of(const layout *l, const char *text)
{
    return l->measurer.measure(l->measurer.context, text, l->type.text_pt, false).width_pt;
}

/* --- scale ---------------------------------------------------------------------------------- */

static hpr_unit y_unit_of(const layout *l)
{
    const hpr_axis *y = &l->public->y;
    return l->public->is_normalised
               ? (hpr_unit){1, "", "%"}
               : hpr_unit_of_values(l->public->headers[HPF_HEADER_VALUE_UNIT],
                                    fmax(y->high, -y->low), l->options->si_units);
}

/* Sets the ends of the y axis, a little beyond the extremes, and its unit. */
static void scale_y(layout *l, const hpr__reach *reach)
{
    hpr_chart *public = l->public;
    hpr_axis *y = &public->y;
    l->is_flat = !(reach->y_high > reach->y_low);
    y->low = fmax(reach->y_low * 1.01, -DBL_MAX / 2);
    y->high = l->is_flat ? 1 : fmin(reach->y_high * 1.01, DBL_MAX / 2);
    l->y_unit = y_unit_of(l);
    if (public->is_normalised && !public->is_lines) {
        y->high = 100;
    } else if (l->options->steady_y && !l->is_flat && !public->base) {
        /* 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 or 10 times a power of ten */
        double highest = reach->y_high / l->y_unit.factor;
        double step = hpr__nice_step(highest / LEAST_STEPS);
        y->high = ceil(highest / step - 1e-9) * step * l->y_unit.factor;
    }
}

/* Returns the most ticks of the y axis; without amounts only 0 and 1. */
static int most_y_ticks(const layout *l)
{
    return l->is_flat ? 2 : (int)fmin(fmax(l->public->plot_height_pt / LEAST_Y_TICK_PT, 2), 8);
}

/* Raises the end of the y axis until an amount is `room_pt` below it, unless the plot is too low.
 */
static void make_room_above(layout *l, double amount, double room_pt)
{
    hpr_axis *y = &l->public->y;
    double free_pt = l->public->plot_height_pt - room_pt;
    if (free_pt > LEAST_PLOT_PT) {
        y->high = fmax(y->high, y->low + (amount - y->low) * l->public->plot_height_pt / free_pt);
    }
}

/* Keeps the bands and the text of the peak below the ticks of collections. */
static void make_room_for_collections(layout *l, const hpr__reach *reach)
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

/* Moves each end to the next tick if that takes little of the height. The highest tick may then
 * need a larger unit: "1M", not "1000k". */
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
        l->y_unit = y_unit_of(l);
    }
}

/* Sets the ends of the x axis and its unit, which panels share unless their extents differ too
 * much. */
static void scale_x(layout *l, const hpr__reach *reach)
{
    const hpr_chart *public = l->public;
    hpr_axis *x = &l->public->x;
    x->low = reach->x_low;
    x->high = reach->x_high;
    double span = x->high - x->low;
    span = l->frame.x_extent <= most_longer * span ? fmax(span, l->frame.x_extent) : span;
    l->x_unit = public->is_by_sample ? (hpr_unit){1, "", "sample"}
                                     : hpr__unit_of_times(public->headers[HPF_HEADER_SAMPLE_UNIT],
                                                          span > 0 ? span : fabs(x->high));
}

/* Sets the text of a unit: its name or, elided, the header of the profile. */
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
    l->public->x.suffix = l->x_unit.suffix;
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
    public->y.suffix = l->y_unit.suffix;
    return name_x_unit(l, err);
}

/* --- ticks ---------------------------------------------------------------------------------- */

/* Sets the ticks of an axis, without those whose label equals the one before. */
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
        const char *copy = hpf_arena_text(l->chart->arena, hpf_str_of(label));
        if (!copy) {
            return hpf_error_set_memory(err);
        }
        kept[axis->n_ticks++] = (hpr_tick){.value = value, .label = copy};
    }
    return HPF_OK;
}

/* Returns a tick of an axis to be changed. */
static hpr_tick *tick_at(hpr_axis *axis, size_t i)
{
    return (hpr_tick *)(uintptr_t)&axis->ticks[i];
}

/* Moves the unit, which has no row, to the label of the highest tick. */
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

/* Returns whether the labels of the x axis are far enough apart. */
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

/* Replaces a single tick, which does not show the scale, by finer ticks if these fit. */
static hpr__ticks avoid_single_tick(const layout *l, hpr__ticks ticks, int most)
{
    const hpr_axis *x = &l->public->x;
    for (int n = most + 1; n <= most + 2 && ticks.n == 1 && !l->public->is_by_sample; n++) {
        hpr__ticks finer = hpr__ticks_of_count(x->low, x->high, n, &l->x_unit);
        ticks = finer.n > 1 && is_x_loose(l, &finer) ? finer : ticks;
    }
    return ticks;
}

/* Returns whether the sheet is wide enough for a label of the x axis and the unit. */
static bool has_x_room(const layout *l, const char *label)
{
    double width = width_of(l, label) + HPR__TICK_GAP_PT + width_of(l, l->public->x.unit);
    return width <= l->public->width_pt - 2 * l->pad_pt;
}

/* Sets the only tick of the x axis, with as many digits as fit, at most six. */
static hpf_status keep_single_tick(layout *l, double value, hpf_error *err)
{
    hpr_axis *x = &l->public->x;
    hpr_tick *tick = hpf_arena_alloc(l->chart->arena, sizeof *tick);
    char label[HPR_UNIT_LABEL_BYTES];
    int n_digits = 6;
    do {
        hpr_unit_label_rounded(label, value, &l->x_unit, n_digits);
    } while (!has_x_room(l, label) && --n_digits > 0);
    const char *copy = hpf_arena_text(l->chart->arena, hpf_str_of(label));
    if (!tick || !copy) {
        return hpf_error_set_memory(err);
    }
    *tick = (hpr_tick){.value = value, .label = copy};
    x->ticks = tick;
    x->n_ticks = 1;
    return HPF_OK;
}

/* Changes the unit of a single tick that does not fit, because its time is large compared with the
 * extent of the axis, to one that suits the time. */
static hpf_status shorten_single_tick(layout *l, hpf_error *err)
{
    const hpr_axis *x = &l->public->x;
    if (x->n_ticks != 1 || l->public->is_by_sample || has_x_room(l, x->ticks[0].label)) {
        return HPF_OK;
    }
    double value = x->ticks[0].value;
    l->x_unit = hpr__unit_of_times(l->public->headers[HPF_HEADER_SAMPLE_UNIT], fabs(value));
    return name_x_unit(l, err) ? HPF_ERR_MEMORY : keep_single_tick(l, value, err);
}

static hpf_status tick_x(layout *l, hpf_error *err)
{
    hpr_axis *x = &l->public->x;
    int most = (int)fmin(fmax(l->public->plot_width_pt / LEAST_X_TICK_PT, 2), 10);
    if (l->public->is_by_sample) { /* whole samples only */
        most = (int)fmin(most, x->high - x->low + 1);
    }
    hpr__ticks ticks = hpr__ticks_of_count(x->low, x->high, most, &l->x_unit);
    while (ticks.n > 1 && !is_x_loose(l, &ticks)) {
        most = ticks.n - 1;
        ticks = hpr__ticks_of_count(x->low, x->high, most, &l->x_unit);
    }
    ticks = avoid_single_tick(l, ticks, most);
    hpf_status status;
    if (ticks.n > 0 || l->public->n_points == 0) {
        status = keep_ticks(l, x, &ticks, &l->x_unit, err);
    } else {
        status = keep_single_tick(l, (x->low + x->high) / 2, err);
    }
    status = status ? status : shorten_single_tick(l, err);
    for (size_t i = 0; !status && i < x->n_ticks; i++) {
        tick_at(x, i)->at_pt = hpr__x_of(l->public, x->ticks[i].value);
    }
    return status;
}

/* --- boxes ---------------------------------------------------------------------------------- */

/* Sets the heights of the plot and of the rows above and below it. */
static void place_rows(layout *l)
{
    hpr_chart *public = l->public;
    double line = l->line.ascent_pt + l->line.descent_pt;
    double drop = hpr__x_label_drop(&l->line, l->type.text_pt);
    double axis = l->pad_pt + fmax(line + HPR__TICK_GAP_PT, drop + l->line.descent_pt);
    double labels = hpr__has_mark_labels(public) ? l->n_mark_rows * line : 0;
    double rows[N_ROWS] = {
        [ROW_TITLE] = !l->options->no_title ? l->type.title_pt * 1.9
                      : public->caption     ? l->type.text_pt * 1.5
                                            : 0,
        [ROW_LEGEND] = l->legend.height_pt > 0 ? l->legend.height_pt + LEGEND_GAP_PT : 0,
        [ROW_HEAD] = labels + line + HPR__TICK_GAP_PT,
        [ROW_LANES] = public->lanes_pt,
    };
    double plot = public->height_pt - axis - l->pad_pt;
    for (int i = 0; i < N_ROWS; i++) {
        plot -= rows[i];
    }
    for (int i = 0; i < N_ROWS && plot < LEAST_PLOT_PT; i++) {
        plot += rows[i];
        rows[i] = 0;
    }
    l->has_title = rows[ROW_TITLE] > 0;
    l->has_legend = rows[ROW_LEGEND] > 0;
    l->has_head = rows[ROW_HEAD] > 0;
    plot -= l->has_head ? 0 : line / 2; /* for half a label at the top */
    if (rows[ROW_LANES] == 0) {
        public->n_lanes = 0;
        public->lanes_pt = 0;
    }
    public->plot_y_pt = fmin(axis + rows[ROW_LEGEND] + public->lanes_pt, public->height_pt * 0.6);
    public->plot_height_pt = fmax(plot, public->height_pt * 0.2);
}

/* Sets the left margin, which holds the labels of the y axis. */
static void place_left(layout *l)
{
    const hpr_axis *y = &l->public->y;
    double widest = width_of(l, y->unit);
    for (size_t i = 0; i < y->n_ticks; i++) {
        widest = fmax(widest, width_of(l, y->ticks[i].label));
    }
    for (size_t i = 0; i < l->public->n_lanes; i++) {
        widest = fmax(widest, width_of(l, l->public->lanes[i].name));
    }
    double left = fmax(l->pad_pt + widest + HPR__TICK_GAP_PT, l->frame.left_pt);
    l->public->plot_x_pt = fmin(left, l->public->width_pt * most_left_share);
}

/* Sets the right margin, and so the width of the plot and the positions of the points. */
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

/* Returns the least right margin, which holds the unit of the x axis. */
static double least_margin(const layout *l)
{
    double margin = l->pad_pt + width_of(l, l->public->x.unit) + 2 * HPR__TICK_GAP_PT;
    for (size_t i = 0; i < l->public->n_lanes; i++) {
        double note = width_of(l, l->public->lanes[i].note) +
                      (double)l->public->lanes[i].n_keys * l->type.text_pt;
        margin = fmax(margin, l->pad_pt + note + HPR__TICK_GAP_PT);
    }
    return fmax(margin, l->frame.right_pt);
}

static double most_margin(const layout *l)
{
    double width = l->public->width_pt;
    double share = width < HPR__NARROW_PT ? most_narrow_margin_share : most_margin_share;
    double wide_swatch = hpr__swatch_width_pt(l->public) - HPR__SWATCH_PT;
    return fmax(width * share + wide_swatch, least_margin(l));
}

/* Returns the largest box for a legend below the plot. */
static hpr__legend_box legend_box(const layout *l)
{
    return (hpr__legend_box){.width_pt = l->public->width_pt - 2 * l->pad_pt,
                             .height_pt = l->public->height_pt * most_legend_share};
}

/* Arranges the legend below the plot. The legend of AUTO holds what is not on bands after the round
 * before, and only grows. */
static hpf_status fit_legend(layout *l, hpf_error *err)
{
    double least_pt = l->legend.height_pt;
    if (l->options->legend != HPR_LEGEND_BELOW && !l->is_key_below) {
        return HPF_OK;
    }
    for (uint32_t i = 0; i < l->public->n_bands; i++) {
        hpr_label *label = &l->chart->bands[i].label;
        bool is_whole = label->place == HPR_LABEL_INSIDE && !strstr(label->text, hpr__ellipsis);
        *label = is_whole ? *label : (hpr_label){.place = HPR_LABEL_NONE};
    }
    hpr__label_style style = style_of(l, 0);
    l->public->plot_height_pt =
        l->public->height_pt; /* temporary: determines which bands are visible */
    const hpr__legend_box box = legend_box(l);
    hpf_status status = hpr__legend_fit(&l->legend, l->chart, &style, &box, err);
    l->legend.height_pt =
        l->is_key_below ? fmax(least_pt, l->legend.height_pt) : l->legend.height_pt;
    return status;
}

/* Returns the height of the margin for names: its top row may reach a little above the plot. */
static double margin_height(const layout *l)
{
    return l->public->plot_height_pt + l->line.descent_pt;
}

static hpf_status fill_margin(layout *l, const hpr__label_style *style, double margin_pt,
                              bool as_legend, hpf_error *err)
{
    const hpr_chart *public = l->public;
    hpr__margin_box box = {
        .width_pt = margin_pt - l->pad_pt,
        .low_pt = public->plot_y_pt,
        .high_pt = public->plot_y_pt + margin_height(l),
    };
    return hpr__labels_margin(l->chart, style, &box, as_legend, err);
}

/* In the column of a paper, where a margin would cut names, requests another round with the names
 * below the plot. */
static hpf_status move_key_below(layout *l, hpf_error *err)
{
    if (l->public->width_pt >= HPR__WIDE_PT || l->frame.title || l->n_rounds > 0 ||
        !hpr__labels_are_cut(l->public)) {
        return HPF_OK;
    }
    l->is_key_below = true;
    l->is_unsettled = true;
    return hpr__labels_shorten(l->chart, err);
}

/* Places names on bands first without a margin for names, and widens the margin until the names
 * that do not fit on bands fit there. */
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
            status = hpr__labels_margin_width(&wanted, l->chart, &style, margin_height(l), err);
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
            return status ? status : move_key_below(l, err);
        }
        margin = wanted;
    }
    hpf_status status = fill_margin(l, &style, margin, false, err);
    return status ? status : move_key_below(l, err);
}

/* Places whole names on bands and all others below the plot. If these need more height than is
 * reserved, reserves it and requests another round. */
static hpf_status place_key_below(layout *l, hpf_error *err)
{
    hpr__label_style style = style_of(l, HUGE_VAL);
    hpr__legend_box box = legend_box(l);
    hpr__legend legend;
    place_right(l, least_margin(l));
    if (hpr__labels_inside(l->chart, &style, l->x_pt, err) ||
        hpr__legend_fit(&legend, l->chart, &style, &box, err)) {
        return HPF_ERR_MEMORY;
    }
    if (legend.height_pt > l->legend.height_pt + 0.01) {
        if (l->n_rounds < MOST_ROUNDS) {
            l->legend.height_pt = legend.height_pt;
            l->is_unsettled = true;
            return HPF_OK;
        }
        box.height_pt = l->legend.height_pt;
        if (hpr__legend_fit(&legend, l->chart, &style, &box, err)) {
            return HPF_ERR_MEMORY;
        }
    }
    return hpr__legend_place(l->chart, &legend, &style, l->pad_pt, l->pad_pt + legend.height_pt,
                             err);
}

/* Places all names in a legend right of the plot. */
static hpf_status place_right_legend(layout *l, hpf_error *err)
{
    double wanted;
    double most = most_margin(l);
    hpr__label_style style = style_of(l, most - l->pad_pt - hpr__margin_extra_pt(l->public));
    if (hpr__labels_margin_width(&wanted, l->chart, &style, margin_height(l), err)) {
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
        return l->is_key_below && l->has_legend ? place_key_below(l, err)
                                                : place_direct_labels(l, err);
    case HPR_LEGEND_RIGHT:
        return place_right_legend(l, err);
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

/* --- texts and marks ------------------------------------------------------------------------ */

/* Appends the caption to the program. */
static hpf_status add_caption(layout *l, const char **job, hpf_error *err)
{
    const char *caption = l->public->caption;
    if (!caption) {
        return HPF_OK;
    }
    size_t n_bytes = strlen(*job) + strlen(caption) + sizeof " \xC2\xB7 ";
    char *both = hpf_arena_alloc(l->chart->arena, n_bytes);
    if (!both) {
        return hpf_error_set_memory(err);
    }
    snprintf(both, n_bytes, "%s \xC2\xB7 %s", *job, caption);
    *job = both;
    return HPF_OK;
}

/* Sets the title: program and date, or the title of the panel. The program is elided first. A chart
 * without a title has only its caption there. */
static hpf_status place_title(layout *l, hpf_error *err)
{
    hpr_title *title = &l->public->title;
    const char *job, *date;
    double width = l->public->width_pt - 2 * l->pad_pt;
    *title = (hpr_title){.box = HPR_TITLE_NONE, .job = "", .area = "", .date = ""};
    if (!l->has_title) {
        return HPF_OK;
    }
    if (l->options->no_title) {
        char *caption = hpf_arena_alloc(l->chart->arena, hpr__elided_bytes(l->public->caption));
        if (!caption) {
            return hpf_error_set_memory(err);
        }
        hpr__elide(caption, l->public->caption, width, l->type.text_pt, false, l->measurer);
        title->caption = caption;
        return HPF_OK;
    }
    const char *own = l->frame.title;
    title->date_bytes = own ? HPF_STR("") : l->public->headers[HPF_HEADER_DATE];
    hpf_str job_bytes = own ? hpf_str_of(own) : l->public->headers[HPF_HEADER_JOB];
    if (hpr__chart_bytes(l->chart, job_bytes, &title->job_bytes, err) ||
        hpr__chart_text(l->chart, title->job_bytes, &job, err) || add_caption(l, &job, err) ||
        hpr__chart_text(l->chart, title->date_bytes, &date, err)) {
        return HPF_ERR_MEMORY;
    }
    char *shown_job = hpf_arena_alloc(l->chart->arena, hpr__elided_bytes(job));
    char *shown_date = hpf_arena_alloc(l->chart->arena, hpr__elided_bytes(date));
    if (!shown_job || !shown_date) {
        return hpf_error_set_memory(err);
    }
    double date_width =
        hpr__elide(shown_date, date, width * 0.4, l->type.text_pt, false, l->measurer);
    double gap = date_width > 0 ? DATE_GAP_PT : 0;
    hpr__elide(shown_job, job, width - date_width - gap, l->type.title_pt, true, l->measurer);
    title->job = shown_job;
    title->date = shown_date;
    return HPF_OK;
}

/* Returns how many rows the labels of marks need where the marks are now, at most as many as fit.
 */
static unsigned mark_rows_wanted(const layout *l, const hpr__mark_box *box)
{
    hpr__mark_box high = *box;
    double line = l->line.ascent_pt + l->line.descent_pt;
    high.n_rows = hpr__mark_rows_at_most(l->public->height_pt, line);
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

/* Lays out everything but the labels of marks, for which it reserves n_mark_rows rows. */
static hpf_status arrange(layout *l, const hpr__reach *reach, hpf_error *err)
{
    scale_y(l, reach);
    scale_x(l, reach);
    if (fit_legend(l, err)) {
        return HPF_ERR_MEMORY;
    }
    place_rows(l);
    make_room_for_collections(l, reach);
    round_y(l);
    if (name_units(l, err) || tick_y(l, err)) {
        return HPF_ERR_MEMORY;
    }
    place_left(l);
    place_right(l, least_margin(l));
    if (l->public->n_marks > 0 && hpr__mark_rules_choose(l->chart, l->marks, err)) {
        return HPF_ERR_MEMORY;
    }
    if (place_labels(l, err) || tick_x(l, err) || place_title(l, err)) {
        return HPF_ERR_MEMORY;
    }
    for (size_t i = 0; i < l->public->n_marks; i++) {
        l->marks[i].x_pt = hpr__x_of_time(l->public, l->marks[i].time);
    }
    return HPF_OK;
}

/* Lays out until names that do not fit next to their bands have their place below the plot. */
static hpf_status settle(layout *l, const hpr__reach *reach, hpf_error *err)
{
    hpf_status status;
    do {
        l->is_unsettled = false;
        status = arrange(l, reach, err);
        l->n_rounds += l->is_unsettled;
    } while (!status && l->is_unsettled);
    return status;
}

/* Lays out everything. The rows for labels of marks are known only after marks are placed; if there
 * are more than one, they reduce the height of the plot, and everything is laid out again. */
static hpf_status arrange_with_marks(layout *l, const hpr__reach *reach, hpf_error *err)
{
    hpf_status status = settle(l, reach, err);
    if (status || !hpr__has_mark_labels(l->public) || !l->has_head) {
        return status;
    }
    hpr__mark_box box = mark_box(l);
    l->n_mark_rows = mark_rows_wanted(l, &box);
    if (l->n_mark_rows > 1) {
        status = settle(l, reach, err);
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
    l->public->has_census_marks = l->options->mark_censuses;
    const hpr__reach own = hpr__reach_of(l->public);
    const hpr__reach *reach = l->frame.reach ? l->frame.reach : &own;
    bool is_figure = hpr__is_figure(l->public, l->options);
    bool is_short = is_figure && l->options->legend == HPR_LEGEND_BELOW;
    if (hpr__labels_name(l->chart, err) || (is_short && hpr__labels_shorten(l->chart, err)) ||
        hpr__marks_collect(l->chart, &l->marks, survey, l->options, err) ||
        hpr__lanes_create(l->chart, l->options, err) || arrange_with_marks(l, reach, err) ||
        hpr__gc_ticks_place(l->chart, l->options, err) ||
        hpr__lanes_place(l->chart, l->options, err)) {
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

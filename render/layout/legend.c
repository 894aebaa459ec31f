/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Arranges legends, and finds an empty corner of the plot for the inset one.
 */
#include "base/arena.h"
#include "layout/legend.h"

#include <math.h>
#include <stdlib.h>

#include "layout/elide.h"
#include "layout/geometry.h"

#define COLUMN_GAP_PT   12.0
#define LEAST_COLUMN_PT 60.0 /* of elided names */

static double before_text(const hpr_chart *chart)
{
    return hpr__swatch_width_pt(chart) + HPR__SWATCH_GAP_PT;
}

enum { MOST_COLUMNS = 64 };

/* The names of a legend, in order, in one font size. */
typedef struct entries {
    double *widths_pt; /* including swatch and gap; not set if is_crowded */
    size_t n;
    bool is_crowded; /* even the narrowest names would not fit */
    double size_pt, pitch_pt;
} entries;

static size_t whole(double quotient)
{
    return quotient >= 1 ? (size_t)fmin(quotient + 1e-9, 1e6) : 0;
}

static hpf_status measure_entries(entries *e, hpr__chart *chart, const hpr__label_style *style,
                                  const hpr__legend_box *box, double size_pt, hpf_error *err)
{
    const hpr_measurer *m = &style->measurer;
    hpr_text_size line = m->measure(m->context, "Ag", size_pt, false);
    double least_pt = before_text(&chart->public) + COLUMN_GAP_PT;
    size_t most_columns = whole((box->width_pt + COLUMN_GAP_PT) / least_pt);
    e->n = 0;
    e->size_pt = size_pt;
    e->pitch_pt = line.ascent_pt + line.descent_pt + 0.25;
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        e->n += hpr__label_is_due(&chart->public, &chart->bands[i]);
    }
    e->is_crowded = e->n > whole(box->height_pt / e->pitch_pt) * most_columns;
    size_t k = 0;
    for (uint32_t i = chart->public.n_bands; !e->is_crowded && i-- > 0;) {
        const hpr_band *band = &chart->bands[i];
        if (!hpr__label_is_due(&chart->public, band)) {
            continue;
        }
        const char *text = hpr__label_text(chart, band, HUGE_VAL, style, size_pt);
        if (!text) {
            return hpf_error_set_memory(err);
        }
        double width = m->measure(m->context, text, size_pt, false).width_pt;
        e->widths_pt[k++] = least_pt + width;
    }
    return HPF_OK;
}

/* Returns the names in at most `n_columns` columns; `ends_pt` has room for these. */
static hpr__legend arrange(const entries *e, size_t n_columns, double *ends_pt)
{
    hpr__legend legend = {.n_shown = e->n, .size_pt = e->size_pt, .pitch_pt = e->pitch_pt};
    legend.n_rows = (e->n + n_columns - 1) / n_columns;
    legend.n_columns = legend.n_rows > 0 ? (e->n + legend.n_rows - 1) / legend.n_rows : 0;
    legend.height_pt = (double)legend.n_rows * e->pitch_pt;
    legend.ends_pt = ends_pt;
    double end = 0;
    for (size_t i = 0; i < legend.n_columns; i++) {
        double widest = 0;
        for (size_t k = i * legend.n_rows; k < e->n && k < (i + 1) * legend.n_rows; k++) {
            widest = fmax(widest, e->widths_pt[k]);
        }
        end += widest;
        ends_pt[i] = end;
    }
    legend.width_pt = fmax(end - COLUMN_GAP_PT, 0);
    return legend;
}

/* Finds columns for whole names in the size of the entries; returns false if they do not fit. */
static bool find_arrangement(hpr__legend *out, const entries *e, const hpr__legend_box *box,
                             double *ends_pt)
{
    size_t most = e->n < 1 ? 1 : e->n < MOST_COLUMNS ? e->n : MOST_COLUMNS;
    for (size_t i = 0; i < most; i++) {
        *out = arrange(e, box->is_tall ? i + 1 : most - i, ends_pt);
        if (out->width_pt <= box->width_pt + 1e-9 && out->height_pt <= box->height_pt + 1e-9) {
            return true;
        }
    }
    return false;
}

/* Returns an arrangement of elided names, without the smallest bands if necessary. */
static hpr__legend squeeze(const entries *e, const hpr__legend_box *box, double *ends_pt)
{
    size_t rows = whole(box->height_pt / e->pitch_pt);
    size_t most_columns = whole(box->width_pt / LEAST_COLUMN_PT);
    rows = rows > 0 ? rows : 1;
    most_columns = most_columns > MOST_COLUMNS ? MOST_COLUMNS : most_columns;
    most_columns = most_columns > 0 ? most_columns : 1;
    size_t columns = (e->n + rows - 1) / rows;
    columns = columns < 1 ? 1 : columns < most_columns ? columns : most_columns;
    size_t places = rows * columns;
    entries shown = *e;
    shown.n = e->n < places ? e->n : places;
    hpr__legend legend = arrange(&shown, columns, ends_pt);
    for (size_t i = 0; i < legend.n_columns; i++) {
        ends_pt[i] = box->width_pt * (double)(i + 1) / (double)legend.n_columns;
    }
    legend.width_pt = box->width_pt;
    legend.n_shown = e->n <= places ? e->n : places - 1;
    legend.is_cut = true;
    return legend;
}

hpf_status hpr__legend_fit(hpr__legend *out, hpr__chart *chart, const hpr__label_style *style,
                           const hpr__legend_box *box, hpf_error *err)
{
    entries e = {.widths_pt =
                     hpf_arena_array(chart->arena, chart->public.n_bands, sizeof *e.widths_pt)};
    double *ends_pt = hpf_arena_array(chart->arena, MOST_COLUMNS, sizeof *ends_pt);
    hpr__legend_box rest = *box; /* below the head */
    double head_pt = 0;
    bool is_found = false;
    if (!e.widths_pt || !ends_pt) {
        return hpf_error_set_memory(err);
    }
    for (double size = style->largest_pt; size >= style->smallest_pt && !is_found; size--) {
        if (measure_entries(&e, chart, style, box, size, err)) {
            return HPF_ERR_MEMORY;
        }
        head_pt = chart->public.common.text ? e.pitch_pt : 0;
        rest.height_pt = box->height_pt - head_pt;
        is_found = !e.is_crowded && find_arrangement(out, &e, &rest, ends_pt);
    }
    if (!is_found) {
        *out = squeeze(&e, &rest, ends_pt);
    }
    out->head_pt = head_pt;
    out->height_pt += head_pt;
    return HPF_OK;
}

/* Returns flags by band: due and among the `n_shown` largest. NULL if there is no memory. */
static bool *choose_shown(hpr__chart *chart, size_t n_shown)
{
    uint32_t n_bands = chart->public.n_bands;
    bool *is_shown = hpf_arena_array(chart->arena, n_bands, sizeof *is_shown);
    hpr_band **due = hpf_arena_array(chart->arena, n_bands, sizeof *due);
    size_t n_due = 0;
    if (!is_shown || !due) {
        return NULL;
    }
    for (uint32_t i = 0; i < n_bands; i++) {
        if (hpr__label_is_due(&chart->public, &chart->bands[i])) {
            due[n_due++] = &chart->bands[i];
        }
    }
    qsort(due, n_due, sizeof *due, hpr__compare_areas);
    for (size_t rank = 0; rank < n_due && rank < n_shown; rank++) {
        is_shown[due[rank] - chart->bands] = true;
    }
    return is_shown;
}

static double begin_of_column(const hpr__legend *legend, size_t column)
{
    return column > 0 ? legend->ends_pt[column - 1] : 0;
}

/* Returns the label at the k-th place, without its text. */
static hpr_label label_at(const hpr__legend *legend, size_t k, double left_pt, double top_pt,
                          double before_pt, hpr_text_size line)
{
    double x = left_pt + begin_of_column(legend, k / legend->n_rows);
    double middle = top_pt - ((double)(k % legend->n_rows) + 0.5) * legend->pitch_pt;
    return (hpr_label){
        .place = HPR_LABEL_LEGEND,
        .x_pt = x + before_pt,
        .y_pt = middle - (line.ascent_pt - line.descent_pt) / 2,
        .size_pt = legend->size_pt,
        .box_x_pt = x,
        .box_y_pt = middle - HPR__SWATCH_PT / 2,
    };
}

hpf_status hpr__legend_place(hpr__chart *chart, const hpr__legend *legend,
                             const hpr__label_style *style, double left_pt, double top_pt,
                             hpf_error *err)
{
    hpr_text_size line =
        style->measurer.measure(style->measurer.context, "Ag", legend->size_pt, false);
    bool *is_shown = choose_shown(chart, legend->n_shown);
    double before_pt = before_text(&chart->public);
    size_t k = 0;
    const char *common = chart->public.common.text;
    char *head = common ? hpf_arena_alloc(chart->arena, hpr__elided_bytes(common)) : NULL;
    if (!is_shown || (common && !head)) {
        return hpf_error_set_memory(err);
    }
    if (legend->head_pt > 0) {
        hpr__elide(head, common, chart->public.width_pt - left_pt, legend->size_pt, false,
                   style->measurer);
        chart->public.common = (hpr_label){
            .place = HPR_LABEL_LEGEND,
            .text = head,
            .x_pt = left_pt,
            .y_pt = top_pt - (legend->head_pt + line.ascent_pt - line.descent_pt) / 2,
            .size_pt = legend->size_pt,
        };
        top_pt -= legend->head_pt;
    }
    for (uint32_t i = chart->public.n_bands; i-- > 0;) {
        hpr_band *band = &chart->bands[i];
        if (!is_shown[i]) {
            continue;
        }
        size_t column = k / legend->n_rows;
        double room = legend->ends_pt[column] - begin_of_column(legend, column) - before_pt -
                      COLUMN_GAP_PT / 2;
        hpr_label label = label_at(legend, k++, left_pt, top_pt, before_pt, line);
        label.text = hpr__label_text(chart, band, room, style, legend->size_pt);
        if (!label.text) {
            return hpf_error_set_memory(err);
        }
        band->label = label;
    }
    return HPF_OK;
}

/* --- inset ----------------------------------------------------------------------------------- */

#define LEAST_END_PT 2.0 /* thickness at the right end that a leader can point at */
#define GAP_PT       6.0 /* to bands, right end and text of the peak */
#define STEP_PT      2.0 /* between places that are tried */

static const double most_share = 0.5; /* of the plot's width, for a name */

/* A column of names. */
typedef struct block {
    size_t n;
    double text_pt, pitch_pt; /* the widest text; the distance of rows */
    double left_pt, bottom_pt;
} block;

/* Measures the names that are due, and sets their texts. `*fits` becomes false if there are none,
 * if the plot is not high enough, or if one of the bands has a right end that a leader can point
 * at. */
static hpf_status measure_names(block *b, bool *fits, hpr__chart *chart, const char **texts,
                                const hpr__label_style *style, hpf_error *err)
{
    const hpr_chart *public = &chart->public;
    double room = public->plot_width_pt * most_share;
    *fits = false;
    for (uint32_t i = 0; i < public->n_bands; i++) {
        const hpr_band *band = &chart->bands[i];
        if (!hpr__label_is_due(public, band)) {
            continue;
        }
        double end = band->values[hpr__end_point(public)];
        if (hpr__height_of(public, end) >= LEAST_END_PT ||
            (double)b->n * b->pitch_pt > public->plot_height_pt) {
            return HPF_OK;
        }
        texts[i] = hpr__label_text(chart, band, room, style, style->largest_pt);
        if (!texts[i]) {
            return hpf_error_set_memory(err);
        }
        hpr_text_size size =
            style->measurer.measure(style->measurer.context, texts[i], style->largest_pt, false);
        b->text_pt = fmax(b->text_pt, size.width_pt);
        b->pitch_pt = size.ascent_pt + size.descent_pt + 0.25;
        b->n++;
    }
    *fits = b->n > 0;
    return HPF_OK;
}

/* Returns the highest point of the stack right of a place. */
static double highest_from(const hpr_chart *chart, double left_pt)
{
    double highest = 0;
    for (size_t i = chart->n_points; i-- > 0;) {
        double x = hpr__x_of(chart, chart->xs[i]);
        if (x >= left_pt) {
            highest = fmax(highest, chart->totals[i]);
            continue;
        }
        if (i + 1 < chart->n_points) {
            double next = hpr__x_of(chart, chart->xs[i + 1]);
            double share = next > x ? (left_pt - x) / (next - x) : 1;
            double there = chart->totals[i] + share * (chart->totals[i + 1] - chart->totals[i]);
            highest = fmax(highest, there);
        }
        break;
    }
    return hpr__y_of(chart, highest);
}

/* Returns the rightmost place that the text of the peak may reach. */
static double end_of_peak(const hpr_chart *chart, const hpr__label_style *style, bool si_units)
{
    hpr__peak peak;
    char text[HPR__PEAK_BYTES];
    if (!hpr__peak_of(&peak, chart)) {
        return 0;
    }
    hpr__peak_text(text, chart, &peak, si_units, HPR__PEAK_AND_TIME, NULL);
    double width =
        style->measurer.measure(style->measurer.context, text, style->largest_pt, false).width_pt;
    return fmax(hpr__x_of_time(chart, peak.time) + width / 2, chart->plot_x_pt + width);
}

/* Puts the block on the stack at `left_pt`; returns whether there is room for it. */
static bool try_place(block *b, const hpr_chart *chart, double left_pt, double end_of_peak_pt)
{
    double top = hpr__top_of_plot(chart);
    b->left_pt = left_pt;
    b->bottom_pt = highest_from(chart, left_pt - GAP_PT) + GAP_PT;
    double block_top = b->bottom_pt + (double)b->n * b->pitch_pt;
    hpr__peak peak;
    bool is_below_peak =
        !hpr__peak_of(&peak, chart) || block_top <= hpr__y_of(chart, peak.at) - GAP_PT;
    return block_top <= top && left_pt > chart->plot_x_pt &&
           (is_below_peak || left_pt > end_of_peak_pt + GAP_PT);
}

/* Finds the place of the block; returns false if there is none. From the right end it moves left to
 * its bands, until it would rise with the stack. */
static bool find_place(block *b, const hpr_chart *chart, const hpr__label_style *style,
                       bool si_units)
{
    double before = hpr__swatch_width_pt(chart) + HPR__SWATCH_GAP_PT;
    double left = hpr__right_of_plot(chart) - GAP_PT - b->text_pt - before;
    double peak_pt = end_of_peak(chart, style, si_units);
    if (!try_place(b, chart, left, peak_pt)) {
        return false;
    }
    double highest = b->bottom_pt + GAP_PT;
    block next = *b;
    while (try_place(&next, chart, next.left_pt - STEP_PT, peak_pt) && next.bottom_pt <= highest) {
        *b = next;
    }
    return true;
}

static void place_names(const block *b, hpr__chart *chart, const char **texts,
                        const hpr__label_style *style)
{
    hpr_text_size line =
        style->measurer.measure(style->measurer.context, "Ag", style->largest_pt, false);
    double middle = b->bottom_pt + b->pitch_pt / 2;
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        hpr_band *band = &chart->bands[i];
        if (hpr__label_is_due(&chart->public, band)) {
            band->label = (hpr_label){
                .place = HPR_LABEL_LEGEND,
                .text = texts[i],
                .x_pt = b->left_pt + before_text(&chart->public),
                .y_pt = middle - (line.ascent_pt - line.descent_pt) / 2,
                .size_pt = style->largest_pt,
                .box_x_pt = b->left_pt,
                .box_y_pt = middle - HPR__SWATCH_PT / 2,
            };
            middle += b->pitch_pt;
        }
    }
}

hpf_status hpr__inset_legend_place(bool *is_placed, hpr__chart *chart,
                                   const hpr__label_style *style, bool si_units, hpf_error *err)
{
    block b = {.n = 0};
    *is_placed = false;
    const hpr_chart *public = &chart->public;
    if (public->n_points < 2 || public->n_marks > 0 || public->n_quantities > 0 ||
        public->is_lines || public->is_normalised || public->base) {
        return HPF_OK; /* marks and lines may be anywhere */
    }
    const char **texts = hpf_arena_array(chart->arena, chart->public.n_bands, sizeof *texts);
    if (!texts) {
        return hpf_error_set_memory(err);
    }
    bool fits;
    if (measure_names(&b, &fits, chart, texts, style, err)) {
        return HPF_ERR_MEMORY;
    }
    if (fits && find_place(&b, &chart->public, style, si_units)) {
        place_names(&b, chart, texts, style);
        *is_placed = true;
    }
    return HPF_OK;
}

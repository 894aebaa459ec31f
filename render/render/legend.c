/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Arranging names in columns, each as wide as its widest name.
 */
#include "legend.h"

#include <math.h>

#define COLUMN_GAP_PT   12.0
#define LEAST_COLUMN_PT 60.0

static double before_text(const hpr_chart *chart)
{
    return hpr__swatch_width_pt(chart) + HPR__SWATCH_GAP_PT;
}

static size_t count_bands(const hpr_chart *chart)
{
    size_t n = 0;
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        n += hpr__label_is_due(chart, &chart->bands[i]);
    }
    return n;
}

/* Widths of the entries, from the top band down, the gap behind each included. */
static hpf_status find_widths(double *widths, hpr__chart *chart, const hpr__label_style *style,
                              double size_pt, hpf_error *err)
{
    size_t n = 0;
    for (uint32_t i = chart->public.n_bands; i-- > 0;) {
        const hpr_band *band = &chart->bands[i];
        if (!hpr__label_is_due(&chart->public, band)) {
            continue;
        }
        const char *text = hpr__label_text(chart, band, HUGE_VAL, style, size_pt);
        if (!text) {
            return hpf_error_set_memory(err);
        }
        double width =
            style->measurer.measure(style->measurer.context, text, size_pt, false).width_pt;
        widths[n++] = before_text(&chart->public) + width + COLUMN_GAP_PT;
    }
    return HPF_OK;
}

static double pitch_of(const hpr__label_style *style, double size_pt)
{
    hpr_text_size line = style->measurer.measure(style->measurer.context, "Ag", size_pt, false);
    return line.ascent_pt + line.descent_pt + 0.25;
}

static size_t whole(double quotient)
{
    return quotient >= 1 ? (size_t)fmin(quotient + 1e-9, 1e6) : 0;
}

/* `n` names in at most `n_columns` columns, still without widths. */
static void arrange(hpr__legend *legend, size_t n, size_t n_columns)
{
    legend->n_rows = (n + n_columns - 1) / n_columns;
    legend->n_columns = legend->n_rows > 0 ? (n + legend->n_rows - 1) / legend->n_rows : 1;
    legend->n_shown = n;
    legend->height_pt = (double)legend->n_rows * legend->pitch_pt;
}

/* Makes each column as wide as its widest entry. */
static void fit_columns(hpr__legend *legend, const double *widths)
{
    legend->width_pt = 0;
    for (size_t column = 0; column < legend->n_columns; column++) {
        double widest = 0;
        for (size_t row = 0; row < legend->n_rows; row++) {
            size_t k = column * legend->n_rows + row;
            widest = k < legend->n_shown ? fmax(widest, widths[k]) : widest;
        }
        legend->columns_pt[column] = widest;
        legend->width_pt += widest;
    }
}

/* As many columns as have room beside each other; the last one needs no gap behind it. Whether even
 * one has. */
static bool fit_width(hpr__legend *legend, const double *widths, size_t n, double width_pt)
{
    for (size_t columns = n > 0 ? n : 1; columns > 0; columns--) {
        arrange(legend, n, columns);
        fit_columns(legend, widths);
        if (legend->width_pt - COLUMN_GAP_PT <= width_pt + 1e-9) {
            return true;
        }
        columns = legend->n_columns; /* more would be arranged like this again */
    }
    return false;
}

/* Names cut short, and the smallest bands left out if that is not enough. */
static void squeeze(hpr__legend *legend, size_t n, double width_pt, double height_pt)
{
    size_t rows = whole(height_pt / legend->pitch_pt);
    size_t most_columns = whole(width_pt / LEAST_COLUMN_PT);
    rows = rows > 0 ? rows : 1;
    most_columns = most_columns > 0 ? most_columns : 1;
    size_t columns = (n + rows - 1) / rows;
    columns = columns < 1 ? 1 : columns < most_columns ? columns : most_columns;
    size_t places = rows * columns;
    arrange(legend, n < places ? n : places, columns);
    legend->n_shown = n <= places ? n : places - 1;
    legend->width_pt = width_pt;
    for (size_t i = 0; i < legend->n_columns; i++) {
        legend->columns_pt[i] = width_pt / (double)legend->n_columns;
    }
}

hpf_status hpr__legend_fit(hpr__legend *out, hpr__chart *chart, const hpr__label_style *style,
                           double width_pt, double height_pt, hpf_error *err)
{
    size_t n = count_bands(&chart->public);
    double *widths = hpf_arena_array(chart->arena, n, sizeof *widths);
    *out =
        (hpr__legend){.columns_pt = hpf_arena_array(chart->arena, n + 1, sizeof *out->columns_pt)};
    if (!widths || !out->columns_pt) {
        return hpf_error_set_memory(err);
    }
    for (double size = style->largest_pt; size >= style->smallest_pt; size--) {
        out->size_pt = size;
        out->pitch_pt = pitch_of(style, size);
        if (find_widths(widths, chart, style, size, err)) {
            return HPF_ERR_MEMORY;
        }
        if (fit_width(out, widths, n, width_pt) && out->height_pt <= height_pt + 1e-9) {
            return HPF_OK;
        }
    }
    out->size_pt = style->smallest_pt;
    out->pitch_pt = pitch_of(style, out->size_pt);
    squeeze(out, n, width_pt, height_pt);
    return HPF_OK;
}

/* The bands that are due and among the `n_shown` largest, as flags by band. NULL: no memory. */
static bool *choose_shown(const hpr__chart *chart, size_t n_shown)
{
    uint32_t n_bands = chart->public.n_bands;
    bool *is_shown = hpf_arena_array(chart->arena, n_bands, sizeof *is_shown);
    for (size_t rank = 0; is_shown && rank < n_shown; rank++) {
        uint32_t best = n_bands;
        for (uint32_t i = 0; i < n_bands; i++) {
            bool is_candidate = !is_shown[i] && hpr__label_is_due(&chart->public, &chart->bands[i]);
            if (is_candidate &&
                (best == n_bands || chart->bands[i].trapezium > chart->bands[best].trapezium)) {
                best = i;
            }
        }
        if (best < n_bands) {
            is_shown[best] = true;
        }
    }
    return is_shown;
}

/* The label at the k-th place. */
static hpr_label label_at(const hpr__legend *legend, size_t k, double left_pt, double top_pt,
                          double before_pt, hpr_text_size line)
{
    double x = left_pt;
    for (size_t column = 0; column < k / legend->n_rows; column++) {
        x += legend->columns_pt[column];
    }
    double middle = top_pt - ((double)(k % legend->n_rows) + 0.5) * legend->pitch_pt;
    return (hpr_label){
        .place = HPR_LABEL_KEY,
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
    if (!is_shown) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = chart->public.n_bands; i-- > 0;) {
        hpr_band *band = &chart->bands[i];
        if (!is_shown[i]) {
            continue;
        }
        double room = legend->columns_pt[k / legend->n_rows] - before_pt - COLUMN_GAP_PT / 2;
        hpr_label label = label_at(legend, k++, left_pt, top_pt, before_pt, line);
        label.text = hpr__label_text(chart, band, room, style, legend->size_pt);
        if (!label.text) {
            return hpf_error_set_memory(err);
        }
        band->label = label;
    }
    return HPF_OK;
}

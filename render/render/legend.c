/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Arranging names in columns of one width.
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

/* Width of the widest entry, the gap behind it included. */
static hpf_status find_widest(double *widest, hpr__chart *chart, const hpr__label_style *style,
                              double size_pt, hpf_error *err)
{
    *widest = 0;
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
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
        *widest = fmax(*widest, before_text(&chart->public) + width + COLUMN_GAP_PT);
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

/* `n` names in columns of a width. */
static hpr__legend arrange(size_t n, size_t n_columns, double column_pt, double pitch_pt)
{
    hpr__legend legend = {.n_columns = n_columns, .column_pt = column_pt, .pitch_pt = pitch_pt};
    legend.n_rows = (n + n_columns - 1) / n_columns;
    legend.n_columns = legend.n_rows > 0 ? (n + legend.n_rows - 1) / legend.n_rows : 1;
    legend.n_shown = n;
    legend.width_pt = (double)legend.n_columns * column_pt;
    legend.height_pt = (double)legend.n_rows * pitch_pt;
    return legend;
}

/* Names cut short, and the smallest bands left out if that is not enough. */
static hpr__legend squeeze(size_t n, double width_pt, double height_pt, double pitch_pt)
{
    size_t rows = whole(height_pt / pitch_pt);
    size_t most_columns = whole(width_pt / LEAST_COLUMN_PT);
    rows = rows > 0 ? rows : 1;
    most_columns = most_columns > 0 ? most_columns : 1;
    size_t columns = (n + rows - 1) / rows;
    columns = columns < 1 ? 1 : columns < most_columns ? columns : most_columns;
    size_t places = rows * columns;
    hpr__legend legend =
        arrange(n < places ? n : places, columns, width_pt / (double)columns, pitch_pt);
    legend.n_shown = n <= places ? n : places - 1;
    return legend;
}

hpf_status hpr__legend_fit(hpr__legend *out, hpr__chart *chart, const hpr__label_style *style,
                           double width_pt, double height_pt, hpf_error *err)
{
    size_t n = count_bands(&chart->public);
    for (double size = style->largest_pt; size >= style->smallest_pt; size--) {
        double widest;
        if (find_widest(&widest, chart, style, size, err)) {
            return HPF_ERR_MEMORY;
        }
        /* The last column needs no gap behind it. */
        size_t columns = widest > 0 ? whole((width_pt + COLUMN_GAP_PT) / widest) : 1;
        columns = columns < n ? columns : n > 0 ? n : 1;
        if (columns > 0) {
            *out = arrange(n, columns, widest, pitch_of(style, size));
            out->size_pt = size;
            if (out->height_pt <= height_pt + 1e-9) {
                return HPF_OK;
            }
        }
    }
    *out = squeeze(n, width_pt, height_pt, pitch_of(style, style->smallest_pt));
    out->size_pt = style->smallest_pt;
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
    double x = left_pt + (double)(k / legend->n_rows) * legend->column_pt;
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
        hpr_label label = label_at(legend, k++, left_pt, top_pt, before_pt, line);
        double room = legend->column_pt - before_pt - COLUMN_GAP_PT / 2;
        label.text = hpr__label_text(chart, band, room, style, legend->size_pt);
        if (!label.text) {
            return hpf_error_set_memory(err);
        }
        band->label = label;
    }
    return HPF_OK;
}

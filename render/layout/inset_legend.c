/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finding an empty corner of the plot for a few names.
 */
#include "base/arena.h"
#include "layout/inset_legend.h"

#include <math.h>

#include "layout/geometry.h"

#define LEAST_END_PT 2.0 /* thickness at the right end that is worth a leader */
#define GAP_PT       6.0 /* to the bands, to the right end, to the text of the peak */

static const double most_share = 0.5; /* of the plot's width, for a name */

/* A block of names, one below the other. */
typedef struct block {
    size_t n;
    double text_pt, pitch_pt; /* the widest text; the height of a line */
    double left_pt, bottom_pt;
} block;

/* Whether a name in the margin would have no leader, or one that points to hardly anything. */
static bool has_no_end(const hpr__chart *chart, const hpr_band *band)
{
    const hpr_chart *public = &chart->public;
    size_t end = hpr__end_point(public);
    return hpr__height_of(public, band->values[end]) < LEAST_END_PT;
}

/* The peak's text needs the room above the highest point; marks and lines may be anywhere. */
static bool is_calm(const hpr_chart *chart)
{
    return chart->n_points > 1 && chart->n_marks == 0 && chart->n_lines == 0 && !chart->is_lines &&
           !chart->is_normalised && !chart->base;
}

/* False: not all that are due are of the kind. */
static bool measure_names(block *b, const hpr__chart *chart, const char **texts,
                          const hpr__label_style *style)
{
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        const hpr_band *band = &chart->bands[i];
        if (!hpr__label_is_due(&chart->public, band)) {
            continue;
        }
        if (!has_no_end(chart, band)) {
            return false;
        }
        hpr_text_size size =
            style->measurer.measure(style->measurer.context, texts[i], style->largest_pt, false);
        b->text_pt = fmax(b->text_pt, size.width_pt);
        b->pitch_pt = size.ascent_pt + size.descent_pt + 0.25;
        b->n++;
    }
    return b->n > 0;
}

/* The highest that the stack is from a place to the right. */
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

/* How far to the right the peak's text may reach. */
static double end_of_peak(const hpr_chart *chart, const hpr__label_style *style, bool si_units)
{
    hpr__peak peak;
    char text[HPR__PEAK_BYTES];
    if (!hpr__peak_of(&peak, chart)) {
        return 0;
    }
    hpr__peak_text(text, chart, &peak, si_units, HPR__PEAK_AND_TIME);
    double width =
        style->measurer.measure(style->measurer.context, text, style->largest_pt, false).width_pt;
    return fmax(hpr__x_of_time(chart, peak.time) + width / 2, chart->plot_x_pt + width);
}

static bool find_place(block *b, const hpr_chart *chart, const hpr__label_style *style,
                       bool si_units)
{
    double before = hpr__swatch_width_pt(chart) + HPR__SWATCH_GAP_PT;
    double right = chart->plot_x_pt + chart->plot_width_pt;
    double top = chart->plot_y_pt + chart->plot_height_pt;
    b->left_pt = right - GAP_PT - b->text_pt - before;
    b->bottom_pt = highest_from(chart, b->left_pt - GAP_PT) + GAP_PT;
    double block_top = b->bottom_pt + (double)b->n * b->pitch_pt;
    hpr__peak peak;
    bool is_below_peak =
        !hpr__peak_of(&peak, chart) || block_top <= hpr__y_of(chart, peak.at) - GAP_PT;
    return block_top <= top && b->left_pt > chart->plot_x_pt &&
           (is_below_peak || b->left_pt > end_of_peak(chart, style, si_units) + GAP_PT);
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
                .place = HPR_LABEL_KEY,
                .text = texts[i],
                .x_pt = b->left_pt + hpr__swatch_width_pt(&chart->public) + HPR__SWATCH_GAP_PT,
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
    if (!is_calm(&chart->public)) {
        return HPF_OK;
    }
    const char **texts = hpf_arena_array(chart->arena, chart->public.n_bands, sizeof *texts);
    double room = chart->public.plot_width_pt * most_share;
    for (uint32_t i = 0; texts && i < chart->public.n_bands; i++) {
        texts[i] = hpr__label_text(chart, &chart->bands[i], room, style, style->largest_pt);
        texts = texts[i] ? texts : NULL;
    }
    if (!texts) {
        return hpf_error_set_memory(err);
    }
    if (measure_names(&b, chart, texts, style) && find_place(&b, &chart->public, style, si_units)) {
        place_names(&b, chart, texts, style);
        *is_placed = true;
    }
    return HPF_OK;
}

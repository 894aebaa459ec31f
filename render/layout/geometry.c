/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Positions, sizes and the peak of a modern chart.
 */
#include "layout/geometry.h"

#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "hpfile/margin.h"

/* Returns the sizes that belong to a size of the text. */
static hpr__type_sizes sizes_around(double text_pt)
{
    return (hpr__type_sizes){1.2 * text_pt, text_pt, fmin(text_pt, 7)};
}

hpr__type_sizes hpr__type_sizes_of(double sheet_width_pt, const hpr_options *options)
{
    if (options->text_pt > 0) {
        return sizes_around(options->text_pt);
    }
    if (options->theme == HPR_THEME_SLIDE) {
        return sizes_around(sheet_width_pt >= HPR__WIDE_PT ? 12 : 9);
    }
    if (sheet_width_pt >= HPR__WIDE_PT) {
        return (hpr__type_sizes){11, 9, 7};
    }
    return sheet_width_pt >= HPR__NARROW_PT ? (hpr__type_sizes){9, 8, 7}
                                            : (hpr__type_sizes){8, 7, 7};
}

bool hpr__is_figure(const hpr_chart *chart, const hpr_options *options)
{
    return options->is_figure || chart->width_pt < HPR__NARROW_PT;
}

double hpr__sheet_pad_pt(const hpr_chart *chart)
{
    return fmin(chart->width_pt, chart->height_pt) >= 200 ? 8 : 3;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

double hpr__x_of(const hpr_chart *chart, double x)
{
    double span = chart->x.high - chart->x.low;
    double share = span > 0 ? (x - chart->x.low) / span : 0.5;
    return chart->plot_x_pt + clamp(share, 0, 1) * chart->plot_width_pt;
}

/* Returns the first point that is not before `time`. */
static size_t point_at(const hpr_chart *chart, double time)
{
    size_t first;
    HPF__ARRAY_BISECT(first, chart->n_points, i, chart->times[i] < time);
    return first;
}

double hpr__x_of_time(const hpr_chart *chart, double time)
{
    if (!chart->is_by_sample || chart->n_points == 0) {
        return hpr__x_of(chart, time);
    }
    size_t next = point_at(chart, time);
    if (next == 0 || next == chart->n_points) {
        return hpr__x_of(chart, chart->xs[next == 0 ? 0 : next - 1]);
    }
    double before = chart->times[next - 1];
    double share = (time - before) / (chart->times[next] - before);
    double x = chart->xs[next - 1] + share * (chart->xs[next] - chart->xs[next - 1]);
    return hpr__x_of(chart, x);
}

double hpr__y_of(const hpr_chart *chart, double amount)
{
    double share = (amount - chart->y.low) / (chart->y.high - chart->y.low);
    return chart->plot_y_pt + clamp(share, 0, 1) * chart->plot_height_pt;
}

double hpr__x_label_left(const hpr_chart *chart, double at_pt, double width_pt, double unit_pt)
{
    double pad = hpr__sheet_pad_pt(chart);
    double most = chart->width_pt - pad - unit_pt - HPR__TICK_GAP_PT - width_pt;
    return fmax(pad, fmin(at_pt - width_pt / 2, most));
}

double hpr__x_label_drop(const hpr_text_size *line, double text_pt)
{
    double half = (line->ascent_pt - line->descent_pt) / 2;
    return fmax(HPR__TICK_GAP_PT, half) + 0.12 * text_pt + 2 * half;
}

double hpr__height_of(const hpr_chart *chart, double amount)
{
    return amount / (chart->y.high - chart->y.low) * chart->plot_height_pt;
}

bool hpr__has_mark_labels(const hpr_chart *chart)
{
    size_t i = 0;
    while (i < chart->n_marks && !*chart->marks[i].label) {
        i++;
    }
    return i < chart->n_marks;
}

bool hpr__is_shown(const hpr_chart *chart, const hpr_band *band)
{
    return !(chart->is_lines && band->is_other);
}

/* The end of the y axis in peaks of the bands: at most a quarter of the height is above them. */
static const double most_rise = 4.0 / 3;

bool hpr__is_above(double amount, double peak)
{
    return peak > 0 && amount > most_rise * peak;
}

/* Returns the highest amount that is drawn. */
static double highest_of(const hpr_chart *chart)
{
    double highest = 0;
    for (uint32_t i = 0; chart->is_lines && i < chart->n_bands; i++) {
        if (hpr__is_shown(chart, &chart->bands[i])) {
            highest = fmax(highest, chart->bands[i].max);
        }
    }
    if (!chart->is_lines) {
        highest = chart->is_normalised ? 100 : chart->peak_total;
    }
    double most = highest > 0 ? most_rise * highest : HUGE_VAL;
    for (size_t i = 0; i < chart->n_quantities; i++) {
        highest = fmax(highest, fmin(chart->quantities[i].max, most));
    }
    return highest;
}

hpr__reach hpr__reach_of(const hpr_chart *chart)
{
    const double *tops = chart->n_bands > 0 ? chart->bands[chart->n_bands - 1].upper : NULL;
    hpr__reach reach = {.y_high = chart->base ? 0 : highest_of(chart)};
    if (chart->n_points > 0) {
        reach.x_low = chart->xs[0];
        reach.x_high = chart->xs[chart->n_points - 1];
    }
    for (size_t i = 0; chart->base && tops && i < chart->n_points; i++) {
        reach.y_low = fmin(reach.y_low, chart->base[i]);
        reach.y_high = fmax(reach.y_high, tops[i]);
    }
    return reach;
}

/* Writes a number with its unit, such as "9.3 MiB"; returns its length. */
static size_t amount_text(char *out, size_t n_bytes, double value, hpr_unit unit)
{
    char number[HPR_UNIT_LABEL_BYTES];
    hpr_unit_label_rounded(number, value, &unit, 3);
    int length = snprintf(out, n_bytes, "%s%s%.100s", number, *unit.name ? " " : "", unit.name);
    return length > 0 ? (size_t)length : 0;
}

static hpr_unit unit_of_axis(const hpr_axis *axis)
{
    return (hpr_unit){axis->factor, axis->suffix, axis->unit};
}

static hpr__peak peak_of_lines(const hpr_chart *chart)
{
    hpr__peak peak = {.value = 0};
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        const double *values = chart->bands[i].values;
        for (size_t point = 0; point < chart->n_points; point++) {
            if (values[point] > peak.value && hpr__is_shown(chart, &chart->bands[i])) {
                peak = (hpr__peak){values[point], chart->times[point], values[point],
                                   &chart->bands[i]};
            }
        }
    }
    return peak;
}

bool hpr__peak_of(hpr__peak *peak, const hpr_chart *chart)
{
    double at = chart->is_normalised ? 100 : chart->peak_total;
    *peak = (hpr__peak){chart->peak_total, chart->peak_time, at, NULL};
    if (chart->is_lines) {
        *peak = peak_of_lines(chart);
        return peak->value > 0 && !chart->is_normalised;
    }
    return chart->base ? peak->value != 0 : peak->value > 0;
}

/* Writes " at 4.2 s". */
static void put_peak_time(char *out, size_t n_bytes, const hpr_chart *chart, const hpr__peak *peak)
{
    if (chart->is_by_sample) {
        size_t point = point_at(chart, peak->time);
        snprintf(out, n_bytes, " at sample %.0f", point < chart->n_points ? chart->xs[point] : 0);
        return;
    }
    size_t length = (size_t)snprintf(out, n_bytes, " at ");
    hpr_time_text(out + length, n_bytes - length, peak->time,
                  chart->headers[HPF_HEADER_SAMPLE_UNIT], chart->time_unit);
}

/* Returns the unit of the y axis, or one for `value` if the axis has another or shows none. */
static hpr_unit unit_of_peak(const hpr_chart *chart, double value, bool si_units)
{
    hpr_unit unit =
        hpr_unit_of_values(chart->headers[HPF_HEADER_VALUE_UNIT], fabs(value), si_units);
    unit.name = unit.name ? unit.name : chart->amount_unit;
    return chart->is_normalised || !*chart->y.unit ? unit : unit_of_axis(&chart->y);
}

void hpr__peak_text(char *out, const hpr_chart *chart, const hpr__peak *peak, bool si_units,
                    hpr__peak_words words, const char *name)
{
    const char *what = words == HPR__PEAK_BARE ? ""
                       : chart->base           ? "total (line): largest change "
                                               : "peak ";
    const char *sign = chart->base && peak->value > 0 ? "+" : "";
    bool has_name = name && words != HPR__PEAK_BARE;
    size_t length =
        (size_t)snprintf(out, HPR__PEAK_BYTES, "%s%s%.800s%s%s", what, has_name ? "of " : "",
                         has_name ? name : "", has_name ? ": " : "", sign);
    length += amount_text(out + length, HPR__PEAK_BYTES - length, peak->value,
                          unit_of_peak(chart, peak->value, si_units));
    if (chart->spread > 0) {
        double margin = hpf_margin(peak->value, peak->value * chart->spread, chart->rate_bytes);
        length += (size_t)snprintf(out + length, HPR__PEAK_BYTES - length, " ± ");
        length += amount_text(out + length, HPR__PEAK_BYTES - length, margin,
                              unit_of_peak(chart, margin, si_units));
    }
    if (words == HPR__PEAK_AND_TIME) {
        put_peak_time(out + length, HPR__PEAK_BYTES - length, chart, peak);
    }
}

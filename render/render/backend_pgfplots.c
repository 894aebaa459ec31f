/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profile as data with a pgfplots axis around it, for authors who want to set the picture in
 * their own style: a table of the drawn bands, one stacked \addplot for each, bottom first.
 *
 * Numbers are in the units of the axes. TeX reads a few hundred rows at most in good time: of more
 * samples those with the extremes of the total are kept, cell by cell, and the peak.
 */
#include "backends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "marker.h"
#include "modern_layout.h"
#include "points.h"
#include "tex.h"

#define BESIDE_AXIS_PT 42.0 /* tick labels and the axis' own label on its left */

static void put_size(hpf_sink *sink, const char *name, double size_pt)
{
    hpf_sink_printf(sink, "  %s=", name);
    hpf_sink_fixed(sink, size_pt, 2);
    hpf_sink_text(sink, "pt,\n");
}

/* About what an entry of the legend takes in TeX's own font at 7 points, box and gaps included. */
static double entry_width(const char *text)
{
    double width = 28;
    for (; *text; text++) {
        bool is_wide = (*text >= 'A' && *text <= 'Z') || *text == '_' || *text == '#';
        width += is_wide ? 5.4 : 3.8;
    }
    return width;
}

/* Two, if the two longest names have room beside each other. */
static int legend_columns(const hpr_chart *chart)
{
    double longest = 0, second = 0;
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        double width = entry_width(chart->bands[i].text);
        second = fmax(second, fmin(width, longest));
        longest = fmax(longest, width);
    }
    return longest + second <= chart->width_pt - BESIDE_AXIS_PT ? 2 : 1;
}

static void put_range(hpf_sink *sink, char axis, const hpr_axis *range)
{
    hpf_sink_printf(sink, "  %cmin=", axis);
    hpf_sink_shortest(sink, range->low / range->factor);
    hpf_sink_printf(sink, ", %cmax=", axis);
    hpf_sink_shortest(sink, range->high / range->factor);
    hpf_sink_printf(sink, ", %clabel={", axis);
    hpr__tex_text(sink, range->unit);
    hpf_sink_text(sink, "},\n");
}

static void put_axis(hpf_sink *sink, const hpr_chart *chart)
{
    hpf_sink_text(sink, "\\begin{axis}[\n  scale only axis,\n");
    put_size(sink, "width", fmax(chart->width_pt - BESIDE_AXIS_PT, chart->plot_width_pt / 2));
    put_size(sink, "height", chart->plot_height_pt);
    put_range(sink, 'x', &chart->x);
    put_range(sink, 'y', &chart->y);
    hpf_sink_text(sink, chart->is_lines ? "  line width=0.8pt,"
                                        : "  stack plots=y, area style, "
                                          "legend image post style={draw=none},");
    hpf_sink_text(sink,
                  " axis lines=left, scaled ticks=false,\n"
                  "  ymajorgrids, grid style={black!10}, enlargelimits=false,\n"
                  "  axis on top=false, reverse legend, legend cell align=left,\n"
                  "  tick label style={font=\\censussmall}, label style={font=\\censussmall},\n"
                  "  legend style={draw=none, font=\\censussmall, at={(0,-0.22)}, anchor=north "
                  "west, column sep=4pt},\n");
    hpf_sink_printf(sink, "  legend columns=%d,\n]\n", legend_columns(chart));
}

static void put_value(hpf_sink *sink, double value)
{
    hpf_sink_text(sink, " ");
    if (isnan(value)) {
        hpf_sink_text(sink, "nan");
    } else {
        hpf_sink_fixed(sink, value, 5);
    }
}

/* Column `t`, then one for each band, named b1, b2, ... from the bottom, and for each line over
 * them, l1, l2, ... */
static void put_table(hpf_sink *sink, const hpr_chart *chart, const size_t *shown, size_t n_shown)
{
    hpf_sink_text(sink, "\\pgfplotstableread{\nt");
    for (uint32_t b = 0; b < chart->n_bands; b++) {
        hpf_sink_printf(sink, " b%u", b + 1);
    }
    for (size_t k = 0; k < chart->n_lines; k++) {
        hpf_sink_printf(sink, " l%zu", k + 1);
    }
    hpf_sink_text(sink, "\n");
    for (size_t i = 0; i < n_shown; i++) {
        hpf_sink_shortest(sink, chart->xs[shown[i]] / chart->x.factor);
        for (uint32_t b = 0; b < chart->n_bands; b++) {
            put_value(sink, chart->bands[b].values[shown[i]] / chart->y.factor);
        }
        for (size_t k = 0; k < chart->n_lines; k++) {
            put_value(sink, chart->lines[k].values[shown[i]] / chart->y.factor);
        }
        hpf_sink_text(sink, "\n");
    }
    hpf_sink_text(sink, "}\\censusprofile\n");
}

/* The pattern of the TikZ library that runs like a hatch. */
static const char *pattern_of(double deg)
{
    return deg == 0    ? "horizontal lines"
           : deg == 90 ? "vertical lines"
           : deg < 90  ? "north east lines"
                       : "north west lines";
}

/* About six on each line, those of each line elsewhere. */
static void put_marker(hpf_sink *sink, const hpr_chart *chart, const hpr_band *band,
                       size_t n_points)
{
    /* In the order of marker.h. */
    static const char *const marks[HPR__N_MARKERS] = {
        "*", "square*", "triangle*", "diamond*", "triangle*",
        "o", "square",  "triangle",  "diamond",  "triangle"};
    size_t step = n_points / 6 + 1;
    size_t place = (size_t)(band - chart->bands) * step / chart->n_bands;
    bool is_turned = (band->fill.marker - 1) % 5 == 4;
    hpf_sink_printf(sink,
                    ", mark=%s, mark size=1.6pt, mark repeat=%zu, mark phase=%zu, "
                    "mark options={solid%s}",
                    marks[band->fill.marker - 1], step, 1 + place, is_turned ? ", rotate=180" : "");
}

/* What a band is drawn with: its colour, and what tells it apart without colour. */
static void put_style(hpf_sink *sink, const hpr_chart *chart, uint32_t number, size_t n_points)
{
    const hpr_band *band = &chart->bands[number - 1];
    if (!chart->is_lines) {
        hpf_sink_printf(sink, "fill=census%u, ", number);
        hpf_sink_text(sink,
                      band->fill.hatch_gap_pt > 0 ? "draw=black, line width=0.3pt" : "draw=none");
        if (band->fill.hatch_gap_pt > 0) {
            hpf_sink_printf(sink, ", postaction={pattern=%s}", pattern_of(band->fill.hatch_deg));
        }
        return;
    }
    hpf_sink_printf(sink, "census%u", number);
    if (band->fill.dash_pt > 0) {
        hpf_sink_text(sink, ", dash pattern=on ");
        hpf_sink_fixed(sink, band->fill.dash_pt, 1);
        hpf_sink_text(sink, "pt off ");
        hpf_sink_fixed(sink, band->fill.dash_pt, 1);
        hpf_sink_text(sink, "pt");
    }
    if (band->fill.marker > 0) {
        put_marker(sink, chart, band, n_points);
    } else {
        hpf_sink_text(sink, ", mark=none");
    }
}

static void put_band(hpf_sink *sink, const hpr_chart *chart, uint32_t number, size_t n_points)
{
    const hpr_band *band = &chart->bands[number - 1];
    hpf_sink_printf(sink, "\\definecolor{census%u}{HTML}{", number);
    hpr__tex_colour(sink, band->fill.colour);
    hpf_sink_text(sink, "}\n\\addplot[");
    put_style(sink, chart, number, n_points);
    hpf_sink_printf(sink, "] table[x=t, y=b%u]{\\censusprofile}%s;\n", number,
                    chart->is_lines ? "" : " \\closedcycle");
    hpf_sink_text(sink, "\\addlegendentry{");
    hpr__tex_text(sink, band->text);
    hpf_sink_text(sink, "}\n");
}

static void put_line(hpf_sink *sink, const hpr_chart *chart, size_t number)
{
    hpf_sink_printf(
        sink,
        "\\addplot[stack plots=false, line legend, fill=none, draw=black, densely dashed, "
        "unbounded coords=jump] table[x=t, y=l%zu]{\\censusprofile};\n"
        "\\addlegendentry{",
        number);
    hpr__tex_text(sink, chart->lines[number - 1].text);
    hpf_sink_text(sink, "}\n");
}

static bool has_hatches(const hpr_chart *chart)
{
    uint32_t i = 0;
    while (i < chart->n_bands && !(chart->bands[i].fill.hatch_gap_pt > 0)) {
        i++;
    }
    return i < chart->n_bands;
}

static hpf_status write_pgfplots(const hpr_chart *chart, const hpr_scene *scene,
                                 const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)scene;
    size_t n_shown;
    size_t *shown =
        hpr__points_choose(&n_shown, chart, chart->totals, hpr__backend_pgfplots.most_points);
    if (!shown) {
        return hpf_error_set_memory(err);
    }
    hpr__tex_head(sink, output->software);
    hpf_sink_text(sink, "% needs \\usepackage{pgfplots,pgfplotstable} and "
                        "\\pgfplotsset{compat=1.12} or later\n");
    if (has_hatches(chart)) {
        hpf_sink_text(sink, "% and \\usetikzlibrary{patterns}\n");
    }
    put_table(sink, chart, shown, n_shown);
    hpf_sink_text(sink, "\\begin{tikzpicture}\n"
                        "\\def\\censussmall{\\fontsize{7pt}{8.4pt}\\selectfont}\n");
    put_axis(sink, chart);
    for (uint32_t b = 0; b < chart->n_bands; b++) {
        if (hpr__is_shown(chart, &chart->bands[b])) {
            put_band(sink, chart, b + 1, n_shown);
        }
    }
    for (size_t k = 0; k < chart->n_lines; k++) {
        put_line(sink, chart, k + 1);
    }
    hpf_sink_text(sink, "\\end{axis}\n\\end{tikzpicture}%\n");
    free(shown);
    return hpf_sink_flush(sink, err);
}

const hpr_backend hpr__backend_pgfplots = {
    .name = "pgfplots",
    .extension = "tikz",
    .summary = "TeX: the data, with an axis of pgfplots around it",
    .most_points = 200,
    .write = write_pgfplots,
};

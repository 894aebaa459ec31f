/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profile as data with a pgfplots axis, for authors who style the picture themselves: a table
 * of the drawn bands, and a stacked \addplot for each, bottom first.
 *
 * Numbers are in the units of the axes. TeX is slow for more than a few hundred rows: of more
 * samples, the table has those with the extremes of the total in each part of the plot, and the
 * peak.
 */
#include "io/sink.h"
#include "output/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "style/fill.h"
#include "hprender/page.h"
#include "layout/labels.h"
#include "layout/geometry.h"
#include "output/tex.h"

enum { MOST_POINTS = 200 };

#define LEFT_OF_AXIS_PT  42.0 /* for tick labels and the label of the axis */
#define BELOW_AXIS_PT    30.0
#define RIGHT_OF_AXIS_PT 9.0 /* for half a tick label */

/* --- choice of points ----------------------------------------------------------------------- */

typedef struct choice {
    const hpr_chart *chart;
    size_t *shown;
    size_t n;
    double cell_pt;
} choice;

static void show_point(choice *c, size_t index)
{
    if (c->n == 0 || c->shown[c->n - 1] < index) {
        c->shown[c->n++] = index;
    }
}

/* Of the points [begin, end) of one cell, shows the lowest and the highest by amount. */
static void show_cell(choice *c, size_t begin, size_t end)
{
    const double *totals = c->chart->totals;
    size_t low = begin;
    size_t high = begin;
    for (size_t i = begin; i < end; i++) {
        low = totals[i] < totals[low] ? i : low;
        high = totals[i] > totals[high] ? i : high;
    }
    show_point(c, low < high ? low : high);
    show_point(c, low < high ? high : low);
}

static size_t cell_of(const choice *c, size_t point)
{
    const hpr_chart *chart = c->chart;
    return (size_t)((hpr__x_of(chart, chart->xs[point]) - chart->plot_x_pt) / c->cell_pt);
}

static void show_cells(choice *c, size_t n_points)
{
    show_point(c, 0);
    for (size_t begin = 0, end; begin < n_points; begin = end) {
        size_t cell = cell_of(c, begin);
        for (end = begin + 1; end < n_points && cell_of(c, end) == cell; end++) {
        }
        show_cell(c, begin, end);
    }
    show_point(c, n_points - 1);
}

/* Returns the increasing indices of about `most` points, to be freed by the caller; NULL without
 * memory. The plot is cut into cells of equal width, and each keeps its lowest and highest total;
 * all bands share the choice, so they stay stacked without gaps, and the peak stays. */
static size_t *downsample(size_t *n, const hpr_chart *chart, size_t most)
{
    double cells = (double)most / 2;
    choice c = {
        .chart = chart,
        .shown = calloc(chart->n_points + 1, sizeof *c.shown),
        .cell_pt = chart->plot_width_pt / cells,
    };
    if (c.shown && (double)chart->n_points <= 2 * cells) {
        for (size_t i = 0; i < chart->n_points; i++) {
            show_point(&c, i);
        }
    } else if (c.shown) {
        show_cells(&c, chart->n_points);
    }
    *n = c.n;
    return c.shown;
}

/* --- one chart ------------------------------------------------------------------------------ */

static void put_size(hpf_sink *sink, const char *name, double size_pt)
{
    hpf_sink_printf(sink, "  %s=", name);
    hpf_sink_fixed(sink, size_pt, 2);
    hpf_sink_text(sink, "pt,\n");
}

/* The legend below the axis: entries in rows, the top band first. */
typedef struct key {
    size_t n_columns;
    double least_weight; /* smaller bands have no entry */
    size_t n_left_out;
    double height_pt;
} key;

enum { MOST_COLUMNS = 6 };

#define ENTRY_PT    9.6  /* height of an entry */
#define LEFT_OUT_PT 84.0 /* width of "and 12 smaller" */

static const char *entry_of(const hpr_band *band)
{
    return band->shown ? band->shown : band->text;
}

/* Returns the approximate width of an entry of the legend in TeX's own font at 7 points. */
static double entry_width(const char *text)
{
    double width = 30;
    for (; *text; text++) {
        bool is_wide = (*text >= 'A' && *text <= 'Z') || *text == '_' || *text == '#';
        bool is_continued = ((unsigned char)*text & 0xC0) == 0x80; /* of a character */
        width += is_wide ? 5.8 : is_continued ? 0 : 3.8;
    }
    return width;
}

static bool has_entry(const hpr_chart *chart, const hpr_band *band, const key *k)
{
    return hpr__is_shown(chart, band) && band->trapezium >= k->least_weight;
}

/* Returns the width of the entries in `n_columns` columns, each as wide as its widest entry. */
static double width_of_columns(const hpr_chart *chart, const key *k, size_t n_columns)
{
    double widths[MOST_COLUMNS] = {k->n_left_out > 0 ? LEFT_OUT_PT : 0};
    double sum = 0;
    size_t n = 0;
    for (uint32_t i = chart->n_bands; i-- > 0;) {
        if (has_entry(chart, &chart->bands[i], k)) {
            double *width = &widths[n++ % n_columns];
            *width = fmax(*width, entry_width(entry_of(&chart->bands[i])));
        }
    }
    for (size_t i = 0; i < n_columns; i++) {
        sum += widths[i];
    }
    return sum;
}

/* Arranges the legend in as many columns as fit, at most as high as a third of the figure. The
 * smallest bands are left out if they have no room. */
static key arrange_key(const hpr_chart *chart)
{
    key k = {.least_weight = -HUGE_VAL};
    for (;;) {
        double smallest = HUGE_VAL;
        size_t n = 0, n_left_out = 0;
        for (uint32_t i = 0; i < chart->n_bands; i++) {
            const hpr_band *band = &chart->bands[i];
            bool is_entry = has_entry(chart, band, &k);
            n += is_entry;
            n_left_out += !is_entry && hpr__is_shown(chart, band);
            smallest = is_entry ? fmin(smallest, band->trapezium) : smallest;
        }
        k.n_left_out = n_left_out;
        k.n_columns = MOST_COLUMNS;
        while (k.n_columns > 1 && width_of_columns(chart, &k, k.n_columns) > chart->width_pt) {
            k.n_columns--;
        }
        size_t n_rows = (n + (n_left_out > 0) + k.n_columns - 1) / k.n_columns;
        n_rows += chart->common.text != NULL;
        k.height_pt = (double)n_rows * ENTRY_PT;
        if (k.height_pt <= chart->height_pt / 3 || n <= 1) {
            return k;
        }
        k.least_weight = nextafter(smallest, HUGE_VAL);
    }
}

/* Writes what all names have in common above the legend. */
static void put_common(hpf_sink *sink, const char *text)
{
    hpf_sink_text(sink, "  extra description/.code={\\node[anchor=north west, inner sep=0pt, "
                        "font=\\censussmall, black!60, xshift=");
    hpf_sink_fixed(sink, -LEFT_OF_AXIS_PT, 1);
    hpf_sink_text(sink, "pt, yshift=");
    hpf_sink_fixed(sink, -BELOW_AXIS_PT, 1);
    hpf_sink_text(sink, "pt] at (0,0) {");
    hpr__tex_text(sink, text);
    hpf_sink_text(sink, "};},\n");
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

static void put_axis(hpf_sink *sink, const hpr_chart *chart, const key *k)
{
    double rows_pt = BELOW_AXIS_PT + k->height_pt + 6;
    hpf_sink_text(sink, "\\begin{axis}[\n  scale only axis,\n");
    put_size(sink, "width",
             fmax(chart->width_pt - LEFT_OF_AXIS_PT - RIGHT_OF_AXIS_PT, chart->plot_width_pt / 2));
    put_size(sink, "height", fmax(chart->height_pt - rows_pt, chart->height_pt / 3));
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
                  "  legend style={draw=none, font=\\censussmall, at={(0,0)}, anchor=north west, "
                  "column sep=4pt, inner sep=0pt, xshift=");
    hpf_sink_fixed(sink, -LEFT_OF_AXIS_PT, 1);
    hpf_sink_text(sink, "pt, yshift=");
    hpf_sink_fixed(sink, -BELOW_AXIS_PT - (chart->common.text ? ENTRY_PT : 0), 1);
    hpf_sink_printf(sink, "pt},\n  legend columns=%zu,\n", k->n_columns);
    if (chart->common.text) {
        put_common(sink, chart->common.text);
    }
    hpf_sink_text(sink, "]\n");
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

/* Writes the table: column t, then b1, b2, ... for the bands from the bottom, then l1, l2, ... for
 * the quantity lines. */
static void put_table(hpf_sink *sink, const hpr_chart *chart, const size_t *shown, size_t n_shown)
{
    hpf_sink_text(sink, "\\pgfplotstableread{\nt");
    for (uint32_t b = 0; b < chart->n_bands; b++) {
        hpf_sink_printf(sink, " b%u", b + 1);
    }
    for (size_t k = 0; k < chart->n_quantities; k++) {
        hpf_sink_printf(sink, " l%zu", k + 1);
    }
    hpf_sink_text(sink, "\n");
    for (size_t i = 0; i < n_shown; i++) {
        hpf_sink_shortest(sink, chart->xs[shown[i]] / chart->x.factor);
        for (uint32_t b = 0; b < chart->n_bands; b++) {
            put_value(sink, chart->bands[b].values[shown[i]] / chart->y.factor);
        }
        for (size_t k = 0; k < chart->n_quantities; k++) {
            put_value(sink, chart->quantities[k].values[shown[i]] / chart->y.factor);
        }
        hpf_sink_text(sink, "\n");
    }
    hpf_sink_text(sink, "}\\censusprofile\n");
}

static void put_length(hpf_sink *sink, const char *name, double length_pt)
{
    hpf_sink_text(sink, name);
    hpf_sink_fixed(sink, length_pt, 2);
    hpf_sink_text(sink, "pt");
}

/* Writes a hatch as a pattern of the TikZ library patterns.meta. */
static void put_pattern(hpf_sink *sink, const hpr_fill *fill)
{
    const char *kind = fill->hatch_dash_pt > 0  ? "Dots"
                       : fill->hatch_is_crossed ? "Hatch"
                                                : "Lines";
    hpf_sink_printf(sink, ", postaction={pattern={%s[angle=%.0f", kind, fill->hatch_deg);
    put_length(sink, ",distance=", fill->hatch_gap_pt);
    if (fill->hatch_dash_pt > 0) {
        put_length(sink, ",radius=", fill->hatch_line_pt / 2);
    } else {
        put_length(sink, ",line width=", fill->hatch_line_pt);
    }
    bool is_white = hpr__hatch_colour(fill).red > 0;
    hpf_sink_printf(sink, "]}, pattern color=%s}", is_white ? "white" : "black");
}

/* Writes the options for about six markers on a line; each line starts at a different place. */
static void put_marker(hpf_sink *sink, const hpr_chart *chart, const hpr_band *band,
                       size_t n_points)
{
    /* In the order of draw/shapes.c. */
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

/* Writes the options of a band: colour, and hatch, or dashes and markers. */
static void put_style(hpf_sink *sink, const hpr_chart *chart, uint32_t number, size_t n_points)
{
    const hpr_band *band = &chart->bands[number - 1];
    if (!chart->is_lines) {
        hpf_sink_printf(sink, "fill=census%u, ", number);
        hpf_sink_text(sink, band->fill.is_gray ? "draw=black, line width=0.3pt" : "draw=none");
        if (band->fill.hatch_gap_pt > 0) {
            put_pattern(sink, &band->fill);
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

static void define_colour(hpf_sink *sink, const hpr_chart *chart, uint32_t number)
{
    hpf_sink_printf(sink, "\\definecolor{census%u}{HTML}{", number);
    const hpr_fill *fill = &chart->bands[number - 1].fill;
    hpr__tex_colour(sink, chart->is_lines ? fill->line : fill->colour);
    hpf_sink_text(sink, "}\n");
}

static void put_band(hpf_sink *sink, const hpr_chart *chart, uint32_t number, size_t n_points,
                     const char *options)
{
    define_colour(sink, chart, number);
    hpf_sink_text(sink, "\\addplot[");
    put_style(sink, chart, number, n_points);
    hpf_sink_printf(sink, "%s] table[x=t, y=b%u]{\\censusprofile}%s;\n", options, number,
                    chart->is_lines ? "" : " \\closedcycle");
}

static void put_entry(hpf_sink *sink, const char *text)
{
    hpf_sink_text(sink, "\\addlegendentry{");
    hpr__tex_text(sink, text);
    hpf_sink_text(sink, "}\n");
}

static void put_line(hpf_sink *sink, size_t number)
{
    hpf_sink_printf(
        sink,
        "\\addplot[stack plots=false, line legend, fill=none, draw=black, densely dashed, "
        "unbounded coords=jump] table[x=t, y=l%zu]{\\censusprofile};\n",
        number);
}

static bool has_hatches(const hpr_chart *chart)
{
    uint32_t i = 0;
    while (i < chart->n_bands && !(chart->bands[i].fill.hatch_gap_pt > 0)) {
        i++;
    }
    return i < chart->n_bands;
}

static void put_head(hpf_sink *sink, const hpr_chart *chart, const hpr_output *output)
{
    hpr__tex_head(sink, output->software);
    hpf_sink_text(sink, "% needs \\usepackage{pgfplots,pgfplotstable} and "
                        "\\pgfplotsset{compat=1.12} or later\n");
    if (has_hatches(chart)) {
        hpf_sink_text(sink, "% and \\usetikzlibrary{patterns.meta}\n");
    }
}

static void begin_picture(hpf_sink *sink)
{
    hpf_sink_text(sink, "\\begin{tikzpicture}\n"
                        "\\def\\censussmall{\\fontsize{7pt}{8.4pt}\\selectfont}\n");
}

static hpf_status write_pgfplots(const hpr_chart *chart, const hpr_scene *scene,
                                 const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)scene;
    size_t n_shown;
    size_t *shown = downsample(&n_shown, chart, MOST_POINTS);
    if (!shown) {
        return hpf_error_set_memory(err);
    }
    put_head(sink, chart, output);
    put_table(sink, chart, shown, n_shown);
    begin_picture(sink);
    const key legend = arrange_key(chart);
    put_axis(sink, chart, &legend);
    if (legend.n_left_out > 0) {
        char text[48];
        snprintf(text, sizeof text, "and %zu smaller", legend.n_left_out);
        hpf_sink_text(sink, "\\addlegendimage{empty legend}\n");
        put_entry(sink, text);
    }
    for (uint32_t b = 0; b < chart->n_bands; b++) {
        const hpr_band *band = &chart->bands[b];
        if (has_entry(chart, band, &legend)) {
            put_band(sink, chart, b + 1, n_shown, "");
            put_entry(sink, entry_of(band));
        } else if (hpr__is_shown(chart, band)) {
            put_band(sink, chart, b + 1, n_shown, ", forget plot");
        }
    }
    for (size_t k = 0; k < chart->n_quantities; k++) {
        put_line(sink, k + 1);
        put_entry(sink, chart->quantities[k].text);
    }
    hpf_sink_text(sink, "\\end{axis}\n\\end{tikzpicture}%\n");
    free(shown);
    return hpf_sink_flush(sink, err);
}

/* --- pages ---------------------------------------------------------------------------------- */

/* Writes "(12pt,34.5pt)". */
static void put_place(hpf_sink *sink, double x_pt, double y_pt)
{
    hpf_sink_text(sink, "(");
    hpf_sink_fixed(sink, x_pt, 2);
    hpf_sink_text(sink, "pt,");
    hpf_sink_fixed(sink, y_pt, 2);
    hpf_sink_text(sink, "pt)");
}

static void put_ticks(hpf_sink *sink, char name, const hpr_axis *axis)
{
    hpf_sink_printf(sink, "  %ctick={", name);
    for (size_t i = 0; i < axis->n_ticks; i++) {
        hpf_sink_text(sink, i > 0 ? "," : "");
        hpf_sink_shortest(sink, axis->ticks[i].value / axis->factor);
    }
    hpf_sink_printf(sink, "}, %cticklabels={", name);
    for (size_t i = 0; i < axis->n_ticks; i++) {
        hpf_sink_text(sink, i > 0 ? ",{" : "{");
        hpr__tex_text(sink, axis->ticks[i].label);
        hpf_sink_text(sink, "}");
    }
    hpf_sink_text(sink, "},\n");
}

/* Writes the axis of a panel with the positions and ticks of the layout. */
static void put_panel_axis(hpf_sink *sink, const hpr_panel *panel)
{
    const hpr_chart *chart = panel->chart;
    hpf_sink_text(sink, "\\begin{axis}[\n  scale only axis, anchor=south west, at={");
    put_place(sink, panel->x_pt + chart->plot_x_pt, panel->y_pt + chart->plot_y_pt);
    hpf_sink_text(sink, "},\n");
    put_size(sink, "width", chart->plot_width_pt);
    put_size(sink, "height", chart->plot_height_pt);
    put_range(sink, 'x', &chart->x);
    put_range(sink, 'y', &chart->y);
    put_ticks(sink, 'x', &chart->x);
    put_ticks(sink, 'y', &chart->y);
    if (*chart->title.job) {
        hpf_sink_text(sink, "  title={");
        hpr__tex_text(sink, chart->title.job);
        hpf_sink_text(sink, "}, title style={font=\\censussmall\\bfseries, at={(0,1)}, "
                            "anchor=south west, inner sep=0pt, yshift=13pt},\n");
    }
    hpf_sink_text(sink, chart->is_lines ? "  line width=0.8pt," : "  stack plots=y, area style,");
    hpf_sink_text(sink,
                  " axis lines=left, axis line style={-}, scaled ticks=false,\n"
                  "  ymajorgrids, grid style={black!10}, enlargelimits=false,\n"
                  "  tick label style={font=\\censussmall}, label style={font=\\censussmall},\n"
                  "  xlabel style={at={(1,0)}, anchor=north west}, ylabel style={at={(0,1)}, "
                  "rotate=-90, anchor=south east, yshift=2pt},\n]\n");
}

static hpf_status put_panel(hpf_sink *sink, const hpr_panel *panel, size_t most_points,
                            hpf_error *err)
{
    const hpr_chart *chart = panel->chart;
    size_t n_shown;
    size_t *shown = downsample(&n_shown, chart, most_points);
    if (!shown) {
        return hpf_error_set_memory(err);
    }
    put_table(sink, chart, shown, n_shown);
    put_panel_axis(sink, panel);
    for (uint32_t b = 0; b < chart->n_bands; b++) {
        if (hpr__is_shown(chart, &chart->bands[b])) {
            put_band(sink, chart, b + 1, n_shown, "");
        }
    }
    for (size_t k = 0; k < chart->n_quantities; k++) {
        put_line(sink, k + 1);
    }
    hpf_sink_text(sink, "\\end{axis}\n");
    free(shown);
    return HPF_OK;
}

static void put_swatch(hpf_sink *sink, const hpr_chart *legend, uint32_t number)
{
    const hpr_label *label = &legend->bands[number - 1].label;
    double width = hpr__swatch_width_pt(legend);
    double height = legend->is_lines ? 0 : HPR__SWATCH_PT;
    double y = label->box_y_pt + (legend->is_lines ? HPR__SWATCH_PT / 2 : 0);
    hpf_sink_text(sink, "\\path[");
    put_style(sink, legend, number, 1);
    hpf_sink_text(sink, legend->is_lines ? ", draw, line width=0.8pt] " : "] ");
    put_place(sink, label->box_x_pt, y);
    hpf_sink_text(sink, legend->is_lines ? " -- " : " rectangle ");
    put_place(sink, label->box_x_pt + width, y + height);
    hpf_sink_text(sink, ";\n");
}

static void put_legend(hpf_sink *sink, const hpr_chart *legend)
{
    for (uint32_t b = 0; b < legend->n_bands; b++) {
        const hpr_label *label = &legend->bands[b].label;
        if (label->place != HPR_LABEL_LEGEND) {
            continue;
        }
        define_colour(sink, legend, b + 1);
        put_swatch(sink, legend, b + 1);
        hpf_sink_text(sink, "\\node[anchor=base west, inner sep=0pt, font=\\censussmall] at ");
        put_place(sink, label->x_pt, label->y_pt);
        hpf_sink_text(sink, " {");
        hpr__tex_text(sink, label->text);
        hpf_sink_text(sink, "};\n");
    }
}

/* Writes a table and an axis for each panel, and the legend with the positions of the layout. */
static hpf_status write_pgfplots_page(const hpr_page *page, const hpr_output *output,
                                      hpf_sink *sink, hpf_error *err)
{
    size_t most_points = MOST_POINTS / page->n_columns + 1;
    hpf_status status = HPF_OK;
    put_head(sink, page->legend, output);
    begin_picture(sink);
    for (size_t i = 0; i < page->n_panels && !status; i++) {
        status = put_panel(sink, &page->panels[i], most_points, err);
    }
    put_legend(sink, page->legend);
    hpf_sink_text(sink, "\\end{tikzpicture}%\n");
    return status ? status : hpf_sink_flush(sink, err);
}

const hpr_backend hpr__backend_pgfplots = {
    .name = "pgfplots",
    .extension = "tikz",
    .summary = "TeX: the data in a pgfplots axis",
    .has_only_stacks_on_zero = true,
    .has_no_lanes = true,
    .most_points = MOST_POINTS,
    .has_foreign_fonts = true,
    .write = write_pgfplots,
    .write_page = write_pgfplots_page,
};

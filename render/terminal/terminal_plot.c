/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A column of cells shows the sample with the largest total in its time range, so that no peak is
 * lost; between samples, values are interpolated. A cell has two colours, one above the other: the
 * bands that cover most of it.
 */
#include "terminal/terminal_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "chart/chart.h"
#include "hpfile/str.h"
#include "hprender/units.h"
#include "layout/labels.h"

enum {
    EIGHTHS = 8,
    MOST_BANDS = 64,
    LEAST_COLUMNS_FOR_NAMES = 56, /* columns of the box */
    LEAST_NAMES = 20,
    AMOUNT_COLUMNS = 10, /* two spaces and "1023 MiB" */
};

static const uint32_t quiet_dark = 0x8A8A8A, quiet_light = 0x6A6A6A;

/* State of drawing. */
typedef struct drawing {
    hpr__screen *screen;
    const hpr_chart *chart;
    const hpr__terminal_style *style;
    hpr__terminal_box plot; /* the area of the bands */
    uint32_t n_bands;
    uint32_t inks[MOST_BANDS + 1]; /* of the bands, bottom first, then of the background */
    hpr__screen_style quiet;       /* style of axes and marks */
} drawing;

static uint32_t packed(const hpr_colour *c)
{
    uint32_t red = (uint32_t)lround(c->red * 255), green = (uint32_t)lround(c->green * 255);
    return red << 16 | green << 8 | (uint32_t)lround(c->blue * 255);
}

/* Blends a third of the colour with the background. */
static uint32_t dimmed(uint32_t colour, bool is_dark)
{
    uint32_t ground = is_dark ? 0x18 : 0xF0;
    uint32_t out = 0;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        out |= ((colour >> shift & 255) + 2 * ground) / 3 << shift;
    }
    return out;
}

static bool is_chosen(const drawing *d, uint32_t band)
{
    return hpf_str_equal(d->chart->bands[band].name, d->style->chosen);
}

static void choose_inks(drawing *d)
{
    bool has_choice = false;
    for (uint32_t i = 0; i < d->n_bands; i++) {
        has_choice |= is_chosen(d, i);
    }
    for (uint32_t i = 0; i < d->n_bands; i++) {
        uint32_t ink = packed(&d->chart->bands[i].fill.colour);
        d->inks[i] = has_choice && !is_chosen(d, i) ? dimmed(ink, d->style->is_dark) : ink;
    }
    d->inks[d->n_bands] = HPR__SCREEN_OWN_COLOUR;
}

/* Returns whether bands are drawn as letters, and OTHER as dots, for lack of block characters or
 * colours. */
static bool has_letters(const hpr__terminal_style *style)
{
    return !style->is_utf8 || style->depth <= HPR__SCREEN_ANSI;
}

static char letter_of(const hpr_chart *chart, uint32_t band)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint32_t n_above = 0; /* without OTHER */
    if (band == chart->n_bands) {
        return ' ';
    }
    for (uint32_t i = band + 1; i < chart->n_bands; i++) {
        n_above += !chart->bands[i].is_other;
    }
    return chart->bands[band].is_other ? '.' : letters[n_above % (sizeof letters - 1)];
}

/* --- one column ----------------------------------------------------------------------------- */

/* A position between two points of the chart. */
typedef struct position {
    size_t point;
    double share; /* fraction of the way to the next point */
} position;

static double top_at(const double *upper, position at)
{
    double here = upper[at.point];
    return at.share > 0 ? here + at.share * (upper[at.point + 1] - here) : here;
}

/* Returns the first point whose x is not below `x`. */
static size_t first_from(const hpr_chart *chart, double x)
{
    size_t first;
    HPF__ARRAY_BISECT(first, chart->n_points, i, chart->xs[i] < x);
    return first;
}

/* Returns the position shown in the column from `x` to `end_x`. The chart has points. */
static position position_of(const hpr_chart *chart, double x, double end_x)
{
    size_t first = first_from(chart, x);
    size_t best = first;
    for (size_t i = first; i < chart->n_points && chart->xs[i] < end_x; i++) {
        best = chart->totals[i] > chart->totals[best] ? i : best;
    }
    if (best == chart->n_points) {
        return (position){best - 1, 0};
    }
    bool is_inside = chart->xs[best] < end_x;
    if (is_inside || best == 0) {
        return (position){best, 0};
    }
    double gap = chart->xs[best] - chart->xs[best - 1];
    return (position){best - 1, gap > 0 ? ((x + end_x) / 2 - chart->xs[best - 1]) / gap : 0};
}

/* Computes the tops of the bands in eighths of a cell; the last entry is the top of the plot. */
static void find_tops(const drawing *d, int column, double *tops)
{
    const hpr_chart *chart = d->chart;
    double span = chart->x.high - chart->x.low;
    double step = span / d->plot.columns;
    position at =
        position_of(chart, chart->x.low + column * step, chart->x.low + (column + 1) * step);
    double scale = d->plot.rows * EIGHTHS / (chart->y.high - chart->y.low);
    double least = 0;
    for (uint32_t i = 0; i < d->n_bands; i++) {
        double top = (top_at(chart->bands[i].upper, at) - chart->y.low) * scale;
        least = fmin(fmax(top, least), d->plot.rows * EIGHTHS);
        tops[i] = least;
    }
    tops[d->n_bands] = d->plot.rows * EIGHTHS;
}

/* The two bands that cover most of a cell, lower one first. */
typedef struct pair {
    uint32_t lower, upper;
    double lower_share, upper_share; /* in eighths */
} pair;

static double covered(const double *tops, uint32_t band, double low)
{
    double bottom = fmax(band > 0 ? tops[band - 1] : 0, low);
    return fmax(fmin(tops[band], low + EIGHTHS) - bottom, 0);
}

static pair find_pair(const double *tops, uint32_t n_bands, double low)
{
    pair p = {n_bands, n_bands, 0, 0};
    uint32_t best = n_bands, second = n_bands;
    double most = 0, next = 0;
    for (uint32_t i = 0; i <= n_bands; i++) {
        double share = covered(tops, i, low);
        if (share > most) {
            second = best, next = most;
            best = i, most = share;
        } else if (share > next) {
            second = i, next = share;
        }
    }
    bool is_best_lower = next == 0 || best < second;
    p.lower = is_best_lower ? best : second;
    p.upper = is_best_lower ? second : best;
    p.lower_share = is_best_lower ? most : next;
    p.upper_share = is_best_lower ? next : most;
    return p;
}

static void draw_blocks(drawing *d, int row, int column, const pair *p)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double both = p->lower_share + p->upper_share;
    int eighths = both > 0 ? (int)lround(EIGHTHS * p->lower_share / both) : 0;
    uint32_t lower = d->inks[p->lower], upper = d->inks[p->upper];
    hpr__screen_style style = {lower, upper, false};
    /* The default background cannot be a foreground colour: a full cell is a space on the colour.
     */
    if (eighths == EIGHTHS || lower == upper) {
        style = (hpr__screen_style){HPR__SCREEN_OWN_COLOUR, lower, false};
        eighths = 0;
    } else if (lower == HPR__SCREEN_OWN_COLOUR) {
        style = (hpr__screen_style){HPR__SCREEN_OWN_COLOUR, upper, false};
        eighths = 0;
    }
    hpr__screen_put(d->screen, row, column, 1, blocks[eighths], &style);
}

static void draw_letter(drawing *d, int row, int column, const pair *p)
{
    uint32_t band = p->lower_share >= p->upper_share ? p->lower : p->upper;
    char text[] = {letter_of(d->chart, band), '\0'};
    hpr__screen_style style = {d->inks[band], HPR__SCREEN_OWN_COLOUR,
                               band < d->n_bands && is_chosen(d, band)};
    hpr__screen_put(d->screen, row, column, 1, text, &style);
}

static void draw_column(drawing *d, int column)
{
    double tops[MOST_BANDS + 1];
    find_tops(d, column, tops);
    for (int i = 0; i < d->plot.rows; i++) {
        pair p = find_pair(tops, d->n_bands, i * EIGHTHS);
        int row = d->plot.row + d->plot.rows - 1 - i;
        if (has_letters(d->style)) {
            draw_letter(d, row, d->plot.column + column, &p);
        } else {
            draw_blocks(d, row, d->plot.column + column, &p);
        }
    }
}

/* --- axes and marks ------------------------------------------------------------------------- */

static int column_of(const drawing *d, double x)
{
    const hpr_axis *axis = &d->chart->x;
    double span = axis->high - axis->low;
    double share = span > 0 ? (x - axis->low) / span : 0;
    int column = (int)(share * d->plot.columns);
    return d->plot.column + (column < d->plot.columns ? column : d->plot.columns - 1);
}

static int row_of(const drawing *d, double amount)
{
    double share = (amount - d->chart->y.low) / (d->chart->y.high - d->chart->y.low);
    int from_bottom = (int)(share * d->plot.rows);
    from_bottom = from_bottom < d->plot.rows ? from_bottom : d->plot.rows - 1;
    return d->plot.row + d->plot.rows - 1 - from_bottom;
}

static int tick_columns(const hpr_axis *axis)
{
    int most = hpr__screen_text_columns(axis->unit);
    for (size_t i = 0; i < axis->n_ticks; i++) {
        int columns = hpr__screen_text_columns(axis->ticks[i].label);
        most = columns > most ? columns : most;
    }
    return most;
}

static void draw_y_axis(drawing *d, const hpr__terminal_box *box)
{
    const hpr_axis *y = &d->chart->y;
    int width = d->plot.column - box->column - 1;
    int last_row = -1;
    for (int row = 0; row < d->plot.rows; row++) {
        hpr__screen_put(d->screen, d->plot.row + row, d->plot.column - 1, 1,
                        d->style->is_utf8 ? "│" : "|", &d->quiet);
    }
    for (size_t i = 0; i < y->n_ticks; i++) {
        int row = row_of(d, y->ticks[i].value);
        int columns = hpr__screen_text_columns(y->ticks[i].label);
        if (row != last_row) {
            hpr__screen_put(d->screen, row, d->plot.column - 1 - columns, columns,
                            y->ticks[i].label, &d->quiet);
            hpr__screen_put(d->screen, row, d->plot.column - 1, 1, d->style->is_utf8 ? "┤" : "+",
                            &d->quiet);
        }
        last_row = row;
    }
    hpr__screen_put(d->screen, box->row, box->column, width + 1, y->unit, &d->quiet);
}

static void draw_x_axis(drawing *d)
{
    const hpr_axis *x = &d->chart->x;
    int row = d->plot.row + d->plot.rows;
    int end = d->plot.column + d->plot.columns;
    int unit_columns = hpr__screen_text_columns(x->unit);
    int free_from = d->plot.column - 1;
    hpr__screen_put(d->screen, row, end - unit_columns, unit_columns, x->unit, &d->quiet);
    for (size_t i = 0; i < x->n_ticks; i++) {
        int columns = hpr__screen_text_columns(x->ticks[i].label);
        int at = column_of(d, x->ticks[i].value) - columns / 2;
        at = at < d->plot.column - 1 ? d->plot.column - 1 : at;
        if (at >= free_from && at + columns < end - unit_columns) {
            hpr__screen_put(d->screen, row, at, columns, x->ticks[i].label, &d->quiet);
            free_from = at + columns + 2;
        }
    }
}

/* Draws a vertical line in the colour of the axes over the bands. */
static void draw_rule(drawing *d, int column)
{
    for (int row = d->plot.row; row < d->plot.row + d->plot.rows; row++) {
        const hpr__screen_cell *cell =
            &d->screen->cells[(size_t)row * (size_t)d->screen->columns + (size_t)column];
        bool is_full = strcmp(cell->glyph, " ") == 0;
        hpr__screen_style style = {d->quiet.ink, is_full ? cell->ground : cell->ink, false};
        hpr__screen_put(d->screen, row, column, 1, d->style->is_utf8 ? "┊" : ":", &style);
    }
}

static void draw_marks(drawing *d, const hpr__terminal_box *box)
{
    int free_from = d->plot.column;
    int end = d->plot.column + d->plot.columns;
    for (size_t i = 0; i < d->chart->n_marks; i++) {
        const hpr_mark *mark = &d->chart->marks[i];
        bool is_inside = mark->time >= d->chart->times[0] &&
                         mark->time <= d->chart->times[d->chart->n_points - 1];
        int column = column_of(d, mark->time);
        if (!is_inside || d->chart->is_by_sample) {
            continue;
        }
        draw_rule(d, column);
        if (column >= free_from) {
            int used =
                hpr__screen_put(d->screen, box->row, column, end - column, mark->label, &d->quiet);
            free_from = column + used + 1;
        }
    }
}

/* --- names ---------------------------------------------------------------------------------- */

size_t hpr__terminal_last_point(const hpr_chart *chart)
{
    size_t i = chart->n_points;
    while (i > 1 && chart->totals[i - 1] == 0) {
        i--;
    }
    return i > 0 ? i - 1 : 0;
}

void hpr__terminal_amount(char *out, const hpr_chart *chart, double amount, bool si_units)
{
    char number[HPR_UNIT_LABEL_BYTES];
    if (chart->is_normalised) {
        snprintf(out, 80, "%.1f %%", amount);
        return;
    }
    hpr_unit unit = hpr_unit_of_values(chart->headers[HPF_HEADER_VALUE_UNIT], amount, si_units);
    hpr_unit_label_rounded(number, amount, &unit, 3);
    snprintf(out, 80, "%s%s%s", number, unit.name ? " " : "", unit.name ? unit.name : "");
}

/* Returns whether fewer than `rows` bands are larger; only these are named if there is not room for
 * all. */
static bool is_among_largest(const hpr_chart *chart, uint32_t band, int rows)
{
    int n_larger = 0;
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        n_larger += chart->bands[i].sum > chart->bands[band].sum ||
                    (chart->bands[i].sum == chart->bands[band].sum && i < band);
    }
    return n_larger < rows;
}

hpr_text_size hpr__terminal_measure(void *context, const char *text, double size_pt, bool bold)
{
    (void)context;
    (void)size_pt;
    (void)bold;
    return (hpr_text_size){hpr__screen_text_columns(text) * HPR__CELL_WIDTH_PT, 9, 3};
}

/* Puts the name of a band. `sheet` is its chart, with an arena for texts. */
static void put_name(drawing *d, int row, int column, int width, hpr__chart *sheet, uint32_t band)
{
    static const hpr__label_style in_cells = {.measurer = {hpr__terminal_measure, NULL}};
    const hpr_band *b = &sheet->public.bands[band];
    hpr__screen_style style = {HPR__SCREEN_OWN_COLOUR, HPR__SCREEN_OWN_COLOUR, is_chosen(d, band)};
    char ascii[1024];
    const char *name = ascii;
    if (d->style->is_utf8) {
        name = hpr__label_text(sheet, b, width * HPR__CELL_WIDTH_PT, &in_cells, 0);
    } else {
        hpr__screen_elide(ascii, sizeof ascii, hpr_band_shown(b), width, true);
    }
    hpr__screen_put(d->screen, row, column, width, name ? name : "", &style);
}

static void draw_name(drawing *d, int row, int column, int width, hpr__chart *sheet, uint32_t band)
{
    char amount[80], swatch[2] = {letter_of(d->chart, band), '\0'};
    const hpr_band *b = &d->chart->bands[band];
    hpr__screen_style ink = {d->inks[band], HPR__SCREEN_OWN_COLOUR, false};
    int at = column;
    at += hpr__screen_put(d->screen, row, at, 1, has_letters(d->style) ? swatch : "█", &ink) + 1;
    hpr__terminal_amount(amount, d->chart, b->values[hpr__terminal_last_point(d->chart)],
                         d->style->si_units);
    int amount_columns = hpr__screen_text_columns(amount);
    put_name(d, row, at, column + width - at - AMOUNT_COLUMNS, sheet, band);
    hpr__screen_put(d->screen, row, column + width - amount_columns, amount_columns, amount,
                    &d->quiet);
}

/* Draws names in the order of the bands, top one first. */
static void draw_names(drawing *d, int column, int width)
{
    int row = d->plot.row;
    hpr__chart sheet = {.public = *d->chart, .arena = hpf_arena_create()};
    for (uint32_t i = sheet.arena ? d->n_bands : 0; i-- > 0;) {
        if (is_among_largest(d->chart, i, d->plot.rows)) {
            draw_name(d, row++, column, width, &sheet, i);
        }
    }
    hpf_arena_destroy(sheet.arena);
}

/* Returns the width of the names, or 0 if there is no room for them. */
static int names_columns(const hpr__terminal_box *box, const hpr_chart *chart)
{
    int most = box->columns * 2 / 5;
    int width = LEAST_NAMES;
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        int needed =
            2 + hpr__screen_text_columns(hpr_band_shown(&chart->bands[i])) + AMOUNT_COLUMNS;
        width = needed > width ? needed : width;
    }
    return box->columns < LEAST_COLUMNS_FOR_NAMES ? 0 : width < most ? width : most;
}

void hpr__terminal_draw(hpr__screen *s, const hpr__terminal_box *box, const hpr_chart *chart,
                        const hpr__terminal_style *style)
{
    int gutter = tick_columns(&chart->y) + 1;
    int names = names_columns(box, chart);
    drawing d = {
        .screen = s,
        .chart = chart,
        .style = style,
        .plot = {box->row + 1, box->column + gutter, box->rows - 2,
                 box->columns - gutter - (names ? names + 2 : 0)},
        .n_bands = chart->n_bands < MOST_BANDS ? chart->n_bands : MOST_BANDS,
        .quiet = {style->is_dark ? quiet_dark : quiet_light, HPR__SCREEN_OWN_COLOUR, false},
    };
    if (d.plot.rows < 1 || d.plot.columns < 4 || chart->n_points == 0) {
        return;
    }
    choose_inks(&d);
    for (int i = 0; i < d.plot.columns; i++) {
        draw_column(&d, i);
    }
    draw_y_axis(&d, box);
    draw_x_axis(&d);
    draw_marks(&d, box);
    if (names) {
        draw_names(&d, box->column + box->columns - names, names);
    }
}

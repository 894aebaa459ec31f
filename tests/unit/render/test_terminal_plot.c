/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A synthetic chart in cells: heights are exact to an eighth, peaks are kept, and texts that do not
 * fit are omitted.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/terminal_plot.h"

enum { N_POINTS = 101, N_BANDS = 3, COLUMNS = 80, ROWS = 24 };

typedef struct made {
    hpr_chart chart;
    hpr_band bands[N_BANDS];
    double times[N_POINTS], totals[N_POINTS], upper[N_BANDS][N_POINTS], values[N_BANDS][N_POINTS];
    hpr_tick x_ticks[2], y_ticks[2];
    hpr_mark mark;
} made;

/* Makes a chart: two flat bands, 20 and 40 of 80 high, and OTHER, a single peak at 50. */
static made *make(void)
{
    static const char *const names[] = {"low", "middle", "OTHER"};
    static const hpr_colour colours[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    made *m = calloc(1, sizeof *m);
    for (int p = 0; p < N_POINTS; p++) {
        m->times[p] = p;
        for (int b = 0; b < N_BANDS; b++) {
            m->values[b][p] = b < 2 ? 20 : p == 50 ? 40 : 0;
            m->totals[p] += m->values[b][p];
            m->upper[b][p] = m->totals[p];
        }
    }
    for (int b = 0; b < N_BANDS; b++) {
        m->bands[b] = (hpr_band){.name = {names[b], strlen(names[b])},
                                 .text = names[b],
                                 .is_other = b == 2,
                                 .fill = {.colour = colours[b]},
                                 .values = m->values[b],
                                 .upper = m->upper[b],
                                 .sum = 10 - b};
    }
    m->x_ticks[0] = (hpr_tick){0, 0, "0"};
    m->x_ticks[1] = (hpr_tick){50, 0, "50"};
    m->y_ticks[0] = (hpr_tick){0, 0, "0"};
    m->y_ticks[1] = (hpr_tick){40, 0, "40"};
    m->mark = (hpr_mark){.time = 25, .label = "here", .shown = ""};
    m->chart = (hpr_chart){.n_points = N_POINTS,
                           .times = m->times,
                           .xs = m->times,
                           .totals = m->totals,
                           .bands = m->bands,
                           .n_bands = N_BANDS,
                           .x = {0, 100, 100, m->x_ticks, 2, "s", 1, ""},
                           .y = {0, 80, 80, m->y_ticks, 2, "B", 1, ""}};
    m->chart.headers[HPF_HEADER_VALUE_UNIT] = HPF_STR("bytes");
    return m;
}

static const hpr__terminal_style colourful = {HPR__SCREEN_DIRECT, true, true, false, {0}};
static const hpr__terminal_style lettered = {HPR__SCREEN_PLAIN, false, true, false, {0}};

static hpr__screen drawn(const made *m, int columns, int rows, const hpr__terminal_style *style)
{
    hpr__screen s;
    const hpr__terminal_box box = {0, 0, rows, columns};
    cr_assert(hpr__screen_init(&s, columns, rows));
    hpr__terminal_draw(&s, &box, &m->chart, style);
    return s;
}

static const char *text_of(const hpr__screen *s)
{
    static char text[8 * COLUMNS * ROWS];
    *text = '\0';
    for (int i = 0; i < s->columns * s->rows; i++) {
        strcat(text, s->cells[i].glyph);
    }
    return text;
}

/* Returns the number of eighths of a plot column that have a colour. */
static int eighths(const hpr__screen *s, int column, uint32_t colour)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇"};
    int n = 0;
    for (int row = 0; row < s->rows; row++) {
        const hpr__screen_cell *c = &s->cells[row * s->columns + column];
        for (int i = 0; i < 8; i++) {
            if (strcmp(c->glyph, blocks[i]) == 0) {
                n += (c->ink == colour ? i : 0) + (c->ground == colour ? 8 - i : 0);
            }
        }
    }
    return n;
}

Test(terminal_plot, draws_bands_in_eighths)
{
    made *m = make();
    hpr__screen s =
        drawn(m, COLUMNS, ROWS, &colourful); /* the plot has 22 rows: 176 eighths for 80 */
    for (int column = 5; column < 20; column++) {
        cr_expect_eq(eighths(&s, column, 0xFF0000), 44, "column %d", column);
        cr_expect_eq(eighths(&s, column, 0x00FF00), 44, "column %d", column);
        cr_expect_eq(eighths(&s, column, 0x0000FF), 0, "column %d", column);
    }
    hpr__screen_finish(&s);
    free(m);
}

Test(terminal_plot, shows_peak_of_one_sample)
{
    made *m = make();
    hpr__screen s = drawn(m, COLUMNS, ROWS, &colourful);
    int n_with_peak = 0;
    for (int column = 3; column < 50; column++) {
        n_with_peak += eighths(&s, column, 0x0000FF) == 88;
    }
    cr_expect_eq(n_with_peak, 1);
    hpr__screen_finish(&s);
    free(m);
}

Test(terminal_plot, without_colours_bands_are_letters)
{
    made *m = make();
    hpr__screen s = drawn(m, COLUMNS, ROWS, &lettered);
    const char *text = text_of(&s);
    cr_expect(strstr(text, "aaaaaaaa") && strstr(text, "bbbbbbbb"));
    cr_expect(strstr(text, "a middle") && strstr(text, "b low") && strstr(text, ". OTHER"));
    for (const char *c = text; *c; c++) {
        cr_assert_lt((unsigned char)*c, 128);
    }
    hpr__screen_finish(&s);
    free(m);
}

Test(terminal_plot, lists_names_in_order_with_amounts)
{
    made *m = make();
    hpr__screen s = drawn(m, COLUMNS, ROWS, &colourful);
    const char *text = text_of(&s);
    const char *other = strstr(text, "OTHER"), *middle = strstr(text, "middle"),
               *low = strstr(text, "low");
    cr_assert(other && middle && low);
    cr_expect(other < middle && middle < low);
    cr_expect(strstr(low, "20 B"));
    cr_expect(strstr(text, "40┤"), "a tick of the y axis");
    hpr__screen_finish(&s);
    free(m);
}

Test(terminal_plot, cut_names_show_the_frames_that_differ)
{
    static const char *const names[] = {"(1)alloc/aCommonFunction/parse/aLongWayUpFromHere/main",
                                        "(2)alloc/aCommonFunction/print/aLongWayUpFromHere/main"};
    made *m = make();
    for (int b = 0; b < 2; b++) {
        m->bands[b].text = names[b];
        m->bands[b].shown = names[b] + 3;
    }
    hpr__screen s = drawn(m, COLUMNS, ROWS, &colourful);
    const char *text = text_of(&s);
    cr_expect(strstr(text, "█ alloc/…/parse/… ") && strstr(text, "█ alloc/…/print/… "), "%s", text);
    hpr__screen_finish(&s);
    s = drawn(m, 60, ROWS, &colourful);
    text = text_of(&s);
    cr_expect(strstr(text, "█ …/parse/… ") && strstr(text, "█ …/print/… "), "%s", text);
    hpr__screen_finish(&s);
    free(m);
}

Test(terminal_plot, draws_marks_with_labels)
{
    made *m = make();
    m->chart.marks = &m->mark;
    m->chart.n_marks = 1;
    hpr__screen s = drawn(m, COLUMNS, ROWS, &colourful);
    const char *text = text_of(&s);
    cr_expect(strstr(text, "here"));
    int n_rules = 0;
    for (const char *at = text; (at = strstr(at, "┊")); at++) {
        n_rules++;
    }
    cr_expect_eq(n_rules, ROWS - 2);
    hpr__screen_finish(&s);
    free(m);
}

Test(terminal_plot, highlights_selected_band)
{
    made *m = make();
    hpr__terminal_style style = colourful;
    style.chosen = HPF_STR("low");
    hpr__screen s = drawn(m, COLUMNS, ROWS, &style);
    cr_expect_eq(eighths(&s, 10, 0xFF0000), 44);
    cr_expect_eq(eighths(&s, 10, 0x00FF00), 0, "the others are dimmed");
    hpr__screen_finish(&s);
    free(m);
}

Test(terminal_plot, accepts_any_size)
{
    made *m = make();
    for (int columns = 1; columns < 100; columns += 3) {
        for (int rows = 1; rows < 30; rows++) {
            hpr__screen s = drawn(m, columns, rows, &colourful);
            hpr__screen_finish(&s);
        }
    }
    m->chart.n_points = 1;
    hpr__screen s = drawn(m, COLUMNS, ROWS, &colourful);
    cr_expect_gt(eighths(&s, 10, 0xFF0000), 0, "a single sample is a block");
    hpr__screen_finish(&s);
    m->chart.n_points = 0;
    s = drawn(m, COLUMNS, ROWS, &colourful);
    hpr__screen_finish(&s);
    free(m);
}

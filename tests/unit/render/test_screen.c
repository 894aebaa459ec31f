/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cells and texts in them, and updates, whose bytes a very small terminal interprets here.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/screen.h"

static const hpr__screen_style plain = {HPR__SCREEN_OWN_COLOUR, HPR__SCREEN_OWN_COLOUR, false};

/* --- texts --- */

static const char *row_text(const hpr__screen *s, int row)
{
    static char text[1024];
    *text = '\0';
    for (int i = 0; i < s->columns; i++) {
        strcat(text, s->cells[row * s->columns + i].glyph);
    }
    return text;
}

Test(screen, clips_text)
{
    hpr__screen s;
    cr_assert(hpr__screen_init(&s, 10, 2));
    cr_assert_eq(hpr__screen_put(&s, 0, 2, 4, "abcdef", &plain), 4);
    cr_assert_str_eq(row_text(&s, 0), "  abcd    ");
    cr_assert_eq(hpr__screen_put(&s, 1, 8, 9, "abcdef", &plain), 2);
    cr_assert_str_eq(row_text(&s, 1), "        ab");
    cr_assert_eq(hpr__screen_put(&s, 2, 0, 9, "abc", &plain), 0);
    cr_assert_eq(hpr__screen_put(&s, -1, 0, 9, "abc", &plain), 0);
    hpr__screen_finish(&s);
}

Test(screen, width_of_wide_and_combining_characters)
{
    hpr__screen s;
    cr_assert(hpr__screen_init(&s, 8, 1));
    cr_assert_eq(hpr__screen_text_columns("日本e\u0301"), 5);
    cr_assert_eq(hpr__screen_put(&s, 0, 0, 8, "日本e\u0301x", &plain), 6);
    cr_assert_str_eq(row_text(&s, 0), "日本e\u0301x  ");
    cr_assert_str_eq(s.cells[1].glyph, "");
    cr_assert_eq(hpr__screen_put(&s, 0, 7, 8, "本", &plain), 0, "half a character is none");
    hpr__screen_finish(&s);
}

typedef struct elided {
    const char *text;
    int width;
    bool is_ascii;
    const char *expected;
} elided;

Test(screen, names_are_cut_in_the_middle)
{
    static const elided cases[] = {
        {"short", 5, false, "short"},     {"abcdefgh", 5, false, "ab…gh"},
        {"abcdefgh", 6, false, "abc…gh"}, {"abcdefgh", 6, true, "ab..gh"},
        {"abcdefgh", 2, false, "ab"},     {"abcdefgh", 1, true, "a"},
        {"日本日本", 5, false, "日…本"},  {"abc", 0, false, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64];
        hpr__screen_elide(out, sizeof out, cases[i].text, cases[i].width, cases[i].is_ascii);
        cr_expect_str_eq(out, cases[i].expected);
        cr_expect_leq(hpr__screen_text_columns(out), cases[i].width);
    }
}

/* --- updates --- */

/* A terminal that interprets only the sequences of screen.c. */
typedef struct terminal {
    hpr__screen shown;
    int row, column;
    char style[64];
    char *styles; /* 64 bytes for each cell */
} terminal;

static void clear(terminal *t)
{
    for (int i = 0; i < t->shown.columns * t->shown.rows; i++) {
        strcpy(t->shown.cells[i].glyph, " ");
    }
}

static const char *obey(terminal *t, const char *at)
{
    const char *end = at + strcspn(at, "HJm");
    if (*end == 'H') {
        cr_assert_eq(sscanf(at, "[%d;%d", &t->row, &t->column), 2);
        t->row--;
        t->column--;
    } else if (*end == 'J') {
        clear(t);
    } else {
        snprintf(t->style, sizeof t->style, "%.*s", (int)(end - at), at);
    }
    return end + 1;
}

static void play(terminal *t, hpr__screen_bytes *bytes)
{
    for (const char *at = bytes->text.bytes, *end = at + bytes->text.length; at < end;) {
        if (*at == '\x1b') {
            at = obey(t, at + 1);
            continue;
        }
        size_t n = 1;
        while (at + n < end && ((unsigned char)at[n] & 0xC0) == 0x80) {
            n++;
        }
        int cell = t->row * t->shown.columns + t->column++;
        cr_assert_lt(t->column, t->shown.columns + 1);
        snprintf(t->shown.cells[cell].glyph, sizeof t->shown.cells[cell].glyph, "%.*s", (int)n, at);
        strcpy(t->styles + 64 * cell, t->style);
        at += n;
    }
    bytes->text.length = 0;
}

/* Checks the text of all cells, and that cells have equal styles only if the wanted ones do. */
static void expect_shown(const terminal *t, const hpr__screen *wanted)
{
    int n = wanted->columns * wanted->rows;
    for (int i = 0; i < n; i++) {
        cr_assert_str_eq(t->shown.cells[i].glyph, wanted->cells[i].glyph, "cell %d", i);
        bool is_same = wanted->cells[i].ink == wanted->cells[0].ink &&
                       wanted->cells[i].ground == wanted->cells[0].ground &&
                       wanted->cells[i].is_bold == wanted->cells[0].is_bold;
        cr_assert_eq(strcmp(t->styles + 64 * i, t->styles) == 0, is_same, "style of cell %d", i);
    }
}

static void scribble(hpr__screen *s)
{
    for (int i = 0; i < 12; i++) {
        char text[] = {(char)('a' + rand() % 26), (char)('a' + rand() % 26), '\0'};
        hpr__screen_style style = {rand() % 2 ? 0x112233 : HPR__SCREEN_OWN_COLOUR,
                                   rand() % 2 ? 0xFF0000 : HPR__SCREEN_OWN_COLOUR, rand() % 2};
        hpr__screen_put(s, rand() % s->rows, rand() % s->columns, 2, text, &style);
    }
}

Test(screen, updates_change_the_terminal)
{
    enum { COLUMNS = 17, ROWS = 5 };
    terminal t = {.styles = calloc(COLUMNS * ROWS, 64)};
    hpr__screen before = {0}, after;
    hpr__screen_bytes bytes = {0};
    cr_assert(hpr__screen_init(&t.shown, COLUMNS, ROWS));
    srand(7);
    for (int round = 0; round < 200; round++) {
        cr_assert(hpr__screen_init(&after, COLUMNS, ROWS));
        if (before.cells) {
            memcpy(after.cells, before.cells, COLUMNS * ROWS * sizeof *after.cells);
        }
        scribble(&after);
        hpr__screen_update(&bytes, &before, &after, HPR__SCREEN_DIRECT);
        play(&t, &bytes);
        expect_shown(&t, &after);
        hpr__screen_finish(&before);
        before = after;
    }
    hpr__screen_update(&bytes, &before, &after, HPR__SCREEN_DIRECT);
    cr_assert_eq(bytes.text.length, strlen("\x1b[0m"), "nothing changed");
    hpr__screen_finish(&before);
    hpr__screen_finish(&t.shown);
    hpf__buffer_finish(&bytes.text);
    free(t.styles);
}

static void expect_ink(uint32_t ink, hpr__screen_depth depth, const char *expected)
{
    hpr__screen before = {0}, after;
    hpr__screen_bytes bytes = {0};
    cr_assert(hpr__screen_init(&after, 1, 1));
    after.cells[0] = (hpr__screen_cell){"x", false, ink, HPR__SCREEN_OWN_COLOUR};
    hpr__screen_update(&bytes, &before, &after, depth);
    cr_assert(hpf__buffer_append(&bytes.text, "", 1));
    cr_expect(strstr(bytes.text.bytes, expected), "%06x: no '%s'", ink, expected);
    hpf__buffer_finish(&bytes.text);
    hpr__screen_finish(&after);
}

Test(screen, uses_nearest_colours)
{
    expect_ink(0x123456, HPR__SCREEN_DIRECT, ";38;2;18;52;86;49m");
    expect_ink(0xFF0000, HPR__SCREEN_256, ";38;5;196;");
    expect_ink(0x808080, HPR__SCREEN_256, ";38;5;244;");
    expect_ink(0x5F87AF, HPR__SCREEN_256, ";38;5;67;");
    expect_ink(0xE69F00, HPR__SCREEN_ANSI, ";33;");
    expect_ink(0x0060C0, HPR__SCREEN_ANSI, ";34;");
    expect_ink(0xFF0000, HPR__SCREEN_PLAIN, "\x1b[0mx");
}

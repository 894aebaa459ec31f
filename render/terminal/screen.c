/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Changed cells are written in runs: the cursor moves only to the start of a run, and colours are
 * set only when they change.
 */
#include "terminal/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool hpr__screen_init(hpr__screen *s, int columns, int rows)
{
    size_t n = (size_t)columns * (size_t)rows;
    *s = (hpr__screen){
        .columns = columns, .rows = rows, .cells = malloc((n + 1) * sizeof *s->cells)};
    if (!s->cells) {
        *s = (hpr__screen){0};
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        s->cells[i] =
            (hpr__screen_cell){" ", false, HPR__SCREEN_OWN_COLOUR, HPR__SCREEN_OWN_COLOUR};
    }
    return true;
}

void hpr__screen_finish(hpr__screen *s)
{
    free(s->cells);
    *s = (hpr__screen){0};
}

/* --- texts ---------------------------------------------------------------------------------- */

typedef struct range {
    uint32_t first, last;
} range;

static bool is_in(const range *ranges, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n; i++) {
        if (c >= ranges[i].first && c <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* East Asian Width W and F, and combining characters, in broad ranges. */
static int columns_of(uint32_t c)
{
    static const range wide[] = {{0x1100, 0x115F},  {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                                 {0xF900, 0xFAFF},  {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                 {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF},
                                 {0x20000, 0x3FFFD}};
    static const range joining[] = {{0x300, 0x36F},    {0x200B, 0x200F}, {0x202A, 0x202E},
                                    {0x2060, 0x206F},  {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF},
                                    {0xE0100, 0xE01EF}};
    if (c < 0x300) {
        return 1;
    }
    if (is_in(joining, sizeof joining / sizeof *joining, c)) {
        return 0;
    }
    return is_in(wide, sizeof wide / sizeof *wide, c) ? 2 : 1;
}

/* Returns the columns of the character at `text`, and its bytes in `n_bytes`. Texts are valid UTF-8
 * without control characters (hprender/text.h). */
static int next_character(const char *text, size_t *n_bytes)
{
    unsigned char lead = (unsigned char)*text;
    static const unsigned char masks[] = {0x7F, 0x7F, 0x1F, 0x0F, 0x07};
    size_t n = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t c = lead & masks[n];
    size_t i = 1;
    for (; i < n && text[i]; i++) {
        c = c << 6 | ((unsigned char)text[i] & 0x3F);
    }
    *n_bytes = i;
    return columns_of(c);
}

int hpr__screen_text_columns(const char *text)
{
    int columns = 0;
    for (size_t n; *text; text += n) {
        columns += next_character(text, &n);
    }
    return columns;
}

/* Adds a combining character to a cell. */
static void join(hpr__screen_cell *cell, const char *text, size_t n)
{
    size_t length = strlen(cell->glyph);
    if (length + n < sizeof cell->glyph) {
        memcpy(cell->glyph + length, text, n);
        cell->glyph[length + n] = '\0';
    }
}

static void set_cell(hpr__screen_cell *cell, const char *text, size_t n,
                     const hpr__screen_style *style)
{
    *cell = (hpr__screen_cell){"", style->is_bold, style->ink, style->ground};
    memcpy(cell->glyph, text, n);
}

int hpr__screen_put(hpr__screen *s, int row, int column, int width, const char *text,
                    const hpr__screen_style *style)
{
    int used = 0;
    if (row < 0 || row >= s->rows || column < 0) {
        return 0;
    }
    width = column + width > s->columns ? s->columns - column : width;
    hpr__screen_cell *cells = s->cells + (size_t)row * (size_t)s->columns + column;
    for (size_t n; *text; text += n) {
        int columns = next_character(text, &n);
        if (used + columns > width) {
            break;
        }
        if (columns == 0 && used > 0) {
            join(&cells[used - 1], text, n);
        } else if (columns > 0) {
            set_cell(&cells[used], text, n, style);
        }
        if (columns == 2) {
            set_cell(&cells[used + 1], "", 0, style);
        }
        used += columns;
    }
    return used;
}

/* Returns the bytes of the longest prefix of at most `width` columns. */
static size_t head_bytes(const char *text, int width)
{
    size_t at = 0;
    for (size_t n; text[at]; at += n) {
        int columns = next_character(text + at, &n);
        if (columns > width) {
            break;
        }
        width -= columns;
    }
    return at;
}

/* Returns the start of the longest suffix of at most `width` columns. */
static size_t tail_start(const char *text, int width)
{
    int all = hpr__screen_text_columns(text);
    size_t at = 0;
    for (size_t n; text[at] && all > width; at += n) {
        all -= next_character(text + at, &n);
    }
    return at;
}

void hpr__screen_elide(char *out, size_t room, const char *text, int width, bool is_ascii)
{
    int gap = is_ascii ? 2 : 1;
    if (hpr__screen_text_columns(text) <= width) {
        snprintf(out, room, "%.*s", (int)head_bytes(text, width), text);
    } else if (width <= gap + 1) {
        snprintf(out, room, "%.*s", (int)head_bytes(text, width), text);
    } else {
        int head = (width - gap + 1) / 2;
        snprintf(out, room, "%.*s%s%s", (int)head_bytes(text, head), text, is_ascii ? ".." : "…",
                 text + tail_start(text, width - gap - head));
    }
}

/* --- bytes ---------------------------------------------------------------------------------- */

void hpr__screen_say(hpr__screen_bytes *to, const char *text)
{
    to->is_short |= !hpf__buffer_append(&to->text, text, strlen(text));
}

/* Current style of the terminal. */
typedef struct pen {
    hpr__screen_style style;
    bool is_known;
    hpr__screen_depth depth;
} pen;

/* Returns the nearest level of the colour cube of xterm: 0, 95, 135, 175, 215, 255. */
static unsigned cube_level(unsigned part)
{
    return part < 48 ? 0 : part < 115 ? 1 : (part - 35) / 40;
}

static unsigned distance(unsigned a, unsigned b)
{
    return a > b ? (a - b) * (a - b) : (b - a) * (b - a);
}

/* Returns the nearest of the 216 colours of the cube and the 24 greys. */
static unsigned to_256(uint32_t colour)
{
    static const unsigned char levels[] = {0, 95, 135, 175, 215, 255};
    unsigned parts[3] = {colour >> 16 & 255, colour >> 8 & 255, colour & 255};
    unsigned at[3], far_cube = 0, far_grey = 0;
    unsigned mean = (parts[0] + parts[1] + parts[2]) / 3;
    unsigned grey = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
    for (int i = 0; i < 3; i++) {
        at[i] = cube_level(parts[i]);
        far_cube += distance(parts[i], levels[at[i]]);
        far_grey += distance(parts[i], 8 + 10 * grey);
    }
    return far_grey < far_cube ? 232 + grey : 16 + 36 * at[0] + 6 * at[1] + at[2];
}

/* Returns the nearest of the eight basic colours. */
static unsigned to_ansi(uint32_t colour)
{
    unsigned parts[3] = {colour >> 16 & 255, colour >> 8 & 255, colour & 255};
    unsigned most = parts[0] > parts[1] ? parts[0] : parts[1];
    most = parts[2] > most ? parts[2] : most;
    unsigned line = most - most / 3;
    unsigned code =
        (parts[0] >= line ? 1U : 0) | (parts[1] >= line ? 2U : 0) | (parts[2] >= line ? 4U : 0);
    return most < 64 ? 0 : code;
}

static void say_colour(hpr__screen_bytes *to, uint32_t colour, bool is_ground,
                       hpr__screen_depth depth)
{
    char text[32];
    unsigned base = is_ground ? 40 : 30;
    if (depth == HPR__SCREEN_PLAIN) {
        return;
    }
    if (colour == HPR__SCREEN_OWN_COLOUR) {
        snprintf(text, sizeof text, ";%u", base + 9);
    } else if (depth == HPR__SCREEN_DIRECT) {
        snprintf(text, sizeof text, ";%u;2;%u;%u;%u", base + 8, colour >> 16 & 255,
                 colour >> 8 & 255, colour & 255);
    } else if (depth == HPR__SCREEN_256) {
        snprintf(text, sizeof text, ";%u;5;%u", base + 8, to_256(colour));
    } else {
        snprintf(text, sizeof text, ";%u", base + to_ansi(colour));
    }
    hpr__screen_say(to, text);
}

static void take_style(hpr__screen_bytes *to, pen *p, const hpr__screen_cell *cell)
{
    bool is_same = p->is_known && p->style.ink == cell->ink && p->style.ground == cell->ground &&
                   p->style.is_bold == cell->is_bold;
    if (is_same) {
        return;
    }
    hpr__screen_say(to, cell->is_bold ? "\x1b[0;1" : "\x1b[0");
    say_colour(to, cell->ink, false, p->depth);
    say_colour(to, cell->ground, true, p->depth);
    hpr__screen_say(to, "m");
    p->style = (hpr__screen_style){cell->ink, cell->ground, cell->is_bold};
    p->is_known = true;
}

static bool is_equal(const hpr__screen_cell *a, const hpr__screen_cell *b)
{
    return a->ink == b->ink && a->ground == b->ground && a->is_bold == b->is_bold &&
           strcmp(a->glyph, b->glyph) == 0;
}

/* Writes a row; `before` is NULL if its contents are unknown. */
static void update_row(hpr__screen_bytes *to, const hpr__screen_cell *before,
                       const hpr__screen_cell *after, int row, int columns, pen *p)
{
    bool is_there = false; /* the cursor is at the next cell */
    for (int i = 0; i < columns; i++) {
        if (before && is_equal(&before[i], &after[i])) {
            is_there = false;
            continue;
        }
        if (!is_there) {
            char text[32];
            snprintf(text, sizeof text, "\x1b[%d;%dH", row + 1, i + 1);
            hpr__screen_say(to, text);
            is_there = true;
        }
        take_style(to, p, &after[i]);
        hpr__screen_say(to, after[i].glyph);
    }
}

void hpr__screen_update(hpr__screen_bytes *to, const hpr__screen *before, const hpr__screen *after,
                        hpr__screen_depth depth)
{
    bool is_known =
        before->cells && before->columns == after->columns && before->rows == after->rows;
    pen p = {.depth = depth};
    if (!is_known) {
        hpr__screen_say(to, "\x1b[0m\x1b[2J");
    }
    for (int row = 0; row < after->rows; row++) {
        size_t at = (size_t)row * (size_t)after->columns;
        update_row(to, is_known ? before->cells + at : NULL, after->cells + at, row, after->columns,
                   &p);
    }
    hpr__screen_say(to, "\x1b[0m");
}

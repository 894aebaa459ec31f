/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A terminal's screen as a grid of cells, and the bytes that bring a terminal from one such grid to
 * another. Knows no descriptor.
 */
#ifndef CENSUS_WATCH_SCREEN_H
#define CENSUS_WATCH_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a terminal can show. */
typedef enum screen_depth {
    SCREEN_PLAIN,  /* no colour */
    SCREEN_ANSI,   /* eight colours, as its owner has set them */
    SCREEN_256,    /* the cube and the greys of xterm */
    SCREEN_DIRECT, /* 24 bits */
} screen_depth;

/* The terminal's own colour, else 0xRRGGBB. */
#define SCREEN_OWN_COLOUR UINT32_MAX

typedef struct screen_cell {
    char glyph[7]; /* UTF-8; "": the right half of the wide one before */
    bool is_bold;
    uint32_t ink, ground;
} screen_cell;

typedef struct screen {
    int columns, rows;
    screen_cell *cells; /* row by row, the top one first */
} screen;

/* All blank. False when there is no memory; then the screen has no cells. */
bool screen_init(screen *s, int columns, int rows);
void screen_finish(screen *s);

/* How a text is written. */
typedef struct screen_style {
    uint32_t ink, ground;
    bool is_bold;
} screen_style;

/* Writes as much of a UTF-8 text as fits into `width` columns; returns the columns used. What is
 * off the screen is left out. */
int screen_put(screen *s, int row, int column, int width, const char *text,
               const screen_style *style);

/* How many columns a UTF-8 text takes. */
int screen_text_columns(const char *text);

/* The text, with its middle replaced by an ellipsis where it takes more than `width` columns.
 * `is_ascii`: the ellipsis is "..". `out` has `room` bytes. */
void screen_elide(char *out, size_t room, const char *text, int width, bool is_ascii);

/* Bytes for a terminal, growing. `data` is to be freed by the owner. */
typedef struct screen_bytes {
    char *data;
    size_t length, capacity;
    bool is_short; /* there was no memory for all */
} screen_bytes;

void screen_say(screen_bytes *to, const char *text);

/* Writes what makes a terminal that shows `before` show `after`; all of it if they differ in size
 * or `before` has no cells. */
void screen_update(screen_bytes *to, const screen *before, const screen *after, screen_depth depth);

#endif

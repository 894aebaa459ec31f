/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The screen of a terminal as a grid of cells, and the bytes that change a terminal from one grid
 * to another. Independent of any descriptor.
 */
#ifndef CENSUS_WATCH_SCREEN_H
#define CENSUS_WATCH_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Colours of a terminal. */
typedef enum screen_depth {
    SCREEN_PLAIN,  /* no colour */
    SCREEN_ANSI,   /* eight colours, as configured by the user */
    SCREEN_256,    /* colour cube and greys of xterm */
    SCREEN_DIRECT, /* 24 bits */
} screen_depth;

/* The default colour of the terminal; other colours are 0xRRGGBB. */
#define SCREEN_OWN_COLOUR UINT32_MAX

typedef struct screen_cell {
    char glyph[7]; /* UTF-8; "": right half of a wide character */
    bool is_bold;
    uint32_t ink, ground;
} screen_cell;

typedef struct screen {
    int columns, rows;
    screen_cell *cells; /* row by row from the top */
} screen;

/* Creates a blank screen. Returns false without memory; the screen then has no cells. */
bool screen_init(screen *s, int columns, int rows);
void screen_finish(screen *s);

/* Style of a text. */
typedef struct screen_style {
    uint32_t ink, ground;
    bool is_bold;
} screen_style;

/* Writes as much of a UTF-8 text as fits into `width` columns. Returns the columns used. Text
 * outside the screen is dropped. */
int screen_put(screen *s, int row, int column, int width, const char *text,
               const screen_style *style);

/* Returns the columns of a UTF-8 text. */
int screen_text_columns(const char *text);

/* Writes the text to `out`, with its middle replaced by an ellipsis if it is wider than `width`
 * columns. `is_ascii`: the ellipsis is "..". `out` has `room` bytes. */
void screen_elide(char *out, size_t room, const char *text, int width, bool is_ascii);

/* Output for a terminal. */
typedef struct screen_bytes {
    hpf__buffer text;
    bool is_short; /* some output was lost for lack of memory */
} screen_bytes;

void screen_say(screen_bytes *to, const char *text);

/* Writes the bytes that change a terminal from `before` to `after`; writes all cells if the sizes
 * differ or `before` has no cells. */
void screen_update(screen_bytes *to, const screen *before, const screen *after, screen_depth depth);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The screen of a terminal as a grid of cells, and the bytes that change a terminal from one grid
 * to another. Independent of any descriptor.
 */
#ifndef HPR_SCREEN_H
#define HPR_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "hpfile/error.h"

/* Colours of a terminal. */
typedef enum hpr__screen_depth {
    HPR__SCREEN_PLAIN,  /* no colour */
    HPR__SCREEN_ANSI,   /* eight colours, as configured by the user */
    HPR__SCREEN_256,    /* colour cube and greys of xterm */
    HPR__SCREEN_DIRECT, /* 24 bits */
} hpr__screen_depth;

/* The default colour of the terminal; other colours are 0xRRGGBB. */
#define HPR__SCREEN_OWN_COLOUR UINT32_MAX

typedef struct hpr__screen_cell {
    char glyph[7]; /* UTF-8; "": right half of a wide character */
    bool is_bold;
    uint32_t ink, ground;
} hpr__screen_cell;

typedef struct hpr__screen {
    int columns, rows;
    hpr__screen_cell *cells; /* row by row from the top */
} hpr__screen;

/* Creates a blank screen. Returns false without memory; the screen then has no cells. */
HPF_API bool hpr__screen_init(hpr__screen *s, int columns, int rows);
HPF_API void hpr__screen_finish(hpr__screen *s);

/* Style of a text. */
typedef struct hpr__screen_style {
    uint32_t ink, ground;
    bool is_bold;
} hpr__screen_style;

/* Writes as much of a UTF-8 text as fits into `width` columns. Returns the columns used. Text
 * outside the screen is dropped. */
HPF_API int hpr__screen_put(hpr__screen *s, int row, int column, int width, const char *text,
                            const hpr__screen_style *style);

/* Returns the columns of a UTF-8 text. */
HPF_API int hpr__screen_text_columns(const char *text);

/* Writes the text to `out`, with its middle replaced by an ellipsis if it is wider than `width`
 * columns. `is_ascii`: the ellipsis is "..". `out` has `room` bytes. */
HPF_API void hpr__screen_elide(char *out, size_t room, const char *text, int width, bool is_ascii);

/* Output for a terminal. */
typedef struct hpr__screen_bytes {
    hpf__buffer text;
    bool is_short; /* some output was lost for lack of memory */
} hpr__screen_bytes;

HPF_API void hpr__screen_say(hpr__screen_bytes *to, const char *text);

/* Writes the bytes that change a terminal from `before` to `after`; writes all cells if the sizes
 * differ or `before` has no cells. */
HPF_API void hpr__screen_update(hpr__screen_bytes *to, const hpr__screen *before,
                                const hpr__screen *after, hpr__screen_depth depth);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Elision: makes a text fit by replacing its middle by "…". The beginning and the end, which tell
 * names apart, stay.
 */
#ifndef HPR_ELIDE_H
#define HPR_ELIDE_H

#include <stdbool.h>

#include "hprender/text.h"

extern const char hpr__ellipsis[4];

enum { HPR__MOST_CHARACTERS = 160 };

/* Returns whether a byte of UTF-8 continues a character. */
static inline bool hpr__is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Enough bytes for any result of hpr__elide. */
#define HPR__ELIDED_BYTES (HPR__MOST_CHARACTERS * 4 + 4)

/* Returns how many bytes the elided `text` may need, including its NUL. */
size_t hpr__elided_bytes(const char *text);

/* Writes `text`, which is valid UTF-8, to `out`: whole if it is at most `width_pt` wide and has at
 * most 160 characters, else elided as little as possible, or empty if nothing fits. Returns the
 * width of the result. */
double hpr__elide(char *out, const char *text, double width_pt, double size_pt, bool bold,
                  hpr_measurer measurer);

#endif

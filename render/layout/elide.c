/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Elision in the middle, by bisection over the number of characters kept.
 */
#include "layout/elide.h"

#include <string.h>

/* Sums of widths may be smaller than the text by rounding. */
#define ROUNDING_PT 1e-6

const char hpr__ellipsis[] = "\xE2\x80\xA6";

size_t hpr__elided_bytes(const char *text)
{
    return strlen(text) + sizeof hpr__ellipsis;
}

static size_t count_characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++) {
        n += !hpr__is_inside_character(*text);
    }
    return n;
}

/* Returns the byte offset after `n` characters. */
static size_t offset_of(const char *text, size_t n)
{
    size_t i = 0;
    while (text[i] && n > 0) {
        i++;
        n -= !hpr__is_inside_character(text[i]);
    }
    return i;
}

/* Returns whether the producer has cut the name, which then has no end worth keeping. */
static bool is_cut_already(const char *text)
{
    size_t length = strlen(text);
    return length >= 3 && memcmp(text + length - 3, "...", 3) == 0;
}

/* Keeps `kept` of `n` characters, three in five of them at the beginning. */
static void write_kept(char *out, const char *text, size_t n, size_t kept)
{
    size_t n_head = is_cut_already(text) ? kept : (kept * 3 + 4) / 5;
    size_t head = offset_of(text, n_head);
    size_t tail = offset_of(text, n - (kept - n_head));
    while (head > 0 && text[head - 1] == ' ') {
        head--;
    }
    memcpy(out, text, head);
    memcpy(out + head, hpr__ellipsis, sizeof hpr__ellipsis - 1);
    memcpy(out + head + sizeof hpr__ellipsis - 1, text + tail, strlen(text + tail) + 1);
}

double hpr__elide(char *out, const char *text, double width_pt, double size_pt, bool bold,
                  hpr_measurer measurer)
{
    size_t n = count_characters(text);
    if (n <= HPR__MOST_CHARACTERS) {
        double width = measurer.measure(measurer.context, text, size_pt, bold).width_pt;
        if (width <= width_pt + ROUNDING_PT) {
            memcpy(out, text, strlen(text) + 1);
            return width;
        }
    }
    size_t fitting = 0; /* number of characters known to fit */
    size_t too_many = n < HPR__MOST_CHARACTERS ? n : HPR__MOST_CHARACTERS;
    double fitting_width = 0;
    while (fitting + 1 < too_many) {
        size_t kept = (fitting + too_many) / 2;
        write_kept(out, text, n, kept);
        double width = measurer.measure(measurer.context, out, size_pt, bold).width_pt;
        if (width <= width_pt + ROUNDING_PT) {
            fitting = kept;
            fitting_width = width;
        } else {
            too_many = kept;
        }
    }
    if (fitting == 0) {
        out[0] = '\0';
        return 0;
    }
    write_kept(out, text, n, fitting);
    return fitting_width;
}

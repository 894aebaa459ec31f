/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which colour a band gets.
 *
 * Colour follows the name: a hash of the name picks one of nine hues (those of Okabe and Ito and of
 * Paul Tol's schemes) in one of three lightnesses, so a name looks alike in every profile. Where
 * two bands that touch would be hard to tell apart, a small search moves the lesser one to another
 * lightness of its hue first, and only then to another hue. Bands of several stacks that lack some
 * of them touch different ones in each. While there are few bands, no two in the picture look
 * alike.
 */
#ifndef HPR_PALETTE_H
#define HPR_PALETTE_H

#include "style/colour.h"
#include "base/arena.h"
#include "hprender/render.h"

#define HPR__N_HUES        9
#define HPR__N_LIGHTNESSES 3

/* Paper and everything on it that is no band. */
typedef struct hpr__theme {
    hpr_colour background;
    hpr_colour ink;     /* text that is to be read */
    hpr_colour faint;   /* text that is there when looked for */
    hpr_colour rule;    /* axis ticks, leaders */
    hpr_colour grid;    /* grid lines */
    hpr_colour outline; /* the line of the total */
    hpr_colour edge;    /* between bands */
    double line_scale;  /* of the widths of lines */
} hpr__theme;

const hpr__theme *hpr__theme_of(hpr_theme theme);

/* A colour of the palette: dark, middle, light. */
hpr_colour hpr__palette_colour(int hue, int lightness);

#define HPR__N_GREYS 3

/* The greys of OTHER, the one to be preferred first. */
hpr_colour hpr__palette_grey(int step, bool is_dark);

/* The colour that a name calls for, whatever is beside it. */
hpr_colour hpr__palette_of_name(hpf_str name, bool is_dark);

/* What the search knows of a band. */
typedef struct hpr__swatch {
    hpf_str name;
    bool is_other;
    double weight;            /* the heavier band keeps its colour */
    const hpr_colour *pinned; /* its colour whatever else, or NULL */
    uint64_t absent;          /* a bit for each of several stacks that it is not in */
} hpr__swatch;

/* The next band above (direction 1) or below (-1) that is in the stack of a bit; -1: none. Bit 0 is
 * a stack that has all of them. */
int64_t hpr__swatch_next(const hpr__swatch *swatches, uint32_t n, int64_t band, int direction,
                         uint64_t stack);

/* The bits of all stacks that lack something. */
uint64_t hpr__swatch_stacks(const hpr__swatch *swatches, uint32_t n);

/* What a name means to the choice. */
uint64_t hpr__palette_hash(hpf_str name);

/* The colour of a phase of biographies; false for all other names. */
bool hpr__palette_fixed(hpr_colour *out, hpf_str name, bool is_dark);

/* The heaviest band first. */
typedef struct hpr__ranked {
    double weight;
    uint32_t band;
} hpr__ranked;

void hpr__palette_rank(hpr__ranked *ranking, const hpr__swatch *swatches, uint32_t n);

/* Colours for `n` bands, bottom first, into `colours`; scratch memory from `arena`. False when
 * there is none. */
bool hpr__palette_choose(hpr_colour *colours, const hpr__swatch *swatches, uint32_t n, bool is_dark,
                         hpf_arena *arena);

#endif

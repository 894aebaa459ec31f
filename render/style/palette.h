/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Colours of bands, and themes.
 *
 * Colour follows the name: a hash of the name selects one of nine hues (those of Okabe and Ito and
 * of Paul Tol's schemes) in one of three lightnesses, so a name has the same colour in every
 * profile. If two adjacent bands would be hard to tell apart, a search moves the smaller one to
 * another lightness of its hue, or else to another hue. Where several stacks lack different bands,
 * different bands are adjacent in each. While there are few bands, no two in the picture look
 * alike.
 */
#ifndef HPR_PALETTE_H
#define HPR_PALETTE_H

#include "style/colour.h"
#include "base/arena.h"
#include "hprender/render.h"

#define HPR__N_HUES        9
#define HPR__N_LIGHTNESSES 3

/* The colours of everything but bands. */
typedef struct hpr__theme {
    hpr_colour background;
    hpr_colour text;    /* important text */
    hpr_colour muted;   /* other text */
    hpr_colour rule;    /* axis ticks, leaders */
    hpr_colour grid;    /* grid lines */
    hpr_colour outline; /* the line of the total */
    hpr_colour edge;    /* between bands */
    double line_scale;  /* of the widths of lines */
} hpr__theme;

const hpr__theme *hpr__theme_of(hpr_theme theme);

/* Returns a colour of the palette; lightness 0 is dark, 2 is light. */
hpr_colour hpr__palette_colour(int hue, int lightness);

#define HPR__N_GREYS 3

/* Returns a grey for OTHER; step 0 is the preferred one. */
hpr_colour hpr__palette_grey(int step, bool is_dark);

/* Returns the colour that a name hashes to, regardless of its neighbours. */
hpr_colour hpr__palette_of_name(hpf_str name, bool is_dark);

/* A band, as input of the choice of fills. */
typedef struct hpr__swatch {
    hpf_str name;
    bool is_other;
    double weight;            /* the heavier band keeps its colour */
    const hpr_colour *pinned; /* its fixed colour, or NULL */
    uint64_t absent;          /* one bit for each of several stacks that lack it */
} hpr__swatch;

/* Returns the next band above (direction 1) or below (-1) in the stack of bit `stack`, or -1 if
 * there is none. `stack` 0 is a stack with all bands. */
int64_t hpr__swatch_next(const hpr__swatch *swatches, uint32_t n, int64_t band, int direction,
                         uint64_t stack);

/* Returns the bits of all stacks that lack a band. */
uint64_t hpr__swatch_stacks(const hpr__swatch *swatches, uint32_t n);

/* Returns the hash that selects colour, shade and hatch of a name. */
uint64_t hpr__palette_hash(hpf_str name);

/* Sets the fixed colour of a biography phase; returns false for other names. */
bool hpr__palette_fixed(hpr_colour *out, hpf_str name, bool is_dark);

typedef struct hpr__ranked {
    double weight;
    uint32_t band;
} hpr__ranked;

/* Ranks the bands, the heaviest first. */
void hpr__palette_rank(hpr__ranked *ranking, const hpr__swatch *swatches, uint32_t n);

/* Chooses colours for `n` bands, bottom first. Takes scratch memory from `arena`; returns false if
 * there is none. */
bool hpr__palette_choose(hpr_colour *colours, const hpr__swatch *swatches, uint32_t n, bool is_dark,
                         hpf_arena *arena);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Colours of bands, and themes.
 *
 * Colour follows the name: a hash of the name selects one of nine hues (as chosen by Okabe and Ito
 * and of Paul Tol's schemes) in one of three lightnesses, so that a name has one colour in all
 * pictures of all profiles. fill.h has the only exception.
 */
#ifndef HPR_PALETTE_H
#define HPR_PALETTE_H

#include "style/colour.h"
#include "hprender/render.h"

#define HPR__N_HUES        9
#define HPR__N_LIGHTNESSES 3
#define HPR__N_COLOURS     (HPR__N_HUES * HPR__N_LIGHTNESSES)

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

/* Returns the grey of OTHER. */
hpr_colour hpr__palette_grey(bool is_dark);

/* Returns the colour of a name, which is its fixed one or the one that its hash selects. */
hpr_colour hpr__palette_of_name(hpf_str name, bool is_dark);

/* Returns the `choice`-th of `n` things for a hash: `n` choices have all things, each once. `n` is
 * not divisible by 2, 5, 11 or 13. */
uint32_t hpr__palette_index(uint64_t hash, uint32_t choice, uint32_t n);

/* Returns the `choice`-th colour of a hash, below HPR__N_COLOURS; the first is the colour of the
 * name. */
hpr_colour hpr__palette_choice(uint64_t hash, uint32_t choice);

/* Returns the colour of the hairline between two fills: the edge of the theme or, where that would
 * not tell apart fills that are hard to distinguish, its outline. */
hpr_colour hpr__edge_between(const hpr__theme *theme, hpr_colour x, hpr_colour y);

/* Returns the hash that selects the colour and the grey of a name, regardless of the id of a
 * cost-centre stack. */
uint64_t hpr__palette_hash(hpf_str name);

/* Sets the fixed colour of a biography phase; returns false for other names. */
bool hpr__palette_fixed(hpr_colour *out, hpf_str name, bool is_dark);

/* Sets its grey in print, and the direction of its hatch, 0 without one; likewise. */
bool hpr__palette_fixed_print(double *grey, double *hatch_deg, hpf_str name);

/* Returns the colour that the options give a name, or NULL. Borrowed from the options. */
const hpr_colour *hpr__pinned_colour(const hpr_options *options, hpf_str name);

#endif

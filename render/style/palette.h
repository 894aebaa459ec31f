/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Colours of bands, and themes.
 *
 * Colour follows the name, and depends on all names of the profile and their sums only, never on
 * what a picture shows of it. A hash of the name proposes one of nine hues (as chosen by Okabe and
 * Ito and of Paul Tol's schemes) in one of three lightnesses. All names of the profile choose, the
 * largest first: no colour is used twice before all are used, similar ones are used late, and a
 * name differs in lightness, and for every kind of vision, from the name ranked before it, often
 * its neighbour. What still meets its like is separated by a hairline.
 */
#ifndef HPR_PALETTE_H
#define HPR_PALETTE_H

#include "style/colour.h"
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

/* Returns the grey of OTHER. */
hpr_colour hpr__palette_grey(bool is_dark);

/* Returns the colour that a name hashes to, regardless of other names. */
hpr_colour hpr__palette_of_name(hpf_str name, bool is_dark);

/* Returns the colour of the hairline between two fills: the edge of the theme or, where that would
 * not tell apart fills that are hard to distinguish, its outline. */
hpr_colour hpr__edge_between(const hpr__theme *theme, hpr_colour x, hpr_colour y);

/* A band, as input of the choice of hatches and line styles. */
typedef struct hpr__swatch {
    hpf_str name;
    bool is_other;
    double weight;   /* the heaviest line is solid */
    uint64_t absent; /* one bit for each of several stacks that lack it */
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

/* A name of a profile, or a group of names, as input of the choice of colours. */
typedef struct hpr__named {
    hpf_str name;
    double weight; /* in the whole profile */
    uint32_t band; /* that gets its colour; HPF_NO_BAND: none */
} hpr__named;

/* Merges entries with the same name: adds their weights, and keeps the smallest band. Sorts them by
 * name, and returns how many are left. */
uint32_t hpr__named_merge(hpr__named *names, uint32_t n);

/* Returns the colour that the options give a name, or NULL. Borrowed from the options. */
const hpr_colour *hpr__pinned_colour(const hpr_options *options, hpf_str name);

/* Sets the colours of the bands below `n_bands` that occur in `names`, which are all of the profile
 * and different. Uses the theme and the pins of the options. Reorders `names`. */
void hpr__palette_choose(hpr_colour *colours, hpr__named *names, uint32_t n, uint32_t n_bands,
                         const hpr_options *options);

#endif

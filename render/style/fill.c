/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses the fills of bands and the dashes of lines, from the largest one down.
 */
#include "base/arena.h"
#include "style/fill.h"

#include <math.h>
#include <stdlib.h>

#include "hpfile/str.h"

/* --- line styles ---------------------------------------------------------------------------- */

enum { N_DASHES = 6 };

static const double dashes_pt[N_DASHES] = {0, 4, 1.5, 8, 2.5, 14};

/* Least contrast of a line against the background. */
static const double least_contrast = 2.5;

/* Returns a colour, made darker or lighter until it has enough contrast with the background. */
static hpr_colour visible(hpr_colour colour, hpr_colour background)
{
    while (hpr__colour_contrast(colour, background) < least_contrast) {
        colour = hpr__colour_mix(colour, hpr__colour_text_on(background), 0.9);
    }
    return colour;
}

static bool is_confusable(const hpr__appearance *x, const hpr__appearance *y)
{
    bool is = false;
    for (int eye = 0; eye < HPR__N_VISIONS; eye++) {
        is |= hpr__lab_difference(x->lab[eye], y->lab[eye]) < HPR__MIN_DIFFERENCE;
    }
    return is;
}

/* A colour of lines, and how many lines of it have each kind of dashes. There are few colours, even
 * of many lines. */
typedef struct line_colour {
    hpr_colour colour;
    hpr__appearance appearance;
    uint32_t n_lines[N_DASHES];
} line_colour;

/* Returns the entry of a colour in the list of `*n` colours, which has room for one more. */
static line_colour *find_colour(line_colour *list, uint32_t *n, hpr_colour colour)
{
    for (uint32_t i = 0; i < *n; i++) {
        const hpr_colour *other = &list[i].colour;
        if (other->red == colour.red && other->green == colour.green &&
            other->blue == colour.blue) {
            return &list[i];
        }
    }
    list[*n] = (line_colour){colour, hpr__appearance_of(colour), {0}};
    return &list[(*n)++];
}

/* Returns the dashes that the fewest lines of a similar colour have, and counts the line. */
static double best_dashes(line_colour *own, const line_colour *list, uint32_t n)
{
    uint32_t n_alike[N_DASHES] = {0};
    int best = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool counts = is_confusable(&list[i].appearance, &own->appearance);
        for (int k = 0; k < N_DASHES && counts; k++) {
            n_alike[k] += list[i].n_lines[k];
        }
    }
    for (int k = 1; k < N_DASHES; k++) {
        best = n_alike[k] < n_alike[best] ? k : best;
    }
    own->n_lines[best]++;
    return dashes_pt[best];
}

/* Returns the style of the `rank`-th line in print. Dashes and markers repeat after ten lines. */
static hpr_fill print_fill(const hpr__theme *theme, uint32_t rank)
{
    return (hpr_fill){
        .is_gray = true,
        .colour = theme->text,
        .line = theme->text,
        .dash_pt = dashes_pt[rank % N_DASHES],
        .marker = rank % HPR__N_MARKERS + 1,
    };
}

/* Chooses line styles for bands, which have the colours of their names, from the heaviest one on.
 * OTHER is not drawn. Returns false without memory. */
static bool choose_line_styles(hpr_fill *fills, const hpr__swatch *swatches,
                               const hpr__swatch *const *ranked, uint32_t n, hpr_theme theme,
                               hpf_arena *arena)
{
    const hpr__theme *look = hpr__theme_of(theme);
    line_colour *colours = hpf_arena_array(arena, n, sizeof *colours);
    uint32_t n_lines = 0, n_colours = 0;
    for (uint32_t rank = 0; rank < n && colours; rank++) {
        hpr_fill *fill = &fills[ranked[rank] - swatches];
        if (ranked[rank]->is_other) {
            continue;
        }
        if (theme == HPR_THEME_PRINT) {
            *fill = print_fill(look, n_lines);
        } else {
            fill->line = visible(fill->colour, look->background);
            line_colour *own = find_colour(colours, &n_colours, fill->line);
            fill->dash_pt = best_dashes(own, colours, n_colours);
        }
        n_lines++;
    }
    return colours != NULL;
}

/* Returns whether two lines coincide at three quarters of the points or more. */
static bool is_covered(const double *x, const double *y, size_t n_points, double tolerance)
{
    size_t n_apart = 0;
    for (size_t i = 0; i < n_points && n_apart <= n_points / 4; i++) {
        n_apart += fabs(x[i] - y[i]) > tolerance;
    }
    return n_points > 0 && n_apart <= n_points / 4;
}

void hpr__line_style_uncover(hpr_fill *fills, const double *const *rows, uint32_t n,
                             size_t n_points)
{
    double highest = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (size_t point = 0; point < n_points; point++) {
            highest = fmax(highest, rows[i][point]);
        }
    }
    for (uint32_t upper = 1; upper < n; upper++) {
        for (uint32_t lower = 0; lower < upper && fills[upper].dash_pt == 0; lower++) {
            if (is_covered(rows[upper], rows[lower], n_points, 0.005 * highest)) {
                fills[upper].dash_pt = dashes_pt[fills[lower].dash_pt == dashes_pt[1] ? 3 : 1];
            }
        }
    }
}

/* --- bands ----------------------------------------------------------------------------------- */

/* Colours with a smaller difference look alike, and greys. */
static const double least_difference = 10, least_grey_step = 0.09;

/* Fills of print: light greys, and where these meet, sparse hatches. No hatch is level: it would
 * look like thin bands. Black text is readable on all of them, and on OTHER, which is darker. The
 * number of greys is prime, so that each step of hpr__palette_index reaches all. */
static const double greys[] = {1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7};
static const struct {
    double grey, deg;
} hatches[] = {{1, 45}, {1, 135}, {1, 90}, {0.86, 45}, {0.86, 135}, {0.86, 90}};
static const double other_grey = 0.6;

enum {
    N_GREYS = sizeof greys / sizeof *greys,
    N_HATCHES = sizeof hatches / sizeof *hatches,
    N_PRINT_FILLS = N_GREYS + N_HATCHES,
};

/* `hatch_deg` 0: no hatch. */
static hpr_fill grey_fill(double grey, double hatch_deg)
{
    hpr_fill fill = {.is_gray = true, .colour = {grey, grey, grey}};
    if (hatch_deg > 0) {
        fill.hatch_deg = hatch_deg;
        fill.hatch_gap_pt = 7;
        fill.hatch_line_pt = 0.3;
    }
    return fill;
}

/* Returns the `choice`-th fill of a hash. */
static hpr_fill choice_of(uint64_t hash, uint32_t choice, bool is_print)
{
    if (!is_print) {
        return (hpr_fill){.colour = hpr__palette_choice(hash, choice)};
    }
    if (choice < N_GREYS) {
        return grey_fill(greys[hpr__palette_index(hash, choice, N_GREYS)], 0);
    }
    size_t at = (hash + choice) % N_HATCHES;
    return grey_fill(hatches[at].grey, hatches[at].deg);
}

static bool is_alike(const hpr_fill *x, const hpr_fill *y)
{
    if (x->is_gray) {
        return fabs(x->colour.red - y->colour.red) < least_grey_step &&
               x->hatch_gap_pt == y->hatch_gap_pt && x->hatch_deg == y->hatch_deg;
    }
    return hpr__lab_difference(hpr__lab_of(x->colour), hpr__lab_of(y->colour)) < least_difference;
}

static bool are_equal(const hpr_fill *x, const hpr_fill *y)
{
    return x->colour.red == y->colour.red && x->colour.green == y->colour.green &&
           x->colour.blue == y->colour.blue && x->hatch_deg == y->hatch_deg;
}

/* Returns whether a band should not move to `x` next to `y`. */
static bool is_indistinct(const hpr_fill *x, const hpr_fill *y)
{
    if (x->is_gray) {
        return x->hatch_gap_pt > 0 ? x->hatch_deg == y->hatch_deg : is_alike(x, y);
    }
    hpr__appearance a = hpr__appearance_of(x->colour), b = hpr__appearance_of(y->colour);
    return !hpr__appearance_distinct(&a, &b);
}

/* Readers do not mistake bands below this share of the highest one, which are thin, except by their
 * entries in a legend. Print has no thin bands if there are so few that the legend has all. */
static const double least_height = 0.05;

/* Bands with this share of the weight differ from each other wherever they are; in print, all that
 * are not thin do if there are MOST_DISTINCT of them or fewer. If a picture has MOST_UNEQUAL bands
 * or fewer, a thin band avoids the colours of all others. */
static const double large_share = 0.1;
enum { MOST_DISTINCT = 8, MOST_UNEQUAL = 16 };

/* Bands, of which some have their fill. */
typedef struct filling {
    hpr_fill *fills;
    const hpr__swatch *swatches;
    uint32_t n, n_thick;
    bool is_print;
    uint64_t stacks; /* bits of all stacks that lack a band */
    double weight;   /* of all */
    double highest;
    bool *is_done; /* by band: it has its fill, and smaller ones avoid it */
} filling;

typedef bool likeness(const hpr_fill *x, const hpr_fill *y);

/* Returns whether a fill of a band is like a neighbour's in the stack of bit `stack`; 0 is the
 * stack of all bands. */
static bool meets_in(const filling *f, uint32_t band, const hpr_fill *fill, likeness *is_like,
                     uint64_t stack)
{
    for (int direction = -1; direction <= 1; direction += 2) {
        int64_t at = (int64_t)band + direction;
        while (at >= 0 && at < f->n && (f->swatches[at].absent & stack) != 0) {
            at += direction;
        }
        if (at >= 0 && at < f->n && f->is_done[at] && is_like(fill, &f->fills[at])) {
            return true;
        }
    }
    return false;
}

/* Returns whether a fill of a band is like a neighbour's in any stack, or like the fill of another
 * large band, or of any if there are few. */
static bool meets(const filling *f, uint32_t band, const hpr_fill *fill, likeness *is_like)
{
    bool is_met = meets_in(f, band, fill, is_like, 0);
    for (uint64_t stack = 1; stack != 0 && stack <= f->stacks && !is_met; stack <<= 1) {
        is_met = (f->swatches[band].absent & stack) == 0 && meets_in(f, band, fill, is_like, stack);
    }
    bool is_few = f->is_print && f->n_thick <= MOST_DISTINCT;
    double least = is_few ? 0 : large_share * f->weight;
    for (uint32_t i = 0; i < f->n && f->swatches[band].weight >= least && !is_met; i++) {
        is_met = f->is_done[i] && f->swatches[i].weight >= least && is_like(fill, &f->fills[i]);
    }
    return is_met;
}

/* Returns whether another band has an equal fill, and both can be seen in one legend. */
static bool is_taken(const filling *f, const hpr_fill *fill)
{
    bool is_found = false;
    uint32_t n = f->is_print || f->n > MOST_UNEQUAL ? 0 : f->n;
    for (uint32_t i = 0; i < n && !is_found; i++) {
        is_found = f->is_done[i] && are_equal(fill, &f->fills[i]);
    }
    return is_found;
}

static bool is_thin_band(const filling *f, uint32_t band)
{
    bool is_few = f->is_print && f->n <= MOST_DISTINCT;
    return !is_few && f->swatches[band].max < least_height * f->highest;
}

/* Fills a band, whose larger neighbours have their fills. */
static void fill_band(const filling *f, uint32_t band)
{
    uint64_t hash = hpr__palette_hash(f->swatches[band].name);
    bool is_print = f->is_print;
    uint32_t n_choices = is_print ? N_PRINT_FILLS : HPR__N_COLOURS;
    bool is_thin = is_thin_band(f, band);
    hpr_fill fill = choice_of(hash, 0, is_print);
    bool is_settled = is_thin ? !is_taken(f, &fill) : !meets(f, band, &fill, is_alike);
    likeness *const avoided[] = {is_indistinct, is_alike, are_equal}; /* among many, less will do */
    for (int pass = 0; pass < 3 && !is_settled; pass++) {
        for (uint32_t choice = 1; choice < n_choices && !is_settled; choice++) {
            hpr_fill next = choice_of(hash, choice, is_print);
            is_settled = is_thin ? !is_taken(f, &next) : !meets(f, band, &next, avoided[pass]);
            fill = is_settled ? next : fill;
        }
    }
    f->fills[band] = fill;
    f->is_done[band] = true;
}

static int compare_swatches(const void *a, const void *b)
{
    const hpr__swatch *x = *(const hpr__swatch *const *)a, *y = *(const hpr__swatch *const *)b;
    /* As `float`, in which sums that were added in another order are equal. */
    float difference = (float)y->weight - (float)x->weight;
    return difference != 0 ? (difference > 0) - (difference < 0)
                           : hpf_str_compare(x->name, y->name);
}

hpf_status hpr__fill_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                            const hpr_options *options, hpf_arena *arena, hpf_error *err)
{
    bool is_print = options->theme == HPR_THEME_PRINT, is_dark = options->theme == HPR_THEME_DARK;
    const hpr__swatch **ranked = hpf_arena_array(arena, n, sizeof *ranked);
    filling f = {.fills = fills,
                 .swatches = swatches,
                 .n = n,
                 .is_print = is_print,
                 .is_done = hpf_arena_array(arena, n, sizeof *f.is_done)};
    if (!ranked || !f.is_done) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        ranked[i] = &swatches[i];
        f.stacks |= swatches[i].absent;
        f.weight += swatches[i].weight;
        f.highest = fmax(f.highest, swatches[i].max);
    }
    for (uint32_t i = 0; i < n; i++) {
        f.n_thick += !is_thin_band(&f, i);
    }
    qsort(ranked, n, sizeof *ranked, compare_swatches);
    /* Thin bands are the last: no other avoids them. */
    for (uint32_t rank = 0; rank < 2 * n; rank++) {
        bool is_last_pass = rank >= n;
        uint32_t i = (uint32_t)(ranked[rank % n] - swatches);
        const hpr_colour *pinned = hpr__pinned_colour(options, swatches[i].name);
        hpr_fill fixed = {.colour = hpr__palette_grey(is_dark)};
        double grey, hatch_deg;
        if (is_print && hpr__palette_fixed_print(&grey, &hatch_deg, swatches[i].name)) {
            fills[i] = grey_fill(grey, hatch_deg);
            f.is_done[i] = true;
        } else if (is_print && swatches[i].is_other) {
            fills[i] = grey_fill(other_grey, 0);
        } else if (swatches[i].is_other ||
                   (!is_print && !pinned &&
                    hpr__palette_fixed(&fixed.colour, swatches[i].name, is_dark))) {
            fills[i] = fixed;
        } else if (!is_print && pinned) {
            fills[i] = (hpr_fill){.colour = *pinned};
        } else if (is_thin_band(&f, i) == is_last_pass) {
            fill_band(&f, i);
        }
    }
    return !options->as_lines ||
                   choose_line_styles(fills, swatches, ranked, n, options->theme, arena)
               ? HPF_OK
               : hpf_error_set_memory(err);
}

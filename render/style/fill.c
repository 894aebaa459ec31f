/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses dashes of lines, from the heaviest line down, and hatches, from the bottom band up. OTHER
 * is plain grey, since it need not be recognised elsewhere.
 */
#include "base/arena.h"
#include "base/names.h"
#include "style/fill.h"

#include <math.h>
#include <stdlib.h>

#include "hpfile/str.h"

/* --- line styles ---------------------------------------------------------------------------- */

enum { N_DASHES = 6 };

static const double dashes_pt[N_DASHES] = {0, 4, 1.5, 8, 2.5, 14};

/* Least contrast of a line against the background. */
static const double least_contrast = 2.5;

typedef struct ranked_line {
    double weight;
    uint32_t band;
} ranked_line;

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

static int compare_ranked(const void *a, const void *b)
{
    const ranked_line *x = a;
    const ranked_line *y = b;
    if (x->weight != y->weight) {
        return x->weight > y->weight ? -1 : 1;
    }
    return x->band < y->band ? -1 : x->band > y->band;
}

bool hpr__line_style_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                            hpr_theme theme, hpf_arena *arena)
{
    const hpr__theme *look = hpr__theme_of(theme);
    ranked_line *ranking = hpf_arena_array(arena, n, sizeof *ranking);
    line_colour *colours = hpf_arena_array(arena, n, sizeof *colours);
    uint32_t n_lines = 0, n_colours = 0;
    if (!ranking || !colours) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!swatches[i].is_other) { /* which is not drawn */
            ranking[n_lines++] = (ranked_line){swatches[i].weight, i};
            fills[i].line = visible(fills[i].colour, look->background);
        }
    }
    qsort(ranking, n_lines, sizeof *ranking, compare_ranked);
    for (uint32_t rank = 0; rank < n_lines; rank++) {
        hpr_fill *fill = &fills[ranking[rank].band];
        if (theme == HPR_THEME_PRINT) {
            *fill = print_fill(look, rank);
        } else {
            line_colour *own = find_colour(colours, &n_colours, fill->line);
            fill->dash_pt = best_dashes(own, colours, n_colours);
        }
    }
    return true;
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

/* --- hatches --------------------------------------------------------------------------------- */

#define OTHER_GREY 0.72

/* The simple ones first. Dashes that are as long as their lines are wide make dots. */
static const struct {
    double grey, deg, gap_pt, line_pt, dash_pt;
    bool is_crossed;
} patterns[] = {
    {1, 45, 4.2, 0.4, 0, false},     /* fine lines */
    {1, 135, 4.2, 0.4, 0, false},    /* */
    {1, 90, 4.2, 0.4, 0, false},     /* */
    {1, 0, 4.2, 0.4, 0, false},      /* */
    {0.35, 45, 3.4, 0.8, 0, false},  /* white lines on dark grey */
    {0.35, 135, 3.4, 0.8, 0, false}, /* */
    {0.35, 90, 3.4, 0.8, 0, false},  /* */
    {0.35, 0, 3.4, 0.8, 0, false},   /* */
    {1, 0, 1.8, 0.8, 0.8, false},    /* small dots */
    {1, 45, 3.4, 1.4, 0, false},     /* thick lines */
    {1, 135, 3.4, 1.4, 0, false},    /* */
    {1, 90, 3.4, 1.4, 0, false},     /* */
    {1, 0, 3.4, 1.4, 0, false},      /* */
    {1, 0, 4.2, 0.4, 0, true},       /* grids */
    {1, 45, 4.2, 0.4, 0, true},      /* */
    {0.35, 0, 2.2, 1, 1, false},     /* white dots on dark grey */
    {0.86, 45, 2, 0.4, 0, false},    /* narrow lines on light grey */
    {0.86, 135, 2, 0.4, 0, false},   /* */
    {0.86, 90, 2, 0.4, 0, false},    /* */
    {0.86, 0, 2, 0.4, 0, false},     /* */
    {1, 0, 3.6, 1.8, 1.8, false},    /* large dots */
    {1, 0, 3.4, 1.2, 0, true},       /* a thick grid */
    {1, 0, 0, 0, 0, false},          /* plain */
    {0.5, 0, 0, 0, 0, false},        /* */
};

enum { N_PATTERNS = sizeof patterns / sizeof *patterns, PATTERNS_PER_TIER = 8 };

static hpr_fill grey_fill(double grey)
{
    return (hpr_fill){.is_gray = true, .colour = {grey, grey, grey}};
}

static hpr_fill fill_of_pattern(int i)
{
    hpr_fill fill = grey_fill(patterns[i].grey);
    fill.hatch_deg = patterns[i].deg;
    fill.hatch_gap_pt = patterns[i].gap_pt;
    fill.hatch_line_pt = patterns[i].line_pt;
    fill.hatch_dash_pt = patterns[i].dash_pt;
    fill.hatch_is_crossed = patterns[i].is_crossed;
    return fill;
}

/* Returns the directions of a fill, one bit for each; "plain" and "dots" count as directions. */
static unsigned directions_of(const hpr_fill *fill)
{
    enum { PLAIN = 1 << 4, DOTS = 1 << 5 };
    if (fill->hatch_gap_pt == 0) {
        return PLAIN;
    }
    if (fill->hatch_dash_pt > 0) {
        return DOTS;
    }
    int turn = (int)(fill->hatch_deg / 45);
    return 1U << turn | (fill->hatch_is_crossed ? 1U << (turn + 2) % 4 : 0);
}

/* Returns how light a fill is as a whole, from 0 to 1. */
static double tone_of(const hpr_fill *fill)
{
    double ground = fill->colour.red;
    double line = hpr__hatch_colour(fill).red;
    double share = fill->hatch_gap_pt > 0 ? fill->hatch_line_pt / fill->hatch_gap_pt : 0;
    share *= fill->hatch_dash_pt > 0 ? 0.5 : fill->hatch_is_crossed ? 2 : 1;
    return ground + share * (line - ground);
}

/* Returns how hard it is to see where two fills meet. */
static uint64_t cost_of_touching(const hpr_fill *x, const hpr_fill *y)
{
    const double least_tone_step = 0.12;
    bool is_direction_shared = (directions_of(x) & directions_of(y)) != 0;
    bool is_tone_shared = fabs(tone_of(x) - tone_of(y)) < least_tone_step;
    return (is_direction_shared ? 10000 : 0) + (is_tone_shared ? 100 : 0);
}

/* Returns the cost of a fill because of the bands directly below it, in any stack. */
static uint64_t cost_of_neighbours(const hpr_fill *fill, const hpr_fill *fills,
                                   const hpr__swatch *swatches, uint32_t n, uint64_t stacks,
                                   uint32_t band)
{
    int64_t below = hpr__swatch_next(swatches, n, band, -1, 0);
    uint64_t cost = below >= 0 ? cost_of_touching(fill, &fills[below]) : 0;
    for (uint64_t stack = 1; stack != 0 && stack <= stacks; stack <<= 1) {
        if ((swatches[band].absent & stack) == 0) {
            below = hpr__swatch_next(swatches, n, band, -1, stack);
            cost += below >= 0 ? cost_of_touching(fill, &fills[below]) : 0;
        }
    }
    return cost;
}

void hpr__print_style_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n)
{
    uint64_t n_users[N_PATTERNS] = {0};
    uint64_t stacks = hpr__swatch_stacks(swatches, n);
    for (uint32_t i = 0; i < n; i++) {
        if (swatches[i].is_other) {
            fills[i] = grey_fill(OTHER_GREY);
            continue;
        }
        uint64_t hash = hpr__palette_hash(hpf__without_id(swatches[i].name));
        uint64_t best_cost = UINT64_MAX;
        int best = 0;
        for (int k = 0; k < N_PATTERNS; k++) {
            hpr_fill fill = fill_of_pattern(k);
            uint64_t order = (uint64_t)(k / PATTERNS_PER_TIER * PATTERNS_PER_TIER) +
                             (hash + (uint64_t)k) % PATTERNS_PER_TIER;
            uint64_t cost = 1000 * n_users[k] + order +
                            cost_of_neighbours(&fill, fills, swatches, n, stacks, i);
            if (cost < best_cost) {
                best_cost = cost;
                best = k;
            }
        }
        n_users[best]++;
        fills[i] = fill_of_pattern(best);
    }
}

/* --- any fill ------------------------------------------------------------------------------- */

hpf_status hpr__fill_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                            const hpr_options *options, hpf_arena *arena, hpf_error *err)
{
    if (options->as_lines) {
        return hpr__line_style_choose(fills, swatches, n, options->theme, arena)
                   ? HPF_OK
                   : hpf_error_set_memory(err);
    }
    if (options->theme == HPR_THEME_PRINT) {
        hpr__print_style_choose(fills, swatches, n);
    }
    return HPF_OK;
}

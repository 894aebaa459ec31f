/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses line styles, from the heaviest line down, and hatches, from the bottom band up. OTHER is
 * plain grey, since it need not be recognised elsewhere.
 */
#include "base/arena.h"
#include "style/fill.h"

#include <math.h>

#include "hpfile/str.h"

/* --- line styles ---------------------------------------------------------------------------- */

enum { N_SHADES = 2, N_COLOURS = HPR__N_HUES * N_SHADES, N_DASHES = 5, NO_HUE = -1 };

static const double dashes_pt[N_DASHES] = {0, 4, 1.5, 8, 2.5};

/* Least contrast of a line against the background. */
static const double least_contrast = 2.5;

/* A colour, and how many lines use it with each kind of dashes. */
typedef struct candidate {
    hpr_colour colour;
    int hue; /* of the palette; NO_HUE for a fixed colour */
    hpr__appearance appearance;
    uint32_t n_users[N_DASHES];
} candidate;

typedef struct choice {
    const hpr__theme *theme;
    bool is_dark;
    candidate *candidates; /* N_COLOURS of the palette, then the fixed ones */
    size_t n_candidates;
} choice;

/* Adds a colour, made darker or lighter until it has enough contrast with the background. */
static candidate *add_candidate(choice *c, hpr_colour colour, int hue)
{
    const hpr_colour ground = c->theme->background;
    while (hpr__colour_contrast(colour, ground) < least_contrast) {
        colour = hpr__colour_mix(colour, hpr__colour_text_on(ground), 0.9);
    }
    candidate *added = &c->candidates[c->n_candidates++];
    *added = (candidate){.colour = colour, .hue = hue};
    added->appearance = hpr__appearance_of(added->colour);
    return added;
}

static uint32_t users_of(const candidate *used)
{
    uint32_t n = 0;
    for (int i = 0; i < N_DASHES; i++) {
        n += used->n_users[i];
    }
    return n;
}

/* Returns for how many kinds of vision two colours look alike, plus one for shades of one hue,
 * which are hard to tell apart in thin lines. */
static int n_confusions(const candidate *x, const candidate *y)
{
    int n = x->hue != NO_HUE && x->hue == y->hue;
    for (int eye = 0; eye < HPR__N_VISIONS; eye++) {
        n += hpr__lab_difference(x->appearance.lab[eye], y->appearance.lab[eye]) <
             HPR__MIN_DIFFERENCE;
    }
    return n;
}

/* Returns the cost of a colour: mostly how many lines have one that looks alike, then how far it is
 * from the colour that the name hashes to. */
static uint64_t cost_of(const choice *c, hpf_str name, int colour)
{
    uint64_t hash = hpr__palette_hash(name);
    bool is_hue = (int)(hash % HPR__N_HUES) == colour % HPR__N_HUES;
    bool is_shade = (int)(hash / HPR__N_HUES % N_SHADES) == colour / HPR__N_HUES;
    uint64_t cost =
        (is_hue ? 0 : 16) + (is_shade ? 0 : 8) + ((hash >> 8) + (uint64_t)colour * 7) % 8;
    for (size_t i = 0; i < c->n_candidates; i++) {
        uint32_t n = users_of(&c->candidates[i]);
        cost +=
            n > 0 ? 32 * n * (uint64_t)n_confusions(&c->candidates[i], &c->candidates[colour]) : 0;
    }
    return cost;
}

static candidate *best_candidate(const choice *c, hpf_str name)
{
    int best = 0;
    for (int colour = 1; colour < N_COLOURS; colour++) {
        best = cost_of(c, name, colour) < cost_of(c, name, best) ? colour : best;
    }
    return &c->candidates[best];
}

/* Returns the dashes that the fewest lines of a similar colour have. */
static int best_dashes(const choice *c, const candidate *chosen)
{
    uint32_t n_alike[N_DASHES] = {0};
    int best = 0;
    for (size_t i = 0; i < c->n_candidates; i++) {
        const candidate *other = &c->candidates[i];
        bool counts = users_of(other) > 0 && n_confusions(other, chosen) > 0;
        for (int k = 0; k < N_DASHES; k++) {
            n_alike[k] += counts ? other->n_users[k] : 0;
        }
    }
    for (int k = 1; k < N_DASHES; k++) {
        best = n_alike[k] < n_alike[best] ? k : best;
    }
    return best;
}

static hpr_fill choose(choice *c, const hpr__swatch *swatch)
{
    hpr_colour fixed;
    bool is_fixed = swatch->pinned || hpr__palette_fixed(&fixed, swatch->name, c->is_dark);
    candidate *chosen = is_fixed
                            ? add_candidate(c, swatch->pinned ? *swatch->pinned : fixed, NO_HUE)
                            : best_candidate(c, hpf_str_without_id(swatch->name));
    int dashes = best_dashes(c, chosen);
    chosen->n_users[dashes]++;
    return (hpr_fill){.colour = chosen->colour, .dash_pt = dashes_pt[dashes]};
}

/* Returns the style of the `rank`-th line in print. Dashes and markers repeat after ten lines. */
static hpr_fill print_fill(const hpr__theme *theme, uint32_t rank)
{
    return (hpr_fill){
        .is_gray = true,
        .colour = theme->text,
        .dash_pt = dashes_pt[rank % N_DASHES],
        .marker = rank % HPR__N_MARKERS + 1,
    };
}

bool hpr__line_style_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                            hpr_theme theme, hpf_arena *arena)
{
    hpr__ranked *ranking = hpf_arena_array(arena, n, sizeof *ranking);
    choice c = {
        .theme = hpr__theme_of(theme),
        .is_dark = theme == HPR_THEME_DARK,
        .candidates = hpf_arena_array(arena, (size_t)N_COLOURS + n, sizeof(candidate)),
    };
    if (!ranking || !c.candidates) {
        return false;
    }
    for (int i = 0; i < N_COLOURS; i++) { /* the two shades of each hue with most contrast */
        int hue = i % HPR__N_HUES;
        add_candidate(&c, hpr__palette_colour(hue, i / HPR__N_HUES + c.is_dark), hue);
    }
    hpr__palette_rank(ranking, swatches, n);
    for (uint32_t rank = 0, line = 0; rank < n; rank++) {
        const hpr__swatch *swatch = &swatches[ranking[rank].band];
        hpr_fill *fill = &fills[ranking[rank].band];
        if (swatch->is_other) {
            *fill = (hpr_fill){.colour = c.theme->muted}; /* not drawn */
        } else {
            *fill = theme == HPR_THEME_PRINT ? print_fill(c.theme, line) : choose(&c, swatch);
            line++;
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

enum { N_ANGLES = 4, NO_ANGLE = N_ANGLES, N_GROUNDS = 2, ALL_ANGLES = (1 << N_ANGLES) - 1 };

static const double angles_deg[N_ANGLES] = {45, 135, 90, 0};

static const struct {
    double grey, gap_pt;
} grounds[N_GROUNDS] = {{1, 4.5}, {0.86, 2.5}};

#define OTHER_GREY 0.72

static hpr_fill grey_fill(double grey)
{
    return (hpr_fill){.is_gray = true, .colour = {grey, grey, grey}};
}

/* Returns the angle of a hatch as a bit, or 0 if there is no hatch. */
static unsigned angle_bit(const hpr_fill *fill)
{
    unsigned bit = 0;
    for (unsigned i = 0; i < N_ANGLES && fill->hatch_gap_pt > 0; i++) {
        bit |= fill->hatch_deg == angles_deg[i] ? 1U << i : 0;
    }
    return bit;
}

/* Returns the angles of the bands directly below a band, in any stack. */
static unsigned angles_below(const hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                             uint64_t stacks, uint32_t band)
{
    int64_t below = hpr__swatch_next(swatches, n, band, -1, 0);
    unsigned taken = below >= 0 ? angle_bit(&fills[below]) : 0;
    for (uint64_t stack = 1; stack != 0 && stack <= stacks; stack <<= 1) {
        if ((swatches[band].absent & stack) == 0) {
            below = hpr__swatch_next(swatches, n, band, -1, stack);
            taken |= below >= 0 ? angle_bit(&fills[below]) : 0;
        }
    }
    return taken;
}

/* Returns the angle that the fewest bands on this background have so far, and that is not taken
 * unless all are; of equals the one that the name hashes to, or the next. */
static unsigned best_angle(const unsigned *n_users, unsigned taken, hpf_str name)
{
    unsigned wanted = (unsigned)(hpr__palette_hash(hpf_str_without_id(name)) % N_ANGLES);
    unsigned best = NO_ANGLE;
    taken = taken == ALL_ANGLES ? 0 : taken;
    for (unsigned i = 0; i < N_ANGLES; i++) {
        unsigned angle = (wanted + i) % N_ANGLES;
        bool is_free = (taken & 1U << angle) == 0;
        if (is_free && (best == NO_ANGLE || n_users[angle] < n_users[best])) {
            best = angle;
        }
    }
    return best;
}

void hpr__print_style_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n)
{
    unsigned n_users[N_GROUNDS][N_ANGLES] = {{0}};
    uint64_t stacks = hpr__swatch_stacks(swatches, n);
    for (uint32_t i = 0; i < n; i++) {
        if (swatches[i].is_other) {
            fills[i] = grey_fill(OTHER_GREY);
            continue;
        }
        unsigned ground = i % N_GROUNDS;
        unsigned taken = angles_below(fills, swatches, n, stacks, i);
        unsigned angle = best_angle(n_users[ground], taken, swatches[i].name);
        n_users[ground][angle]++;
        fills[i] = grey_fill(grounds[ground].grey);
        fills[i].hatch_deg = angles_deg[angle];
        fills[i].hatch_gap_pt = grounds[ground].gap_pt;
    }
}

/* --- any fill ------------------------------------------------------------------------------- */

const hpr_colour *hpr__pinned_colour(const hpr_options *options, hpf_str name)
{
    for (size_t i = 0; i < options->n_pins; i++) {
        hpf_str pin = options->pins[i].name;
        if (hpf_str_equal(pin, name) || hpf_str_equal(pin, hpf_str_without_id(name)) ||
            hpf_str_equal(hpf_str_without_id(pin), name)) {
            return &options->pins[i].colour;
        }
    }
    return NULL;
}

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
        return HPF_OK;
    }
    hpr_colour *colours = hpf_arena_array(arena, n, sizeof *colours);
    if (!colours ||
        !hpr__palette_choose(colours, swatches, n, options->theme == HPR_THEME_DARK, arena)) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        fills[i] = (hpr_fill){.colour = colours[i]};
    }
    return HPF_OK;
}

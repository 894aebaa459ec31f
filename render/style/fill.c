/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing colours, dashes and markers from the heaviest line down.
 */
#include "style/fill.h"

#include <math.h>

#include "hpfile/str.h"

/* --- line styles ----------------------------------------------------------------------------- */

enum { N_SHADES = 2, N_COLOURS = HPR__N_HUES * N_SHADES, N_DASHES = 5, NO_HUE = -1 };

static const double dashes_pt[N_DASHES] = {0, 4, 1.5, 8, 2.5};

/* What a line must have against the ground. */
static const double least_contrast = 2.5;

/* A colour, and how many lines have it with each kind of dashes. */
typedef struct ink {
    hpr_colour colour;
    int hue; /* of the palette; NO_HUE for a colour that is no matter of choice */
    hpr__appearance appearance;
    uint32_t n_users[N_DASHES];
} ink;

typedef struct choice {
    const hpr__theme *theme;
    bool is_dark;
    ink *inks; /* N_COLOURS, and behind them those that are no matter of choice */
    size_t n_inks;
} choice;

/* The colour, darker or lighter if the ground asks for that. */
static hpr_colour make_visible(hpr_colour colour, hpr_colour ground)
{
    const hpr_colour far = hpr__colour_ink_on(ground);
    while (hpr__colour_contrast(colour, ground) < least_contrast) {
        colour = hpr__colour_mix(colour, far, 0.9);
    }
    return colour;
}

static ink *add_ink(choice *c, hpr_colour colour, int hue)
{
    ink *added = &c->inks[c->n_inks++];
    *added = (ink){.colour = make_visible(colour, c->theme->background), .hue = hue};
    added->appearance = hpr__appearance_of(added->colour);
    return added;
}

/* The two shades of each hue that are farther from the ground. */
static void list_colours(choice *c)
{
    for (int i = 0; i < N_COLOURS; i++) {
        int hue = i % HPR__N_HUES;
        add_ink(c, hpr__palette_colour(hue, i / HPR__N_HUES + c->is_dark), hue);
    }
}

static uint32_t users_of(const ink *used)
{
    uint32_t n = 0;
    for (int i = 0; i < N_DASHES; i++) {
        n += used->n_users[i];
    }
    return n;
}

/* To how many eyes two colours are alike; shades of one hue, which are thin lines here, to one
 * more. */
static int n_eyes_mistaken(const ink *x, const ink *y)
{
    int n = x->hue != NO_HUE && x->hue == y->hue;
    for (int eye = 0; eye < HPR__N_VISIONS; eye++) {
        n += hpr__lab_difference(x->appearance.lab[eye], y->appearance.lab[eye]) <
             HPR__MIN_DIFFERENCE;
    }
    return n;
}

/* How much is against a colour: that others have one like it, and then that the name calls for
 * another. */
static uint64_t cost_of(const choice *c, hpf_str name, int colour)
{
    uint64_t hash = hpr__palette_hash(name);
    bool is_hue = (int)(hash % HPR__N_HUES) == colour % HPR__N_HUES;
    bool is_shade = (int)(hash / HPR__N_HUES % N_SHADES) == colour / HPR__N_HUES;
    uint64_t cost =
        (is_hue ? 0 : 16) + (is_shade ? 0 : 8) + ((hash >> 8) + (uint64_t)colour * 7) % 8;
    for (size_t i = 0; i < c->n_inks; i++) {
        uint32_t n = users_of(&c->inks[i]);
        cost += n > 0 ? 32 * n * (uint64_t)n_eyes_mistaken(&c->inks[i], &c->inks[colour]) : 0;
    }
    return cost;
}

static ink *best_ink(const choice *c, hpf_str name)
{
    int best = 0;
    for (int colour = 1; colour < N_COLOURS; colour++) {
        best = cost_of(c, name, colour) < cost_of(c, name, best) ? colour : best;
    }
    return &c->inks[best];
}

/* The dashes that fewest lines of such a colour have. */
static int best_dashes(const choice *c, const ink *chosen)
{
    uint32_t n_alike[N_DASHES] = {0};
    int best = 0;
    for (size_t i = 0; i < c->n_inks; i++) {
        const ink *other = &c->inks[i];
        bool counts = users_of(other) > 0 && n_eyes_mistaken(other, chosen) > 0;
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
    ink *chosen = is_fixed ? add_ink(c, swatch->pinned ? *swatch->pinned : fixed, NO_HUE)
                           : best_ink(c, hpf_str_without_id(swatch->name));
    int dashes = best_dashes(c, chosen);
    chosen->n_users[dashes]++;
    return (hpr_fill){.colour = chosen->colour, .dash_pt = dashes_pt[dashes]};
}

/* With the next dashes and the next marker each time, it takes ten lines until both come again. */
static hpr_fill print_fill(const hpr__theme *theme, uint32_t rank)
{
    return (hpr_fill){
        .is_gray = true,
        .colour = theme->ink,
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
        .inks = hpf_arena_array(arena, (size_t)N_COLOURS + n, sizeof(ink)),
    };
    if (!ranking || !c.inks) {
        return false;
    }
    list_colours(&c);
    hpr__palette_rank(ranking, swatches, n);
    for (uint32_t rank = 0, line = 0; rank < n; rank++) {
        const hpr__swatch *swatch = &swatches[ranking[rank].band];
        hpr_fill *fill = &fills[ranking[rank].band];
        if (swatch->is_other) {
            *fill = (hpr_fill){.colour = c.theme->faint}; /* and is not drawn */
        } else {
            *fill = theme == HPR_THEME_PRINT ? print_fill(c.theme, line) : choose(&c, swatch);
            line++;
        }
    }
    return true;
}

/* --- lines on each other -------------------------------------------------------------------- */

/* Whether two lines are one to the eye, nearly everywhere. */
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

/* The angle of a hatch as a bit; no hatch: no bit. */
static unsigned angle_bit(const hpr_fill *fill)
{
    unsigned bit = 0;
    for (unsigned i = 0; i < N_ANGLES && fill->hatch_gap_pt > 0; i++) {
        bit |= fill->hatch_deg == angles_deg[i] ? 1U << i : 0;
    }
    return bit;
}

/* The angles of what lies right below a band, in one stack or another. */
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

/* The angle that the fewest bands on this ground have so far, none of those that are taken unless
 * all are; among equals the one that the name calls for, or the next. */
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

/* --- any fill ---------------------------------------------------------------------------- */

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

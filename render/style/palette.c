/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fixed colours for biographies, grey for OTHER, a hash and a search for the rest.
 *
 * The search visits the bands from the heaviest down and gives each the colour of least cost, given
 * the colours chosen so far. A band has at most two neighbours, so one of the three lightnesses is
 * always free, and nearly all hues in it differ from both neighbours for every kind of vision.
 */
#include "base/arena.h"
#include "style/palette.h"

#include <stdlib.h>

#include "hpfile/str.h"

enum {
    N_PALETTE = HPR__N_HUES * HPR__N_LIGHTNESSES,
    N_BIOGRAPHY = 5,
    N_GREYS = HPR__N_GREYS,
    FIRST_BIOGRAPHY = N_PALETTE,
    FIRST_GREY = FIRST_BIOGRAPHY + N_BIOGRAPHY,
    N_COLOURS = FIRST_GREY + N_GREYS,
    UNDECIDED = UINT16_MAX,
};

/* Hue by hue: dark (L* 42), middle (64), light (86). */
static const uint32_t palette_hex[HPR__N_HUES][HPR__N_LIGHTNESSES] = {
    {0x03699e, 0x3ea2e8, 0xb9dbff}, /* blue */
    {0x056d81, 0x08aac8, 0x95e3f9}, /* sky */
    {0x017064, 0x0bae9c, 0x95e6d8}, /* teal */
    {0x287137, 0x5cac68, 0xafe4b3}, /* green */
    {0x5f6918, 0x97a23f, 0xd7dd8f}, /* olive */
    {0x7d5f01, 0xc09521, 0xf9d284}, /* sand */
    {0x9e4c09, 0xe68139, 0xffcdaf}, /* orange */
    {0xb23450, 0xef7588, 0xffcacf}, /* rose */
    {0x844d9b, 0xbd87d2, 0xebcdf6}, /* purple */
};

/* Each differs by 20 or more in L* from all others, so any two may be adjacent. */
static const struct {
    const char *name;
    uint32_t light_hex, dark_hex;
} biography[N_BIOGRAPHY] = {
    {"VOID", 0x3a0426, 0x4c1636}, {"LAG", 0x024c8b, 0x025aa3},          {"USE", 0x348f59, 0x439d65},
    {"DRAG", 0xefa84e, 0xfdb45a}, {"INHERENT_USE", 0xe4f7e4, 0xf4fff4},
};

/* OTHER has the first one unless a neighbour is too similar. */
static const uint32_t grey_hex[2][N_GREYS] = {
    {0xd6d6d6, 0x9b9b9b, 0x636363},
    {0x636363, 0x9b9b9b, 0xd6d6d6},
};

static const hpr__theme light_theme = {
    .background = {1, 1, 1},
    .text = {0.13, 0.14, 0.16},
    .muted = {0.42, 0.44, 0.47},
    .rule = {0.60, 0.62, 0.65},
    .grid = {0.90, 0.905, 0.91},
    .outline = {0.20, 0.21, 0.24},
    .edge = {1, 1, 1},
    .line_scale = 1,
};

static const hpr__theme dark_theme = {
    .background = {0.09, 0.10, 0.12},
    .text = {0.92, 0.93, 0.94},
    .muted = {0.62, 0.64, 0.67},
    .rule = {0.45, 0.47, 0.50},
    .grid = {0.19, 0.20, 0.22},
    .outline = {0.86, 0.87, 0.89},
    .edge = {0.09, 0.10, 0.12},
    .line_scale = 1,
};

static const hpr__theme print_theme = {
    .background = {1, 1, 1},
    .text = {0, 0, 0},
    .muted = {0, 0, 0},
    .rule = {0.35, 0.35, 0.35},
    .grid = {0.80, 0.80, 0.80},
    .outline = {0, 0, 0},
    .edge = {0, 0, 0},
    .line_scale = 1,
};

static const hpr__theme slide_theme = {
    .background = {1, 1, 1},
    .text = {0.05, 0.05, 0.07},
    .muted = {0.25, 0.27, 0.30},
    .rule = {0.45, 0.47, 0.50},
    .grid = {0.85, 0.855, 0.86},
    .outline = {0.10, 0.11, 0.13},
    .edge = {1, 1, 1},
    .line_scale = 1.8,
};

const hpr__theme *hpr__theme_of(hpr_theme theme)
{
    static const hpr__theme *const themes[] = {[HPR_THEME_AUTO] = &light_theme,
                                               [HPR_THEME_LIGHT] = &light_theme,
                                               [HPR_THEME_DARK] = &dark_theme,
                                               [HPR_THEME_PRINT] = &print_theme,
                                               [HPR_THEME_SLIDE] = &slide_theme};
    return themes[theme];
}

hpr_colour hpr__palette_colour(int hue, int lightness)
{
    return hpr__colour_hex(palette_hex[hue][lightness]);
}

hpr_colour hpr__palette_grey(int step, bool is_dark)
{
    return hpr__colour_hex(grey_hex[is_dark][step]);
}

/* FNV-1a, with a final mix that improves the low bits. */
uint64_t hpr__palette_hash(hpf_str name)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < name.length; i++) {
        hash = (hash ^ (unsigned char)name.data[i]) * 1099511628211u;
    }
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return hash ^ hash >> 29;
}

int64_t hpr__swatch_next(const hpr__swatch *swatches, uint32_t n, int64_t band, int direction,
                         uint64_t stack)
{
    int64_t at = band + direction;
    while (at >= 0 && at < (int64_t)n && (swatches[at].absent & stack) != 0) {
        at += direction;
    }
    return at < (int64_t)n ? at : -1;
}

uint64_t hpr__swatch_stacks(const hpr__swatch *swatches, uint32_t n)
{
    uint64_t stacks = 0;
    for (uint32_t i = 0; i < n; i++) {
        stacks |= swatches[i].absent;
    }
    return stacks;
}

typedef struct search {
    const hpr__swatch *swatches;
    uint32_t n;
    uint64_t stacks;  /* that lack something */
    uint16_t *chosen; /* a colour, or UNDECIDED, by band */
    uint32_t n_users[N_PALETTE];
    bool is_like[N_PALETTE][N_PALETTE]; /* look alike */
    /* N_COLOURS, and then the pinned ones in the order of their bands. */
    hpr_colour *colours;
    hpr__appearance *appearances;
} search;

static void list_colours(search *s, bool is_dark)
{
    for (int i = 0; i < N_PALETTE; i++) {
        s->colours[i] = hpr__palette_colour(i % HPR__N_HUES, i / HPR__N_HUES);
    }
    for (int i = 0; i < N_BIOGRAPHY; i++) {
        s->colours[FIRST_BIOGRAPHY + i] =
            hpr__colour_hex(is_dark ? biography[i].dark_hex : biography[i].light_hex);
    }
    for (int i = 0; i < N_GREYS; i++) {
        s->colours[FIRST_GREY + i] = hpr__colour_hex(grey_hex[is_dark][i]);
    }
    for (int i = 0; i < N_COLOURS; i++) {
        s->appearances[i] = hpr__appearance_of(s->colours[i]);
    }
}

static void compare_colours(search *s)
{
    for (int i = 0; i < N_PALETTE; i++) {
        s->is_like[i][i] = true;
        for (int k = 0; k < i; k++) {
            double difference = hpr__lab_difference(s->appearances[i].lab[HPR__VISION_NORMAL],
                                                    s->appearances[k].lab[HPR__VISION_NORMAL]);
            s->is_like[i][k] = s->is_like[k][i] = difference < HPR__MIN_DIFFERENCE;
        }
    }
}

/* Returns how many bands have a colour that looks like this one. */
static uint32_t n_users_alike(const search *s, int colour)
{
    uint32_t n = 0;
    for (int i = 0; i < N_PALETTE; i++) {
        n += s->is_like[colour][i] ? s->n_users[i] : 0;
    }
    return n;
}

/* Returns the index of a biography phase, N_BIOGRAPHY for other names. */
static int biography_index(hpf_str name)
{
    int i = 0;
    while (i < N_BIOGRAPHY && !hpf_str_is(name, biography[i].name)) {
        i++;
    }
    return i;
}

bool hpr__palette_fixed(hpr_colour *out, hpf_str name, bool is_dark)
{
    int i = biography_index(name);
    if (i < N_BIOGRAPHY) {
        *out = hpr__colour_hex(is_dark ? biography[i].dark_hex : biography[i].light_hex);
    }
    return i < N_BIOGRAPHY;
}

hpr_colour hpr__palette_of_name(hpf_str name, bool is_dark)
{
    hpr_colour fixed;
    if (hpr__palette_fixed(&fixed, name, is_dark)) {
        return fixed;
    }
    int wanted = (int)(hpr__palette_hash(hpf_str_without_id(name)) % N_PALETTE);
    return hpr__palette_colour(wanted % HPR__N_HUES, wanted / HPR__N_HUES);
}

static bool is_hue_shared(int colour, int other)
{
    return colour < N_PALETTE && other < N_PALETTE && colour % HPR__N_HUES == other % HPR__N_HUES;
}

/* Returns the cost of a colour because of the next three bands in a direction. */
static uint32_t cost_towards(const search *s, uint32_t band, int colour, int direction,
                             uint64_t stack)
{
    uint32_t cost = 0;
    int64_t at = band;
    for (int steps = 1; steps <= 3; steps++) {
        at = hpr__swatch_next(s->swatches, s->n, at, direction, stack);
        if (at < 0) {
            break;
        }
        uint16_t other = s->chosen[at];
        if (other == UNDECIDED) {
            continue;
        }
        if (steps == 1) {
            cost += hpr__appearance_distinct(&s->appearances[colour], &s->appearances[other])
                        ? 0
                        : 10000;
        }
        cost += is_hue_shared(colour, other) ? 12 : 0;
    }
    return cost;
}

/* Returns the cost of a colour because of the bands around it in one stack. */
static uint32_t cost_in_stack(const search *s, uint32_t band, int colour, uint64_t stack)
{
    return cost_towards(s, band, colour, -1, stack) + cost_towards(s, band, colour, 1, stack);
}

/* Returns the cost of a colour because of the bands around it, in the stack where it is highest. */
static uint32_t cost_of_neighbours(const search *s, uint32_t band, int colour)
{
    uint32_t worst = cost_in_stack(s, band, colour, 0);
    uint64_t stacks = s->stacks & ~s->swatches[band].absent;
    for (uint64_t stack = 1; stack != 0 && stack <= stacks; stack <<= 1) {
        uint32_t cost = (stacks & stack) != 0 ? cost_in_stack(s, band, colour, stack) : 0;
        worst = cost > worst ? cost : worst;
    }
    return worst;
}

/* Returns the cost of a palette colour that is not the one that the name hashes to. */
static uint32_t cost_for_name(hpf_str name, int colour)
{
    uint64_t hash = hpr__palette_hash(name);
    int wanted = (int)(hash % N_PALETTE);
    if (colour == wanted) {
        return 0;
    }
    uint32_t rank = (uint32_t)((hash >> 8) + (uint64_t)colour * 7) % 8;
    return (is_hue_shared(colour, wanted) ? 8 : 16) + rank;
}

static uint16_t best_colour(const search *s, uint32_t band)
{
    hpf_str name = hpf_str_without_id(s->swatches[band].name);
    uint16_t best = 0;
    uint32_t best_cost = UINT32_MAX;
    for (int colour = 0; colour < N_PALETTE; colour++) {
        uint32_t cost =
            cost_for_name(name, colour) + 100 * s->n_users[colour] + 20 * n_users_alike(s, colour);
        if (cost < best_cost) {
            cost += cost_of_neighbours(s, band, colour);
        }
        if (cost < best_cost) {
            best_cost = cost;
            best = (uint16_t)colour;
        }
    }
    return best;
}

static uint16_t best_grey(const search *s, uint32_t band)
{
    for (int i = 0; i < N_GREYS; i++) {
        if (cost_of_neighbours(s, band, FIRST_GREY + i) == 0) {
            return (uint16_t)(FIRST_GREY + i);
        }
    }
    return FIRST_GREY;
}

/* Sets the colours that are not searched: pinned ones, biography phases, the grey of OTHER. */
static void pin_bands(search *s)
{
    int n_colours = N_COLOURS;
    for (uint32_t band = 0; band < s->n; band++) {
        const hpr__swatch *swatch = &s->swatches[band];
        int phase = swatch->is_other ? N_BIOGRAPHY : biography_index(swatch->name);
        s->chosen[band] = phase < N_BIOGRAPHY ? (uint16_t)(FIRST_BIOGRAPHY + phase) : UNDECIDED;
        if (swatch->pinned && n_colours < UNDECIDED) {
            s->colours[n_colours] = *swatch->pinned;
            s->appearances[n_colours] = hpr__appearance_of(*swatch->pinned);
            s->chosen[band] = (uint16_t)n_colours++;
        }
    }
    for (uint32_t band = 0; band < s->n; band++) {
        if (s->swatches[band].is_other && s->chosen[band] == UNDECIDED) {
            s->chosen[band] = best_grey(s, band);
        }
    }
}

static int compare_ranked(const void *a, const void *b)
{
    const hpr__ranked *x = a;
    const hpr__ranked *y = b;
    if (x->weight != y->weight) {
        return x->weight > y->weight ? -1 : 1;
    }
    return x->band < y->band ? -1 : x->band > y->band;
}

void hpr__palette_rank(hpr__ranked *ranking, const hpr__swatch *swatches, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ranking[i] = (hpr__ranked){swatches[i].weight, i};
    }
    qsort(ranking, n, sizeof *ranking, compare_ranked);
}

bool hpr__palette_choose(hpr_colour *colours, const hpr__swatch *swatches, uint32_t n, bool is_dark,
                         hpf_arena *arena)
{
    search *s = hpf_arena_alloc(arena, sizeof *s);
    hpr__ranked *ranking = hpf_arena_array(arena, n, sizeof *ranking);
    uint16_t *chosen = hpf_arena_array(arena, n, sizeof *chosen);
    hpr_colour *all = hpf_arena_array(arena, (size_t)N_COLOURS + n, sizeof *all);
    hpr__appearance *looks = hpf_arena_array(arena, (size_t)N_COLOURS + n, sizeof *looks);
    if (!s || !ranking || !chosen || !all || !looks) {
        return false;
    }
    s->swatches = swatches;
    s->n = n;
    s->stacks = hpr__swatch_stacks(swatches, n);
    s->chosen = chosen;
    s->colours = all;
    s->appearances = looks;
    list_colours(s, is_dark);
    compare_colours(s);
    pin_bands(s);
    hpr__palette_rank(ranking, swatches, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t band = ranking[i].band;
        if (chosen[band] == UNDECIDED) {
            chosen[band] = best_colour(s, band);
            s->n_users[chosen[band]]++;
        }
    }
    for (uint32_t band = 0; band < n; band++) {
        colours[band] = s->colours[chosen[band]];
    }
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fixed colours for biographies, grey for OTHER, a hash and a ranking for the rest.
 */
#include "style/palette.h"

#include "base/names.h"

#include <math.h>
#include <stdlib.h>

#include "hpfile/str.h"

enum {
    N_PALETTE = HPR__N_HUES * HPR__N_LIGHTNESSES,
    N_BIOGRAPHY = 7,
};

/* Hue by hue: dark (L* 42), middle (64), light (86). */
static const uint32_t palette_hex[HPR__N_HUES][HPR__N_LIGHTNESSES] = {
    {0x03699e, 0x3ea2e8, 0xb9dbff}, /* blue */
    {0x056d81, 0x08aac8, 0x95e3f9}, /* sky */
    {0x017064, 0x0bae9c, 0x95e6d8}, /* teal */
    {0x287137, 0x5cac68, 0xafe4b3}, /* green */
    {0x516c1b, 0x86a647, 0xc8e191}, /* olive */
    {0x835c00, 0xc8921d, 0xffd086}, /* sand */
    {0x9e4c09, 0xe68139, 0xffcdaf}, /* orange */
    {0xb23450, 0xef7588, 0xffcacf}, /* rose */
    {0x844d9b, 0xbd87d2, 0xebcdf6}, /* purple */
};

/* Each differs by 20 or more in L* from all others, so any two may be adjacent. While a program
 * runs, lag is not distinguished from void and use not from drag: these two are never in a profile
 * with the phases whose colours they have. */
static const struct {
    const char *name;
    uint32_t light_hex, dark_hex;
} biography[N_BIOGRAPHY] = {
    {"VOID", 0x4e0038, 0x4c1636},
    {"LAG", 0x045498, 0x025aa3},
    {"USE", 0x3b955e, 0x439d65},
    {"DRAG", 0xf4ab4e, 0xfdb45a},
    {"INHERENT_USE", 0xe5f8e5, 0xf4fff4},
    {"NOT_YET_USED", 0x045498, 0x025aa3},
    {"NOT_USED_SINCE", 0xf4ab4e, 0xfdb45a},
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

const char *const hpr_theme_names[] = {
    [HPR_THEME_AUTO] = "auto",   [HPR_THEME_LIGHT] = "light", [HPR_THEME_DARK] = "dark",
    [HPR_THEME_PRINT] = "print", [HPR_THEME_SLIDE] = "slide", NULL};

const hpr__theme *hpr__theme_of(hpr_theme theme)
{
    static const hpr__theme *const themes[] = {[HPR_THEME_AUTO] = &light_theme,
                                               [HPR_THEME_LIGHT] = &light_theme,
                                               [HPR_THEME_DARK] = &dark_theme,
                                               [HPR_THEME_PRINT] = &print_theme,
                                               [HPR_THEME_SLIDE] = &slide_theme};
    return themes[theme];
}

/* Returns a colour of the palette; lightness 0 is dark, 2 is light. */
static hpr_colour palette_colour(int hue, int lightness)
{
    return hpr__colour_hex(palette_hex[hue][lightness]);
}

hpr_colour hpr__palette_grey(bool is_dark)
{
    return hpr__colour_hex(is_dark ? 0x636363 : 0xd6d6d6);
}

hpr_colour hpr__edge_between(const hpr__theme *theme, hpr_colour x, hpr_colour y)
{
    const double least_contrast = 2;
    hpr__appearance a = hpr__appearance_of(x), b = hpr__appearance_of(y);
    double contrast =
        fmin(hpr__colour_contrast(theme->edge, x), hpr__colour_contrast(theme->edge, y));
    return contrast >= least_contrast || hpr__appearance_distinct(&a, &b) ? theme->edge
                                                                          : theme->outline;
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
    int wanted = (int)(hpr__palette_hash(hpf__without_id(name)) % N_PALETTE);
    return palette_colour(wanted % HPR__N_HUES, wanted / HPR__N_HUES);
}

/* --- all names of a profile ------------------------------------------------------------------ */

/* Costs of a colour: each name that has it already; each that has one that looks alike; the name
 * ranked before, if the two would be hard to tell apart; names ranked shortly before of the same
 * hue. Preferences of the name itself cost less than 24. */
enum { USED = 100, USED_ALIKE = 20, NEXT_TO_LIKE = 10000, NEAR_SAME_HUE = 12, N_NEAR = 3 };

typedef struct palette {
    hpr__appearance appearances[N_PALETTE];
    bool is_alike[N_PALETTE][N_PALETTE];    /* for normal vision */
    bool is_distinct[N_PALETTE][N_PALETTE]; /* in lightness, and for every kind of vision */
    uint32_t cost[N_PALETTE];               /* of the names so far */
    int last[N_NEAR];                       /* colours of the last names, or -1 */
} palette;

static void init_palette(palette *p)
{
    *p = (palette){.last = {-1, -1, -1}};
    for (int i = 0; i < N_PALETTE; i++) {
        p->appearances[i] = hpr__appearance_of(palette_colour(i % HPR__N_HUES, i / HPR__N_HUES));
        for (int k = 0; k < i; k++) {
            const hpr__appearance *x = &p->appearances[i], *y = &p->appearances[k];
            double difference =
                hpr__lab_difference(x->lab[HPR__VISION_NORMAL], y->lab[HPR__VISION_NORMAL]);
            p->is_alike[i][k] = p->is_alike[k][i] = difference < HPR__MIN_DIFFERENCE;
            p->is_distinct[i][k] = p->is_distinct[k][i] = hpr__appearance_distinct(x, y);
        }
    }
}

/* Returns the colour of least cost for the next name, and counts it. */
static int next_colour(palette *p, hpf_str name)
{
    uint64_t hash = hpr__palette_hash(hpf__without_id(name));
    int wanted = (int)(hash % N_PALETTE), best = 0;
    uint32_t best_cost = UINT32_MAX;
    for (int colour = 0; colour < N_PALETTE; colour++) {
        uint32_t rank = (uint32_t)((hash >> 8) + (uint64_t)colour * 7) % 8;
        uint32_t cost = p->cost[colour];
        if (colour != wanted) {
            cost += rank + (colour % HPR__N_HUES == wanted % HPR__N_HUES ? 8 : 16);
        }
        for (int i = 0; i < N_NEAR && p->last[i] >= 0; i++) {
            cost += i == 0 && !p->is_distinct[colour][p->last[i]] ? NEXT_TO_LIKE : 0;
            cost += colour % HPR__N_HUES == p->last[i] % HPR__N_HUES ? NEAR_SAME_HUE : 0;
        }
        best = cost < best_cost ? colour : best;
        best_cost = cost < best_cost ? cost : best_cost;
    }
    for (int colour = 0; colour < N_PALETTE; colour++) {
        p->cost[colour] += colour == best ? USED : p->is_alike[colour][best] ? USED_ALIKE : 0;
    }
    for (int i = N_NEAR - 1; i > 0; i--) {
        p->last[i] = p->last[i - 1];
    }
    p->last[0] = best;
    return best;
}

static int compare_texts(const void *a, const void *b)
{
    return hpf_str_compare(((const hpr__named *)a)->name, ((const hpr__named *)b)->name);
}

/* Weights are compared as `float`, in which sums that were added in another order are equal. */
static int compare_ranks(const void *a, const void *b)
{
    const hpr__named *x = a, *y = b;
    float difference = (float)y->weight - (float)x->weight;
    return difference != 0 ? (difference > 0) - (difference < 0) : compare_texts(a, b);
}

uint32_t hpr__named_merge(hpr__named *names, uint32_t n)
{
    uint32_t n_merged = 0;
    qsort(names, n, sizeof *names, compare_texts);
    for (uint32_t i = 0; i < n; i++) {
        hpr__named *last = n_merged > 0 ? &names[n_merged - 1] : NULL;
        if (last && hpf_str_equal(last->name, names[i].name)) {
            last->weight += names[i].weight;
            last->band = last->band < names[i].band ? last->band : names[i].band;
        } else {
            names[n_merged++] = names[i];
        }
    }
    return n_merged;
}

const hpr_colour *hpr__pinned_colour(const hpr_options *options, hpf_str name)
{
    for (size_t i = 0; i < options->n_pins; i++) {
        hpf_str pin = options->pins[i].name;
        if (hpf_str_equal(pin, name) || hpf_str_equal(pin, hpf__without_id(name)) ||
            hpf_str_equal(hpf__without_id(pin), name)) {
            return &options->pins[i].colour;
        }
    }
    return NULL;
}

void hpr__palette_choose(hpr_colour *colours, hpr__named *names, uint32_t n, uint32_t n_bands,
                         const hpr_options *options)
{
    palette p;
    float least = HUGE_VALF; /* weight of the lightest band: lighter names do not matter */
    uint32_t n_ranked = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (names[i].band < n_bands) {
            least = fminf(least, (float)names[i].weight);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if ((float)names[i].weight >= least) {
            names[n_ranked++] = names[i];
        }
    }
    qsort(names, n_ranked, sizeof *names, compare_ranks);
    init_palette(&p);
    for (uint32_t i = 0; i < n_ranked; i++) {
        hpr_colour colour;
        if (!hpr__palette_fixed(&colour, names[i].name, options->theme == HPR_THEME_DARK)) {
            int chosen = next_colour(&p, names[i].name);
            colour = palette_colour(chosen % HPR__N_HUES, chosen / HPR__N_HUES);
        }
        if (names[i].band < n_bands) {
            const hpr_colour *pinned = hpr__pinned_colour(options, names[i].name);
            colours[names[i].band] = pinned ? *pinned : colour;
        }
    }
}

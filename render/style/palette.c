/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fixed colours for biographies, grey for OTHER, a hash for the rest.
 */
#include "style/palette.h"

#include "base/names.h"

#include <math.h>

#include "hpfile/str.h"

enum { N_BIOGRAPHY = 7 };

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
    double grey, hatch_deg; /* in print; 0: no hatch */
} biography[N_BIOGRAPHY] = {
    {"VOID", 0x4e0038, 0x4c1636, 1, 45},
    {"LAG", 0x045498, 0x025aa3, 0.83, 0},
    {"USE", 0x3b955e, 0x439d65, 0.93, 0},
    {"DRAG", 0xf4ab4e, 0xfdb45a, 0.72, 0},
    {"INHERENT_USE", 0xe5f8e5, 0xf4fff4, 1, 0},
    {"NOT_YET_USED", 0x045498, 0x025aa3, 0.83, 0},
    {"NOT_USED_SINCE", 0xf4ab4e, 0xfdb45a, 0.72, 0},
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
    name = hpf__without_id(name);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < name.length; i++) {
        hash = (hash ^ (unsigned char)name.data[i]) * 1099511628211u;
    }
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return hash ^ hash >> 29;
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

bool hpr__palette_fixed_print(double *grey, double *hatch_deg, hpf_str name)
{
    int i = biography_index(name);
    if (i < N_BIOGRAPHY) {
        *grey = biography[i].grey;
        *hatch_deg = biography[i].hatch_deg;
    }
    return i < N_BIOGRAPHY;
}

hpr_colour hpr__palette_of_name(hpf_str name, bool is_dark)
{
    hpr_colour fixed;
    if (hpr__palette_fixed(&fixed, name, is_dark)) {
        return fixed;
    }
    return hpr__palette_choice(hpr__palette_hash(name), 0);
}

uint32_t hpr__palette_index(uint64_t hash, uint32_t choice, uint32_t n)
{
    static const uint32_t steps[] = {1, 2, 4, 5, 8, 10, 11, 13};
    return (uint32_t)((hash + (uint64_t)choice * steps[hash >> 32 & 7]) % n);
}

hpr_colour hpr__palette_choice(uint64_t hash, uint32_t choice)
{
    uint32_t at = hpr__palette_index(hash, choice, HPR__N_COLOURS);
    return hpr__colour_hex(palette_hex[at % HPR__N_HUES][at / HPR__N_HUES]);
}

const hpr_colour *hpr__pinned_colour(const hpr_options *options, hpf_str name)
{
    const hpr_pin *found = NULL;
    const hpf_str bare = hpf__without_id(name);
    for (size_t i = 0; i < options->n_pins; i++) {
        const hpr_pin *pin = &options->pins[i];
        if (hpf_str_equal(pin->name, name)) {
            return &pin->colour;
        }
        if (!found &&
            (hpf_str_equal(pin->name, bare) || hpf_str_equal(hpf__without_id(pin->name), name))) {
            found = pin;
        }
    }
    return found ? &found->colour : NULL;
}

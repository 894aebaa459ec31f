/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Colours belong to names: a name has one colour in all profiles, unless a larger neighbour looks
 * like it.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "hpfile/str.h"
#include "style/fill.h"

enum { MOST = 64 };

/* The bands of a picture, bottom first, and their fills. */
typedef struct picture {
    hpr__swatch list[MOST];
    char texts[MOST][32];
    hpr_fill fills[MOST];
    uint32_t n;
} picture;

static void add(picture *all, const char *name, double weight)
{
    uint32_t i = all->n++;
    snprintf(all->texts[i], sizeof all->texts[i], "%s", name);
    all->list[i] = (hpr__swatch){
        .name = {all->texts[i], strlen(all->texts[i])}, .weight = weight, .max = weight};
}

static void choose(picture *all, const hpr_options *options)
{
    hpf_arena *arena = hpf_arena_create();
    cr_assert_eq(hpr__fill_choose(all->fills, all->list, all->n, options, arena, NULL), HPF_OK);
    hpf_arena_destroy(arena);
}

static void choose_for(picture *all, hpr_theme theme)
{
    const hpr_options options = {.theme = theme};
    choose(all, &options);
}

static bool is_same(const hpr_fill *x, const hpr_fill *y)
{
    return x->colour.red == y->colour.red && x->colour.green == y->colour.green &&
           x->colour.blue == y->colour.blue && x->hatch_deg == y->hatch_deg &&
           x->hatch_gap_pt == y->hatch_gap_pt;
}

static bool is_distinct(hpr_colour x, hpr_colour y)
{
    hpr__appearance a = hpr__appearance_of(x), b = hpr__appearance_of(y);
    return hpr__appearance_distinct(&a, &b);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void add_random(picture *all, uint32_t n, uint32_t *state)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "Module%u.go", (unsigned)next_random(state));
        add(all, name, 1000 + next_random(state) % 1000);
    }
}

/* Another profile of the same program: other amounts, some names missing, some new ones. */
static picture another_run(const picture *one, uint32_t *state)
{
    picture other = {.n = 0};
    for (uint32_t i = 0; i < one->n; i++) {
        if (next_random(state) % 8 == 0) {
            add_random(&other, 1, state);
        }
        if (next_random(state) % 8 != 0) {
            add(&other, one->texts[i], one->list[i].weight * (1 + next_random(state) % 50 / 100.0));
        }
    }
    return other;
}

Test(palette, two_runs_share_their_colours_and_greys)
{
    static const hpr_theme themes[] = {HPR_THEME_LIGHT, HPR_THEME_DARK, HPR_THEME_PRINT};
    for (size_t theme = 0; theme < 3; theme++) {
        uint32_t state = 1, n_common = 0, n_same = 0;
        for (int round = 0; round < 300; round++) {
            picture one = {.n = 0};
            add_random(&one, 15, &state);
            picture other = another_run(&one, &state);
            choose_for(&one, themes[theme]);
            choose_for(&other, themes[theme]);
            for (uint32_t i = 0; i < one.n; i++) {
                for (uint32_t k = 0; k < other.n; k++) {
                    bool is_common = strcmp(one.texts[i], other.texts[k]) == 0;
                    n_common += is_common;
                    n_same += is_common && is_same(&one.fills[i], &other.fills[k]);
                }
            }
        }
        cr_expect_gt(n_common, 3000);
        /* Print has few greys, so more bands move; golden.colours tests real profiles. */
        double least = themes[theme] == HPR_THEME_PRINT ? 0.75 : 0.95;
        cr_expect_geq(n_same, least * n_common, "theme %d: %u of %u", themes[theme], n_same,
                      n_common);
    }
}

Test(palette, neighbours_and_the_largest_do_not_look_alike)
{
    uint32_t state = 7;
    for (int round = 0; round < 300; round++) {
        picture all = {.n = 0}, print;
        add_random(&all, 9, &state);
        print = all;
        choose_for(&all, HPR_THEME_LIGHT);
        choose_for(&print, HPR_THEME_PRINT);
        for (uint32_t i = 0; i < all.n; i++) {
            for (uint32_t k = 0; k < i; k++) { /* each has a tenth of the weight, nearly */
                bool is_kept_apart =
                    k + 1 == i || (all.list[i].weight > 1800 && all.list[k].weight > 1800);
                cr_expect(!is_kept_apart || !is_same(&all.fills[i], &all.fills[k]), "%s, %s",
                          all.texts[i], all.texts[k]);
                cr_expect(!is_kept_apart || !is_same(&print.fills[i], &print.fills[k]), "%s, %s",
                          all.texts[i], all.texts[k]);
            }
        }
    }
}

Test(palette, a_thin_band_is_not_equal_to_another_one)
{
    enum { N_THICK = 8, N = 16 };
    uint32_t state = 5, n_moved = 0;
    for (int round = 0; round < 200; round++) {
        picture all = {.n = 0};
        add_random(&all, N_THICK, &state);
        for (uint32_t i = N_THICK; i < N; i++) {
            char name[32];
            snprintf(name, sizeof name, "Thin%u.go", (unsigned)next_random(&state));
            add(&all, name, 10 + i);
        }
        choose_for(&all, HPR_THEME_LIGHT);
        for (uint32_t i = N_THICK; i < N; i++) {
            hpr_colour own = hpr__palette_of_name(all.list[i].name, false);
            n_moved += !is_same(&all.fills[i], &(hpr_fill){.colour = own});
            for (uint32_t k = 0; k < i; k++) {
                cr_expect(!is_same(&all.fills[i], &all.fills[k]), "%s, %s", all.texts[i],
                          all.texts[k]);
            }
        }
    }
    cr_expect_gt(n_moved, 100);
}

Test(palette, only_the_smaller_of_two_that_look_alike_moves)
{
    uint32_t state = 3, n_moved = 0;
    for (int round = 0; round < 500; round++) {
        picture all = {.n = 0};
        add_random(&all, 2, &state);
        choose_for(&all, HPR_THEME_LIGHT);
        uint32_t smaller = all.list[1].weight < all.list[0].weight;
        for (uint32_t i = 0; i < 2; i++) {
            hpr_colour own = hpr__palette_of_name(all.list[i].name, false);
            bool is_moved = !is_same(&all.fills[i], &(hpr_fill){.colour = own});
            cr_expect(!is_moved || i == smaller);
            cr_expect(!is_moved || is_distinct(all.fills[0].colour, all.fills[1].colour));
            n_moved += is_moved;
        }
    }
    cr_expect(n_moved > 5 && n_moved < 50, "%u", n_moved);
}

Test(palette, bands_that_touch_in_any_of_several_stacks_differ)
{
    uint32_t state = 9;
    picture all = {.n = 0};
    add_random(&all, 60, &state);
    for (uint32_t i = 0; i < all.n; i++) {
        all.list[i].absent = i % 2; /* bit 0: every other band is missing */
    }
    choose_for(&all, HPR_THEME_PRINT);
    for (uint32_t i = 2; i < all.n; i++) {
        cr_expect_not(is_same(&all.fills[i], &all.fills[i - 1]), "%u", i);
        cr_expect(i % 2 == 1 || !is_same(&all.fills[i], &all.fills[i - 2]), "%u", i);
        cr_expect(all.fills[i].is_gray && all.fills[i].colour.red > 0.65);
    }
}

Test(palette, ids_of_stacks_do_not_matter)
{
    picture x = {.n = 0}, y = {.n = 0};
    add(&x, "(241)main.go/main", 10);
    add(&y, "(7)main.go/main", 20);
    choose_for(&x, HPR_THEME_LIGHT);
    choose_for(&y, HPR_THEME_LIGHT);
    cr_assert(is_same(&x.fills[0], &y.fills[0]));
}

Test(palette, pinned_name_does_not_change_other_colours)
{
    const hpr_pin pin = {HPF_STR("b"), {1, 0, 0}};
    const hpr_options options = {.pins = &pin, .n_pins = 1};
    picture plain = {.n = 0}, pinned;
    for (int i = 0; i < 6; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        add(&plain, name, 10 - i);
    }
    pinned = plain;
    choose_for(&plain, HPR_THEME_LIGHT);
    choose(&pinned, &options);
    const hpr_fill red = {.colour = {1, 0, 0}};
    for (int i = 0; i < 6; i++) {
        cr_expect(is_same(&pinned.fills[i], i == 1 ? &red : &plain.fills[i]), "%d", i);
    }
}

Test(palette, few_bands_of_print_are_all_distinct)
{
    uint32_t state = 5;
    for (int round = 0; round < 300; round++) {
        picture all = {.n = 0};
        add_random(&all, 6, &state);
        add(&all, "thin", 1);
        choose_for(&all, HPR_THEME_PRINT);
        for (uint32_t i = 0; i < all.n; i++) {
            for (uint32_t k = 0; k < i; k++) {
                const hpr_fill *x = &all.fills[i], *y = &all.fills[k];
                cr_expect(x->hatch_deg != y->hatch_deg ||
                              fabs(x->colour.red - y->colour.red) > 0.085,
                          "%s, %s", all.texts[i], all.texts[k]);
            }
        }
    }
}

Test(palette, biography_is_fixed_and_distinct_in_any_order)
{
    static const char *const phases[2][5] = {
        {"VOID", "LAG", "USE", "DRAG", "INHERENT_USE"},
        {"VOID", "NOT_YET_USED", "USE", "NOT_USED_SINCE", "INHERENT_USE"}}; /* while it runs */
    for (int theme = HPR_THEME_LIGHT; theme <= HPR_THEME_DARK; theme++) {
        picture all[2] = {{.n = 0}, {.n = 0}};
        for (int is_live = 0; is_live < 2; is_live++) {
            for (int i = 0; i < 5; i++) {
                add(&all[is_live], phases[is_live][i], i);
            }
            choose_for(&all[is_live], (hpr_theme)theme);
        }
        for (int i = 0; i < 5; i++) {
            for (int k = 0; k < i; k++) {
                cr_expect(is_distinct(all[0].fills[i].colour, all[0].fills[k].colour), "%d, %d", i,
                          k);
            }
            cr_expect(!is_distinct(all[0].fills[i].colour, all[1].fills[i].colour), "%s",
                      phases[1][i]);
        }
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Colours of names: the same in all pictures of a profile, distinct for every kind of vision.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/str.h"
#include "style/palette.h"

enum { MOST = 64 };

/* All names of a profile, and their colours. */
typedef struct names {
    hpr__named list[MOST];
    char texts[MOST][32];
    hpr_colour colours[MOST];
    uint32_t n;
} names;

static void add(names *all, const char *name, double weight)
{
    uint32_t i = all->n++;
    snprintf(all->texts[i], sizeof all->texts[i], "%s", name);
    all->list[i] = (hpr__named){{all->texts[i], strlen(all->texts[i])}, weight, i};
}

/* Chooses colours for the names whose bands are below `n_bands`. */
static void choose(names *all, uint32_t n_bands, hpr_theme theme)
{
    hpr__named list[MOST];
    const hpr_options options = {.theme = theme};
    memcpy(list, all->list, sizeof list);
    hpr__palette_choose(all->colours, list, all->n, n_bands, &options);
}

static bool is_same(hpr_colour x, hpr_colour y)
{
    return x.red == y.red && x.green == y.green && x.blue == y.blue;
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

static void add_random(names *all, uint32_t n, uint32_t *state)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "Module%u.go", (unsigned)next_random(state));
        add(all, name, 1e6 - i);
    }
}

Test(palette, names_of_adjacent_ranks_are_distinct)
{
    uint32_t state = 1;
    for (int round = 0; round < 300; round++) {
        names all = {.n = 0};
        add_random(&all, 2 + next_random(&state) % 40, &state);
        choose(&all, all.n, HPR_THEME_LIGHT);
        for (uint32_t i = 1; i < all.n; i++) {
            cr_expect(is_distinct(all.colours[i - 1], all.colours[i]), "%s, %s", all.texts[i - 1],
                      all.texts[i]);
        }
    }
}

Test(palette, colour_does_not_depend_on_the_picture_or_the_order_of_names)
{
    uint32_t state = 5;
    for (int round = 0; round < 100; round++) {
        names all = {.n = 0}, some = {.n = 0};
        add_random(&all, 40, &state);
        choose(&all, all.n, HPR_THEME_LIGHT);
        for (uint32_t i = 0; i < all.n; i++) { /* every third name, and the list backwards */
            some.list[i] = all.list[all.n - 1 - i];
            some.list[i].band = some.list[i].band % 3 == 0 ? some.list[i].band : HPF_NO_BAND;
        }
        some.n = all.n;
        choose(&some, 25, HPR_THEME_LIGHT);
        for (uint32_t band = 0; band < 25; band += 3) {
            cr_expect(is_same(all.colours[band], some.colours[band]), "%s", all.texts[band]);
        }
    }
}

Test(palette, uses_all_colours_before_one_twice)
{
    uint32_t state = 7;
    for (int round = 0; round < 100; round++) {
        names all = {.n = 0};
        add_random(&all, HPR__N_HUES * HPR__N_LIGHTNESSES, &state);
        choose(&all, all.n, HPR_THEME_LIGHT);
        for (uint32_t i = 0; i < 15; i++) { /* the last colours may be like those next to them */
            for (uint32_t k = 0; k < i; k++) {
                cr_expect_not(is_same(all.colours[i], all.colours[k]));
            }
        }
    }
}

Test(palette, largest_names_look_different)
{
    uint32_t state = 3;
    for (int round = 0; round < 100; round++) {
        names all = {.n = 0};
        add_random(&all, 20, &state);
        choose(&all, 7, HPR_THEME_DARK);
        for (uint32_t i = 0; i < 7; i++) {
            for (uint32_t k = 0; k < i; k++) {
                double difference =
                    hpr__lab_difference(hpr__lab_of(all.colours[i]), hpr__lab_of(all.colours[k]));
                cr_expect_geq(difference, HPR__MIN_DIFFERENCE, "%s, %s", all.texts[i],
                              all.texts[k]);
            }
        }
    }
}

Test(palette, largest_name_has_its_colour_in_every_run)
{
    names lone = {.n = 0}, many = {.n = 0};
    add(&lone, "(241)main.go/main", 10);
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "light%d", i);
        add(&many, i == 9 ? "(7)main.go/main" : name, i == 9 ? 1000 : i);
    }
    choose(&lone, 1, HPR_THEME_LIGHT);
    choose(&many, many.n, HPR_THEME_LIGHT);
    cr_assert(is_same(lone.colours[0], many.colours[9]));
}

Test(palette, ranks_names_of_nearly_equal_weight_by_text)
{
    names x = {.n = 0}, y = {.n = 0};
    add(&x, "a", 0.1 + 0.2);
    add(&x, "b", 0.3);
    add(&y, "a", 0.3);
    add(&y, "b", 0.1 + 0.2);
    choose(&x, 2, HPR_THEME_LIGHT);
    choose(&y, 2, HPR_THEME_LIGHT);
    cr_assert(is_same(x.colours[0], y.colours[0]));
    cr_assert(is_same(x.colours[1], y.colours[1]));
}

Test(palette, pinned_name_does_not_change_other_colours)
{
    const hpr_colour red = {1, 0, 0};
    const hpr_pin pin = {HPF_STR("b"), {1, 0, 0}};
    const hpr_options options = {.pins = &pin, .n_pins = 1};
    names plain = {.n = 0}, pinned = {.n = 0};
    for (int i = 0; i < 6; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        add(&plain, name, 10 - i);
        add(&pinned, name, 10 - i);
    }
    choose(&plain, 6, HPR_THEME_LIGHT);
    hpr__palette_choose(pinned.colours, pinned.list, 6, 6, &options);
    for (int i = 0; i < 6; i++) {
        cr_expect(is_same(pinned.colours[i], i == 1 ? red : plain.colours[i]), "%d", i);
    }
}

Test(palette, merging_adds_weights_and_keeps_the_band)
{
    names all = {.n = 0};
    add(&all, "b", 1);
    add(&all, "a", 2);
    add(&all, "b", 4);
    all.list[0].band = HPF_NO_BAND;
    cr_assert_eq(hpr__named_merge(all.list, 3), 2);
    cr_expect(hpf_str_is(all.list[0].name, "a") && all.list[0].weight == 2);
    cr_expect(hpf_str_is(all.list[1].name, "b") && all.list[1].weight == 5);
    cr_expect_eq(all.list[1].band, 2);
}

Test(palette, biography_is_fixed_and_distinct_in_any_order)
{
    static const char *const phases[2][5] = {
        {"VOID", "LAG", "USE", "DRAG", "INHERENT_USE"},
        {"VOID", "NOT_YET_USED", "USE", "NOT_USED_SINCE", "INHERENT_USE"}}; /* while it runs */
    for (int theme = HPR_THEME_LIGHT; theme <= HPR_THEME_DARK; theme++) {
        names all[2] = {{.n = 0}, {.n = 0}};
        for (int is_live = 0; is_live < 2; is_live++) {
            for (int i = 0; i < 5; i++) {
                add(&all[is_live], phases[is_live][i], i);
            }
            choose(&all[is_live], 5, (hpr_theme)theme);
        }
        for (int i = 0; i < 5; i++) {
            for (int k = 0; k < i; k++) {
                cr_expect(is_distinct(all[0].colours[i], all[0].colours[k]), "%d, %d", i, k);
            }
            cr_expect(!is_distinct(all[0].colours[i], all[1].colours[i]), "%s", phases[1][i]);
        }
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Colours of bands: stable by name, told apart from their neighbours by every eye.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "style/palette.h"

enum { MOST = 64 };

typedef struct bands {
    hpr__swatch swatches[MOST];
    char names[MOST][32];
    hpr_colour colours[MOST];
    uint32_t n;
} bands;

static void add(bands *b, const char *name, double weight, bool is_other)
{
    snprintf(b->names[b->n], sizeof b->names[b->n], "%s", name);
    b->swatches[b->n] =
        (hpr__swatch){{b->names[b->n], strlen(b->names[b->n])}, is_other, weight, NULL, 0};
    b->n++;
}

static void choose(bands *b, bool is_dark)
{
    hpf_arena *arena = hpf_arena_create();
    cr_assert(hpr__palette_choose(b->colours, b->swatches, b->n, is_dark, arena));
    hpf_arena_destroy(arena);
}

static bool is_same(hpr_colour x, hpr_colour y)
{
    return x.red == y.red && x.green == y.green && x.blue == y.blue;
}

static void expect_distinct_neighbours(const bands *b)
{
    for (uint32_t i = 1; i < b->n; i++) {
        hpr__appearance x = hpr__appearance_of(b->colours[i - 1]);
        hpr__appearance y = hpr__appearance_of(b->colours[i]);
        cr_expect(hpr__appearance_distinct(&x, &y), "%s beside %s", b->names[i - 1], b->names[i]);
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

Test(palette, neighbours_are_distinct_whatever_the_names)
{
    uint32_t state = 1;
    for (int round = 0; round < 300; round++) {
        bands b = {.n = 0};
        uint32_t n = 2 + next_random(&state) % 40;
        for (uint32_t i = 0; i < n; i++) {
            char name[32];
            snprintf(name, sizeof name, "Module%u.go", (unsigned)next_random(&state));
            add(&b, name, next_random(&state), false);
        }
        add(&b, "OTHER", 5, true);
        choose(&b, round % 2);
        expect_distinct_neighbours(&b);
    }
}

/* Three bands on each other; beside them, the same without the middle one. */
Test(palette, bands_that_touch_only_in_one_of_several_stacks_are_distinct)
{
    uint32_t state = 3;
    for (int round = 0; round < 300; round++) {
        bands b = {.n = 0};
        for (uint32_t i = 0; i < 3; i++) {
            char name[32];
            snprintf(name, sizeof name, "Module%u.go", (unsigned)next_random(&state));
            add(&b, name, next_random(&state), false);
        }
        b.swatches[1].absent = 4;
        choose(&b, round % 2);
        expect_distinct_neighbours(&b);
        hpr__appearance lower = hpr__appearance_of(b.colours[0]);
        hpr__appearance upper = hpr__appearance_of(b.colours[2]);
        cr_expect(hpr__appearance_distinct(&lower, &upper), "%s beside %s", b.names[0], b.names[2]);
    }
}

Test(palette, few_bands_have_colours_of_their_own)
{
    uint32_t state = 7;
    bands b = {.n = 0};
    for (int i = 0; i < 16; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%u", (unsigned)next_random(&state));
        add(&b, name, i, false);
    }
    choose(&b, false);
    for (uint32_t i = 0; i < b.n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            cr_expect_not(is_same(b.colours[i], b.colours[k]));
        }
    }
}

Test(palette, no_two_of_few_bands_look_alike_wherever_they_lie)
{
    uint32_t state = 3;
    for (int round = 0; round < 100; round++) {
        bands b = {.n = 0};
        for (int i = 0; i < 7; i++) {
            char name[32];
            snprintf(name, sizeof name, "f%u", (unsigned)next_random(&state));
            add(&b, name, i, false);
        }
        choose(&b, round % 2);
        for (uint32_t i = 0; i < b.n; i++) {
            for (uint32_t k = 0; k < i; k++) {
                double difference =
                    hpr__lab_difference(hpr__lab_of(b.colours[i]), hpr__lab_of(b.colours[k]));
                cr_expect_geq(difference, HPR__MIN_DIFFERENCE, "%s, %s", b.names[i], b.names[k]);
            }
        }
    }
}

Test(palette, a_lone_name_has_its_colour_in_every_run)
{
    bands first = {.n = 0}, second = {.n = 0};
    add(&first, "(241)main.go/main", 10, false);
    add(&second, "(7)main.go/main", 99, false);
    choose(&first, false);
    choose(&second, false);
    cr_assert(is_same(first.colours[0], second.colours[0]));
}

Test(palette, the_heaviest_band_keeps_its_colour_among_others)
{
    bands lone = {.n = 0}, many = {.n = 0};
    add(&lone, "heavy", 1, false);
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "light%d", i);
        add(&many, i == 9 ? "heavy" : name, i == 9 ? 1000 : i, false);
    }
    choose(&lone, false);
    choose(&many, false);
    cr_assert(is_same(lone.colours[0], many.colours[9]));
}

Test(palette, biography_is_fixed_and_distinct_in_any_order)
{
    static const char *const names[] = {"VOID", "LAG", "USE", "DRAG", "INHERENT_USE"};
    for (int i = 0; i < 50; i++) {
        int x = i / 2 / 5, y = i / 2 % 5;
        bands b = {.n = 0};
        add(&b, names[x], 1, false);
        add(&b, names[y], 1, false);
        choose(&b, i % 2);
        if (x == y) {
            cr_expect(is_same(b.colours[0], b.colours[1]));
        } else {
            expect_distinct_neighbours(&b);
        }
    }
}

Test(palette, other_is_grey)
{
    bands b = {.n = 0};
    add(&b, "INHERENT_USE", 1, false);
    add(&b, "OTHER", 1, true);
    choose(&b, false);
    cr_assert_eq(b.colours[1].red, b.colours[1].green);
    cr_assert_eq(b.colours[1].red, b.colours[1].blue);
    expect_distinct_neighbours(&b);
}

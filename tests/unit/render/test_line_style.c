/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines differ from all others by colour or by dashes; in print by dashes and markers.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "style/fill.h"

enum { MOST = 40 };

typedef struct lines {
    hpr__swatch swatches[MOST];
    char names[MOST][32];
    hpr_fill fills[MOST];
    uint32_t n;
    hpr_pin pins[1];
    size_t n_pins;
} lines;

static void add(lines *l, const char *name)
{
    uint32_t i = l->n++;
    snprintf(l->names[i], sizeof l->names[i], "%s", name);
    hpf_str text = {l->names[i], strlen(l->names[i])};
    l->swatches[i] = (hpr__swatch){.name = text, .weight = MOST - (double)i};
}

static void add_many(lines *l, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%u", (unsigned)(i * 2654435761u));
        add(l, name);
    }
}

static void choose(lines *l, hpr_theme theme)
{
    hpf_arena *arena = hpf_arena_create();
    const hpr_options options = {
        .theme = theme, .as_lines = true, .pins = l->pins, .n_pins = l->n_pins};
    cr_assert_eq(hpr__fill_choose(l->fills, l->swatches, l->n, &options, arena, NULL), HPF_OK);
    hpf_arena_destroy(arena);
}

static bool looks_like(const hpr_fill *x, const hpr_fill *y)
{
    hpr__appearance a = hpr__appearance_of(x->line), b = hpr__appearance_of(y->line);
    bool is_alike = false;
    for (int eye = 0; eye < HPR__N_VISIONS; eye++) {
        is_alike |= hpr__lab_difference(a.lab[eye], b.lab[eye]) < HPR__MIN_DIFFERENCE;
    }
    return is_alike && x->dash_pt == y->dash_pt && x->marker == y->marker;
}

static void expect_distinct(const lines *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            cr_expect_not(looks_like(&l->fills[i], &l->fills[k]), "%s, %s", l->names[i],
                          l->names[k]);
        }
    }
}

Test(line_style, fifteen_lines_are_distinct_for_every_kind_of_vision)
{
    static const hpr_theme themes[] = {HPR_THEME_LIGHT, HPR_THEME_DARK, HPR_THEME_SLIDE};
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++) {
        lines l = {.n = 0};
        add_many(&l, 15);
        choose(&l, themes[i]);
        expect_distinct(&l);
    }
}

Test(line_style, ten_lines_are_distinct_in_print)
{
    lines l = {.n = 0};
    add_many(&l, 10);
    choose(&l, HPR_THEME_PRINT);
    expect_distinct(&l);
    for (uint32_t i = 0; i < l.n; i++) {
        cr_expect(l.fills[i].is_gray && l.fills[i].marker > 0);
    }
}

Test(line_style, heaviest_line_is_solid_in_the_colour_of_its_name)
{
    lines lone = {.n = 0}, many = {.n = 0};
    add(&lone, "(7)heavy");
    add(&many, "(12)heavy");
    add_many(&many, 20);
    choose(&lone, HPR_THEME_LIGHT);
    choose(&many, HPR_THEME_LIGHT);
    cr_expect_eq(many.fills[0].dash_pt, 0);
    cr_expect_eq(memcmp(&lone.fills[0].line, &many.fills[0].line, sizeof(hpr_colour)), 0);
}

Test(line_style, every_line_is_visible_on_its_background)
{
    for (int theme = HPR_THEME_LIGHT; theme <= HPR_THEME_SLIDE; theme++) {
        lines l = {.pins = {{HPF_STR("pinned"), {1, 1, 0.4}}}, .n_pins = 1};
        add(&l, "INHERENT_USE");
        add(&l, "VOID");
        add(&l, "pinned");
        add_many(&l, 20);
        choose(&l, (hpr_theme)theme);
        for (uint32_t i = 0; i < l.n; i++) {
            double contrast =
                hpr__colour_contrast(l.fills[i].line, hpr__theme_of((hpr_theme)theme)->background);
            cr_expect_geq(contrast, 2.5, "%s", l.names[i]);
        }
    }
}

Test(line_style, line_on_another_has_gaps)
{
    static const double flat[] = {5, 5, 5}, close[] = {5.001, 5, 5.001}, other[] = {5, 9, 5};
    const double *rows[] = {flat, close, other};
    hpr_fill fills[3] = {{.dash_pt = 0}, {.dash_pt = 0}, {.dash_pt = 0}};
    hpr__line_style_uncover(fills, rows, 3, 3);
    cr_expect_eq(fills[0].dash_pt, 0);
    cr_expect_gt(fills[1].dash_pt, 0);
    cr_expect_eq(fills[2].dash_pt, 0);
    fills[0].dash_pt = fills[1].dash_pt;
    fills[1].dash_pt = 0;
    hpr__line_style_uncover(fills, rows, 3, 3);
    cr_expect_gt(fills[1].dash_pt, 0);
    cr_expect_neq(fills[1].dash_pt, fills[0].dash_pt);
}

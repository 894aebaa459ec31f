/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cases that the script of the page shares (tests/cases): units, ticks, orders, colours, texts.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "hpfile/str.h"
#include "hprender/render.h"

#include "cases.h"
#include "chart/units.h"
#include "layout/elide.h"
#include "made_up_font.h"
#include "profile.h"
#include "style/fill.h"

/* Returns a number with its unit, or the profile's own, in three digits. */
static const char *rounded(double value, hpr_unit unit, hpf_str own)
{
    static char out[256];
    char number[HPR_UNIT_LABEL_BYTES];
    hpr_unit_label_rounded(number, value, &unit, 3);
    const char *name = unit.name ? unit.name : own.data;
    snprintf(out, sizeof out, "%s%s%s", number, *name ? " " : "", name);
    return out;
}

Test(page_cases, amounts)
{
    const case_value *list = case_member(cases_read("units.json"), "amounts");
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i];
        double amount = case_number(c, "amount");
        hpf_str unit = case_text(c, "unit");
        hpr_unit in = hpr_unit_of_values(unit, fabs(amount), case_bool(c, "si"));
        cr_expect_str_eq(rounded(amount, in, unit), case_text(c, "text").data);
    }
}

Test(page_cases, times)
{
    const case_value *list = case_member(cases_read("units.json"), "times");
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i];
        double time = case_number(c, "time");
        hpf_str unit = case_text(c, "unit");
        char text[256];
        hpr_time_text(text, sizeof text, time, unit, unit.data);
        cr_expect_str_eq(text, case_text(c, "text").data);
    }
}

static hpr_unit unit_of_axis(const case_value *c)
{
    hpf_str axis = case_text(c, "axis");
    if (hpf_str_is(axis, "percent")) {
        return (hpr_unit){1, "", "%"};
    }
    double high = case_number(c, "high");
    return hpf_str_is(axis, "values")
               ? hpr_unit_of_values(case_text(c, "unit"), high, case_bool(c, "si"))
               : hpr__unit_of_times(case_text(c, "unit"), high - case_number(c, "low"));
}

Test(page_cases, ticks)
{
    const case_value *list = case_member(cases_read("units.json"), "ticks");
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i], *labels = case_member(c, "labels");
        hpr_unit unit = unit_of_axis(c);
        hpr__ticks ticks = hpr__ticks_of_count(case_number(c, "low"), case_number(c, "high"),
                                               (int)case_number(c, "most"), &unit);
        cr_expect_str_eq(unit.name ? unit.name : case_text(c, "unit").data,
                         case_text(c, "name").data);
        cr_assert_eq((size_t)ticks.n, labels->n_items, "case %zu: %d ticks", i, ticks.n);
        for (int tick = 0; tick < ticks.n; tick++) {
            char label[HPR_UNIT_LABEL_BYTES];
            hpr__unit_label(label, hpr__tick_value(&ticks, tick, &unit), &unit, ticks.decimals);
            cr_expect_str_eq(label, labels->items[tick].text.data);
        }
    }
}

/* --- bands ------------------------------------------------------------------------------------ */

static hpr_options options_of(const case_value *c)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    for (size_t i = HPR_ORDER_WIGGLE; hpr_order_names[i]; i++) {
        bool is_wanted = hpf_str_is(case_text(c, "order"), hpr_order_names[i]);
        options.order = is_wanted ? (hpr_order)i : options.order;
    }
    options.reverse = case_bool(c, "reverse");
    options.n_bands = (int)case_number(c, "bands");
    options.trace_percent = case_number(c, "trace");
    return options;
}

Test(page_cases, bands_and_their_order)
{
    const case_value *file = cases_read("order.json"), *list = case_member(file, "cases");
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i], *bands = case_member(c, "expected");
        char *text =
            case_profile(case_member(case_member(file, "profiles"), case_text(c, "profile").data));
        hpr_options options = options_of(c);
        test_profile p = test_profile_open(text, 0);
        hpr_chart *chart = NULL;
        cr_assert_eq(hpr_chart_create(&chart, p.survey, &options, made_up_measurer, NULL), HPF_OK);
        cr_assert_eq(chart->n_bands, bands->n_items, "case %zu", i);
        for (uint32_t k = 0; k < chart->n_bands; k++) {
            cr_expect_str_eq(chart->bands[k].text, bands->items[k].text.data);
        }
        hpr_chart_destroy(chart);
        test_profile_close(&p);
        free(text);
    }
}

/* --- colours ---------------------------------------------------------------------------------- */

static hpr_colour colour_of(const case_value *c, const char *member)
{
    return hpr__colour_hex((uint32_t)strtoul(case_text(c, member).data + 1, NULL, 16));
}

static void expect_colour(hpr_colour found, const case_value *c, const char *member)
{
    char text[HPR__COLOUR_TEXT_BYTES];
    cr_expect_str_eq(hpr__colour_text(text, found), case_text(c, member).data);
}

static void expect_fills(const case_value *c, hpr_theme theme, const char *member)
{
    const case_value *expected = case_member(c, member);
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.theme = theme;
    options.n_bands = 0;
    options.trace_percent = 0;
    char *text = case_profile(c);
    test_profile p = test_profile_open(text, 0);
    hpr_chart *chart = NULL;
    cr_assert_eq(hpr_chart_create(&chart, p.survey, &options, made_up_measurer, NULL), HPF_OK);
    cr_assert_eq(chart->n_bands, expected->n_items);
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        expect_colour(chart->bands[i].fill.colour, expected, chart->bands[i].text);
    }
    hpr_chart_destroy(chart);
    test_profile_close(&p);
    free(text);
}

Test(page_cases, colours_of_names)
{
    const case_value *list = case_member(cases_read("colours.json"), "profiles");
    for (size_t i = 0; i < list->n_items; i++) {
        expect_fills(&list->items[i], HPR_THEME_LIGHT, "light");
        expect_fills(&list->items[i], HPR_THEME_DARK, "dark");
    }
}

Test(page_cases, colours_of_texts_on_bands)
{
    const case_value *list = case_member(cases_read("colours.json"), "texts");
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i];
        expect_colour(hpr__colour_text_on(colour_of(c, "background")), c, "text");
    }
}

Test(page_cases, colours_of_lines)
{
    const case_value *list = case_member(cases_read("colours.json"), "lines");
    hpf_arena *arena = hpf_arena_create();
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i];
        hpr_theme theme =
            hpf_str_is(case_text(c, "theme"), "dark") ? HPR_THEME_DARK : HPR_THEME_LIGHT;
        hpr__swatch swatch = {.name = HPF_STR("name"), .weight = 1};
        const hpr_pin pin = {swatch.name, colour_of(c, "colour")};
        const hpr_options options = {.theme = theme, .as_lines = true, .pins = &pin, .n_pins = 1};
        hpr_fill fill;
        expect_colour(hpr__theme_of(theme)->background, c, "background");
        cr_assert_eq(hpr__fill_choose(&fill, &swatch, 1, &options, arena, NULL), HPF_OK);
        expect_colour(fill.line, c, "line");
    }
    hpf_arena_destroy(arena);
}

/* --- texts ------------------------------------------------------------------------------------ */

Test(page_cases, shown_names)
{
    const case_value *list = case_member(cases_read("texts.json"), "shown");
    for (size_t i = 0; i < list->n_items; i++) {
        char shown[256];
        hpf_utf8_printable(shown, case_text(&list->items[i], "name"), "");
        cr_expect_str_eq(shown, case_text(&list->items[i], "text").data);
    }
}

Test(page_cases, shortened_names)
{
    const case_value *list = case_member(cases_read("texts.json"), "shortened");
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i];
        char shown[256];
        hpr__elide(shown, case_text(c, "text").data, case_number(c, "width"), 10, false,
                   made_up_measurer);
        cr_expect_str_eq(shown, case_text(c, "shown").data);
    }
}

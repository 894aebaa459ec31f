/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pages of several profiles: common and own properties of the panels, and invariants.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/str.h"
#include "hprender/page.h"

#include "made_up_font.h"
#include "profile.h"
#include "rng.h"

enum { MOST = 13 };

typedef struct drawn {
    test_profile profiles[MOST];
    hpr_page_source sources[MOST];
    char names[MOST][16];
    size_t n;
    hpr_page *page; /* NULL: refused */
    hpf_error err;
} drawn;

static hpr_options defaults(void)
{
    return hpr_options_default(HPR_LOOK_MODERN);
}

static void draw(drawn *d, const char *const *texts, size_t n, const hpr_options *options)
{
    *d = (drawn){.n = n};
    for (size_t i = 0; i < n; i++) {
        snprintf(d->names[i], sizeof d->names[i], "file%zu", i);
        d->profiles[i] = test_profile_open(texts[i], 0);
        d->sources[i] = (hpr_page_source){d->profiles[i].survey, d->names[i]};
    }
    hpf_status status =
        hpr_page_create(&d->page, d->sources, n, options, made_up_measurer, &d->err);
    cr_assert_eq(status == HPF_OK, d->page != NULL);
}

static void finish(drawn *d)
{
    hpr_page_destroy(d->page);
    for (size_t i = 0; i < d->n; i++) {
        test_profile_close(&d->profiles[i]);
    }
}

static const hpr_band *find(const hpr_chart *chart, const char *name)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        if (strcmp(chart->bands[i].text, name) == 0) {
            return &chart->bands[i];
        }
    }
    return NULL;
}

#define SAMPLE(time, costs) "BEGIN_SAMPLE " time "\n" costs "END_SAMPLE " time "\n"
#define JOB(name, unit)                                                                            \
    "JOB \"" name "\"\nDATE \"today\"\nSAMPLE_UNIT \"" unit "\"\nVALUE_UNIT \"bytes\"\n"

/* A small program and a large one, with one name in common. */
static const char *const small_one =
    JOB("small", "seconds") SAMPLE("0", "(1)f/main 10\nonly 90\n") SAMPLE("2", "(1)f/main 40\n");
static const char *const large_one = JOB("large", "seconds")
    SAMPLE("0", "(22)f/main 9000000\nbig 100\n") SAMPLE("8", "(22)f/main 1000000\nbig 7000000\n");

Test(small_multiples, names_without_numbers_have_one_colour_and_one_place)
{
    hpr_options options = defaults();
    drawn d;
    draw(&d, (const char *const[]){small_one, large_one}, 2, &options);
    const hpr_band *a = find(d.page->panels[0].chart, "f/main");
    const hpr_band *b = find(d.page->panels[1].chart, "f/main");
    const hpr_band *key = find(d.page->legend, "f/main");
    cr_assert(a && b && key);
    cr_expect_eq(memcmp(&a->fill, &b->fill, sizeof a->fill), 0);
    cr_expect_eq(memcmp(&a->fill, &key->fill, sizeof a->fill), 0);
    cr_expect_eq(key->label.place, HPR_LABEL_LEGEND);
    cr_expect_eq(d.page->legend->n_bands, 3);
    finish(&d);
}

Test(small_multiples, panel_has_only_its_own_names)
{
    hpr_options options = defaults();
    drawn d;
    draw(&d, (const char *const[]){small_one, large_one}, 2, &options);
    cr_expect_null(find(d.page->panels[0].chart, "big"));
    cr_expect_null(find(d.page->panels[1].chart, "only"));
    cr_expect_eq(d.page->panels[0].chart->n_bands, 2);
    finish(&d);
}

Test(small_multiples, small_profile_keeps_bands_next_to_a_large_one)
{
    hpr_options options = defaults();
    options.n_bands = 2;
    const char *const small_two =
        JOB("two", "seconds") SAMPLE("0", "only 90\nx 1\ny 2\n") SAMPLE("2", "only 90\nx 1\ny 2\n");
    drawn d;
    draw(&d, (const char *const[]){small_two, large_one}, 2, &options);
    cr_expect_not_null(find(d.page->panels[0].chart, "only"));
    finish(&d);
    options.same_scale = true;
    draw(&d, (const char *const[]){small_two, large_one}, 2, &options);
    cr_expect_null(find(d.page->panels[0].chart, "only"));
    const hpr_band *other = find(d.page->panels[0].chart, "OTHER");
    cr_assert(other && other->is_other);
    cr_expect_eq(other->n_names, 3);
    cr_expect_eq(other->values[0], 93);
    cr_expect_eq(find(d.page->legend, "OTHER")->n_names, 3);
    finish(&d);
}

Test(small_multiples, panels_have_own_scales_unless_same_is_set)
{
    hpr_options options = defaults();
    drawn d;
    draw(&d, (const char *const[]){small_one, large_one}, 2, &options);
    cr_expect_lt(d.page->panels[0].chart->y.high, 200);
    cr_expect_eq(d.page->panels[0].chart->x.high, 2);
    finish(&d);
    options.same_scale = true;
    draw(&d, (const char *const[]){small_one, large_one}, 2, &options);
    for (int i = 0; i < 2; i++) {
        const hpr_chart *chart = d.page->panels[i].chart;
        cr_expect_eq(chart->x.low, 0);
        cr_expect_eq(chart->x.high, 8);
        cr_expect_geq(chart->y.high, 9000100);
        cr_expect_eq(chart->y.high, d.page->panels[0].chart->y.high);
        cr_expect_eq(chart->y.n_ticks, d.page->panels[0].chart->y.n_ticks);
    }
    finish(&d);
}

Test(small_multiples, different_units_do_not_share_a_scale)
{
    hpr_options options = defaults();
    const char *const texts[] = {small_one, JOB("other", "ticks") SAMPLE("1", "a 1\n")};
    drawn d;
    draw(&d, texts, 2, &options);
    cr_assert_not_null(d.page);
    cr_expect_str_eq(d.page->panels[1].chart->x.unit, "ticks");
    finish(&d);
    options.same_scale = true;
    draw(&d, texts, 2, &options);
    cr_expect_eq(d.err.status, HPF_ERR_ARGUMENT);
    finish(&d);
    options.by_sample = true;
    draw(&d, texts, 2, &options);
    cr_expect_not_null(d.page, "samples have no unit");
    finish(&d);
}

Test(small_multiples, times_share_a_unit_if_readable)
{
    hpr_options options = defaults();
    drawn d;
    draw(&d,
         (const char *const[]){small_one,
                               JOB("a", "seconds") SAMPLE("0", "a 1\n") SAMPLE("0.5", "a 1\n"),
                               JOB("b", "seconds") SAMPLE("0", "a 1\n") SAMPLE("0.01", "a 1\n")},
         3, &options);
    cr_expect_str_eq(d.page->panels[1].chart->x.unit, "s");
    cr_expect_str_eq(d.page->panels[2].chart->x.unit, "ms");
    finish(&d);
}

Test(small_multiples, narrow_axis_has_more_than_one_tick)
{
    hpr_options options = defaults();
    options.width_pt = 220;
    options.text_pt = 7;
    const char *const text = JOB("a", "seconds") SAMPLE("0", "a 1\n") SAMPLE("4.4", "a 1\n");
    drawn d;
    draw(&d, (const char *const[]){text, text}, 2, &options);
    cr_expect_gt(d.page->panels[0].chart->x.n_ticks, 1);
    finish(&d);
}

Test(small_multiples, programs_are_titles_if_they_differ)
{
    hpr_options options = defaults();
    drawn d;
    draw(&d, (const char *const[]){small_one, large_one}, 2, &options);
    cr_expect_str_eq(d.page->panels[0].chart->title.job, "small");
    cr_expect_str_eq(d.page->panels[1].chart->title.job, "large");
    cr_expect_str_eq(d.page->legend->title.job, "small, large");
    finish(&d);
    draw(&d, (const char *const[]){small_one, small_one}, 2, &options);
    cr_expect_str_eq(d.page->panels[1].chart->title.job, "file1", "equal");
    finish(&d);
    const char *const long_one =
        JOB("a program whose command line is so long that there is no room for all of it",
            "seconds") SAMPLE("0", "a 1\n");
    draw(&d, (const char *const[]){small_one, long_one}, 2, &options);
    cr_expect_str_eq(d.page->panels[0].chart->title.job, "file0", "too long");
    finish(&d);
    options.no_title = true;
    draw(&d, (const char *const[]){small_one, large_one}, 2, &options);
    cr_expect_str_eq(d.page->panels[0].chart->title.job, "");
    finish(&d);
}

/* --- grid and legend -------------------------------------------------------------------------- */

static void draw_same(drawn *d, size_t n, const hpr_options *options)
{
    const char *texts[MOST];
    for (size_t i = 0; i < n; i++) {
        texts[i] = small_one;
    }
    draw(d, texts, n, options);
}

static void expect_grid(size_t n, double width_pt, double height_pt, size_t columns, size_t rows)
{
    hpr_options options = defaults();
    options.width_pt = width_pt;
    options.height_pt = height_pt;
    drawn d;
    draw_same(&d, n, &options);
    cr_assert_not_null(d.page);
    cr_expect(d.page->n_columns == columns && d.page->n_rows == rows, "%zu: %zu x %zu", n,
              d.page->n_columns, d.page->n_rows);
    finish(&d);
}

Test(small_multiples, grid_depends_on_number_and_size)
{
    expect_grid(1, 0, 0, 1, 1);
    expect_grid(2, 0, 0, 2, 1);
    expect_grid(3, 0, 0, 2, 2);
    expect_grid(6, 0, 0, 3, 2);
    expect_grid(9, 0, 0, 3, 3);
    expect_grid(13, 0, 0, 4, 4);
    expect_grid(9, 241, 0, 2, 5);
    expect_grid(4, 90, 0, 1, 4);
    expect_grid(3, 300, 600, 1, 3);
    expect_grid(3, 900, 200, 3, 1);
}

Test(small_multiples, legend_uses_spare_cells)
{
    hpr_options options = defaults();
    drawn d;
    draw_same(&d, 3, &options);
    const hpr_label *label = &find(d.page->legend, "only")->label;
    cr_expect_eq(label->place, HPR_LABEL_LEGEND);
    cr_expect_gt(label->x_pt, d.page->width_pt / 2);
    cr_expect_lt(label->y_pt, d.page->height_pt / 2);
    finish(&d);
}

Test(small_multiples, legend_is_at_the_requested_place)
{
    hpr_options options = defaults();
    drawn d;
    options.legend = HPR_LEGEND_RIGHT;
    draw_same(&d, 2, &options);
    const hpr_panel *last = &d.page->panels[1];
    cr_expect_gt(find(d.page->legend, "only")->label.box_x_pt, last->x_pt + last->chart->width_pt);
    cr_expect_eq(find(last->chart, "only")->label.place, HPR_LABEL_NONE, "once is enough");
    finish(&d);
    options.legend = HPR_LEGEND_BELOW;
    draw_same(&d, 3, &options);
    cr_expect_lt(find(d.page->legend, "only")->label.y_pt, d.page->panels[2].y_pt);
    finish(&d);
    options.legend = HPR_LEGEND_NONE;
    draw_same(&d, 3, &options);
    cr_expect_eq(find(d.page->legend, "only")->label.place, HPR_LABEL_NONE);
    cr_expect_eq(find(d.page->panels[0].chart, "only")->label.place, HPR_LABEL_INSIDE);
    finish(&d);
}

Test(small_multiples, rejects_page_without_room)
{
    hpr_options options = defaults();
    drawn d;
    options.width_pt = 40;
    draw_same(&d, 2, &options);
    cr_expect_eq(d.err.status, HPF_ERR_LIMIT);
    finish(&d);
    options.width_pt = 400;
    options.height_pt = 100;
    draw_same(&d, 9, &options);
    cr_expect_eq(d.err.status, HPF_ERR_LIMIT);
    finish(&d);
    cr_expect_eq(hpr_page_create(&d.page, NULL, 0, &options, made_up_measurer, NULL),
                 HPF_ERR_LIMIT);
}

Test(small_multiples, profiles_without_names_are_empty_panels)
{
    const char *const no_names = PROFILE_HEADERS SAMPLE("1", "");
    hpr_options options = defaults();
    drawn d;
    options.same_scale = true;
    draw(&d, (const char *const[]){no_names, no_names}, 2, &options);
    cr_assert_not_null(d.page);
    cr_expect_eq(d.page->legend->n_bands, 0);
    finish(&d);
    draw(&d, (const char *const[]){no_names, small_one}, 2, &options);
    cr_assert_not_null(d.page);
    cr_expect_eq(d.page->panels[0].chart->x.high, 2);
    finish(&d);
}

Test(small_multiples, profiles_share_groups)
{
    hpr_options options = defaults();
    options.group = HPR_GROUP_MODULE;
    drawn d;
    draw(&d,
         (const char *const[]){JOB("a", "seconds")
                                   SAMPLE("1", "base:GHC.Maybe.Just 5\nbase:GHC.Maybe.Nothing 1\n"),
                               JOB("b", "seconds") SAMPLE("1", "GHC.Maybe 4\n(7)main 2\n")},
         2, &options);
    cr_expect_eq(d.page->legend->n_bands, 2);
    cr_expect_eq(find(d.page->panels[0].chart, "GHC.Maybe")->values[0], 6);
    cr_expect_eq(find(d.page->panels[1].chart, "GHC.Maybe")->values[0], 4);
    cr_expect_not_null(find(d.page->panels[1].chart, "main"));
    finish(&d);
}

Test(small_multiples, pin_with_a_number_applies_to_the_name)
{
    const hpr_pin pin = {.name = HPF_STR("(1)f/main"), .colour = {1, 0, 0}};
    hpr_options options = defaults();
    options.pins = &pin;
    options.n_pins = 1;
    drawn d;
    draw(&d, (const char *const[]){small_one, large_one}, 2, &options);
    cr_expect_eq(find(d.page->panels[1].chart, "f/main")->fill.colour.red, 1);
    finish(&d);
}

/* --- invariants ------------------------------------------------------------------------------- */

static void write_random(char *out, size_t room, rng *r)
{
    size_t n = (size_t)snprintf(out, room, "JOB \"p%d\"\n%s", (int)rng_below(r, 4),
                                strchr(PROFILE_HEADERS, '\n') + 1);
    double time = (double)rng_below(r, 3);
    for (size_t i = 0; i < 1 + rng_below(r, 30); i++) {
        n += (size_t)snprintf(out + n, room - n, "BEGIN_SAMPLE %.3f\n", time);
        for (uint64_t k = rng_below(r, 12); k > 0; k--) {
            n += (size_t)snprintf(out + n, room - n, "(%d)name%d/of/some/length\t%d\n",
                                  (int)rng_below(r, 90), (int)rng_below(r, 30),
                                  (int)rng_below(r, 1000));
        }
        n += (size_t)snprintf(out + n, room - n, "END_SAMPLE %.3f\n", time);
        time += (double)rng_below(r, 2000) / 1000;
    }
}

/* Checks that the bands are in the order of the legend, have its fills, and add up. */
static void expect_common_bands(const hpr_page *page, const hpr_chart *chart)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        const hpr_band *band = &chart->bands[i];
        while (at < page->legend->n_bands &&
               !hpf_str_equal(page->legend->bands[at].name, band->name)) {
            at++;
        }
        cr_assert_lt(at, page->legend->n_bands, "%s is out of order", band->text);
        cr_assert_eq(memcmp(&band->fill, &page->legend->bands[at].fill, sizeof band->fill), 0);
    }
    for (size_t point = 0; point < chart->n_points && chart->n_bands > 0; point++) {
        double top = chart->bands[chart->n_bands - 1].upper[point];
        bool is_empty = chart->is_normalised && top == 0 && chart->totals[point] == 0;
        double whole = is_empty ? 0 : chart->is_normalised ? 100 : chart->totals[point];
        cr_assert_float_eq(top, whole, 1e-6);
    }
}

static double right_of(const hpr_panel *panel)
{
    return panel->x_pt + panel->chart->width_pt;
}

/* Checks that panels are on the page and do not overlap, and that plots have one size and place. */
static void expect_common_boxes(const hpr_page *page)
{
    const hpr_chart *first = page->panels[0].chart;
    for (size_t i = 0; i < page->n_panels; i++) {
        const hpr_panel *panel = &page->panels[i];
        const hpr_chart *chart = panel->chart;
        cr_assert(panel->x_pt >= 0 && right_of(panel) <= page->width_pt + 1e-6);
        cr_assert(panel->y_pt >= -1e-6 && panel->y_pt + chart->height_pt <= page->height_pt + 1e-6);
        cr_assert_float_eq(chart->plot_x_pt, first->plot_x_pt, 1e-9);
        cr_assert_float_eq(chart->plot_y_pt, first->plot_y_pt, 1e-9);
        cr_assert_float_eq(chart->plot_width_pt, first->plot_width_pt, 1e-9);
        cr_assert_float_eq(chart->plot_height_pt, first->plot_height_pt, 1e-9);
        if (i % page->n_columns > 0) {
            cr_assert_leq(right_of(panel - 1), panel->x_pt);
        }
    }
}

static bool is_on_panel(const hpr_page *page, double left, double right, double low, double high)
{
    for (size_t i = 0; i < page->n_panels; i++) {
        const hpr_panel *panel = &page->panels[i];
        if (left < right_of(panel) - 1e-6 && right > panel->x_pt + 1e-6 &&
            low < panel->y_pt + panel->chart->height_pt - 1e-6 && high > panel->y_pt + 1e-6) {
            return true;
        }
    }
    return false;
}

static void expect_clear_legend(const hpr_page *page)
{
    for (uint32_t i = 0; i < page->legend->n_bands; i++) {
        const hpr_label *label = &page->legend->bands[i].label;
        if (label->place == HPR_LABEL_NONE) {
            continue;
        }
        double right =
            label->x_pt + made_up_measure(NULL, label->text, label->size_pt, false).width_pt;
        cr_assert(label->box_x_pt >= 0 && right <= page->width_pt, "%s", label->text);
        cr_assert(label->y_pt >= 0 && label->y_pt <= page->height_pt, "%s", label->text);
        cr_assert(!is_on_panel(page, label->box_x_pt, right, label->y_pt,
                               label->y_pt + 0.7 * label->size_pt),
                  "%s", label->text);
    }
}

static hpr_options random_options(rng *r)
{
    hpr_options options = defaults();
    options.same_scale = rng_below(r, 2);
    options.n_bands = (int)rng_below(r, 12);
    options.normalise = rng_below(r, 4) == 0;
    options.by_sample = rng_below(r, 4) == 0;
    options.theme = rng_below(r, 2) ? HPR_THEME_PRINT : HPR_THEME_DARK;
    options.legend = (hpr_legend)rng_below(r, 5);
    options.width_pt = 200 + (double)rng_below(r, 600);
    options.height_pt = rng_below(r, 2) ? 0 : 300 + (double)rng_below(r, 600);
    return options;
}

Test(small_multiples, panels_agree_and_do_not_overlap)
{
    static char texts[MOST][32768];
    const char *list[MOST];
    rng r = {11};
    int n_drawn = 0;
    for (int round = 0; round < 150; round++) {
        size_t n = 1 + rng_below(&r, MOST);
        for (size_t i = 0; i < n; i++) {
            write_random(texts[i], sizeof texts[i], &r);
            list[i] = texts[i];
        }
        hpr_options options = random_options(&r);
        drawn d;
        draw(&d, list, n, &options);
        if (d.page) {
            n_drawn++;
            expect_common_boxes(d.page);
            expect_clear_legend(d.page);
            for (size_t i = 0; i < n; i++) {
                expect_common_bands(d.page, d.page->panels[i].chart);
            }
        } else {
            cr_assert_eq(d.err.status, HPF_ERR_LIMIT);
        }
        finish(&d);
    }
    cr_expect_gt(n_drawn, 100);
}

Test(small_multiples, scene_is_within_the_page)
{
    hpr_options options = defaults();
    hpr_scene *scene = NULL;
    drawn d;
    draw(&d, (const char *const[]){small_one, large_one, small_one}, 3, &options);
    cr_assert_eq(hpr_page_scene_create(&scene, d.page, &options, made_up_measurer, NULL), HPF_OK);
    cr_expect_eq(scene->width_pt, d.page->width_pt);
    cr_expect_eq(scene->height_pt, d.page->height_pt);
    unsigned n_titles = 0;
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        for (size_t k = 0; k < item->n_points; k++) {
            const hpr_point *p = &item->points[k];
            cr_assert(p->x_pt >= 0 && p->x_pt <= scene->width_pt);
            cr_assert(p->y_pt >= 0 && p->y_pt <= scene->height_pt);
        }
        n_titles += item->kind == HPR_ITEM_TEXT && item->bold;
    }
    cr_expect_eq(n_titles, 3);
    hpr_scene_destroy(scene);
    finish(&d);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The classic look: positions, drawing order and pages of hp2ps.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "profile.h"
#include "hprender/render.h"

static const char *const two_bands = PROFILE_HEADERS "BEGIN_SAMPLE 0.0\na 100\nb 300\n"
                                                     "END_SAMPLE 0.0\nMARK 0.5\n"
                                                     "BEGIN_SAMPLE 1.0\na 100\nEND_SAMPLE 1.0\n";
static hpr_options options;
static hpr_chart *chart;
static hpr_scene *scene;

static void set_up(void)
{
    options = hpr_options_default(HPR_LOOK_CLASSIC);
}

static void tear_down(void)
{
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
}

TestSuite(draw_classic, .init = set_up, .fini = tear_down);

static void draw(const char *text)
{
    test_profile profile = test_profile_open(text, 0);
    hpr_measurer none = {.measure = NULL};
    cr_assert_eq(hpr_chart_create(&chart, profile.survey, &options, none, NULL), HPF_OK);
    cr_assert_eq(hpr_scene_create(&scene, chart, &options, none, NULL), HPF_OK);
    test_profile_close(&profile);
}

/* Returns the `nth` item (from 0) with that text. */
static const hpr_item *find_text(const char *text, int nth)
{
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        if (item->kind == HPR_ITEM_TEXT && strcmp(item->text, text) == 0 && nth-- == 0) {
            return item;
        }
    }
    cr_assert_fail("no text '%s'", text);
    return NULL;
}

static void expect_text(const char *text, double x_pt, double y_pt, hpr_anchor anchor,
                        double size_pt)
{
    const hpr_item *item = find_text(text, 0);
    cr_expect_float_eq(item->at.x_pt, x_pt, 1e-6, "x of %s: %g", text, item->at.x_pt);
    cr_expect_float_eq(432 - item->at.y_pt, y_pt, 1e-6, "y of %s: %g", text, 432 - item->at.y_pt);
    cr_expect_eq(item->anchor, anchor, "anchor of %s", text);
    cr_expect_eq(item->size_pt, size_pt, "size of %s", text);
}

Test(draw_classic, small_title_has_one_row)
{
    draw(two_bands);
    expect_text("demo", 11, 413, HPR_ANCHOR_START, 12);
    expect_text("250 bytes x seconds", 319, 413, HPR_ANCHOR_MIDDLE, 12);
    expect_text("today", 637, 413, HPR_ANCHOR_END, 12);
}

Test(draw_classic, big_title_has_two_rows)
{
    options.classic.big_title = true;
    draw(two_bands);
    expect_text("demo", 11, 413, HPR_ANCHOR_START, 12);
    expect_text("250 bytes x seconds", 11, 393, HPR_ANCHOR_START, 12);
    expect_text("today", 637, 393, HPR_ANCHOR_END, 12);
}

Test(draw_classic, axes_have_units_at_their_ends_and_labels_at_ticks)
{
    double right_pt;
    draw(two_bands);
    right_pt = 45 + chart->plot_width_pt;
    expect_text("seconds", right_pt, 5, HPR_ANCHOR_END, 10);
    expect_text("bytes", 40, 402, HPR_ANCHOR_END, 10);
    cr_assert_eq(find_text("bytes", 0)->turn_deg, 90);
    expect_text("0.2", 45 + 0.2 * chart->plot_width_pt, 5, HPR_ANCHOR_MIDDLE, 10);
    expect_text("200", 40, 20 + 191, HPR_ANCHOR_END, 10);
    expect_text("a", right_pt + 24, 20 + 382 / 3.0 - 5, HPR_ANCHOR_START, 10);
}

static void expect_points(const hpr_item *item, const double (*points)[2], size_t n)
{
    cr_assert_eq(item->n_points, n);
    for (size_t i = 0; i < n; i++) {
        cr_expect_float_eq(item->points[i].x_pt, points[i][0], 1e-6, "x of point %zu", i);
        cr_expect_float_eq(432 - item->points[i].y_pt, points[i][1], 1e-6, "y of point %zu", i);
    }
}

/* a (200 in total) is below b (300). */
Test(draw_classic, bands_are_stacked_with_marks_on_top)
{
    draw(two_bands);
    double right = 45 + chart->plot_width_pt;
    double a = 20 + 100 / 400.0 * 382;
    double middle = 45 + chart->plot_width_pt / 2;
    const hpr_item *items = scene->items + scene->n_items - 7;
    cr_assert_eq(items[0].kind, HPR_ITEM_GROUP_BEGIN);
    cr_assert_str_eq(items[0].text, "a");
    expect_points(&items[1], (const double[][2]){{45, 20}, {right, 20}, {right, a}, {45, a}}, 4);
    cr_assert_eq(items[1].fill.colour.red, 0);
    cr_assert_eq(items[1].stroke.width_pt, 0.5);
    expect_points(&items[4], (const double[][2]){{45, a}, {right, a}, {right, a}, {45, 402}}, 4);
    cr_assert_eq(items[4].fill.colour.green, 0.2);
    expect_points(&items[6], (const double[][2]){{middle - 4, 20}, {middle, 16}, {middle + 4, 20}},
                  3);
    cr_assert_eq(items[6].fill.colour.blue, 1);
}

static int count_pages(void)
{
    int n = 0;
    for (size_t i = 0; i < scene->n_items; i++) {
        n += scene->items[i].kind == HPR_ITEM_PAGE;
    }
    return n;
}

Test(draw_classic, key_may_have_pages_of_its_own)
{
    options.classic.key_pages = true;
    options.classic.eps_width_pt = 324;
    draw(two_bands);
    cr_assert_eq(count_pages(), 2);
    expect_text("a", 69, 382 / 3.0 - 5, HPR_ANCHOR_START, 10);
    cr_assert_eq(scene->items[0].paper.width_pt, 324);
    cr_assert_eq(scene->items[0].paper.height_pt, 216);
    cr_assert_eq(scene->items[0].paper.matrix[0], 0.5);
    cr_assert_not(scene->is_encapsulated, "two pages are no EPS");
}

Test(draw_classic, pages_are_a4_and_turned_unless_for_a_previewer)
{
    draw(two_bands);
    cr_assert_eq(scene->items[0].paper.width_pt, 595);
    cr_assert_eq(scene->items[0].paper.height_pt, 842);
    cr_assert_eq(scene->items[0].paper.matrix[1], -1);
    tear_down();
    options.classic.portrait = true;
    draw(two_bands);
    cr_assert_eq(scene->items[0].paper.height_pt, 595);
    cr_assert_eq(scene->items[0].paper.matrix[0], 1);
}

/* Names so long that the estimate of hp2ps leaves a negative width for the graph. */
Test(draw_classic, negative_width_is_drawn)
{
    char text[1024];
    char name[151];
    memset(name, 'm', sizeof name);
    name[150] = '\0';
    snprintf(text, sizeof text,
             "%sBEGIN_SAMPLE 0.0\n%s 1\nEND_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\n"
             "END_SAMPLE 1.0\n",
             PROFILE_HEADERS, name);
    draw(text);
    cr_assert_float_eq(chart->plot_width_pt, 593 - 29 - 150 * 5 * 1.7007876, 1e-6);
    for (size_t i = 0; i < scene->n_items; i++) {
        for (size_t j = 0; j < scene->items[i].n_points; j++) {
            cr_assert(isfinite(scene->items[i].points[j].x_pt));
        }
    }
}

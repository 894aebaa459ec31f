/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines over the bands: which are drawn, their effect on the axis, and the places of their names.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "made_up_font.h"
#include "modern_drawing.h"

#define PROFILE                                                                                    \
    HEAD "BEGIN_SAMPLE 0\na 10\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\na 100\nEND_SAMPLE 1\n"               \
         "BEGIN_SAMPLE 2\na 40\nb 20\nEND_SAMPLE 2\nBEGIN_SAMPLE 4\na 50\nEND_SAMPLE 4\n"
#define TITLE "time\twhat\tvalue\n"

/* One that fits, one on the total, one below, one far above, and the profiler's own. */
#define LINES                                                                                      \
    TITLE "0\tfits\t60\n0\tlive\t10\n0\tlow\t5\n0\tfar\t900\n0\tprofiler\t150\n"                   \
          "1\tfits\t130\n1\tlive\t100\n1\tlow\t5\n1\tfar\t900\n1\tprofiler\t150\n"                 \
          "3\tfits\t110\n3\tlive\t55\n3\tlow\t5\n3\tfar\t901\n3\tprofiler\t150\n"

static void draw(drawing *d, const char *profile, const char *lines, const hpr_options *options)
{
    static const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_str bytes = {profile, strlen(profile)}, quantities = {lines, strlen(lines)};
    hpf_source *sidecar;
    hpf_error err = {0};
    cr_assert_eq(hpf_source_from_memory(&d->source, bytes, &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&d->survey, d->source, NULL, &err), HPF_OK, "%s", err.message);
    cr_assert_eq(hpf_source_from_memory(&sidecar, quantities, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_add_sidecar(d->survey, sidecar, &err), HPF_OK, "%s", err.message);
    hpf_source_destroy(sidecar);
    cr_assert_eq(hpr_chart_create(&d->chart, d->survey, options, made_up_measurer, &err), HPF_OK);
    cr_assert_eq(hpr_scene_create(&d->scene, d->chart, options, made_up_measurer, &err), HPF_OK);
}

/* Draws PROFILE with LINES, and asserts that these lines are drawn: texts between blanks. */
static void expect_lines(const hpr_options *options, const char *expected)
{
    drawing d;
    char names[100] = "";
    draw(&d, PROFILE, LINES, options);
    for (size_t i = 0; i < d.chart->n_quantities; i++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "",
                 d.chart->quantities[i].text);
    }
    cr_expect_str_eq(names, expected);
    destroy(&d);
}

Test(quantity_lines, draws_selected_quantities)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    expect_lines(&options, "fits");
    options.overlay = HPR_OVERLAY_ALL;
    expect_lines(&options, "fits live low far, at most 901 B profiler, at most 150 B");
    options.overlay = HPR_OVERLAY_NONE;
    expect_lines(&options, "");
    const hpf_str named[] = {HPF_STR("low"), HPF_STR("nothing"), HPF_STR("profiler")};
    options.overlay = HPR_OVERLAY_NAMED;
    options.overlay_names = named;
    options.n_overlay_names = 3;
    expect_lines(&options, "low profiler, at most 150 B");
    options.overlay = HPR_OVERLAY_ALL;
    options.normalise = true;
    expect_lines(&options, "");
    hpr_options classic = hpr_options_default(HPR_LOOK_CLASSIC);
    classic.overlay = HPR_OVERLAY_ALL;
    expect_lines(&classic, "");
}

/* Six names of 20 each are 120 on each other, and six lines at 20. */
Test(quantity_lines, highest_line_is_the_limit_in_line_charts)
{
    static const char profile[] = HEAD "BEGIN_SAMPLE 0\na 20\nb 20\nc 20\nEND_SAMPLE 0\n"
                                       "BEGIN_SAMPLE 1\nd 20\ne 20\nf 20\na 20\nb 20\nc 20\n"
                                       "END_SAMPLE 1\n";
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    drawing d;
    draw(&d, profile, TITLE "0\theap\t130\n1\theap\t140\n", &options);
    cr_expect_eq(d.chart->n_quantities, 1);
    destroy(&d);
    options.as_lines = true;
    draw(&d, profile, TITLE "0\theap\t130\n1\theap\t140\n", &options);
    cr_expect_eq(d.chart->n_quantities, 0);
    destroy(&d);
}

Test(quantity_lines, values_are_at_the_samples_and_within_the_axis)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    drawing d;
    draw(&d, PROFILE, LINES, &options);
    const hpr_quantity *line = &d.chart->quantities[0];
    cr_assert_eq(d.chart->n_points, 4);
    cr_expect_eq(line->values[0], 60);
    cr_expect_eq(line->values[1], 130);
    cr_expect_eq(line->values[2], 120);
    cr_expect(isnan(line->values[3]));
    cr_expect_eq(line->max, 130);
    cr_expect_geq(d.chart->y.high, 130);
    cr_expect_lt(d.chart->y.high, 142, "a third above the peak, and at most to the next tick");
    cr_expect_eq(d.chart->peak_total, 100);
    destroy(&d);
}

/* The bands keep three quarters of the height, whatever is asked. */
Test(quantity_lines, line_above_the_plot_is_cut_and_has_an_arrow)
{
    static const hpr_overlay overlays[] = {HPR_OVERLAY_FITTING, HPR_OVERLAY_ALL};
    for (int i = 0; i < 2; i++) {
        hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
        drawing d;
        options.overlay = overlays[i];
        draw(&d, PROFILE, TITLE "0\tresident\t60\n1\tresident\t800\n3\tresident\t90\n", &options);
        cr_expect_lt(d.chart->y.high, 142);
        size_t n_arrows = 0, n_pieces = 0;
        for (size_t k = 0; k < d.scene->n_items; k++) {
            const hpr_item *item = &d.scene->items[k];
            n_arrows += item->kind == HPR_ITEM_POLYGON && item->n_points == 3;
            n_pieces += item->kind == HPR_ITEM_LINE && item->stroke.dash_pt == 3;
        }
        cr_expect_eq(n_arrows, 1);
        cr_expect_eq(n_pieces, 2, "up to the top, and down from it");
        cr_expect_str_eq(d.chart->quantities[0].text, "resident, at most 800 B");
        destroy(&d);
    }
}

Test(quantity_lines, names_of_lines_that_are_cut_at_one_place_are_apart)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    drawing d;
    const hpr_item *names[2] = {NULL, NULL};
    options.overlay = HPR_OVERLAY_ALL;
    draw(&d, PROFILE, TITLE "0\tresident\t60\n0\theld\t50\n4\tresident\t800\n4\theld\t700\n",
         &options);
    for (size_t i = 0; i < d.scene->n_items; i++) {
        const hpr_item *item = &d.scene->items[i];
        if (item->kind == HPR_ITEM_TEXT && strstr(item->text, ", at most ")) {
            names[item->text[0] == 'h'] = item;
        }
    }
    cr_assert(names[0] && names[1]);
    cr_expect_geq(fabs(names[0]->at.y_pt - names[1]->at.y_pt), names[0]->size_pt);
    destroy(&d);
}

Test(quantity_lines, line_at_a_constant_distance_tells_nothing)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    drawing d;
    draw(&d, PROFILE, TITLE "0\tresident\t20\n1\tresident\t112\n2\tresident\t70\n4\tresident\t62\n",
         &options);
    cr_expect_eq(d.chart->n_quantities, 0);
    destroy(&d);
    options.overlay = HPR_OVERLAY_ALL;
    draw(&d, PROFILE, TITLE "0\tresident\t20\n1\tresident\t112\n2\tresident\t70\n4\tresident\t62\n",
         &options);
    cr_expect_eq(d.chart->n_quantities, 1);
    destroy(&d);
}

Test(quantity_lines, uses_only_values_between_the_samples)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.overlay = HPR_OVERLAY_ALL;
    drawing d;
    draw(&d, HEAD "BEGIN_SAMPLE 2\na 9\nEND_SAMPLE 2\nBEGIN_SAMPLE 3\na 9\nEND_SAMPLE 3\n",
         TITLE "1\tearly\t7\n1\tboth\t9\n2.5\tboth\t2\n4\tboth\t9\n", &options);
    cr_assert_eq(d.chart->n_quantities, 1);
    cr_expect_str_eq(d.chart->quantities[0].text, "both");
    cr_expect_eq(d.chart->quantities[0].n_points, 1);
    cr_expect_eq(d.chart->quantities[0].max, 2);
    destroy(&d);
}

/* --- the scene -------------------------------------------------------------------------------- */

typedef struct box {
    double left, right, top, bottom;
} box;

static const hpr_item *find_text(const hpr_scene *scene, const char *begin)
{
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        if (item->kind == HPR_ITEM_TEXT && strncmp(item->text, begin, strlen(begin)) == 0) {
            return item;
        }
    }
    return NULL;
}

static box box_of(const hpr_item *text)
{
    hpr_text_size size = made_up_measure(NULL, text->text, text->size_pt, text->bold);
    return (box){text->at.x_pt, text->at.x_pt + size.width_pt, text->at.y_pt - size.ascent_pt,
                 text->at.y_pt + size.descent_pt};
}

/* Returns whether a straight segment crosses a box. */
static bool is_crossed(const box *b, hpr_point from, hpr_point to)
{
    for (int i = 0; i <= 1000; i++) {
        double x = from.x_pt + (to.x_pt - from.x_pt) * i / 1000;
        double y = from.y_pt + (to.y_pt - from.y_pt) * i / 1000;
        if (x > b->left && x < b->right && y > b->top && y < b->bottom) {
            return true;
        }
    }
    return false;
}

static void expect_no_line_through(const hpr_scene *scene, const box *b)
{
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        bool is_line = item->kind == HPR_ITEM_LINE && item->stroke.dash_pt > 0;
        for (size_t k = 1; is_line && k < item->n_points; k++) {
            cr_expect_not(is_crossed(b, item->points[k - 1], item->points[k]));
        }
    }
}

Test(quantity_lines, names_are_next_to_their_lines)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    drawing d;
    draw(&d, PROFILE, LINES, &options);
    const hpr_item *name = find_text(d.scene, "fits");
    const hpr_item *peak = find_text(d.scene, "peak");
    cr_assert(name && peak);
    const box b = box_of(name), p = box_of(peak);
    cr_expect_geq(b.left, d.chart->plot_x_pt);
    cr_expect_leq(b.right, d.chart->plot_x_pt + d.chart->plot_width_pt);
    cr_expect(b.right < p.left || p.right < b.left || b.bottom < p.top || p.bottom < b.top);
    expect_no_line_through(d.scene, &b);
    expect_no_line_through(d.scene, &p);
    /* Near the end, which is at three quarters of the time. */
    cr_expect_geq(b.right, d.chart->plot_x_pt + 0.5 * d.chart->plot_width_pt);
    destroy(&d);
}

Test(quantity_lines, labels_of_marks_are_drawn_too)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    drawing d;
    draw(&d, PROFILE "MARK 1.5\n", TITLE "1.5\tmark\tnow\n", &options);
    cr_assert_eq(d.chart->n_marks, 1);
    cr_expect_str_eq(d.chart->marks[0].label, "now");
    cr_expect_not_null(find_text(d.scene, "now"));
    destroy(&d);
}

Test(quantity_lines, simplifies_line_of_many_points)
{
    static char lines[16000 * 32];
    size_t at = (size_t)snprintf(lines, sizeof lines, TITLE);
    for (int i = 0; i < 16000; i++) {
        at += (size_t)snprintf(lines + at, sizeof lines - at, "%.6f\tnoise\t%d\n", i / 4000.0,
                               100 + i * 7919 % 31);
    }
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.tolerance_pt = 0.5;
    drawing d;
    draw(&d, PROFILE, lines, &options);
    size_t n_most = 0;
    for (size_t i = 0; i < d.scene->n_items; i++) {
        const hpr_item *item = &d.scene->items[i];
        n_most = item->kind == HPR_ITEM_LINE && item->n_points > n_most ? item->n_points : n_most;
    }
    cr_expect_geq(n_most, 1000);
    cr_expect_leq(n_most, (size_t)(4 * d.chart->plot_width_pt / 0.4) + 8);
    destroy(&d);
}

/* "fits" is 60, 130 and 110 at 0, 1 and 3 s; the bands have samples at 0, 1, 2 and 4 s. */
Test(quantity_lines, steps_like_the_bands)
{
    const double times[] = {0, 1, 1, 3, 3}, amounts[] = {60, 60, 130, 130, 110};
    const double values[] = {60, 60, 130, 130, 130, NAN, NAN};
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.as_steps = true;
    drawing d;
    draw(&d, PROFILE, LINES, &options);
    const hpr_quantity *line = &d.chart->quantities[0];
    cr_assert_eq(line->n_points, 5);
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(line->points[i].time, times[i]);
        cr_expect_eq(line->points[i].value, amounts[i]);
    }
    cr_assert_eq(d.chart->n_points, 7);
    for (size_t i = 0; i < 7; i++) {
        bool is_equal = isnan(values[i]) ? isnan(line->values[i]) : line->values[i] == values[i];
        cr_expect(is_equal, "%zu: %g", i, line->values[i]);
    }
    destroy(&d);
}

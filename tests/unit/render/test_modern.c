/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The modern look as a whole: invariants for every profile on every sheet, and unusual profiles.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hprender/render.h"

#include "layout/labels.h"
#include "made_up_font.h"
#include "chart_wiggle.h"

/* A profile, its chart and its scene. */
typedef struct drawing {
    hpf_source *source;
    hpf_survey *survey;
    hpr_chart *chart;
    hpr_scene *scene;
} drawing;

static const hpf_source_options keep = {.keep = true};

static void draw_source(drawing *d, const hpr_options *options)
{
    hpf_error err = {0};
    cr_assert_eq(hpf_survey_create(&d->survey, d->source, NULL, &err), HPF_OK, "%s", err.message);
    cr_assert_eq(hpr_chart_create(&d->chart, d->survey, options, made_up_measurer, &err), HPF_OK);
    cr_assert_eq(hpr_scene_create(&d->scene, d->chart, options, made_up_measurer, &err), HPF_OK);
}

static void draw_file(drawing *d, const char *path, const hpr_options *options)
{
    cr_assert_eq(hpf_source_open(&d->source, path, &keep, NULL), HPF_OK);
    draw_source(d, options);
}

static void draw_text(drawing *d, const char *text, const hpr_options *options)
{
    hpf_str bytes = {text, strlen(text)};
    cr_assert_eq(hpf_source_from_memory(&d->source, bytes, &keep, NULL), HPF_OK);
    draw_source(d, options);
}

static void destroy(drawing *d)
{
    hpr_scene_destroy(d->scene);
    hpr_chart_destroy(d->chart);
    hpf_survey_destroy(d->survey);
    hpf_source_destroy(d->source);
}

static hpr_options sheet(double width_pt, double height_pt)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.width_pt = width_pt;
    options.height_pt = height_pt;
    return options;
}

/* --- invariants ------------------------------------------------------------------------------- */

typedef struct box {
    double left, right, low, high;
} box;

static box box_of_label(const hpr_label *label)
{
    hpr_text_size size = made_up_measure(NULL, label->text, label->size_pt, false);
    double left = label->x_pt - (label->place == HPR_LABEL_INSIDE ? size.width_pt / 2 : 0);
    return (box){left, left + size.width_pt, label->y_pt - size.descent_pt,
                 label->y_pt + size.ascent_pt};
}

static bool overlap(box a, box b)
{
    const double slack = 1e-6;
    return a.left < b.right - slack && b.left < a.right - slack && a.low < b.high - slack &&
           b.low < a.high - slack;
}

static void expect_inside_page(const hpr_chart *chart, box b, const char *what)
{
    const double slack = 1e-6;
    cr_expect(b.left >= -slack && b.right <= chart->width_pt + slack && b.low >= -slack &&
                  b.high <= chart->height_pt + slack,
              "%s: %g..%g %g..%g", what, b.left, b.right, b.low, b.high);
}

/* Returns the height of a curve at an x position, by linear interpolation. */
static double height_at(const hpr_chart *chart, const double *amounts, double x_pt)
{
    double share = (x_pt - chart->plot_x_pt) / chart->plot_width_pt;
    double x_value = chart->x.low + share * (chart->x.high - chart->x.low);
    size_t i = 1;
    while (i + 1 < chart->n_points && chart->xs[i] < x_value) {
        i++;
    }
    double amount = amounts[0];
    if (chart->n_points > 1 && chart->xs[i] > chart->xs[i - 1]) {
        double part = (x_value - chart->xs[i - 1]) / (chart->xs[i] - chart->xs[i - 1]);
        amount = amounts[i - 1] + fmin(fmax(part, 0), 1) * (amounts[i] - amounts[i - 1]);
    }
    return chart->plot_y_pt + amount / chart->y.high * chart->plot_height_pt;
}

static void expect_inside_band(const hpr_chart *chart, uint32_t index)
{
    const hpr_band *band = &chart->bands[index];
    box b = box_of_label(&band->label);
    double *lower = calloc(chart->n_points, sizeof *lower);
    for (size_t i = 0; i < chart->n_points; i++) {
        lower[i] = index > 0 ? chart->bands[index - 1].upper[i] : 0;
    }
    for (double x = b.left; x <= b.right; x += 0.5) {
        cr_expect(height_at(chart, lower, x) <= b.low + 1e-3, "%s", band->text);
        cr_expect(height_at(chart, band->upper, x) >= b.high - 1e-3, "%s", band->text);
    }
    free(lower);
}

/* Checks that names next to bands and in legends have the order of the stack: down each column,
 * from the left column to the right one. Lines have the order of their right ends. */
static void expect_order_of_stack(const hpr_chart *chart)
{
    for (uint32_t high = 0; high < chart->n_bands; high++) {
        const hpr_label *above = &chart->bands[high].label;
        for (uint32_t low = 0; low < high; low++) {
            const hpr_label *below = &chart->bands[low].label;
            bool is_key = above->place == HPR_LABEL_LEGEND ||
                          (above->place == HPR_LABEL_MARGIN && !chart->is_lines);
            if (is_key && below->place == above->place) {
                cr_expect(above->x_pt < below->x_pt ||
                              (above->x_pt == below->x_pt && above->y_pt > below->y_pt),
                          "%s, above %s", chart->bands[high].text, chart->bands[low].text);
            }
        }
    }
}

static void expect_labels_in_place(const hpr_chart *chart)
{
    expect_order_of_stack(chart);
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        const hpr_band *band = &chart->bands[i];
        if (band->label.place == HPR_LABEL_NONE) {
            continue;
        }
        expect_inside_page(chart, box_of_label(&band->label), band->text);
        cr_expect(band->label.size_pt >= 7 && band->label.size_pt <= 9);
        if (band->label.place == HPR_LABEL_INSIDE && chart->x.high > chart->x.low) {
            expect_inside_band(chart, i);
        }
        for (uint32_t k = 0; k < i; k++) {
            const hpr_label *other = &chart->bands[k].label;
            cr_expect(other->place == HPR_LABEL_NONE ||
                          !overlap(box_of_label(&band->label), box_of_label(other)),
                      "%s on %s", band->text, chart->bands[k].text);
        }
    }
}

static void expect_good_axis(const hpr_axis *axis, double from_pt, double length_pt)
{
    for (size_t i = 0; i < axis->n_ticks; i++) {
        cr_expect(axis->ticks[i].at_pt >= from_pt - 1e-6);
        cr_expect(axis->ticks[i].at_pt <= from_pt + length_pt + 1e-6);
        for (size_t k = 0; k < i; k++) {
            cr_expect_str_neq(axis->ticks[i].label, axis->ticks[k].label);
        }
    }
    cr_expect_leq(axis->n_ticks, 10);
}

static void expect_x_labels_apart(const hpr_chart *chart)
{
    double free_from = -HUGE_VAL;
    for (size_t i = 0; i < chart->x.n_ticks; i++) {
        const hpr_tick *tick = &chart->x.ticks[i];
        double width = made_up_measure(NULL, tick->label, 7, false).width_pt;
        cr_expect_geq(tick->at_pt - width / 2, free_from);
        free_from = tick->at_pt + width / 2;
    }
}

/* Checks that bands are stacked without gaps, and that they contain the whole profile. */
static void expect_whole(const drawing *d)
{
    const hpr_chart *chart = d->chart;
    const hpf_overview *overview = hpf_survey_overview(d->survey);
    for (size_t i = 0; i < chart->n_points && !chart->is_normalised; i++) {
        double sum = 0;
        for (uint32_t b = 0; b < chart->n_bands; b++) {
            sum += chart->bands[b].values[i];
            cr_expect_leq(fabs(chart->bands[b].upper[i] - sum), 1e-9 * sum);
        }
        cr_expect_leq(fabs(sum - overview->picks[i].total), 1e-9 * sum);
    }
    cr_expect_eq(chart->dropped_names, 0);
    uint32_t n_other = 0;
    for (uint32_t b = 0; b < chart->n_bands; b++) {
        n_other += chart->bands[b].is_other;
    }
    cr_expect_leq(n_other, 1);
}

static void expect_sound_scene(const drawing *d)
{
    for (size_t i = 0; i < d->scene->n_items; i++) {
        const hpr_item *item = &d->scene->items[i];
        for (size_t k = 0; k < item->n_points; k++) {
            cr_expect(isfinite(item->points[k].x_pt) && isfinite(item->points[k].y_pt));
            cr_expect(item->points[k].x_pt >= -1e-6 &&
                      item->points[k].x_pt <= d->scene->width_pt + 1e-6);
            cr_expect(item->points[k].y_pt >= -1e-6 &&
                      item->points[k].y_pt <= d->scene->height_pt + 1e-6);
        }
        if (item->kind == HPR_ITEM_TEXT) {
            cr_expect(isfinite(item->at.x_pt) && isfinite(item->at.y_pt) && item->size_pt > 0);
        }
    }
}

static void expect_sound(const drawing *d)
{
    const hpr_chart *chart = d->chart;
    cr_expect_gt(chart->plot_width_pt, 0);
    cr_expect_gt(chart->plot_height_pt, 0);
    cr_expect_gt(chart->y.high, 0);
    expect_good_axis(&chart->x, chart->plot_x_pt, chart->plot_width_pt);
    expect_good_axis(&chart->y, chart->plot_y_pt, chart->plot_height_pt);
    expect_x_labels_apart(chart);
    expect_sound_scene(d);
    expect_whole(d);
}

static void expect_good(const drawing *d)
{
    expect_sound(d);
    expect_labels_in_place(d->chart);
}

static box box_of_text(const hpr_item *item)
{
    hpr_text_size size = made_up_measure(NULL, item->text, item->size_pt, false);
    static const double before[] = {
        [HPR_ANCHOR_START] = 0, [HPR_ANCHOR_MIDDLE] = 0.5, [HPR_ANCHOR_END] = 1};
    double left = item->at.x_pt - before[item->anchor] * size.width_pt;
    return (box){left, left + size.width_pt, item->at.y_pt - 0.7 * size.ascent_pt, item->at.y_pt};
}

/* Checks that texts of a scene do not overlap and are within the sheet. */
static void expect_texts_in_place(const drawing *d)
{
    const hpr_scene *scene = d->scene;
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        if (item->kind != HPR_ITEM_TEXT) {
            continue;
        }
        expect_inside_page(d->chart, box_of_text(item), item->text);
        for (size_t k = 0; k < i; k++) {
            const hpr_item *other = &scene->items[k];
            cr_expect(other->kind != HPR_ITEM_TEXT ||
                          !overlap(box_of_text(item), box_of_text(other)),
                      "'%s' on '%s'", item->text, other->text);
        }
    }
}

/* --- profiles --------------------------------------------------------------------------------- */

static void for_each_profile(const char *directory, const hpr_options *options)
{
    DIR *dir = opendir(directory);
    cr_assert_not_null(dir, "%s", directory);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".hp") != 0) {
            continue;
        }
        char path[1024];
        drawing d;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        draw_file(&d, path, options);
        expect_good(&d);
        expect_texts_in_place(&d);
        destroy(&d);
    }
    closedir(dir);
}

/* Checks legends, lines and percents on two sheets. */
static void for_each_manner(const char *directory)
{
    static const double sizes[][2] = {{648, 432}, {241.1, 150}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hpr_options options = sheet(sizes[i][0], sizes[i][1]);
        for (int legend = HPR_LEGEND_RIGHT; legend <= HPR_LEGEND_SEPARATE; legend++) {
            options.legend = (hpr_legend)legend;
            options.n_bands = legend == HPR_LEGEND_BELOW ? 40 : 15;
            for_each_profile(directory, &options);
        }
        options.legend = HPR_LEGEND_AUTO;
        options.as_lines = true;
        for_each_profile(directory, &options);
        options.group = HPR_GROUP_MODULE;
        options.by_sample = true;
        for_each_profile(directory, &options);
        options.as_lines = false;
        options.normalise = true;
        for_each_profile(directory, &options);
    }
}

static void for_each_sheet(const char *directory)
{
    static const double sizes[][2] = {{648, 432}, {506.3, 200}, {241.1, 150}, {252, 300},
                                      {648, 60},  {300, 36},    {90, 90}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hpr_options options = sheet(sizes[i][0], sizes[i][1]);
        for_each_profile(directory, &options);
        options.n_bands = 40;
        options.trace_percent = 0;
        options.theme = HPR_THEME_DARK;
        for_each_profile(directory, &options);
    }
}

Test(modern, profiles_on_sheets_of_all_sizes, .timeout = 240)
{
    for_each_sheet(CENSUS_SOURCE_DIR "/samples/hp");
    for_each_sheet(CENSUS_SOURCE_DIR "/tests/data/hp");
}

Test(modern, profiles_with_all_legends_lines_and_percents, .timeout = 240)
{
    for_each_manner(CENSUS_SOURCE_DIR "/samples/hp");
    for_each_manner(CENSUS_SOURCE_DIR "/tests/data/hp");
}

Test(modern, default_order_moves_less_than_any_other)
{
    DIR *dir = opendir(CENSUS_SOURCE_DIR "/samples/hp");
    cr_assert(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        static const hpr_order orders[] = {HPR_ORDER_WIGGLE, HPR_ORDER_SUM, HPR_ORDER_AREA,
                                           HPR_ORDER_STDDEV, HPR_ORDER_NAME};
        double best = 0;
        if (entry->d_name[0] == '.') {
            continue;
        }
        for (size_t i = 0; i < 2 * sizeof orders / sizeof *orders; i++) {
            hpr_options options = sheet(0, 0);
            options.order = orders[i / 2];
            options.reverse = i > 0 && i % 2;
            char path[1024];
            drawing d;
            snprintf(path, sizeof path, "%s/samples/hp/%s", CENSUS_SOURCE_DIR, entry->d_name);
            draw_file(&d, path, &options);
            double wiggle = chart_wiggle(d.chart, NULL);
            best = i == 0 ? wiggle : best;
            bool is_seed = orders[i / 2] == HPR_ORDER_SUM && options.reverse;
            cr_expect(wiggle >= best * (is_seed ? 1 - 1e-12 : 0.97), "%s: %zu", path, i);
            destroy(&d);
        }
    }
    closedir(dir);
}

Test(modern, equal_input_gives_equal_scenes)
{
    drawing a, b;
    hpr_options options = sheet(0, 0);
    draw_file(&a, CENSUS_SOURCE_DIR "/samples/hp/foldleak-prof-hc.hp", &options);
    draw_file(&b, CENSUS_SOURCE_DIR "/samples/hp/foldleak-prof-hc.hp", &options);
    cr_assert_eq(a.scene->n_items, b.scene->n_items);
    for (size_t i = 0; i < a.scene->n_items; i++) {
        const hpr_item *x = &a.scene->items[i];
        const hpr_item *y = &b.scene->items[i];
        cr_assert_eq(x->n_points, y->n_points);
        for (size_t k = 0; k < x->n_points; k++) {
            cr_assert_eq(memcmp(&x->points[k], &y->points[k], sizeof x->points[k]), 0);
        }
        cr_assert(x->kind != HPR_ITEM_TEXT || strcmp(x->text, y->text) == 0);
    }
    destroy(&a);
    destroy(&b);
}

/* --- select ----------------------------------------------------------------------------------- */

#define HEAD "JOB \"a.out\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

static const char three_names[] =
    HEAD "BEGIN_SAMPLE 0.0\nbig\t900\nsmall\t60\ntiny\t5\nEND_SAMPLE 0.0\n"
         "BEGIN_SAMPLE 1.0\nbig\t900\nsmall\t60\ntiny\t5\n"
         "END_SAMPLE 1.0\n";

/* If rules are everywhere, a name is drawn over them rather than omitted. */
Test(modern, names_are_set_on_rules_when_there_is_no_other_place)
{
    char text[1024] = HEAD "BEGIN_SAMPLE 0\nlongish_name\t900\nEND_SAMPLE 0\n";
    for (int i = 0; i < 6; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "MARK %d.5\n", i);
    }
    strcat(text, "BEGIN_SAMPLE 6\nlongish_name\t900\nEND_SAMPLE 6\n");
    drawing d;
    hpr_options options = sheet(300, 200);
    draw_text(&d, text, &options);
    cr_assert_eq(d.chart->n_marks, 6);
    for (size_t i = 0; i < 6; i++) {
        cr_assert(d.chart->marks[i].is_ruled);
    }
    cr_expect_eq(d.chart->bands[0].label.place, HPR_LABEL_INSIDE);
    destroy(&d);
}

Test(modern, names_are_set_off_rules_when_there_is_a_place)
{
    drawing d;
    hpr_options options = sheet(300, 200);
    draw_text(&d,
              HEAD "BEGIN_SAMPLE 0\nlongish_name\t900\nEND_SAMPLE 0\nMARK 5\n"
                   "BEGIN_SAMPLE 10\nlongish_name\t900\nEND_SAMPLE 10\n",
              &options);
    const hpr_label *label = &d.chart->bands[0].label;
    cr_assert_eq(label->place, HPR_LABEL_INSIDE);
    double width_pt = made_up_measure(NULL, label->text, label->size_pt, false).width_pt;
    double rule_pt = d.chart->plot_x_pt + d.chart->plot_width_pt / 2;
    cr_assert(d.chart->marks[0].is_ruled);
    cr_expect_gt(fabs(label->x_pt - rule_pt), width_pt / 2, "from %g, %g wide; rule at %g",
                 label->x_pt, width_pt, rule_pt);
    destroy(&d);
}

/* Thin bands far from each other have their names in the margin, each at its own height. */
Test(modern, names_in_the_margin_are_at_their_bands)
{
    drawing d;
    hpr_options options = sheet(300, 200);
    options.as_lines = true;
    draw_text(&d,
              HEAD "BEGIN_SAMPLE 0\nhigh\t900\nmiddle\t500\nlow\t100\nEND_SAMPLE 0\n"
                   "BEGIN_SAMPLE 98\nhigh\t900\nmiddle\t500\nlow\t100\nEND_SAMPLE 98\n"
                   "BEGIN_SAMPLE 99\nhigh\t850\nmiddle\t450\nlow\t100\nEND_SAMPLE 99\n"
                   "BEGIN_SAMPLE 100\nhigh\t800\nmiddle\t400\nlow\t100\nEND_SAMPLE 100\n",
              &options);
    cr_assert_eq(d.chart->n_bands, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const hpr_label *label = &d.chart->bands[i].label;
        double y_pt = d.chart->plot_y_pt +
                      d.chart->plot_height_pt * d.chart->bands[i].values[3] / d.chart->y.high;
        cr_expect_eq(label->place, HPR_LABEL_MARGIN);
        cr_expect_float_eq(label->anchor_y_pt, y_pt, 1e-6, "%s", label->text);
        cr_expect_float_eq(label->y_pt, y_pt, 5, "%s: %g, not %g", label->text, label->y_pt, y_pt);
    }
    destroy(&d);
}

Test(modern, single_trace_is_shown_by_name)
{
    drawing d;
    hpr_options options = sheet(0, 0);
    draw_text(&d, three_names, &options);
    cr_assert_eq(d.chart->n_bands, 3);
    cr_assert_eq(d.chart->other_names, 0);
    destroy(&d);
}

Test(modern, traces_and_the_rest_join_other)
{
    drawing d;
    hpr_options options = sheet(0, 0);
    options.trace_percent = 50;
    draw_text(&d, three_names, &options);
    cr_assert_eq(d.chart->n_bands, 2);
    cr_assert_eq(d.chart->other_names, 2);
    cr_assert(d.chart->bands[1].is_other);
    cr_assert_float_eq(d.chart->bands[1].values[0], 65, 1e-12);
    cr_assert_float_eq(d.chart->peak_total, 965, 1e-12);
    destroy(&d);
    options.trace_percent = 0;
    options.n_bands = 1;
    draw_text(&d, three_names, &options);
    cr_assert_eq(d.chart->other_names, 2);
    destroy(&d);
    options.n_bands = -1;
    draw_text(&d, three_names, &options);
    cr_assert_eq(d.chart->n_bands, 1);
    cr_assert_eq(d.chart->other_names, 3);
    destroy(&d);
}

/* Checks the labels of a chart that is too narrow for whole names. */
static void expect_labels(const char *profile, const char *const *expected)
{
    drawing d;
    hpr_options options = sheet(150, 200);
    options.legend = HPR_LEGEND_RIGHT;
    options.order = HPR_ORDER_NAME;
    options.reverse = true;
    draw_text(&d, profile, &options);
    for (uint32_t i = 0; i < d.chart->n_bands; i++) {
        cr_expect_str_eq(d.chart->bands[i].label.text, expected[i]);
    }
    destroy(&d);
}

Test(modern, cut_names_keep_distinguishing_numbers)
{
    static const char *const alike[] = {"(96)l…mp", "(97)l…mp"};
    expect_labels(
        HEAD "BEGIN_SAMPLE 0\n(96)lazyCount.bump\t9\n(97)lazyCount.bump\t8\nEND_SAMPLE 0\n", alike);
    static const char *const different[] = {"lazyC…mp", "strictM…"};
    expect_labels(
        HEAD "BEGIN_SAMPLE 0\n(96)lazyCount.bump\t9\n(97)strictMap.insert...\t8\nEND_SAMPLE 0\n",
        different);
}

/* Checks that names in the column of a paper are whole, without ids and without callers that all
 * stacks share, and that the legend is below the plot, at most a third of the height. */
static void check_column(const char *samples, const char *common, const char *const names[3])
{
    drawing d;
    char profile[1024];
    hpr_options options = sheet(241, 150);
    int n_in_legend = 0;
    options.order = HPR_ORDER_NAME; /* the first on top */
    snprintf(profile, sizeof profile,
             HEAD "BEGIN_SAMPLE 0\n%sEND_SAMPLE 0\nBEGIN_SAMPLE 1\nEND_SAMPLE 1\n", samples);
    draw_text(&d, profile, &options);
    cr_assert_eq(d.chart->n_bands, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const hpr_label *label = &d.chart->bands[2 - i].label;
        cr_assert_neq(label->place, HPR_LABEL_NONE, "%s", names[i]);
        cr_expect_str_eq(label->text, names[i]);
        if (label->place == HPR_LABEL_LEGEND) {
            cr_expect(label->y_pt < d.chart->plot_y_pt && label->y_pt < 150.0 / 3 + 3);
            n_in_legend++;
        }
    }
    cr_expect(*common || n_in_legend > 0);
    cr_expect_str_eq(d.chart->common.text ? d.chart->common.text : "", common);
    cr_expect_eq(d.chart->common.place, *common ? HPR_LABEL_LEGEND : HPR_LABEL_NONE);
    destroy(&d);
}

Test(modern, names_in_a_column_are_whole)
{
    check_column("(12)anInnerFunction/ofAnOuterOne/main\t9\n(7)theSame/inTwoPlaces/main\t9\n"
                 "(8)theSame/inTwoPlaces/main\t9\n",
                 "",
                 (const char *const[]){"anInnerFunction/ofAnOuterOne/main",
                                       "(7)theSame/inTwoPlaces/main",
                                       "(8)theSame/inTwoPlaces/main"});
    check_column("(1)checkPattern/aPass/passes/main/aLongWayUp\t9\n"
                 "(2)lexPattern/aPass/passes/main...\t9\n(3)parsePattern/aPass/p...\t9\n",
                 "names: …/aPass/passes/main/aLongWayUp",
                 (const char *const[]){"checkPattern", "lexPattern", "parsePattern"});
    check_column("some-package:Some.Module.Just\t9\nsome-package:Some.Module.Map\t9\n"
                 "some-package:Some.Module.Text\t9\n",
                 "names: some-package:Some.Module.…", (const char *const[]){"Just", "Map", "Text"});
}

/* A name that would be cut inside its band is whole below the plot of a paper's column, while the
 * name that fits its band stays there. A wide sheet has no such place. */
Test(modern, names_cut_inside_bands_move_to_the_legend_of_a_column)
{
    static const char name[] = "a_name_that_is_much_too_long_for_the_band_of_this_one_profile";
    static const double widths_pt[] = {400, 480};
    for (size_t i = 0; i < sizeof widths_pt / sizeof *widths_pt; i++) {
        drawing d;
        char profile[1024];
        hpr_options options = sheet(widths_pt[i], 200);
        bool is_column = widths_pt[i] < 480;
        snprintf(profile, sizeof profile,
                 HEAD "BEGIN_SAMPLE 0\nshort\t200\nEND_SAMPLE 0\n"
                      "BEGIN_SAMPLE 1\nshort\t200\nEND_SAMPLE 1\n"
                      "BEGIN_SAMPLE 1\nshort\t200\n%s\t900\nEND_SAMPLE 1\n"
                      "BEGIN_SAMPLE 2\nshort\t200\n%s\t900\nEND_SAMPLE 2\n"
                      "BEGIN_SAMPLE 2\nshort\t200\nEND_SAMPLE 2\n"
                      "BEGIN_SAMPLE 3\nshort\t200\nEND_SAMPLE 3\n",
                 name, name);
        draw_text(&d, profile, &options);
        expect_good(&d);
        cr_assert_eq(d.chart->n_bands, 2);
        for (uint32_t k = 0; k < 2; k++) {
            const hpr_band *band = &d.chart->bands[k];
            bool is_moved = is_column && strcmp(band->text, name) == 0;
            cr_expect_eq(band->label.place, is_moved ? HPR_LABEL_LEGEND : HPR_LABEL_INSIDE,
                         "%s at %g pt: %d", band->text, widths_pt[i], band->label.place);
            bool is_cut = strcmp(band->label.text, band->text) != 0;
            cr_expect_eq(is_cut, !is_column && strcmp(band->text, name) == 0, "%s",
                         band->label.text);
            cr_expect(!is_moved || band->label.y_pt < d.chart->plot_y_pt);
        }
        destroy(&d);
    }
}

/* Returns the chart of bands that are high at first and nearly nothing at the end, so that their
 * names have room in the plot, in a column next to it only. */
static void draw_falling(drawing *d, int n_points, const char *more, hpr_options options)
{
    char profile[16384] = HEAD;
    for (int i = 0; i < n_points; i++) {
        bool is_high = i < 2;
        snprintf(profile + strlen(profile), 200,
                 "BEGIN_SAMPLE %d\nan_alpha_name\t%d\na_beta_name\t%d\na_gamma_name\t%d\n"
                 "END_SAMPLE %d\n%s",
                 i, is_high ? 3000 : 2, is_high ? 2000 : 2, is_high ? 1000 : 2, i, more);
        more = "";
    }
    draw_text(d, profile, &options);
    cr_assert_eq(d->chart->n_bands, 3);
}

Test(modern, names_are_listed_in_an_empty_corner)
{
    drawing d;
    draw_falling(&d, 61, "", sheet(0, 0));
    double before = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const hpr_label *label = &d.chart->bands[i].label;
        hpr_text_size size = made_up_measure(NULL, label->text, label->size_pt, false);
        cr_assert_eq(label->place, HPR_LABEL_LEGEND, "%d", label->place);
        double middle = label->box_y_pt + HPR__SWATCH_PT / 2;
        cr_expect_float_eq(label->y_pt + (size.ascent_pt - size.descent_pt) / 2, middle, 1e-9);
        cr_expect(i == 0 || fabs(middle - before - size.ascent_pt - size.descent_pt - 0.25) < 1e-9);
        cr_expect_gt(label->box_y_pt, d.chart->plot_y_pt);
        cr_expect_lt(label->y_pt + size.ascent_pt, d.chart->plot_y_pt + d.chart->plot_height_pt);
        cr_expect_lt(label->x_pt + size.width_pt, d.chart->plot_x_pt + d.chart->plot_width_pt);
        before = middle;
    }
    destroy(&d);
}

Test(modern, names_of_a_legend_are_level_with_their_swatches)
{
    for (int legend = HPR_LEGEND_RIGHT; legend <= HPR_LEGEND_BELOW; legend++) {
        drawing d;
        hpr_options options = sheet(0, 0);
        options.legend = (hpr_legend)legend;
        draw_falling(&d, 61, "", options);
        for (uint32_t i = 0; i < 3; i++) {
            const hpr_label *label = &d.chart->bands[i].label;
            hpr_text_size size = made_up_measure(NULL, label->text, label->size_pt, false);
            cr_assert_eq(label->place, HPR_LABEL_LEGEND);
            cr_expect_float_eq(label->y_pt + (size.ascent_pt - size.descent_pt) / 2,
                               label->box_y_pt + HPR__SWATCH_PT / 2, 1e-9, "legend %d", legend);
        }
        destroy(&d);
    }
}

Test(modern, names_are_not_listed_where_marks_or_curves_may_be)
{
    hpr_options lines = sheet(0, 0), normalised = sheet(0, 0);
    lines.as_lines = true;
    normalised.normalise = true;
    const struct {
        int n_points;
        const char *more;
        hpr_options options;
    } cases[] = {{1, "", sheet(0, 0)},
                 {61, "MARK 0.5\n", sheet(0, 0)},
                 {61, "", lines},
                 {61, "", normalised}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drawing d;
        draw_falling(&d, cases[i].n_points, cases[i].more, cases[i].options);
        for (uint32_t k = 0; k < 3; k++) {
            cr_expect_neq(d.chart->bands[k].label.place, HPR_LABEL_LEGEND, "case %zu", i);
        }
        destroy(&d);
    }
}

static bool has_label(const char *profile, const char *name)
{
    drawing d;
    hpr_options options = sheet(0, 0);
    bool is_there = false;
    draw_text(&d, profile, &options);
    for (uint32_t i = 0; i < d.chart->n_bands; i++) {
        const hpr_band *band = &d.chart->bands[i];
        const char *text = band->is_other ? "OTHER" : band->text;
        is_there |= strcmp(text, name) == 0 && band->label.place != HPR_LABEL_NONE;
    }
    destroy(&d);
    return is_there;
}

Test(modern, other_has_no_label_where_it_is_invisible)
{
    cr_expect_not(has_label(HEAD "BEGIN_SAMPLE 0\nbig\t9990\nx\t5\ny\t5\nEND_SAMPLE 0\n", "OTHER"));
    cr_expect(has_label(HEAD "BEGIN_SAMPLE 0\nbig\t990\nx\t5\ny\t4\nEND_SAMPLE 0\n", "OTHER"));
}

Test(modern, leaders_of_a_single_sample_do_not_cross_its_bands)
{
    drawing d;
    hpr_options options = sheet(500, 150);
    draw_text(
        &d, HEAD "BEGIN_SAMPLE 0\nbig\t100\na_long_name_that_has_no_room_inside\t4\nEND_SAMPLE 0\n",
        &options);
    double right = d.chart->plot_x_pt + d.chart->plot_width_pt;
    bool is_led = false;
    for (size_t i = 0; i < d.scene->n_items; i++) {
        const hpr_item *item = &d.scene->items[i];
        if (item->kind == HPR_ITEM_LINE && item->n_points == 4) {
            is_led = true;
            cr_expect_geq(item->points[0].x_pt, right);
        }
    }
    cr_expect(is_led);
    destroy(&d);
}

#define EARLY                                                                                      \
    HEAD "BEGIN_SAMPLE 0\nbig\t900\nsmall\t20\nEND_SAMPLE 0\n"                                     \
         "BEGIN_SAMPLE 1\nbig\t100\nsmall\t10\nEND_SAMPLE 1\n"

/* Returns the place of the label of the small band. */
static hpr_label place_of_small(const char *profile, double *right_of_plot_pt)
{
    drawing d;
    hpr_options options = sheet(241, 150);
    hpr_label label = {.place = HPR_LABEL_NONE};
    draw_text(&d, profile, &options);
    expect_good(&d);
    expect_texts_in_place(&d);
    for (uint32_t i = 0; i < d.chart->n_bands; i++) {
        if (strcmp(d.chart->bands[i].text, "small") == 0) {
            label = d.chart->bands[i].label;
        }
    }
    *right_of_plot_pt = d.chart->plot_x_pt + d.chart->plot_width_pt;
    destroy(&d);
    return label;
}

Test(modern, names_without_leaders_are_where_the_plot_is_empty)
{
    double right;
    hpr_label over_nothing = place_of_small(EARLY "BEGIN_SAMPLE 9\nbig\t2\nEND_SAMPLE 9\n", &right);
    cr_expect_eq(over_nothing.place, HPR_LABEL_LEGEND);
    cr_expect_lt(over_nothing.x_pt, right);
    hpr_label at_an_end =
        place_of_small(EARLY "BEGIN_SAMPLE 9\nbig\t2\nsmall\t30\nEND_SAMPLE 9\n", &right);
    cr_expect_eq(at_an_end.place, HPR_LABEL_MARGIN);
    hpr_label over_much = place_of_small(EARLY "BEGIN_SAMPLE 9\nbig\t850\nEND_SAMPLE 9\n", &right);
    cr_expect_eq(over_much.place, HPR_LABEL_MARGIN);
    cr_expect_gt(over_much.x_pt, right);
}

Test(modern, names_without_leaders_are_near_their_bands)
{
    drawing d;
    hpr_options options = sheet(480, 200);
    draw_text(&d,
              HEAD "BEGIN_SAMPLE 0\nbig\t900\nsmall\t20\nEND_SAMPLE 0\n"
                   "BEGIN_SAMPLE 10\nbig\t3\nEND_SAMPLE 10\n"
                   "BEGIN_SAMPLE 30\nbig\t1\nEND_SAMPLE 30\n",
              &options);
    const hpr_label *label =
        &d.chart->bands[d.chart->bands[0].label.place == HPR_LABEL_INSIDE].label;
    double end_of_bands = d.chart->plot_x_pt + d.chart->plot_width_pt / 3;
    cr_expect_eq(label->place, HPR_LABEL_LEGEND);
    cr_expect(label->box_x_pt > end_of_bands && label->box_x_pt < end_of_bands + 10, "%g, %g",
              label->box_x_pt, end_of_bands);
    expect_good(&d);
    destroy(&d);
}

Test(modern, largest_name_of_one_sample_keeps_its_colour)
{
    drawing lone, many;
    hpr_options options = sheet(0, 0);
    draw_text(&lone, HEAD "BEGIN_SAMPLE 0\nMAIN\t900\nEND_SAMPLE 0\n", &options);
    draw_text(&many, HEAD "BEGIN_SAMPLE 0\nMAIN\t900\na\t50\nb\t51\nc\t52\nd\t53\nEND_SAMPLE 0\n",
              &options);
    for (uint32_t i = 0; i < many.chart->n_bands; i++) {
        const hpr_band *band = &many.chart->bands[i];
        if (strcmp(band->text, "MAIN") == 0) {
            cr_expect_eq(
                memcmp(&band->fill.colour, &lone.chart->bands[0].fill.colour, sizeof(hpr_colour)),
                0);
        }
    }
    destroy(&lone);
    destroy(&many);
}

Test(modern, reverse_keeps_the_place_of_other)
{
    drawing up, down;
    hpr_options options = sheet(0, 0);
    options.order = HPR_ORDER_SUM;
    options.trace_percent = 0;
    draw_text(&up, three_names, &options);
    options.reverse = true;
    draw_text(&down, three_names, &options);
    cr_assert_str_eq(up.chart->bands[0].text, "big");
    for (int i = 0; i < 3; i++) {
        cr_assert_str_eq(up.chart->bands[i].text, down.chart->bands[2 - i].text);
    }
    destroy(&up);
    destroy(&down);
}

/* --- unusual profiles ------------------------------------------------------------------------- */

static void expect_drawable(const char *text)
{
    static const double sizes[][2] = {{648, 432}, {241, 150}, {60, 40}, {5, 5}, {1, 2000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        drawing d;
        hpr_options options = sheet(sizes[i][0], sizes[i][1]);
        options.trace_percent = i % 2;
        draw_text(&d, text, &options);
        if (sizes[i][0] > 100) {
            expect_sound(&d);
            expect_labels_in_place(d.chart);
            expect_texts_in_place(&d);
        }
        for (size_t k = 0; k < d.scene->n_items; k++) {
            for (size_t p = 0; p < d.scene->items[k].n_points; p++) {
                cr_expect(isfinite(d.scene->items[k].points[p].x_pt));
                cr_expect(isfinite(d.scene->items[k].points[p].y_pt));
            }
        }
        destroy(&d);
    }
}

Test(modern, one_sample)
{
    expect_drawable(HEAD "BEGIN_SAMPLE 2.5\na\t10\nb\t30\nEND_SAMPLE 2.5\n");
}

Test(modern, no_names_at_all)
{
    expect_drawable(HEAD "BEGIN_SAMPLE 0.0\nEND_SAMPLE 0.0\n");
    expect_drawable(HEAD "BEGIN_SAMPLE 0.0\nEND_SAMPLE 0.0\nBEGIN_SAMPLE 9.0\nEND_SAMPLE 9.0\n");
}

Test(modern, only_zeros)
{
    expect_drawable(HEAD "BEGIN_SAMPLE 0.0\na\t0\nEND_SAMPLE 0.0\n"
                         "BEGIN_SAMPLE 1.0\na\t0\nb\t0\nEND_SAMPLE 1.0\n");
}

Test(modern, equal_times)
{
    expect_drawable(HEAD "BEGIN_SAMPLE 1.0\na\t10\nEND_SAMPLE 1.0\n"
                         "BEGIN_SAMPLE 1.0\na\t20\nb\t3\nEND_SAMPLE 1.0\n");
}

Test(modern, largest_values)
{
    expect_drawable(HEAD "BEGIN_SAMPLE 0.0\na\t18446744073709551615\nb\t18446744073709551615\n"
                         "END_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\na\t1\nEND_SAMPLE 1.0\n");
    expect_drawable(HEAD "BEGIN_SAMPLE 0.0\na\t1e99\nb\t3e99\nEND_SAMPLE 0.0\n"
                         "BEGIN_SAMPLE 1.0\na\t1e99\nEND_SAMPLE 1.0\n");
}

Test(modern, smallest_values)
{
    expect_drawable(HEAD "BEGIN_SAMPLE 0.0\na\t1e-300\nb\t3e-300\nEND_SAMPLE 0.0\n"
                         "BEGIN_SAMPLE 1e-9\na\t1e-300\nEND_SAMPLE 1e-9\n");
}

Test(modern, late_times)
{
    expect_drawable(HEAD "BEGIN_SAMPLE 1700000000.001\na\t5\nEND_SAMPLE 1700000000.001\n"
                         "BEGIN_SAMPLE 1700000000.002\na\t7\nEND_SAMPLE 1700000000.002\n");
}

static void expect_texts_of(const char *text, const hpr_options *options)
{
    drawing d;
    draw_text(&d, text, options);
    expect_texts_in_place(&d);
    destroy(&d);
}

Test(modern, many_digits_on_half_an_inch)
{
    const hpr_options options = sheet(36, 200);
    expect_texts_of(HEAD "BEGIN_SAMPLE 0.0\na\t1000\nEND_SAMPLE 0.0\n"
                         "BEGIN_SAMPLE 900.0\na\t1000\nEND_SAMPLE 900.0\n",
                    &options);
    expect_texts_of(HEAD "BEGIN_SAMPLE 1700000000.0\na\t1\nEND_SAMPLE 1700000000.0\n"
                         "BEGIN_SAMPLE 1700000019.0\na\t1\nEND_SAMPLE 1700000019.0\n",
                    &options);
    expect_texts_of(HEAD "BEGIN_SAMPLE 1700000000.0\na\t1\nEND_SAMPLE 1700000000.0\n", &options);
}

Test(modern, single_late_time_on_a_narrow_sheet_has_its_own_unit)
{
    const hpr_options options = sheet(36, 200);
    drawing d;
    draw_text(&d,
              HEAD "BEGIN_SAMPLE 5000.000001\na\t1\nEND_SAMPLE 5000.000001\n"
                   "BEGIN_SAMPLE 5000.000009\na\t1\nEND_SAMPLE 5000.000009\n",
              &options);
    cr_assert_eq(d.chart->x.n_ticks, 1);
    cr_expect_str_eq(d.chart->x.ticks[0].label, "83.3");
    cr_expect_str_eq(d.chart->x.unit, "min");
    destroy(&d);
}

Test(modern, numbers_of_both_axes_do_not_overlap_in_large_type)
{
    hpr_options options = sheet(648, 432);
    for (options.text_pt = 6; options.text_pt <= 48; options.text_pt += 6) {
        expect_texts_of(HEAD "BEGIN_SAMPLE 0.0\na\t5\nEND_SAMPLE 0.0\n"
                             "BEGIN_SAMPLE 90.0\na\t6\nEND_SAMPLE 90.0\n",
                        &options);
    }
}

Test(modern, names_of_invalid_utf8)
{
    expect_drawable(HEAD "BEGIN_SAMPLE 0.0\n\xFF\xC3(\t10\n\xE2\x8A\t30\nEND_SAMPLE 0.0\n"
                         "BEGIN_SAMPLE 1.0\n\xFF\xC3(\t20\nEND_SAMPLE 1.0\n");
}

Test(modern, name_of_a_megabyte)
{
    size_t length = 1 << 20;
    char *text = malloc(length + 1024);
    int at = sprintf(text, "%sBEGIN_SAMPLE 0.0\n", HEAD);
    memset(text + at, 'n', length);
    strcpy(text + at + length,
           "\t10\nb\t3\nEND_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\nb\t3\nEND_SAMPLE 1.0\n");
    drawing d;
    hpr_options options = sheet(0, 0);
    draw_text(&d, text, &options);
    expect_good(&d);
    destroy(&d);
    free(text);
}

Test(modern, twenty_thousand_names, .timeout = 60)
{
    size_t room = 20000 * 24 + 1024;
    char *text = malloc(room);
    size_t at = (size_t)snprintf(text, room, "%sBEGIN_SAMPLE 0.0\n", HEAD);
    for (int i = 0; i < 20000; i++) {
        at += (size_t)snprintf(text + at, room - at, "name%d\t%d\n", i, i % 977 + 1);
    }
    snprintf(text + at, room - at, "END_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\n");
    for (int n_bands = 0; n_bands <= 15; n_bands += 15) {
        drawing d;
        hpr_options options = sheet(0, 0);
        options.n_bands = n_bands;
        options.trace_percent = 0;
        draw_text(&d, text, &options);
        expect_sound_scene(&d);
        cr_expect_eq(d.chart->n_bands, n_bands ? 16 : 20000);
        destroy(&d);
    }
    free(text);
}

static hpr_text_size count_and_measure(void *context, const char *text, double size_pt, bool bold)
{
    unsigned *n_measured = context;
    (*n_measured)++;
    return made_up_measure(NULL, text, size_pt, bold);
}

/* Returns how many texts are measured for the chart of `n` names, all of them bands. */
static unsigned texts_measured(int n, const hpr_options *options)
{
    size_t room = (size_t)n * 48 + 1024;
    char *text = malloc(room);
    size_t at = (size_t)snprintf(text, room, "%sBEGIN_SAMPLE 0.0\n", HEAD);
    for (int i = 0; i < n; i++) {
        at +=
            (size_t)snprintf(text + at, room - at, "(%d)name%05d/main\t%d\n", i + 1, i, i % 97 + 1);
    }
    snprintf(text + at, room - at, "END_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\n");
    hpf_str bytes = {text, strlen(text)};
    unsigned n_measured = 0;
    const hpr_measurer counter = {count_and_measure, &n_measured};
    drawing d = {0};
    cr_assert_eq(hpf_source_from_memory(&d.source, bytes, &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&d.survey, d.source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpr_chart_create(&d.chart, d.survey, options, counter, NULL), HPF_OK);
    cr_expect_eq(d.chart->n_bands, (uint32_t)n);
    destroy(&d);
    free(text);
    return n_measured;
}

Test(modern, only_names_that_can_have_a_place_are_measured, .timeout = 60)
{
    static const hpr_legend legends[] = {HPR_LEGEND_AUTO, HPR_LEGEND_RIGHT, HPR_LEGEND_BELOW};
    for (size_t i = 0; i < sizeof legends / sizeof *legends; i++) {
        for (double width_pt = 240; width_pt <= 480; width_pt += 240) {
            hpr_options options = sheet(width_pt, 300);
            options.legend = legends[i];
            options.n_bands = 0;
            options.trace_percent = 0;
            unsigned few = texts_measured(1000, &options);
            unsigned many = texts_measured(10000, &options);
            cr_expect(many <= few + few / 2, "legend %zu, %g pt: %u texts, then %u", i, width_pt,
                      few, many);
        }
    }
}

/* Returns the number of items drawn for `n` bands of 1 to 3 bytes. Expects each in a group of its
 * own, or counted in the title of one. */
static size_t items_for_bands(int n, hpr_theme theme)
{
    size_t room = (size_t)n * 40 + 1024;
    char *text = malloc(room);
    size_t at = (size_t)snprintf(text, room, "%s", HEAD);
    for (int sample = 0; sample < 2; sample++) {
        at += (size_t)snprintf(text + at, room - at, "BEGIN_SAMPLE %d.0\n", sample);
        for (int i = 0; i < n; i++) {
            at += (size_t)snprintf(text + at, room - at, "name%05d\t%d\n", i, i % 3 + 1);
        }
        at += (size_t)snprintf(text + at, room - at, "END_SAMPLE %d.0\n", sample);
    }
    drawing d;
    hpr_options options = sheet(0, 0);
    options.n_bands = 0;
    options.trace_percent = 0;
    options.theme = theme;
    draw_text(&d, text, &options);
    size_t n_drawn = 0;
    for (size_t i = 0; i < d.scene->n_items; i++) {
        if (d.scene->items[i].kind == HPR_ITEM_GROUP_BEGIN) {
            unsigned in_run = 0;
            char end = 0;
            int read =
                sscanf(d.scene->items[i].text, "%u thin bands, the largest:%c", &in_run, &end);
            n_drawn += read == 2 && end == '\n' ? in_run : 1;
        }
    }
    cr_expect_eq(n_drawn, (size_t)n);
    size_t n_items = d.scene->n_items;
    destroy(&d);
    free(text);
    return n_items;
}

Test(modern, bands_too_thin_to_be_seen_are_drawn_together, .timeout = 60)
{
    size_t few = items_for_bands(3000, HPR_THEME_LIGHT),
           many = items_for_bands(30000, HPR_THEME_LIGHT);
    /* 360 points of bands that are at most 0.06 points thick: a group is three items. */
    cr_expect(few > 3 * 3000, "%zu", few);
    cr_expect(many < 3 * 2 * 360 / 0.06, "%zu", many);
    cr_expect(items_for_bands(3000, HPR_THEME_PRINT) < 3 * 2 * 360 / 0.4);
    cr_expect(items_for_bands(30000, HPR_THEME_PRINT) < 3 * 2 * 360 / 0.4);
}

/* Two bands of some bytes below a hundred of 1000: drawn in the mean of their colours, or of the
 * shades of their hatches. */
Test(modern, thin_bands_are_drawn_in_the_mean_of_their_colours)
{
    char text[4096];
    size_t at = (size_t)snprintf(text, sizeof text, HEAD "BEGIN_SAMPLE 0\na\t3\nb\t1\n");
    for (int i = 0; i < 100; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "large%d\t1000\n", i);
    }
    snprintf(text + at, sizeof text - at, "END_SAMPLE 0\n");
    for (int theme = HPR_THEME_LIGHT; theme <= HPR_THEME_PRINT; theme++) {
        drawing d;
        hpr_options options = sheet(0, 0);
        options.n_bands = 0;
        options.trace_percent = 0;
        options.theme = (hpr_theme)theme;
        options.order = HPR_ORDER_NAME;
        draw_text(&d, text, &options);
        hpr_colour expected = {0, 0, 0};
        for (uint32_t i = 0; i < d.chart->n_bands; i++) {
            const hpr_band *band = &d.chart->bands[i];
            double share = strcmp(band->text, "a") == 0   ? 0.75
                           : strcmp(band->text, "b") == 0 ? 0.25
                                                          : 0;
            const hpr_fill *fill = &band->fill;
            double ink = fill->hatch_gap_pt > 0 ? fill->hatch_line_pt / fill->hatch_gap_pt : 0;
            ink *= (fill->hatch_is_crossed ? 2 : 1) * (fill->hatch_dash_pt > 0 ? 0.5 : 1);
            double line = fill->colour.red < 0.5 ? 1 : 0;
            expected.red += share * (ink * line + (1 - ink) * fill->colour.red);
            expected.blue += share * (ink * line + (1 - ink) * fill->colour.blue);
        }
        size_t n_runs = 0;
        for (size_t i = 0; i + 1 < d.scene->n_items; i++) {
            const hpr_item *item = &d.scene->items[i];
            if (item->kind == HPR_ITEM_GROUP_BEGIN &&
                strcmp(item->text, "2 thin bands, the largest:\na") == 0) {
                n_runs++;
                cr_expect_float_eq(item[1].fill.colour.red, expected.red, 1e-9);
                cr_expect_float_eq(item[1].fill.colour.blue, expected.blue, 1e-9);
                cr_expect_eq(item[2].kind, HPR_ITEM_GROUP_END, "no hatch");
            }
        }
        cr_expect_eq(n_runs, 1, "theme %d", theme);
        destroy(&d);
    }
}

Test(modern, many_marks_and_long_headers)
{
    char text[16384];
    char job[2001];
    memset(job, 'j', 2000);
    job[2000] = '\0';
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "JOB \"%s\"\nDATE \"%s\"\nSAMPLE_UNIT \"%.300s\"\n"
                                 "VALUE_UNIT \"%.300s\"\n",
                                 job, job, job, job);
    at += (size_t)snprintf(text + at, sizeof text - at, "BEGIN_SAMPLE 0.0\na\t5\nEND_SAMPLE 0.0\n");
    for (int i = 0; i < 300; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "MARK %d.5\n", i);
    }
    snprintf(text + at, sizeof text - at, "BEGIN_SAMPLE 400.0\na\t5\nEND_SAMPLE 400.0\n");
    expect_drawable(text);
}

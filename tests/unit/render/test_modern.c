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

#include "sanitizer.h"
#include "hprender/render.h"

#include "made_up_font.h"
#include "modern_drawing.h"
#include "rng.h"
#include "chart_wiggle.h"
#include "source_dir.h"

/* --- profiles --------------------------------------------------------------------------------- */

static void for_each_profile(const char *directory, const hpr_options *options)
{
    DIR *dir = opendir(directory);
    cr_assert_not_null(dir, "%s", directory);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        static unsigned n_found;
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".hp") != 0 || n_found++ % CASE_STEP != 0) {
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
        options.as_steps = true;
        options.normalise = false;
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
        static const hpr_order orders[] = {HPR_ORDER_WIGGLE, HPR_ORDER_SUM, HPR_ORDER_STDDEV,
                                           HPR_ORDER_NAME};
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
    cr_assert_eq(hpf_source_from_memory(
                     &d.source, bytes,
                     &(hpf_source_options){.size = sizeof(hpf_source_options), .keep = true}, NULL),
                 HPF_OK);
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
            expected.red += share * (1 - ink) * fill->colour.red;
            expected.blue += share * (1 - ink) * fill->colour.blue;
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

/* --- edges ------------------------------------------------------------------------------------ */

/* Returns the number of hairlines between bands, and sets `left_pt` to where the first begins. */
static size_t count_hairlines(const drawing *d, double *left_pt)
{
    size_t n = 0;
    for (size_t i = 0; i < d->scene->n_items; i++) {
        const hpr_item *item = &d->scene->items[i];
        if (item->kind == HPR_ITEM_LINE && item->stroke.width_pt < 0.45) {
            *left_pt = n == 0 ? item->points[0].x_pt : *left_pt;
            n++;
        }
    }
    return n;
}

/* `b` grows from nothing: the hairline begins where it is 1 pt thick, not at the next sample. */
Test(modern, hairline_is_whole_where_both_bands_are_thick)
{
    hpr_options options = sheet(648, 432);
    options.order = HPR_ORDER_NAME;
    drawing d;
    double left_pt = 0;
    draw_text(&d,
              HEAD "BEGIN_SAMPLE 0\na 100\nEND_SAMPLE 0\n"
                   "BEGIN_SAMPLE 10\na 100\nb 100\nEND_SAMPLE 10\n",
              &options);
    cr_assert_eq(count_hairlines(&d, &left_pt), 1);
    double at = d.chart->plot_x_pt + d.chart->plot_width_pt / d.chart->plot_height_pt * 2;
    cr_expect_float_eq(left_pt, at, 1, "%g, not %g", left_pt, at);
    destroy(&d);
}

/* Strokes along the edges of noise would hide the bands. */
Test(modern, edges_of_noise_are_no_walls)
{
    enum { N = 2000 };
    static char text[N * 80] = HEAD;
    size_t used = strlen(text);
    rng chance = {1};
    for (int i = 0; i < N; i++) {
        used += (size_t)snprintf(
            text + used, sizeof text - used, "BEGIN_SAMPLE %d\na %d\nb %d\nEND_SAMPLE %d\n", i,
            500 + (int)rng_below(&chance, 500), 500 + (int)rng_below(&chance, 500), i);
    }
    hpr_options options = sheet(648, 432);
    drawing d;
    double left_pt;
    draw_text(&d, text, &options);
    cr_expect_eq(count_hairlines(&d, &left_pt), 0);
    const hpr_colour outline = {0.20, 0.21, 0.24}; /* of the light theme */
    for (size_t i = 0; i < d.scene->n_items; i++) {
        const hpr_item *item = &d.scene->items[i];
        bool is_faded = fabs(item->stroke.colour.red - outline.red) > 0.02 ||
                        fabs(item->stroke.colour.green - outline.green) > 0.02;
        cr_expect(item->kind != HPR_ITEM_LINE || item->n_points < 100 || is_faded);
    }
    destroy(&d);
}

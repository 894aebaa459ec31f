/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of the peak and the labels of marks do not overlap each other or a rule.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hprender/render.h"

#include "made_up_font.h"
#include "style/palette.h"

#define HEAD "JOB \"a.out\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

/* Gives all marks a label. */
static void add_labels(hpf_survey *survey, const double *times, size_t n, const char *label)
{
    char text[4096] = "time\twhat\tvalue\n";
    size_t at = strlen(text);
    hpf_source *sidecar = NULL;
    for (size_t i = 0; i < n; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%f\tmark\t%s\n", times[i], label);
    }
    hpf_str bytes = {text, at};
    cr_assert_eq(hpf_source_from_memory(&sidecar, bytes, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_add_sidecar(survey, sidecar, NULL), HPF_OK);
    hpf_source_destroy(sidecar);
}

/* A peak at 5 s, of ten, and marks. */
static hpr_chart *chart_with_marks(const double *times, size_t n, const char *label,
                                   const hpr_options *options)
{
    static const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    char text[4096] = HEAD;
    size_t at = strlen(text);
    for (size_t i = 0; i < n; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "MARK %f\n", times[i]);
    }
    for (int i = 0; i <= 10; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "BEGIN_SAMPLE %d.0\na\t%d\nEND_SAMPLE %d.0\n", i,
                               i <= 5 ? 10 * i : 10 * (10 - i), i);
    }
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpr_chart *chart = NULL;
    hpf_str bytes = {text, at};
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    add_labels(survey, times, n, label);
    cr_assert_eq(hpr_chart_create(&chart, survey, options, made_up_measurer, NULL), HPF_OK);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return chart;
}

typedef struct box {
    double left, right, top, bottom;
} box;

static box box_of(const hpr_item *item)
{
    hpr_text_size size = made_up_measure(NULL, item->text, item->size_pt, false);
    static const double before[] = {
        [HPR_ANCHOR_START] = 0, [HPR_ANCHOR_MIDDLE] = 0.5, [HPR_ANCHOR_END] = 1};
    double left = item->at.x_pt - before[item->anchor] * size.width_pt;
    return (box){left, left + size.width_pt, item->at.y_pt - 0.7 * size.ascent_pt, item->at.y_pt};
}

static bool is_rule(const hpr_item *item)
{
    return item->kind == HPR_ITEM_LINE && item->stroke.dash_pt > 0;
}

/* Returns whether a dashed line crosses a text. */
static bool is_crossed(const hpr_scene *scene, const hpr_item *text)
{
    box b = box_of(text);
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *rule = &scene->items[i];
        if (is_rule(rule) && rule->points[0].x_pt > b.left && rule->points[0].x_pt < b.right &&
            fmin(rule->points[0].y_pt, rule->points[1].y_pt) < b.bottom) {
            return true;
        }
    }
    return false;
}

static const hpr_item *find_text(const hpr_scene *scene, const char *prefix)
{
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        if (item->kind == HPR_ITEM_TEXT && strncmp(item->text, prefix, strlen(prefix)) == 0) {
            return item;
        }
    }
    return NULL;
}

static void expect_apart(const hpr_scene *scene, double width_pt)
{
    for (size_t i = 0; i < scene->n_items; i++) {
        for (size_t k = 0; k < i; k++) {
            const hpr_item *x = &scene->items[i];
            const hpr_item *y = &scene->items[k];
            if (x->kind == HPR_ITEM_TEXT && y->kind == HPR_ITEM_TEXT) {
                box a = box_of(x);
                box b = box_of(y);
                cr_expect_not(a.left < b.right - 1e-6 && b.left < a.right - 1e-6 &&
                                  a.top < b.bottom && b.top < a.bottom,
                              "%s on %s", x->text, y->text);
                cr_expect(a.left >= 0 && a.right <= width_pt, "%s", x->text);
            }
        }
    }
}

static hpr_scene *draw(hpr_chart *chart, const hpr_options *options)
{
    hpr_scene *scene = NULL;
    cr_assert_eq(hpr_scene_create(&scene, chart, options, made_up_measurer, NULL), HPF_OK);
    expect_apart(scene, chart->width_pt);
    return scene;
}

Test(draw_notes, peak_avoids_a_rule)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    for (double time = 3; time <= 7; time += 0.05) {
        hpr_chart *chart = chart_with_marks(&time, 1, "begin", &options);
        hpr_scene *scene = draw(chart, &options);
        const hpr_item *peak = find_text(scene, "peak ");
        cr_assert_not_null(peak);
        cr_expect_not(is_crossed(scene, peak), "mark at %g", time);
        cr_expect_not_null(find_text(scene, "begin"), "mark at %g", time);
        cr_expect_not(is_crossed(scene, find_text(scene, "a")), "name, mark at %g", time);
        hpr_scene_destroy(scene);
        hpr_chart_destroy(chart);
    }
}

Test(draw_notes, peak_between_two_rules)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    const double times[] = {4.9, 5.2};
    hpr_chart *chart = chart_with_marks(times, 2, "", &options);
    hpr_scene *scene = draw(chart, &options);
    cr_expect_not(is_crossed(scene, find_text(scene, "peak ")));
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
}

static size_t n_texts(const hpr_scene *scene, const char *prefix)
{
    size_t n = 0;
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        bool is_one =
            item->kind == HPR_ITEM_TEXT && strncmp(item->text, prefix, strlen(prefix)) == 0;
        cr_expect(!is_one || !is_crossed(scene, item), "%s", item->text);
        n += is_one;
    }
    return n;
}

static size_t n_labels_of(const double *times, size_t n, const char *label, double width_pt)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.width_pt = width_pt;
    options.height_pt = width_pt * 0.62;
    hpr_chart *chart = chart_with_marks(times, n, label, &options);
    hpr_scene *scene = draw(chart, &options);
    size_t n_shown = n_texts(scene, label);
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
    return n_shown;
}

Test(draw_notes, labels_of_close_marks_are_in_rows)
{
    const double close[] = {1, 1.1, 1.2, 1.2, 6, 6.3};
    const double even[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    cr_expect_eq(n_labels_of(close, 6, "phase", 648), 6);
    cr_expect_eq(n_labels_of(close, 6, "phase", 241), 6);
    cr_expect_eq(n_labels_of(even, 9, "a long label", 648), 9);
    cr_expect_geq(n_labels_of(even, 9, "ph", 241), 7);
}

Test(draw_notes, rows_of_labels_reduce_the_plot)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    const double times[] = {0.1, 0.2, 8};
    hpr_chart *apart = chart_with_marks(times + 1, 2, "phase", &options);
    hpr_chart *close = chart_with_marks(times, 3, "phase", &options);
    hpr_text_size line = made_up_measure(NULL, "0", 9, false);
    cr_expect_eq(apart->marks[0].row, 0);
    cr_expect_eq(close->marks[0].row, 1);
    cr_expect_eq(close->marks[1].row, 0);
    cr_expect_float_eq(apart->plot_height_pt - close->plot_height_pt,
                       line.ascent_pt + line.descent_pt, 1e-9);
    hpr_chart_destroy(apart);
    hpr_chart_destroy(close);
}

Test(draw_notes, labels_are_cut_or_dropped_without_room)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    const double times[] = {0, 0, 0, 0, 0, 0, 1, 1.01, 9.9, 10};
    hpr_chart *chart = chart_with_marks(
        times, 10,
        "a label that is longer than ten seconds of this picture are wide: it cannot be "
        "whole, since the other labels in the same row need room as well",
        &options);
    hpr_scene *scene = draw(chart, &options);
    const hpr_item *first = find_text(scene, "a l");
    cr_assert_not_null(first);
    cr_expect_not_null(strstr(first->text, "\xE2\x80\xA6"));
    size_t n_labels = n_texts(scene, "a l");
    cr_expect(n_labels >= 2 && n_labels < 10, "%zu", n_labels);
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
}

/* Of many marks, those have rules whose labels fit; the others are ticks at the axis. */
Test(draw_notes, many_marks_are_thinned)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    double times[40];
    for (int i = 0; i < 40; i++) {
        times[i] = i / 4.0;
    }
    hpr_chart *chart = chart_with_marks(times, 40, "tick", &options);
    hpr_scene *scene = draw(chart, &options);
    size_t n_rules = 0;
    double last = -HUGE_VAL;
    for (size_t i = 0; i < scene->n_items; i++) {
        if (is_rule(&scene->items[i])) {
            cr_expect_geq(scene->items[i].points[0].x_pt, last + 20);
            last = scene->items[i].points[0].x_pt;
            n_rules++;
        }
    }
    cr_expect_eq(n_rules, n_texts(scene, "tick"));
    cr_expect_geq(n_rules, 10);
    cr_expect_lt(n_rules, 40);
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
}

/* A chart of a profile in memory. */
static hpr_chart *chart_of(const char *text, const hpr_options *options)
{
    static const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpr_chart *chart = NULL;
    hpf_str bytes = {text, strlen(text)};
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpr_chart_create(&chart, survey, options, made_up_measurer, NULL), HPF_OK);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return chart;
}

/* Peaks of all heights below a round number, in sheets of all sizes: no grid line runs through the
 * text, which is about 0.7 em high. */
Test(draw_notes, peak_is_on_no_grid_line)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    const hpr_colour grid = hpr__theme_of(HPR_THEME_LIGHT)->grid;
    int n_lines = 0;
    for (int peak = 900; peak <= 1040; peak++) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD "BEGIN_SAMPLE 0\na\t0\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\na\t%d\nEND_SAMPLE 1\n"
                      "BEGIN_SAMPLE 2\na\t0\nEND_SAMPLE 2\n",
                 peak);
        options.width_pt = peak % 2 ? 241 : 500;
        options.height_pt = 150 + peak % 7 * 20;
        hpr_chart *chart = chart_of(text, &options);
        hpr_scene *scene = draw(chart, &options);
        const hpr_item *note = find_text(scene, "peak ");
        cr_assert_not_null(note);
        hpr_text_size size = made_up_measure(NULL, note->text, note->size_pt, false);
        for (size_t i = 0; i < scene->n_items; i++) {
            const hpr_item *item = &scene->items[i];
            if (item->kind == HPR_ITEM_LINE && item->stroke.colour.red == grid.red) {
                double y = item->points[0].y_pt;
                cr_expect_not(y > note->at.y_pt - 0.7 * note->size_pt &&
                                  y < note->at.y_pt + size.descent_pt,
                              "peak %d", peak);
                n_lines++;
            }
        }
        hpr_scene_destroy(scene);
        hpr_chart_destroy(chart);
    }
    cr_expect_gt(n_lines, 300);
}

/* The text of the peak is in the units of the axes, which have numbers below 1000 and no "0k". */
Test(draw_notes, peak_has_the_units_of_the_axes)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    static const int peaks[] = {985000, 989000, 995000, 999999, 1000000, 1020000, 1048575};
    for (size_t i = 0; i < 2 * sizeof peaks / sizeof *peaks; i++) {
        char text[512];
        bool is_bytes = i % 2;
        snprintf(text, sizeof text,
                 "JOB \"a\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"%s\"\n"
                 "BEGIN_SAMPLE 0\na\t0\nEND_SAMPLE 0\nBEGIN_SAMPLE 1\na\t%d\nEND_SAMPLE 1\n",
                 is_bytes ? "bytes" : "closures", peaks[i / 2]);
        hpr_chart *chart = chart_of(text, &options);
        hpr_scene *scene = draw(chart, &options);
        const char *peak = find_text(scene, "peak ")->text;
        const hpr_axis *y = &chart->y;
        cr_expect_str_eq(y->ticks[0].label, y->ticks[y->n_ticks - 1].label[1] == '.' ? "0.0" : "0");
        cr_expect_neq(strcmp(y->ticks[y->n_ticks - 1].label, "1000k"), 0);
        cr_expect_not_null(strstr(peak, is_bytes ? y->unit : y->suffix), "%s %s", peak, y->unit);
        cr_expect(strtod(strchr(peak, ' '), NULL) * y->factor > 0.98 * peaks[i / 2]);
        hpr_scene_destroy(scene);
        hpr_chart_destroy(chart);
    }
}

#define THREE_LINES                                                                                \
    HEAD "BEGIN_SAMPLE 0\n[]\t0\nb\t0\nc\t0\nEND_SAMPLE 0\n"                                       \
         "BEGIN_SAMPLE 1\n[]\t1048576\nb\t2097152\nc\t4194304\nEND_SAMPLE 1\n"                     \
         "BEGIN_SAMPLE 2\n[]\t99999\nb\t99999\nc\t99999\nEND_SAMPLE 2\n"

/* The peak of a chart of lines is on the highest line, by name. Lines that end in one place have no
 * leaders. */
Test(draw_notes, peak_is_that_of_the_highest_line)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.as_lines = true;
    hpr_chart *chart = chart_of(THREE_LINES, &options);
    hpr_scene *scene = draw(chart, &options);
    cr_expect_not_null(find_text(scene, "peak of c: 4 MiB at 1 s"));
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        cr_expect_not(item->kind == HPR_ITEM_LINE && item->n_points == 4, "a leader");
    }
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
}

/* As in tables, on pages, and for --match. */
Test(draw_notes, names_are_those_of_the_profile)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    hpr_chart *chart = chart_of(THREE_LINES, &options);
    hpr_scene *scene = draw(chart, &options);
    cr_expect_not_null(find_text(scene, "[]"));
    cr_expect_not_null(find_text(scene, "b"));
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The modern look: which names are shown, and where.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "layout/labels.h"
#include "made_up_font.h"
#include "modern_drawing.h"

static const char three_names[] =
    HEAD "BEGIN_SAMPLE 0.0\nbig\t900\nsmall\t60\ntiny\t5\nEND_SAMPLE 0.0\n"
         "BEGIN_SAMPLE 1.0\nbig\t900\nsmall\t60\ntiny\t5\n"
         "END_SAMPLE 1.0\n";

/* If rules are everywhere, a name is drawn over them rather than omitted. */
Test(modern_labels, names_are_set_on_rules_when_there_is_no_other_place)
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

Test(modern_labels, names_are_set_off_rules_when_there_is_a_place)
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
Test(modern_labels, names_in_the_margin_are_at_their_bands)
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

Test(modern_labels, single_trace_is_shown_by_name)
{
    drawing d;
    hpr_options options = sheet(0, 0);
    draw_text(&d, three_names, &options);
    cr_assert_eq(d.chart->n_bands, 3);
    cr_assert_eq(d.chart->other_names, 0);
    destroy(&d);
}

Test(modern_labels, traces_and_the_rest_join_other)
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

Test(modern_labels, cut_names_keep_distinguishing_numbers)
{
    static const char *const alike[] = {"(96)l…mp", "(97)l…mp"};
    expect_labels(
        HEAD "BEGIN_SAMPLE 0\n(96)lazyCount.bump\t9\n(97)lazyCount.bump\t8\nEND_SAMPLE 0\n", alike);
    static const char *const different[] = {"lazyC…mp", "strictM…"};
    expect_labels(
        HEAD "BEGIN_SAMPLE 0\n(96)lazyCount.bump\t9\n(97)strictMap.insert...\t8\nEND_SAMPLE 0\n",
        different);
}

/* Stacks that would be equal when they are cut have their innermost frame, and the one that
 * differs. */
Test(modern_labels, cut_stacks_have_the_frames_that_differ)
{
    static const char *const expected[] = {"f/…/one/…", "f/…/two/…", "f/some…/six"};
    drawing d;
    hpr_options options = sheet(180, 200);
    options.legend = HPR_LEGEND_RIGHT;
    options.order = HPR_ORDER_NAME;
    options.reverse = true;
    draw_text(&d,
              HEAD "BEGIN_SAMPLE 0\n(1)f/someLongFunction/one/aLongOuterFunction/main\t9\n"
                   "(2)f/someLongFunction/two/aLongOuterFunction/main\t8\n"
                   "(3)f/someLongFunction/six\t7\nEND_SAMPLE 0\n",
              &options);
    cr_assert_eq(d.chart->n_bands, 3);
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_str_eq(d.chart->bands[i].label.text, expected[i]);
    }
    destroy(&d);
}

/* If even the frame that differs does not fit, it is cut, but not to what another one is cut to. */
Test(modern_labels, cut_frames_differ)
{
    static const char *const expected[] = {"…create_module", "…exec_module", "f/other"};
    drawing d;
    hpr_options options = sheet(240, 200);
    options.legend = HPR_LEGEND_RIGHT;
    options.order = HPR_ORDER_NAME;
    options.reverse = true;
    draw_text(&d,
              HEAD "BEGIN_SAMPLE 0\nf/aPackage.aBuilderOfModules.create_module/anOuterFunction\t9\n"
                   "f/aPackage.aBuilderOfModules.exec_module/anOuterFunction\t8\n"
                   "f/other\t7\nEND_SAMPLE 0\n",
              &options);
    cr_assert_eq(d.chart->n_bands, 3);
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_str_eq(d.chart->bands[i].label.text, expected[i]);
    }
    destroy(&d);
}

/* Whole names have no ids, unless two are equal. */
Test(modern_labels, ids_are_shown_only_where_names_are_equal)
{
    static const char *const expected[] = {"main", "(2)f/main", "(3)f/main"};
    drawing d;
    hpr_options options = sheet(648, 432);
    options.legend = HPR_LEGEND_RIGHT;
    options.order = HPR_ORDER_NAME;
    draw_text(&d, HEAD "BEGIN_SAMPLE 0\n(1)main\t9\n(2)f/main\t8\n(3)f/main\t7\nEND_SAMPLE 0\n",
              &options);
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_str_eq(d.chart->bands[2 - i].label.text, expected[i]);
    }
    destroy(&d);
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

Test(modern_labels, names_in_a_column_are_whole)
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
Test(modern_labels, names_cut_inside_bands_move_to_the_legend_of_a_column)
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

Test(modern_labels, names_are_listed_in_an_empty_corner)
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

Test(modern_labels, names_of_a_legend_are_level_with_their_swatches)
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

Test(modern_labels, names_are_not_listed_where_marks_or_curves_may_be)
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

Test(modern_labels, other_has_no_label_where_it_is_invisible)
{
    cr_expect_not(has_label(HEAD "BEGIN_SAMPLE 0\nbig\t9990\nx\t5\ny\t5\nEND_SAMPLE 0\n", "OTHER"));
    cr_expect(has_label(HEAD "BEGIN_SAMPLE 0\nbig\t990\nx\t5\ny\t4\nEND_SAMPLE 0\n", "OTHER"));
}

Test(modern_labels, leaders_of_a_single_sample_do_not_cross_its_bands)
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

Test(modern_labels, names_without_leaders_are_where_the_plot_is_empty)
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

Test(modern_labels, names_without_leaders_are_near_their_bands)
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

Test(modern_labels, largest_name_of_one_sample_keeps_its_colour)
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

Test(modern_labels, reverse_keeps_the_place_of_other)
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

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scale and layout of the classic look: the numbers of hp2ps's drawing.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "hprender/render.h"
#include "profile.h"

static hpr_chart *chart_of(const char *text, const hpr_options *options)
{
    test_profile profile = test_profile_open(text, 0);
    hpr_measurer none = {.measure = NULL};
    hpr_chart *chart = NULL;
    hpf_error err = {.status = HPF_OK};
    cr_assert_eq(hpr_chart_create(&chart, profile.survey, options, none, &err), HPF_OK, "%s",
                 err.message);
    test_profile_close(&profile);
    return chart;
}

static const char *const two_bands = PROFILE_HEADERS "BEGIN_SAMPLE 3.7\na 100\nb 30\n"
                                                     "END_SAMPLE 3.7\nMARK 4.0\n"
                                                     "BEGIN_SAMPLE 5.7\na 7300\nEND_SAMPLE 5.7\n";

Test(classic_layout, plot_leaves_room_for_the_key)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    options.trace_percent = 0;
    hpr_chart *chart = chart_of(two_bands, &options);
    double width_pt = 593 - (3 * 1.7007876 + 29);
    cr_assert_float_eq(chart->plot_width_pt, width_pt, 1e-9);
    cr_assert_eq(chart->plot_height_pt, 382);
    cr_assert_float_eq(chart->bands[0].label.x_pt, 45 + width_pt + 24, 1e-9);
    cr_assert_float_eq(chart->bands[1].label.y_pt, 20 + 2 * 382 / 3.0 - 5, 1e-9);
    cr_assert_float_eq(chart->bands[1].label.box_y_pt, 20 + 2 * 382 / 3.0 - 7, 1e-9);
    cr_assert_float_eq(chart->marks[0].x_pt, 45 + 0.3 / 2 * width_pt, 1e-9);
    hpr_chart_destroy(chart);
}

/* The longest name is found by a table with the width of each character. */
Test(classic_layout, key_is_as_wide_as_its_longest_name)
{
    static const struct {
        const char *names;
        double units;
    } cases[] = {
        {"il!\t5\n", 3},
        {"WmI3*a\t5\nil!\t5\n", 20},
        {"\xc3\xa9\x01\x7f\t5\n", 0},
    };
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, PROFILE_HEADERS "BEGIN_SAMPLE 0\n%sEND_SAMPLE 0\n",
                 cases[i].names);
        hpr_chart *chart = chart_of(text, &options);
        cr_expect_float_eq(chart->plot_width_pt, 593 - (cases[i].units * 1.7007876 + 29), 1e-9,
                           "%zu: %g", i, (593 - 29 - chart->plot_width_pt) / 1.7007876);
        hpr_chart_destroy(chart);
    }
}

Test(classic_layout, ticks_start_at_the_first_sample_and_stop_before_the_unit)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    hpr_chart *chart = chart_of(two_bands, &options);
    cr_assert_eq(chart->x.n_ticks, 10);
    cr_assert_str_eq(chart->x.ticks[0].label, "3.7");
    cr_assert_str_eq(chart->x.ticks[9].label, "5.5");
    cr_assert_eq(chart->y.n_ticks, 4);
    cr_assert_str_eq(chart->y.ticks[0].label, "0k");
    cr_assert_str_eq(chart->y.ticks[3].label, "6k");
    hpr_chart_destroy(chart);
}

Test(classic_layout, title_says_job_area_and_date)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    hpr_chart *chart = chart_of(two_bands, &options);
    cr_assert_eq(chart->title.box, HPR_TITLE_SMALL);
    cr_assert_str_eq(chart->title.job, "demo");
    cr_assert_str_eq(chart->title.area, "7,400 bytes x seconds");
    cr_assert_str_eq(chart->title.date, "today");
    hpr_chart_destroy(chart);
}

Test(classic_layout, key_pages_count_twenty_each)
{
    char text[4096] = PROFILE_HEADERS "BEGIN_SAMPLE 0.0\n";
    for (int i = 0; i < 25; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "name%d %d\n", i, 100 + i);
    }
    strcat(text, "END_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\n");
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    options.n_bands = 23;
    hpr_chart *chart = chart_of(text, &options);
    cr_assert_eq(chart->n_bands, 23);
    cr_assert_eq(chart->other_names, 3);
    cr_assert(chart->bands[0].is_other);
    cr_assert_eq(chart->n_key_pages, 2);
    cr_assert_eq(chart->plot_width_pt, 593);
    cr_assert_eq(chart->bands[20].label.page, 1);
    cr_assert_float_eq(chart->bands[20].label.y_pt, 382 / 20.0 - 5, 1e-9);
    hpr_chart_destroy(chart);
}

Test(classic_layout, graph_without_bands_is_empty)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    options.n_bands = -1;
    hpr_chart *chart = chart_of(two_bands, &options);
    cr_assert_eq(chart->n_bands, 0);
    cr_assert_eq(chart->y.range, 1);
    cr_assert_eq(chart->plot_width_pt, 593 - 29);
    hpr_chart_destroy(chart);
}

/* The steps are so small compared with the time that adding one changes nothing. */
Test(classic_layout, ticks_end_where_steps_round_to_zero, .timeout = 10)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    hpr_chart *chart =
        chart_of(PROFILE_HEADERS "BEGIN_SAMPLE 90000000000000000.0\na 1\nEND_SAMPLE 0.0\n"
                                 "BEGIN_SAMPLE 90000000000000016.0\nEND_SAMPLE 0.0\n",
                 &options);
    cr_assert_leq(chart->x.n_ticks, 64);
    hpr_chart_destroy(chart);
}

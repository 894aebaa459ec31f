/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scale and layout of the classic look: the numbers of hp2ps's drawing.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>

#include "classic/classic.h"
#include "profile.h"

Test(classic_layout, widths_come_from_the_table)
{
    cr_assert_float_eq(hpr__classic_text_width_pt(HPF_STR("il! ")), 6 * 1.7007876, 1e-9);
    cr_assert_float_eq(hpr__classic_text_width_pt(HPF_STR("WmI3*a")), 20 * 1.7007876, 1e-9);
    cr_assert_eq(hpr__classic_text_width_pt(HPF_STR("\xc3\xa9\x01\x7f")), 0);
}

struct step {
    double asked, got;
};

ParameterizedTestParameters(classic_layout, steps_are_one_two_or_five)
{
    static struct step cases[] = {{1, 1},      {1.01, 2},  {4, 2},     {4.01, 5},  {10, 5},
                                  {10.01, 20}, {0.5, 0.5}, {0.4, 0.2}, {0.1, 0.1}, {7e6, 5e6}};
    return cr_make_param_array(struct step, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct step *step, classic_layout, steps_are_one_two_or_five)
{
    cr_assert_float_eq(hpr__classic_nice_step(step->asked), step->got, 1e-9 * step->got);
}

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

Test(classic_layout, no_band_is_an_empty_graph)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    options.n_bands = -1;
    hpr_chart *chart = chart_of(two_bands, &options);
    cr_assert_eq(chart->n_bands, 0);
    cr_assert_eq(chart->y.range, 1);
    cr_assert_eq(chart->plot_width_pt, 593 - 29);
    hpr_chart_destroy(chart);
}

/* Steps so small beside the time that adding them changes nothing. */
Test(classic_layout, ticks_end_where_steps_drown, .timeout = 10)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    hpr_chart *chart =
        chart_of(PROFILE_HEADERS "BEGIN_SAMPLE 90000000000000000.0\na 1\nEND_SAMPLE 0.0\n"
                                 "BEGIN_SAMPLE 90000000000000016.0\nEND_SAMPLE 0.0\n",
                 &options);
    cr_assert_leq(chart->x.n_ticks, 64);
    hpr_chart_destroy(chart);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacked bands: they add up to the totals, with OTHER below or on top, and without dropped names.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "hprender/render.h"
#include "made_up_font.h"
#include "profile.h"

/* Sums: a 11, b 5, c 9. */
static const char *const three_names =
    PROFILE_HEADERS "BEGIN_SAMPLE 0.0\na 1\nb 2\nc 4\nEND_SAMPLE 0.0\n"
                    "BEGIN_SAMPLE 1.0\na 10\nc 5\nEND_SAMPLE 1.0\n"
                    "BEGIN_SAMPLE 3.0\nb 3\nEND_SAMPLE 3.0\n";

static hpr_options options;
static hpr_chart *chart;

static void begin(hpr_look look)
{
    options = hpr_options_default(look);
    options.order = HPR_ORDER_SUM;
    options.trace_percent = 0;
}

static void draw(const char *text, size_t max_drawn)
{
    test_profile profile = test_profile_open(text, max_drawn);
    hpf_error err;
    cr_assert_eq(hpr_chart_create(&chart, profile.survey, &options, made_up_measurer, &err), HPF_OK,
                 "%s", err.message);
    test_profile_close(&profile);
}

static void tear_down(void)
{
    hpr_chart_destroy(chart);
}

TestSuite(stack, .fini = tear_down);

Test(stack, bands_add_up)
{
    begin(HPR_LOOK_CLASSIC);
    options.n_bands = 2;
    draw(three_names, 0);
    cr_assert_eq(chart->n_bands, 2);
    cr_assert(chart->bands[0].is_other);
    cr_assert_str_eq(chart->bands[0].text, "OTHER");
    cr_assert_eq(chart->bands[0].n_names, 2);
    cr_assert_eq(chart->bands[0].sum, 14);
    cr_assert_eq(chart->bands[0].max, 6);
    cr_assert_str_eq(chart->bands[1].text, "a");
    cr_assert_eq(chart->bands[1].n_names, 1);
    cr_assert_eq(chart->bands[1].max, 10);
    cr_assert_eq(chart->bands[1].upper[1], 15);
    cr_assert_eq(chart->totals[0], 7);
    cr_assert_eq(chart->peak_total, 15);
    cr_assert_eq(chart->peak_time, 1);
    cr_assert_eq(chart->area, 11 + 18);
    cr_assert_eq(chart->other_names, 2);
    cr_assert_eq(chart->dropped_names, 0);
}

Test(stack, dropped_names_have_no_amounts)
{
    begin(HPR_LOOK_CLASSIC);
    options.trace_percent = 21; /* b has 20 % */
    draw(three_names, 0);
    cr_assert_eq(chart->n_bands, 2);
    cr_assert_eq(chart->dropped_names, 1);
    cr_assert_eq(chart->totals[0], 5);
    cr_assert_eq(chart->totals[2], 0);
    cr_assert_eq(chart->area, 10 + 15);
}

Test(stack, other_is_on_top_in_the_modern_look)
{
    begin(HPR_LOOK_MODERN);
    options.n_bands = 1;
    draw(three_names, 0);
    cr_assert_eq(chart->n_bands, 2);
    cr_assert_str_eq(chart->bands[0].text, "a");
    cr_assert(chart->bands[1].is_other);
    cr_assert_eq(chart->bands[1].values[1], 5);
    cr_assert_eq(chart->bands[1].upper[1], 15);
}

/* Only some samples of a long profile are points; sums and areas still include all samples. */
Test(stack, reduced_survey_keeps_sums_and_areas)
{
    enum { N = 500 };
    static char text[N * 64 + 256] = PROFILE_HEADERS;
    size_t used = strlen(text);
    for (int i = 0; i < N; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "BEGIN_SAMPLE %d.0\na %d\nEND_SAMPLE %d.0\n", i, i % 7, i);
    }
    begin(HPR_LOOK_MODERN);
    draw(text, 64);
    cr_assert(chart->is_reduced);
    cr_assert_lt(chart->n_points, N);
    cr_assert_eq(chart->bands[0].sum, 71 * 21 + 0 + 1 + 2);
    cr_assert_eq(chart->area, 71 * 21 + 0 + 1 + 2 - 0 / 2.0 - 2 / 2.0);
    cr_assert_eq(chart->peak_total, 6);
}

static void expect_numbers(const double *numbers, size_t n, const double *expected)
{
    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(numbers[i], expected[i], "%zu: %g", i, numbers[i]);
    }
}

/* The total, 7, 15 and 3 at 0, 1 and 3 s, stays at each amount until the next sample; what was
 * measured does not change. */
Test(stack, steps_stay_until_the_next_sample)
{
    const double times[] = {0, 1, 1, 3, 3}, a[] = {1, 1, 10, 10, 0};
    const double totals[] = {7, 7, 15, 15, 3};
    begin(HPR_LOOK_MODERN);
    options.as_steps = true;
    draw(three_names, 0);
    cr_assert_eq(chart->n_points, 5);
    expect_numbers(chart->times, 5, times);
    expect_numbers(chart->xs, 5, times);
    expect_numbers(chart->totals, 5, totals);
    cr_assert_str_eq(chart->bands[0].text, "a");
    expect_numbers(chart->bands[0].values, 5, a);
    expect_numbers(chart->bands[0].upper, 5, a);
    cr_expect_eq(chart->area, 11 + 18);
    cr_expect_eq(chart->peak_time, 1);
}

Test(stack, steps_by_sample_and_of_one_sample)
{
    const double xs[] = {1, 2, 2, 3, 3};
    begin(HPR_LOOK_MODERN);
    options.as_steps = options.by_sample = true;
    draw(three_names, 0);
    cr_assert_eq(chart->n_points, 5);
    expect_numbers(chart->xs, 5, xs);
    hpr_chart_destroy(chart);
    draw(PROFILE_HEADERS "BEGIN_SAMPLE 0.0\na 1\nEND_SAMPLE 0.0\n", 0);
    cr_expect_eq(chart->n_points, 1);
}

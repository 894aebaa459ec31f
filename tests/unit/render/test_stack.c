/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Plans and stacks: bands add up to totals.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/arena.h"
#include "profile.h"
#include "chart/stack.h"

static const char *const three_names =
    PROFILE_HEADERS "BEGIN_SAMPLE 0.0\na 1\nb 2\nc 4\nEND_SAMPLE 0.0\n"
                    "BEGIN_SAMPLE 1.0\na 10\nc 5\nEND_SAMPLE 1.0\n"
                    "BEGIN_SAMPLE 3.0\nb 3\nEND_SAMPLE 3.0\n";

static test_profile profile;
static hpr__chart chart;

static void set_up(void)
{
    profile = test_profile_open(three_names, 0);
    chart = (hpr__chart){.arena = hpf_arena_create()};
}

static void tear_down(void)
{
    hpf_arena_destroy(chart.arena);
    test_profile_close(&profile);
}

TestSuite(stack, .init = set_up, .fini = tear_down);

static void stack(const hpr__assignment_parts *parts)
{
    hpr__assignment assignment;
    cr_assert_eq(hpr__assignment_init(&assignment, chart.arena, 3, parts, NULL), HPF_OK);
    cr_assert_eq(hpr__stack_fetch(&chart, profile.survey, &assignment, NULL), HPF_OK);
    hpr__stack_cumulate(&chart);
}

Test(stack, bands_add_up)
{
    static const hpf_name drawn[] = {2};
    static const hpf_name folded[] = {0, 1};
    stack(&(hpr__assignment_parts){.drawn = drawn, .n_drawn = 1, .folded = folded, .n_folded = 2});
    cr_assert_eq(chart.public.n_bands, 2);
    cr_assert(chart.bands[0].is_other);
    cr_assert_str_eq(chart.bands[0].text, "OTHER");
    cr_assert_eq(chart.bands[0].n_names, 2);
    cr_assert_eq(chart.bands[0].sum, 16);
    cr_assert_eq(chart.bands[0].max, 10);
    cr_assert_str_eq(chart.bands[1].text, "c");
    cr_assert_eq(chart.bands[1].max, 5);
    cr_assert_eq(chart.bands[1].upper[1], 15);
    cr_assert_eq(chart.public.totals[0], 7);
    cr_assert_eq(chart.public.peak_total, 15);
    cr_assert_eq(chart.public.peak_time, 1);
    cr_assert_eq(chart.public.area, 11 + 18);
    cr_assert_eq(chart.public.other_names, 2);
}

Test(stack, dropped_names_are_nowhere)
{
    static const hpf_name drawn[] = {1, 2};
    stack(&(hpr__assignment_parts){.drawn = drawn, .n_drawn = 2});
    cr_assert_eq(chart.public.dropped_names, 1);
    cr_assert_eq(chart.public.peak_total, 6);
    cr_assert_eq(chart.public.area, 5.5 + 8);
}

Test(stack, other_may_lie_on_top)
{
    static const hpf_name drawn[] = {0, 1};
    static const hpf_name folded[] = {2};
    stack(&(hpr__assignment_parts){
        .drawn = drawn, .n_drawn = 2, .folded = folded, .n_folded = 1, .other_on_top = true});
    cr_assert(chart.bands[2].is_other);
    cr_assert_eq(chart.bands[2].values[1], 5);
    cr_assert_eq(chart.bands[2].upper[1], 15);
}

/* Of a long profile only some samples are points; sums and areas still count all of them. */
Test(stack, a_reduced_survey_keeps_sums_and_areas)
{
    enum { N = 500 };
    static char text[N * 64 + 256] = PROFILE_HEADERS;
    static const hpf_name drawn[] = {0};
    size_t used = strlen(text);
    for (int i = 0; i < N; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "BEGIN_SAMPLE %d.0\na %d\nEND_SAMPLE %d.0\n", i, i % 7, i);
    }
    test_profile_close(&profile);
    profile = test_profile_open(text, 64);
    hpr__assignment assignment;
    hpr__assignment_parts parts = {.drawn = drawn, .n_drawn = 1};
    cr_assert_eq(hpr__assignment_init(&assignment, chart.arena, 1, &parts, NULL), HPF_OK);
    cr_assert_eq(hpr__stack_fetch(&chart, profile.survey, &assignment, NULL), HPF_OK);
    hpr__stack_cumulate(&chart);
    cr_assert(chart.public.is_reduced);
    cr_assert_lt(chart.public.n_points, N);
    cr_assert_eq(chart.bands[0].sum, 71 * 21 + 0 + 1 + 2);
    cr_assert_eq(chart.public.area, 71 * 21 + 0 + 1 + 2 - 0 / 2.0 - 2 / 2.0);
    cr_assert_eq(chart.public.peak_total, 6);
}

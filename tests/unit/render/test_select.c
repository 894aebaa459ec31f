/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which names get bands in the modern look, and with which amounts: groups, traces, windows,
 * percents, samples side by side, lines.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hprender/render.h"

#include "made_up_font.h"

#define HEAD "JOB \"a.out\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

static const char profile[] = HEAD "BEGIN_SAMPLE 0.0\nEND_SAMPLE 0.0\n"
                                   "BEGIN_SAMPLE 1.0\nbase:A.x\t10\nbase:A.y\t30\nzip:B.z\t60\n"
                                   "END_SAMPLE 1.0\n"
                                   "BEGIN_SAMPLE 2.0\nbase:A.x\t20\nbase:A.y\t20\nrest\t1\n"
                                   "END_SAMPLE 2.0\nMARK 2.5\n"
                                   "BEGIN_SAMPLE 4.0\nbase:A.x\t50\nrest\t1\nmore\t1\n"
                                   "END_SAMPLE 4.0\n"
                                   "BEGIN_SAMPLE 5.0\nEND_SAMPLE 5.0\n";

static hpr_chart *chart_of(const char *text, const hpf_survey_options *limits,
                           const hpr_options *options)
{
    static const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpr_chart *chart = NULL;
    hpf_str bytes = {text, strlen(text)};
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, limits, NULL), HPF_OK);
    cr_assert_eq(hpr_chart_create(&chart, survey, options, made_up_measurer, NULL), HPF_OK);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return chart;
}

static hpr_options by_sum(void)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.order = HPR_ORDER_SUM;
    options.trace_percent = 0;
    return options;
}

static const hpr_band *band_of(const hpr_chart *chart, const char *name)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        if (strcmp(chart->bands[i].text, name) == 0) {
            return &chart->bands[i];
        }
    }
    cr_assert_fail("no band %s", name);
    return NULL;
}

Test(select, groups_add_up)
{
    hpr_options options = by_sum();
    options.group = HPR_GROUP_MODULE;
    hpr_chart *chart = chart_of(profile, NULL, &options);
    cr_assert_eq(chart->n_bands, 4);
    const hpr_band *a = band_of(chart, "A");
    cr_expect_eq(a->n_names, 2);
    cr_expect_eq(a->sum, 130);
    cr_expect_eq(a->max, 50);
    cr_expect(a->values[1] == 40 && a->values[2] == 40 && a->values[3] == 50);
    cr_expect_eq(band_of(chart, "B")->n_names, 1);
    cr_expect_eq(band_of(chart, "rest")->sum, 2);
    hpr_chart_destroy(chart);
}

Test(select, groups_are_ranked_as_wholes)
{
    hpr_options options = by_sum();
    options.group = HPR_GROUP_PACKAGE;
    options.n_bands = 1;
    hpr_chart *chart = chart_of(profile, NULL, &options);
    cr_assert_eq(chart->n_bands, 2);
    cr_expect_str_eq(chart->bands[0].text, "base");
    cr_expect(chart->bands[1].is_other);
    cr_expect_eq(chart->bands[1].n_names, 3);
    cr_expect_eq(chart->other_names, 3);
    cr_expect_eq(chart->peak_total, 100);
    hpr_chart_destroy(chart);
}

/* Names in an order in which each number up to the last one is once; n7 has 7 bytes. */
static hpr_chart *chart_of_many(uint32_t n_names, uint32_t step, const hpr_options *options)
{
    size_t room = sizeof HEAD + 100 + (size_t)n_names * 24, n = 0;
    char *text = malloc(room);
    cr_assert_not_null(text);
    n += (size_t)snprintf(text, room, HEAD "BEGIN_SAMPLE 1.0\n");
    for (uint32_t i = 0; i < n_names; i++) {
        uint32_t number = (uint32_t)((uint64_t)i * step % n_names) + 1;
        n += (size_t)snprintf(text + n, room - n, "n%u\t%u\n", number, number);
    }
    snprintf(text + n, room - n, "END_SAMPLE 1.0\n");
    hpr_chart *chart = chart_of(text, NULL, options);
    free(text);
    return chart;
}

Test(select, largest_of_many_names_have_bands_in_any_order)
{
    enum { N_NAMES = 10007, N_BANDS = 150 }; /* a prime number: each step gives each name once */
    static const uint32_t steps[] = {1, N_NAMES - 1, 3, 5003, 7919};
    hpr_options options = by_sum();
    options.n_bands = N_BANDS;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        hpr_chart *chart = chart_of_many(N_NAMES, steps[i], &options);
        cr_assert_eq(chart->n_bands, N_BANDS + 1);
        cr_expect_eq(chart->other_names, N_NAMES - N_BANDS);
        for (uint32_t k = 0; k < N_BANDS; k++) {
            char name[16];
            snprintf(name, sizeof name, "n%u", N_NAMES - k);
            cr_expect_eq(band_of(chart, name)->sum, N_NAMES - k);
        }
        hpr_chart_destroy(chart);
    }
}

Test(select, traces_are_joined)
{
    hpr_options options = by_sum();
    options.trace_percent = 5;
    hpr_chart *joined = chart_of(profile, NULL, &options);
    cr_expect_eq(joined->dropped_names, 0);
    cr_expect_eq(joined->other_names, 2);
    cr_expect_eq(joined->totals[3], 52);
    hpr_chart_destroy(joined);
}

/* Names have other ranks in the window than in the whole profile. */
Test(select, window_has_its_own_ranks)
{
    hpr_options options = by_sum();
    hpf_survey_options limits = {
        .size = sizeof limits, .has_window = true, .from_time = 0.5, .to_time = 1.5};
    options.n_bands = 1;
    hpr_chart *whole = chart_of(profile, NULL, &options);
    hpr_chart *window = chart_of(profile, &limits, &options);
    cr_expect_str_eq(whole->bands[0].text, "base:A.x");
    cr_expect_str_eq(window->bands[0].text, "zip:B.z");
    cr_expect_eq(window->bands[1].n_names, 2);
    cr_expect(window->n_points == 1 && window->times[0] == 1);
    cr_expect_eq(window->n_marks, 0);
    hpr_chart_destroy(whole);
    hpr_chart_destroy(window);
}

Test(select, percents_of_the_total)
{
    hpr_options options = by_sum();
    options.normalise = true;
    hpr_chart *chart = chart_of(profile, NULL, &options);
    const hpr_band *top = &chart->bands[chart->n_bands - 1];
    for (size_t i = 0; i < chart->n_points; i++) {
        cr_expect_float_eq(top->upper[i], 100, 1e-9);
    }
    const hpr_band *x = band_of(chart, "base:A.x");
    cr_expect_eq(x->values[0], 10, "an empty sample at an end is like its neighbour");
    cr_expect_eq(x->values[1], 10);
    cr_expect_float_eq(x->values[3], 5000.0 / 52, 1e-9);
    cr_expect_eq(x->values[4], x->values[3]);
    cr_expect_float_eq(x->max, 5000.0 / 52, 1e-9);
    cr_expect(chart->totals[1] == 100 && chart->totals[4] == 0 && chart->peak_total == 100);
    cr_expect(chart->y.high == 100);
    cr_expect_str_eq(chart->y.unit, "%");
    hpr_chart_destroy(chart);
}

Test(select, samples_side_by_side)
{
    hpr_options options = by_sum();
    hpf_survey_options limits = {
        .size = sizeof limits, .has_window = true, .from_time = 1, .to_time = 5};
    options.by_sample = true;
    hpr_chart *chart = chart_of(profile, &limits, &options);
    cr_assert_eq(chart->n_points, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(chart->xs[i], (double)i + 2);
    }
    cr_expect(chart->x.low == 2 && chart->x.high == 5);
    for (size_t i = 0; i < chart->x.n_ticks; i++) {
        cr_expect_eq(chart->x.ticks[i].value, floor(chart->x.ticks[i].value));
    }
    cr_assert_eq(chart->n_marks, 1);
    double share = (chart->marks[0].x_pt - chart->plot_x_pt) / chart->plot_width_pt;
    cr_expect_float_eq(share, 1.25 / 3, 1e-9, "a quarter of the way from sample 3 to 4");
    hpr_chart_destroy(chart);
}

Test(select, lines_start_at_zero_without_other)
{
    hpr_options options = by_sum();
    options.as_lines = true;
    options.n_bands = 2;
    hpr_chart *chart = chart_of(profile, NULL, &options);
    cr_expect(chart->is_lines);
    cr_expect(chart->y.high >= 50 && chart->y.high < 55, "%g", chart->y.high);
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        hpr_label_place place = chart->bands[i].label.place;
        cr_expect_eq(place, chart->bands[i].is_other ? HPR_LABEL_NONE : HPR_LABEL_MARGIN);
    }
    hpr_chart_destroy(chart);
}

/* --- pictures of growing profiles --- */

static bool has_band(const hpr_chart *chart, const char *name)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        if (strcmp(chart->bands[i].text, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns a chart of three names with one band; `rival` is the amount of one without a band. */
static hpr_chart *chart_with_rival(int rival, const hpf_str *keep, size_t n_keep)
{
    char text[512];
    hpr_options options = by_sum();
    options.n_bands = 1;
    options.keep_names = keep;
    options.n_keep_names = n_keep;
    snprintf(text, sizeof text,
             HEAD "BEGIN_SAMPLE 0.0\nold\t100\nrival\t%d\nsmall\t1\nEND_SAMPLE 0.0\n"
                  "BEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\n",
             rival);
    return chart_of(text, NULL, &options);
}

Test(select, replaces_kept_name_by_one_a_tenth_larger)
{
    const hpf_str keep[] = {HPF_STR("old")};
    for (int rival = 99; rival <= 120; rival += 3) {
        hpr_chart *free_choice = chart_with_rival(rival, NULL, 0);
        hpr_chart *kept = chart_with_rival(rival, keep, 1);
        cr_expect_eq(has_band(free_choice, "old"), rival < 100, "%d", rival);
        cr_expect_eq(has_band(kept, "old"), rival < 110, "%d", rival);
        cr_expect_eq(has_band(kept, "rival"), rival >= 110, "%d", rival);
        hpr_chart_destroy(free_choice);
        hpr_chart_destroy(kept);
    }
}

Test(select, steady_axis_ends_at_ten_round_numbers_a_decade)
{
    double seen[64], last = 0;
    int n_seen = 0;
    for (int peak = 101; peak <= 1000; peak += 7) {
        char text[512];
        hpr_options options = by_sum();
        options.steady_y = true;
        snprintf(text, sizeof text,
                 HEAD "BEGIN_SAMPLE 0.0\na\t%d\nEND_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\n",
                 peak);
        hpr_chart *chart = chart_of(text, NULL, &options);
        cr_expect_geq(chart->y.high, peak);
        cr_expect_leq(chart->y.high, peak * 1.5);
        if (chart->y.high != last) {
            cr_assert_lt(n_seen, 64);
            seen[n_seen++] = last = chart->y.high;
        }
        hpr_chart_destroy(chart);
    }
    const double expected[] = {150, 200, 250, 300, 400, 500, 600, 800, 1000};
    cr_assert_eq(n_seen, sizeof expected / sizeof *expected);
    for (int i = 0; i < n_seen; i++) {
        cr_expect_eq(seen[i], expected[i]);
    }
}

/* --- bands that show half of the profile ------------------------------------------------------ */

/* Returns the chart of `n` names of equal size. `pattern` makes a name from its number and from the
 * remainder of that by `n_groups`. */
static hpr_chart *chart_of_equal_names(const char *pattern, int n, int n_groups,
                                       const hpr_options *options)
{
    char name[64];
    size_t room = (size_t)n * sizeof name * 2 + sizeof HEAD + 200;
    char *text = malloc(room);
    size_t at = (size_t)snprintf(text, room, HEAD);
    for (int sample = 0; sample < 2; sample++) {
        at += (size_t)snprintf(text + at, room - at, "BEGIN_SAMPLE %d.0\n", sample);
        for (int i = 0; i < n; i++) {
            size_t length = 0;
            for (const char *c = pattern; *c; c++) { /* # is the number, @ the group */
                length += (size_t)snprintf(name + length, sizeof name - length,
                                           *c == '#' || *c == '@' ? "%d" : "%c",
                                           *c == '#'   ? i
                                           : *c == '@' ? i % n_groups
                                                       : *c);
            }
            at += (size_t)snprintf(text + at, room - at, "%s\t10\n", name);
        }
        at += (size_t)snprintf(text + at, room - at, "END_SAMPLE %d.0\n", sample);
    }
    hpr_chart *chart = chart_of(text, NULL, options);
    free(text);
    return chart;
}

Test(select, bands_show_half_of_the_profile)
{
    static const struct {
        const char *pattern;
        int n_names, n_groups;
        uint32_t n_bands; /* with OTHER */
        const char *caption;
        const char *band; /* one of them */
    } cases[] = {
        {"name#", 30, 1, 16, NULL, "name0"},
        {"name#", 32, 1, 17, "the largest 16 of 32 names", "name0"},
        {"name#", 600, 1, 201, "the largest 200 of 600 names", "name0"},
        /* Up to 40 names are shown as they are. */
        {"(#)f@/main", 80, 4, 41, "the largest 40 of 80 names", "(0)f0/main"},
        {"(#)f@/main", 82, 4, 4, "by innermost cost centre", "f0"},
        {"(#)f@/main", 82, 20, 16, "by innermost cost centre", "f0"},
        {"(#)f@/main", 200, 50, 26, "by innermost cost centre", "f0"},
        /* 100 cost centres: the largest 50 would be too many. */
        {"(#)f@/main", 200, 100, 101, "the largest 100 of 200 names", "(0)f0/main"},
        /* Each name is a cost centre of its own, in one of seven modules. */
        {"(#)M@.f#/main", 100, 7, 7, "by module", "M0"},
        {"base:M@.f#", 100, 7, 7, "by module", "M0"},
        /* Retainer sets of Python, each a hundredth of the peak. */
        {"(#)m@.f#", 100, 7, 7, "small sets by package", "m0"},
        {"(#)m@.f#", 49, 7, 26, "the largest 25 of 49 names", "(0)m0.f0"},
        /* Not stacks: the text before a slash is no cost centre. */
        {"f@/part#", 100, 7, 51, "the largest 50 of 100 names", "f0/part0"},
    };
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.trace_percent = 0;
    options.fit_bands = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpr_chart *chart =
            chart_of_equal_names(cases[i].pattern, cases[i].n_names, cases[i].n_groups, &options);
        cr_expect_eq(chart->n_bands, cases[i].n_bands, "case %zu: %u bands", i, chart->n_bands);
        cr_expect((chart->caption == NULL) == (cases[i].caption == NULL), "case %zu: %s", i,
                  chart->caption);
        if (cases[i].caption && chart->caption) {
            cr_expect_str_eq(chart->caption, cases[i].caption, "case %zu", i);
        }
        band_of(chart, cases[i].band);
        hpr_chart_destroy(chart);
    }
}

/* Forty names of a constant 1,000, of which most are in OTHER, and short ones, by their largest
 * amount.
 */
static hpr_chart *chart_with_short_names(const hpr_options *options)
{
    char *lines = malloc(1 << 20);
    cr_assert_not_null(lines);
    size_t n = (size_t)sprintf(lines, "JOB \"a.out\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\n"
                                      "VALUE_UNIT \"bytes\"\n");
    for (int sample = 0; sample < 200; sample++) {
        n += (size_t)sprintf(lines + n, "BEGIN_SAMPLE %d\n", sample);
        for (int name = 0; name < 40; name++) {
            n += (size_t)sprintf(lines + n, "calm%d\t1000\n", name);
        }
        if (sample == 50) {
            n += (size_t)sprintf(lines + n, "high\t3000\nlow\t1500\n");
        } else if (sample == 51) {
            n += (size_t)sprintf(lines + n, "highest\t4000\n");
        }
        n += (size_t)sprintf(lines + n, "END_SAMPLE %d\n", sample);
    }
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpr_chart *chart = NULL;
    hpf_str text = {lines, n};
    cr_assert_eq(hpf_source_from_memory(&source, text, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpr_chart_create(&chart, survey, options, made_up_measurer, NULL), HPF_OK);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    free(lines);
    return chart;
}

/* The peak is 44,500; a twentieth of it 2,225. */
Test(select, name_of_a_twentieth_of_the_peak_has_a_band)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    hpr_chart *chart = chart_with_short_names(&options);
    cr_expect_not(has_band(chart, "high") || has_band(chart, "highest"), "15 bands are wanted");
    hpr_chart_destroy(chart);
    options.fit_bands = true;
    chart = chart_with_short_names(&options);
    cr_expect(has_band(chart, "high") && has_band(chart, "highest"));
    cr_expect_not(has_band(chart, "low"));
    cr_expect_eq(chart->other_names, 43 + 1 - chart->n_bands);
    hpr_chart_destroy(chart);
}

Test(select, caption_is_in_the_title_or_above_a_figure)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.fit_bands = true;
    hpr_chart *chart = chart_of_equal_names("base:M@.f#", 100, 7, &options);
    double titled_pt = chart->plot_height_pt;
    cr_expect_str_eq(chart->title.job, "a.out \xC2\xB7 by module");
    cr_expect_null(chart->title.caption);
    hpr_chart_destroy(chart);

    options.no_title = true;
    chart = chart_of_equal_names("base:M@.f#", 100, 7, &options);
    double captioned_pt = chart->plot_height_pt;
    cr_expect_str_eq(chart->title.job, "");
    cr_expect_str_eq(chart->title.caption, "by module");
    hpr_chart_destroy(chart);

    chart = chart_of_equal_names("base:M@.f#", 20, 7, &options);
    cr_expect_null(chart->title.caption);
    cr_expect(titled_pt < captioned_pt && captioned_pt < chart->plot_height_pt, "%g, %g, %g",
              titled_pt, captioned_pt, chart->plot_height_pt);
    hpr_chart_destroy(chart);
}

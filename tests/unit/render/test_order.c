/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Orders of the modern look: the sequence of bands in the stack.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "hprender/render.h"

#include "made_up_font.h"
#include "rng.h"
#include "chart_wiggle.h"
#include "source_dir.h"

#define HEAD "JOB \"a.out\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

static const hpf_source_options keep = {.size = sizeof keep, .keep = true};

static hpr_chart *chart_of(hpf_source *source, const hpr_options *options)
{
    hpf_survey *survey = NULL;
    hpr_chart *chart = NULL;
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpr_chart_create(&chart, survey, options, made_up_measurer, NULL), HPF_OK);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return chart;
}

static hpr_chart *chart_of_text(const char *text, const hpr_options *options)
{
    hpf_source *source = NULL;
    hpf_str bytes = {text, strlen(text)};
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &keep, NULL), HPF_OK);
    return chart_of(source, options);
}

static hpr_options all_bands(hpr_order order)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.order = order;
    options.n_bands = 0;
    options.trace_percent = 0;
    return options;
}

/* Checks the names of the bands, bottom first, separated by blanks. */
static void expect_order(const char *text, const hpr_options *options, const char *expected)
{
    char found[1024] = "";
    hpr_chart *chart = chart_of_text(text, options);
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        strcat(found, i ? " " : "");
        strcat(found, chart->bands[i].text);
    }
    cr_expect_str_eq(found, expected);
    hpr_chart_destroy(chart);
}

static const char four[] = HEAD "BEGIN_SAMPLE 0.0\nsteady\t50\nEND_SAMPLE 0.0\n"
                                "BEGIN_SAMPLE 1.0\nsteady\t50\ngrowing\t1\nEND_SAMPLE 1.0\n"
                                "BEGIN_SAMPLE 2.0\nsteady\t50\ngrowing\t30\npeak\t90\nEND_SAMPLE "
                                "2.0\n"
                                "BEGIN_SAMPLE 3.0\nsteady\t50\ngrowing\t60\nlate\t7\nEND_SAMPLE "
                                "3.0\n"
                                "BEGIN_SAMPLE 4.0\nEND_SAMPLE 4.0\n";

Test(order, orders_by_a_statistic)
{
    static const struct {
        hpr_order order;
        const char *expected;
    } cases[] = {
        {HPR_ORDER_SUM, "steady growing peak late"},
        {HPR_ORDER_STDDEV, "late steady growing peak"},
        {HPR_ORDER_NAME, "steady peak late growing"},
        {HPR_ORDER_GROWTH, "steady late peak growing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpr_options options = all_bands(cases[i].order);
        expect_order(four, &options, cases[i].expected);
    }
}

Test(order, the_first_sample_counts_for_the_deviation)
{
    static const char two[] = HEAD "BEGIN_SAMPLE 0.0\nearly\t90\nEND_SAMPLE 0.0\n"
                                   "BEGIN_SAMPLE 1.0\nmiddle\t60\nEND_SAMPLE 1.0\n"
                                   "BEGIN_SAMPLE 2.0\nEND_SAMPLE 2.0\n";
    hpr_options options = all_bands(HPR_ORDER_STDDEV);
    expect_order(two, &options, "middle early");
}

Test(order, all_orders_can_be_reversed)
{
    hpr_options options = all_bands(HPR_ORDER_GROWTH);
    options.reverse = true;
    expect_order(four, &options, "growing peak late steady");
    options.n_bands = 2;
    expect_order(four, &options, "growing steady OTHER");
}

static const char stacks[] = HEAD "BEGIN_SAMPLE 0.0\n(12)a\t1\n(13)b\t9\nc\t4\n(7)a\t2\n"
                                  "END_SAMPLE 0.0\n";

static void expect_list(const hpf_str *list, size_t n, bool reverse, const char *expected)
{
    hpr_options options = all_bands(HPR_ORDER_SUM); /* "(13)b c (7)a (12)a" */
    options.order_names = list;
    options.n_order_names = n;
    options.reverse = reverse;
    expect_order(stacks, &options, expected);
}

Test(order, list_starts_at_the_top)
{
    const hpf_str exact[] = {HPF_STR("(12)a"), HPF_STR("(13)b"), HPF_STR("c"), HPF_STR("(7)a")};
    expect_list(exact, 4, false, "(7)a c (13)b (12)a");
    expect_list(exact, 4, true, "(12)a (13)b c (7)a");
}

Test(order, list_may_omit_numbers_and_names)
{
    const hpf_str bare[] = {HPF_STR("b"), HPF_STR("(99)a"), HPF_STR("none of these")};
    expect_list(bare, 3, false, "c (7)a (12)a (13)b");
    const hpf_str star[] = {HPF_STR("b"), HPF_STR("*"), HPF_STR("c"), HPF_STR("b")};
    expect_list(star, 4, false, "c (7)a (12)a (13)b");
    const hpf_str last[] = {HPF_STR("*"), HPF_STR("(13)b")};
    expect_list(last, 2, false, "(13)b c (7)a (12)a");
    expect_list(NULL, 0, false, "(13)b c (7)a (12)a");
}

Test(order, list_may_move_other)
{
    const hpf_str without[] = {HPF_STR("b")};
    const hpf_str with[] = {HPF_STR("b"), HPF_STR("OTHER")};
    hpr_options options = all_bands(HPR_ORDER_SUM);
    options.n_bands = 2;
    options.order_names = without;
    options.n_order_names = 1;
    expect_order(stacks, &options, "c (13)b OTHER");
    options.order_names = with;
    options.n_order_names = 2;
    expect_order(stacks, &options, "c OTHER (13)b");
}

/* --- the default order moves little ----------------------------------------------------------- */

/* Returns the wiggle in hp2ps's order of all names, with OTHER at the place `other`. */
static double wiggle_of_hp2ps(const hpr_chart *chart, const hpr_chart *all, uint32_t other)
{
    uint32_t *order = calloc(chart->n_bands + 1u, sizeof *order);
    uint32_t n = 0;
    for (uint32_t k = 0; k <= all->n_bands; k++) {
        for (uint32_t i = 0; i < chart->n_bands; i++) {
            if (n == other && chart->bands[i].is_other) {
                order[n++] = i;
            }
        }
        for (uint32_t i = 0; k < all->n_bands && i < chart->n_bands; i++) {
            if (!chart->bands[i].is_other &&
                hpf_str_equal(chart->bands[i].name, all->bands[k].name)) {
                order[n++] = i;
            }
        }
    }
    cr_assert_eq(n, chart->n_bands, "%u of %u", n, chart->n_bands);
    double wiggle = chart_wiggle(chart, order);
    free(order);
    return wiggle;
}

static void expect_calmer_than_hp2ps(const hpr_chart *chart, const hpr_chart *all, const char *what)
{
    uint32_t other = chart->n_bands;
    if (all->n_bands == 0) { /* hp2ps draws nothing where all is 0 */
        return;
    }
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        other = chart->bands[i].is_other ? i : other;
    }
    double ours = chart_wiggle(chart, NULL);
    cr_expect_leq(ours, wiggle_of_hp2ps(chart, all, other) * (1 + 1e-12), "%s", what);
    cr_expect_leq(ours, wiggle_of_hp2ps(chart, all, 0) * (1.01 + 1e-12), "%s", what);
}

static hpr_options as_hp2ps_with_all_bands(void)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    options.n_bands = 0;
    options.trace_percent = 0;
    return options;
}

static void compare_profiles_in(const char *directory)
{
    DIR *dir = opendir(directory);
    cr_assert_not_null(dir, "%s", directory);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".hp") != 0) {
            continue;
        }
        char path[1024];
        hpf_source *sources[2] = {NULL, NULL};
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        cr_assert_eq(hpf_source_open(&sources[0], path, &keep, NULL), HPF_OK);
        cr_assert_eq(hpf_source_open(&sources[1], path, &keep, NULL), HPF_OK);
        hpr_options modern = hpr_options_default(HPR_LOOK_MODERN);
        hpr_options classic = as_hp2ps_with_all_bands();
        hpr_chart *chart = chart_of(sources[0], &modern);
        hpr_chart *all = chart_of(sources[1], &classic);
        expect_calmer_than_hp2ps(chart, all, entry->d_name);
        hpr_chart_destroy(chart);
        hpr_chart_destroy(all);
    }
    closedir(dir);
}

Test(order, default_is_calmer_than_hp2ps_on_real_profiles, .timeout = 60)
{
    compare_profiles_in(CENSUS_SOURCE_DIR "/samples/hp");
    compare_profiles_in(CENSUS_SOURCE_DIR "/tests/data/hp");
}

/* Writes bands of few and equal amounts, so that sums tie. */
static size_t write_random(char *text, size_t room, uint64_t seed)
{
    rng random = {seed};
    uint64_t n_names = 2 + rng_below(&random, 8);
    size_t at = (size_t)snprintf(text, room, "%s", HEAD);
    for (int sample = 0; sample < 12; sample++) {
        at += (size_t)snprintf(text + at, room - at, "BEGIN_SAMPLE %d\n", sample);
        for (uint64_t name = 0; name < n_names; name++) {
            at += (size_t)snprintf(text + at, room - at, "n%d\t%d\n", (int)(name * 7 % 10),
                                   (int)(rng_below(&random, 4) * (1 + name % 3)));
        }
        at += (size_t)snprintf(text + at, room - at, "END_SAMPLE %d\n", sample);
    }
    return at;
}

Test(order, default_is_calmer_than_hp2ps_on_random_profiles, .timeout = 60)
{
    static char text[1 << 16];
    for (uint64_t seed = 1; seed <= 300; seed++) {
        cr_assert_lt(write_random(text, sizeof text, seed), sizeof text);
        hpr_options modern = hpr_options_default(HPR_LOOK_MODERN);
        hpr_options classic = as_hp2ps_with_all_bands();
        modern.n_bands = 2 + (int)(seed % 4);
        char what[32];
        snprintf(what, sizeof what, "seed %d", (int)seed);
        hpr_chart *chart = chart_of_text(text, &modern);
        hpr_chart *all = chart_of_text(text, &classic);
        expect_calmer_than_hp2ps(chart, all, what);
        hpr_chart_destroy(chart);
        hpr_chart_destroy(all);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Select, order and limit of the classic look.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "hprender/auxfile.h"
#include "hprender/render.h"
#include "profile.h"

static hpr_options options;

static void set_up(void)
{
    options = hpr_options_default(HPR_LOOK_CLASSIC);
    options.trace_percent = 0;
}

TestSuite(classic_select, .init = set_up);

static hpf_status draw(hpr_chart **chart, const char *samples, hpf_error *err)
{
    static char text[512];
    hpr_measurer none = {.measure = NULL};
    snprintf(text, sizeof text, "%s%s", PROFILE_HEADERS, samples);
    test_profile profile = test_profile_open(text, 0);
    hpf_status status = hpr_chart_create(chart, profile.survey, &options, none, err);
    test_profile_close(&profile);
    return status;
}

/* Returns the names of the bands, bottom first, separated by blanks. */
static const char *bands_of(const char *samples)
{
    static char names[256];
    hpr_chart *chart = NULL;
    hpf_error err;
    cr_assert_eq(draw(&chart, samples, &err), HPF_OK, "%s", err.message);
    names[0] = '\0';
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        strcat(names, i > 0 ? " " : "");
        strcat(names, chart->bands[i].text);
    }
    hpr_chart_destroy(chart);
    return names;
}

#define SAMPLE(time, costs) "BEGIN_SAMPLE " time "\n" costs "\nEND_SAMPLE " time "\n"

Test(classic_select, sums_ignore_time)
{
    cr_assert_str_eq(
        bands_of(SAMPLE("0.0", "brief 9 long 4") SAMPLE("0.1", "long 4") SAMPLE("99.0", "")),
        "long brief");
}

Test(classic_select, drops_traces_below_the_threshold)
{
    options.trace_percent = 1;
    cr_assert_str_eq(bands_of(SAMPLE("0.0", "a 5 b 6 c 989") SAMPLE("1.0", "")), "b c");
    cr_assert_str_eq(bands_of(SAMPLE("0.0", "a 5 b 4 c 991") SAMPLE("1.0", "")), "c");
}

Test(classic_select, empty_profile_has_no_bands)
{
    cr_assert_str_eq(bands_of(SAMPLE("0.0", "a 0 b 0")), "");
}

/* a: points 10 and 0; b: 6 and 6 about the mean 6; c: 8, absent in the second sample, so only one
 * square, (8 - 4)^2. */
Test(classic_select, deviation_ignores_samples_without_the_name)
{
    options.order = HPR_ORDER_STDDEV;
    cr_assert_str_eq(bands_of(SAMPLE("0.0", "a 10 b 6 c 8") SAMPLE("1.0", "a 0 b 6")), "b c a");
}

Test(classic_select, limit_folds_the_lowest_of_the_order)
{
    options.n_bands = 2;
    options.order = HPR_ORDER_NAME;
    cr_assert_str_eq(bands_of(SAMPLE("0.0", "c 1 b 2 a 3")), "OTHER c");
    options.reverse = true;
    cr_assert_str_eq(bands_of(SAMPLE("0.0", "c 1 b 2 a 3")), "OTHER a");
}

/* 2^53 + 1 rounds back to 2^53, so the two are equal and the order of the table decides; with the
 * sum as an integer, b would be above. */
Test(classic_select, sums_beyond_53_bits_are_rounded_as_in_hp2ps)
{
    cr_assert_str_eq(
        bands_of(SAMPLE("0.0", "b 9007199254740992 a 9007199254740992") SAMPLE("1.0", "b 1 a 0")),
        "a b");
    cr_assert_str_eq(
        bands_of(SAMPLE("0.0", "b 9007199254740992 a 9007199254740992") SAMPLE("1.0", "b 0 a 1")),
        "a b");
}

/* 2^63 does not fit and becomes -2^63. */
Test(classic_select, sums_overflow_as_in_hp2ps)
{
    cr_assert_str_eq(bands_of(SAMPLE("0.0", "b 9223372036854775808 a 7")), "b a");
}

Test(classic_select, dropped_names_count_unless_hp2ps_would_fail)
{
    options.trace_percent = 5;
    cr_assert_str_eq(bands_of(SAMPLE("0.0", "a 97 b 50") "b 1\n"), "b a");
    cr_assert_str_eq(bands_of(SAMPLE("0.0", "a 100 b 4 c 1") "c 4\n"), "a");
}

Test(classic_select, rejects_more_orders_than_hp2ps_keeps)
{
    char text[1024] = "";
    hpr_auxfile *aux = NULL;
    hpr_chart *chart = NULL;
    hpf_error err;
    for (int i = 0; i < 41; i++) {
        strcat(text, "ORDER a 1\n");
    }
    cr_assert_eq(hpr_auxfile_parse(&aux, (hpf_str){text, strlen(text)}, NULL), HPF_OK);
    options.classic.previous = aux;
    cr_assert_eq(draw(&chart, SAMPLE("0.0", "a 1"), &err), HPF_ERR_LIMIT);
    cr_assert_null(chart);
    hpr_auxfile_destroy(aux);
}

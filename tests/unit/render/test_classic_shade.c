/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The shades of bands in the classic look, and the numbers that encode them.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "hprender/auxfile.h"
#include "hprender/render.h"
#include "profile.h"

static hpr_options options;
static hpr_chart *chart;

static void set_up(void)
{
    options = hpr_options_default(HPR_LOOK_CLASSIC);
    options.n_bands = 0;
    options.trace_percent = 0;
}

static void tear_down(void)
{
    hpr_chart_destroy(chart);
}

TestSuite(classic_shade, .init = set_up, .fini = tear_down);

/* Draws a profile of `n` names, of which the first, a, is the bottom band. */
static void draw(size_t n)
{
    static char text[4096];
    size_t length = (size_t)snprintf(text, sizeof text, PROFILE_HEADERS "BEGIN_SAMPLE 0\n");
    for (size_t i = 0; i < n; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%c%s\t%zu\n",
                                   (char)('a' + i % 26), i < 26 ? "" : "x", 10 + i);
    }
    snprintf(text + length, sizeof text - length, "END_SAMPLE 0\nBEGIN_SAMPLE 1\nEND_SAMPLE 1\n");
    test_profile profile = test_profile_open(text, 0);
    hpr_measurer none = {.measure = NULL};
    hpf_error err;
    cr_assert_eq(hpr_chart_create(&chart, profile.survey, &options, none, &err), HPF_OK);
    cr_assert_eq(chart->n_bands, n);
    test_profile_close(&profile);
}

/* Draws a profile of one name with this line in the `.aux` file of an earlier run. */
static hpr_colour colour_of(const char *shade, bool in_colour)
{
    hpr_auxfile *aux = NULL;
    cr_assert_eq(hpr_auxfile_parse(&aux, (hpf_str){shade, strlen(shade)}, NULL), HPF_OK);
    options.classic.previous = aux;
    options.classic.colour = in_colour;
    draw(1);
    hpr_colour colour = chart->bands[0].fill.colour;
    hpr_chart_destroy(chart);
    chart = NULL;
    hpr_auxfile_destroy(aux);
    return colour;
}

Test(classic_shade, greys_are_in_the_order_of_hp2ps)
{
    static const double expected[] = {0, 0.2, 0.6, 0.3, 0.9, 0.4, 1, 0.7, 0.5, 0.8, 0, 0.2};
    draw(12);
    for (size_t i = 0; i < 12; i++) {
        cr_expect_eq(chart->bands[i].classic_shade, expected[i], "band %zu", i);
        cr_expect(chart->bands[i].fill.is_gray);
        cr_expect_eq(chart->bands[i].fill.colour.green, expected[i], "band %zu", i);
    }
}

/* The colours as hp2ps draws them; the fifteenth is meant to be .5 1 0. */
static const double drawn[28][3] = {
    {0, 0, 0},   {0, 0, 1},   {0, 1, 0},   {0, 1, 1},   {1, 0, 0},   {1, 0, 1},    {1, 1, 0},
    {1, 1, 1},   {0, 0, .5},  {0, .5, 0},  {0, .5, 1},  {0, 1, .5},  {.5, 0, 0},   {.5, 0, 1},
    {.5, .9, 0}, {.5, 1, 1},  {1, 0, .5},  {1, .5, 0},  {1, .5, 1},  {1, 1, .5},   {0, .5, .5},
    {.5, 0, .5}, {.5, .5, 0}, {.5, .5, 1}, {.5, 1, .5}, {1, .5, .5}, {.5, .5, .5}, {0, 0, 0},
};

Test(classic_shade, numbers_encode_colours_as_in_hp2ps)
{
    options.classic.colour = true;
    draw(28);
    for (size_t i = 0; i < 28; i++) {
        hpr_colour colour = chart->bands[i].fill.colour;
        cr_expect_float_eq(colour.red, drawn[i][0], 1e-12, "red of %zu", i + 1);
        cr_expect_float_eq(colour.green, drawn[i][1], 1e-12, "green of %zu", i + 1);
        cr_expect_float_eq(colour.blue, drawn[i][2], 1e-12, "blue of %zu", i + 1);
    }
}

Test(classic_shade, two_decimals_hold_only_red)
{
    hpr_colour half = colour_of("SHADE a 0.05\n", true);
    hpr_colour full = colour_of("SHADE a 0.10\n", true);
    cr_assert_float_eq(half.red, 0.5, 1e-12);
    cr_assert_float_eq(full.red, 1, 1e-12);
    cr_assert_eq(half.green + half.blue + full.green + full.blue, 0);
}

Test(classic_shade, levels_are_at_most_one)
{
    cr_assert_eq(colour_of("SHADE a 7.25\n", false).green, 1);
    cr_assert_leq(colour_of("SHADE a 9999.99\n", true).red, 1);
}

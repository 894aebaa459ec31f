/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The shades handed out, and what is in a number.
 */
#include <criterion/criterion.h>

#include "classic/classic.h"

Test(classic_shade, grays_come_in_hp2ps_order)
{
    static const double expected[] = {0, 0.2, 0.6, 0.3, 0.9, 0.4, 1, 0.7, 0.5, 0.8, 0, 0.2};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        cr_assert_eq(hpr__shade_of_index(i, false), expected[i]);
    }
}

/* The colours as hp2ps draws them; the fifteenth is meant to be .5 1 0. */
static const double drawn[28][3] = {
    {0, 0, 0},   {0, 0, 1},   {0, 1, 0},   {0, 1, 1},   {1, 0, 0},   {1, 0, 1},    {1, 1, 0},
    {1, 1, 1},   {0, 0, .5},  {0, .5, 0},  {0, .5, 1},  {0, 1, .5},  {.5, 0, 0},   {.5, 0, 1},
    {.5, .9, 0}, {.5, 1, 1},  {1, 0, .5},  {1, .5, 0},  {1, .5, 1},  {1, 1, .5},   {0, .5, .5},
    {.5, 0, .5}, {.5, .5, 0}, {.5, .5, 1}, {.5, 1, .5}, {1, .5, .5}, {.5, .5, .5}, {0, 0, 0},
};

Test(classic_shade, colours_survive_their_number_as_in_hp2ps)
{
    for (size_t i = 0; i < 28; i++) {
        hpr_colour colour = hpr__shade_to_colour(hpr__shade_of_index(i, true)).colour;
        cr_expect_float_eq(colour.red, drawn[i][0], 1e-12, "red of %zu", i + 1);
        cr_expect_float_eq(colour.green, drawn[i][1], 1e-12, "green of %zu", i + 1);
        cr_expect_float_eq(colour.blue, drawn[i][2], 1e-12, "blue of %zu", i + 1);
    }
}

Test(classic_shade, two_decimals_only_hold_red)
{
    hpr_colour half = hpr__shade_to_colour(0.05).colour;
    hpr_colour full = hpr__shade_to_colour(0.10).colour;
    cr_assert_float_eq(half.red, 0.5, 1e-12);
    cr_assert_float_eq(full.red, 1, 1e-12);
    cr_assert_eq(half.green + half.blue + full.green + full.blue, 0);
}

Test(classic_shade, levels_stay_within_one)
{
    cr_assert_eq(hpr__shade_to_gray(7.25).colour.green, 1);
    cr_assert_eq(hpr__shade_to_colour(99999999999999999999999999999999.).colour.red <= 1, true);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Colour arithmetic against published values.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "style/colour.h"

static bool is_near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

Test(colour, lab_of_known_colours)
{
    hpr__lab white = hpr__lab_of(hpr__colour_hex(0xffffff));
    cr_assert(is_near(white.lightness, 100, 0.01));
    cr_assert(is_near(white.a, 0, 0.02) && is_near(white.b, 0, 0.02));
    hpr__lab red = hpr__lab_of(hpr__colour_hex(0xff0000));
    cr_assert(is_near(red.lightness, 53.24, 0.01));
    cr_assert(is_near(red.a, 80.09, 0.02) && is_near(red.b, 67.20, 0.02));
    cr_assert(is_near(hpr__lab_of(hpr__colour_hex(0)).lightness, 0, 1e-9));
}

/* Pairs 1, 4, 7, 9, 17, 20, 24 and 33 of the test data of Sharma, Wu and Dalal. */
Test(colour, differences_agree_with_published_pairs)
{
    static const struct {
        hpr__lab x, y;
        double difference;
    } pairs[] = {
        {{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
        {{50, -1.3802, -84.2814}, {50, 0, -82.7485}, 1.0000},
        {{50, 0, 0}, {50, -1, 2}, 2.3669},
        {{50, 2.4900, -0.0010}, {50, -2.4900, 0.0009}, 7.1792},
        {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
        {{50, 2.5, 0}, {58, 24, 15}, 19.4535},
        {{50, 2.5, 0}, {50, 3.2592, 0.3350}, 1.0000},
        {{6.7747, -0.2908, -2.4247}, {5.8714, -0.0985, -2.2286}, 0.6377},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double there = hpr__lab_difference(pairs[i].x, pairs[i].y);
        double back = hpr__lab_difference(pairs[i].y, pairs[i].x);
        cr_expect(is_near(there, pairs[i].difference, 1e-4), "pair %zu: %f", i, there);
        cr_expect(is_near(back, there, 1e-9));
    }
}

Test(colour, greys_look_alike_to_all_eyes)
{
    for (uint32_t level = 0; level < 256; level += 15) {
        hpr_colour grey = hpr__colour_hex(level * 0x010101);
        for (int vision = 0; vision < HPR__N_VISIONS; vision++) {
            hpr_colour seen = hpr__colour_seen(grey, (hpr__vision)vision);
            cr_expect(is_near(seen.red, grey.red, 1e-3) && is_near(seen.green, grey.green, 1e-3) &&
                      is_near(seen.blue, grey.blue, 1e-3));
        }
    }
}

Test(colour, protans_confuse_what_others_do_not)
{
    hpr_colour brown = hpr__colour_hex(0x7a5c00);
    hpr_colour green = hpr__colour_hex(0x3c6b00);
    hpr__lab normal[2] = {hpr__lab_of(brown), hpr__lab_of(green)};
    hpr__lab protan[2] = {hpr__lab_of(hpr__colour_seen(brown, HPR__VISION_PROTAN)),
                          hpr__lab_of(hpr__colour_seen(green, HPR__VISION_PROTAN))};
    cr_assert_gt(hpr__lab_difference(normal[0], normal[1]),
                 2 * hpr__lab_difference(protan[0], protan[1]));
}

Test(colour, ink_is_readable_on_every_ground)
{
    cr_assert(
        is_near(hpr__colour_contrast(hpr__colour_hex(0), hpr__colour_hex(0xffffff)), 21, 1e-9));
    for (uint32_t hex = 0; hex <= 0xffffff; hex += 4099) {
        hpr_colour ground = hpr__colour_hex(hex);
        cr_expect_geq(hpr__colour_contrast(ground, hpr__colour_text_on(ground)), 4.5);
    }
}

Test(colour, distinct_needs_both_minima)
{
    hpr__appearance red = hpr__appearance_of(hpr__colour_hex(0xd04040));
    hpr__appearance blue = hpr__appearance_of(hpr__colour_hex(0x4060f0));
    hpr__appearance pale = hpr__appearance_of(hpr__colour_hex(0xffd0d0));
    cr_assert_not(hpr__appearance_distinct(&red, &blue)); /* the same grey on paper */
    cr_assert(hpr__appearance_distinct(&red, &pale));
    cr_assert_not(hpr__appearance_distinct(&red, &red));
}

Test(colour, mixing_pre_blends)
{
    hpr_colour half = hpr__colour_mix(hpr__colour_hex(0xff0000), hpr__colour_hex(0x0000ff), 0.25);
    cr_assert(is_near(half.red, 0.25, 1e-9) && is_near(half.blue, 0.75, 1e-9));
}

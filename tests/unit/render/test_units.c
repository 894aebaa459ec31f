/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Units, numbers and ticks.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "chart/units.h"

static hpf_str text_of(const char *text)
{
    return (hpf_str){text, strlen(text)};
}

Test(units, bytes_have_the_largest_prefix_below)
{
    static const struct {
        double largest;
        bool si;
        const char *name;
    } cases[] = {
        {0, false, "B"},         {1023, false, "B"},  {1024, false, "KiB"},
        {1048575, false, "KiB"}, {3e9, false, "GiB"}, {18446744073709551615.0, false, "EiB"},
        {999, true, "B"},        {1000, true, "kB"},  {3e9, true, "GB"},
        {1e300, false, "ZiB"},   {0.25, false, "B"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpr_unit unit = hpr_unit_of_values(text_of("bytes"), cases[i].largest, cases[i].si);
        cr_expect_str_eq(unit.name, cases[i].name);
    }
}

Test(units, other_values_keep_their_unit)
{
    hpr_unit small = hpr_unit_of_values(text_of("objects"), 9999, false);
    hpr_unit large = hpr_unit_of_values(text_of("objects"), 2e6, false);
    cr_assert_null(small.name);
    cr_assert_str_eq(small.suffix, "");
    cr_assert_null(large.name);
    cr_assert_str_eq(large.suffix, "M");
}

Test(units, times_read_in_the_unit_that_fits)
{
    static const struct {
        const char *unit;
        double span;
        const char *name;
    } cases[] = {
        {"seconds", 0.0000005, "\xC2\xB5s"},
        {"seconds", 0.5, "ms"},
        {"seconds", 3, "s"},
        {"seconds", 60, "s"},
        {"seconds", 90, "s"},
        {"seconds", 120, "min"},
        {"seconds", 3600, "min"},
        {"seconds", 600, "min"},
        {"seconds", 7000, "min"},
        {"seconds", 20000, "h"},
        {"seconds", 1e6, "d"},
        {"ms", 0.5, "\xC2\xB5s"},
        {"ms", 250, "ms"},
        {"ms", 5000, "s"},
        {"ms", 60000, "s"},
        {"ms", 600000, "min"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpr_unit unit = hpr__unit_of_times(text_of(cases[i].unit), cases[i].span);
        cr_expect_str_eq(unit.name, cases[i].name);
    }
    cr_assert_null(hpr__unit_of_times(text_of("instructions"), 1e7).name);
}

Test(units, seconds_are_counted_in_the_profiles_unit)
{
    cr_expect_eq(hpr_units_per_second(text_of("seconds")), 1);
    cr_expect_eq(hpr_units_per_second(text_of("ms")), 1000);
    cr_expect_eq(hpr_units_per_second(text_of("milliseconds")), 1000);
    cr_expect_eq(hpr_units_per_second(text_of("instructions")), 1);
}

Test(units, numbers_have_the_requested_digits)
{
    const hpr_unit one = {1, "", NULL};
    const hpr_unit mega = {1e6, "M", NULL};
    static const struct {
        double value;
        int decimals;
        const char *label;
    } cases[] = {
        {0, 0, "0"},
        {12, 0, "12"},
        {0.5, 2, "0.50"},
        {1.005, 1, "1.0"},
        {999.96, 1, "1000.0"},
        {0.05, 2, "0.05"},
        {-3.5, 1,
         "\xE2\x88\x92"
         "3.5"},
        {1e17, 0, "1.00e17"},
        {2.5e300, 0, "2.50e300"},
    };
    char label[HPR_UNIT_LABEL_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpr__unit_label(label, cases[i].value, &one, cases[i].decimals);
        cr_expect_str_eq(label, cases[i].label);
    }
    hpr__unit_label(label, 2500000, &mega, 1);
    cr_assert_str_eq(label, "2.5M");
}

Test(units, single_values_have_no_trailing_zeros)
{
    const hpr_unit one = {1, "", NULL};
    static const struct {
        double value;
        const char *label;
    } cases[] = {
        {0, "0"},     {96, "96"},     {9.309, "9.31"},          {1234.5, "1235"},
        {0.5, "0.5"}, {99.96, "100"}, {0.00012345, "0.000123"}, {1.234e-8, "0.000000012"},
    };
    char label[HPR_UNIT_LABEL_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpr_unit_label_rounded(label, cases[i].value, &one, 3);
        cr_expect_str_eq(label, cases[i].label);
    }
}

Test(units, nice_steps)
{
    cr_assert_float_eq(hpr__nice_step(1), 1, 1e-12);
    cr_assert_float_eq(hpr__nice_step(1.01), 2, 1e-12);
    cr_assert_float_eq(hpr__nice_step(0.03), 0.05, 1e-12);
    cr_assert_float_eq(hpr__nice_step(600), 1000, 1e-9);
}

Test(units, ticks_are_few_inside_and_all_different)
{
    const hpr_unit kibi = {1024, "", "KiB"};
    const hpr_unit one = {1, "", NULL};
    for (double low = 0; low < 2000; low = low * 3 + 0.37) {
        for (double span = 1e-4; span < 1e12; span *= 3.7) {
            for (int most = 1; most <= 10; most++) {
                const hpr_unit *unit = most % 2 ? &kibi : &one;
                hpr__ticks ticks = hpr__ticks_of_count(low, low + span, most, unit);
                char labels[10][HPR_UNIT_LABEL_BYTES];
                cr_assert_leq(ticks.n, most);
                for (int i = 0; i < ticks.n; i++) {
                    double value = hpr__tick_value(&ticks, i, unit);
                    cr_expect_geq(value, low - span * 1e-6);
                    cr_expect_leq(value, low + span * (1 + 1e-6));
                    hpr__unit_label(labels[i], value, unit, ticks.decimals);
                    cr_expect(i == 0 || strcmp(labels[i - 1], labels[i]) != 0);
                }
                cr_expect(most < 4 || ticks.n >= 2, "%g+%g: %d of %d", low, span, ticks.n, most);
            }
        }
    }
}

Test(units, empty_range_has_no_ticks)
{
    const hpr_unit one = {1, "", NULL};
    cr_assert_eq(hpr__ticks_of_count(5, 5, 8, &one).n, 0);
    cr_assert_eq(hpr__ticks_of_count(0, HUGE_VAL, 8, &one).n, 0);
    cr_assert_eq(hpr__ticks_of_count(1e15, 1e15 + 1e-3, 8, &one).n, 0);
}

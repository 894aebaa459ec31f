/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers to text and back: the C library is the judge, and no locale changes anything.
 */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "rng.h"

static double parse(const char *text)
{
    return hpf__number_parse(text, strlen(text));
}

static const char *fixed(double value, int decimals)
{
    static char text[HPF__NUMBER_BYTES + 1];
    text[hpf__number_fixed(text, value, decimals)] = '\0';
    return text;
}

static const char *shortest(double value)
{
    static char text[HPF__NUMBER_BYTES + 1];
    text[hpf__number_shortest(text, value)] = '\0';
    return text;
}

Test(number, parse_agrees_with_the_c_library_on_odd_forms)
{
    static const char *const texts[] = {"0",
                                        "0.0",
                                        "5.",
                                        "00012",
                                        "0.1",
                                        "123456789012345",
                                        "1234567890123456",
                                        "1e3",
                                        "1e-3",
                                        "1E+3",
                                        "5.5e10",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "1e-320",
                                        "4e-324",
                                        "2e-324",
                                        "1e308",
                                        "1e400",
                                        "0.00000000000000000000000001",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "0.30000000000000004",
                                        "99999999999999999999999999999999",
                                        "0.0000000000000000000001",
                                        "0.00000000000000000000001",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_expect_eq(parse(texts[i]), strtod(texts[i], NULL), "%s", texts[i]);
    }
}

Test(number, parse_agrees_with_the_c_library_on_random_decimals)
{
    rng chance = {7};
    for (int i = 0; i < 300000; i++) {
        char text[65];
        int whole = (int)rng_below(&chance, 12) + 1;
        int decimals = (int)rng_below(&chance, 18);
        int n = 0;
        for (int k = 0; k < whole + decimals; k++) {
            if (k == whole) {
                text[n++] = '.';
            }
            text[n++] = (char)('0' + rng_below(&chance, 10));
        }
        text[n] = '\0';
        cr_assert_eq(parse(text), strtod(text, NULL), "%s", text);
    }
}

Test(number, whole_prints_every_length)
{
    uint64_t value = 0;
    for (int i = 0; i <= 20; i++) {
        for (int step = -1; step <= 1; step++) {
            char expected[32];
            char text[HPF__NUMBER_BYTES + 1];
            uint64_t v = value + (uint64_t)(int64_t)step;
            snprintf(expected, sizeof expected, "%llu", (unsigned long long)v);
            text[hpf__number_whole(text, v)] = '\0';
            cr_expect_str_eq(text, expected);
        }
        value = value ? value * 10 : 1;
    }
}

static double any_double(rng *chance)
{
    for (;;) {
        uint64_t bits = rng_next(chance);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

static double plausible_double(rng *chance)
{
    double value = (double)rng_below(chance, 100000000000) / 1e5;
    return rng_below(chance, 5) ? value : -value;
}

Test(number, fixed_agrees_with_printf)
{
    rng chance = {11};
    static const double ties[] = {
        0.5,  1.5,  2.5,         0.125,     0.375, 1e15 + 0.5,          0.05,  1.005, 0.0, -0.0,
        -0.4, -0.5, 999.9999995, 0.9999995, 1e300, 123456789.123456789, 5e-324};
    for (int decimals = 0; decimals <= 17; decimals++) {
        for (int i = 0; i < 6000; i++) {
            char expected[HPF__NUMBER_BYTES];
            size_t n_ties = sizeof ties / sizeof *ties;
            double value = (size_t)i < n_ties ? ties[i]
                           : i % 2            ? any_double(&chance)
                                              : plausible_double(&chance);
            snprintf(expected, sizeof expected, "%.*f", decimals, value);
            cr_assert_str_eq(fixed(value, decimals), expected, "%a with %d decimals", value,
                             decimals);
        }
    }
}

Test(number, shortest_is_read_back_as_the_same)
{
    rng chance = {13};
    for (int i = 0; i < 100000; i++) {
        double value = fabs(i % 2 ? any_double(&chance) : plausible_double(&chance));
        const char *text = shortest(value);
        cr_assert_leq(strlen(text), 24);
        cr_assert_eq(parse(text), value, "%s is not %a", text, value);
    }
}

Test(number, shortest_is_short)
{
    static const struct {
        double value;
        const char *text;
    } examples[] = {{0, "0"},
                    {1, "1"},
                    {0.1, "0.1"},
                    {0.25, "0.25"},
                    {1e15, "1000000000000000"},
                    {0.30000000000000004, "0.30000000000000004"},
                    {1e22, "1e+22"},
                    {-1.5, "-1.5"},
                    {1.0 / 3, "0.3333333333333333"},
                    {5e-324, "4.94065645841247e-324"},
                    {9007199254740991.0, "9007199254740991"}};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        cr_expect_str_eq(shortest(examples[i].value), examples[i].text);
    }
}

Test(number, no_locale_changes_the_point)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++) {
        set = setlocale(LC_ALL, names[i]);
    }
    if (!set) {
        cr_skip_test("no locale with a decimal comma is installed");
    }
    char native[32];
    snprintf(native, sizeof native, "%.1f", 0.5);
    cr_assert_str_eq(native, "0,5");
    cr_expect_eq(parse("1234567890.12345678"), 1234567890.12345678);
    cr_expect_eq(parse("1.5e-3"), 0.0015);
    cr_expect_str_eq(fixed(0.5, 1), "0.5");
    cr_expect_str_eq(fixed(1e15 + 0.5, 3), "1000000000000000.500");
    cr_expect_str_eq(shortest(0.1), "0.1");
    snprintf(native, sizeof native, "%.1f", 0.5);
    cr_expect_str_eq(native, "0,5", "the caller's locale is as it was");
}

/* hp2ps reads no exponents. */
Test(number, times_have_at_least_six_decimals_and_no_exponent)
{
    static const struct {
        double time;
        const char *text;
    } cases[] = {{0, "0.000000"},
                 {0.1, "0.100000"},
                 {9.3214e-05, "0.000093214"},
                 {1e-9, "0.000000001"},
                 {12.345678901, "12.345678901"},
                 {1e22, "10000000000000000000000.000000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HPF__NUMBER_BYTES];
        size_t length = hpf__number_time(text, cases[i].time);
        cr_expect(length == strlen(cases[i].text) && memcmp(text, cases[i].text, length) == 0,
                  "%.*s instead of %s", (int)length, text, cases[i].text);
    }
}

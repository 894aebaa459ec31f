/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Amounts and times as text with units.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "unit_format.h"

typedef struct amount_case {
    double amount;
    const char *unit;
    bool exact;
    const char *expected;
} amount_case;

static hpf_str str(const char *text)
{
    return (hpf_str){text, strlen(text)};
}

/* Returns the text until the next call. */
static const char *text_of(formatted made)
{
    static formatted last;
    last = made;
    return last.text;
}

static const amount_case amounts_cases[] = {
    {0, "bytes", false, "0 B"},
    {7, "bytes", false, "7 B"},
    {27.7, "bytes", false, "27.7 B"},
    {1023, "bytes", false, "1023 B"},
    {1024, "bytes", false, "1 KiB"},
    {102399, "bytes", false, "100 KiB"},
    {1048575, "bytes", false, "1024 KiB"},
    {1.5e9, "bytes", false, "1.4 GiB"},
    {18446744073709551615.0, "bytes", false, "16 EiB"},
    {1e30, "bytes", false, "847032947 ZiB"},
    {-2048, "bytes", false, "\u22122 KiB"},
    {1234567, "closures", false, "1.23M closures"},
    {12, "", false, "12"},
    {1234567, "bytes", true, "1,234,567 bytes"},
    {-1234567, "bytes", true, "-1,234,567 bytes"},
    {1234.56, "bytes", true, "1,234.6 bytes"},
    {0.25, "bytes", true, "0.25 bytes"},
    {999, "", true, "999"},
};

Test(unit_format, amounts)
{
    for (size_t i = 0; i < sizeof amounts_cases / sizeof amounts_cases[0]; i++) {
        const amount_case *param = &amounts_cases[i];
        cr_expect_str_eq(text_of(format_amount(param->amount, str(param->unit), param->exact)),
                         param->expected);
    }
}

static const amount_case times_cases[] = {
    {0, "seconds", false, "0 s"},
    {0.0000123, "seconds", false, "12.3 \u00b5s"},
    {0.4008, "seconds", false, "401 ms"},
    {1.409, "seconds", false, "1.41 s"},
    {119, "seconds", false, "119 s"},
    {600, "seconds", false, "10 min"},
    {7200, "seconds", false, "2 h"},
    {140, "seconds", false, "2 min 20 s"},
    {63000, "s", false, "17 h 30 min"},
    {-140e3, "ms", false, "\u22122 min 20 s"},
    {12, "ticks", false, "12 ticks"},
    {12345, "ticks", false, "12.3k ticks"},
    {3, "", false, "3"},
    {1234.5, "seconds", true, "1,234.500000 seconds"},
};

Test(unit_format, times)
{
    for (size_t i = 0; i < sizeof times_cases / sizeof times_cases[0]; i++) {
        const amount_case *param = &times_cases[i];
        cr_expect_str_eq(text_of(format_time(param->amount, str(param->unit), param->exact)),
                         param->expected);
    }
}

Test(unit_format, growth_has_a_sign_and_a_time)
{
    cr_expect_str_eq(text_of(format_growth(2048, str("bytes"), str("seconds"), false)), "+2 KiB/s");
    cr_expect_str_eq(text_of(format_growth(-5, str("bytes"), str("ticks"), false)), "-5 B/ticks");
    cr_expect_str_eq(text_of(format_growth(0, str("bytes"), str("seconds"), false)), "0 B/s");
    cr_expect_str_eq(text_of(format_growth(1, str("bytes"), str(""), false)), "+1 B/unit");
}

Test(unit_format, counts_are_grouped)
{
    cr_expect_str_eq(text_of(format_count(0)), "0");
    cr_expect_str_eq(text_of(format_count(999)), "999");
    cr_expect_str_eq(text_of(format_count(1000)), "1,000");
    cr_expect_str_eq(text_of(format_count(UINT64_MAX)), "18,446,744,073,709,551,615");
}

Test(unit_format, converts_unit_to_text)
{
    cr_expect_str_eq(text_of(format_amount(2, str("a\x1b[2Jb\xff"), false)), "2 a\uFFFD[2Jb\uFFFD");
}

Test(unit_format, cuts_long_unit)
{
    char unit[500];
    memset(unit, 'u', sizeof unit);
    formatted out =
        format_growth(1e300, (hpf_str){unit, sizeof unit}, (hpf_str){unit, sizeof unit}, true);
    cr_expect_lt(strlen(out.text), sizeof out.text);
}

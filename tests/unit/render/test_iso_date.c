/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which dates are understood.
 */
#include <criterion/criterion.h>

#include "output/iso_date.h"

Test(iso_date, dates_that_profiles_carry)
{
    static const char *const pairs[][2] = {
        {"Thu Aug 31 20:07 2023", "2023-08-31T20:07:00"},
        {"Thu Aug  3 20:07:05 2023", "2023-08-03T20:07:05"},
        {"2024-02-29T23:59:60", "2024-02-29T23:59:60"},
        {"2024-02-29 01:02", "2024-02-29T01:02:00"},
    };
    char out[HPR__ISO_DATE_BYTES];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        cr_assert(hpr__iso_date(out, pairs[i][0]), "%s", pairs[i][0]);
        cr_assert_str_eq(out, pairs[i][1]);
    }
}

Test(iso_date, anything_else_is_refused)
{
    static const char *const texts[] = {
        "",
        "yesterday",
        "Thu Foo 31 20:07 2023",
        "Thu Aug 32 20:07 2023",
        "Thu Aug 31 25:07 2023",
        "Thu Aug 31 20:07",
        "2024-13-01T00:00",
        "2024-02-29",
        "-123-02-29T00:00",
    };
    char out[HPR__ISO_DATE_BYTES];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_assert_not(hpr__iso_date(out, texts[i]), "%s", texts[i]);
    }
}

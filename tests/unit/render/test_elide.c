/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Middle elision, with a font in which every character is half as wide as high.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "layout/elide.h"
#include "made_up_font.h"

static void expect_elided(const char *text, double width_pt, const char *expected)
{
    char out[256];
    double width = hpr__elide(out, text, width_pt, 10, false, made_up_measurer);
    cr_expect_str_eq(out, expected);
    cr_expect(width == 0 || width <= width_pt);
}

Test(elide, keeps_what_fits)
{
    expect_elided("main", 20, "main");
    expect_elided("", 20, "");
}

Test(elide, replaces_the_middle)
{
    expect_elided("abcdefghijklmnop", 30, "abc\xE2\x80\xA6op");
    expect_elided("abcdefghijklmnop", 79.9, "abcdefghi\xE2\x80\xA6lmnop");
}

Test(elide, name_cut_by_its_producer_has_no_ending)
{
    expect_elided("checkExpr/passes/main...", 50, "checkExpr\xE2\x80\xA6");
}

Test(elide, does_not_split_characters)
{
    expect_elided("\xC3\xA4\xC3\xB6\xC3\xBC\xE2\x8A\x95\xC3\x9F\xC3\xA9", 20,
                  "\xC3\xA4\xC3\xB6\xE2\x80\xA6\xC3\xA9");
}

Test(elide, leaves_no_blank_before_the_gap)
{
    expect_elided("ab cdefghijk", 25, "ab\xE2\x80\xA6jk");
}

Test(elide, is_empty_without_room)
{
    expect_elided("abcdefgh", 4, "");
    expect_elided("abcdefgh", -1, "");
}

Test(elide, very_long_name_is_never_whole)
{
    size_t length = 1 << 20;
    char *text = malloc(length + 1);
    memset(text, 'x', length);
    text[length] = '\0';
    char *out = malloc(hpr__elided_bytes(text));
    hpr__elide(out, text, 1e12, 10, false, made_up_measurer);
    cr_assert_lt(strlen(out), 200);
    free(out);
    free(text);
}

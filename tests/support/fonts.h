/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fonts for tests that measure or draw.
 */
#ifndef CENSUS_TESTS_FONTS_H
#define CENSUS_TESTS_FONTS_H

#include <criterion/criterion.h>

#include "hprender/text.h"

/* Opens the fonts of a family and of a file, which may be NULL, or fails the test. */
static inline hpr_fonts *test_fonts(const char *family, const char *font_file)
{
    hpr_fonts *fonts;
    hpf_error err;
    cr_assert_eq(hpr_fonts_create(&fonts, family, font_file, &err), HPF_OK, "%s", err.message);
    return fonts;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Measured widths: the same at every size, and those that Pango gives.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "font_file.h"
#include "hprender/backend.h"
#include "text_pango.h"

static double width(hpr_fonts *fonts, const char *text, double size_pt, bool bold)
{
    hpr_measurer m = hpr_fonts_measurer(fonts);
    return m.measure(m.context, text, size_pt, bold).width_pt;
}

Test(text, width_grows_with_the_size)
{
    hpr_fonts *fonts = hpr_fonts_create(NULL, NULL);
    double ten = width(fonts, "Data.Map.insert", 10, false);
    cr_assert_gt(ten, 50);
    cr_assert_float_eq(width(fonts, "Data.Map.insert", 70, false), 7 * ten, 1e-9);
    cr_assert_eq(width(fonts, "", 10, false), 0);
    cr_assert_gt(width(fonts, "Data.Map.insert", 10, true), ten);
    hpr_fonts_destroy(fonts);
}

/* What was asked of the font once is the same when it is needed again, in whatever order. */
Test(text, a_text_is_as_wide_whatever_was_measured_before)
{
    static const char *const texts[] = {"AVA", "To", "\xC3\x84V\xC3\x84", "oT", "a\tb", "VAV"};
    enum { N_TEXTS = sizeof texts / sizeof *texts };
    hpr_fonts *used = hpr_fonts_create(NULL, NULL);
    for (int i = 0; i < 2 * N_TEXTS; i++) {
        const char *text = texts[i % N_TEXTS];
        bool bold = i % 3 == 0;
        hpr_fonts *fresh = hpr_fonts_create(NULL, NULL);
        cr_expect_eq(width(used, text, 10, bold), width(fresh, text, 10, bold), "%s", text);
        hpr_fonts_destroy(fresh);
    }
    hpr_fonts_destroy(used);
}

Test(text, fonts_of_others_are_given_more_room)
{
    hpr_fonts *fonts = hpr_fonts_create(NULL, NULL);
    hpr_measurer tex = hpr_fonts_measurer_for(fonts, hpr_backend_by_name("pgf"));
    hpr_measurer pdf = hpr_fonts_measurer_for(fonts, hpr_backend_by_name("pdf"));
    double ours = width(fonts, "Data.Map.insert", 7, false);
    cr_expect_eq(pdf.measure(pdf.context, "Data.Map.insert", 7, false).width_pt, ours);
    cr_expect_gt(tex.measure(tex.context, "Data.Map.insert", 7, false).width_pt, 1.1 * ours);
    hpr_fonts_destroy(fonts);
}

Test(text, height_belongs_to_the_font)
{
    hpr_fonts *fonts = hpr_fonts_create(NULL, NULL);
    hpr_measurer m = hpr_fonts_measurer(fonts);
    hpr_text_size low = m.measure(m.context, "x", 10, false);
    hpr_text_size high = m.measure(m.context, "\xC3\x84y", 10, false);
    cr_assert_eq(low.ascent_pt, high.ascent_pt);
    cr_assert(low.ascent_pt > 7 && low.ascent_pt < 12);
    cr_assert(low.descent_pt > 1 && low.descent_pt < 4);
    hpr_fonts_destroy(fonts);
}

/* Kerning and all: these are the texts that the faster way sets, so both must agree. */
Test(text, plain_texts_are_as_wide_as_pango_says)
{
    static const char *const texts[] = {
        "AVATAR To. We, P.",
        "Main.main/CAF",
        "0123456789 %.,",
        ("na\xC3\xAFve Stra\xC3\x9F"
         "e"),
        "\xCE\xBB\xCF\x80 \xD0\x94\xD0\xB0",
    };
    FcConfig *config = hpr__font_config_create(NULL);
    hpr__pango *pango = hpr__pango_create(config, "Liberation Sans");
    char path[256];
    if (!pango || !hpr__font_file_known(path, sizeof path, "Liberation Sans", false)) {
        cr_skip_test("Pango or Liberation Sans is not installed");
    }
    hpr_fonts *fonts = hpr_fonts_create("Liberation Sans", NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (int bold = 0; bold < 2; bold++) {
            double ours = width(fonts, texts[i], 10, bold);
            double theirs = hpr__pango_width_pt(pango, texts[i], 10, bold);
            cr_assert_float_eq(ours, theirs, 0.05, "%s: %f, not %f", texts[i], ours, theirs);
        }
    }
    hpr_fonts_destroy(fonts);
    hpr__pango_destroy(pango);
    FcConfigDestroy(config);
}

Test(text, marks_stack_and_other_fonts_help)
{
    hpr_fonts *fonts = hpr_fonts_create(NULL, NULL);
    double plain = width(fonts, "caf\xC3\xA9", 10, false);
    cr_assert_float_eq(width(fonts, "cafe\xCC\x81", 10, false), plain, 1.0);
    cr_assert_gt(width(fonts, "\xE2\x88\x80", 10, false), 2); /* not in Liberation Sans */
    cr_assert_gt(width(fonts, "\xE6\x97\xA5\xE6\x9C\xAC", 10, false), 5);
    hpr_fonts_destroy(fonts);
}

Test(text, a_family_of_the_system_is_found)
{
    hpr_fonts *fonts = hpr_fonts_create("No Such Family At All", NULL);
    cr_assert_gt(width(fonts, "text", 10, false), 10);
    hpr_fonts_destroy(fonts);
}

Test(text, a_font_file_comes_first)
{
    char path[256];
    if (!hpr__font_file_known(path, sizeof path, "DejaVu Sans", false)) {
        cr_skip_test("DejaVu Sans is not installed");
    }
    hpr_fonts *fonts = hpr_fonts_create("Liberation Sans", path);
    hpr_fonts *dejavu = hpr_fonts_create("DejaVu Sans", NULL);
    hpr_fonts *liberation = hpr_fonts_create("Liberation Sans", NULL);
    double pinned = width(fonts, "wide letters", 10, false);
    cr_assert_float_eq(pinned, width(dejavu, "wide letters", 10, false), 1e-9);
    cr_assert_gt(fabs(pinned - width(liberation, "wide letters", 10, false)), 1);
    hpr_fonts_destroy(fonts);
    hpr_fonts_destroy(dejavu);
    hpr_fonts_destroy(liberation);
}

Test(text, a_long_text_is_as_wide_as_its_parts)
{
    size_t n = 1 << 20;
    char *text = malloc(n + 1);
    memset(text, 'm', n);
    text[n] = '\0';
    hpr_fonts *fonts = hpr_fonts_create(NULL, NULL);
    cr_assert_float_eq(width(fonts, text, 10, false), (double)n * width(fonts, "m", 10, false), 1);
    hpr_fonts_destroy(fonts);
    free(text);
}

Test(text, bytes_that_are_no_text_are_still_measured)
{
    hpr_fonts *fonts = hpr_fonts_create(NULL, NULL);
    cr_assert_gt(width(fonts, "\xFF\xC3", 10, false), 5);
    hpr_fonts_destroy(fonts);
}

Test(text, helvetica_is_found_without_asking_the_system)
{
    char path[256];
    char stand_in[256];
    if (!hpr__font_file_known(path, sizeof path, "Liberation Sans", true)) {
        cr_skip_test("Liberation Sans is not installed");
    }
    cr_assert(hpr__font_file_known(stand_in, sizeof stand_in, "Helvetica", true));
    cr_assert_str_eq(stand_in, path);
    cr_assert_not(hpr__font_file_known(stand_in, sizeof stand_in, "Comic Sans", true));
    cr_assert_not(hpr__font_file_known(stand_in, 10, "Helvetica", true));
}

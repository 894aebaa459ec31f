/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A subset is a font that FreeType opens, with the same outlines and advances as the whole one.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "font_file.h"
#include "sfnt_subset.h"
#include FT_OUTLINE_H

static FT_Library library;
static FT_Face face;

static void open_font(void)
{
    char path[256];
    if (!hpr__font_file_known(path, sizeof path, "Liberation Sans", false) &&
        !hpr__font_file_known(path, sizeof path, "DejaVu Sans", false)) {
        cr_skip_test("no well-known font is installed");
    }
    cr_assert_eq(FT_Init_FreeType(&library), 0);
    cr_assert_eq(FT_New_Face(library, path, 0, &face), 0);
}

static void close_font(void)
{
    FT_Done_Face(face);
    FT_Done_FreeType(library);
}

TestSuite(sfnt_subset, .init = open_font, .fini = close_font);

static FT_Outline *load(FT_Face from, FT_UInt glyph)
{
    cr_assert_eq(FT_Load_Glyph(from, glyph, FT_LOAD_NO_SCALE), 0);
    return &from->glyph->outline;
}

static void check_same_glyph(FT_Face cut, FT_UInt slot, FT_UInt glyph)
{
    FT_Outline *wanted = load(face, glyph);
    FT_Pos advance = face->glyph->advance.x;
    FT_Outline *got = load(cut, slot);
    cr_assert_eq(cut->glyph->advance.x, advance);
    cr_assert_eq(got->n_points, wanted->n_points);
    cr_assert_eq(got->n_contours, wanted->n_contours);
    for (int i = 0; i < got->n_points; i++) {
        cr_assert_eq(got->points[i].x, wanted->points[i].x);
        cr_assert_eq(got->points[i].y, wanted->points[i].y);
    }
}

Test(sfnt_subset, outlines_stay)
{
    static const uint32_t characters[] = {'A', ' ', 'g', '%', 0xE9, 0xC5, 0x3BB};
    uint32_t glyphs[8] = {0};
    for (int i = 0; i < 7; i++) {
        glyphs[i + 1] = FT_Get_Char_Index(face, characters[i]);
    }
    hpr__subset subset;
    hpf_error err;
    cr_assert(hpr__sfnt_may_cut(face));
    cr_assert_eq(hpr__sfnt_subset(&subset, face, glyphs, 8, &err), HPF_OK, "%s", err.message);
    cr_assert_lt(subset.n_bytes, 8000);
    FT_Face cut;
    cr_assert_eq(FT_New_Memory_Face(library, subset.bytes, (FT_Long)subset.n_bytes, 0, &cut), 0);
    cr_assert_geq(cut->num_glyphs, 8);
    for (FT_UInt slot = 0; slot < 8; slot++) {
        check_same_glyph(cut, slot, glyphs[slot]);
    }
    FT_Done_Face(cut);
    hpr__subset_finish(&subset);
}

Test(sfnt_subset, every_glyph_of_the_font)
{
    size_t n = (size_t)face->num_glyphs;
    uint32_t *glyphs = malloc(n * sizeof *glyphs);
    for (size_t i = 0; i < n; i++) {
        glyphs[i] = (uint32_t)i;
    }
    hpr__subset subset;
    hpf_error err;
    cr_assert_eq(hpr__sfnt_subset(&subset, face, glyphs, n, &err), HPF_OK, "%s", err.message);
    FT_Face cut;
    cr_assert_eq(FT_New_Memory_Face(library, subset.bytes, (FT_Long)subset.n_bytes, 0, &cut), 0);
    for (size_t i = 0; i < n; i++) {
        check_same_glyph(cut, (FT_UInt)i, (FT_UInt)i);
    }
    FT_Done_Face(cut);
    hpr__subset_finish(&subset);
    free(glyphs);
}

Test(sfnt_subset, breaks_grow_and_begin_on_words)
{
    const uint32_t glyphs[] = {0, FT_Get_Char_Index(face, 'A'), FT_Get_Char_Index(face, 'B')};
    hpr__subset subset;
    cr_assert_eq(hpr__sfnt_subset(&subset, face, glyphs, 3, NULL), HPF_OK);
    cr_assert_geq(subset.n_breaks, 6);
    for (size_t i = 0; i < subset.n_breaks; i++) {
        cr_assert_eq(subset.breaks[i] % 4, 0);
        cr_assert(i == 0 || subset.breaks[i] > subset.breaks[i - 1]);
        cr_assert_lt(subset.breaks[i], subset.n_bytes);
    }
    hpr__subset_finish(&subset);
}

/* The whole file sums to the constant that the format demands. */
Test(sfnt_subset, checksum)
{
    const uint32_t glyphs[] = {0, FT_Get_Char_Index(face, 'A')};
    hpr__subset subset;
    cr_assert_eq(hpr__sfnt_subset(&subset, face, glyphs, 2, NULL), HPF_OK);
    uint32_t sum = 0;
    for (size_t i = 0; i < subset.n_bytes; i += 4) {
        const unsigned char *b = subset.bytes + i;
        sum += (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    cr_assert_eq(sum, 0xB1B0AFBA);
    hpr__subset_finish(&subset);
}

Test(sfnt_subset, a_glyph_that_is_not_there_is_damage)
{
    const uint32_t glyphs[] = {0, 0xFFFFFF};
    hpr__subset subset;
    hpf_error err;
    cr_assert_eq(hpr__sfnt_subset(&subset, face, glyphs, 2, &err), HPF_ERR_SYNTAX);
    cr_assert_null(subset.bytes);
}

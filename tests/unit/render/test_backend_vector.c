/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PostScript, EPS and PDF, checked with Ghostscript and Poppler.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"

#define GHOSTSCRIPT "gs -q -dNOPAUSE -dBATCH -dSAFER -sDEVICE=nullpage @"

static const char odd_title[] = "(unbalanced \\ \xC3\xA9\xE6\x97\xA5 % %%EOF\nshowpage";

static const char plain_title[] = "AVATAR na\xC3\xAFve \xE2\x88\x80 (x) \\y";
static const char other_title[] = "AVATAR na\xC3\xAFve \xE6\x97\xA5 e\xCC\x81";

static char *long_title(void)
{
    char *title = malloc(5001);
    for (int i = 0; i < 5000; i++) {
        title[i] = "ab(\\\n\xC3"[i % 6];
    }
    title[5000] = '\0';
    return title;
}

static void check_ghostscript(const char *backend, const drawing *d)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of(backend, d, &n_bytes);
    char *said = drawing_judge(GHOSTSCRIPT, bytes, n_bytes, &status);
    cr_assert_eq(status, 0, "%s: %s", backend, said);
    cr_assert_str_empty(said, "%s: %s", backend, said);
    free(said);
    free(bytes);
}

Test(backend_vector, ghostscript_accepts_everything)
{
    static const char *const backends[] = {"ps", "eps", "pdf"};
    char *title = long_title();
    for (size_t i = 0; i < 3; i++) {
        check_ghostscript(backends[i], &(drawing){.title = plain_title});
        check_ghostscript(backends[i], &(drawing){.title = other_title});
        check_ghostscript(backends[i], &(drawing){.title = odd_title, .date = odd_title});
        check_ghostscript(backends[i], &(drawing){.title = title, .n_pages = 3});
        check_ghostscript(backends[i], &(drawing){.paper = {612, 792, {0, 1, -1, 0, 500, 72}}});
    }
    free(title);
}

static void check_has(const char *bytes, const char *wanted)
{
    cr_assert_not_null(strstr(bytes, wanted), "no %s in %.600s", wanted, bytes);
}

static void check_says(const char *title, const char *comment)
{
    char *bytes = drawing_of("ps", &(drawing){.title = title, .date = "some day"}, NULL);
    cr_assert_eq(strncmp(bytes, "%!PS-Adobe-3.0\n", 15), 0);
    check_has(bytes, comment);
    check_has(bytes, "\n%%Creator: census tests\n");
    check_has(bytes, "\n%%CreationDate: some day\n");
    cr_assert_null(strstr(bytes, "cairographics"));
    cr_assert_null(strstr(bytes, "/FontType 3"));
    free(bytes);
}

Test(backend_vector, postscript_header_comes_from_the_profile)
{
    check_says("job", "\n%%Title: job\n");
    check_says("\xE6\x97\xA5", "\n%%Title: (\\346\\227\\245)\n");
}

/* Finds the bounding box of the drawn shapes by Ghostscript. */
static void find_box(const char *bytes, size_t n_bytes, double box[4])
{
    int status;
    char *said =
        drawing_judge("gs -q -dNOPAUSE -dBATCH -dSAFER -sDEVICE=bbox @", bytes, n_bytes, &status);
    const char *exact = strstr(said, "%%HiResBoundingBox:");
    cr_assert_not_null(exact, "%s", said);
    cr_assert_eq(
        sscanf(exact, "%%%%HiResBoundingBox: %lf %lf %lf %lf", &box[0], &box[1], &box[2], &box[3]),
        4);
    free(said);
}

static void check_on_paper(const char *title)
{
    size_t n_bytes;
    double box[4];
    const drawing d = {.title = title, .n_pages = 2, .paper = {612, 792, {0, 1, -1, 0, 500, 72}}};
    char *bytes = drawing_of("ps", &d, &n_bytes);
    check_has(bytes, "%%Pages: 2\n");
    find_box(bytes, n_bytes, box);
    /* The turned axis begins at (30, 180 down) = (30, 20 up), which becomes (480, 102). */
    cr_assert_float_eq(box[2], 480.5, 0.3);
    cr_assert(box[0] > 300 && box[1] >= 72 && box[3] < 372);
    free(bytes);
}

Test(backend_vector, postscript_pages_are_on_their_paper)
{
    check_on_paper(plain_title);
    check_on_paper(other_title);
}

static void check_boxes(const char *title)
{
    const drawing d = {.title = title, .width_pt = 425.2, .height_pt = 283.5, .n_pages = 3};
    char *bytes = drawing_of("eps", &d, NULL);
    cr_assert_eq(strncmp(bytes, "%!PS-Adobe-3.0 EPSF-3.0\n", 24), 0);
    check_has(bytes, "\n%%BoundingBox: 0 0 425 284\n");
    check_has(bytes, "\n%%HiResBoundingBox: 0 0 425.2000 283.5000\n");
    check_has(bytes, "\n%%Pages: 1\n");
    cr_assert_null(strstr(bytes, "setpagedevice"));
    free(bytes);
}

Test(backend_vector, eps_bounding_box_is_its_page)
{
    check_boxes(plain_title);
    check_boxes(other_title);
}

static void check_lower_left(const char *title)
{
    size_t n_bytes;
    double box[4];
    char *bytes = drawing_of("eps", &(drawing){.title = title, .height_pt = 200.4}, &n_bytes);
    find_box(bytes, n_bytes, box);
    cr_assert_float_eq(box[1], 200.4 - 180 - 0.5, 0.1); /* half of the axis's width */
    free(bytes);
}

Test(backend_vector, eps_is_at_the_lower_left)
{
    check_lower_left(plain_title);
    check_lower_left(other_title);
}

Test(backend_vector, encapsulated_scene_is_eps_on_its_paper)
{
    const drawing d = {.is_encapsulated = true, .paper = {150, 100, {0.5, 0, 0, 0.5, 0, 0}}};
    char *bytes = drawing_of("ps", &d, NULL);
    cr_assert_eq(strncmp(bytes, "%!PS-Adobe-3.0 EPSF-3.0\n", 24), 0);
    check_has(bytes, "\n%%BoundingBox: 0 0 150 100\n");
    free(bytes);
}

static void check_fonts(const char *title)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("pdf", &(drawing){.title = title}, &n_bytes);
    char *fonts = drawing_judge("pdffonts @", bytes, n_bytes, &status);
    cr_assert_eq(status, 0);
    cr_assert_null(strstr(fonts, "Type 3"), "%s", fonts);
    int n_fonts = 0;
    strtok(fonts, "\n");
    strtok(NULL, "\n");
    for (const char *line = strtok(NULL, "\n"); line; line = strtok(NULL, "\n")) {
        cr_assert_not_null(strstr(line, " yes yes yes "), "%s", line);
        n_fonts++;
    }
    cr_assert_geq(n_fonts, 2);
    free(fonts);
    free(bytes);
}

Test(backend_vector, pdf_fonts_are_embedded_outlines)
{
    check_fonts(plain_title);
    check_fonts(other_title);
}

static void check_text(const char *backend, const char *command, const char *title,
                       const char *wanted)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of(backend, &(drawing){.title = title}, &n_bytes);
    char *text = drawing_judge(command, bytes, n_bytes, &status);
    check_has(text, wanted);
    check_has(text, "label one");
    check_has(text, "bytes");
    free(text);
    free(bytes);
}

Test(backend_vector, text_can_be_searched)
{
    check_text("pdf", "pdftotext @ -", plain_title, plain_title);
    check_text("pdf", "pdftotext @ -", other_title, "AVATAR na\xC3\xAFve");
    check_text("ps", "ps2ascii @", plain_title, "AVATAR na");
}

/* More glyphs than a PostScript font has codes. */
Test(backend_vector, many_characters)
{
    char title[2000];
    size_t n = 0;
    for (unsigned c = 0x100; c < 0x17F; c++) {
        n += (size_t)snprintf(title + n, sizeof title - n, "%c%c", 0xC0 | c >> 6, 0x80 | (c & 63));
    }
    for (unsigned c = 0x400; c < 0x482; c++) {
        n += (size_t)snprintf(title + n, sizeof title - n, "%c%c", 0xC0 | c >> 6, 0x80 | (c & 63));
    }
    for (unsigned c = 0x21; c < 0x7F; c++) {
        n += (size_t)snprintf(title + n, sizeof title - n, "%c", c);
    }
    check_ghostscript("ps", &(drawing){.title = title});
    check_text("pdf", "pdftotext @ -", title, "\xD0\x9D\xD0\x9E\xD0\x9F");
}

static void check_metadata(const char *title)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("pdf", &(drawing){.title = title, .n_pages = 2}, &n_bytes);
    char *text = drawing_judge("pdfinfo -isodates @", bytes, n_bytes, &status);
    check_has(text, title);
    check_has(text, "2023-08-31T20:07:00");
    check_has(text, "300 x 200 pts");
    const char *pages = strstr(text, "Pages:");
    cr_assert(pages && strtol(pages + strlen("Pages:"), NULL, 10) == 2, "%s", text);
    free(text);
    free(bytes);
}

Test(backend_vector, pdf_metadata_comes_from_the_profile)
{
    check_metadata("a (job) \\");
    check_metadata(plain_title);
    check_metadata(other_title);
}

Test(backend_vector, there_are_no_raster_images)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("pdf", &(drawing){0}, &n_bytes);
    char *text = drawing_judge("pdfimages -list @", bytes, n_bytes, &status);
    cr_assert_null(strstr(text, " image "), "%s", text);
    free(text);
    free(bytes);
}

/* Returns whether the PDF of a drawing with that date contains `wanted` in its list of properties.
 */
static bool pdf_has_date(const char *date, const char *wanted)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("pdf", &(drawing){.date = date}, &n_bytes);
    char *text = drawing_judge("pdfinfo -isodates @", bytes, n_bytes, &status);
    bool has_it = strstr(text, wanted) != NULL;
    free(text);
    free(bytes);
    return has_it;
}

Test(backend_vector, pdf_understands_dates_of_profiles)
{
    static const char *const pairs[][2] = {
        {"Thu Aug 31 20:07 2023", "2023-08-31T20:07:00"},
        {"Thu Aug  3 20:07:05 2023", "2023-08-03T20:07:05"},
        {"2024-02-29T23:59:58", "2024-02-29T23:59:58"},
        {"2024-02-29 01:02", "2024-02-29T01:02:00"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        cr_assert(pdf_has_date(pairs[i][0], pairs[i][1]), "%s", pairs[i][0]);
    }
}

Test(backend_vector, pdf_rejects_other_dates)
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
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_assert(pdf_has_date(texts[i], "1970-01-01T00:00:00"), "%s", texts[i]);
    }
}

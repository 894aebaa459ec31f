/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PostScript, EPS and PDF, judged by Ghostscript and Poppler.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"

#define GHOSTSCRIPT "gs -q -dNOPAUSE -dBATCH -dSAFER -sDEVICE=nullpage @"

static const char odd_title[] = "(unbalanced \\ \xC3\xA9\xE6\x97\xA5 % %%EOF\nshowpage";

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

Test(backend_cairo, ghostscript_takes_everything)
{
    static const char *const backends[] = {"ps", "eps", "pdf"};
    char *title = long_title();
    for (size_t i = 0; i < 3; i++) {
        check_ghostscript(backends[i], &(drawing){0});
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

Test(backend_cairo, postscript_says_what_the_profile_says)
{
    char *bytes = drawing_of("ps", &(drawing){.title = "job", .date = "some day"}, NULL);
    cr_assert_eq(strncmp(bytes, "%!PS-Adobe-3.0\n", 15), 0);
    check_has(bytes, "\n%%Title: job\n");
    check_has(bytes, "\n%%Creator: census tests\n");
    check_has(bytes, "\n%%CreationDate: some day\n");
    cr_assert_null(strstr(bytes, "cairographics"));
    cr_assert_null(strstr(bytes, "/FontType 3"));
    free(bytes);
}

Test(backend_cairo, postscript_pages_lie_on_their_paper)
{
    size_t n_bytes;
    int status;
    const drawing d = {.n_pages = 2, .paper = {612, 792, {0, 1, -1, 0, 500, 72}}};
    char *bytes = drawing_of("ps", &d, &n_bytes);
    check_has(bytes, "%%Pages: 2\n");
    check_has(bytes, "%%DocumentMedia: Letter 612 792");
    char *boxes =
        drawing_judge("gs -q -dNOPAUSE -dBATCH -dSAFER -sDEVICE=bbox @", bytes, n_bytes, &status);
    double box[4] = {0};
    const char *exact = strstr(boxes, "%%HiResBoundingBox:");
    cr_assert_not_null(exact, "%s", boxes);
    cr_assert_eq(
        sscanf(exact, "%%%%HiResBoundingBox: %lf %lf %lf %lf", &box[0], &box[1], &box[2], &box[3]),
        4);
    /* The turned axis begins at (30, 180 down) = (30, 20 up), which becomes (480, 102). */
    cr_assert_float_eq(box[2], 480.5, 0.3);
    cr_assert(box[0] > 300 && box[1] >= 72 && box[3] < 372);
    free(boxes);
    free(bytes);
}

Test(backend_cairo, eps_is_boxed_by_its_page)
{
    const drawing d = {.width_pt = 425.2, .height_pt = 283.5, .n_pages = 3};
    char *bytes = drawing_of("eps", &d, NULL);
    cr_assert_eq(strncmp(bytes, "%!PS-Adobe-3.0 EPSF-3.0\n", 24), 0);
    check_has(bytes, "\n%%BoundingBox: 0 0 425 284\n");
    check_has(bytes, "\n%%HiResBoundingBox: 0 0 425.2000 283.5000\n");
    check_has(bytes, "\n%%Pages: 1\n");
    free(bytes);
}

Test(backend_cairo, a_scene_may_ask_for_eps_on_its_paper)
{
    const drawing d = {.is_encapsulated = true, .paper = {150, 100, {0.5, 0, 0, 0.5, 0, 0}}};
    char *bytes = drawing_of("ps", &d, NULL);
    cr_assert_eq(strncmp(bytes, "%!PS-Adobe-3.0 EPSF-3.0\n", 24), 0);
    check_has(bytes, "\n%%BoundingBox: 0 0 150 100\n");
    free(bytes);
}

Test(backend_cairo, eps_stands_at_the_lower_left)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("eps", &(drawing){.height_pt = 200.4}, &n_bytes);
    char *boxes =
        drawing_judge("gs -q -dNOPAUSE -dBATCH -dSAFER -sDEVICE=bbox @", bytes, n_bytes, &status);
    double low = 0;
    const char *exact = strstr(boxes, "%%HiResBoundingBox:");
    cr_assert_not_null(exact, "%s", boxes);
    cr_assert_eq(sscanf(exact, "%%%%HiResBoundingBox: %*f %lf", &low), 1);
    cr_assert_float_eq(low, 200.4 - 180 - 0.5, 0.1); /* half of the axis's width */
    free(boxes);
    free(bytes);
}

Test(backend_cairo, pdf_fonts_are_embedded_outlines)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("pdf", &(drawing){.title = "t \xE2\x88\x80 \xE6\x97\xA5"}, &n_bytes);
    char *fonts = drawing_judge("pdffonts @", bytes, n_bytes, &status);
    cr_assert_eq(status, 0);
    cr_assert_null(strstr(fonts, "Type 3"), "%s", fonts);
    int n_fonts = 0;
    strtok(fonts, "\n");
    strtok(NULL, "\n");
    for (const char *line = strtok(NULL, "\n"); line; line = strtok(NULL, "\n")) {
        cr_assert_not_null(strstr(line, " yes yes "), "%s", line);
        n_fonts++;
    }
    cr_assert_geq(n_fonts, 2);
    free(fonts);
    free(bytes);
}

Test(backend_cairo, pdf_text_can_be_found)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("pdf", &(drawing){.title = "AVATAR na\xC3\xAFve"}, &n_bytes);
    char *text = drawing_judge("pdftotext @ -", bytes, n_bytes, &status);
    check_has(text, "AVATAR na\xC3\xAFve");
    check_has(text, "label one");
    check_has(text, "bytes");
    free(text);
    free(bytes);
}

Test(backend_cairo, pdf_metadata_come_from_the_profile)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("pdf", &(drawing){.title = "a (job)", .n_pages = 2}, &n_bytes);
    char *text = drawing_judge("pdfinfo -isodates @", bytes, n_bytes, &status);
    check_has(text, "a (job)\n");
    check_has(text, "2023-08-31T20:07:00");
    check_has(text, "300 x 200 pts");
    check_has(text, "Pages:           2");
    free(text);
    free(bytes);
}

Test(backend_cairo, there_are_no_raster_images)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("pdf", &(drawing){0}, &n_bytes);
    char *text = drawing_judge("pdfimages -list @", bytes, n_bytes, &status);
    cr_assert_null(strstr(text, " image "), "%s", text);
    free(text);
    free(bytes);
}

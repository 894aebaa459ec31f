/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scenes and charts on cairo contexts of the caller.
 */
#include <cairo-pdf.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "fonts.h"
#include "hprender/cairo.h"
#include "profile.h"

static hpr_fonts *fonts;

static void set_up(void)
{
    fonts = test_fonts(NULL, NULL);
}

static void tear_down(void)
{
    hpr_fonts_destroy(fonts);
}

TestSuite(cairo_draw, .init = set_up, .fini = tear_down);

static void draw_page(cairo_t *cr, const drawing *d, size_t page)
{
    hpr_scene *scene = drawing_scene(d);
    hpf_error err;
    cr_assert_eq(hpr_draw_scene(cr, scene, page, fonts, &err), HPF_OK, "%s", err.message);
    hpr_scene_destroy(scene);
}

/* Paints a recording at 1 px per pt, and returns the green part of a pixel. */
static int green_at(cairo_surface_t *recording, int x, int y)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 400, 300);
    cairo_t *cr = cairo_create(image);
    cairo_set_source_surface(cr, recording, 0, 0);
    cairo_paint(cr);
    cairo_destroy(cr);
    cairo_surface_flush(image);
    int green =
        cairo_image_surface_get_data(image)[y * cairo_image_surface_get_stride(image) + 4 * x + 1];
    cairo_surface_destroy(image);
    return green;
}

/* The drawing has every kind of item: pages, groups, polygons, lines, texts. */
Test(cairo_draw, draws_every_kind_of_item)
{
    cairo_surface_t *recording = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    cairo_t *cr = cairo_create(recording);
    draw_page(cr, &(drawing){.n_pages = 2}, 1);
    double x, y, width, height;
    cairo_recording_surface_ink_extents(recording, &x, &y, &width, &height);
    cr_expect_float_eq(x, 0, 1);
    cr_expect_float_eq(y, 0, 1);
    cr_expect_float_eq(width, 300, 1);
    cr_expect_float_eq(height, 200, 1);
    cr_expect_eq(green_at(recording, 5, 195), 255);   /* background */
    cr_expect_eq(green_at(recording, 150, 165), 153); /* band */
    cr_expect_eq(green_at(recording, 205, 25), 0);    /* box */
    cr_expect_lt(green_at(recording, 30, 21), 200);   /* a dash of the axis */
    int darkest = 255;
    for (int at = 221; at < 260; at++) {
        int green = green_at(recording, at, 29);
        darkest = green < darkest ? green : darkest;
    }
    cr_expect_lt(darkest, 150); /* "label one" */
    cairo_destroy(cr);
    cairo_surface_destroy(recording);
}

Test(cairo_draw, keeps_and_applies_transformation_of_caller)
{
    cairo_surface_t *recording = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    cairo_t *cr = cairo_create(recording);
    cairo_matrix_t before, after;
    cairo_translate(cr, 100, 50);
    cairo_scale(cr, 0.5, 0.5);
    cairo_set_source_rgb(cr, 0.25, 0.5, 0.75);
    cairo_get_matrix(cr, &before);
    draw_page(cr, &(drawing){0}, 0);
    cairo_get_matrix(cr, &after);
    cr_expect_eq(memcmp(&before, &after, sizeof before), 0);
    double red;
    cairo_pattern_get_rgba(cairo_get_source(cr), &red, NULL, NULL, NULL);
    cr_expect_float_eq(red, 0.25, 1e-9);
    double x, y, width, height;
    cairo_recording_surface_ink_extents(recording, &x, &y, &width, &height);
    cr_expect_float_eq(x, 100, 1);
    cr_expect_float_eq(y, 50, 1);
    cr_expect_float_eq(width, 150, 1);
    cr_expect_float_eq(height, 100, 1);
    cairo_destroy(cr);
    cairo_surface_destroy(recording);
}

Test(cairo_draw, missing_page_is_an_error)
{
    cairo_surface_t *recording = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
    cairo_t *cr = cairo_create(recording);
    hpr_scene *scene = drawing_scene(&(drawing){.n_pages = 2});
    hpf_error err;
    cr_expect_eq(hpr_draw_scene(cr, scene, 2, fonts, &err), HPF_ERR_ARGUMENT);
    cr_expect_str_eq(err.message, "the scene has 2 pages, not 3");
    hpr_scene_destroy(scene);
    cairo_destroy(cr);
    cairo_surface_destroy(recording);
}

Test(cairo_draw, returns_error_of_the_context)
{
    cairo_surface_t *none = cairo_image_surface_create(CAIRO_FORMAT_RGB24, -1, -1);
    cairo_t *cr = cairo_create(none);
    hpr_scene *scene = drawing_scene(&(drawing){0});
    hpf_error err;
    cr_expect_eq(hpr_draw_scene(cr, scene, 0, fonts, &err), HPF_ERR_UNSUPPORTED);
    cr_expect(strlen(err.message) > 0);
    hpr_scene_destroy(scene);
    cairo_destroy(cr);
    cairo_surface_destroy(none);
}

/* Returns a profile with a sawtooth of many samples. The caller frees it. */
static char *sawtooth(int n_samples)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(PROFILE_HEADERS, out);
    for (int t = 0; t < n_samples; t++) {
        fprintf(out, "BEGIN_SAMPLE %d\na\t%d\nb\t%d\nEND_SAMPLE %d\n", t, 1000 + t % 7 * 8000,
                500 + t % 5 * 9000, t);
    }
    fclose(out);
    return text;
}

static hpr_chart *make_chart(const hpr_options *options)
{
    char *text = sawtooth(3000);
    test_profile profile = test_profile_open(text, 0);
    hpr_chart *chart;
    hpf_error err;
    cr_assert_eq(hpr_chart_create(&chart, profile.survey, options, hpr_fonts_measurer(fonts), &err),
                 HPF_OK, "%s", err.message);
    test_profile_close(&profile);
    free(text);
    return chart;
}

static cairo_status_t count_bytes(void *n_bytes, const unsigned char *bytes, unsigned length)
{
    (void)bytes;
    *(size_t *)n_bytes += length;
    return CAIRO_STATUS_SUCCESS;
}

/* Returns the size of a PDF of a chart at a scale. */
static size_t pdf_bytes(const hpr_chart *chart, const hpr_options *options)
{
    size_t n_bytes = 0;
    cairo_surface_t *pdf = cairo_pdf_surface_create_for_stream(count_bytes, &n_bytes,
                                                               chart->width_pt, chart->height_pt);
    cairo_t *cr = cairo_create(pdf);
    hpf_error err;
    cr_assert_eq(hpr_draw_chart(cr, chart, options, fonts, &err), HPF_OK, "%s", err.message);
    cairo_destroy(cr);
    cairo_surface_finish(pdf);
    cr_assert_eq(cairo_surface_status(pdf), CAIRO_STATUS_SUCCESS);
    cairo_surface_destroy(pdf);
    return n_bytes;
}

Test(cairo_draw, draws_charts_of_both_looks)
{
    static const hpr_look looks[] = {HPR_LOOK_MODERN, HPR_LOOK_CLASSIC};
    for (int i = 0; i < 2; i++) {
        hpr_options options = hpr_options_default(looks[i]);
        hpr_chart *chart = make_chart(&options);
        cr_expect_gt(pdf_bytes(chart, &options), 10000);

        cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 648, 432);
        cairo_t *cr = cairo_create(image);
        hpf_error err;
        cr_expect_eq(hpr_draw_chart(cr, chart, &options, fonts, &err), HPF_OK);
        cairo_destroy(cr);
        cairo_surface_destroy(image);
        hpr_chart_destroy(chart);
    }
}

/* Returns the number of points of all shapes of a chart's scene. */
static size_t count_points(const hpr_chart *chart, double tolerance_pt)
{
    hpr_options options = hpr_options_default(chart->look);
    options.tolerance_pt = tolerance_pt;
    hpr_scene *scene;
    size_t n = 0;
    cr_assert_eq(hpr_scene_create(&scene, chart, &options, hpr_fonts_measurer(fonts), NULL),
                 HPF_OK);
    for (size_t i = 0; i < scene->n_items; i++) {
        n += scene->items[i].n_points;
    }
    hpr_scene_destroy(scene);
    return n;
}

Test(cairo_draw, coarser_tolerance_needs_fewer_points)
{
    static const hpr_look looks[] = {HPR_LOOK_MODERN, HPR_LOOK_CLASSIC};
    for (int i = 0; i < 2; i++) {
        hpr_options options = hpr_options_default(looks[i]);
        hpr_chart *chart = make_chart(&options);
        size_t fine = count_points(chart, 0.05), coarse = count_points(chart, 10);
        cr_expect_gt(fine, 4000);
        cr_expect_lt(coarse * 2, fine, "%zu of %zu", coarse, fine);
        hpr_chart_destroy(chart);
    }
}

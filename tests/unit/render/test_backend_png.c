/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pictures, read back by libpng.
 */
#include <criterion/criterion.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "fonts.h"

typedef struct picture {
    png_image image;
    unsigned char *pixels;
} picture;

static picture read_picture(const char *bytes, size_t n_bytes)
{
    picture p = {.image = {.version = PNG_IMAGE_VERSION}};
    cr_assert(png_image_begin_read_from_memory(&p.image, bytes, n_bytes));
    cr_assert_eq(p.image.format, PNG_FORMAT_RGB);
    p.pixels = malloc(PNG_IMAGE_SIZE(p.image));
    cr_assert(png_image_finish_read(&p.image, NULL, p.pixels, 0, NULL));
    return p;
}

static const unsigned char *pixel(const picture *p, unsigned x, unsigned y)
{
    return p->pixels + 3 * ((size_t)y * p->image.width + x);
}

static void check_pixel(const picture *p, unsigned x, unsigned y, int red, int green, int blue)
{
    const unsigned char *at = pixel(p, x, y);
    cr_assert(at[0] == red && at[1] == green && at[2] == blue, "%u,%u is %d %d %d", x, y, at[0],
              at[1], at[2]);
}

static char *write_png(const drawing *d, hpr_output output, size_t *n_bytes)
{
    hpr_scene *scene = drawing_scene(d);
    hpf_sink *sink = hpf_sink_to_memory();
    output.fonts = test_fonts(NULL, NULL);
    hpf_error err;
    cr_assert_eq(hpr_backend_by_name("png")->write(NULL, scene, &output, sink, &err), HPF_OK, "%s",
                 err.message);
    hpf_str bytes = hpf_sink_bytes(sink);
    char *copy = malloc(bytes.length);
    memcpy(copy, bytes.data, bytes.length);
    *n_bytes = bytes.length;
    hpr_fonts_destroy(output.fonts);
    hpf_sink_destroy(sink);
    hpr_scene_destroy(scene);
    return copy;
}

Test(backend_png, colours_are_where_they_were_drawn)
{
    size_t n_bytes;
    char *bytes = drawing_of("png", &(drawing){0}, &n_bytes);
    picture p = read_picture(bytes, n_bytes);
    cr_assert_eq(p.image.width, 600);
    cr_assert_eq(p.image.height, 400);
    check_pixel(&p, 599, 399, 255, 255, 255);
    check_pixel(&p, 300, 330, 230, 153, 0); /* in the band */
    check_pixel(&p, 410, 50, 0, 0, 0);      /* in the box */
    free(p.pixels);
    free(bytes);
}

/* Returns the number of dark pixels in a box. */
static int n_dark(const picture *p, unsigned left, unsigned top, unsigned right, unsigned bottom)
{
    int n = 0;
    for (unsigned y = top; y < bottom; y++) {
        for (unsigned x = left; x < right; x++) {
            n += pixel(p, x, y)[1] < 128;
        }
    }
    return n;
}

Test(backend_png, texts_are_at_their_anchors)
{
    static const char *const titles[] = {"Title", "e\xCC\x81 Titl"};
    for (int i = 0; i < 2; i++) {
        size_t n_bytes;
        char *bytes = drawing_of("png", &(drawing){.title = titles[i]}, &n_bytes);
        picture p = read_picture(bytes, n_bytes);
        cr_assert(n_dark(&p, 440, 46, 530, 66) > 100); /* from its start */
        cr_assert_eq(n_dark(&p, 430, 40, 440, 70), 0);
        cr_assert(n_dark(&p, 260, 12, 300, 31) > 60); /* on both sides of its middle, */
        cr_assert(n_dark(&p, 300, 12, 340, 31) > 60); /* in bold */
        cr_assert(n_dark(&p, 22, 60, 46, 110) > 60);  /* turned, downwards of its end */
        cr_assert_eq(n_dark(&p, 22, 40, 46, 58), 0);
        free(p.pixels);
        free(bytes);
    }
}

Test(backend_png, resolution_and_width_are_options)
{
    size_t n_bytes;
    char *bytes =
        write_png(&(drawing){0}, (hpr_output){.size = sizeof(hpr_output), .dpi = 72}, &n_bytes);
    picture p = read_picture(bytes, n_bytes);
    cr_assert_eq(p.image.width, 300);
    free(p.pixels);
    free(bytes);
    bytes =
        write_png(&(drawing){0},
                  (hpr_output){.size = sizeof(hpr_output), .dpi = 72, .width_px = 1000}, &n_bytes);
    p = read_picture(bytes, n_bytes);
    cr_assert_eq(p.image.width, 1000);
    cr_assert_eq(p.image.height, 667);
    free(p.pixels);
    free(bytes);
}

Test(backend_png, pages_are_stacked)
{
    size_t n_bytes;
    char *bytes = drawing_of("png", &(drawing){.n_pages = 2}, &n_bytes);
    picture p = read_picture(bytes, n_bytes);
    cr_assert_eq(p.image.height, 800);
    check_pixel(&p, 410, 450, 0, 0, 0);
    free(p.pixels);
    free(bytes);
}

/* Finds a chunk by its name of four bytes. */
static const unsigned char *chunk(const char *bytes, size_t n_bytes, const char *name)
{
    for (size_t i = 8; i + 8 < n_bytes; i++) {
        if (memcmp(bytes + i, name, 4) == 0) {
            return (const unsigned char *)bytes + i + 4;
        }
    }
    return NULL;
}

Test(backend_png, metadata)
{
    size_t n_bytes;
    char *bytes = drawing_of("png", &(drawing){.title = "job \xC3\xA9"}, &n_bytes);
    const unsigned char *physical = chunk(bytes, n_bytes, "pHYs");
    cr_assert_not_null(physical);
    cr_assert_eq((physical[2] << 8) + physical[3], 5669); /* 144 dpi */
    cr_assert_eq(physical[8], PNG_RESOLUTION_METER);
    const char *title = (const char *)chunk(bytes, n_bytes, "iTXt");
    cr_assert_not_null(title);
    cr_assert_str_eq(title, "Title");
    cr_assert_eq(memcmp(title + 6 + 4, "job \xC3\xA9", 6), 0);
    int n_bytes_seen = 0;
    for (size_t i = 0; i + 12 < n_bytes; i++) {
        n_bytes_seen += memcmp(bytes + i, "census tests", 12) == 0;
    }
    cr_assert_eq(n_bytes_seen, 1);
    free(bytes);
}

Test(backend_png, too_large_is_an_error)
{
    hpr_scene *scene = drawing_scene(&(drawing){0});
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    hpf_sink *sink = hpf_sink_to_memory();
    hpr_output output = {.size = sizeof output, .width_px = 40000, .fonts = fonts};
    hpf_error err;
    cr_assert_eq(hpr_backend_by_name("png")->write(NULL, scene, &output, sink, &err),
                 HPF_ERR_LIMIT);
    hpf_sink_destroy(sink);
    hpr_fonts_destroy(fonts);
    hpr_scene_destroy(scene);
}

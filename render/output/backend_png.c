/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PNG: cairo draws the pixels, libpng writes them with resolution and texts. Charts consist of flat
 * areas, so rows are not filtered and the level of compression is low (measured: a filter makes the
 * file larger, and level 6 takes twice the time of level 3 for 3 % less).
 */
#include "output/backend.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "output/cairo_draw.h"

#define DEFAULT_DPI 144
#define MAX_SIDE_PX 32767 /* of a cairo image */

static double px_per_pt_of(const hpr_output *output, double width_pt)
{
    if (output->width_px > 0) {
        return output->width_px / width_pt;
    }
    return (output->dpi > 0 ? output->dpi : DEFAULT_DPI) / 72;
}

/* Draws all pages, one below the other. `out` is NULL after an error. */
static hpf_status draw_pages(cairo_surface_t **out, const hpr_scene *scene,
                             const hpr_output *output, hpf_error *err)
{
    double px_per_pt = px_per_pt_of(output, scene->width_pt);
    size_t n_pages = hpr__scene_n_pages(scene);
    double width_px = fmax(1, floor(scene->width_pt * px_per_pt + 0.5));
    double height_px = fmax(1, floor(scene->height_pt * (double)n_pages * px_per_pt + 0.5));
    *out = NULL;
    if (width_px > MAX_SIDE_PX || height_px > MAX_SIDE_PX) {
        return hpf_error_set(err, HPF_ERR_LIMIT,
                             "a picture of %.0f x %.0f pixels is too large, at most %d a side",
                             width_px, height_px, MAX_SIDE_PX);
    }
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width_px, (int)height_px);
    cairo_t *cr = cairo_create(surface);
    hpf_status status = hpr__cairo_status(cairo_status(cr), err);
    cairo_set_source_rgb(cr, scene->background.red, scene->background.green,
                         scene->background.blue);
    cairo_paint(cr);
    cairo_scale(cr, px_per_pt, px_per_pt);
    for (size_t page = 0; page < n_pages && status == HPF_OK; page++) {
        status = hpr_draw_scene(cr, scene, page, output->fonts, err);
        cairo_translate(cr, 0, scene->height_pt);
    }
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    if (status == HPF_OK) {
        *out = surface;
    } else {
        cairo_surface_destroy(surface);
    }
    return status;
}

/* State for the callbacks of libpng. */
typedef struct writer {
    hpf_sink *sink;
    hpf_error *err;
    hpf_status status;
} writer;

static void on_bytes(png_structp png, png_bytep bytes, size_t n_bytes)
{
    writer *w = png_get_io_ptr(png);
    hpf_sink_write(w->sink, bytes, n_bytes);
}

/* Does nothing: write_png flushes the sink. */
static void on_flush(png_structp png)
{
    (void)png;
}

static void on_error(png_structp png, const char *message)
{
    writer *w = png_get_error_ptr(png);
    w->status = hpf_error_set(w->err, HPF_ERR_MEMORY, "libpng: %s", message);
    png_longjmp(png, 1);
}

/* Ignores warnings: they are about texts that libpng adjusts. */
static void on_warning(png_structp png, const char *message)
{
    (void)png;
    (void)message;
}

static void add_text(png_structp png, png_infop info, const char *key, const char *text)
{
    char keyword[16];
    if (!text || !text[0]) {
        return;
    }
    strncpy(keyword, key, sizeof keyword - 1);
    keyword[sizeof keyword - 1] = '\0';
    png_text entry = {.compression = PNG_ITXT_COMPRESSION_NONE, .key = keyword};
    size_t length = strlen(text);
    char *copy = png_malloc(png, length + 1);
    memcpy(copy, text, length + 1);
    entry.text = copy;
    entry.itxt_length = length;
    png_set_text(png, info, &entry, 1);
    png_free(png, copy);
}

static void set_info(png_structp png, png_infop info, cairo_surface_t *surface,
                     const hpr_scene *scene, const hpr_output *output)
{
    png_set_IHDR(png, info, (png_uint_32)cairo_image_surface_get_width(surface),
                 (png_uint_32)cairo_image_surface_get_height(surface), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    double px_per_inch = px_per_pt_of(output, scene->width_pt) * 72;
    png_uint_32 px_per_m = (png_uint_32)floor(px_per_inch / 0.0254 + 0.5);
    png_set_pHYs(png, info, px_per_m, px_per_m, PNG_RESOLUTION_METER);
    add_text(png, info, "Title", scene->title);
    add_text(png, info, "Software", output->software);
    add_text(png, info, "Creation Time", output->date ? output->date : scene->date);
    add_text(png, info, "Source", "heap profile");
}

/* Writes cairo's pixels, which are 0x00RRGGBB in the byte order of the machine. */
static void write_rows(png_structp png, cairo_surface_t *surface, unsigned char *row)
{
    const unsigned char *pixels = cairo_image_surface_get_data(surface);
    int width_px = cairo_image_surface_get_width(surface);
    for (int y = 0; y < cairo_image_surface_get_height(surface); y++) {
        for (int x = 0; x < width_px; x++) {
            uint32_t pixel;
            memcpy(&pixel, pixels + 4 * (size_t)x, sizeof pixel);
            row[3 * x] = (unsigned char)(pixel >> 16);
            row[3 * x + 1] = (unsigned char)(pixel >> 8);
            row[3 * x + 2] = (unsigned char)pixel;
        }
        png_write_row(png, row);
        pixels += cairo_image_surface_get_stride(surface);
    }
}

/* Writes the image. Errors of libpng jump back here, and are in the writer. */
static void write_image(png_structp png, png_infop info, cairo_surface_t *surface,
                        unsigned char *row, const hpr_scene *scene, const hpr_output *output)
{
    if (setjmp(png_jmpbuf(png))) {
        return;
    }
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_level(png, 3);
    set_info(png, info, surface, scene, output);
    png_write_info(png, info);
    write_rows(png, surface, row);
    png_write_end(png, info);
}

static hpf_status write_png(const hpr_chart *chart, const hpr_scene *scene,
                            const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    cairo_surface_t *surface;
    hpf_status status = draw_pages(&surface, scene, output, err);
    if (status != HPF_OK) {
        return status;
    }
    writer w = {.sink = sink, .err = err};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    unsigned char *row = malloc((size_t)cairo_image_surface_get_width(surface) * 3);
    if (info && row) {
        png_set_write_fn(png, &w, on_bytes, on_flush);
        write_image(png, info, surface, row, scene, output);
    } else {
        w.status = hpf_error_set_memory(err);
    }
    free(row);
    png_destroy_write_struct(&png, &info);
    cairo_surface_destroy(surface);
    return w.status != HPF_OK ? w.status : hpf_sink_flush(sink, err);
}

/* Opaque, 8 bits a channel; one page below the other. */
const hpr_backend hpr__backend_png = {
    .name = "png",
    .extension = "png",
    .summary = "Portable Network Graphics, pixels",
    .is_graphical = true,
    .px_per_pt = px_per_pt_of,
    .write = write_png,
};

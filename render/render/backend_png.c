/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PNG: painted pixels, written by libpng with resolution and texts. Charts are flat areas, which
 * unfiltered rows at a low level of compression pack best and fastest (measured: a filter makes the
 * file larger, and level 6 takes twice the time of level 3 for 3 % less).
 */
#include "backends.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "cairo_ink.h"
#include "raster.h"

#define DEFAULT_DPI 144
#define MAX_SIDE_PX 32767 /* of a cairo image */

typedef struct frame {
    double px_per_pt;
    double width_px, height_px;
} frame;

static frame measure(const hpr_scene *scene, const hpr_output *output)
{
    double dpi = output->dpi > 0 ? output->dpi : DEFAULT_DPI;
    frame f = {.px_per_pt = dpi / 72};
    if (output->width_px > 0) {
        f.px_per_pt = output->width_px / scene->width_pt;
    }
    double pages_pt = scene->height_pt * (double)hpr__scene_n_pages(scene);
    f.width_px = fmax(1, floor(scene->width_pt * f.px_per_pt + 0.5));
    f.height_px = fmax(1, floor(pages_pt * f.px_per_pt + 0.5));
    return f;
}

/* A picture being painted, by cairo and by our own rasteriser in turn. */
typedef struct canvas {
    cairo_surface_t *surface;
    cairo_t *cr;
    hpr__raster *raster;
} canvas;

static hpf_status paint_item(canvas *c, const hpr_item *item, hpr_fonts *fonts, hpf_error *err)
{
    cairo_surface_flush(c->surface);
    if (hpr__raster_draw(c->raster, item)) {
        cairo_surface_mark_dirty(c->surface);
        return HPF_OK;
    }
    return hpr__cairo_draw(c->cr, item, fonts, err);
}

static hpf_status paint_pages(canvas *c, const frame *f, const hpr_scene *scene, hpr_fonts *fonts,
                              hpf_error *err)
{
    hpf_status status = HPF_OK;
    size_t at = 0;
    double down_px = 0;
    cairo_scale(c->cr, f->px_per_pt, f->px_per_pt);
    for (hpr__page page; status == HPF_OK && hpr__scene_next_page(scene, &at, &page);) {
        hpr__raster_place(c->raster, f->px_per_pt, down_px);
        for (size_t i = 0; i < page.n_items && status == HPF_OK; i++) {
            status = paint_item(c, &page.items[i], fonts, err);
        }
        cairo_translate(c->cr, 0, scene->height_pt);
        down_px += scene->height_pt * f->px_per_pt;
    }
    cairo_status_t drawn = cairo_status(c->cr);
    return status != HPF_OK ? status : hpr__cairo_status(drawn, err);
}

static hpf_status paint(cairo_surface_t *surface, const frame *f, const hpr_scene *scene,
                        hpr_fonts *fonts, hpf_error *err)
{
    canvas c = {.surface = surface};
    c.raster =
        hpr__raster_create(cairo_image_surface_get_data(surface), (size_t)f->width_px,
                           (size_t)f->height_px, (size_t)cairo_image_surface_get_stride(surface));
    if (!c.raster) {
        return hpf_error_set_memory(err);
    }
    c.cr = cairo_create(surface);
    cairo_set_source_rgb(c.cr, scene->background.red, scene->background.green,
                         scene->background.blue);
    cairo_paint(c.cr); /* also the last row of pixels, of which the page may have only a part */
    hpf_status status = paint_pages(&c, f, scene, fonts, err);
    cairo_destroy(c.cr);
    hpr__raster_destroy(c.raster);
    cairo_surface_flush(surface);
    return status;
}

/* What libpng calls while it writes. */
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

/* The sink is flushed by who made it. */
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

/* Warnings are about texts that libpng adjusts. */
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

static void set_info(png_structp png, png_infop info, const frame *f, const hpr_scene *scene,
                     const hpr_output *output)
{
    png_set_IHDR(png, info, (png_uint_32)f->width_px, (png_uint_32)f->height_px, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_uint_32 px_per_m = (png_uint_32)floor(f->px_per_pt * 72 / 0.0254 + 0.5);
    png_set_pHYs(png, info, px_per_m, px_per_m, PNG_RESOLUTION_METER);
    add_text(png, info, "Title", scene->title);
    add_text(png, info, "Software", output->software);
    add_text(png, info, "Creation Time", scene->date);
    add_text(png, info, "Source", "heap profile");
}

static void pack_row(unsigned char *out, const unsigned char *pixels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t pixel;
        memcpy(&pixel, pixels + 4 * i, sizeof pixel);
        out[3 * i] = (unsigned char)(pixel >> 16);
        out[3 * i + 1] = (unsigned char)(pixel >> 8);
        out[3 * i + 2] = (unsigned char)pixel;
    }
}

static void write_rows(png_structp png, cairo_surface_t *surface, unsigned char *row)
{
    const unsigned char *pixels = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    size_t width = (size_t)cairo_image_surface_get_width(surface);
    size_t height = (size_t)cairo_image_surface_get_height(surface);
    for (size_t y = 0; y < height; y++) {
        pack_row(row, pixels + y * stride, width);
        png_write_row(png, row);
    }
}

/* Everything between png_create_info_struct and png_write_end; libpng jumps back here on error. */
static void write_image(png_structp png, png_infop info, const frame *f, cairo_surface_t *surface,
                        unsigned char *row, const hpr_scene *scene, const hpr_output *output)
{
    if (setjmp(png_jmpbuf(png))) {
        return;
    }
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_level(png, 3);
    set_info(png, info, f, scene, output);
    png_write_info(png, info);
    write_rows(png, surface, row);
    png_write_end(png, info);
}

static hpf_status encode(const frame *f, cairo_surface_t *surface, const hpr_scene *scene,
                         const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    writer w = {.sink = sink, .err = err};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    unsigned char *row = malloc((size_t)f->width_px * 3);
    if (info && row) {
        png_set_write_fn(png, &w, on_bytes, on_flush);
        write_image(png, info, f, surface, row, scene, output);
    } else {
        w.status = hpf_error_set_memory(err);
    }
    free(row);
    png_destroy_write_struct(&png, &info);
    return w.status;
}

static hpf_status write_png(const hpr_chart *chart, const hpr_scene *scene,
                            const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    frame f = measure(scene, output);
    if (f.width_px > MAX_SIDE_PX || f.height_px > MAX_SIDE_PX) {
        return hpf_error_set(err, HPF_ERR_LIMIT,
                             "a picture of %.0f x %.0f pixels is too large, at most %d a side",
                             f.width_px, f.height_px, MAX_SIDE_PX);
    }
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)f.width_px, (int)f.height_px);
    hpf_status status = hpr__cairo_status(cairo_surface_status(surface), err);
    if (status == HPF_OK) {
        status = paint(surface, &f, scene, output->fonts, err);
    }
    if (status == HPF_OK) {
        status = encode(&f, surface, scene, output, sink, err);
    }
    cairo_surface_destroy(surface);
    return status != HPF_OK ? status : hpf_sink_flush(sink, err);
}

const hpr_backend hpr__backend_png = {
    .name = "png",
    .extension = "png",
    .summary = "Portable Network Graphics, pixels",
    .write = write_png,
};

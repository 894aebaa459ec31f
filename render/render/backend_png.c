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
#include "colour.h"
#include "raster.h"
#include "raster_text.h"

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

/* A picture being painted. */
typedef struct canvas {
    const hpr_scene *scene;
    hpr_fonts *fonts;
    frame frame;
    size_t width_px, height_px;
    unsigned char *pixels; /* 0x00RRGGBB in the machine's byte order, no gaps */
    hpr__raster *raster;
    double down_px; /* of the page */
} canvas;

/* By cairo, for a text that Pango must set. */
static hpf_status paint_by_cairo(canvas *c, const hpr_item *item, hpf_error *err)
{
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        c->pixels, CAIRO_FORMAT_RGB24, (int)c->width_px, (int)c->height_px, (int)(c->width_px * 4));
    cairo_t *cr = cairo_create(surface);
    cairo_translate(cr, 0, c->down_px);
    cairo_scale(cr, c->frame.px_per_pt, c->frame.px_per_pt);
    hpf_status status = hpr__cairo_draw(cr, item, c->fonts, err);
    cairo_status_t drawn = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return status != HPF_OK ? status : hpr__cairo_status(drawn, err);
}

static hpf_status paint_text(canvas *c, const hpr_item *item, hpf_error *err)
{
    hpf_status status = hpr__fonts_check(c->fonts, item->bold, err);
    if (status != HPF_OK) {
        return status;
    }
    hpr__line line = hpr__fonts_set(c->fonts, item->text, item->bold);
    if (!line.is_plain) {
        return paint_by_cairo(c, item, err);
    }
    hpr__raster_text(c->raster, item, &line, c->frame.px_per_pt, c->down_px);
    return hpr__fonts_check(c->fonts, item->bold, err);
}

static hpf_status paint_item(canvas *c, const hpr_item *item, hpf_error *err)
{
    switch (item->kind) {
    case HPR_ITEM_POLYGON:
    case HPR_ITEM_LINE:
        hpr__raster_draw(c->raster, item, c->frame.px_per_pt, c->down_px);
        return HPF_OK;
    case HPR_ITEM_TEXT:
        return paint_text(c, item, err);
    case HPR_ITEM_PAGE:
    case HPR_ITEM_GROUP_BEGIN:
    case HPR_ITEM_GROUP_END:
        break;
    }
    return HPF_OK;
}

static hpf_status paint_pages(canvas *c, hpf_error *err)
{
    hpf_status status = HPF_OK;
    size_t at = 0;
    for (hpr__page page; status == HPF_OK && hpr__scene_next_page(c->scene, &at, &page);) {
        for (size_t i = 0; i < page.n_items && status == HPF_OK; i++) {
            status = paint_item(c, &page.items[i], err);
        }
        c->down_px += c->scene->height_pt * c->frame.px_per_pt;
    }
    return status;
}

static void paint_ground(canvas *c)
{
    const hpr_colour ground = c->scene->background;
    uint32_t pixel = hpr__colour_byte(ground.red) << 16 | hpr__colour_byte(ground.green) << 8 | hpr__colour_byte(ground.blue);
    for (size_t i = 0; i < c->width_px * c->height_px; i++) {
        memcpy(c->pixels + 4 * i, &pixel, sizeof pixel);
    }
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

static void write_rows(png_structp png, const canvas *c, unsigned char *row)
{
    for (size_t y = 0; y < c->height_px; y++) {
        pack_row(row, c->pixels + 4 * y * c->width_px, c->width_px);
        png_write_row(png, row);
    }
}

/* Everything that libpng may leave by a jump. */
static void write_image(png_structp png, png_infop info, const canvas *c, unsigned char *row,
                        const hpr_output *output)
{
    if (setjmp(png_jmpbuf(png))) {
        return;
    }
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_level(png, 3);
    set_info(png, info, &c->frame, c->scene, output);
    png_write_info(png, info);
    write_rows(png, c, row);
    png_write_end(png, info);
}

static hpf_status encode(const canvas *c, const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    writer w = {.sink = sink, .err = err};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    unsigned char *row = malloc(c->width_px * 3);
    if (info && row) {
        png_set_write_fn(png, &w, on_bytes, on_flush);
        write_image(png, info, c, row, output);
    } else {
        w.status = hpf_error_set_memory(err);
    }
    free(row);
    png_destroy_write_struct(&png, &info);
    return w.status;
}

static hpf_status paint_and_encode(canvas *c, const hpr_output *output, hpf_sink *sink,
                                   hpf_error *err)
{
    c->pixels = malloc(c->width_px * c->height_px * 4);
    if (!c->pixels) {
        return hpf_error_set_memory(err);
    }
    paint_ground(c);
    c->raster = hpr__raster_create(c->pixels, c->width_px, c->height_px, c->width_px * 4);
    if (!c->raster) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = paint_pages(c, err);
    return status != HPF_OK ? status : encode(c, output, sink, err);
}

static hpf_status write_png(const hpr_chart *chart, const hpr_scene *scene,
                            const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    canvas c = {.scene = scene, .fonts = output->fonts, .frame = measure(scene, output)};
    if (c.frame.width_px > MAX_SIDE_PX || c.frame.height_px > MAX_SIDE_PX) {
        return hpf_error_set(err, HPF_ERR_LIMIT,
                             "a picture of %.0f x %.0f pixels is too large, at most %d a side",
                             c.frame.width_px, c.frame.height_px, MAX_SIDE_PX);
    }
    c.width_px = (size_t)c.frame.width_px;
    c.height_px = (size_t)c.frame.height_px;
    hpf_status status = paint_and_encode(&c, output, sink, err);
    hpr__raster_destroy(c.raster);
    free(c.pixels);
    return status != HPF_OK ? status : hpf_sink_flush(sink, err);
}

const hpr_backend hpr__backend_png = {
    .name = "png",
    .extension = "png",
    .summary = "Portable Network Graphics, pixels",
    .is_graphical = true,
    .write = write_png,
};

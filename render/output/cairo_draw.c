/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/cairo_draw.h"

#include <math.h>

#include "output/text.h"
#include "base/options.h"

static void set_colour(cairo_t *cr, hpr_colour colour)
{
    cairo_set_source_rgb(cr, colour.red, colour.green, colour.blue);
}

/* Adds the points [begin, end) of a shape to the path. After the last point comes the first. */
static void add_points(cairo_t *cr, const hpr_item *item, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const hpr_point *p = &item->points[i % item->n_points];
        cairo_line_to(cr, p->x_pt, p->y_pt);
    }
}

/* The time of cairo for a zigzag of pixels grows with the square of its length: so long solid lines
 * are stroked in pieces, and long shapes are filled with less antialiasing, which does not show. */
enum { PIECE_POINTS = 64, LONG_POINTS = 2000 };

static void stroke_in_pieces(cairo_t *cr, const hpr_item *item, bool is_closed)
{
    size_t n = item->n_points + is_closed;
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    for (size_t begin = 0; begin + 1 < n; begin += PIECE_POINTS) {
        size_t end = begin + PIECE_POINTS + 1;
        cairo_new_path(cr);
        add_points(cr, item, begin, end < n ? end : n);
        cairo_stroke(cr);
    }
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

/* Fills and strokes a polygon, or strokes a line. Only boxes have mitred corners: on the spikes of
 * a curve they would rise above its values. */
static void draw_shape(cairo_t *cr, const hpr_item *item)
{
    bool is_closed = item->kind == HPR_ITEM_POLYGON;
    bool is_zigzag = item->n_points > PIECE_POINTS && !hpr__cairo_is_vector(cr);
    bool is_long = is_zigzag && item->n_points > LONG_POINTS;
    cairo_set_antialias(cr, is_long ? CAIRO_ANTIALIAS_FAST : CAIRO_ANTIALIAS_DEFAULT);
    cairo_new_path(cr);
    add_points(cr, item, 0, item->n_points);
    if (is_closed) {
        cairo_close_path(cr);
    }
    if (is_closed && item->fill.on) {
        set_colour(cr, item->fill.colour);
        cairo_fill_preserve(cr);
    }
    if (item->stroke.on) {
        set_colour(cr, item->stroke.colour);
        cairo_set_line_width(cr, item->stroke.width_pt);
        cairo_set_line_join(cr,
                            item->n_points <= 4 ? CAIRO_LINE_JOIN_MITER : CAIRO_LINE_JOIN_ROUND);
        cairo_set_dash(cr, &item->stroke.dash_pt, item->stroke.dash_pt > 0 ? 1 : 0, 0);
        if (is_zigzag && item->stroke.dash_pt == 0) {
            stroke_in_pieces(cr, item, is_closed);
        } else {
            cairo_stroke_preserve(cr);
        }
    }
    cairo_new_path(cr);
}

void hpr__cairo_paint_background(cairo_t *cr, const hpr_scene *scene)
{
    set_colour(cr, scene->background);
    cairo_rectangle(cr, 0, 0, scene->width_pt, scene->height_pt);
    cairo_fill(cr);
}

hpf_status hpr__cairo_draw_page(cairo_t *cr, const hpr__page *page, hpr_fonts *fonts,
                                hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < page->n_items && status == HPF_OK; i++) {
        const hpr_item *item = &page->items[i];
        switch (item->kind) {
        case HPR_ITEM_POLYGON:
        case HPR_ITEM_LINE:
            draw_shape(cr, item);
            break;
        case HPR_ITEM_TEXT:
            set_colour(cr, item->fill.colour);
            status = hpr__fonts_draw(fonts, cr, item, err);
            break;
        case HPR_ITEM_PAGE:
        case HPR_ITEM_GROUP_BEGIN:
        case HPR_ITEM_GROUP_END:
            break;
        }
    }
    return status != HPF_OK ? status : hpr__cairo_status(cairo_status(cr), err);
}

hpf_status hpr__cairo_status(cairo_status_t status, hpf_error *err)
{
    if (status == CAIRO_STATUS_SUCCESS) {
        return HPF_OK;
    }
    if (status == CAIRO_STATUS_NO_MEMORY) {
        return hpf_error_set_memory(err);
    }
    return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "cairo cannot draw this picture: %s",
                         cairo_status_to_string(status));
}

hpf_status hpr_draw_scene(cairo_t *cr, const hpr_scene *scene, size_t page, hpr_fonts *fonts,
                          hpf_error *err)
{
    hpr__page items;
    size_t at = 0;
    for (size_t i = 0; i <= page; i++) {
        if (!hpr__scene_next_page(scene, &at, &items)) {
            return hpf_error_set(err, HPF_ERR_ARGUMENT, "the scene has %zu pages, not %zu", i,
                                 page + 1);
        }
    }
    cairo_save(cr);
    hpr__cairo_paint_background(cr, scene);
    hpf_status status = hpr__cairo_draw_page(cr, &items, fonts, err);
    cairo_restore(cr);
    return status;
}

/* Returns half a pixel of the target in user units; 0 for a target without pixels. */
static double half_pixel(cairo_t *cr)
{
    double x = 0.5, y = 0.5;
    cairo_device_to_user_distance(cr, &x, &y);
    return hpr__cairo_is_vector(cr) ? 0 : fmin(fabs(x), fabs(y));
}

hpf_status hpr_draw_chart(cairo_t *cr, const hpr_chart *chart, const hpr_options *options,
                          hpr_fonts *fonts, hpf_error *err)
{
    hpr_options fitted;
    hpr_scene *scene;
    hpf_status status = HPF__OPTIONS_COPY(&fitted, options, err);
    fitted.tolerance_pt = half_pixel(cr);
    status =
        status ? status : hpr_scene_create(&scene, chart, &fitted, hpr_fonts_measurer(fonts), err);
    if (status == HPF_OK) {
        status = hpr_draw_scene(cr, scene, hpr__scene_n_pages(scene) - 1, fonts, err);
        hpr_scene_destroy(scene);
    }
    return status;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One function for each kind of item.
 */
#include "cairo_ink.h"

#include "text_ink.h"

static void set_colour(cairo_t *cr, hpr_colour colour)
{
    cairo_set_source_rgb(cr, colour.red, colour.green, colour.blue);
}

static void trace(cairo_t *cr, const hpr_item *item)
{
    cairo_new_path(cr);
    for (size_t i = 0; i < item->n_points; i++) {
        cairo_line_to(cr, item->points[i].x_pt, item->points[i].y_pt);
    }
    if (item->kind == HPR_ITEM_POLYGON) {
        cairo_close_path(cr);
    }
}

/* Boxes have sharp corners; mitres on the spikes of a curve would shoot beyond its values. */
static cairo_line_join_t join_of(const hpr_item *item)
{
    return item->n_points <= 4 ? CAIRO_LINE_JOIN_MITER : CAIRO_LINE_JOIN_ROUND;
}

static void stroke(cairo_t *cr, const hpr_item *item)
{
    set_colour(cr, item->stroke.colour);
    cairo_set_line_width(cr, item->stroke.width_pt);
    cairo_set_line_join(cr, join_of(item));
    cairo_set_dash(cr, &item->stroke.dash_pt, item->stroke.dash_pt > 0 ? 1 : 0, 0);
    cairo_stroke_preserve(cr);
}

static void draw_shape(cairo_t *cr, const hpr_item *item)
{
    trace(cr, item);
    if (item->kind == HPR_ITEM_POLYGON && item->fill.on) {
        set_colour(cr, item->fill.colour);
        cairo_fill_preserve(cr);
    }
    if (item->stroke.on) {
        stroke(cr, item);
    }
    cairo_new_path(cr);
}

hpf_status hpr__cairo_draw(cairo_t *cr, const hpr_item *item, hpr_fonts *fonts, hpf_error *err)
{
    switch (item->kind) {
    case HPR_ITEM_POLYGON:
    case HPR_ITEM_LINE:
        draw_shape(cr, item);
        return HPF_OK;
    case HPR_ITEM_TEXT:
        set_colour(cr, item->fill.colour);
        return hpr__fonts_draw(fonts, cr, item, err);
    case HPR_ITEM_PAGE:
    case HPR_ITEM_GROUP_BEGIN:
    case HPR_ITEM_GROUP_END:
        break;
    }
    return HPF_OK;
}

void hpr__cairo_ground(cairo_t *cr, const hpr_scene *scene)
{
    set_colour(cr, scene->background);
    cairo_rectangle(cr, 0, 0, scene->width_pt, scene->height_pt);
    cairo_fill(cr);
}

hpf_status hpr__cairo_status(cairo_status_t status, hpf_error *err)
{
    if (status == CAIRO_STATUS_SUCCESS) {
        return HPF_OK;
    }
    if (status == CAIRO_STATUS_NO_MEMORY) {
        return hpf_error_set_memory(err);
    }
    return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "cairo cannot draw this: %s",
                         cairo_status_to_string(status));
}

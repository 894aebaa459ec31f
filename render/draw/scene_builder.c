/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A scene under construction is a growing list of items. Points and texts are in an arena, which
 * the finished scene owns, like the list.
 */
#include "draw/scene_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/utf8.h"
#include "hprender/render.h"

/* A scene and the memory that it owns. */
typedef struct scene_body {
    hpr_scene scene; /* first, so that a pointer to it is a pointer to the body */
    hpf_arena *arena;
    hpr_item *items;
} scene_body;

struct hpr__builder {
    scene_body *body;
    size_t capacity; /* of body->items */
    bool failed;     /* there was no memory at some point */
};

hpr__builder *hpr__builder_create(double width_pt, double height_pt)
{
    hpr__builder *builder = calloc(1, sizeof *builder);
    scene_body *body = calloc(1, sizeof *body);
    hpf_arena *arena = hpf_arena_create();
    if (!builder || !body || !arena) {
        free(builder);
        free(body);
        hpf_arena_destroy(arena);
        return NULL;
    }
    body->arena = arena;
    body->scene = (hpr_scene){
        .width_pt = width_pt,
        .height_pt = height_pt,
        .title = "",
        .date = "",
        .creator = "",
        .background = {1, 1, 1},
    };
    builder->body = body;
    return builder;
}

void hpr_scene_destroy(hpr_scene *scene)
{
    if (!scene) {
        return;
    }
    scene_body *body = (scene_body *)scene;
    hpf_arena_destroy(body->arena);
    free(body->items);
    free(body);
}

static void destroy(hpr__builder *builder)
{
    if (!builder) {
        return;
    }
    hpr_scene_destroy(&builder->body->scene);
    free(builder);
}

/* Returns a copy of `text` as valid UTF-8; without memory "", and the builder has failed. */
static const char *keep(hpr__builder *builder, const char *text, bool has_lines)
{
    size_t length = strlen(text);
    char *copy = hpf_arena_array(builder->body->arena, length + 1, 3);
    if (!copy) {
        builder->failed = true;
        return "";
    }
    if (has_lines) {
        hpf_utf8_printable(copy, (hpf_str){text, length}, "\n");
    } else {
        hpf_utf8_printable(copy, (hpf_str){text, length}, "");
    }
    return copy;
}

void hpr__builder_fail(hpr__builder *builder)
{
    if (builder) {
        builder->failed = true;
    }
}

void hpr__builder_describe(hpr__builder *builder, const char *title, const char *date,
                           const char *creator)
{
    if (builder) {
        builder->body->scene.title = keep(builder, title, false);
        builder->body->scene.date = keep(builder, date, false);
        builder->body->scene.creator = keep(builder, creator, false);
    }
}

void hpr__builder_set_background(hpr__builder *builder, hpr_colour colour)
{
    if (builder) {
        builder->body->scene.background = colour;
    }
}

void hpr__builder_set_encapsulated(hpr__builder *builder, bool is_encapsulated)
{
    if (builder) {
        builder->body->scene.is_encapsulated = is_encapsulated;
    }
}

static void add(hpr__builder *builder, hpr_item item)
{
    scene_body *body = builder->body;
    builder->failed |= !HPF__ARRAY_PUSH(body->items, body->scene.n_items, builder->capacity, item);
}

void hpr__builder_page(hpr__builder *builder, const hpr_paper *paper)
{
    if (builder) {
        hpr_item item = {.kind = HPR_ITEM_PAGE};
        if (paper) {
            item.paper = *paper;
        }
        add(builder, item);
    }
}

void hpr__builder_group_begin(hpr__builder *builder, const char *title)
{
    if (builder) {
        add(builder, (hpr_item){.kind = HPR_ITEM_GROUP_BEGIN, .text = keep(builder, title, true)});
    }
}

void hpr__builder_group_end(hpr__builder *builder)
{
    if (builder) {
        add(builder, (hpr_item){.kind = HPR_ITEM_GROUP_END});
    }
}

hpr_paint hpr__paint_none(void)
{
    return (hpr_paint){.on = false};
}

hpr_paint hpr__paint_fill(hpr_colour colour)
{
    return (hpr_paint){.on = true, .colour = colour};
}

hpr_paint hpr__paint_stroke(hpr_colour colour, double width_pt)
{
    return (hpr_paint){.on = true, .colour = colour, .width_pt = width_pt};
}

hpr_point *hpr__builder_points(hpr__builder *builder, size_t n)
{
    if (!builder) {
        return NULL;
    }
    hpr_point *points = hpf_arena_array(builder->body->arena, n, sizeof *points);
    if (!points) {
        builder->failed = true;
    }
    return points;
}

static const hpr_point *keep_points(hpr__builder *builder, const hpr_point *points, size_t n)
{
    hpr_point *copy = hpr__builder_points(builder, n);
    if (copy && n) {
        memcpy(copy, points, n * sizeof *points);
    }
    return copy;
}

void hpr__builder_polygon_owned(hpr__builder *builder, const hpr_point *points, size_t n,
                                hpr_paint fill, hpr_paint stroke)
{
    if (builder && points && n && (fill.on || stroke.on)) {
        add(builder, (hpr_item){.kind = HPR_ITEM_POLYGON,
                                .points = points,
                                .n_points = n,
                                .fill = fill,
                                .stroke = stroke});
    }
}

void hpr__builder_polygon(hpr__builder *builder, const hpr_point *points, size_t n, hpr_paint fill,
                          hpr_paint stroke)
{
    hpr__builder_polygon_owned(builder, keep_points(builder, points, n), n, fill, stroke);
}

void hpr__builder_line_owned(hpr__builder *builder, const hpr_point *points, size_t n,
                             hpr_paint stroke)
{
    if (builder && points && n && stroke.on) {
        add(builder,
            (hpr_item){.kind = HPR_ITEM_LINE, .points = points, .n_points = n, .stroke = stroke});
    }
}

void hpr__builder_line(hpr__builder *builder, const hpr_point *points, size_t n, hpr_paint stroke)
{
    hpr__builder_line_owned(builder, keep_points(builder, points, n), n, stroke);
}

void hpr__builder_rect(hpr__builder *builder, double x_pt, double y_pt, double width_pt,
                       double height_pt, hpr_paint fill, hpr_paint stroke)
{
    double right_pt = x_pt + width_pt;
    double bottom_pt = y_pt + height_pt;
    const hpr_point corners[] = {
        {x_pt, y_pt}, {right_pt, y_pt}, {right_pt, bottom_pt}, {x_pt, bottom_pt}};
    hpr__builder_polygon(builder, corners, 4, fill, stroke);
}

void hpr__builder_text(hpr__builder *builder, const char *text, double x_pt, double y_pt,
                       const hpr__text_style *style)
{
    if (builder && text[0] != '\0') {
        add(builder, (hpr_item){.kind = HPR_ITEM_TEXT,
                                .text = keep(builder, text, false),
                                .at = {x_pt, y_pt},
                                .fill = hpr__paint_fill(style->colour),
                                .anchor = style->anchor,
                                .size_pt = style->size_pt,
                                .turn_deg = style->turn_deg,
                                .bold = style->bold});
    }
}

hpf_status hpr__builder_finish(hpr__builder *builder, hpr_scene **out, hpf_error *err)
{
    *out = NULL;
    if (!builder || builder->failed) {
        destroy(builder);
        return hpf_error_set_memory(err);
    }
    scene_body *body = builder->body;
    if (body->scene.n_items == 0 || body->items[0].kind != HPR_ITEM_PAGE) {
        destroy(builder);
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "a drawing must begin with a page");
    }
    body->scene.items = body->items;
    free(builder);
    *out = &body->scene;
    return HPF_OK;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Building a scene, one function for each kind of item.
 *
 * Units: points; origin at the upper left of the drawing area, y downwards. Errors: the builder
 * remembers that there was no memory, and hpr__builder_finish returns the error; so drawing code
 * does not check each call. A NULL builder is accepted everywhere. Ownership: texts are copied and
 * made valid UTF-8; points are copied, except by functions with `owned` in their names.
 */
#ifndef HPR_SCENE_BUILDER_H
#define HPR_SCENE_BUILDER_H

#include "hprender/scene.h"

typedef struct hpr__builder hpr__builder;

typedef struct hpr__text_style {
    double size_pt;
    hpr_anchor anchor;
    hpr_colour colour;
    double turn_deg; /* counter-clockwise: 0 or 90 */
    bool bold;
} hpr__text_style;

/* Returns a builder of an empty scene on white ground; NULL without memory. */
hpr__builder *hpr__builder_create(double width_pt, double height_pt);

/* Records that the drawing code had no memory. */
void hpr__builder_fail(hpr__builder *builder);

/* Set properties of the document. Texts that are not set are empty. */
void hpr__builder_describe(hpr__builder *builder, const char *title, const char *date,
                           const char *creator);
void hpr__builder_set_background(hpr__builder *builder, hpr_colour colour);
void hpr__builder_set_encapsulated(hpr__builder *builder, bool is_encapsulated);

/* Begins a page; every scene begins with one. Without `paper` the page is the drawing area. */
void hpr__builder_page(hpr__builder *builder, const hpr_paper *paper);

/* Begin and end a group with a title. Groups do not nest, and end on the page where they began. */
void hpr__builder_group_begin(hpr__builder *builder, const char *title);
void hpr__builder_group_end(hpr__builder *builder);

/* Return paint that draws nothing, a flat fill, and a solid stroke. */
hpr_paint hpr__paint_none(void);
hpr_paint hpr__paint_fill(hpr_colour colour);
hpr_paint hpr__paint_stroke(hpr_colour colour, double width_pt);

/* Returns `n` points that the scene owns; NULL without memory. */
hpr_point *hpr__builder_points(hpr__builder *builder, size_t n);

/* Add a closed polygon and an open polyline. The `owned` ones take points of hpr__builder_points
 * without a copy; NULL points add nothing. */
void hpr__builder_polygon(hpr__builder *builder, const hpr_point *points, size_t n, hpr_paint fill,
                          hpr_paint stroke);
void hpr__builder_polygon_owned(hpr__builder *builder, const hpr_point *points, size_t n,
                                hpr_paint fill, hpr_paint stroke);
void hpr__builder_line(hpr__builder *builder, const hpr_point *points, size_t n, hpr_paint stroke);
void hpr__builder_line_owned(hpr__builder *builder, const hpr_point *points, size_t n,
                             hpr_paint stroke);

/* Adds a rectangle by its upper left corner. */
void hpr__builder_rect(hpr__builder *builder, double x_pt, double y_pt, double width_pt,
                       double height_pt, hpr_paint fill, hpr_paint stroke);

/* Adds one line of text with the anchor of its baseline at (x, y). Empty text adds nothing. */
void hpr__builder_text(hpr__builder *builder, const char *text, double x_pt, double y_pt,
                       const hpr__text_style *style);

/* Destroys the builder and hands over its scene. Errors: MEMORY, also of an earlier call; ARGUMENT
 * when the scene does not begin with a page. */
HPF_MUST_USE hpf_status hpr__builder_finish(hpr__builder *builder, hpr_scene **out, hpf_error *err);

#endif

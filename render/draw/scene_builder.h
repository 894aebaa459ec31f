/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Building a scene: one verb per kind of builder, so that drawing code reads like a description.
 *
 * Errors: drawing code draws straight on; running out of memory is remembered, and
 * hpr__builder_finish reports it. A NULL ink (hpr__builder_create had no memory) is accepted
 * everywhere. Units: points; origin at the upper left of the drawing area, y downwards. Ownership:
 * texts are copied, and made valid UTF-8 on the way; points are copied unless the function says
 * `owned`.
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

/* A scene without items, on white ground. NULL when there is no memory. */
hpr__builder *hpr__builder_create(double width_pt, double height_pt);

/* Gives up a drawing that is not to be finished. */
void hpr__builder_destroy(hpr__builder *builder);

/* Remembers that the drawing code had no memory. */
void hpr__builder_fail(hpr__builder *builder);

/* What is known of the document as a whole. Unset texts are empty. */
void hpr__builder_set_title(hpr__builder *builder, const char *title);
void hpr__builder_set_date(hpr__builder *builder, const char *date);
void hpr__builder_set_creator(hpr__builder *builder, const char *creator);
void hpr__builder_set_background(hpr__builder *builder, hpr_colour colour);
void hpr__builder_set_encapsulated(hpr__builder *builder, bool is_encapsulated);

/* Begins a page; every scene begins with one. NULL `paper`: the page is the drawing area. */
void hpr__builder_page(hpr__builder *builder, const hpr_paper *paper);

/* What is drawn between the two belongs to `title`. Groups do not nest, and end on the page where
 * they began. */
void hpr__builder_group_begin(hpr__builder *builder, const char *title);
void hpr__builder_group_end(hpr__builder *builder);

/* Paint that draws nothing, a flat fill, and a solid stroke. */
hpr_paint hpr__paint_none(void);
hpr_paint hpr__paint_fill(hpr_colour colour);
hpr_paint hpr__paint_stroke(hpr_colour colour, double width_pt);

/* Room for `n` points that belongs to the scene; NULL when there is no memory. */
hpr_point *hpr__builder_points(hpr__builder *builder, size_t n);

/* A closed polygon and an open polyline. The `owned` ones take points from hpr__builder_points
 * without a copy; NULL points draw nothing. */
void hpr__builder_polygon(hpr__builder *builder, const hpr_point *points, size_t n, hpr_paint fill,
                          hpr_paint stroke);
void hpr__builder_polygon_owned(hpr__builder *builder, const hpr_point *points, size_t n,
                                hpr_paint fill, hpr_paint stroke);
void hpr__builder_line(hpr__builder *builder, const hpr_point *points, size_t n, hpr_paint stroke);
void hpr__builder_line_owned(hpr__builder *builder, const hpr_point *points, size_t n,
                             hpr_paint stroke);

/* A rectangle by its upper left corner. */
void hpr__builder_rect(hpr__builder *builder, double x_pt, double y_pt, double width_pt,
                       double height_pt, hpr_paint fill, hpr_paint stroke);

/* One line of text with the anchor of its baseline at (x, y). Empty text draws nothing. */
void hpr__builder_text(hpr__builder *builder, const char *text, double x_pt, double y_pt,
                       const hpr__text_style *style);

/* Ends the drawing; the ink is gone afterwards, whatever the outcome. Errors: MEMORY; ARGUMENT when
 * there is no page, or something was drawn before the first. */
HPF_MUST_USE hpf_status hpr__builder_finish(hpr__builder *builder, hpr_scene **out, hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Drawing scenes with cairo, for the back ends that use it.
 */
#ifndef HPR_CAIRO_DRAW_H
#define HPR_CAIRO_DRAW_H

#include "hprender/cairo.h"
#include "output/backend.h"

/* Fills the drawing area with the background of a scene. */
void hpr__cairo_paint_background(cairo_t *cr, const hpr_scene *scene);

/* Draws the items of a page, but no background, in the units of hprender/cairo.h. Errors: from
 * hpr__fonts_draw and `cr`. */
HPF_MUST_USE hpf_status hpr__cairo_draw_page(cairo_t *cr, const hpr__page *page, hpr_fonts *fonts,
                                             hpf_error *err);

/* Turns a status of cairo into one of hpfile, and fills in `err` unless it is HPF_OK. */
HPF_MUST_USE hpf_status hpr__cairo_status(cairo_status_t status, hpf_error *err);

#endif

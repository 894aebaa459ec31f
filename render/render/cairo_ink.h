/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the back ends that draw by cairo share: putting an item on a surface, and saying in our
 * words what cairo found wrong.
 */
#ifndef HPRENDER_CAIRO_INK_H
#define HPRENDER_CAIRO_INK_H

#include <cairo.h>

#include "hprender/backend.h"
#include "scene_page.h"

/* Draws an item in units of points, origin at the upper left of the drawing area. Errors: those of
 * hpr__fonts_draw; trouble of cairo stays in `cr`. */
HPF_MUST_USE hpf_status hpr__cairo_draw(cairo_t *cr, const hpr_item *item, hpr_fonts *fonts,
                                        hpf_error *err);

/* Paints the background of the drawing area. */
void hpr__cairo_ground(cairo_t *cr, const hpr_scene *scene);

/* HPF_OK for success, else MEMORY or, for what should not happen, UNSUPPORTED. */
hpf_status hpr__cairo_status(cairo_status_t status, hpf_error *err);

#endif

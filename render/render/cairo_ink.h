/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the back ends that draw by cairo share: putting a page on a surface, and saying in our words
 * what cairo found wrong.
 */
#ifndef HPRENDER_CAIRO_INK_H
#define HPRENDER_CAIRO_INK_H

#include <cairo.h>

#include "hprender/backend.h"
#include "scene_page.h"

/* Draws a page in units of points, origin at the upper left of the drawing area; `ground` says
 * whether to paint the background first. Errors: those of hpr__fonts_draw; trouble of cairo stays
 * in `cr`. */
HPF_MUST_USE hpf_status hpr__cairo_draw(cairo_t *cr, const hpr_scene *scene, const hpr__page *page,
                                        bool ground, hpr_fonts *fonts, hpf_error *err);

/* HPF_OK for success, else MEMORY or, for what should not happen, UNSUPPORTED. */
hpf_status hpr__cairo_status(cairo_status_t status, hpf_error *err);

#endif

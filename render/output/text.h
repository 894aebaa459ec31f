/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Drawing texts with the widths that the layout measured.
 */
#ifndef HPR_TEXT_H
#define HPR_TEXT_H

#include <cairo.h>

#include "hprender/scene.h"
#include "hprender/text.h"

/* Returns whether the target keeps paths and texts, instead of turning them into pixels. */
bool hpr__cairo_is_vector(cairo_t *cr);

/* Draws a TEXT item with the source of `cr`, in units of points. Errors of cairo stay in `cr`.
 * Error: UNSUPPORTED when the system has no font. */
HPF_MUST_USE hpf_status hpr__fonts_draw(hpr_fonts *fonts, cairo_t *cr, const hpr_item *item,
                                        hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Drawing texts.
 */
#ifndef HPR_TEXT_H
#define HPR_TEXT_H

#include <cairo.h>

#include "hprender/scene.h"
#include "hprender/text.h"

/* Returns whether the target of `cr` stores paths and texts, not pixels. */
bool hpr__cairo_is_vector(cairo_t *cr);

/* Draws a TEXT item with the source of `cr`, as wide as the layout measured it. Errors: UNSUPPORTED
 * when the system has no font; errors of cairo stay in `cr`. */
HPF_MUST_USE hpf_status hpr__fonts_draw(hpr_fonts *fonts, cairo_t *cr, const hpr_item *item,
                                        hpf_error *err);

#endif

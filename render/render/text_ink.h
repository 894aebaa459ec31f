/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Putting the texts of a scene on a cairo surface, with the very widths that the layout was given.
 */
#ifndef HPRENDER_TEXT_INK_H
#define HPRENDER_TEXT_INK_H

#include <cairo.h>

#include "hprender/scene.h"
#include "hprender/text.h"

/* Draws a TEXT item with the current source, in units of points. Errors: MEMORY; UNSUPPORTED when
 * the system has no font; ARGUMENT when the font file that was asked for cannot be used. Trouble of
 * cairo is left in `cr`. */
HPF_MUST_USE hpf_status hpr__fonts_draw(hpr_fonts *fonts, cairo_t *cr, const hpr_item *item,
                                        hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pango for the texts that need it: scripts whose letters join, stack or run from right to left,
 * and characters that only some other font of the system has. Most profiles have none of these, and
 * loading Pango and what it depends on takes longer than drawing a small profile; so it is loaded
 * when the first such text comes, and a system without it draws missing-glyph boxes instead.
 */
#ifndef HPRENDER_TEXT_PANGO_H
#define HPRENDER_TEXT_PANGO_H

#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <stdbool.h>

typedef struct hpr__pango hpr__pango;

/* Takes fonts from `config`, which must live as long; `family` first. NULL when Pango is not
 * installed, or there is no memory. */
hpr__pango *hpr__pango_create(FcConfig *config, const char *family);
void hpr__pango_destroy(hpr__pango *pango);

/* Width of one line of valid UTF-8. */
double hpr__pango_width_pt(hpr__pango *pango, const char *text, double size_pt, bool bold);

/* Shows the line from the current point on, which is the left end of its baseline; as filled
 * outlines when `as_path`. */
void hpr__pango_show(hpr__pango *pango, cairo_t *cr, const char *text, double size_pt, bool bold,
                     bool as_path);

#endif

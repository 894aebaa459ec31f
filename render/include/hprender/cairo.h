/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Drawing on a cairo context of the caller: a window, a page of a document, an image.
 *
 * Units: one unit of user space is a point (1/72 inch) of the picture, whose upper left corner is
 * the origin; y points downwards. The caller's transformation applies, so that
 *
 *     cairo_translate(cr, x, y);
 *     cairo_scale(cr, width / scene->width_pt, height / scene->height_pt);
 *
 * fits a picture into a box. The functions save and restore the state of the context. On surfaces
 * of PDF, PostScript and SVG, texts stay texts.
 *
 * Errors: MEMORY; UNSUPPORTED when the system has no font, or for an error of cairo, which also
 * stays in the context. Threads: as cairo; each hpr_fonts in one thread at a time.
 */
#ifndef HPRENDER_CAIRO_H
#define HPRENDER_CAIRO_H

#include <cairo.h>

#include "hprender/render.h"

HPF_BEGIN_DECLS

/* Draws the background and page `page`, counted from 0, of a scene. Error: also ARGUMENT when there
 * is no such page. */
HPF_API HPF_MUST_USE hpf_status hpr_draw_scene(cairo_t *cr, const hpr_scene *scene, size_t page,
                                               hpr_fonts *fonts, hpf_error *err);

/* Draws the page with the graph of a chart, in as much detail as the device of `cr` can show.
 * `fonts` and `options` must be the same that the chart was created with. */
HPF_API HPF_MUST_USE hpf_status hpr_draw_chart(cairo_t *cr, const hpr_chart *chart,
                                               const hpr_options *options, hpr_fonts *fonts,
                                               hpf_error *err);

HPF_END_DECLS
#endif

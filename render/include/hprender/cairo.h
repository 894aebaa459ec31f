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
 * fits a picture into a box. The functions save and restore the state of the context, and draw on
 * any surface; on those of PDF, PostScript and SVG texts stay texts.
 *
 * Errors: MEMORY, UNSUPPORTED when the system has no font, or what cairo found wrong, which also
 * stays in the context. Threads: those of cairo, and one at a time for each hpr_fonts.
 */
#ifndef HPRENDER_CAIRO_H
#define HPRENDER_CAIRO_H

#include <cairo.h>

#include "hprender/render.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws page `page` of a scene, the first being 0, on its background. */
HPF_API HPF_MUST_USE hpf_status hpr_draw_scene(cairo_t *cr, const hpr_scene *scene, size_t page,
                                               hpr_fonts *fonts, hpf_error *err);

/* Draws the last page of a chart's scene, which has the graph, in as much detail as the device of
 * `cr` can show. `fonts` and `options` are those that the chart was made with. */
HPF_API HPF_MUST_USE hpf_status hpr_draw_chart(cairo_t *cr, const hpr_chart *chart,
                                               const hpr_options *options, hpr_fonts *fonts,
                                               hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif

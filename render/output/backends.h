/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The back ends, for the table of backend.c.
 */
#ifndef HPR_BACKENDS_H
#define HPR_BACKENDS_H

#include "hprender/backend.h"
#include "hprender/render.h"

/* PDF, each page as large as the drawing area. */
extern const hpr_backend hpr__backend_pdf;

/* PostScript, level 2; EPS when the scene is encapsulated. */
extern const hpr_backend hpr__backend_ps;

/* EPS of the last page, the graph. */
extern const hpr_backend hpr__backend_eps;

/* An opaque picture, 8 bits a channel; pages are stacked. Error, besides those of drawing: LIMIT
 * when a side is longer than 32767 pixels. */
extern const hpr_backend hpr__backend_png;

/* SVG 1.1 with real text; a band's name is its tooltip; pages are stacked. */
extern const hpr_backend hpr__backend_svg;

/* TeX: the scene in PGF's basic layer, and the chart's data with a pgfplots axis. */
extern const hpr_backend hpr__backend_pgf;
extern const hpr_backend hpr__backend_pgfplots;

/* The chart as data (docs/formats/json.md). */
extern const hpr_backend hpr__backend_json;

/* Returns the pixels of a PNG per point of a drawing area. */
double hpr__png_px_per_pt(const hpr_output *output, double width_pt);

/* Sets how finely curves are drawn to what a back end can show of a picture of that width, with
 * `n_columns` charts side by side. */
void hpr__options_fit(hpr_options *options, const hpr_backend *backend, const hpr_output *output,
                      double width_pt, size_t n_columns);

#endif

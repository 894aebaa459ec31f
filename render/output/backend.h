/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The back ends, for the table of backend.c, and what they share.
 */
#ifndef HPR_BACKEND_H
#define HPR_BACKEND_H

#include "hprender/backend.h"

/* PDF; each page has the size of the drawing area. */
extern const hpr_backend hpr__backend_pdf;

/* PostScript, level 2; EPS when the scene is encapsulated. */
extern const hpr_backend hpr__backend_ps;

/* EPS of the last page, which has the graph. */
extern const hpr_backend hpr__backend_eps;

/* Opaque, 8 bits a channel; one page below the other. Error: also LIMIT when a side is longer than
 * 32767 pixels. */
extern const hpr_backend hpr__backend_png;

/* SVG 1.1; texts are texts, bands have tooltips; one page below the other. */
extern const hpr_backend hpr__backend_svg;

/* TeX: the scene in PGF's basic layer; the data of the chart with a pgfplots axis. */
extern const hpr_backend hpr__backend_pgf;
extern const hpr_backend hpr__backend_pgfplots;

/* The chart as data (docs/formats/json.md). */
extern const hpr_backend hpr__backend_json;

/* A page: the items after its PAGE item. */
typedef struct hpr__page {
    const hpr_paper *paper;
    const hpr_item *items;
    size_t n_items;
} hpr__page;

/* Returns the number of pages. */
size_t hpr__scene_n_pages(const hpr_scene *scene);

/* Fills in the page that begins at item `*at`, and moves `*at` to the next page. Returns false
 * after the last page. Start with `*at` = 0. */
bool hpr__scene_next_page(const hpr_scene *scene, size_t *at, hpr__page *page);

#endif

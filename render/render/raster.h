/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Shapes of thousands of points onto pixels. What a pixel gets of a shape is the exact area of it
 * that the shape covers, gathered edge by edge in one pass (the area coverage of E. Catmull, "A
 * hidden-surface algorithm with anti-aliasing", 1978, section on the unweighted pixel integrator,
 * kept as differences along a row), which costs a tenth of what cairo's general rasteriser does.
 */
#ifndef HPRENDER_RASTER_H
#define HPRENDER_RASTER_H

#include "hprender/scene.h"

typedef struct hpr__raster hpr__raster;

/* Paints on `pixels`, rows of 0x00RRGGBB in the machine's byte order, `stride_bytes` apart. Borrows
 * them. NULL when there is no memory. */
hpr__raster *hpr__raster_create(unsigned char *pixels, size_t width_px, size_t height_px,
                                size_t stride_bytes);
void hpr__raster_destroy(hpr__raster *raster);

/* From points to pixels: times `px_per_pt`, then `down_px` lower. */
void hpr__raster_place(hpr__raster *raster, double px_per_pt, double down_px);

/* Draws an item if it is a shape of the kind that this file is for: of more than four points, whole
 * on the picture, its line neither dashed nor wider than two pixels (the joins of lines that thin
 * cannot be seen). Returns false, with nothing drawn, when it is not. */
bool hpr__raster_draw(hpr__raster *raster, const hpr_item *item);

#endif

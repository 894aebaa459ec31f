/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Plainly set text onto pixels, from the outlines of the fonts: unhinted, and beginning anywhere
 * within a pixel.
 */
#ifndef HPRENDER_RASTER_TEXT_H
#define HPRENDER_RASTER_TEXT_H

#include "raster.h"
#include "text_line.h"

/* Draws a TEXT item that has been set as `line`. */
void hpr__raster_text(hpr__raster *raster, const hpr_item *item, const hpr__line *line,
                      double px_per_pt, double down_px);

#endif

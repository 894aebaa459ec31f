/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Shapes that are made of lines and polygons of the scene, so that back ends need no patterns and
 * no symbols: hatches and markers.
 */
#ifndef HPR_SHAPES_H
#define HPR_SHAPES_H

#include "draw/scene_builder.h"
#include "style/fill.h"

/* Draws parallel lines in a closed polygon (even-odd rule), `gap_pt` apart, that rise at
 * `angle_deg`, counter-clockwise from the x axis. Lines of the same angle and gap are on one grid,
 * wherever the polygon is, and so are their dashes. Draws nothing when there is no memory. */
void hpr__hatch(hpr__builder *builder, const hpr_point *points, size_t n, double angle_deg,
                double gap_pt, hpr_paint paint);

/* Draws marker 1 to HPR__N_MARKERS with its centre at `at`. Hollow markers are filled with `paper`.
 */
void hpr__marker(hpr__builder *builder, hpr_point at, unsigned marker, hpr_colour colour,
                 hpr_colour paper);

#endif

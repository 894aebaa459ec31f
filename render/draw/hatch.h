/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Hatching: parallel lines clipped to a polygon, as lines of the scene. So every back end has it,
 * as vectors, and none needs to know of patterns.
 */
#ifndef HPR_HATCH_H
#define HPR_HATCH_H

#include "draw/scene_builder.h"

/* Draws lines that rise at `angle_deg` (counter-clockwise from the x axis, as seen) every `gap_pt`
 * inside a closed polygon (even-odd). Lines of equal angle and gap lie on one grid wherever they
 * are, so that a band that narrows to nothing goes on behind it in step. Does nothing when there is
 * no memory: the fill stays. */
void hpr__hatch(hpr__builder *ink, const hpr_point *points, size_t n, double angle_deg,
                double gap_pt, hpr_paint paint);

#endif

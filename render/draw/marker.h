/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Small shapes that stand on lines, where colours cannot tell them apart.
 */
#ifndef HPR_MARKER_H
#define HPR_MARKER_H

#include "style/fill.h"
#include "draw/scene_builder.h"

/* Draws a marker, from 1 to HPR__N_MARKERS, with its middle at a place of the scene. */
void hpr__marker(hpr__builder *ink, hpr_point at, unsigned marker, hpr_colour colour,
                 hpr_colour paper);

#endif

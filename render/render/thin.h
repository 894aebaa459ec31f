/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Thinning a curve: points that no eye misses are left out.
 *
 * From each point that stays, the directions are kept that pass all points since within a
 * tolerance; the first point that no such direction reaches makes the one before it stay (the cone
 * intersection of Sklansky and Gonzalez, 1980). One pass, no memory.
 */
#ifndef HPR_THIN_H
#define HPR_THIN_H

#include "hprender/scene.h"

/* Thins `n` points in place; x_pt must not decrease. The thinned curve is at most `tolerance_pt`
 * above or below any point of the old one, and has its ends. Returns how many points are left. */
size_t hpr__thin(hpr_point *points, size_t n, double tolerance_pt);

#endif

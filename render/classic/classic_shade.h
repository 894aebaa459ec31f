/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Shades of the classic look: one number per band, which the `.aux` file carries on. It is a grey
 * level, or with colours three levels coded into one number.
 */
#ifndef HPR_CLASSIC_SHADE_H
#define HPR_CLASSIC_SHADE_H

#include "chart/chart.h"

/* The grey of a shade; the colour that is coded in it (red * 0.1 + green * 0.001 + blue * 0.00001).
 * Levels above 1 are 1, as in PostScript. */
hpr_fill hpr__shade_to_gray(double shade);
hpr_fill hpr__shade_to_colour(double shade);

/* The shade that is handed out as the `index`-th of a drawing. */
double hpr__shade_of_index(size_t index, bool colour);

/* Gives every band its shade and fill, from the bottom: that of `classic->previous`, or the next
 * that is handed out. `capacity` is how many shades hp2ps can keep. Errors: LIMIT. */
HPF_MUST_USE hpf_status hpr__classic_shade(hpr__chart *chart, const hpr_classic *classic,
                                           size_t capacity, hpf_error *err);

#endif

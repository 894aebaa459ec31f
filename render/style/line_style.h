/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Telling lines apart that cross anywhere. The colour follows the name, as that of a band does, but
 * any two lines may meet, and a line shows little of its colour: one that somebody could take for
 * a heavier one has dashes that the other has not. In print, dashes and markers do it alone.
 */
#ifndef HPR_LINE_STYLE_H
#define HPR_LINE_STYLE_H

#include "style/palette.h"

#define HPR__N_MARKERS 10 /* markers of lines in print: five shapes, full and hollow */

/* Fills for `n` lines; scratch memory from `arena`. False when there is none. */
bool hpr__line_style_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                            hpr_theme theme, hpf_arena *arena);

/* Dashes each solid line that would hide another one: `rows` are the lines' values at `n_points`
 * points, and lines are drawn in their order. */
void hpr__line_style_uncover(hpr_fill *fills, const double *const *rows, uint32_t n,
                             size_t n_points);

#endif

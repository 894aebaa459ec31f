/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fills for black-and-white print: hatches in four directions on two grounds.
 *
 * Direction follows the name, like colour does, unless the band below has the same one: bands that
 * touch never share an angle, and alternate between a wide hatch on white and a narrow one on grey.
 * In several stacks at once a band may have four others below it, and then shares one's angle.
 */
#ifndef HPR_PRINT_STYLE_H
#define HPR_PRINT_STYLE_H

#include "style/palette.h"

/* Fills for `n` bands, bottom first. */
void hpr__print_style_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n);

#endif

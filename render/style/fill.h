/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What bands are filled with: a colour of the palette, a hatch (theme "print") or, in a chart of
 * lines, a line style.
 *
 * Line styles: a line has the colour of its name, made darker or lighter until it is visible on the
 * background. Since any two lines may cross, a line whose colour could be mistaken for the colour
 * of a heavier line gets different dashes. In print, lines differ by dashes and markers alone.
 *
 * Hatches: 24 patterns, which differ in direction, distance and width of lines, in crossings and
 * dots, and in the grey below them. Each is used once before any is used again. Bands that touch
 * never share a direction, and if possible one is darker; of the rest the name chooses. In several
 * stacks at once a band may touch four others, and then may share the direction of one.
 */
#ifndef HPR_FILL_H
#define HPR_FILL_H

#include "base/arena.h"
#include "style/palette.h"

#define HPR__N_MARKERS 10 /* markers of lines in print: five shapes, full and hollow */

/* Completes the fills of `n` bands, bottom first, which have the colours of their names, for the
 * theme and kind of chart of the options. Takes scratch memory from `arena`. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__fill_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                                         const hpr_options *options, hpf_arena *arena,
                                         hpf_error *err);

/* Chooses line styles for `n` lines, which have the colours of their names. Takes scratch memory
 * from `arena`; returns false if there is none. */
bool hpr__line_style_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                            hpr_theme theme, hpf_arena *arena);

/* Dashes every solid line that would hide another one. `rows` are the values of the lines at
 * `n_points` points, in the order in which the lines are drawn. */
void hpr__line_style_uncover(hpr_fill *fills, const double *const *rows, uint32_t n,
                             size_t n_points);

/* Returns the colour of the lines of a hatch: white on a dark fill, else black. */
static inline hpr_colour hpr__hatch_colour(const hpr_fill *fill)
{
    return fill->colour.red < 0.5 ? (hpr_colour){1, 1, 1} : (hpr_colour){0, 0, 0};
}

/* Chooses hatches for `n` bands, bottom first. */
void hpr__print_style_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n);

#endif

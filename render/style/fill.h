/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What bands are filled with: a colour of the palette, a grey (theme "print") or, in a chart of
 * lines, a line style.
 *
 * A name has the fill that its hash selects, in all pictures of all profiles. Only where two
 * neighbours in the stack, or two of the largest bands, look alike, the smaller one moves to its
 * next choice that is distinct. A hairline separates what still looks alike, for example to a
 * colour-blind reader.
 *
 * Line styles: a line has the colour of its name, made darker or lighter until it is visible on the
 * background. Since any two lines may cross, a line whose colour could be mistaken for the colour
 * of a heavier line gets different dashes. In print, lines differ by dashes and markers alone.
 */
#ifndef HPR_FILL_H
#define HPR_FILL_H

#include "base/arena.h"
#include "style/palette.h"

#define HPR__N_MARKERS 10 /* markers of lines in print: five shapes, full and hollow */

/* A band, as input of the choice of fills. */
typedef struct hpr__swatch {
    hpf_str name;
    bool is_other;
    double weight;   /* of two that look alike, the smaller one moves; the heaviest line is solid */
    double max;      /* its greatest height */
    uint64_t absent; /* one bit for each of several stacks that lack it */
} hpr__swatch;

/* Chooses the fills of `n` bands, bottom first, for the theme and kind of chart of the options.
 * Takes scratch memory from `arena`. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__fill_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                                         const hpr_options *options, hpf_arena *arena,
                                         hpf_error *err);

/* Dashes every solid line that would hide another one. `rows` are the values of the lines at
 * `n_points` points, in the order in which the lines are drawn. */
void hpr__line_style_uncover(hpr_fill *fills, const double *const *rows, uint32_t n,
                             size_t n_points);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing hatches from the bottom up. OTHER is plain grey: nobody needs to find it again.
 */
#include "print_fill.h"

#include "hpfile/str.h"

enum { N_ANGLES = 4, NO_ANGLE = N_ANGLES };

static const double angles_deg[N_ANGLES] = {45, 135, 90, 0};

static const struct {
    double grey, gap_pt;
} grounds[] = {{1, 4.5}, {0.86, 2.5}};

#define OTHER_GREY 0.72

static hpr_fill grey_fill(double grey)
{
    return (hpr_fill){.is_gray = true, .colour = {grey, grey, grey}};
}

void hpr__print_fill_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n)
{
    unsigned below = NO_ANGLE;
    for (uint32_t i = 0; i < n; i++) {
        if (swatches[i].is_other) {
            fills[i] = grey_fill(OTHER_GREY);
            below = NO_ANGLE;
            continue;
        }
        unsigned angle =
            (unsigned)(hpr__palette_hash(hpf_str_without_id(swatches[i].name)) % N_ANGLES);
        if (angle == below) {
            angle = (angle + 1) % N_ANGLES;
        }
        fills[i] = grey_fill(grounds[i % 2].grey);
        fills[i].hatch_deg = angles_deg[angle];
        fills[i].hatch_gap_pt = grounds[i % 2].gap_pt;
        below = angle;
    }
}

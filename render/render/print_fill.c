/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing hatches from the bottom up. OTHER is plain grey: nobody needs to find it again.
 */
#include "print_fill.h"

#include "hpfile/str.h"

enum { N_ANGLES = 4, NO_ANGLE = N_ANGLES, N_GROUNDS = 2 };

static const double angles_deg[N_ANGLES] = {45, 135, 90, 0};

static const struct {
    double grey, gap_pt;
} grounds[N_GROUNDS] = {{1, 4.5}, {0.86, 2.5}};

#define OTHER_GREY 0.72

static hpr_fill grey_fill(double grey)
{
    return (hpr_fill){.is_gray = true, .colour = {grey, grey, grey}};
}

/* The angle that the fewest bands on this ground have so far, not that of the band below; among
 * equals the one that the name calls for, or the next. */
static unsigned best_angle(const unsigned *n_users, unsigned below, hpf_str name)
{
    unsigned wanted = (unsigned)(hpr__palette_hash(hpf_str_without_id(name)) % N_ANGLES);
    unsigned best = NO_ANGLE;
    for (unsigned i = 0; i < N_ANGLES; i++) {
        unsigned angle = (wanted + i) % N_ANGLES;
        if (angle != below && (best == NO_ANGLE || n_users[angle] < n_users[best])) {
            best = angle;
        }
    }
    return best;
}

void hpr__print_fill_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n)
{
    unsigned n_users[N_GROUNDS][N_ANGLES] = {{0}};
    unsigned below = NO_ANGLE;
    for (uint32_t i = 0; i < n; i++) {
        if (swatches[i].is_other) {
            fills[i] = grey_fill(OTHER_GREY);
            below = NO_ANGLE;
            continue;
        }
        unsigned ground = i % N_GROUNDS;
        unsigned angle = best_angle(n_users[ground], below, swatches[i].name);
        n_users[ground][angle]++;
        fills[i] = grey_fill(grounds[ground].grey);
        fills[i].hatch_deg = angles_deg[angle];
        fills[i].hatch_gap_pt = grounds[ground].gap_pt;
        below = angle;
    }
}

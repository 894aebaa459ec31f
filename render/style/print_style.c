/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing hatches from the bottom up. OTHER is plain grey: nobody needs to find it again.
 */
#include "style/print_style.h"

#include "hpfile/str.h"

enum { N_ANGLES = 4, NO_ANGLE = N_ANGLES, N_GROUNDS = 2, ALL_ANGLES = (1 << N_ANGLES) - 1 };

static const double angles_deg[N_ANGLES] = {45, 135, 90, 0};

static const struct {
    double grey, gap_pt;
} grounds[N_GROUNDS] = {{1, 4.5}, {0.86, 2.5}};

#define OTHER_GREY 0.72

static hpr_fill grey_fill(double grey)
{
    return (hpr_fill){.is_gray = true, .colour = {grey, grey, grey}};
}

/* The angle of a hatch as a bit; no hatch: no bit. */
static unsigned angle_bit(const hpr_fill *fill)
{
    unsigned bit = 0;
    for (unsigned i = 0; i < N_ANGLES && fill->hatch_gap_pt > 0; i++) {
        bit |= fill->hatch_deg == angles_deg[i] ? 1U << i : 0;
    }
    return bit;
}

/* The angles of what lies right below a band, in one stack or another. */
static unsigned angles_below(const hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                             uint64_t stacks, uint32_t band)
{
    int64_t below = hpr__swatch_next(swatches, n, band, -1, 0);
    unsigned taken = below >= 0 ? angle_bit(&fills[below]) : 0;
    for (uint64_t stack = 1; stack != 0 && stack <= stacks; stack <<= 1) {
        if ((swatches[band].absent & stack) == 0) {
            below = hpr__swatch_next(swatches, n, band, -1, stack);
            taken |= below >= 0 ? angle_bit(&fills[below]) : 0;
        }
    }
    return taken;
}

/* The angle that the fewest bands on this ground have so far, none of those that are taken unless
 * all are; among equals the one that the name calls for, or the next. */
static unsigned best_angle(const unsigned *n_users, unsigned taken, hpf_str name)
{
    unsigned wanted = (unsigned)(hpr__palette_hash(hpf_str_without_id(name)) % N_ANGLES);
    unsigned best = NO_ANGLE;
    taken = taken == ALL_ANGLES ? 0 : taken;
    for (unsigned i = 0; i < N_ANGLES; i++) {
        unsigned angle = (wanted + i) % N_ANGLES;
        bool is_free = (taken & 1U << angle) == 0;
        if (is_free && (best == NO_ANGLE || n_users[angle] < n_users[best])) {
            best = angle;
        }
    }
    return best;
}

void hpr__print_style_choose(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n)
{
    unsigned n_users[N_GROUNDS][N_ANGLES] = {{0}};
    uint64_t stacks = hpr__swatch_stacks(swatches, n);
    for (uint32_t i = 0; i < n; i++) {
        if (swatches[i].is_other) {
            fills[i] = grey_fill(OTHER_GREY);
            continue;
        }
        unsigned ground = i % N_GROUNDS;
        unsigned taken = angles_below(fills, swatches, n, stacks, i);
        unsigned angle = best_angle(n_users[ground], taken, swatches[i].name);
        n_users[ground][angle]++;
        fills[i] = grey_fill(grounds[ground].grey);
        fills[i].hatch_deg = angles_deg[angle];
        fills[i].hatch_gap_pt = grounds[ground].gap_pt;
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What charts of differences share with the modern look: how bands are filled.
 */
#ifndef HPR_MODERN_H
#define HPR_MODERN_H

#include "chart.h"
#include "palette.h"

/* The colour that the options give a name, or NULL. */
const hpr_colour *hpr__pinned_colour(const hpr_options *options, hpf_str name);

/* What `n` bands are filled with, bottom first, in the theme of the options. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__modern_fill(hpr_fill *fills, const hpr__swatch *swatches, uint32_t n,
                                         const hpr_options *options, hpf_arena *arena,
                                         hpf_error *err);

#endif

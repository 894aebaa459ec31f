/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The chains of retainers from the largest bands of a profile by retainer to the roots.
 */
#ifndef CENSUS_CHAINS_H
#define CENSUS_CHAINS_H

#include "input.h"
#include "hpfile/sink.h"

/* Writes the chains of at most `n_bands` bands (0: all) as text. Errors: UNSUPPORTED for a profile
 * whose report does not have them; MEMORY. */
hpf_status chains_write(const input *in, size_t n_bands, bool exact, hpf_sink *sink,
                        hpf_error *err);

#endif

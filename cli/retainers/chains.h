/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The chains of retainers from the largest bands of a profile by retainer to the roots.
 */
#ifndef CENSUS_CHAINS_H
#define CENSUS_CHAINS_H

#include "input.h"
#include "hpfile/sink.h"
#include "prof/prof.h"

/* What held the retainers, and those of them that were listed. */
typedef struct chain {
    const hpf_prof_holding *holdings;
    size_t n_holdings;
    hpf_str *listed; /* retainers */
    size_t n_listed;
} chain;

/* The holdings of one retainer. */
typedef struct held {
    uint64_t size_bytes, n_objects; /* of all */
    bool is_root;
    size_t n_sets;                /* that lead on: to a retainer that is not listed yet */
    const hpf_prof_holding *best; /* the largest of these */
} held;

held chain_holdings_of(const chain *c, hpf_str retainer);
bool chain_has_listed(const chain *c, hpf_str retainer);

/* Writes the chains of at most `n_bands` bands (0: all) as text. Errors: UNSUPPORTED for a profile
 * whose report does not have them; MEMORY. */
hpf_status chains_write(const input *in, size_t n_bands, bool exact, hpf_sink *sink,
                        hpf_error *err);

#endif

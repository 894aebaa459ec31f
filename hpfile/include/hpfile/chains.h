/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The way from a retainer to the roots: to the largest set of retainers that held it, and so on.
 */
#ifndef HPFILE_CHAINS_H
#define HPFILE_CHAINS_H

#include "hpfile/prof.h"

HPF_BEGIN_DECLS

/* What held the retainers, and which of them were listed. */
typedef struct hpf_chain {
    const hpf_prof_holding *holdings;
    size_t n_holdings;
    hpf_str *listed; /* retainers */
    size_t n_listed;
} hpf_chain;

/* The holdings of one retainer. */
typedef struct hpf_held {
    uint64_t size_bytes, n_objects; /* of all */
    bool is_root;
    size_t n_sets;                /* that lead on: to a retainer that is not listed yet */
    const hpf_prof_holding *best; /* the largest of these */
} hpf_held;

HPF_API hpf_held hpf_chain_holdings_of(const hpf_chain *c, hpf_str retainer);
HPF_API bool hpf_chain_has_listed(const hpf_chain *c, hpf_str retainer);

HPF_END_DECLS
#endif

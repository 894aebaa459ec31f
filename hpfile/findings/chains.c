/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/chains.h"

#include "hpfile/str.h"
#include "hpfile/retainer_sets.h"

bool hpf_chain_has_listed(const hpf_chain *c, hpf_str retainer)
{
    for (size_t i = 0; i < c->n_listed; i++) {
        if (hpf_str_equal(c->listed[i], retainer)) {
            return true;
        }
    }
    return false;
}

/* Returns whether a set leads on: it has a member that is not listed yet, or is no set but a word
 * such as MANY. */
static bool leads_on(const hpf_chain *c, hpf_str members)
{
    hpf_str rest = members;
    hpf_str member = hpf_retainer_sets_next_member(&rest);
    bool is_word = !member.data;
    for (; member.data; member = hpf_retainer_sets_next_member(&rest)) {
        if (!hpf_chain_has_listed(c, member)) {
            return true;
        }
    }
    return is_word;
}

hpf_held hpf_chain_holdings_of(const hpf_chain *c, hpf_str retainer)
{
    hpf_held all = {0};
    for (size_t i = 0; i < c->n_holdings; i++) {
        const hpf_prof_holding *h = &c->holdings[i];
        if (!hpf_str_equal(h->retainer, retainer)) {
            continue;
        }
        all.is_root |= h->is_root;
        all.size_bytes += h->size_bytes;
        all.n_objects += h->is_root ? 0 : h->n_objects;
        if (!h->is_root && leads_on(c, h->by)) {
            all.n_sets++;
            all.best = !all.best || h->size_bytes > all.best->size_bytes ? h : all.best;
        }
    }
    return all;
}

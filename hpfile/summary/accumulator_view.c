/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Views copy what settling changes: the sums of names, the picks and the sample that is held.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "summary/accumulator.h"

/* Brings over what is borrowed, and makes room for what is not. */
static bool borrow(hpf__tally *view, const hpf__tally *of)
{
    if (!HPF__ARRAY_RESERVE(view->accounts, view->accounts_capacity, of->n_accounts + 1)) {
        return false;
    }
    hpf__tally own = *view;
    *view = *of;
    view->accounts = own.accounts;
    view->accounts_capacity = own.accounts_capacity;
    view->held.costs = own.held.costs;
    view->held.costs_capacity = own.held.costs_capacity;
    view->picks = own.picks;
    view->totals = own.totals;
    view->totals_capacity = own.totals_capacity;
    view->recall = (hpf__recall){.is_lost = true};
    return true;
}

static bool copy_held(hpf__held *held, const hpf__held *from)
{
    if (!HPF__ARRAY_RESERVE(held->costs, held->costs_capacity, from->n_costs)) {
        return false;
    }
    if (from->n_costs) {
        memcpy(held->costs, from->costs, from->n_costs * sizeof *held->costs);
    }
    return true;
}

bool hpf__tally_view(hpf__tally *view, const hpf__tally *of)
{
    if (!borrow(view, of) || !copy_held(&view->held, &of->held) ||
        !hpf__picks_copy(&view->picks, &of->picks)) {
        return false;
    }
    if (of->n_accounts) {
        memcpy(view->accounts, of->accounts, of->n_accounts * sizeof *of->accounts);
    }
    return true;
}

bool hpf__tally_view_names(hpf__tally *view, const hpf__tally *of)
{
    if (!borrow(view, of)) {
        return false;
    }
    view->n_hidden = 1;
    view->whole = (hpf__account){0};
    view->held.is_there = false;
    view->is_wanted = NULL; /* costs that come have been sifted */
    view->overview = (hpf_overview){.n_marks = of->overview.n_marks,
                                    .n_lines = of->overview.n_lines,
                                    .lines = of->overview.lines,
                                    .truncated = of->overview.truncated};
    hpf__picks_finish(&view->picks);
    hpf__picks_init(&view->picks, of->picks.max_picks);
    for (size_t i = 0; i < of->n_accounts; i++) {
        view->accounts[i] = (hpf__account){.leftover = of->accounts[i].leftover};
    }
    view->accounts[of->n_accounts] = (hpf__account){0};
    return true;
}

void hpf__tally_view_finish(hpf__tally *view)
{
    hpf__picks_finish(&view->picks);
    free(view->held.costs);
    free(view->accounts);
    free(view->totals);
    *view = (hpf__tally){0};
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options that are refused, each with what has them; and names without blanks.
 */
#include "base/arena.h"
#include "collector_options.h"

#include "native_names.h"

static hpf_status check_selector(hpp_breakdown selector, hpf_error *err)
{
    switch (selector) {
    case HPP_BY_TYPE:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "-hy: types are not known of a program as it is; -hd and -hc tell "
                             "where its blocks were made");
    case HPP_BY_RETAINERS:
    case HPP_BY_BIOGRAPHY:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "-h%c needs to see each object: a program that embeds the profiler "
                             "has it (hpprof/runtime.h)",
                             (char)selector);
    default:
        return HPF_OK;
    }
}

static hpf_status check(const hpp_options *profile, hpf_error *err)
{
    const hpp_census_options *census = &profile->census;
    hpf_status status = check_selector(census->breakdown, err);
    for (size_t i = 0; i < census->n_restrictions && status == HPF_OK; i++) {
        status = check_selector(census->restrictions[i].selector, err);
    }
    if (status == HPF_OK &&
        (profile->with_bins || profile->print_on_abort || census->count_stacks)) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                               "-B, -xc and -xt are for programs that embed the profiler");
    }
    return status;
}

static bool clean_names(hpp_restriction *to, const hpp_restriction *from, hpf_arena *arena)
{
    hpf_str *names = hpf_arena_array(arena, from->n_names, sizeof *names);
    *to = *from;
    to->names = names;
    for (size_t i = 0; names && i < from->n_names; i++) {
        char *name = hpf_arena_alloc(arena, from->names[i].length);
        if (!name) {
            return false;
        }
        names[i] = (hpf_str){name, hpp__names_clean(name, from->names[i])};
    }
    return names != NULL;
}

hpf_status hpp__collector_adapt(hpp_options *out, const hpp_options *profile, hpf_arena *arena,
                                hpf_error *err)
{
    *out = *profile;
    hpf_status status = check(profile, err);
    if (status != HPF_OK) {
        return status;
    }
    size_t n = profile->census.n_restrictions;
    hpp_restriction *restrictions = hpf_arena_array(arena, n, sizeof *restrictions);
    bool is_good = restrictions != NULL;
    for (size_t i = 0; i < n && is_good; i++) {
        is_good = clean_names(&restrictions[i], &profile->census.restrictions[i], arena);
    }
    out->census.restrictions = restrictions;
    return is_good ? HPF_OK : hpf_error_set_memory(err);
}

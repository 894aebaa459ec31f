/* SPDX-License-Identifier: BSD-2-Clause */
#include "options/stack_options.h"

const char *const stack_part_names[] = {STACK_PART_NAMES, NULL};

const char *stack_part_of(hpf_breakdown further)
{
    return further == HPF_BREAKDOWN_TYPE        ? stack_part_names[HPF_PART_TYPE]
           : further == HPF_BREAKDOWN_RETAINER  ? stack_part_names[HPF_PART_RETAINER]
           : further == HPF_BREAKDOWN_BIOGRAPHY ? stack_part_names[HPF_PART_USE]
                                                : NULL;
}

const char *stack_options_given(const stack_options *v)
{
    const opt_given table[] = {{"by", v->part >= 0},
                               {"depth", v->depth >= 0},
                               {"under", v->under != NULL},
                               {"callers-of", v->callers_of != NULL},
                               {"callees-of", v->callees_of != NULL},
                               {"skip", v->skip.n > 0},
                               {"no-skip", v->no_skip},
                               {NULL, false}};
    return opt_first_given(table);
}

bool stack_options_view(const stack_options *v, hpf_stack_view **out, opt_complaint *complaint)
{
    hpf_error err;
    const hpf_stack_view_options options = {
        .size = sizeof options,
        .part = v->part >= 0 ? (hpf_stack_part)v->part : HPF_PART_STACK,
        .depth = v->depth > 0 ? (uint32_t)v->depth : 0,
        .under = v->under,
        .callers_of = v->callers_of,
        .callees_of = v->callees_of,
        .shows_names = v->part < 0 && v->depth < 0 && !v->under && !v->callers_of && !v->callees_of,
        .skip = v->skip.texts,
        .n_skip = v->skip.n,
        .skips_none = v->no_skip,
    };
    *out = NULL;
    if (v->no_skip && v->skip.n > 0) {
        return opt_complain(complaint, "--skip and --no-skip exclude each other");
    }
    if (v->depth > 0 && v->part > HPF_PART_STACK) {
        return opt_complain(complaint, "--depth cannot be used with --by %s, which is one function",
                            stack_part_names[v->part]);
    }
    return !stack_options_given(v) || hpf_stack_view_create(out, &options, &err) == HPF_OK ||
           opt_complain(complaint, "%s", err.message);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The options that choose what is shown of stacks (hpfile/stack_view.h).
 */
#ifndef CENSUS_STACK_OPTIONS_H
#define CENSUS_STACK_OPTIONS_H

#include "hpfile/stack_view.h"

#include "options/opt.h"

typedef struct stack_options {
    int part;  /* an hpf_stack_part; -1: none was given */
    int depth; /* -1: none was given; 0: all functions */
    const char *under, *callers_of, *callees_of;
    opt_list skip;
    bool no_skip;
} stack_options;

/* The choices of --by, at the numbers of their parts; and as a list that NULL ends. */
#define STACK_PART_NAMES                                                                           \
    [HPF_PART_STACK] = "stack", [HPF_PART_FUNCTION] = "function",                                  \
    [HPF_PART_PRODUCER] = "producer", [HPF_PART_MODULE] = "module", [HPF_PART_LINE] = "line",      \
    [HPF_PART_TYPE] = "type", [HPF_PART_THREAD] = "thread", [HPF_PART_RETAINER] = "retainer",      \
    [HPF_PART_USE] = "use"
extern const char *const stack_part_names[];

/* Returns the choice of --by for a further break-down of a recording; NULL for other break-downs.
 */
const char *stack_part_of(hpf_breakdown further);

/* Rows of a table of options. `position` is the offset of a stack_options. */
#define STACK_PART(position)                                                                       \
    OPT(0, "by", OPT_CHOICE, (position), "PART",                                                   \
        "name bands by a part of their call stacks: stack (all functions), function (innermost), " \
        "producer (with its module), module, line, thread (outermost function); or by what a "     \
        "recording also has: type (-hy), retainer (-hr), use (-hb)",                               \
        .choices = stack_part_names)

#define STACK_DEPTH(position)                                                                      \
    OPT(0, "depth", OPT_INT, (position), "N", "show only the N innermost functions of stacks",     \
        .low = 1, .high = 1 << 20)

#define STACK_FUNCTIONS(position)                                                                  \
    OPT(0, "under", OPT_TEXT, (position) + offsetof(stack_options, under), "REGEX",                \
        "use only stacks with a function that matches by name, module or place"),                  \
        OPT(0, "callers-of", OPT_TEXT, (position) + offsetof(stack_options, callers_of), "REGEX",  \
            "show who calls the functions that match; with --by, the direct caller"),              \
        OPT(0, "callees-of", OPT_TEXT, (position) + offsetof(stack_options, callees_of), "REGEX",  \
            "show what the functions that match call; with --by, the direct callee")

#define STACK_SKIP(position)                                                                       \
    OPT(0, "skip", OPT_LIST, (position) + offsetof(stack_options, skip), "REGEX",                  \
        "pass over functions that match, as over those of standard libraries and allocators, "     \
        "when naming a stack (may be repeated)"),                                                  \
        OPT(0, "no-skip", OPT_FLAG, (position) + offsetof(stack_options, no_skip), NULL,           \
            "name stacks by their innermost function")

/* Returns the name of an option that was given, or NULL. */
const char *stack_options_given(const stack_options *values);

/* Creates the view; NULL if no option was given. Returns false with a message. */
bool stack_options_view(const stack_options *values, hpf_stack_view **out,
                        opt_complaint *complaint);

#endif

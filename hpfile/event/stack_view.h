/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A compiled view, for the viewer.
 */
#ifndef HPF_EVENT_STACK_VIEW_H
#define HPF_EVENT_STACK_VIEW_H

#include "base/buffer.h"
#include "base/regular_expression.h"
#include "hpfile/stack_view.h"

/* The expressions of a view. */
enum { UNDER, CALLERS, CALLEES, N_EXPRESSIONS };

struct hpf_stack_view {
    hpf_stack_part part;
    uint32_t depth;
    bool has[N_EXPRESSIONS];
    regex_t expressions[N_EXPRESSIONS];
    bool has_main; /* one of them names __main__, which is also the script of a job */
    bool shows_names;
    hpf_frame_rules *rules;
    hpf__buffer caption; /* "callers of malloc, by module" */
};

/* Returns whether a view shows lines: stacks that differ in lines of calls are different then. */
static inline bool hpf__stack_view_has_lines(const hpf_stack_view *view)
{
    return view->part == HPF_PART_LINE && !view->shows_names;
}

#endif

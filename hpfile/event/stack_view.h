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
    bool shows_names;
    hpf_frame_rules *rules;
    hpf__buffer caption; /* "callers of malloc, by module" */
};

#endif

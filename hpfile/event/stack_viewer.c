/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A name of the reader has a stack: its frames. When the name is defined, its frames are matched
 * with the expressions of the view (match_frame, find_focus), the view chooses some of them
 * (choose_frames), and their text (put_text) is interned as the name that is shown. Samples then
 * only replace the reader's names by the shown ones; several can have the same, or none. If stacks
 * are kept apart, each has a shown name of its own, with a number as of a cost-centre stack.
 */
#include "event/stack_viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "hpfile/breakdown.h"
#include "event/costs.h"
#include "event/stack_view.h"
#include "base/frame.h"
#include "base/names.h"
#include "base/python_main.h"

/* Of a name that is left out. */
#define NOT_SHOWN UINT32_MAX

/* Where a shown name comes from: the frames [begin, end) of a name of the reader. */
typedef struct shown_name {
    hpf_name source;
    uint32_t begin, end;
} shown_name;

struct hpf_stack_viewer {
    const hpf_stack_view *view;
    hpf_frames_of *frames_of;
    void *frames_context;
    hpf_events events;
    void *context;
    hpf_name *shown; /* by name of the reader; NOT_SHOWN */
    size_t n_sources, shown_capacity;
    hpf__intern names; /* that are shown */
    shown_name *origins;
    size_t origins_capacity;
    hpf__intern frames; /* label, module and source, each ended by a NUL: each is matched once */
    unsigned char *matches; /* by frame: a bit for each expression */
    size_t matches_capacity;
    hpf__buffer text;
    hpf__buffer script; /* of Python, which expressions may call __main__ */
    hpf_frame *stack;   /* of the name that is defined */
    size_t stack_capacity;
    hpf_breakdown by;    /* of names of the reader */
    bool has_part;       /* of some frame */
    hpf_stack_part part; /* that is shown */
    bool keeps_stacks;
    hpf__costs costs;
};

hpf_stack_viewer *hpf_stack_viewer_create(const hpf_stack_view *view, hpf_frames_of *frames_of,
                                          void *frames_context)
{
    hpf_stack_viewer *v = calloc(1, sizeof *v);
    if (v) {
        v->view = view;
        v->part = view->part;
        v->frames_of = frames_of;
        v->frames_context = frames_context;
    }
    return v;
}

void hpf_stack_viewer_destroy(hpf_stack_viewer *v)
{
    if (v) {
        hpf__intern_finish(&v->names);
        hpf__intern_finish(&v->frames);
        hpf__buffer_finish(&v->text);
        hpf__buffer_finish(&v->script);
        hpf__costs_finish(&v->costs);
        free(v->shown);
        free(v->origins);
        free(v->matches);
        free(v->stack);
        free(v);
    }
}

void hpf__stack_viewer_keep_stacks(hpf_stack_viewer *v)
{
    v->keeps_stacks = true;
}

void hpf_stack_viewer_emit_to(hpf_stack_viewer *v, const hpf_events *events, void *context)
{
    v->events = *events;
    v->context = context;
}

hpf_str hpf__stack_viewer_name(const hpf_stack_viewer *v, hpf_name name)
{
    return v->names.names[name];
}

size_t hpf__stack_viewer_frames(const hpf_stack_viewer *v, hpf_name name, hpf_frame *frames,
                                size_t room)
{
    const shown_name *origin = &v->origins[name];
    size_t n = origin->end - origin->begin;
    hpf_frame *all = room ? malloc(origin->end * sizeof *all) : NULL;
    if (all) {
        v->frames_of(v->frames_context, origin->source, all, origin->end);
        memcpy(frames, all + origin->begin, (n < room ? n : room) * sizeof *frames);
    }
    free(all);
    return all || room == 0 ? n : 0;
}

/* --- names --- */

/* Returns whether an expression matches a text of a frame as it is, or with __main__. */
static bool is_match(const hpf_stack_viewer *v, int expression, const char *text, char *alias)
{
    const regex_t *regex = &v->view->expressions[expression];
    if (regexec(regex, text, 0, NULL, 0) == 0) {
        return true;
    }
    if (!alias) {
        return false;
    }
    hpf__write_with_main(alias, text, hpf__buffer_str(&v->script));
    return regexec(regex, alias, 0, NULL, 0) == 0;
}

/* Stores the bits of the expressions that match a frame. Returns HPF_OK, HPF_ERR_MEMORY or
 * HPF_ERR_LIMIT. */
static hpf_status match_frame(hpf_stack_viewer *v, const hpf_frame *frame, unsigned *matches)
{
    const hpf_str texts[] = {frame->label, frame->module, frame->source};
    size_t places[3];
    uint32_t number;
    bool is_new;
    v->text.length = 0;
    for (int i = 0; i < 3; i++) {
        places[i] = v->text.length;
        if (!hpf__buffer_add(&v->text, texts[i]) || !hpf__buffer_append(&v->text, "", 1)) {
            return HPF_ERR_MEMORY;
        }
    }
    if (!HPF__ARRAY_RESERVE(v->matches, v->matches_capacity, (size_t)v->frames.n_names + 1)) {
        return HPF_ERR_MEMORY;
    }
    hpf_status status = hpf__intern_add(&v->frames, hpf__buffer_str(&v->text), &number, &is_new);
    if (status == HPF_OK && is_new) {
        unsigned bits = 0;
        char *alias = v->script.length > 0 ? malloc(HPF__MAIN_ROOM(v->text.length)) : NULL;
        if (v->script.length > 0 && !alias) {
            return HPF_ERR_MEMORY;
        }
        for (int e = 0; e < N_EXPRESSIONS; e++) {
            for (int i = 0; i < 3 && v->view->has[e]; i++) {
                bits |= (unsigned)is_match(v, e, v->text.bytes + places[i], alias) << e;
            }
        }
        free(alias);
        v->matches[number] = (unsigned char)bits;
    }
    *matches = status == HPF_OK ? v->matches[number] : 0;
    return status;
}

/* The frames of a stack that match --callers or --callees. */
typedef struct focus {
    bool is_shown; /* the stack is, as far as the expressions go */
    uint32_t innermost, outermost;
} focus;

/* Matches the `n` frames of v->stack, of which functions begin at `first`, with the expressions.
 * Returns HPF_OK, HPF_ERR_MEMORY or HPF_ERR_LIMIT. */
static hpf_status find_focus(hpf_stack_viewer *v, uint32_t n, uint32_t first, focus *out)
{
    const hpf_stack_view *view = v->view;
    bool is_focused = view->has[CALLERS] || view->has[CALLEES];
    bool is_under = !view->has[UNDER], has_match = false;
    for (uint32_t i = 0; i < n && (is_focused || view->has[UNDER]); i++) {
        unsigned matches;
        hpf_status status = match_frame(v, &v->stack[i], &matches);
        if (status != HPF_OK) {
            return status;
        }
        is_under |= (matches & 1U << UNDER) != 0;
        if (i >= first && (matches & (1U << CALLERS | 1U << CALLEES))) {
            out->innermost = has_match ? out->innermost : i;
            out->outermost = i;
            has_match = true;
        }
    }
    out->is_shown = n > 0 && is_under && (has_match || !is_focused);
    return HPF_OK;
}

/* Returns the break-down of a part that says what is known of objects, or NONE. */
static hpf_breakdown breakdown_of(hpf_stack_part part)
{
    return part == HPF_PART_TYPE       ? HPF_BREAKDOWN_TYPE
           : part == HPF_PART_RETAINER ? HPF_BREAKDOWN_RETAINER
           : part == HPF_PART_USE      ? HPF_BREAKDOWN_BIOGRAPHY
                                       : HPF_BREAKDOWN_NONE;
}

/* Returns the part that names have in a profile by a break-down. */
static hpf_stack_part part_of_names(hpf_breakdown by)
{
    return by == HPF_BREAKDOWN_TYPE        ? HPF_PART_TYPE
           : by == HPF_BREAKDOWN_RETAINER  ? HPF_PART_RETAINER
           : by == HPF_BREAKDOWN_BIOGRAPHY ? HPF_PART_USE
                                           : HPF_PART_STACK;
}

/* Returns whether a frame says what the view shows of objects. An info table has a type. */
static bool says(const hpf_stack_viewer *v, const hpf_frame *frame)
{
    hpf_breakdown wanted = breakdown_of(v->part);
    bool is_table = frame->table.length > 0;
    return frame->further == wanted ||
           (frame->further == HPF_BREAKDOWN_NONE &&
            (is_table ? wanted == HPF_BREAKDOWN_TYPE : v->by == wanted));
}

/* Stores in `*frames` which of the `n` frames of v->stack, innermost first, are shown; none if
 * begin is end. Returns HPF_OK, HPF_ERR_MEMORY or HPF_ERR_LIMIT.
 *
 *     type  f  g  focus  h  focus  main     the frames; the type of the block may be missing
 *           [-----------]                   --callees: from the innermost focus inwards
 *                           [---------]     --callers: from the outermost focus outwards
 *              [----------------------]     neither: from the one that names the stack
 *
 * Of these, a view by call stack shows `depth` frames that begin at the focus. Another view shows
 * one: the callee of the focus, its caller, or the one that names the stack. */
static hpf_status choose_frames(hpf_stack_viewer *v, uint32_t n, shown_name *frames)
{
    const hpf_stack_view *view = v->view;
    uint32_t first = n > 1 ? (uint32_t)hpf__n_types(v->stack, n - 1) : 0; /* function */
    bool is_stack = v->part == HPF_PART_STACK;
    uint32_t depth = is_stack && view->depth ? view->depth : UINT32_MAX;
    focus at = {.is_shown = false};
    hpf_status status = find_focus(v, n, first, &at);
    frames->begin = frames->end = 0;
    if (status != HPF_OK || !at.is_shown) {
        return status;
    }
    if (v->part == HPF_PART_THREAD) {
        frames->begin = n - 1;
        frames->end = n;
    } else if (breakdown_of(v->part) != HPF_BREAKDOWN_NONE && first > 0) {
        while (frames->begin < first && !says(v, &v->stack[frames->begin])) {
            frames->begin++;
        }
        frames->begin = frames->begin < first ? frames->begin : 0;
        frames->end = frames->begin + 1;
    } else if (view->has[CALLEES] && is_stack) {
        frames->end = at.innermost + 1;
        frames->begin = depth < frames->end - first ? frames->end - depth : first;
    } else if (view->has[CALLEES]) {
        frames->begin = at.innermost - (at.innermost > first);
        frames->end = frames->begin + 1;
    } else {
        uint32_t own = (uint32_t)hpf_frame_rules_own(view->rules, v->stack + first, n - first);
        uint32_t begin = view->has[CALLERS] ? at.outermost : first + own;
        begin += !is_stack && view->has[CALLERS] && begin + 1 < n;
        uint32_t with_line = begin;
        while (with_line < n && v->stack[with_line].source.length == 0) {
            with_line++;
        }
        begin = v->part == HPF_PART_LINE && with_line < n ? with_line : begin;
        frames->begin = begin;
        frames->end = is_stack && depth > n - begin ? n : begin + (is_stack ? depth : 1);
    }
    return HPF_OK;
}

/* Puts what is shown of the frames of a name into v->text. */
static bool put_text(hpf_stack_viewer *v, const shown_name *frames, hpf_str name)
{
    const hpf_frame *frame = &v->stack[frames->begin];
    hpf__buffer *text = &v->text;
    text->length = 0;
    if (v->keeps_stacks) {
        char number[16];
        int n = snprintf(number, sizeof number, "(%u)", (unsigned)v->names.n_names + 1);
        if (!hpf__buffer_append(text, number, (size_t)n)) {
            return false;
        }
    }
    switch (v->part) {
    case HPF_PART_STACK:
        for (uint32_t i = frames->begin; i < frames->end; i++) {
            if ((i > frames->begin && !hpf__buffer_append(text, "/", 1)) ||
                !hpf__append_frame(text, &v->stack[i])) {
                return false;
            }
        }
        return true;
    case HPF_PART_MODULE:
        v->has_part |= frame->module.length > 0;
        return hpf__buffer_add(text, frame->module.length ? frame->module : HPF_STR("(no module)"));
    case HPF_PART_PRODUCER:
        return hpf__buffer_add(text, frame->module) &&
               hpf__buffer_add(text, frame->module.length ? HPF_STR(".") : HPF_STR("")) &&
               hpf__buffer_add(text, frame->label);
    case HPF_PART_LINE: {
        /* The label of an info table has the place already. */
        bool has_more = frame->source.length > 0 && frame->table.length == 0;
        hpf_str source = frame->source;
        source = hpf_str_begins(source, "/") ? hpf__base_name(source) : source;
        v->has_part |= source.length > 0;
        return hpf__append_frame(text, frame) &&
               (!has_more ||
                (hpf__buffer_add(text, HPF_STR(" ")) && hpf__buffer_add(text, source)));
    }
    case HPF_PART_TYPE:
    case HPF_PART_RETAINER:
    case HPF_PART_USE: {
        hpf_str type = says(v, frame) ? frame->type : HPF_STR("");
        type = type.length == 0 && v->by == breakdown_of(v->part) ? name : type;
        v->has_part |= type.length > 0;
        return hpf__buffer_add(text, type.length ? type : HPF_STR("(no type)"));
    }
    case HPF_PART_FUNCTION:
    case HPF_PART_THREAD:
        break;
    }
    return hpf__append_frame(text, frame);
}

/* Defines what is shown of a name of the reader. `*shown` is NOT_SHOWN if that is nothing. */
static hpf_status define(hpf_stack_viewer *v, hpf_name source, hpf_str name, hpf_name *shown,
                         hpf_error *err)
{
    shown_name frames = {.source = source};
    bool is_new = false;
    *shown = NOT_SHOWN;
    size_t n = v->frames_of(v->frames_context, source, NULL, 0);
    hpf_status status = HPF_ERR_MEMORY;
    if (n < NOT_SHOWN && HPF__ARRAY_RESERVE(v->stack, v->stack_capacity, n) &&
        HPF__ARRAY_RESERVE(v->origins, v->origins_capacity, (size_t)v->names.n_names + 1)) {
        v->frames_of(v->frames_context, source, v->stack, n);
        status = choose_frames(v, (uint32_t)n, &frames);
    }
    if (status == HPF_OK && frames.begin < frames.end) {
        hpf_name number;
        status = put_text(v, &frames, name)
                     ? hpf__intern_add(&v->names, hpf__buffer_str(&v->text), &number, &is_new)
                     : HPF_ERR_MEMORY;
        if (status == HPF_OK) {
            *shown = number;
        }
    }
    if (status != HPF_OK) {
        return status == HPF_ERR_LIMIT ? hpf_error_set(err, status, "more than 2^30 names")
                                       : hpf_error_set_memory(err);
    }
    if (is_new) {
        v->origins[*shown] = v->keeps_stacks ? (shown_name){source, 0, (uint32_t)n} : frames;
        if (v->events.name) {
            status = v->events.name(v->context, *shown, v->names.names[*shown], err);
        }
    }
    return status;
}

/* --- events --- */

/* Puts a job into v->text that says what is shown: "git log · by module" for "git log · by call
 * stack" and "git log · by type", and "main +RTS -hc · by module" for "main +RTS -hc". */
static bool put_job(hpf_stack_viewer *v, hpf_str job)
{
    hpf_str rest = hpf_native_part_of_job(job);
    hpf_str begin = {job.data, job.length};
    v->text.length = 0;
    const char *shown = v->by == HPF_BREAKDOWN_TYPE       ? "type"
                        : v->by == HPF_BREAKDOWN_RETAINER ? "retainer set"
                                                          : "call stack";
    if (hpf_str_begins(rest, shown)) {
        begin.length = (size_t)(rest.data - job.data) - strlen(HPF_NATIVE_JOB_BY);
        rest = hpf_str_from(rest, strlen(shown));
    } else {
        rest.length = 0;
    }
    return hpf__buffer_add(&v->text, begin) && hpf__buffer_add(&v->text, HPF_STR(" \302\267 ")) &&
           hpf__buffer_add(&v->text, hpf__buffer_str(&v->view->caption)) &&
           hpf__buffer_add(&v->text, rest);
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf_stack_viewer *v = context;
    if (which == HPF_HEADER_JOB) {
        v->by = hpf_breakdown_of_job(text);
        v->script.length = 0;
        v->part = v->view->shows_names ? part_of_names(v->by) : v->view->part;
        if (v->view->has_main && !hpf__buffer_add(&v->script, hpf__python_script(text))) {
            return hpf_error_set_memory(err);
        }
        if (!v->view->shows_names && !put_job(v, text)) {
            return hpf_error_set_memory(err);
        }
        text = v->view->shows_names ? text : hpf__buffer_str(&v->text);
    }
    return v->events.header ? v->events.header(v->context, which, text, err) : HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf_stack_viewer *v = context;
    if (!HPF__ARRAY_RESERVE(v->shown, v->shown_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    v->n_sources = (size_t)name + 1;
    return define(v, name, text, &v->shown[name], err);
}

/* Gathers the costs of what is shown. */
static hpf_status show_costs(hpf_stack_viewer *v, const hpf_cost *costs, size_t n_costs,
                             hpf_error *err)
{
    v->costs.n = 0;
    for (size_t i = 0; i < n_costs; i++) {
        hpf_cost cost = costs[i];
        cost.name = v->shown[cost.name];
        if (cost.name != NOT_SHOWN && !hpf__costs_add(&v->costs, cost, v->names.n_names)) {
            return hpf_error_set_memory(err);
        }
    }
    return HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_stack_viewer *v = context;
    hpf_status status = show_costs(v, sample->costs, sample->n_costs, err);
    if (status != HPF_OK || !v->events.sample) {
        return status;
    }
    hpf_sample shown = *sample;
    shown.costs = v->costs.all;
    shown.n_costs = v->costs.n;
    return v->events.sample(v->context, &shown, err);
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_stack_viewer *v = context;
    return v->events.mark ? v->events.mark(v->context, time, label, err) : HPF_OK;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    hpf_stack_viewer *v = context;
    return v->events.quantity ? v->events.quantity(v->context, name, point, err) : HPF_OK;
}

static hpf_status on_leftover(void *context, const hpf_cost *costs, size_t n_costs, hpf_error *err)
{
    hpf_stack_viewer *v = context;
    hpf_status status = show_costs(v, costs, n_costs, err);
    return status == HPF_OK && v->events.leftover
               ? v->events.leftover(v->context, v->costs.all, v->costs.n, err)
               : status;
}

const hpf_events hpf_stack_viewer_events = {.header = on_header,
                                            .name = on_name,
                                            .sample = on_sample,
                                            .mark = on_mark,
                                            .quantity = on_quantity,
                                            .leftover = on_leftover};

hpf_status hpf_stack_viewer_check(const hpf_stack_viewer *v, hpf_error *err)
{
    static const char *const missing[] = {
        [HPF_PART_MODULE] = "module; event logs of -hc have them",
        [HPF_PART_LINE] = "place in the source; event logs of -hc have them",
        [HPF_PART_TYPE] = "type; profiles of -hy and event logs of -hi have them",
        [HPF_PART_USE] = "use; profiles of -hb have it",
        [HPF_PART_THREAD] = NULL,
        [HPF_PART_RETAINER] = "retainer; profiles of -hr have them"};
    hpf_stack_part part = v->part;
    if (v->n_sources > 0 && v->names.n_names == 0) {
        return hpf_error_set(err, HPF_ERR_RANGE, "no stack has a function that matches");
    }
    if (v->n_sources > 0 && !v->has_part && missing[part]) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "no function of this profile has a %s",
                             missing[part]);
    }
    return HPF_OK;
}

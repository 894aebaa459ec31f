/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles views of stacks.
 */
#include "event/stack_view.h"
#include "base/options.h"
#include "base/python_main.h"

#include <stdlib.h>
#include <string.h>

static bool add_to_caption(hpf__buffer *caption, const char *what, const char *text)
{
    return (caption->length == 0 || hpf__buffer_append(caption, ", ", 2)) &&
           hpf__buffer_append(caption, what, strlen(what)) &&
           hpf__buffer_append(caption, text, strlen(text));
}

static bool put_caption(hpf__buffer *caption, const hpf_stack_view_options *o)
{
    static const char *const parts[] = {[HPF_PART_STACK] = "call stack",
                                        [HPF_PART_FUNCTION] = "function",
                                        [HPF_PART_PRODUCER] = "producer",
                                        [HPF_PART_MODULE] = "module",
                                        [HPF_PART_LINE] = "line",
                                        [HPF_PART_TYPE] = "type",
                                        [HPF_PART_THREAD] = "thread",
                                        [HPF_PART_RETAINER] = "retainer",
                                        [HPF_PART_USE] = "use"};
    return (!o->callers_of || add_to_caption(caption, "callers of ", o->callers_of)) &&
           (!o->callees_of || add_to_caption(caption, "callees of ", o->callees_of)) &&
           add_to_caption(caption, "by ", parts[o->part]) &&
           (!o->under || add_to_caption(caption, "under ", o->under));
}

hpf_status hpf_stack_view_create(hpf_stack_view **out, const hpf_stack_view_options *given,
                                 hpf_error *err)
{
    hpf_stack_view_options options;
    *out = NULL;
    hpf_status status = HPF__OPTIONS_COPY(&options, given, err);
    const char *texts[N_EXPRESSIONS] = {options.under, options.callers_of, options.callees_of};
    if (status != HPF_OK) {
        return status;
    }
    if (options.callers_of && options.callees_of) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "expected callers or callees of a function, found both");
    }
    hpf_stack_view *view = calloc(1, sizeof *view);
    if (!view) {
        return hpf_error_set_memory(err);
    }
    view->part = options.part;
    view->depth = options.depth;
    view->shows_names = options.shows_names;
    status =
        hpf_frame_rules_create(&view->rules, options.skip, options.n_skip, options.skips_none, err);
    if (status != HPF_OK) {
        hpf_stack_view_destroy(view);
        return status;
    }
    if (!put_caption(&view->caption, &options)) {
        hpf_stack_view_destroy(view);
        return hpf_error_set_memory(err);
    }
    for (int i = 0; i < N_EXPRESSIONS; i++) {
        status = texts[i] ? hpf__regular_expression(&view->expressions[i], texts[i], err) : HPF_OK;
        if (status != HPF_OK) {
            hpf_stack_view_destroy(view);
            return status;
        }
        view->has[i] = texts[i] != NULL;
        view->has_main |= hpf__names_main(texts[i]);
    }
    *out = view;
    return HPF_OK;
}

void hpf_stack_view_destroy(hpf_stack_view *view)
{
    for (int i = 0; view && i < N_EXPRESSIONS; i++) {
        if (view->has[i]) {
            regfree(&view->expressions[i]);
        }
    }
    if (view) {
        hpf__buffer_finish(&view->caption);
        hpf_frame_rules_destroy(view->rules);
    }
    free(view);
}

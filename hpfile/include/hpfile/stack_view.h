/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What of a profile's call stacks or cost-centre stacks becomes bands: the whole stack, its
 * innermost function of the program itself, that function's module or line, or the callers or
 * callees of a function. One profile of stacks so answers several questions.
 *
 * Stacks come from event logs, whose frames have modules and places, and names such as
 * `(12)apply/eval/main`, whose frames have labels only. Any other name is a stack of one frame.
 * Stacks of which the same is shown become one name.
 */
#ifndef HPFILE_STACK_VIEW_H
#define HPFILE_STACK_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "hpfile/error.h"
#include "hpfile/frame.h"

HPF_BEGIN_DECLS

typedef enum hpf_stack_part {
    HPF_PART_STACK,    /* the labels of the frames, innermost first: "apply/eval/main" */
    HPF_PART_FUNCTION, /* the label of a frame */
    HPF_PART_PRODUCER, /* the label after the module: "Interp.apply" */
    HPF_PART_MODULE,
    HPF_PART_LINE,   /* the label before the place: "apply Interp.hs:12:1-30"; of the next function
                        outwards if the place is not known */
    HPF_PART_TYPE,   /* the type that a stack allocated, or of an info table; in other profiles by
                        type, the whole name */
    HPF_PART_THREAD, /* the label of the outermost frame, with which a thread begins */
    HPF_PART_RETAINER, /* the set that holds what a stack allocated; in other profiles by retainer,
                          the whole name */
    HPF_PART_USE, /* the phase of what a stack allocated; in other profiles by use, the whole name
                   */
} hpf_stack_part;

typedef struct hpf_stack_view_options {
    size_t size; /* of the struct (version.h) */
    /* HPF_PART_STACK begins with the frame that names the stack (frame.h). All other parts
     * belong to one frame: HPF_PART_THREAD of the outermost, the others of that frame; with
     * `callers_of`, of the caller of the function; with `callees_of`, of the function that it
     * calls. If there is none, of the function itself. */
    hpf_stack_part part;
    uint32_t depth; /* HPF_PART_STACK: the number of frames, from the first one that is shown; 0:
                       all */
    /* Extended regular expressions, or NULL. A frame matches if its label, its module or its place
     * does; stacks without a matching frame are left out. `under` also matches types. `callers_of`
     * shows the outermost matching frame and its callers, `callees_of` the innermost one and what
     * it calls, so that recursion does not hide them; at most one of the two. */
    const char *under, *callers_of, *callees_of;
    /* The names of the reader as they are; all of the above is ignored. */
    bool shows_names;
    /* Frames that a name does not begin with, as for hpf_frame_rules_create. */
    const char *const *skip;
    size_t n_skip;
    bool skips_none;
} hpf_stack_view_options;

typedef struct hpf_stack_view hpf_stack_view;

/* Compiles a view, which may serve several profiles. Texts are copied. Errors: ARGUMENT, LIMIT for
 * an expression; ARGUMENT for both callers and callees; MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_stack_view_create(hpf_stack_view **out,
                                                      const hpf_stack_view_options *options,
                                                      hpf_error *err);
HPF_API void hpf_stack_view_destroy(hpf_stack_view *view);

HPF_END_DECLS
#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Call stacks and cost-centre stacks under numbers, for the formats of flame graphs
 * (hpfile/folded.h, hpfile/speedscope.h): equal stacks are one, and so are equal frames.
 *
 * A name such as `(12)apply/eval/main` is a stack, innermost frame first, behind a number that is
 * left out. Any other name is a stack of one frame. A slash that would leave a frame empty belongs
 * to it, so that the operator `/` is a frame. What the producer cut off stays cut: `(7)f/g/ma...`
 * has the outermost frame `ma...`.
 *
 * Memory: different frames and stacks.
 */
#ifndef HPFILE_STACKS_H
#define HPFILE_STACKS_H

#include "hpfile/prof.h"
#include "hpfile/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_stacks hpf_stacks;

/* NULL when there is no memory. */
HPF_API hpf_stacks *hpf_stacks_create(void);
HPF_API void hpf_stacks_destroy(hpf_stacks *stacks);

/* The number of the stack that a name is: dense, from 0, in order of first sight. Errors: MEMORY,
 * LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_stacks_of_name(hpf_stacks *stacks, hpf_str name,
                                                   uint32_t *stack, hpf_error *err);

/* The same for a stack whose frames are known (hpf_survey_frames), innermost first. No frame is the
 * stack of MAIN; a CAF is MODULE.CAF, an info table `TABLE MODULE.LABEL SOURCE`. */
HPF_API HPF_MUST_USE hpf_status hpf_stacks_of_frames(hpf_stacks *stacks, const hpf_frame *frames,
                                                     size_t n_frames, uint32_t *stack,
                                                     hpf_error *err);

/* No stack. */
#define HPF_NO_STACK UINT32_MAX

/* The same for all stacks of a report: `numbers` has one element for each. The root is a frame of
 * its own stack only. Centres that GHC keeps out of its totals, such as GC, have HPF_NO_STACK if
 * not `with_hidden`. */
HPF_API HPF_MUST_USE hpf_status hpf_stacks_of_prof(hpf_stacks *stacks, const hpf_prof *prof,
                                                   bool with_hidden, uint32_t *numbers,
                                                   hpf_error *err);

HPF_API uint32_t hpf_stacks_n(const hpf_stacks *stacks);

/* The numbers of a stack's frames, outermost first; borrowed until the next stack. */
HPF_API const uint32_t *hpf_stacks_frames(const hpf_stacks *stacks, uint32_t stack, size_t *n);

/* A frame, as it is shown. Without a place, `file` is empty; without a line, it is 0. */
typedef struct hpf_stack_frame {
    hpf_str name;
    hpf_str file;
    uint32_t line, column;
} hpf_stack_frame;

HPF_API uint32_t hpf_stacks_n_frames(const hpf_stacks *stacks);
HPF_API hpf_stack_frame hpf_stacks_frame(const hpf_stacks *stacks, uint32_t frame);

/* All stacks in the order of their frames' names, outermost first: those that begin alike are
 * neighbours. `order` has hpf_stacks_n elements. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_stacks_order(const hpf_stacks *stacks, uint32_t *order,
                                                 hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Call stacks and cost-centre stacks under numbers, for the formats of flame graphs
 * (folded.h, speedscope.h): equal stacks are one, and so are equal frames.
 *
 * A name such as `(12)apply/eval/main` is a stack, innermost frame first, after a number that is
 * dropped. Any other name is a stack of one frame. A slash that would leave a frame empty belongs
 * to the frame, so that the operator `/` is a frame. Truncated names stay truncated: `(7)f/g/ma...`
 * has the outermost frame `ma...`.
 *
 * Memory: different frames and stacks.
 */
#ifndef HPFILE_STACKS_H
#define HPFILE_STACKS_H

#include "hpfile/prof.h"
#include "hpfile/frame.h"

HPF_BEGIN_DECLS

typedef struct hpf_stacks hpf_stacks;

/* Returns NULL when there is no memory. */
HPF_API hpf_stacks *hpf_stacks_create(void);
HPF_API void hpf_stacks_destroy(hpf_stacks *stacks);

/* Stores the number of the stack of a name: 0, 1, 2, ... in the order of first use. Errors: MEMORY,
 * LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_stacks_of_name(hpf_stacks *stacks, hpf_str name,
                                                   uint32_t *stack, hpf_error *err);

/* Stores the number of a stack with known frames (hpf_survey_frames), innermost first. No frame is
 * the stack of MAIN; a CAF is MODULE.CAF, an info table `TABLE MODULE.LABEL SOURCE`. */
HPF_API HPF_MUST_USE hpf_status hpf_stacks_of_frames(hpf_stacks *stacks, const hpf_frame *frames,
                                                     size_t n_frames, uint32_t *stack,
                                                     hpf_error *err);

/* Amounts of stacks. All zero: none. Free `of` with free. */
typedef struct hpf_stack_amounts {
    double *of; /* by stack, for the first `n`; the amounts of others are 0 */
    size_t n;
} hpf_stack_amounts;

/* Adds to the amount of a stack. Returns false without memory. */
HPF_API HPF_MUST_USE bool hpf_stack_amounts_add(hpf_stack_amounts *amounts, uint32_t stack,
                                                double amount);

/* Not a stack. */
#define HPF_NO_STACK UINT32_MAX

/* Stores the numbers of all stacks of a report: `numbers` has one element for each. The root is a
 * frame of its own stack only. Centres that GHC keeps out of its totals, such as GC, have
 * HPF_NO_STACK if not `with_hidden`. */
HPF_API HPF_MUST_USE hpf_status hpf_stacks_of_prof(hpf_stacks *stacks, const hpf_prof *prof,
                                                   bool with_hidden, uint32_t *numbers,
                                                   hpf_error *err);

HPF_API uint32_t hpf_stacks_n(const hpf_stacks *stacks);

/* Returns the numbers of a stack's frames, outermost first; borrowed until the next stack. */
HPF_API const uint32_t *hpf_stacks_frames(const hpf_stacks *stacks, uint32_t stack, size_t *n);

/* A frame as it is shown. `file` is empty and `line` 0 if unknown. */
typedef struct hpf_stack_frame {
    hpf_str name;
    hpf_str file;
    uint32_t line, column;
    uint32_t start_line; /* of its function; 0: unknown */
} hpf_stack_frame;

HPF_API uint32_t hpf_stacks_n_frames(const hpf_stacks *stacks);
HPF_API hpf_stack_frame hpf_stacks_frame(const hpf_stacks *stacks, uint32_t frame);

/* Fills `order`, hpf_stacks_n elements, with all stacks sorted by the names of their frames,
 * outermost first. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_stacks_order(const hpf_stacks *stacks, uint32_t *order,
                                                 hpf_error *err);

HPF_END_DECLS
#endif

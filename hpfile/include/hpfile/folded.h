/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One moment of a profile by cost-centre stacks as folded stacks, which flamegraph.pl, speedscope,
 * inferno and others draw: a line for each stack, outermost frame first, and its amount.
 *
 *     main;eval;apply 2891008
 *
 * A name such as `(12)apply/eval/main` is a stack, innermost frame first: the number is left out,
 * the frames are turned round. Any other name is a stack of one frame. A slash that would leave a
 * frame empty belongs to it, so that the operator `/` is a frame. What the producer cut off stays
 * cut: `(7)f/g/ma...` has the outermost frame `ma...`.
 */
#ifndef HPFILE_FOLDED_H
#define HPFILE_FOLDED_H

#include "hpfile/reader.h"
#include "hpfile/sink.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_folded hpf_folded;

/* NULL when there is no memory. */
HPF_API hpf_folded *hpf_folded_create(void);
HPF_API void hpf_folded_destroy(hpf_folded *folded);

/* Adds what a name costs; names that become the same stack add up. Semicolons in frames become
 * commas, control characters blanks. Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_folded_add(hpf_folded *folded, hpf_str name, double amount,
                                               hpf_error *err);

/* The same for a stack whose frames are known (hpf_survey_frames), innermost first; at least one.
 */
HPF_API HPF_MUST_USE hpf_status hpf_folded_add_stack(hpf_folded *folded, const hpf_frame *frames,
                                                     size_t n_frames, double amount,
                                                     hpf_error *err);

/* Writes the stacks in the order of their bytes. Amounts are rounded to whole numbers, which is
 * what the readers of the format want; stacks that come to 0 are left out. Errors: MEMORY, those
 * of the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_folded_write(const hpf_folded *folded, hpf_sink *sink,
                                                 hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif

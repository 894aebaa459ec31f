/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Folded stacks, which flamegraph.pl, speedscope, inferno and others draw: a line for each stack,
 * outermost frame first, and its amount.
 *
 *     main;eval;apply 2891008
 */
#ifndef HPFILE_FOLDED_H
#define HPFILE_FOLDED_H

#include "hpfile/sink.h"
#include "hpfile/stacks.h"

HPF_BEGIN_DECLS

/* Writes the stacks in the order of their bytes; `amounts` has one element for each. Stacks that
 * read the same add up. Semicolons in frames become commas, control characters blanks. Amounts are
 * rounded to whole numbers, which is what the readers of the format want; stacks that come to 0 are
 * left out. Errors: MEMORY, LIMIT, from the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_folded_write(const hpf_stacks *stacks, const double *amounts,
                                                 hpf_sink *sink, hpf_error *err);

HPF_END_DECLS
#endif

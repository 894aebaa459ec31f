/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a module as HTML, with a span of colour for each part that a box describes. Which
 * spans there are, and how they nest, is as in the pages of hpc; the classes have the same names.
 */
#ifndef HPC_MARKUP_LINES_H
#define HPC_MARKUP_LINES_H

#include "coverage/mix.h"
#include "coverage/tix.h"
#include "hpfile/sink.h"

/* Writes the rows of a table, one for each line. `has_counts`: the line on which a declaration
 * begins says how often it was entered. Stores the number of boxes after the end of the text in
 * `*n_outside`. Errors: ARGUMENT, if `tix` has no counts for some boxes; MEMORY. */
hpf_status hpc_markup_lines_write(const hpc_mix *mix, const hpc_tix_module *tix, hpf_str text,
                                  bool has_counts, size_t *n_outside, hpf_sink *sink,
                                  hpf_error *err);

#endif

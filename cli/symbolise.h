/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names for the frames of profiles that have only addresses, from the files that were mapped.
 */
#ifndef CENSUS_SYMBOLISE_H
#define CENSUS_SYMBOLISE_H

#include "hpfile/event.h"

typedef struct symboliser symboliser;

void symboliser_destroy(symboliser *symboliser);

/* Replaces frames, innermost first, that are code without a function by functions, with inlined
 * ones and lines, up to main. A frame that is an info table gets a label and a module.
 * Frames that are not known stay as they are. The result is valid until the next call. `context` is
 * a `symboliser **`, which is created when it is NULL. Errors: MEMORY.
 */
HPF_MUST_USE hpf_status symboliser_frames(void *context, const hpf_frame **frames, size_t *n_frames,
                                          hpf_error *err);

/* Says, in one line, how many addresses in the input `name` have no function, in which files, and
 * what would help; nothing if there is none. `symboliser` may be NULL. */
void symboliser_say_unnamed(symboliser *symboliser, const char *name);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Errors and warnings, said to people on standard error.
 *
 * What is wrong inside an input reads `file:line:column: what`, followed by the line and a caret
 * under the column. All else reads `census: what`.
 */
#ifndef CENSUS_DIAG_H
#define CENSUS_DIAG_H

#include "hpfile/source.h"

/* What is wrong with the input `name`. `source`, unless NULL, is asked for the line again. */
void diag_input(const char *name, hpf_source *source, const hpf_error *err);

/* Something odd about the input `name` that does not stop anything. */
void diag_warning(const char *name, const hpf_error *warning);

/* What is wrong with something that is no input: `census: NAME: what`. */
void diag_error(const char *name, const hpf_error *err);

/* `census: what` for the rest. */
void diag_say(const char *format, ...) HPF_PRINTF(1, 2);

enum {
    EXIT_DONE = 0,   /* did what was asked, help and version included */
    EXIT_FAILED = 1, /* bad input, or the system said no */
    EXIT_MISUSED = 2 /* bad usage: nothing was read or written */
};

#endif

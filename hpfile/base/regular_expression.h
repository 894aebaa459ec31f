/* SPDX-License-Identifier: BSD-2-Clause
 *
 * POSIX extended regular expressions of a command line, with bounded memory.
 */
#ifndef HPF_REGULAR_EXPRESSION_H
#define HPF_REGULAR_EXPRESSION_H

#include <regex.h>

#include "hpfile/error.h"

/* Compiles `text` for matching without captures; free with regfree. The C library copies what a
 * bound such as {2,9} repeats, bounds inside bounds multiply, and its memory grows with the square
 * of the result. So an expression may have at most 4096 characters after repetition. Errors:
 * ARGUMENT, LIMIT, MEMORY. */
HPF_API hpf_status hpf__regular_expression(regex_t *out, const char *text, hpf_error *err);

#endif

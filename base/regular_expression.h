/* SPDX-License-Identifier: BSD-2-Clause
 *
 * POSIX extended regular expressions of a command line.
 */
#ifndef HPF_REGULAR_EXPRESSION_H
#define HPF_REGULAR_EXPRESSION_H

#include <regex.h>

#include "hpfile/error.h"

/* Compiles `text` for matching without captures; free with regfree. The C library copies what a
 * bound repeats, and the bounds of nested groups multiply: the length of the expression, and the
 * product of its bounds, are at most 4096. Some shorter ones still keep the C library busy for
 * minutes. Errors: ARGUMENT, LIMIT, MEMORY. */
hpf_status hpf__regular_expression(regex_t *out, const char *text, hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * POSIX extended regular expressions of a command line, compiled in bounded time and memory.
 */
#ifndef HPF_REGULAR_EXPRESSION_H
#define HPF_REGULAR_EXPRESSION_H

#include <regex.h>

#include "hpfile/error.h"

/* Compiles `text` for matching without captures; free with regfree. The C library copies what a
 * repetition repeats, repetitions inside repetitions multiply, and it follows every way in which a
 * repeated part can be empty. So an expression may have at most 4096 characters after repetition,
 * and a limited number of such ways. Errors: ARGUMENT, LIMIT, MEMORY. */
hpf_status hpf__regular_expression(regex_t *out, const char *text, hpf_error *err);

#endif

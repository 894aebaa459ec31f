/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a command is called by its user.
 */
#ifndef HPPROF_COMMAND_NAME_H
#define HPPROF_COMMAND_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "hpfile/error.h"

HPF_BEGIN_DECLS

/* Stores a name, cut to `n_bytes` with the NUL: of the script that an interpreter runs, without its
 * suffix, or of the module of Python's -m, else of the program; with `with_argument`, and the
 * argument that tells it apart ("cc1 parser.c"). `words` are the command, and end with NULL. */
HPF_API void hpp_command_name(char *out, size_t n_bytes, const char *const *words,
                              bool with_argument);

HPF_END_DECLS
#endif

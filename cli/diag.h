/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Messages on standard error, and exit statuses.
 *
 * An error inside an input is printed as `file:line:column: message`, followed by the line and a
 * caret under the column. Other messages start with `census:`.
 */
#ifndef CENSUS_DIAG_H
#define CENSUS_DIAG_H

#include <stdarg.h>
#include <stdio.h>

#include "hpfile/source.h"

/* Prints an error in the input `name`. `source`, unless NULL, is used to show the line. */
void diag_input(const char *name, hpf_source *source, const hpf_error *err);

/* Prints a warning about the input `name`. */
void diag_warning(const char *name, const hpf_error *warning);

/* Prints `census: NAME: message`. */
void diag_error(const char *name, const hpf_error *err);

/* Prints `census: message`. */
void diag_say(const char *format, ...) HPF_PRINTF(1, 2);

/* Prints a line for people: every line on a terminal that is not the output of a command comes from
 * here. Control characters, changes of direction and invalid UTF-8, from file names, command lines
 * or inputs, become U+FFFD, so that they cannot reach the terminal. Adds the line feed. */
void diag_print(FILE *to, const char *format, ...) HPF_PRINTF(2, 3);
void diag_vprint(FILE *to, const char *format, va_list arguments) HPF_PRINTF(2, 0);

/* Shows progress in the last line of standard error, a terminal. An empty message erases it. */
void diag_progress(const char *format, ...) HPF_PRINTF(1, 2);

enum {
    EXIT_DONE = 0,    /* success, including --help and --version */
    EXIT_FAILED = 1,  /* invalid input, or a system error */
    EXIT_MISUSED = 2, /* invalid usage: nothing was read or written */
    EXIT_BROKEN = 3   /* a rule of --fail-if is broken */
};

#endif

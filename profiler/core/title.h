/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The titles of a profile: the program with its arguments and the profiler's options, and the date.
 */
#ifndef HPP_TITLE_H
#define HPP_TITLE_H

#include "base/text.h"
#include "hpprof/options.h"

/* Returns the last part of a program's path, borrowed from it. */
hpf_str hpp__title_program(const char *path);

/* Append an argument of the program, and " +RTS" with the options of the profiler. */
void hpp__title_add_word(hpp__text *title, const char *word);
void hpp__title_add_options(hpp__text *title, const hpf_str *options, size_t n_options);

/* Appends the break-down of a program that knows nothing of +RTS, and restrictions: " · by module,
 * -hcmain". */
void hpp__title_add_breakdown(hpp__text *title, const hpp_options *options);

/* Stores the current date as GHC writes it in every locale: "Sat Nov 21 02:07 2026". It needs at
 * most 32 bytes. */
void hpp__title_date(char *out, size_t n_bytes);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The titles of a profile: the program with its arguments and the profiler's options, and the date.
 */
#ifndef HPP_TITLE_H
#define HPP_TITLE_H

#include "base/text.h"

/* The last part of a program's path. Borrowed from it. */
hpf_str hpp__title_program(const char *path);

/* Appends an argument of the program; " +RTS" and the options of the profiler. */
void hpp__title_add_word(hpp__text *title, const char *word);
void hpp__title_add_options(hpp__text *title, const hpf_str *options, size_t n_options);

/* Now, as GHC writes it: "Sat Nov 21 02:07 2026", in any locale. 32 bytes have room for it. */
void hpp__title_date(char *out, size_t n_bytes);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A folder for the files of one test, and whole files in one call.
 */
#ifndef CENSUS_TESTS_SCRATCH_H
#define CENSUS_TESTS_SCRATCH_H

#include <stdbool.h>

#include "hpfile/event.h"

/* Makes the folder; removes it with all that is in it. Both abort the test when they cannot. */
void scratch_begin(void);
void scratch_end(void);

/* The path of `name` in the folder; borrowed until the next call but seven. */
const char *scratch_path(const char *name);

/* Number of entries in the folder. */
unsigned scratch_n_files(void);

void write_file(const char *path, hpf_str bytes);

/* The bytes of a file, freed by the caller; NULL when it cannot be read. One more byte, a NUL,
 * stands behind them. `length` may be NULL. */
char *read_file(const char *path, size_t *length);

/* Runs a command with the file `in` as standard input and `out` as standard output; true when it
 * exits with 0. */
bool run_filter(const char *program, const char *option, const char *in, const char *out);

#endif

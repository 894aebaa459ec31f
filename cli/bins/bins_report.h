/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the commands do with files of address bins. All functions print their own messages and
 * return an exit status.
 */
#ifndef CENSUS_BINS_REPORT_H
#define CENSUS_BINS_REPORT_H

#include "bins.h"
#include "table.h"

typedef struct bins_output {
    const char *output; /* NULL: standard output */
    table_format format;
    size_t n_rows; /* largest rows only; 0: all */
    bool exact;
} bins_output;

/* Writes the sum of `n` files as a table, or what changed between two. */
int bins_report(const char *const *paths, size_t n, hpp_bins_group group, bool is_diff,
                const bins_output *to);

/* Writes what a file contains, as text or JSON. */
int bins_info(const char *path, const bins_output *to);

/* Writes the machine code of the functions named `function`, with the amount of each instruction,
 * as objdump disassembles it. */
int bins_annotate(const char *const *paths, size_t n, const char *function, const bins_output *to);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading files of address bins into a table.
 */
#ifndef CENSUS_BINS_H
#define CENSUS_BINS_H

#include "hpprof/bins_table.h"

/* Reads a file. Returns false after a message, with nothing to finish. */
bool bins_read(hpf_bins *bins, const char *path);

/* Initialises a table with the sum of `n` files, or with the two sides of a comparison. Returns
 * false after a message, with nothing to finish. */
bool bins_load(hpp_bins_table *table, const char *const *paths, size_t n, bool is_diff);

#endif

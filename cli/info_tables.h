/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names for the info tables of a program by GHC, from its symbols: `base_GHCziList_map_info` is
 * `map` of GHC.List.
 */
#ifndef CENSUS_INFO_TABLES_H
#define CENSUS_INFO_TABLES_H

#include "hpfile/frame.h"

typedef struct info_tables info_tables;

/* Reads the symbols of a program. Without any, or if its addresses are not fixed, nothing is found.
 * Returns NULL without memory. */
info_tables *info_tables_create(const char *path);
void info_tables_destroy(info_tables *tables);

/* Stores the label and the module of an info table, borrowed until the next call, and whether it
 * was found. A closure that is local to a function has no symbol of its own: its label is that of
 * the function, a colon, and its address. Errors: MEMORY. */
HPF_MUST_USE hpf_status info_tables_find(info_tables *tables, uint64_t address, hpf_frame *frame,
                                         bool *is_found, hpf_error *err);

#endif

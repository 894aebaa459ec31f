/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where functions begin and end in a file without symbols: the unwind tables must know, for
 * exceptions to work. Of them, the binary search table of .eh_frame_hdr is read (Linux Standard
 * Base, core, 10.6): 8 bytes for each function.
 */
#ifndef HPP_SYMBOL_FUNCTION_BOUNDS_H
#define HPP_SYMBOL_FUNCTION_BOUNDS_H

#include "elf_file.h"

typedef struct hpp__bounds {
    uint64_t start;
    uint64_t end; /* behind the last byte */
} hpp__bounds;

/* A function: its start and its frame description, as distances from the table. */
typedef struct hpp__frame_entry {
    int32_t start;
    int32_t description;
} hpp__frame_entry;

/* All zero is a table that has not been read. */
typedef struct hpp__frame_table {
    bool is_read;    /* or has been tried */
    bool has_failed; /* it is there, but could not be read, or there was no memory */
    hpp__frame_entry *entries;
    uint32_t n_entries;
} hpp__frame_table;

void hpp__frame_table_finish(hpp__frame_table *table);

/* The bounds of the function at an address; false when the tables do not tell. The table of the
 * file is read at the first question. */
bool hpp__function_bounds(hpp__frame_table *table, const hpp__elf *elf, uint64_t address,
                          hpp__bounds *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where functions begin and end in a file without symbols: the unwind tables have it, for
 * exceptions. Reads the binary search table of .eh_frame_hdr (Linux Standard Base, core, 10.6).
 * (The bounds in libdw's dwarf_frame_info belong to an unwind rule, not to a function.)
 */
#ifndef HPP_SYMBOL_FUNCTION_BOUNDS_H
#define HPP_SYMBOL_FUNCTION_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;

typedef struct hpp__function_bounds {
    const uint8_t *file; /* the mapped file, borrowed */
    size_t n_file;
    uint64_t table_offset; /* of .eh_frame_hdr in the file */
    uint64_t table_address;
    uint32_t n_entries; /* 0: there is no table */
} hpp__function_bounds;

/* Finds the table in an object file, which must outlive `bounds`. */
void hpp__function_bounds_read(hpp__function_bounds *bounds, struct Elf *elf);

/* Finds the first address of the function that contains `address`. */
bool hpp__function_bounds_find(const hpp__function_bounds *bounds, uint64_t address,
                               uint64_t *start);

#endif

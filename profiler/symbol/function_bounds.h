/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where functions begin and end in a file without symbols: the unwind tables must know, for
 * exceptions to work. The binary search table of .eh_frame_hdr (Linux Standard Base, core, 10.6)
 * is searched in the file; nothing is kept in memory.
 */
#ifndef HPP_SYMBOL_FUNCTION_BOUNDS_H
#define HPP_SYMBOL_FUNCTION_BOUNDS_H

#include "elf_file.h"

typedef struct hpp__bounds {
    uint64_t start;
    uint64_t end; /* behind the last byte */
} hpp__bounds;

/* The bounds of the function at an address; false when the tables do not tell. */
bool hpp__function_bounds(const hpp__elf *elf, uint64_t address, hpp__bounds *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The separate file that holds an object's debugging information, where packagers put it: by build
 * id, by debug link, or on a server.
 */
#ifndef HPP_SYMBOL_DEBUG_FILE_H
#define HPP_SYMBOL_DEBUG_FILE_H

#include "elf_file.h"

typedef struct hpp__debug_search {
    const char *folder;  /* "/usr/lib/debug" */
    const char *path;    /* of the object */
    const hpp__elf *elf; /* the object; NULL when it cannot be read */
    const uint8_t *build_id;
    size_t n_build_id;
    bool with_debuginfod;
} hpp__debug_search;

/* Opens the file into `out`, which is to be finished; false: there is none. A file of another build
 * is not taken: it has the same build id, or the checksum of the debug link. */
bool hpp__debug_file_open(hpp__elf *out, hpp__files *pool, const hpp__debug_search *search);

/* The ELF file inside section .gnu_debugdata ("mini debug information"): more symbols, compressed.
 */
bool hpp__debug_data_open(hpp__elf *out, const hpp__elf *elf);

#endif

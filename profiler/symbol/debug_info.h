/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What debugging information says about an address: the function, what was inlined there, files
 * and lines.
 *
 * Opening reads which unit of compilation holds which addresses, and no more; of a unit, functions
 * and lines are read when an address in it is first asked for.
 */
#ifndef HPP_SYMBOL_DEBUG_INFO_H
#define HPP_SYMBOL_DEBUG_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HPP__FRAMES_MAX 64

typedef struct hpp__debug_info hpp__debug_info;

/* A function at an address. Texts are borrowed until the information is closed. */
typedef struct hpp__frame {
    const char *linkage; /* NULL: none; C has none */
    const char *name;    /* NULL: only file and line are known */
    const char *file;    /* NULL: unknown */
    uint32_t line;       /* 0: unknown */
} hpp__frame;

/* Opens the debugging information in a file. NULL: there is none, it cannot be read, or no memory.
 */
hpp__debug_info *hpp__debug_info_open(const char *path);
void hpp__debug_info_close(hpp__debug_info *in);

/* The functions at an address, innermost first: `frames` has room for HPP__FRAMES_MAX. Their
 * number; 0 when nothing is known. */
size_t hpp__debug_info_find(hpp__debug_info *in, uint64_t address, hpp__frame *frames);

/* Whether libdw is built in and on this machine. */
bool hpp__debug_info_is_there(void);

#endif

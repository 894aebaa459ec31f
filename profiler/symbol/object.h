/* SPDX-License-Identifier: BSD-2-Clause
 *
 * All that can be found on this machine about one object file: the file itself, its separate debug
 * file, its symbols.
 */
#ifndef HPP_SYMBOL_OBJECT_H
#define HPP_SYMBOL_OBJECT_H

#include "debug_file.h"
#include "symtab.h"

typedef struct hpp__object {
    const char *path; /* borrowed */
    uint8_t build_id[HPP__BUILD_ID_MAX];
    size_t n_build_id; /* 0: not known, every file at the path will do */
    hpp__elf elf;      /* each with file NULL when there is none */
    hpp__elf debug;
    hpp__elf debug_data;
    hpp__symtab tables[2]; /* to be asked in this order */
    size_t n_tables;
} hpp__object;

/* What the opening of objects depends on. */
typedef struct hpp__object_options {
    const char *debug_folder;
    bool without_debug_info; /* only symbols are wanted */
    bool with_debuginfod;
} hpp__object_options;

/* Whether a path is that of a file: generated code has "", what the kernel provides "[vdso]". */
bool hpp__object_is_file(const char *path);

/* Opens what there is. `path` and build id are given, the rest is zero. */
void hpp__object_open(hpp__object *object, hpp__files *files, const hpp__object_options *options);
void hpp__object_finish(hpp__object *object);

#endif

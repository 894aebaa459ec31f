/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How to get symbols for object files that have none.
 */
#ifndef CENSUS_SYMBOL_HINT_H
#define CENSUS_SYMBOL_HINT_H

#include "hpfile/str.h"

enum { HINT_BYTES = 1024 };

typedef struct symbol_hint {
    char packages[HINT_BYTES]; /* Debian's packages with their debugging symbols; or empty */
    char others[HINT_BYTES];   /* files of no package; or empty */
} symbol_hint;

/* Finds the packages of files. Runs dpkg-query; without it, all files are of no package. */
void symbol_hint_find(symbol_hint *out, const hpf_str *paths, size_t n);

#endif

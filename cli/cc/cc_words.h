/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the command line of gcc or clang, to decide which flags `census cc` adds. Nothing is
 * changed or opened, except response files.
 */
#ifndef CENSUS_CC_WORDS_H
#define CENSUS_CC_WORDS_H

#include <stdbool.h>

/* What a compiler is asked to do. */
typedef struct cc_task {
    bool compiles;        /* it compiles sources or headers */
    bool links;           /* it creates a program or a shared object */
    bool is_shared;       /* ... a shared object */
    bool is_static;       /* ... without shared objects */
    bool has_language;    /* -x is in effect for what is appended */
    const char *conflict; /* an option that excludes exact biographies; NULL: none. Valid until the
                             next call */
} cc_task;

/* Returns the task of a command line, which ends with NULL. */
cc_task cc_words_read(char *const *words);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The variables of `census run` in the environment: CENSUS_RUN, and LD_PRELOAD with this library.
 * They are always the last two entries. The program does not see them: they are taken out when this
 * library starts, and put back for programs that it starts (exec.h), if the library can be loaded
 * into them.
 *
 * What the program itself has in LD_PRELOAD is an entry of its own, which stays where it is. Of two
 * such entries, the loader reads the last one, which therefore repeats what the program's has.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_ENVIRONMENT_H
#define HPP_NATIVE_TARGET_PRELOAD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the variables out of the environment. */
void hpp__environment_take(void);

/* Returns whether programs that are started get the variables at all. */
bool hpp__environment_is_passed(void);

/* The size of an environment for a program that is started. */
typedef struct hpp_environment_size {
    bool has_variables;
    size_t n_entries;     /* with the NULL at the end */
    size_t n_text_bytes;  /* of the variables */
    const char *own_list; /* the last value of LD_PRELOAD before, or NULL */
} hpp_environment_size;

/* Returns whether a program that is started with `entries` (NULL: none) gets another environment,
 * by its file (as of hpp__loading_check). Notes for the summary if the library cannot be loaded.
 * Makes only system calls, so it may be called after vfork. */
bool hpp__environment_size(hpp_environment_size *out, char *const entries[], int directory,
                           const char *path);

/* Makes the environment from `entries`; `out` and `texts` have the given size. */
void hpp__environment_make(char *out[], char *texts, const hpp_environment_size *size,
                           char *const entries[]);

/* Returns whether an entry is one of the variables. */
bool hpp__environment_is_variable(const char *entry);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of files: their parts, companion files, and short names for profiles.
 */
#ifndef CENSUS_PATH_H
#define CENSUS_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "hpfile/event.h"

/* Returns the part after the last slash. */
const char *path_base(const char *path);

/* Removes `suffix` from the end of a name, unless it is the whole name. Returns false if the name
 * does not end with it. */
bool path_drop_suffix(hpf_str *name, const char *suffix);

/* Returns whether a path has more than an extension, such as "json", at its end. */
bool path_has_extension(const char *path, const char *extension);

/* Returns the name without the suffix of a compression: "dir/run.hp" for "dir/run.hp.gz". */
hpf_str path_uncompressed(const char *path);

/* Returns whether both are the same existing regular file. */
bool path_is_same_file(const char *a, const char *b);

/* Returns short, different names for `n` profiles: "run" for "dir/run.hp.gz", with as many
 * directories as needed, or else numbers. "-" is "stdin". Free the array with path_free_names.
 * Returns NULL without memory. */
char **path_short_names(char *const *paths, size_t n);
void path_free_names(char **names, size_t n);

/* Returns the name of a file that belongs to a profile: "dir/run.lines" for "dir/run.hp.gz" and
 * ".lines". The caller frees it. Returns NULL if the path does not name a profile (.hp, .eventlog),
 * or without memory. */
char *companion_path(const char *path, const char *suffix);

/* Returns a path as a word of a shell. The caller frees it. Returns NULL without memory. */
char *path_shell_word(const char *path);

#endif

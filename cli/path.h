/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of files: their parts, and what profiles are called by them.
 */
#ifndef CENSUS_PATH_H
#define CENSUS_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "hpfile/event.h"

/* What follows the last slash. */
const char *path_base(const char *path);

/* Takes `suffix` off the end of a name, unless that is all of it. False: it does not end so. */
bool path_drop_suffix(hpf_str *name, const char *suffix);

/* The name of a profile without what compression adds: "dir/run.hp" of "dir/run.hp.gz". */
hpf_str path_uncompressed(const char *path);

/* Whether both are the same existing regular file. */
bool path_is_same_file(const char *a, const char *b);

/* Names for profiles that stand side by side: "run" of "dir/run.hp.gz", with as many folders in
 * front as it takes to tell all apart, and where nothing else does, with numbers behind. "-" is
 * "stdin". An array of `n`, freed by path_free_names; NULL without memory. */
char **path_tell_apart(char *const *paths, size_t n);
void path_free_names(char **names, size_t n);

/* The name of the file with another suffix: "dir/run.hp.gz" and ".lines" give "dir/run.lines". The
 * caller frees it. NULL: the path is none of a profile (.hp, .eventlog), or there is no memory. */
char *companion_path(const char *path, const char *suffix);

#endif

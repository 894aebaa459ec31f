/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profiles in a folder.
 */
#ifndef CENSUS_PROFILE_FOLDER_H
#define CENSUS_PROFILE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Paths, each allocated. All zero: none. */
typedef struct profile_paths {
    char **all;
    size_t n, capacity;
} profile_paths;

/* Adds a path, which is copied. Returns false after a message. */
bool profile_paths_add(profile_paths *paths, const char *path);

/* Adds the heap profiles that lie in a folder, by name, without hidden files and folders in it. Of
 * recordings of one run in several formats, it adds the one that says most. Returns false after a
 * message, also if there is none. */
bool profile_paths_add_folder(profile_paths *paths, const char *folder);

void profile_paths_finish(profile_paths *paths);

#endif

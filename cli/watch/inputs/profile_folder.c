/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files are known by their first bytes.
 */
#include "profile_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "hpfile/format.h"
#include "hpfile/source.h"

#include "diag.h"
#include "path.h"

bool profile_paths_add(profile_paths *paths, const char *path)
{
    char *copy = strdup(path);
    if (copy && HPF__ARRAY_PUSH(paths->all, paths->n, paths->capacity, copy)) {
        return true;
    }
    free(copy);
    diag_say("out of memory");
    return false;
}

/* Text of no known format could be anything: only text with the first line of GHC's files counts.
 */
static bool is_profile(const char *path)
{
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    const hpf_format *format;
    hpf_source *source;
    hpf_str head;
    struct stat about;
    bool is_file = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    if (!is_file || hpf_source_open(&source, path, &keeping, NULL) != HPF_OK) {
        return false;
    }
    bool is = hpf_format_detect(&format, source, NULL) == HPF_OK && format != &hpf_format_prof;
    if (is && format == &hpf_format_hp) {
        is = hpf_source_next(source, &head, NULL) == HPF_OK && hpf_str_begins(head, "JOB ");
    }
    hpf_source_destroy(source);
    return is;
}

/* Returns whether the folder has a file of the same run that says more. */
static bool has_better(const char *path)
{
    static const char *const suffixes[] = {".census", ".eventlog", ".hp"}; /* the best first */
    enum { N_SUFFIXES = sizeof suffixes / sizeof *suffixes };
    hpf_str stem = path_uncompressed(path);
    size_t own = 0;
    while (own < N_SUFFIXES && !path_drop_suffix(&stem, suffixes[own])) {
        own++;
    }
    bool has = false;
    for (size_t i = 0; own < N_SUFFIXES && i < own; i++) {
        char other[4096];
        snprintf(other, sizeof other, "%.*s%s", (int)stem.length, stem.data, suffixes[i]);
        has |= access(other, F_OK) == 0;
    }
    return has;
}

bool profile_paths_add_folder(profile_paths *paths, const char *folder)
{
    struct dirent **entries;
    size_t n_before = paths->n;
    int n = scandir(folder, &entries, NULL, alphasort);
    bool is_added = n >= 0;
    if (n < 0) {
        diag_say("%s: %s", folder, strerror(errno));
    }
    for (int i = 0; i < n; i++) {
        char path[4096];
        const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
        int length = snprintf(path, sizeof path, "%s%s%s", folder, slash, entries[i]->d_name);
        if (is_added && entries[i]->d_name[0] != '.' && (size_t)length < sizeof path &&
            is_profile(path) && !has_better(path)) {
            is_added = profile_paths_add(paths, path);
        }
        free(entries[i]);
    }
    if (n >= 0) {
        free(entries);
    }
    if (is_added && paths->n == n_before) {
        diag_say("%s: no heap profile in this folder", folder);
        return false;
    }
    return is_added;
}

void profile_paths_finish(profile_paths *paths)
{
    for (size_t i = 0; i < paths->n; i++) {
        free(paths->all[i]);
    }
    free(paths->all);
}

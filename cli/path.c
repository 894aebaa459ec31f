/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Splits and compares names of files.
 */
#include "path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/words.h"
#include "hpfile/sink.h"

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool path_drop_suffix(hpf_str *name, const char *suffix)
{
    return name->length > strlen(suffix) && hpf__drop_end(name, suffix);
}

bool path_has_extension(const char *path, const char *extension)
{
    size_t length = strlen(path), n = strlen(extension);
    return length > n && path[length - n - 1] == '.' && strcmp(path + length - n, extension) == 0;
}

hpf_str path_uncompressed(const char *path)
{
    hpf_str name = hpf_str_of(path);
    if (!path_drop_suffix(&name, ".gz") && !path_drop_suffix(&name, ".xz")) {
        path_drop_suffix(&name, ".zst");
    }
    return name;
}

bool path_is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && S_ISREG(left.st_mode) &&
           left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* Returns the end of a path with at most `n_folders` directories. */
static const char *end_of(const char *path, size_t n_folders)
{
    const char *begin = path_base(path);
    while (n_folders > 0 && begin > path) {
        n_folders--;
        begin--;
        while (begin > path && begin[-1] != '/') {
            begin--;
        }
    }
    return begin;
}

/* Returns the name of a profile with directories, and with `number` unless it is 0. NULL without
 * memory. */
static char *name_of(const char *path, size_t n_folders, size_t number)
{
    hpf_str stem = path_uncompressed(strcmp(path, "-") == 0 ? "stdin" : end_of(path, n_folders));
    path_drop_suffix(&stem, ".hp");
    size_t room = stem.length + 32;
    char *name = malloc(room);
    if (name && number > 0) {
        snprintf(name, room, "%.*s (%zu)", (int)stem.length, stem.data, number);
    } else if (name) {
        snprintf(name, room, "%.*s", (int)stem.length, stem.data);
    }
    return name;
}

static bool is_among(char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Fills `names`, after freeing the old ones. Sets `*is_clear` if all differ. Returns false without
 * memory. */
static bool try_names(char **names, char *const *paths, size_t n, size_t n_folders, bool *is_clear)
{
    *is_clear = true;
    for (size_t i = 0; i < n; i++) {
        free(names[i]);
        names[i] = name_of(paths[i], n_folders, 0);
        if (!names[i]) {
            return false;
        }
        *is_clear = *is_clear && !is_among(names, i, names[i]);
    }
    return true;
}

/* Adds numbers to names that occur before. Returns false without memory. */
static bool number_names(char **names, char *const *paths, size_t n, size_t n_folders)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t number = 2; is_among(names, i, names[i]); number++) {
            free(names[i]);
            names[i] = name_of(paths[i], n_folders, number);
            if (!names[i]) {
                return false;
            }
        }
    }
    return true;
}

static size_t most_folders(char *const *paths, size_t n)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t folders = 0;
        for (const char *c = paths[i]; *c; c++) {
            folders += *c == '/';
        }
        most = folders > most ? folders : most;
    }
    return most;
}

char **path_short_names(char *const *paths, size_t n)
{
    char **names = calloc(n + 1, sizeof *names);
    size_t most = most_folders(paths, n);
    bool is_clear = false;
    for (size_t folders = 0; names && !is_clear && folders <= most; folders++) {
        if (!try_names(names, paths, n, folders, &is_clear)) {
            path_free_names(names, n);
            return NULL;
        }
    }
    /* Equal paths: directories do not help. */
    if (names && !is_clear &&
        !(try_names(names, paths, n, 0, &is_clear) && number_names(names, paths, n, 0))) {
        path_free_names(names, n);
        return NULL;
    }
    return names;
}

void path_free_names(char **names, size_t n)
{
    for (size_t i = 0; names && i < n; i++) {
        free(names[i]);
    }
    free(names);
}

char *companion_path(const char *path, const char *suffix)
{
    hpf_str base = path_uncompressed(path);
    size_t n_suffix = strlen(suffix) + 1;
    bool is_profile = path_drop_suffix(&base, ".hp") || path_drop_suffix(&base, ".eventlog") ||
                      path_drop_suffix(&base, ".census");
    char *name = is_profile ? malloc(base.length + n_suffix) : NULL;
    if (name) {
        memcpy(name, base.data, base.length);
        memcpy(name + base.length, suffix, n_suffix);
    }
    return name;
}

char *path_shell_word(const char *path)
{
    hpf_sink *word = hpf_sink_to_memory();
    char *text = NULL;
    if (word) {
        hpf_sink_word(word, hpf_str_of(path));
        text = strndup(hpf_sink_bytes(word).data, hpf_sink_bytes(word).length);
    }
    hpf_sink_destroy(word);
    return text;
}

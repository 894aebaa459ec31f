/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/text_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/descriptor.h"

enum { MOST_FILES = 1 << 20, MOST_FILE_BYTES = 16 << 20 };

struct hpf_text_folder {
    int fd;             /* of the folder; -1: no folder */
    size_t root_length; /* of its name, at the begin of each path */
    const char **paths;
    size_t n, capacity;
    hpf_arena *texts;
};

static hpf_status add_path(hpf_text_folder *f, const char *path, size_t length, hpf_error *err)
{
    const char *copy = hpf_arena_text(f->texts, (hpf_str){path, length});
    if (f->n == MOST_FILES) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "the folder of --source has more than %d files",
                             MOST_FILES);
    }
    return copy && HPF__ARRAY_PUSH(f->paths, f->n, f->capacity, copy) ? HPF_OK
                                                                      : hpf_error_set_memory(err);
}

static hpf_status list(hpf_text_folder *f, char *folder, hpf_error *err)
{
    char *const roots[] = {folder, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    hpf_status status = tree ? HPF_OK : hpf_error_set_memory(err);
    FTSENT *entry;
    while (status == HPF_OK && (entry = fts_read(tree))) {
        bool is_hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';
        if (entry->fts_level == 0 && entry->fts_info != FTS_D && entry->fts_info != FTS_DP) {
            status = hpf_error_set_os(err, entry->fts_errno ? entry->fts_errno : ENOTDIR,
                                      "cannot read the folder of --source \"%s\"", folder);
        } else if (entry->fts_info == FTS_D && is_hidden) {
            fts_set(tree, entry, FTS_SKIP);
        } else if (entry->fts_info == FTS_F && !is_hidden) {
            status = add_path(f, entry->fts_path, entry->fts_pathlen, err);
        }
    }
    if (tree) {
        fts_close(tree);
    }
    return status;
}

hpf_status hpf_text_folder_create(hpf_text_folder **out, const char *folder, hpf_error *err)
{
    hpf_text_folder *f = calloc(1, sizeof *f);
    char *root = folder ? strdup(folder) : NULL;
    *out = NULL;
    if (f) {
        f->fd = -1;
        f->root_length = folder ? strlen(folder) : 0;
        f->texts = hpf_arena_create();
    }
    bool fits = f && f->texts && (root || !folder);
    hpf_status status = !fits ? hpf_error_set_memory(err) : root ? list(f, root, err) : HPF_OK;
    free(root);
    if (!status && folder && (f->fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
        status = hpf_error_set_os(err, errno, "cannot read the folder of --source \"%s\"", folder);
    }
    if (status) {
        hpf_text_folder_destroy(f);
        return status;
    }
    *out = f;
    return HPF_OK;
}

void hpf_text_folder_destroy(hpf_text_folder *f)
{
    if (f) {
        hpf__close(f->fd);
        free(f->paths);
        hpf_arena_destroy(f->texts);
        free(f);
    }
}

/* Returns the number of equal parts at the ends of two paths. */
static size_t n_equal_parts(hpf_str a, hpf_str b)
{
    size_t i = 0, n = 0;
    while (i < a.length && i < b.length && a.data[a.length - 1 - i] == b.data[b.length - 1 - i]) {
        n += a.data[a.length - 1 - i] == '/';
        i++;
    }
    bool ends_at_part = (i == a.length || a.data[a.length - 1 - i] == '/') &&
                        (i == b.length || b.data[b.length - 1 - i] == '/');
    return n + (ends_at_part && i > 0);
}

/* Returns whether a name is that of a source file, and no part of it is hidden or leads up. */
static bool is_source_name(hpf_str name)
{
    static const char *const endings[] = {
        ".c",   ".h",  ".cc",  ".cpp",  ".cxx", ".c++",   ".hh", ".hpp", ".hxx", ".inl", ".ipp",
        ".tcc", ".m",  ".mm",  ".S",    ".s",   ".rs",    ".go", ".hs",  ".lhs", ".hsc", ".py",
        ".pyx", ".js", ".ts",  ".java", ".kt",  ".swift", ".d",  ".zig", ".nim", ".f90", ".f",
        ".ml",  ".jl", ".lua", ".rb",   ".pl",  ".cu",    ".y",  ".l"};
    bool is_source = false, is_hidden = name.length > 0 && name.data[0] == '.';
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        is_source |= name.length > strlen(endings[i]) && hpf_str_ends(name, endings[i]);
    }
    for (size_t i = 0; i + 1 < name.length; i++) {
        is_hidden |= name.data[i] == '/' && name.data[i + 1] == '.';
    }
    return is_source && !is_hidden && !memchr(name.data, '\0', name.length);
}

const char *hpf_text_folder_find(const hpf_text_folder *f, hpf_str name, bool *is_ambiguous)
{
    const char *best = NULL;
    size_t most = 0;
    *is_ambiguous = false;
    if (f->fd < 0) {
        return is_source_name(name) ? hpf_arena_text(f->texts, name) : NULL;
    }
    for (size_t i = 0; i < f->n; i++) {
        size_t n = n_equal_parts(name, hpf_str_of(f->paths[i]));
        if (n > most) {
            most = n;
            best = f->paths[i];
            *is_ambiguous = false;
        } else if (n > 0 && n == most) {
            *is_ambiguous = true;
        }
    }
    return *is_ambiguous ? NULL : best;
}

FILE *hpf_text_folder_open(const hpf_text_folder *f, const char *path)
{
    const char *part = path + f->root_length;
    part += strspn(part, "/");
    bool has_folder = f->fd >= 0;
    int fd = has_folder ? dup(f->fd) : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    while (has_folder && fd >= 0 && *part) {
        char name[NAME_MAX + 1];
        size_t length = strcspn(part, "/");
        bool is_last = part[length] == '\0';
        int kind = is_last ? O_RDONLY | O_NONBLOCK : O_RDONLY | O_DIRECTORY;
        int next = -1;
        if (length <= NAME_MAX) {
            memcpy(name, part, length);
            name[length] = '\0';
            next = openat(fd, name, kind | O_NOFOLLOW | O_CLOEXEC);
        }
        close(fd);
        fd = next;
        part += length + strspn(part + length, "/");
    }
    bool is_text = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                   about.st_size <= MOST_FILE_BYTES;
    FILE *text = is_text ? fdopen(fd, "r") : NULL;
    if (!text && fd >= 0) {
        close(fd);
    }
    return text;
}

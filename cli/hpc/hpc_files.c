/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where hpc looks for files: `.mix` files in each mix folder of each source folder, texts in the
 * source folders.
 */
#include "hpc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coverage/haskell_text.h"
#include "coverage/mix.h"
#include "diag.h"
#include "hpfile/sink.h"

/* ---- Files ---- */

hpf_status hpc_file_read(hpc_file *file, const char *path, hpf_error *err)
{
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    hpf_str piece;
    struct stat st;
    *file = (hpc_file){.path = strdup(path)};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    hpf_status status = !file->path ? hpf_error_set_memory(err) : HPF_OK;
    if (status == HPF_OK && (fd < 0 || fstat(fd, &st) != 0)) {
        status = hpf_error_set_os(err, errno, "cannot open");
    } else if (status == HPF_OK && !S_ISREG(st.st_mode)) {
        status = hpf_error_set(err, HPF_ERR_IO, "cannot open: it is not a regular file");
    }
    status = status == HPF_OK ? hpf_source_from_fd(&file->source, fd, &keeping, err) : status;
    file->fd = fd;
    while (status == HPF_OK && (status = hpf_source_next(file->source, &piece, err)) == HPF_OK) {
        if (!hpf__buffer_add(&file->bytes, piece)) {
            status = hpf_error_set_memory(err);
        }
    }
    return status == HPF_END ? HPF_OK : status;
}

void hpc_file_close(hpc_file *file)
{
    free(file->path);
    hpf_source_destroy(file->source);
    hpf__buffer_finish(&file->bytes);
    if (file->path && file->fd >= 0) {
        close(file->fd);
    }
    file->path = NULL;
    file->source = NULL;
}

hpf_str hpc_file_text(const hpc_file *file)
{
    return (hpf_str){file->bytes.length > 0 ? file->bytes.bytes : "", file->bytes.length};
}

char *hpc_join_path(const char *folder, const char *name, const char *suffix)
{
    size_t length = name[0] == '/' ? 0 : strlen(folder);
    bool needs_slash = length > 0 && folder[length - 1] != '/';
    char *path = malloc(length + strlen(name) + strlen(suffix) + 2);
    if (path) {
        memcpy(path, folder, length);
        strcpy(path + length, needs_slash ? "/" : "");
        strcat(strcat(path, name), suffix);
    }
    return path;
}

bool hpc_make_folders(const char *path)
{
    char *copy = strdup(path);
    bool is_made = copy != NULL;
    for (char *slash = copy; is_made && *path && (slash = strchr(slash + 1, '/')) != NULL;
         *slash = '/') {
        *slash = '\0';
        is_made = mkdir(copy, 0777) == 0 || errno == EEXIST;
        if (!is_made) {
            diag_say("%s: cannot create the folder: %s", copy, strerror(errno));
            break;
        }
    }
    if (!copy) {
        diag_say("out of memory");
    }
    free(copy);
    return is_made;
}

/* ---- .tix files ---- */

/* Parses a file that was read, and prints what is wrong with it. */
static bool parse_tix(hpc_tix *tix, const hpc_file *file, const hpc_options *options)
{
    hpf_error err;
    bool is_read = hpc_tix_read(tix, hpc_file_text(file), &err) == HPF_OK;
    if (is_read) {
        hpc_tix_filter(tix, hpc_includes, options);
    } else {
        diag_input(file->path, file->source, &err);
    }
    return is_read;
}

bool hpc_read_tix(hpc_tix *tix, const char *path, const hpc_options *options)
{
    hpc_file file;
    hpf_error err;
    *tix = (hpc_tix){0};
    bool is_read = hpc_file_read(&file, path, &err) == HPF_OK;
    if (!is_read) {
        diag_error(path, &err);
    }
    is_read = is_read && parse_tix(tix, &file, options);
    hpc_file_close(&file);
    return is_read;
}

/* Returns "dir/run.tix" for "dir/run", "dir/run.tix" and "dir/run.exe"; NULL without memory. */
static char *tix_path(const char *name)
{
    char *path = malloc(strlen(name) + sizeof ".tix");
    if (path) {
        strcpy(path, name);
        char *slash = strrchr(path, '/');
        char *dot = strrchr(slash ? slash : path, '.');
        strcpy(dot ? dot : path + strlen(path), ".tix");
    }
    return path;
}

int hpc_read_program(hpc_tix *tix, const hpc_command *command, hpc_options *options,
                     const char *message)
{
    *tix = (hpc_tix){0};
    if (options->operands.n == 0) {
        return hpc_misused(command, "no .tix file or executable name specified", "");
    }
    const char *name = options->operands.items[0];
    bool is_read = true;
    for (size_t i = 1; i < options->operands.n && is_read; i++) {
        is_read = hpc_list_add(&options->included, options->operands.items[i]);
    }
    char *path = tix_path(name);
    hpc_file file = {.path = NULL};
    hpf_error err = {.status = HPF_OK};
    if (!path) {
        diag_say("out of memory");
        is_read = false;
    } else if (is_read && hpc_file_read(&file, path, &err) != HPF_OK) {
        is_read = false;
        if (!hpc_is_census()) {
            hpc_misused(command, message, name);
        }
        if (hpc_is_census() || err.os_errno != ENOENT) {
            diag_error(path, &err);
        }
    }
    is_read = is_read && parse_tix(tix, &file, options);
    hpc_file_close(&file);
    free(path);
    return is_read ? EXIT_DONE : EXIT_FAILED;
}

/* ---- .mix files ---- */

/* Returns whether two files say the same. */
static bool is_same_mix(const hpc_mix *a, const hpc_mix *b)
{
    hpf_sink *sinks[2] = {hpf_sink_to_memory(), hpf_sink_to_memory()};
    bool is_same = sinks[0] && sinks[1];
    if (is_same) {
        hpc_mix_write(a, sinks[0]);
        hpc_mix_write(b, sinks[1]);
        is_same = hpf_str_equal(hpf_sink_bytes(sinks[0]), hpf_sink_bytes(sinks[1]));
    }
    hpf_sink_destroy(sinks[0]);
    hpf_sink_destroy(sinks[1]);
    return is_same;
}

/* Reads one file of possibly several. Returns false after a message; true if there is no such
 * file. */
static bool read_mix_at(hpc_mix *mix, const char *path, const hpc_tix_module *tix, bool *is_there)
{
    hpc_file file;
    hpf_error err;
    hpf_status status = hpc_file_read(&file, path, &err);
    *is_there = status != HPF_ERR_IO;
    if (status == HPF_OK) {
        status = hpc_mix_read(mix, hpc_file_text(&file), &err);
        if (status == HPF_OK && tix && tix->hash != mix->hash) {
            status = hpf_error_set(&err, HPF_ERR_ARGUMENT,
                                   "the hash is %lu, but %lu in the .tix file: they are of "
                                   "different compilations",
                                   (unsigned long)mix->hash, (unsigned long)tix->hash);
            hpc_mix_finish(mix);
        }
    }
    if (status != HPF_OK && *is_there) {
        diag_input(path, file.source, &err);
    }
    hpc_file_close(&file);
    return status == HPF_OK || !*is_there;
}

/* Adds one file to the files found before, of which `mix` is the first. */
static bool add_mix(hpc_mix *mix, char *path, const hpc_tix_module *tix, int *n_found,
                    char **first_path)
{
    hpc_mix other;
    bool is_there;
    if (!read_mix_at(*n_found ? &other : mix, path, tix, &is_there)) {
        return false;
    }
    if (!is_there) {
        return true;
    }
    bool is_same = *n_found == 0 || is_same_mix(mix, &other);
    if (!is_same) {
        diag_say("%s and %s are different", *first_path, path);
    }
    if (*n_found > 0) {
        hpc_mix_finish(&other);
    } else {
        *first_path = strdup(path);
    }
    *n_found += 1;
    return is_same && *first_path;
}

static void explain_no_mix(const char *module, const hpc_options *options)
{
    diag_say("no .mix file for module %s", module);
    for (size_t i = 0; i < options->source_dirs.n; i++) {
        for (size_t k = 0; k < options->mix_dirs.n; k++) {
            char *folder =
                hpc_join_path(options->source_dirs.items[i], options->mix_dirs.items[k], "");
            diag_print(stderr, "  looked in %s", folder ? folder : "?");
            free(folder);
        }
    }
    if (options->mix_dirs.n == 0) {
        diag_print(stderr, "  --reset-hpcdirs removes also the folders given after it");
    }
}

bool hpc_read_mix(hpc_mix *mix, const char *module, const hpc_tix_module *tix,
                  const hpc_options *options)
{
    bool is_read = true;
    int n_found = 0;
    char *first_path = NULL;
    *mix = (hpc_mix){0};
    for (size_t i = 0; i < options->source_dirs.n && is_read; i++) {
        for (size_t k = 0; k < options->mix_dirs.n && is_read; k++) {
            char *folder =
                hpc_join_path(options->source_dirs.items[i], options->mix_dirs.items[k], "");
            char *path = folder ? hpc_join_path(folder, module, ".mix") : NULL;
            is_read = path && add_mix(mix, path, tix, &n_found, &first_path);
            if (!path) {
                diag_say("out of memory");
            }
            free(folder);
            free(path);
        }
    }
    if (is_read && n_found == 0) {
        explain_no_mix(module, options);
        is_read = false;
    }
    if (is_read && tix && tix->n_counts != mix->n_boxes) {
        hpf_error warning;
        hpf_error_set(&warning, HPF_ERR_ARGUMENT, "%zu boxes, but %zu counts in the .tix file",
                      mix->n_boxes, tix->n_counts);
        diag_warning(first_path, &warning);
    }
    if (!is_read) {
        hpc_mix_finish(mix);
    }
    free(first_path);
    return is_read;
}

/* ---- Texts ---- */

/* Prints that a text was not found, in the words of hpc. */
static void refuse_text(const hpc_command *command, const hpc_mix *mix, const hpc_options *options)
{
    hpf_sink *sink = hpf_sink_to_memory();
    if (sink) {
        hpf_sink_text(sink, "could not find ");
        hpc_haskell_show(sink, mix->source);
        hpf_sink_text(sink, " in path [");
        for (size_t i = 0; i < options->source_dirs.n; i++) {
            const char *folder = options->source_dirs.items[i];
            hpf_sink_text(sink, i > 0 ? "," : "");
            hpc_haskell_show(sink, hpf_str_of(folder));
        }
        hpf_sink_write(sink, "]", 2);
        if (hpc_is_census()) {
            diag_say("%s", hpf_sink_bytes(sink).data);
        } else {
            hpc_misused(command, hpf_sink_bytes(sink).data, "");
        }
    }
    hpf_sink_destroy(sink);
}

/* Returns whether the text of a module may be at a path of a .mix file: in a source folder, or
 * elsewhere with the name of a Haskell module. So a .mix file cannot have any other file shown. */
static bool is_text_path(const char *path)
{
    static const char *const suffixes[] = {".hs", ".lhs", ".hsc", ".chs", ".x", ".y", ".hspp"};
    const char *dot = strrchr(path, '.');
    bool is_text = path[0] != '/' && !strstr(path, "..");
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes && !is_text; i++) {
        is_text = strcmp(dot, suffixes[i]) == 0;
    }
    return is_text;
}

static bool read_text(hpc_module *m, const hpc_command *command, const hpc_options *options)
{
    const hpf_str path = m->mix.source;
    bool is_absolute = path.length > 0 && path.data[0] == '/';
    size_t n = is_absolute ? 1 : options->source_dirs.n;
    hpf_error err;
    hpf_status status = HPF_ERR_IO;
    if (!is_text_path(path.data)) {
        diag_say("%s: not read, as it is not the name of a Haskell module", path.data);
        return false;
    }
    for (size_t i = 0; i < n && status == HPF_ERR_IO; i++) {
        hpc_file_close(&m->file);
        char *joined = hpc_join_path(options->source_dirs.items[i], path.data, "");
        status = joined ? hpc_file_read(&m->file, joined, &err) : hpf_error_set_memory(&err);
        free(joined);
    }
    if (status == HPF_ERR_IO && !is_absolute) {
        refuse_text(command, &m->mix, options);
        return false;
    }
    if (status == HPF_OK) {
        status = hpc_module_text_init(&m->lines, hpc_file_text(&m->file), &err);
    }
    if (status != HPF_OK) {
        diag_input(path.data, m->file.source, &err);
    }
    return status == HPF_OK;
}

bool hpc_read_module(hpc_module *m, const hpc_command *command, const char *module,
                     const hpc_tix_module *tix, const hpc_options *options)
{
    *m = (hpc_module){.file = {.path = NULL}};
    return hpc_read_mix(&m->mix, module, tix, options) && read_text(m, command, options);
}

void hpc_module_close(hpc_module *m)
{
    hpc_module_text_finish(&m->lines);
    hpc_file_close(&m->file);
    hpc_mix_finish(&m->mix);
}

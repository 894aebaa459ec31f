/* SPDX-License-Identifier: BSD-2-Clause
 *
 * hpc sum, combine, map and overlay: counts as they are in .tix files.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "coverage/overlay.h"
#include "diag.h"
#include "hpc_files.h"
#include "hpc.h"
#include "hpfile/sink.h"
#include "output.h"

/* Writes counts to the output of a command. Returns an exit status. */
static int write_tix(const hpc_tix *tix, const hpc_options *options, bool makes_folders)
{
    bool is_file = strcmp(options->output, "-") != 0;
    const char *name;
    hpf_sink *sink = is_file && makes_folders && !hpc_make_folders(options->output)
                         ? NULL
                         : output_open(options->output, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    hpc_tix_write(tix, sink);
    hpf_sink_text(sink, is_file ? "" : "\n");
    return output_close(sink, name);
}

/* Reads one more file, and combines it with `tix`. */
static bool join_file(hpc_tix *tix, const char *path, hpc_tix_join how, const hpc_options *options)
{
    hpc_tix other, joined;
    hpf_error err;
    if (!hpc_read_tix(&other, path, options)) {
        return false;
    }
    bool is_joined = hpc_tix_combine(&joined, tix, &other, how, options->is_union, &err) == HPF_OK;
    hpc_tix_finish(&other);
    if (is_joined) {
        hpc_tix_finish(tix);
        *tix = joined;
    } else {
        diag_error(path, &err);
    }
    return is_joined;
}

/* Reads all operands, and combines them. Returns an exit status. */
static int join_files(const hpc_options *options, hpc_tix_join how)
{
    hpc_tix tix;
    bool is_read = hpc_read_tix(&tix, options->operands.items[0], options);
    for (size_t i = 1; i < options->operands.n && is_read; i++) {
        is_read = join_file(&tix, options->operands.items[i], how, options);
    }
    int status = is_read ? write_tix(&tix, options, true) : EXIT_FAILED;
    hpc_tix_finish(&tix);
    return status;
}

int hpc_run_sum(const hpc_command *self, hpc_options *options)
{
    return options->operands.n > 0 ? join_files(options, HPC_TIX_ADD)
                                   : hpc_misused(self, "no .tix file specified", "");
}

/* Finds the number of a function. Returns false after a message. */
static bool find_function(const char *name, const char *const names[3], int *found)
{
    *found = 0;
    while (name && *found < 3 && strcasecmp(name, names[*found]) != 0) {
        ++*found;
    }
    if (*found == 3) {
        diag_say("unknown function '%s': expected %s, %s or %s", name, names[0], names[1],
                 names[2]);
    }
    return *found < 3;
}

int hpc_run_combine(const hpc_command *self, hpc_options *options)
{
    static const char *const names[] = {"ADD", "DIFF", "SUB"};
    int how;
    if (options->operands.n != 2) {
        return hpc_misused(self, "need exactly two .tix files to combine", "");
    }
    return find_function(options->function, names, &how) ? join_files(options, (hpc_tix_join)how)
                                                         : EXIT_FAILED;
}

int hpc_run_map(const hpc_command *self, hpc_options *options)
{
    static const char *const names[] = {"ID", "INV", "ZERO"};
    int how, status = EXIT_FAILED;
    hpc_tix tix;
    if (options->operands.n != 1) {
        return hpc_misused(
            self, options->operands.n ? "to many .tix files specified" : "no .tix file specified",
            "");
    }
    if (!find_function(options->function, names, &how)) {
        return EXIT_FAILED;
    }
    if (hpc_read_tix(&tix, options->operands.items[0], options)) {
        hpc_tix_apply(&tix, (hpc_tix_map)how);
        status = write_tix(&tix, options, true);
    }
    hpc_tix_finish(&tix);
    return status;
}

static bool read_overlay(hpc_overlay *overlay, const char *path)
{
    hpc_file file;
    hpf_error err;
    bool is_read = false;
    if (hpc_file_read(&file, path, &err) != HPF_OK) {
        diag_error(path, &err);
    } else {
        is_read = hpc_overlay_read(overlay, hpc_file_text(&file), &err) == HPF_OK;
        if (!is_read) {
            diag_input(path, file.source, &err);
        }
    }
    hpc_file_close(&file);
    return is_read;
}

/* Appends the counts of a module to `tix`. */
static bool apply_overlay(hpc_tix *tix, const hpc_overlay *overlay, hpf_str module,
                          const hpc_command *self, const hpc_options *options)
{
    hpc_module m;
    hpf_error err;
    bool is_done = hpc_read_module(&m, self, module.data, NULL, options);
    if (is_done) {
        hpc_tix_module *made = hpc_tix_add(tix, module, m.mix.hash, m.mix.n_boxes);
        hpf_status status =
            made ? hpc_overlay_apply(overlay, module, &m.mix, &m.lines, made->counts, &err)
                 : hpf_error_set_memory(&err);
        if (status != HPF_OK) {
            diag_input(m.file.path, m.file.source, &err);
        }
        is_done = status == HPF_OK;
    }
    hpc_module_close(&m);
    return is_done;
}

static int compare_modules(const void *a, const void *b)
{
    const hpc_overlay_module *x = a, *y = b;
    int order = hpf_str_compare(x->name, y->name);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

int hpc_run_overlay(const hpc_command *self, hpc_options *options)
{
    hpc_overlay overlay = {.arena = NULL};
    hpc_tix tix = {.arena = NULL};
    bool is_done = true;
    if (options->operands.n == 0) {
        return hpc_misused(self, "no overlay file specified", "");
    }
    for (size_t i = 0; i < options->operands.n && is_done; i++) {
        is_done = read_overlay(&overlay, options->operands.items[i]);
    }
    if (is_done) {
        qsort(overlay.modules, overlay.n_modules, sizeof *overlay.modules, compare_modules);
    }
    for (size_t i = 0; i < overlay.n_modules && is_done; i++) {
        const hpc_overlay_module *m = &overlay.modules[i];
        bool is_first = i == 0 || m[-1].is_global || !hpf_str_equal(m[-1].name, m->name);
        if (!m->is_global && is_first) {
            is_done = apply_overlay(&tix, &overlay, m->name, self, options);
        }
    }
    int status = is_done ? write_tix(&tix, options, false) : EXIT_FAILED;
    hpc_overlay_finish(&overlay);
    hpc_tix_finish(&tix);
    return status;
}

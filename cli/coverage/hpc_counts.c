/* SPDX-License-Identifier: BSD-2-Clause
 *
 * hpc sum, combine, map and show: counts as they are in .tix files.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "diag.h"
#include "hpc_files.h"
#include "hpc_run.h"
#include "hpfile/sink.h"
#include "output.h"

/* Writes counts to the output of a command. Returns an exit status. */
static int write_tix(const hpf__tix *tix, const hpc_options *options)
{
    bool is_file = strcmp(options->output, "-") != 0;
    const char *name;
    hpf_sink *sink =
        is_file && !hpc_make_folders(options->output) ? NULL : output_open(options->output, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    hpf__tix_write(tix, sink);
    hpf_sink_text(sink, is_file ? "" : "\n");
    return output_close(sink, name);
}

/* Reads one more file, and combines it with `tix`. */
static bool join_file(hpf__tix *tix, const char *path, hpf__tix_join how,
                      const hpc_options *options)
{
    hpf__tix other, joined;
    hpf_error err;
    if (!hpc_read_tix(&other, path, options)) {
        return false;
    }
    bool is_joined = hpf__tix_combine(&joined, tix, &other, how, options->is_union, &err) == HPF_OK;
    hpf__tix_finish(&other);
    if (is_joined) {
        hpf__tix_finish(tix);
        *tix = joined;
    } else {
        diag_error(path, &err);
    }
    return is_joined;
}

/* Reads all operands, and combines them. Returns an exit status. */
static int join_files(const hpc_options *options, hpf__tix_join how)
{
    hpf__tix tix;
    bool is_read = hpc_read_tix(&tix, options->operands.items[0], options);
    for (size_t i = 1; i < options->operands.n && is_read; i++) {
        is_read = join_file(&tix, options->operands.items[i], how, options);
    }
    int status = is_read ? write_tix(&tix, options) : EXIT_FAILED;
    hpf__tix_finish(&tix);
    return status;
}

int hpc_run_sum(const hpc_command *self, hpc_options *options)
{
    return options->operands.n > 0 ? join_files(options, HPF__TIX_ADD)
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
    return find_function(options->function, names, &how) ? join_files(options, (hpf__tix_join)how)
                                                         : EXIT_FAILED;
}

int hpc_run_map(const hpc_command *self, hpc_options *options)
{
    static const char *const names[] = {"ID", "INV", "ZERO"};
    int how, status = EXIT_FAILED;
    hpf__tix tix;
    if (options->operands.n != 1) {
        return hpc_misused(
            self, options->operands.n ? "to many .tix files specified" : "no .tix file specified",
            "");
    }
    if (!find_function(options->function, names, &how)) {
        return EXIT_FAILED;
    }
    if (hpc_read_tix(&tix, options->operands.items[0], options)) {
        hpf__tix_apply(&tix, (hpf__tix_map)how);
        status = write_tix(&tix, options);
    }
    hpf__tix_finish(&tix);
    return status;
}

/* ---- show ---- */

static void show_module(const hpf__tix_module *tix, const hpf__mix *mix, hpf_sink *sink)
{
    size_t n_characters = 0;
    for (size_t at = 0; at < tix->name.length; n_characters++) {
        at += hpf_utf8_next(hpf_str_from(tix->name, at), NULL);
    }
    int blanks = n_characters < 20 ? 20 - (int)n_characters : 0;
    for (size_t i = 0; i < mix->n_boxes && i < tix->n_counts; i++) {
        const hpf__span s = mix->boxes[i].span;
        char place[64];
        snprintf(place, sizeof place, "%lu:%lu-%lu:%lu", (unsigned long)s.first_line,
                 (unsigned long)s.first_column, (unsigned long)s.last_line,
                 (unsigned long)s.last_column);
        hpf_sink_printf(sink, "%5zu %10llu ", i, (unsigned long long)tix->counts[i]);
        hpf_sink_name(sink, tix->name);
        hpf_sink_printf(sink, "%*s %20s ", blanks, "", place);
        hpf__mix_write_box(&mix->boxes[i], sink);
        hpf_sink_text(sink, "\n");
    }
}

/* As in the original program, --output is accepted without effect. */
int hpc_run_show(const hpc_command *self, hpc_options *options)
{
    hpf__tix tix;
    const char *name;
    int status = hpc_read_program(&tix, self, options, "could not read .tix file : ");
    hpf_sink *sink = status == EXIT_DONE ? output_open(NULL, &name) : NULL;
    bool is_done = sink != NULL;
    for (size_t i = 0; i < tix.n_modules && is_done; i++) {
        hpf__mix mix;
        is_done = hpc_read_mix(&mix, tix.modules[i].name.data, &tix.modules[i], options);
        if (is_done) {
            show_module(&tix.modules[i], &mix, sink);
        }
        hpf__mix_finish(&mix);
    }
    if (status == EXIT_DONE) {
        status = is_done ? output_close(sink, name) : EXIT_FAILED;
        hpf_sink_destroy(is_done ? NULL : sink);
    }
    hpf__tix_finish(&tix);
    return status;
}

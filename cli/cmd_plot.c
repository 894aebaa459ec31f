/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census plot: profiles as a graph. Here is only what a command decides: which options the chart
 * gets, which format, and where the picture goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd.h"
#include "diag.h"
#include "exit.h"
#include "path.h"
#include "plot_html.h"
#include "plot_job.h"
#include "plot_options.h"

static void print_formats(FILE *to)
{
    fputs("Formats:\n", to);
    for (const hpr_backend *const *b = hpr_backends(); *b; b++) {
        fprintf(to, "  %-8s %s\n", (*b)->name, (*b)->summary);
    }
    fprintf(to, "  %-8s %s\n", plot_html.name, plot_html.summary);
}

static const hpr_backend *backend_by_name(const char *name)
{
    return strcasecmp(name, plot_html.name) == 0 ? &plot_html : hpr_backend_by_name(name);
}

static const hpr_backend *backend_by_path(const char *path)
{
    const char *dot = strrchr(path, '.');
    bool is_html = dot && strcasecmp(dot + 1, plot_html.extension) == 0;
    return is_html ? &plot_html : hpr_backend_by_path(path);
}

/* The back end that the command line asks for; NULL after a message. */
static const hpr_backend *choose_backend(const cmd *self, const plot_values *values)
{
    const hpr_backend *backend = NULL;
    if (values->format) {
        backend = backend_by_name(values->format);
        if (!backend) {
            cmd_misused(self, "unknown format '%s'", values->format);
        }
    } else if (values->output && strcmp(values->output, "-") != 0) {
        backend = backend_by_path(values->output);
        if (!backend) {
            cmd_misused(self, "the name '%s' tells no format: use --format", values->output);
        }
    } else {
        backend = hpr_backend_by_name("pdf");
    }
    return backend;
}

/* "dir/run.hp.gz" and PDF: "run.pdf". The caller frees it; NULL without memory. */
static char *default_output(const char *input_path, const char *extension)
{
    hpf_str stem = path_uncompressed(path_base(input_path));
    path_drop_suffix(&stem, ".hp");
    size_t room = stem.length + strlen(extension) + 2;
    char *name = malloc(room);
    if (name) {
        snprintf(name, room, "%.*s.%s", (int)stem.length, stem.data, extension);
    }
    return name;
}

/* The options that only show to be wrong when they are looked into. False: after a message. */
static bool prepare(plot_job *j, const cmd *self, const plot_values *values, size_t n_profiles)
{
    char complaint[200];
    *j = (plot_job){.values = values};
    j->backend = choose_backend(self, values);
    if (!j->backend) {
        return false;
    }
    const char *misfit = j->backend == &plot_html ? plot_html_misfit(values) : NULL;
    misfit = misfit ? misfit : plot_options_misfit(values, j->backend, n_profiles);
    if (misfit) {
        cmd_misused(self, "%s", misfit);
    } else if (!plot_options_chart(&j->options, values, n_profiles)) {
        cmd_misused(self, "--group-by takes module, type, package or prefix:N, not '%s'",
                    values->group);
    } else if (!name_filter_init(&j->filter, values->match, values->exclude, complaint,
                                 sizeof complaint)) {
        cmd_misused(self, "%s", complaint);
    } else {
        return true;
    }
    return false;
}

/* What is wrong with the operands, as a complaint; NULL: nothing. */
static const char *find_odd_operand(char *const *paths, size_t n)
{
    size_t n_stdin = 0;
    for (size_t i = 0; i < n; i++) {
        n_stdin += strcmp(paths[i], "-") == 0;
    }
    return n == 0                     ? "which profile? (- is standard input)"
           : n > HPR_PAGE_MOST_PANELS ? "at most 64 profiles have room in a picture"
           : n_stdin > 1              ? "standard input can only be read once"
                                      : NULL;
}

static const char *find_overwritten(char *const *paths, size_t n, const char *output)
{
    for (size_t i = 0; i < n; i++) {
        if (path_is_same_file(paths[i], output)) {
            return paths[i];
        }
    }
    return NULL;
}

/* All that follows from good options and operands. */
static int plot(plot_job *j, const cmd *self, char *const *paths, size_t n)
{
    const char *given = j->values->output;
    bool is_filter = strcmp(given ? given : paths[0], "-") == 0;
    if (is_filter && isatty(STDOUT_FILENO)) {
        return cmd_misused(self, "a picture is not for a terminal: give it a file with -o");
    }
    char *named = given || is_filter ? NULL : default_output(paths[0], j->backend->extension);
    j->output = is_filter ? NULL : given ? given : named;
    int status = EXIT_FAILED;
    if (!is_filter && !j->output) {
        diag_say("out of memory");
    } else if (!is_filter && find_overwritten(paths, n, j->output)) {
        status = cmd_misused(self, "'%s' is the profile itself", j->output);
    } else {
        status = plot_job_run(j, paths, n);
    }
    free(named);
    return status;
}

static int run(const cmd *self, int argc, char **argv)
{
    plot_values values = plot_options_default();
    plot_job job;
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    size_t n = (size_t)argc - 1;
    const char *odd = find_odd_operand(argv + 1, n);
    if (odd) {
        return cmd_misused(self, "%s", odd);
    }
    if (!prepare(&job, self, &values, n)) {
        return EXIT_MISUSED;
    }
    status = plot(&job, self, argv + 1, n);
    name_filter_finish(&job.filter);
    return status;
}

const cmd cmd_plot = {
    .name = "plot",
    .summary = "Draw a profile as a graph, or several on a page",
    .operands = "FILE...",
    .options = plot_options,
    .notes = print_formats,
    .run = run,
};

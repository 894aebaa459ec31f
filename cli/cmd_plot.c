/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census plot: a profile as a graph. Here is only what a command decides: which options the chart
 * gets, which format, and where the picture goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "diag.h"
#include "exit.h"
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

static bool drop_suffix(char *name, const char *suffix)
{
    size_t length = strlen(name);
    size_t end = strlen(suffix);
    if (length <= end || strcmp(name + length - end, suffix) != 0) {
        return false;
    }
    name[length - end] = '\0';
    return true;
}

/* "dir/run.hp.gz" and PDF: "run.pdf". The caller frees it; NULL without memory. */
static char *default_output(const char *input_path, const char *extension)
{
    const char *slash = strrchr(input_path, '/');
    const char *base = slash ? slash + 1 : input_path;
    size_t room = strlen(base) + strlen(extension) + 2;
    char *name = malloc(room);
    if (name) {
        memcpy(name, base, strlen(base) + 1);
        if (!drop_suffix(name, ".gz") && !drop_suffix(name, ".xz")) {
            drop_suffix(name, ".zst");
        }
        drop_suffix(name, ".hp");
        size_t length = strlen(name);
        snprintf(name + length, room - length, ".%s", extension);
    }
    return name;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && S_ISREG(left.st_mode) &&
           left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* The options that only show to be wrong when they are looked into. False: after a message. */
static bool prepare(plot_job *j, const cmd *self, const plot_values *values)
{
    char complaint[200];
    *j = (plot_job){.values = values};
    j->backend = choose_backend(self, values);
    if (!j->backend) {
        return false;
    }
    const char *misfit = j->backend == &plot_html ? plot_html_misfit(values) : NULL;
    misfit = misfit ? misfit : plot_options_misfit(values, j->backend);
    if (misfit) {
        cmd_misused(self, "%s", misfit);
    } else if (!plot_options_chart(&j->options, values)) {
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

/* All that follows from good options and one operand. */
static int plot(plot_job *j, const cmd *self, const char *path)
{
    const char *given = j->values->output;
    bool is_filter = strcmp(given ? given : path, "-") == 0;
    if (is_filter && isatty(STDOUT_FILENO)) {
        return cmd_misused(self, "a picture is not for a terminal: give it a file with -o");
    }
    char *named = given || is_filter ? NULL : default_output(path, j->backend->extension);
    j->output = is_filter ? NULL : given ? given : named;
    int status = EXIT_FAILED;
    if (!is_filter && !j->output) {
        diag_say("out of memory");
    } else if (!is_filter && is_same_file(path, j->output)) {
        status = cmd_misused(self, "'%s' is the profile itself", j->output);
    } else {
        status = plot_job_run(j, path);
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
    if (argc < 2) {
        return cmd_misused(self, "which profile? (- is standard input)");
    }
    if (argc > 2) {
        return cmd_misused(self, "one profile at a time; several in one picture are not supported");
    }
    if (!prepare(&job, self, &values)) {
        return EXIT_MISUSED;
    }
    status = plot(&job, self, argv[1]);
    name_filter_finish(&job.filter);
    return status;
}

const cmd cmd_plot = {
    .name = "plot",
    .summary = "Draw a profile as a graph",
    .operands = "FILE",
    .options = plot_options,
    .notes = print_formats,
    .run = run,
};

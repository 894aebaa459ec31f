/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census plot: checks options and operands and chooses the name of the picture.
 */
#include "hpfile/heapsnapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "diag.h"
#include "input.h"
#include "path.h"
#include "plot/plot_setup.h"
#include "plot/plot_job.h"
#include "plot/plot_options.h"
#include "plot/plot_snapshot.h"

/* Returns "run.pdf" for "dir/run.hp.gz" and PDF. The caller frees it. NULL without memory. */
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

/* Returns a message about the operands, or NULL. */
static const char *check_operands(char *const *paths, size_t n)
{
    size_t n_stdin = 0;
    for (size_t i = 0; i < n; i++) {
        n_stdin += strcmp(paths[i], "-") == 0;
    }
    return n == 0                     ? "no profile given (use - for standard input)"
           : n > HPR_PAGE_MOST_PANELS ? "at most 64 profiles can be drawn in one picture"
           : n_stdin > 1 ? "- may be given only once: standard input cannot be read twice"
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

/* Draws the picture; options and operands have been checked. */
static int plot(plot_job *j, const cmd *self, char *const *paths, size_t n)
{
    const char *given = j->setup.values->output;
    bool is_filter = strcmp(given ? given : paths[0], "-") == 0;
    if (is_filter && isatty(STDOUT_FILENO)) {
        return cmd_misused(self, "standard output is a terminal: use -o FILE");
    }
    char *named = given || is_filter ? NULL : default_output(paths[0], j->setup.backend->extension);
    j->output = is_filter ? NULL : given ? given : named;
    int status = EXIT_FAILED;
    if (!is_filter && !j->output) {
        diag_say("out of memory");
    } else if (!is_filter && find_overwritten(paths, n, j->output)) {
        status = cmd_misused(self, "the output '%s' would overwrite the profile", j->output);
    } else {
        status = plot_job_run(j, paths, n);
    }
    free(named);
    return status;
}

static int run(const cmd *self, int argc, char **argv)
{
    plot_values values = plot_options_default();
    plot_job job = {.output = NULL};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    input_set_options(&values.input);
    size_t n = (size_t)argc - 1;
    const char *wrong = check_operands(argv + 1, n);
    if (wrong) {
        return cmd_misused(self, "%s", wrong);
    }
    if (n == 1 && input_begins(argv[1], hpf_heapsnapshot_is)) {
        status = plot_snapshot(self, &values, argv[1]);
    } else {
        status = plot_setup_init(&job.setup, self, &values, input_is_series(argv + 1, n) ? 1 : n);
        if (status == EXIT_DONE) {
            status = plot(&job, self, argv + 1, n);
        }
        plot_setup_finish(&job.setup);
    }
    return status;
}

const cmd cmd_plot = {
    .name = "plot",
    .summary = "Draw one or more profiles as a graph",
    .operands = "FILE...",
    .make_options = plot_options_table,
    .notes = plot_formats_print,
    .run = run,
};

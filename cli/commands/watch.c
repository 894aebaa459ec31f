/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census watch: a picture of a profile that grows.
 */
#include <string.h>

#include "cmd.h"
#include "diag.h"
#include "path.h"
#include "plot/plot_setup.h"
#include "watch/session.h"

typedef struct watch_values {
    plot_values plot; /* first: plot options are stored there */
    session_options session;
    double every_s;
} watch_values;

#define AT(member) offsetof(watch_values, member)
static const opt own_options[] = {
    OPT('o', "output", OPT_TEXT, AT(plot.output), "FILE",
        "draw the profile to FILE whenever it changes; FILE is replaced atomically"),
    OPT(0, "every", OPT_DURATION, AT(every_s), "TIME",
        "shortest time between two writes of FILE, such as 500ms, 10s or 5m (default 1s)",
        .low = 0.01, .high = 86400),
    SESSION_OPTIONS(AT(session)),
};
#undef AT

/* Returns the options of the command and of pictures. */
static const opt *all_options(void)
{
    return plot_options_live(own_options, sizeof own_options / sizeof *own_options, true);
}

/* Returns a message about the command line, or NULL. */
static const char *check_command_line(const plot_values *plot, int n_operands)
{
    return n_operands == 0  ? "no profile given (a path, -, unix:PATH or tcp:HOST:PORT)"
           : n_operands > 1 ? "only one profile can be given"
           : !plot->output  ? "no picture: use -o FILE, or census open to look at the profile"
           : strcmp(plot->output, "-") == 0
               ? "-o - cannot be used: the picture is rewritten, which needs a file"
               : plot_options_check_live(plot);
}

static int run(const cmd *self, int argc, char **argv)
{
    watch_values values = {.plot = plot_options_default(), .every_s = 1};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    input_set_options(&values.plot.input);
    const char *wrong = check_command_line(&values.plot, argc - 1);
    if (wrong) {
        return cmd_misused(self, "%s", wrong);
    }
    if (path_is_same_file(argv[1], values.plot.output)) {
        return cmd_misused(self, "the output '%s' would overwrite the profile", argv[1]);
    }
    const session_inputs inputs = {.words = argv + 1, .n = 1};
    const watch_views views = {.picture = values.plot.output, .every_s = values.every_s};
    return session_run(self, &values.plot, &values.session, &inputs, &views);
}

const cmd cmd_watch = {
    .name = "watch",
    .summary = "Keep a picture of a profile up to date while it is being written",
    .operands = "FILE|-|unix:PATH|tcp:HOST:PORT",
    .make_options = all_options,
    .notes = plot_formats_print,
    .run = run,
};

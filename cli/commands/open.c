/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census open: profiles in a page of the browser, or in the terminal.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "diag.h"
#include "input.h"
#include "hpfile/heapsnapshot.h"
#include "plot/plot_snapshot.h"
#include "watch/inputs/connector.h"
#include "watch/session.h"

typedef struct open_values {
    plot_values plot; /* first: plot options are stored there */
    session_options session;
    bool terminal;
    const char *listen, *token_file, *source;
    bool no_browser, waits;
} open_values;

/* More profiles than a page can show at once. */
enum { MOST_PROFILES = 64 };

#define AT(member) offsetof(open_values, member)
static const opt own_options[] = {
    OPT(0, "terminal", OPT_FLAG, AT(terminal), NULL, "show the profile in the terminal"),
    OPT(0, "source", OPT_TEXT, AT(source), "DIR",
        "show the text of the program from the files below DIR (default: from the files that the "
        "profile names)"),
    OPT(0, "listen", OPT_TEXT, AT(listen), "WHERE",
        "serve the page at WHERE: 127.0.0.1:8080, :8080 or unix:PATH (default: 127.0.0.1 and a "
        "free port)"),
    OPT(0, "token-file", OPT_TEXT, AT(token_file), "FILE",
        "keep the secret part of the URL in FILE, so that the URL stays the same"),
    OPT(0, "no-browser", OPT_FLAG, AT(no_browser), NULL,
        "print the URL, but do not open a browser"),
    OPT(0, "wait", OPT_FLAG, AT(waits), NULL,
        "wait for a file that does not exist yet, which a run is about to create"),
    SESSION_OPTIONS(AT(session)),
};
#undef AT

static const opt *all_options(void)
{
    return plot_options_live(own_options, sizeof own_options / sizeof *own_options, false);
}

/* Returns a message about the command line, or NULL. */
static const char *check_command_line(const open_values *v, int n_operands)
{
    bool is_served = v->listen || v->token_file || v->source || v->no_browser;
    return n_operands == 0 ? "no profile given (a path, -, unix:PATH or tcp:HOST:PORT)"
           : v->terminal && is_served
               ? "--listen, --token-file, --source and --no-browser cannot be used with --terminal"
           : v->terminal && v->plot.lanes
               ? "--lanes cannot be used with --terminal, which has no room for lanes"
               : plot_options_check_live(&v->plot);
}

/* Serves the page of a heap snapshot. */
static int open_snapshot(const cmd *self, const open_values *v, const char *path,
                         watch_views *views)
{
    if (v->terminal) {
        return cmd_misused(self, "a heap snapshot has no terminal view: use census report");
    }
    hpf_sink *page = hpf_sink_to_memory();
    int status = EXIT_FAILED;
    if (!page || (plot_snapshot_write(page, &v->plot, path) && hpf_sink_flush(page, NULL))) {
        diag_say("out of memory");
    } else if (hpf_sink_bytes(page).length > 0) {
        const session_inputs none = {.n = 0};
        views->document = hpf_sink_bytes(page);
        status = session_run(self, &v->plot, &v->session, &none, views);
    }
    hpf_sink_destroy(page);
    return status;
}

/* ---- The command ---- */

/* Checks that the profiles are there, or may come. Returns false after a message. */
static bool are_there(char *const *words, size_t n, bool waits)
{
    struct stat about;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i], "-") == 0 || connector_is_address(words[i]) ||
            stat(words[i], &about) == 0) {
            continue;
        }
        if (!(waits && errno == ENOENT)) {
            diag_say("%s: %s%s", words[i], strerror(errno),
                     errno == ENOENT ? ": --wait waits until a run creates it" : "");
            return false;
        }
        diag_say("%s does not exist yet: waiting for it", words[i]);
    }
    if (n > MOST_PROFILES) {
        diag_say("%zu profiles: only the first %d are shown", n, MOST_PROFILES);
    }
    return true;
}

static int run(const cmd *self, int argc, char **argv)
{
    open_values v = {.plot = plot_options_default()};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &v, &argc, argv, &status)) {
        return status;
    }
    input_set_options(&v.plot.input);
    const char *wrong = check_command_line(&v, argc - 1);
    if (wrong) {
        return cmd_misused(self, "%s", wrong);
    }
    watch_views views = {.tty = v.terminal,
                         .http = !v.terminal,
                         .http_where = v.listen,
                         .token_file = v.token_file,
                         .has_source = true,
                         .source = v.source,
                         .opens_browser = !v.no_browser};
    struct stat about;
    bool is_file = stat(argv[1], &about) == 0 && S_ISREG(about.st_mode); /* others are read once */
    if (argc == 2 && is_file && input_begins(argv[1], hpf_heapsnapshot_is)) {
        return open_snapshot(self, &v, argv[1], &views);
    }
    const size_t n = (size_t)argc - 1;
    const session_inputs inputs = {argv + 1, n < MOST_PROFILES ? n : MOST_PROFILES};
    if (!are_there(inputs.words, n, v.waits)) {
        return EXIT_FAILED;
    }
    views.fragment = inputs.n > 1 ? "#profile=all" : NULL;
    return session_run(self, &v.plot, &v.session, &inputs, &views);
}

const cmd cmd_open = {
    .name = "open",
    .group = "Look at a profile",
    .summary = "Look at profiles in the browser, or in the terminal",
    .operands = "FILE|-|unix:PATH|tcp:HOST:PORT...",
    .make_options = all_options,
    .run = run,
};

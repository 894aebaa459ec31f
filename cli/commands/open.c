/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census open: profiles in a page of the browser, or in the terminal.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "diag.h"
#include "input.h"
#include "dominators/dominators_report.h"
#include "hprender/html_dominators.h"
#include "plot/plot_snapshot.h"
#include "watch/inputs/connector.h"
#include "watch/session.h"
#include "base/array.h"
#include "hpfile/format.h"
#include "hpfile/source.h"
#include "path.h"

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
    return n_operands == 0 ? "no profile given (a path, a folder, -, unix:PATH or tcp:HOST:PORT)"
           : v->terminal && is_served
               ? "--listen, --token-file, --source and --no-browser cannot be used with --terminal"
           : v->terminal && v->plot.lanes
               ? "--lanes cannot be used with --terminal, which has no room for lanes"
               : plot_options_check_live(&v->plot);
}

/* The snapshot whose page is served. */
typedef struct served_snapshot {
    snapshot_file file;
    uint32_t *holders;
} served_snapshot;

static bool answer(void *context, const char *question, hpf_sink *sink)
{
    served_snapshot *served = context;
    return *question == '/' ? plot_snapshot_write_below(sink, &served->file, question)
                            : dominators_answer(&served->file, served->holders, question, sink);
}

/* Serves the page of a heap snapshot. */
static int open_snapshot(const cmd *self, const open_values *v, const char *path,
                         watch_views *views)
{
    if (v->terminal) {
        return cmd_misused(self, "a heap snapshot has no terminal view: use census report");
    }
    served_snapshot served;
    int status = EXIT_FAILED;
    if (!snapshot_file_load(&served.file, path, DOMINATORS_ASKED | HPF_HEAPSNAPSHOT_EDGE_NAMES,
                            HPR_HTML_MOST_GROUPS)) {
        return EXIT_FAILED;
    }
    served.holders = hpf_dominators_holders(&served.file.dominators, &served.file.snapshot);
    hpf_sink *page = hpf_sink_to_memory();
    if (!page || !served.holders) {
        diag_say("out of memory");
    } else if (plot_snapshot_write(page, &v->plot, &served.file, path, "question/")) {
        const session_inputs none = {.n = 0};
        views->document = (view_http_document){hpf_sink_bytes(page), answer, &served};
        status = session_run(self, &v->plot, &v->session, &none, views);
    }
    hpf_sink_destroy(page);
    free(served.holders);
    snapshot_file_finish(&served.file);
    return status;
}

/* ---- The profiles in a folder ---- */

/* Paths, each allocated. All zero: none. */
typedef struct profile_paths {
    char **all;
    size_t n, capacity;
} profile_paths;

/* Adds a path, which is copied. Returns false after a message. */
static bool add_path(profile_paths *paths, const char *path)
{
    char *copy = strdup(path);
    if (copy && HPF__ARRAY_PUSH(paths->all, paths->n, paths->capacity, copy)) {
        return true;
    }
    free(copy);
    diag_say("out of memory");
    return false;
}

/* Text of no known format could be anything: only text with the first line of GHC's files counts.
 */
static bool is_profile(const char *path)
{
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    const hpf_format *format;
    hpf_source *source;
    hpf_str head;
    struct stat about;
    bool is_file = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    if (!is_file || hpf_source_open(&source, path, &keeping, NULL) != HPF_OK) {
        return false;
    }
    bool is = hpf_format_detect(&format, source, NULL) == HPF_OK && format != &hpf_format_prof;
    if (is && format == &hpf_format_hp) {
        is = hpf_source_next(source, &head, NULL) == HPF_OK && hpf_str_begins(head, "JOB ");
    }
    hpf_source_destroy(source);
    return is;
}

/* Returns whether the folder has a file of the same run that says more. */
static bool has_better(const char *path)
{
    static const char *const suffixes[] = {".census", ".eventlog", ".hp"}; /* the best first */
    enum { N_SUFFIXES = sizeof suffixes / sizeof *suffixes };
    hpf_str stem = path_uncompressed(path);
    size_t own = 0;
    while (own < N_SUFFIXES && !path_drop_suffix(&stem, suffixes[own])) {
        own++;
    }
    bool has = false;
    for (size_t i = 0; own < N_SUFFIXES && i < own; i++) {
        char other[4096];
        snprintf(other, sizeof other, "%.*s%s", (int)stem.length, stem.data, suffixes[i]);
        has |= access(other, F_OK) == 0;
    }
    return has;
}

/* Adds the heap profiles that lie in a folder, by name, without hidden files and folders in it. Of
 * recordings of one run in several formats, it adds the one that says most. Returns false after a
 * message, also if there is none. */
static bool add_folder(profile_paths *paths, const char *folder)
{
    struct dirent **entries;
    size_t n_before = paths->n;
    int n = scandir(folder, &entries, NULL, alphasort);
    bool is_added = n >= 0;
    if (n < 0) {
        diag_say("%s: %s", folder, strerror(errno));
    }
    for (int i = 0; i < n; i++) {
        char path[4096];
        const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
        int length = snprintf(path, sizeof path, "%s%s%s", folder, slash, entries[i]->d_name);
        if (is_added && entries[i]->d_name[0] != '.' && (size_t)length < sizeof path &&
            is_profile(path) && !has_better(path)) {
            is_added = add_path(paths, path);
        }
        free(entries[i]);
    }
    if (n >= 0) {
        free(entries);
    }
    if (is_added && paths->n == n_before) {
        diag_say("%s: no heap profile in this folder", folder);
        return false;
    }
    return is_added;
}

static void finish_paths(profile_paths *paths)
{
    for (size_t i = 0; i < paths->n; i++) {
        free(paths->all[i]);
    }
    free(paths->all);
}

/* ---- The command ---- */

/* Lists the profiles; a folder stands for those in it. Returns false after a message. */
static bool list(profile_paths *paths, char *const *words, size_t n, bool waits,
                 session_inputs *inputs)
{
    bool is_listed = true;
    struct stat about;
    for (size_t i = 0; i < n && is_listed; i++) {
        bool is_there = stat(words[i], &about) == 0, is_folder = is_there && S_ISDIR(about.st_mode);
        bool is_name = strcmp(words[i], "-") != 0 && !connector_is_address(words[i]);
        if (is_name && !is_there && !(waits && errno == ENOENT)) {
            diag_say("%s: %s%s", words[i], strerror(errno),
                     errno == ENOENT ? ": --wait waits until a run creates it" : "");
            return false;
        }
        if (is_name && !is_there) {
            diag_say("%s does not exist yet: waiting for it", words[i]);
        }
        is_listed = is_folder ? add_folder(paths, words[i]) : add_path(paths, words[i]);
        inputs->may_fail |= is_folder;
    }
    if (is_listed && paths->n > MOST_PROFILES) {
        diag_say("%zu profiles: only the first %d are shown", paths->n, MOST_PROFILES);
    }
    inputs->words = paths->all;
    inputs->n = paths->n < MOST_PROFILES ? paths->n : MOST_PROFILES;
    return is_listed;
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
    profile_paths paths = {0};
    session_inputs inputs = {0};
    if (list(&paths, argv + 1, (size_t)argc - 1, v.waits, &inputs)) {
        views.fragment = inputs.n > 1 ? "#profile=all" : NULL;
        status = session_run(self, &v.plot, &v.session, &inputs, &views);
    }
    finish_paths(&paths);
    return status;
}

const cmd cmd_open = {
    .name = "open",
    .group = "Look at a profile",
    .summary = "Look at profiles in the browser, or in the terminal",
    .operands = "FILE|FOLDER|-|unix:PATH|tcp:HOST:PORT...",
    .make_options = all_options,
    .run = run,
};

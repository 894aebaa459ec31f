/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census watch: parses the command line, opens input and views, and runs the event loop.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd.h"
#include "diag.h"
#include "input.h"
#include "plot/overlay.h"
#include "path.h"
#include "plot/plot_format.h"
#include "plot/plot_setup.h"
#include "hpfile/live.h"
#include "watch/inputs/inputs.h"
#include "watch/views.h"

typedef struct watch_values {
    plot_values plot; /* first: plot options are stored there */
    bool tty;
    opt_list http; /* addresses to listen on; "": the loopback address */
    const char *token_file;
    const char *source;
    bool no_browser;
    double every_s, window_s;
    bool once;
} watch_values;

#define AT(member) offsetof(watch_values, member)
static const opt own_options[] = {
    {0, "tty", OPT_FLAG, AT(tty), NULL,
     "show the profile in the terminal (default if no other view is given)", NULL, 0, 0},
    {0, "http", OPT_SUFFIX, AT(http), "WHERE",
     "show the profile in a browser; listen on WHERE: 127.0.0.1:8080, :8080 or unix:PATH (default: "
     "127.0.0.1 and a free port)",
     NULL, 0, 0},
    {0, "token-file", OPT_TEXT, AT(token_file), "FILE",
     "keep the secret part of the URL in FILE, so that the URL stays the same", NULL, 0, 0},
    {0, "source", OPT_TEXT, AT(source), "DIR",
     "show in the browser the text of the program around the lines of its stacks, from the files "
     "below DIR",
     NULL, 0, 0},
    {0, "no-browser", OPT_FLAG, AT(no_browser), NULL, "print the URL, but do not open a browser",
     NULL, 0, 0},
    {'o', "output", OPT_TEXT, AT(plot.output), "FILE",
     "draw the profile to FILE whenever it changes; FILE is replaced atomically", NULL, 0, 0},
    {0, "every", OPT_DURATION, AT(every_s), "TIME",
     "shortest time between two writes of FILE, such as 500ms, 10s or 5m (default 1s)", NULL, 0.01,
     86400},
    {0, "window", OPT_DURATION, AT(window_s), "TIME",
     "show only the last part of the profile, such as 30s, 5m or 2h (default: all of it)", NULL,
     1e-3, 1e9},
    {0, "once", OPT_FLAG, AT(once), NULL, "exit when the profile is complete", NULL, 0, 0},
};
#undef AT
enum { N_OWN_OPTIONS = sizeof own_options / sizeof *own_options };

/* ---- the session ---- */

typedef struct session {
    const watch_values *values;
    plot_setup setup;
    loop *l;
    watch *w;
    watch_input *input;
    symboliser *symboliser;
    watch_views views;
    plot_ungrouped ungrouped; /* as printed last */
    int signals;
} session;

/* The quantities of the profile are not known yet. */
static bool prepare(session *s)
{
    plot_setup *setup = &s->setup;
    return overlay_choose(&setup->options.chart, &setup->overlay, setup->values->overlay, NULL,
                          0) &&
           plot_setup_open_fonts(setup);
}

static void take_signal(void *context, uint32_t epoll_events)
{
    session *s = context;
    struct signalfd_siginfo came;
    (void)epoll_events;
    if (read(s->signals, &came, sizeof came) == (ssize_t)sizeof came) {
        loop_stop(s->l);
    }
}

static bool wait_for_signals(session *s)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigprocmask(SIG_BLOCK, &ours, NULL);
    s->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    return s->signals >= 0 && loop_add(s->l, s->signals, EPOLLIN, take_signal, s);
}

static bool open_watch(session *s)
{
    const char *value = s->values->plot.input.value;
    const hpf_live_options limits = {
        .max_picks = s->setup.backend ? s->setup.backend->most_samples : 0,
        .process = s->values->plot.input.process,
        .has_log_profile = s->values->plot.profile >= 0,
        .log_profile = (uint8_t)s->values->plot.profile,
        .value = {value ? value : "", value ? strlen(value) : 0},
        .has_activity = s->values->plot.lanes,
        .uses_mutator_clock = s->values->plot.input.clock != 0,
        .has_costs = s->values->http.n > 0,
        .view = s->setup.view,
        .symbolise = symboliser_frames,
        .symbolise_context = &s->symboliser,
        .is_wanted = plot_setup_filter(&s->setup),
        .is_wanted_context = &s->setup.filter,
    };
    s->l = loop_create();
    s->w = s->l ? watch_create(&limits) : NULL;
    if (s->w && wait_for_signals(s)) {
        return true;
    }
    diag_say("cannot start the event loop: %s", strerror(errno));
    return false;
}

static bool open_views(session *s)
{
    const watch_values *v = s->values;
    const char *where = v->http.n > 0 ? v->http.texts[v->http.n - 1] : "";
    s->views = (watch_views){
        .setup = &s->setup,
        .tty = v->tty,
        .http = v->http.n > 0,
        .http_where = *where ? where : NULL,
        .token_file = v->token_file,
        .source = v->source,
        .opens_browser = !v->no_browser,
        .picture = v->plot.output,
        .every_s = v->every_s,
        .window_s = v->window_s,
    };
    return watch_views_open(&s->views, s->l, s->w);
}

static bool open_input(session *s, const char *word)
{
    const watch_input_options options = {.l = s->l,
                                         .w = s->w,
                                         .once = s->values->once,
                                         .which = s->values->plot.input.process,
                                         .has_log_profile = s->values->plot.profile >= 0};
    s->input = watch_input_open(word, &options);
    return s->input != NULL;
}

/* ---- when to exit ---- */

/* Returns whether the input is not a profile and never will be. An event log without a heap profile
 * may have a time profile to serve. */
static bool is_invalid_input(const session *s)
{
    const watched *profile = watch_profile(s->w, 0);
    return profile->state == WATCHED_FAILED && hpf_live_n_samples(profile->live) == 0 &&
           !hpf_live_time(profile->live);
}

static bool is_enough(const session *s)
{
    bool is_interactive = s->values->tty || s->values->http.n > 0;
    bool is_last = s->values->once || (s->input->is_exhausted && !is_interactive);
    return loop_is_stopped(s->l) || is_invalid_input(s) || (is_last && watch_is_over(s->w));
}

static plot_ungrouped count_ungrouped(const session *s)
{
    hpf_survey *survey;
    hpf_error err;
    bool has_samples =
        s->values->plot.group && watched_survey(&survey, watch_profile(s->w, 0), 0, &err) == HPF_OK;
    return has_samples ? plot_setup_count_ungrouped(&s->setup, &survey, 1) : (plot_ungrouped){0, 0};
}

/* Warns of names that --group-by leaves alone when there are samples; a terminal view has no place
 * for that. */
static void serve(session *s)
{
    while (!is_enough(s)) {
        loop_step(s->l, -1);
        if (!s->values->tty && s->ungrouped.n_names == 0) {
            s->ungrouped = count_ungrouped(s);
            plot_warn_of_ungrouped(s->ungrouped);
        }
    }
    watch_input_look(s->input);
}

/* Closes the views, and prints what they can no longer show. */
static int conclude(session *s)
{
    char failure[300] = "";
    const watched *profile = watch_profile(s->w, 0);
    if (profile->state == WATCHED_FAILED) {
        snprintf(failure, sizeof failure, "%s: %s", profile->name, profile->message);
    }
    const char *picture = s->values->plot.output;
    plot_ungrouped ungrouped = count_ungrouped(s);
    watch_destroy(s->w);
    s->w = NULL;
    if (ungrouped.n != s->ungrouped.n) {
        plot_warn_of_ungrouped(ungrouped);
    }
    bool is_missing = picture && s->views.picture_state != PICTURE_CURRENT;
    if (*failure && s->values->tty) {
        diag_say("%s", failure);
    } else if (picture && s->views.picture_state == PICTURE_NONE && !*failure) {
        diag_say("%s: not written: no sample to draw", picture);
    }
    return *failure || is_missing ? EXIT_FAILED : EXIT_DONE;
}

static int watch_profile_at(session *s, const cmd *self, const char *word)
{
    int status = plot_setup_init(&s->setup, self, &s->values->plot, 1);
    if (status == EXIT_DONE) {
        bool is_ready = prepare(s) && open_watch(s) && open_input(s, word) && open_views(s);
        status = EXIT_FAILED;
        if (is_ready) {
            serve(s);
            status = conclude(s);
        }
    }
    watch_destroy(s->w);
    watch_input_destroy(s->input);
    loop_destroy(s->l);
    symboliser_destroy(s->symboliser);
    if (s->signals >= 0) {
        close(s->signals);
    }
    plot_setup_finish(&s->setup);
    return status;
}

/* ---- the command line ---- */

/* Returns the options of the command and of pictures. */
static const opt *all_options(void)
{
    static opt all[N_OWN_OPTIONS + PLOT_MOST_OPTIONS];
    memcpy(all, own_options, sizeof own_options);
    plot_options_add_live(all, N_OWN_OPTIONS);
    return all;
}

static bool is_ticky(const char *value)
{
    return strcmp(value, "ticky-entries") == 0 || strcmp(value, "ticky-allocs") == 0 ||
           strcmp(value, "ticky-allocd") == 0;
}

/* Returns a message about the command line, or NULL. */
static const char *check_command_line(const watch_values *values, int n_operands)
{
    const plot_values *plot = &values->plot;
    if (n_operands == 0) {
        return "no profile given (a path, -, unix:PATH or tcp:HOST:PORT)";
    }
    if (n_operands > 1) {
        return "only one profile can be given";
    }
    if (!values->tty && values->http.n == 0 && !plot->output) {
        return "no view: use --tty (terminal), --http (browser) or -o FILE (picture)";
    }
    if (values->token_file && values->http.n == 0) {
        return "--token-file needs --http";
    }
    if (values->source && values->http.n == 0) {
        return "--source needs --http";
    }
    if (values->no_browser && values->http.n == 0) {
        return "--no-browser needs --http";
    }
    if (plot->output && strcmp(plot->output, "-") == 0) {
        return "-o - cannot be used: the picture is rewritten, which needs a file";
    }
    if (plot->lanes && values->http.n == 0 && !plot->output) {
        return "--lanes needs --http or -o FILE: the terminal has no room for lanes";
    }
    if (plot->input.value && !is_ticky(plot->input.value)) {
        return "--value of a growing profile must be ticky-entries, ticky-allocs or ticky-allocd";
    }
    if (plot->legend == HPR_LEGEND_SEPARATE) {
        return "--legend separate cannot be used with census watch";
    }
    return NULL;
}

static int check_and_watch(const cmd *self, watch_values *values, int argc, char **argv)
{
    session s = {.values = values, .signals = -1};
    bool has_view = values->plot.output || values->http.n > 0;
    values->tty |= !has_view && isatty(STDOUT_FILENO);
    const char *wrong = check_command_line(values, argc - 1);
    if (wrong) {
        return cmd_misused(self, "%s", wrong);
    }
    if (values->plot.output && path_is_same_file(argv[1], values->plot.output)) {
        return cmd_misused(self, "the output '%s' would overwrite the profile", argv[1]);
    }
    return watch_profile_at(&s, self, argv[1]);
}

static int run(const cmd *self, int argc, char **argv)
{
    watch_values values = {.plot = plot_options_default(), .every_s = 1};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    input_set_options(&values.plot.input);
    return check_and_watch(self, &values, argc, argv);
}

const cmd cmd_watch = {
    .name = "watch",
    .summary = "Show a profile while it is being written",
    .operands = "FILE|-|unix:PATH|tcp:HOST:PORT",
    .make_options = all_options,
    .notes = plot_formats_print,
    .run = run,
};

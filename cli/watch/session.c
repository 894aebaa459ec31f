/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "clock.h"
#include "diag.h"
#include "hpfile/live.h"
#include "plot/overlay.h"
#include "symbolise.h"

#include "watch/inputs/inputs.h"
#include "watch/web/http_browser.h"

typedef struct session {
    const plot_values *plot;
    const session_options *options;
    plot_setup setup;
    loop *l;
    watch *w;
    watch_input **inputs;
    size_t n_inputs;
    symboliser *symboliser;
    watch_views views;
    double last_viewed_s;     /* clock_now_s() when the page had viewers, or of the start */
    plot_ungrouped ungrouped; /* as printed last */
    int signals;
} session;

/* ---- begin ---- */

/* The quantities of the profile are not known yet. */
static bool prepare(session *s)
{
    plot_setup *setup = &s->setup;
    return overlay_choose(&setup->options, &setup->overlay, setup->values->overlay, NULL, 0) &&
           (!s->views.picture || plot_setup_open_fonts(setup));
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
    const char *value = s->plot->input.value;
    const hpf_live_options limits = {
        .size = sizeof limits,
        .max_drawn = s->setup.backend ? s->setup.backend->most_samples : 0,
        .process = s->plot->input.process,
        .has_log_profile = s->plot->profile >= 0,
        .log_profile = (uint8_t)s->plot->profile,
        .value = {value ? value : "", value ? strlen(value) : 0},
        .has_activity = s->plot->lanes,
        .uses_mutator_clock = s->plot->input.clock != 0,
        .has_costs = s->views.http,
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

static bool open_inputs(session *s, const session_inputs *inputs)
{
    const watch_input_options options = {.l = s->l,
                                         .w = s->w,
                                         .once = s->options->once,
                                         .which = s->plot->input.process,
                                         .has_log_profile = s->plot->profile >= 0};
    s->inputs = calloc(inputs->n + 1, sizeof *s->inputs);
    if (!s->inputs) {
        diag_say("out of memory");
        return false;
    }
    for (size_t i = 0; i < inputs->n; i++) {
        s->inputs[s->n_inputs] = watch_input_open(inputs->words[i], &options);
        if (s->inputs[s->n_inputs]) {
            s->n_inputs++;
        } else if (!inputs->may_fail) {
            return false;
        }
    }
    return s->n_inputs > 0 || inputs->n == 0;
}

/* ---- when to exit ---- */

/* Returns whether no input is a profile or ever will be. An event log without a heap profile may
 * have a time profile to serve. */
static bool is_invalid_input(const session *s)
{
    bool is_invalid = watch_n_profiles(s->w) > 0;
    for (size_t i = 0; i < watch_n_profiles(s->w) && is_invalid; i++) {
        const watched *profile = watch_profile(s->w, i);
        is_invalid = profile->state == WATCHED_FAILED && hpf_live_n_samples(profile->live) == 0 &&
                     !hpf_live_time(profile->live);
    }
    return is_invalid;
}

static bool is_exhausted(const session *s)
{
    bool is = true;
    for (size_t i = 0; i < s->n_inputs; i++) {
        is &= s->inputs[i]->is_exhausted;
    }
    return is;
}

/* Returns whether a page that was opened without a terminal has had no viewer for a minute. */
static bool is_abandoned(session *s)
{
    enum { PATIENCE_S = 60 };
    bool may_be = s->views.http && s->views.opens_browser && !isatty(STDERR_FILENO) &&
                  http_browser_is_possible();
    if (!may_be || watch_views_has_viewers(&s->views)) {
        s->last_viewed_s = clock_now_s();
    }
    return clock_now_s() > s->last_viewed_s + PATIENCE_S;
}

static bool is_enough(session *s)
{
    bool is_interactive = s->views.tty || s->views.http;
    bool is_last = s->options->once || (is_exhausted(s) && !is_interactive);
    return loop_is_stopped(s->l) || is_abandoned(s) || is_invalid_input(s) ||
           (is_last && watch_is_over(s->w));
}

static plot_ungrouped count_ungrouped(const session *s)
{
    hpf_survey *survey;
    hpf_error err;
    bool has_samples = s->plot->group && watch_n_profiles(s->w) > 0 &&
                       watched_survey(&survey, watch_profile(s->w, 0), 0, &err) == HPF_OK;
    return has_samples ? plot_setup_count_ungrouped(&s->setup, &survey, 1) : (plot_ungrouped){0, 0};
}

/* Warns of names that --group-by leaves alone when there are samples; a terminal view has no place
 * for that. */
static void serve(session *s)
{
    s->last_viewed_s = clock_now_s();
    while (!is_enough(s)) {
        loop_step(s->l, 1000);
        if (!s->views.tty && s->ungrouped.n_names == 0) {
            s->ungrouped = count_ungrouped(s);
            plot_warn_of_ungrouped(s->ungrouped);
        }
    }
    for (size_t i = 0; i < s->n_inputs; i++) {
        watch_input_look(s->inputs[i]);
    }
}

/* Closes the views, and prints what they can no longer show. */
static int conclude(session *s)
{
    bool has_failed = false;
    const char *picture = s->views.picture;
    for (size_t i = 0; i < watch_n_profiles(s->w); i++) {
        const watched *profile = watch_profile(s->w, i);
        bool fails = profile->state == WATCHED_FAILED;
        has_failed |= fails;
        if (fails && s->views.tty) {
            diag_say("%s: %s", profile->name, profile->message);
        }
    }
    plot_ungrouped ungrouped = count_ungrouped(s);
    watch_destroy(s->w);
    s->w = NULL;
    if (ungrouped.n != s->ungrouped.n) {
        plot_warn_of_ungrouped(ungrouped);
    }
    bool is_missing = picture && s->views.picture_state != PICTURE_CURRENT;
    if (picture && s->views.picture_state == PICTURE_NONE && !has_failed) {
        diag_say("%s: not written: no sample to draw", picture);
    }
    return has_failed || is_missing ? EXIT_FAILED : EXIT_DONE;
}

/* ---- all of it ---- */

int session_run(const cmd *self, const plot_values *plot, const session_options *options,
                const session_inputs *inputs, const watch_views *views)
{
    session s = {.plot = plot, .options = options, .views = *views, .signals = -1};
    s.views.setup = &s.setup;
    s.views.window_s = options->window_s;
    int status = plot_setup_init(&s.setup, self, plot, 1);
    if (status == EXIT_DONE) {
        bool is_ready = prepare(&s) && open_watch(&s) && open_inputs(&s, inputs) &&
                        watch_views_open(&s.views, s.l, s.w);
        status = EXIT_FAILED;
        if (is_ready) {
            serve(&s);
            status = conclude(&s);
        }
    }
    watch_destroy(s.w);
    for (size_t i = 0; i < s.n_inputs; i++) {
        watch_input_destroy(s.inputs[i]);
    }
    free(s.inputs);
    loop_destroy(s.l);
    symboliser_destroy(s.symboliser);
    hpf__close(s.signals);
    plot_setup_finish(&s.setup);
    return status;
}

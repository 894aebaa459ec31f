/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The event loop of the views is a guest in the run's own loop. When the program has exited, it
 * runs by itself.
 */
#include "run_watch.h"

#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "plot/overlay.h"
#include "plot/plot_setup.h"
#include "watch/web/view_http.h"

/* How long a page without viewers stays: it may be loading, or be reloaded. */
enum { PATIENCE_S = 10 };

/* ---- arguments ---- */

/* Returns false for an unknown argument. */
static bool read_word(run_watch *rw, const char *word)
{
    if (!*word || strcmp(word, "http") == 0) {
        rw->views.http = rw->views.opens_browser = true;
    } else if (strcmp(word, "tty") == 0) {
        rw->views.tty = true;
    } else {
        rw->plot.output = word;
        return hpr_backend_by_path(word) != NULL;
    }
    return true;
}

/* Fonts are opened only for pictures, because finding them takes time. */
static bool prepare(run_watch *rw)
{
    plot_setup *setup = &rw->setup;
    return overlay_choose(&setup->options, &setup->overlay, NULL, NULL, 0) &&
           (!rw->views.picture || plot_setup_open_fonts(setup));
}

int run_watch_init(run_watch *rw, const cmd *self, const opt_list *words, const char *listen,
                   const char *token_file, const char *source)
{
    rw->plot = plot_options_default();
    for (size_t i = 0; i < words->n; i++) {
        if (!read_word(rw, words->texts[i])) {
            return cmd_misused(self,
                               "--watch expects http, tty, or a FILE that ends in .pdf, .png, .svg "
                               "..., not '%s'",
                               words->texts[i]);
        }
    }
    rw->views.http = rw->views.http || listen;
    rw->views.http_where = listen;
    if (!rw->views.http && (token_file || source)) {
        return cmd_misused(self, "--%s needs --watch or --listen",
                           token_file ? "token-file" : "source");
    }
    if (words->n == 0 && !listen) {
        return EXIT_DONE;
    }
    rw->views.token_file = token_file;
    rw->views.source = source;
    rw->views.has_source = source != NULL;
    if (rw->views.tty && (isatty(STDOUT_FILENO) || isatty(STDERR_FILENO))) {
        return cmd_misused(self, "--watch=tty cannot share the terminal with the program: redirect "
                                 "the output and errors of the program, or use --watch (browser)");
    }
    rw->views.setup = &rw->setup;
    rw->views.picture = rw->plot.output;
    rw->views.of_failures = true;
    rw->views.every_s = 1;
    int status = plot_setup_init(&rw->setup, self, &rw->plot, 1);
    return status == EXIT_DONE && !prepare(rw) ? EXIT_FAILED : status;
}

/* ---- while the program runs ---- */

static void close_views(run_watch *rw)
{
    if (rw->in) {
        input_collector_close(rw->in);
    }
    watch_destroy(rw->w);
    rw->w = NULL;
}

bool run_watch_open(run_watch *rw, hpp_collector_options *options, bool with_logs)
{
    const hpf_live_options limits = {.size = sizeof limits,
                                     .max_drawn =
                                         rw->setup.backend ? rw->setup.backend->most_samples : 0};
    if (!rw->views.http && !rw->views.tty && !rw->views.picture) {
        return true;
    }
    rw->l = loop_create();
    rw->w = rw->l ? watch_create(&limits) : NULL;
    rw->in = rw->w ? input_collector_create(rw->l, rw->w, with_logs) : NULL;
    if (!rw->in) {
        diag_say("cannot watch: out of memory or file descriptors");
        return false;
    }
    options->written = input_collector_written;
    options->written_context = rw->in;
    options->keeps_costs = rw->views.http;
    return watch_views_open(&rw->views, rw->l, rw->w);
}

void run_watch_attach(run_watch *rw, const hpp_collector *collector, const char *recording)
{
    if (rw->in) {
        input_collector_attach(rw->in, collector, recording);
    }
    if (rw->views.page) {
        view_http_attach(rw->views.page, collector);
    }
}

static int fd(void *context)
{
    const run_watch *rw = context;
    return rw->w ? loop_fd(rw->l) : -1;
}

/* If the user quits the terminal view, the program continues. */
static void step(void *context)
{
    run_watch *rw = context;
    loop_step(rw->l, 0);
    if (loop_is_stopped(rw->l)) {
        close_views(rw);
    }
}

run_guest run_watch_guest(run_watch *rw)
{
    return (run_guest){fd, step, rw};
}

/* ---- when it has ended ---- */

static void stop_at_signal(void *context, uint32_t epoll_events)
{
    (void)epoll_events;
    loop_stop(context);
}

void run_watch_conclude(run_watch *rw, const run_signals *signals)
{
    if (!rw->w) {
        return;
    }
    rw->has_run = true;
    input_collector_end(rw->in);
    loop_add(rw->l, signals->fd, EPOLLIN, stop_at_signal, rw->l);
    while (rw->views.tty && !loop_is_stopped(rw->l)) {
        loop_step(rw->l, -1);
    }
    if (rw->views.tty) {
        close_views(rw);
    }
}

/* Waits while a page is viewed and standard error is a terminal. */
static void keep_page_open(run_watch *rw)
{
    double last_look_s = clock_now_s();
    if (!rw->views.http || !isatty(STDERR_FILENO) || loop_is_stopped(rw->l)) {
        return;
    }
    diag_say("the program has exited; the page stays open while it is viewed (Ctrl-C closes it)");
    while (!loop_is_stopped(rw->l) && clock_now_s() < last_look_s + PATIENCE_S) {
        loop_step(rw->l, 1000);
        if (watch_views_has_viewers(&rw->views)) {
            last_look_s = clock_now_s();
        }
    }
}

void run_watch_finish(run_watch *rw, const run_signals *signals)
{
    if (rw->w && rw->has_run) {
        keep_page_open(rw);
    }
    if (rw->l) {
        loop_remove(rw->l, signals->fd);
    }
    close_views(rw);
    input_collector_destroy(rw->in);
    loop_destroy(rw->l);
    plot_setup_finish(&rw->setup);
    *rw = (run_watch){.l = NULL};
}

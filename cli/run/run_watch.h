/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The views of `census run --watch`, which the collector updates while the program runs and which
 * stay open for a while after it.
 */
#ifndef CENSUS_RUN_WATCH_H
#define CENSUS_RUN_WATCH_H

#include "cmd.h"
#include "plot/plot_setup.h"
#include "run_loop.h"
#include "watch/inputs/input_collector.h"
#include "watch/views.h"

/* All zero: there are no views, and all functions do nothing. */
typedef struct run_watch {
    plot_values plot;
    plot_setup setup;
    watch_views views;
    loop *l;
    watch *w; /* NULL if not open */
    input_collector *in;
    bool has_run; /* the program has run and exited */
} run_watch;

/* Parses the arguments of --watch: "" and "http" are a page that is opened in a browser, "tty" the
 * terminal, others the path of a picture. A page is served at `listen`, also if none is opened.
 * `listen`, `token_file` and `source` may be NULL. Returns EXIT_DONE, or an exit status after a
 * message. */
int run_watch_init(run_watch *rw, const cmd *self, const opt_list *words, const char *listen,
                   const char *token_file, const char *source);

/* Opens the views, of event logs instead of .hp files if there are, and sets the callback in
 * `options`. Returns false after a message. */
bool run_watch_open(run_watch *rw, hpp_collector_options *options, bool with_logs);
void run_watch_attach(run_watch *rw, const hpp_collector *collector, const char *recording);

/* Returns the guest for run_loop. */
run_guest run_watch_guest(run_watch *rw);

/* Shows the final state after the collector has stopped. The terminal view stays until the user or
 * a signal ends it. */
void run_watch_conclude(run_watch *rw, const run_signals *signals);

/* Keeps a page open while it is viewed, if standard error is a terminal; then closes everything. */
void run_watch_finish(run_watch *rw, const run_signals *signals);

#endif

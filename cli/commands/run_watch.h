/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The views of `census run --watch`: fed by the collector while the program runs, and open for a
 * while when it has ended.
 */
#ifndef CENSUS_RUN_WATCH_H
#define CENSUS_RUN_WATCH_H

#include "cmd.h"
#include "plot/plot_setup.h"
#include "run_loop.h"
#include "watch/inputs/input_collector.h"
#include "watch/views.h"

/* All zero: nothing is watched, and all functions do nothing. */
typedef struct run_watch {
    plot_values plot;
    plot_setup setup;
    watch_views views;
    loop *l;
    watch *w; /* NULL: not open, or not any more */
    input_collector *in;
    bool has_run; /* the program was started, and has ended */
} run_watch;

/* What the words of --watch mean: "", "http" and "http:WHERE" a page, "tty" a terminal, any other a
 * picture by its path. Returns an exit status, after a message if it is not EXIT_DONE. */
int run_watch_init(run_watch *rw, const cmd *self, const opt_list *words);

/* Opens the views; then `options` know whom to tell. False after a message. */
bool run_watch_open(run_watch *rw, hpp_collector_options *options);
void run_watch_attach(run_watch *rw, const hpp_collector *collector);

/* As the guest of run_loop. */
run_guest run_watch_guest(run_watch *rw);

/* The collector has stopped: shows what there is. A terminal stays until its user or a signal ends
 * it. */
void run_watch_conclude(run_watch *rw, const run_signals *signals);

/* A page stays while somebody looks at it and there is a person at the terminal of standard error;
 * then everything is closed. */
void run_watch_finish(run_watch *rw, const run_signals *signals);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Serves the collector and forwards signals while a program runs. SIGINT and SIGQUIT reach the
 * program from the terminal by themselves; SIGTERM and SIGHUP are forwarded. When the program has
 * exited, processes that it started are profiled until they exit or a signal arrives.
 */
#ifndef CENSUS_RUN_LOOP_H
#define CENSUS_RUN_LOOP_H

#include "launch.h"

typedef struct run_signals {
    int fd;          /* readable when a signal is pending */
    sigset_t before; /* previous mask, for the program */
} run_signals;

/* Blocks signals and reads them from a descriptor. Call it before threads are created. Returns
 * false after a message. */
bool run_signals_begin(run_signals *out);

/* Returns whether signals are pending, for hpp_collector_options. */
bool run_signals_are_pending(void *signals);

/* Reads the signals that are pending. Returns whether there were any. */
bool run_signals_read(const run_signals *signals);

/* Another event loop that is served as well. */
typedef struct run_guest {
    int (*fd)(void *context); /* returns a descriptor that is readable when there is work, or -1 */
    void (*step)(void *context);
    void *context;
} run_guest;

/* Serves until the program and all processes that it started have exited. Returns the status of the
 * program as waitpid does. */
int run_loop(hpp_collector *collector, const launched *program, const run_signals *signals,
             const run_guest *guest, bool is_quiet);

/* Serves until a signal arrives or the program, which this process did not start, has exited.
 * Returns whether it has. */
bool run_loop_attached(hpp_collector *collector, const launched *program,
                       const run_signals *signals, const run_guest *guest);

/* Completes the profiles. A signal makes that short. Returns false, after a message, if they are
 * not complete some seconds later: then the collector cannot be used any more. */
bool run_loop_complete(hpp_collector *collector, const run_signals *signals);

#endif

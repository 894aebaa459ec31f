/* SPDX-License-Identifier: BSD-2-Clause
 *
 * While a program runs under the profiler: the collector is served, and signals go where they
 * belong. What the terminal sends (SIGINT, SIGQUIT) reaches the program by itself, so we let it
 * pass; what others send to us (SIGTERM, SIGHUP) is for the program. When it has ended, what it
 * has started is followed to its end, unless a signal says that this is enough.
 */
#ifndef CENSUS_RUN_LOOP_H
#define CENSUS_RUN_LOOP_H

#include "launch.h"

typedef struct run_signals {
    int fd;          /* readable when one has come */
    sigset_t before; /* the mask, for the program */
} run_signals;

/* From now on signals are read from a descriptor. Call it before anything makes threads. False
 * after a message. */
bool run_signals_begin(run_signals *out);

/* Somebody else who waits for things to happen. */
typedef struct run_guest {
    int (*fd)(
        void *context); /* a descriptor that is readable when there is something to do, or -1 */
    void (*step)(void *context);
    void *context;
} run_guest;

/* Serves until the program and all that it has started have ended. Returns the program's status as
 * waitpid has it. */
int run_loop(hpp_collector *collector, const launched *program, const run_signals *signals,
             const run_guest *guest, bool is_quiet);

#endif

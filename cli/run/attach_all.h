/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `census attach --all`: one collector for all processes that match, as they come and go.
 */
#ifndef CENSUS_ATTACH_ALL_H
#define CENSUS_ATTACH_ALL_H

#include "hpprof/collector.h"

#include "run_loop.h"

typedef struct attach_all_options {
    const char *pattern; /* an extended regular expression */
    const char *where, *token_file;
    const char *discovery; /* file that lists the processes; NULL: none */
    const char *library;   /* the preload library */
    bool has_interval;     /* given; else it is lengthened to limit the processor time */
    bool is_quiet;
} attach_all_options;

/* Attaches to all processes until a signal comes, and detaches. `options` is adapted. Returns an
 * exit status, after a message unless it is EXIT_DONE. */
int attach_all(const attach_all_options *all, hpp_collector_options *options,
               const run_signals *signals);

#endif

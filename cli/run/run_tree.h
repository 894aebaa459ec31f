/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One profile of all processes of a run: the sum of their profiles, on one clock.
 *
 * At each time, a process has the costs of its last sample so far; after its end it has none.
 * Blocks that a forked child inherited count in its parent only: its profile is to be without them.
 */
#ifndef CENSUS_RUN_TREE_H
#define CENSUS_RUN_TREE_H

#include "hpprof/collector.h"

typedef enum run_tree {
    RUN_TREE_NONE,
    RUN_TREE_PROCESSES, /* a band for each process: "command(PID)" */
    RUN_TREE_NAMES,     /* the bands of the profiles, added up by name */
} run_tree;

/* Writes the sum of the profiles, whose names end in `suffix`, to `path`, after the collector has
 * stopped. `interval_ns` is the time between samples. Returns the number of samples of the profile;
 * 0 after a message. Memory: the changes of all costs. */
uint64_t run_tree_write(const char *path, hpp_collector *collector, run_tree tree,
                        const char *suffix, uint64_t interval_ns);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Starts a program. Returns EXIT_DONE, or an exit status after a message.
 */
#ifndef CENSUS_LAUNCH_H
#define CENSUS_LAUNCH_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "hpprof/collector.h"

/* Exit statuses of shells and `env` for programs that cannot be run. */
enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* Finds the program `name` like a shell: a path, or a file along PATH. Returns EXIT_DONE, or an
 * exit status after a message. */
int launch_find(const char *name, char path[PATH_MAX]);

/* Becomes a program that is not profiled. Returns only if that fails, an exit status after a
 * message.
 */
int launch_without_profile(const char *path, char **argv);

/* Find the preload library, and the run time of `census cc`, that belong to this program. Return
 * false after a message. */
bool launch_library(char path[PATH_MAX]);
bool launch_cc_library(char path[PATH_MAX]);

typedef struct launched {
    pid_t pid;
    int pidfd; /* readable when the program has exited */
} launched;

typedef struct launch_plan {
    const char *path;
    char **argv; /* terminated by NULL */
    const char *library;
    sigset_t signal_mask; /* for the program */
} launch_plan;

/* Starts a program. Returns EXIT_DONE, or an exit status after a message. */
int launch_start(launched *out, hpp_collector *collector, const launch_plan *plan);

/* Returns a program that runs already. */
launched launch_follow(pid_t pid);

/* Reaps the program, which has exited. Returns its status as waitpid does. */
int launch_reap(const launched *program);

/* Ends like a program with this wait status: returns its exit status, or raises the same signal. */
int launch_exit_as(int wait_status);

/* Raises the limit of open files to the maximum; programs get the previous limit. */
void launch_raise_file_limit(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Starting a program under the profiler: finding it, refusing what cannot be profiled, and a
 * process that has our descriptors, its own signals, and two variables more.
 */
#ifndef CENSUS_LAUNCH_H
#define CENSUS_LAUNCH_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "hpprof/collector.h"

/* What shells and `env` say when a program cannot be run. */
enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* The file that `name` stands for, as the shell has it: a path, or a file along PATH. EXIT_DONE, or
 * an exit status, after a message, when there is none that may be run. */
int launch_find(const char *name, char path[PATH_MAX]);

/* The preload library that belongs to this program; false after a message. */
bool launch_library(char path[PATH_MAX]);

typedef struct launched {
    pid_t pid;
    int pidfd; /* readable when it has ended */
} launched;

typedef struct launch_plan {
    const char *path;
    char **argv; /* ends with NULL */
    const char *library;
    sigset_t signal_mask; /* what the program's is to be */
} launch_plan;

/* Starts a program. EXIT_DONE, or an exit status after a message. */
int launch_start(launched *out, hpp_collector *collector, const launch_plan *plan);

/* Reaps the program, which has ended; returns its status as waitpid has it. */
int launch_reap(const launched *program);

/* Ends this process as a program with that status ended: returns its exit status, or dies of the
 * same signal. */
int launch_exit_as(int wait_status);

/* Lets as many files be open as the system allows; programs get back the limit that was there. */
void launch_raise_file_limit(void);

#endif

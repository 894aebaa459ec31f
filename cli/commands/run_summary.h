/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The summary of a run: for the program its peak, the largest allocation sites, what was not freed,
 * and what the profile lacks; one line for each other process.
 */
#ifndef CENSUS_RUN_SUMMARY_H
#define CENSUS_RUN_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "hpprof/collector.h"

/* Prints the summary of a stopped collector. `with_census`: there is a `.hp` file. */
void run_summary_print(FILE *to, hpp_collector *collector, bool with_census);

/* Prints only failures: files that could not be written, programs that could not be profiled. Part
 * of run_summary_print. */
void run_summary_print_failures(FILE *to, hpp_collector *collector);

/* Returns the index of the profile of the program, or SIZE_MAX. */
size_t run_summary_first(const hpp_collector *collector);

#endif

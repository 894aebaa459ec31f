/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The summary of a run: for the process with the largest peak this peak, the largest allocation
 * sites, what was not freed, and what the profile lacks; one line for each other process.
 */
#ifndef CENSUS_RUN_SUMMARY_H
#define CENSUS_RUN_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "hpprof/collector.h"

/* Prints the summary of a stopped collector. `with_census`: there are heap profiles, in the file
 * `recording`, or if that is NULL, in files with `suffix`. */
void run_summary_print(FILE *to, hpp_collector *collector, bool with_census, const char *recording,
                       const char *suffix);

/* Prints only failures: files that could not be written, programs that could not be profiled. Part
 * of run_summary_print. */
void run_summary_print_failures(FILE *to, hpp_collector *collector, const char *recording);

/* Returns the index of the process with the largest peak; SIZE_MAX if there is none. */
size_t run_summary_largest(const hpp_collector *collector);

#endif

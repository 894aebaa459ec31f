/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a run has found, in a page of words: for the program its peak, its largest places, what was
 * left at the end, and what the profile does not know; for all others a line each.
 */
#ifndef CENSUS_RUN_SUMMARY_H
#define CENSUS_RUN_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "hpprof/collector.h"

/* `with_census`: there is a `.hp` file to draw. The collector was stopped. */
void run_summary_print(FILE *to, hpp_collector *collector, bool with_census);

/* Only what went wrong with profiles: files that could not be written, programs that could not be
 * profiled. Part of the above. */
void run_summary_print_failures(FILE *to, hpp_collector *collector);

/* Index of the program's own profile, or SIZE_MAX: there is none. */
size_t run_summary_first(const hpp_collector *collector);

#endif

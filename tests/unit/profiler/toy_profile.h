/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile of a program in the tiny language, with files toy.hp, toy.prof, ... in the test's
 * folder.
 */
#ifndef CENSUS_TEST_TOY_PROFILE_H
#define CENSUS_TEST_TOY_PROFILE_H

#include "hpprof/profiler.h"
#include "hpprof/runtime.h"

/* The beginning of toy.hp with these options. */
#define HEAD(options_text)                                                                         \
    "JOB \"toy 30 +RTS " options_text "\"\nDATE \"Sat Nov 21 02:07 2026\"\n"                       \
    "SAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"                                              \
    "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"

extern hpp_options *options;
extern hpp_config config;
extern uint64_t now_ns; /* the clock of most tests */

/* Before and after each test. */
void set_up(void);
void tear_down(void);

/* Replaces the options, for another profile in one test. */
void renew_options(void);

/* Starts a profile with these options; output goes to the test's folder. */
hpp_runtime *start(const char *text, bool has_headers);
void stop(hpp_runtime *runtime);

void expect_file(const char *name, const char *wanted);
bool file_has(const char *name, const char *wanted);
void census_at(hpp_runtime *runtime, double time_s);

#endif

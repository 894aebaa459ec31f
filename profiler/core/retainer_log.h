/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a profile records of its retainer passes: figures as quantities over time, and in the
 * `.prof` file the figures of each pass, the sets, and what holds retainers.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_RETAINER_LOG_H
#define HPP_RETAINER_LOG_H

#include "census/census.h"
#include "output.h"
#include "hpfile/prof.h"

/* All zero is an empty log. */
typedef struct hpp__retainer_log {
    hpf_prof_census *passes;
    size_t n, capacity;
} hpp__retainer_log;

/* Adds the pass of a census, and emits its figures. Returns false without memory for the pass. */
bool hpp__retainer_log_add(hpp__retainer_log *log, hpp__output *output,
                           const hpp_census_result *result);

void hpp__retainer_log_write(const hpp__retainer_log *log, hpp_census *engine, hpf_sink *sink);
void hpp__retainer_log_finish(hpp__retainer_log *log);

#endif

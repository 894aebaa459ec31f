/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What adapters need of a profile (hpprof/profiler.h).
 */
#ifndef HPP_PROFILER_H
#define HPP_PROFILER_H

#include "census/census.h"
#include "hpprof/profiler.h"
#include "life.h"
#include "loss_report.h"
#include "output.h"

/* Returns the engine, for the hooks of a biography; NULL without a heap profile. */
hpp_census *hpp__profiler_engine(hpp_profiler *profiler);

/* Returns the losses of a profile, to which adapters add theirs. */
hpp__loss_report *hpp__profiler_losses(hpp_profiler *profiler);

/* Writes the life of an object to NAME.life.hp and NAME.life.lines. Errors: MEMORY, IO. */
hpf_status hpp__profiler_write_life(hpp_profiler *profiler, const hpp__life *life, hpf_error *err);

/* Returns the output of a profile with an event log; NULL without one. */
hpp__output *hpp__profiler_log(hpp_profiler *profiler);

#endif

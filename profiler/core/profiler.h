/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What adapters need of a profile (hpprof/profiler.h).
 */
#ifndef HPP_PROFILER_H
#define HPP_PROFILER_H

#include "census/census.h"
#include "hpprof/profiler.h"
#include "loss_report.h"

/* Returns the engine, for the hooks of a biography; NULL without a heap profile. */
hpp_census *hpp__profiler_engine(hpp_profiler *profiler);

/* Returns the losses of a profile, to which adapters add theirs. */
hpp__loss_report *hpp__profiler_losses(hpp_profiler *profiler);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Includes all headers for programs that embed the profiler. Cost centres are in scope.h, the life
 * of a profile in profiler.h and options.h, the adapter for language runtimes in runtime.h, that
 * for other heaps in heap.h, records of event logs in log.h.
 */
#ifndef HPPROF_HPPROF_H
#define HPPROF_HPPROF_H

#include "hpprof/ccs.h"
#include "hpprof/heap.h"
#include "hpprof/log.h"
#include "hpprof/options.h"
#include "hpprof/profiler.h"
#include "hpprof/runtime.h"
#include "hpprof/scope.h"

#endif

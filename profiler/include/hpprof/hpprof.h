/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profiler library, whole. A program that has cost centres needs scope.h; one that is profiled,
 * profiler.h and options.h; a language runtime, runtime.h; another kind of heap, heap.h and
 * census.h.
 */
#ifndef HPPROF_HPPROF_H
#define HPPROF_HPPROF_H

#include "hpprof/ccs.h"
#include "hpprof/census.h"
#include "hpprof/heap.h"
#include "hpprof/options.h"
#include "hpprof/profiler.h"
#include "hpprof/runtime.h"
#include "hpprof/scope.h"

#endif

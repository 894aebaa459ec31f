/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a native program can be profiled by, and the variables that tell it how.
 */
#ifndef HPP_NATIVE_COLLECTOR_OPTIONS_H
#define HPP_NATIVE_COLLECTOR_OPTIONS_H

#include "base/arena.h"
#include "hpprof/collector.h"

/* Copies the options of a profile into `arena` and `*out`, with names of restrictions written as
 * names of functions are. Errors: UNSUPPORTED for what needs objects; MEMORY. */
hpf_status hpp__collector_adapt(hpp_options *out, const hpp_options *profile, hpf_arena *arena,
                                hpf_error *err);

#endif

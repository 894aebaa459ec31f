/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census convert to stacks: of the heap at one moment, of a time profile, or of a report.
 */
#ifndef CENSUS_CONVERT_STACKS_H
#define CENSUS_CONVERT_STACKS_H

#include "hpfile/sink.h"
#include "hpfile/stack_export.h"

#include "input.h"

typedef struct stacks_options {
    opt_time at; /* time; NAN: the peak */
    bool time;   /* event log: use the time profile, not the heap */
    bool alloc;  /* report: bytes, not ticks */
    bool is_cut; /* a window was selected */
    bool hidden; /* report or time profile: include what GHC leaves out of its totals */
} stacks_options;

/* Write to a sink without finishing it. The heap must be surveyed; logs and reports only opened. */
hpf_status stacks_write_heap(const input *in, const stacks_options *options,
                             hpf_stack_format format, hpf_sink *sink, hpf_error *err);
hpf_status stacks_write_log(const input *in, const stacks_options *options, hpf_stack_format format,
                            hpf_sink *sink, hpf_error *err);
hpf_status stacks_write_prof(const input *in, const stacks_options *options,
                             hpf_stack_format format, hpf_sink *sink, hpf_error *err);

#endif

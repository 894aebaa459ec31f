/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census convert to stacks: of the heap at one moment, of a time profile, of a report.
 */
#ifndef CENSUS_CONVERT_STACKS_H
#define CENSUS_CONVERT_STACKS_H

#include "hpfile/sink.h"

#include "input.h"

typedef enum stacks_format { STACKS_FOLDED, STACKS_SPEEDSCOPE } stacks_format;

typedef struct stacks_options {
    double at;   /* the moment; NAN: the peak */
    bool time;   /* of an event log: the time profile, not the heap */
    bool alloc;  /* of a report: bytes, not ticks */
    bool hidden; /* of a report or a time profile: also what GHC keeps out of its totals */
} stacks_options;

/* Each writes to a sink that is neither finished nor destroyed, and sets the first error. The heap
 * is that of a survey, logs and reports are only opened. */
hpf_status stacks_write_heap(const input *in, const stacks_options *options, stacks_format format,
                             hpf_sink *sink, hpf_error *err);
hpf_status stacks_write_log(const input *in, const stacks_options *options, stacks_format format,
                            hpf_sink *sink, hpf_error *err);
hpf_status stacks_write_prof(const input *in, const stacks_options *options, stacks_format format,
                             hpf_sink *sink, hpf_error *err);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The time and allocation report of a native program, in the layout of GHC's: functions are the
 * cost centres. An entry is an allocation.
 */
#ifndef HPP_NATIVE_REPORT_H
#define HPP_NATIVE_REPORT_H

#include "hpprof/options.h"
#include "io/sink.h"
#include "native_heap.h"

/* The title of a report. */
typedef struct hpp__report_title {
    hpf_str date, program, command;
    const hpf_str *arguments;
    size_t n_arguments;
} hpp__report_title;

/* Writes the report of the given sums, in the form that `options` set. Errors: MEMORY. */
hpf_status hpp__native_report_write(hpf_sink *sink, hpp__native_heap *heap,
                                    const hpp__window_sums *sums, const hpp_options *options,
                                    const hpp__report_title *title, hpf_error *err);

/* Clock ticks by id of their stack, grown as stacks are found; the caller frees `by_stack`. */
typedef struct hpp__native_ticks {
    uint64_t *by_stack;
    size_t capacity;
} hpp__native_ticks;

/* Adds all ticks since the program started. Without memory for a stack, its ticks are omitted. */
void hpp__native_ticks_count(hpp__native_ticks *ticks, hpp__native_heap *heap,
                             const hpp__window_sums *sums);

#endif

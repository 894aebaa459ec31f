/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the stacks of a heap at a moment, of a `.prof` report, or of the time profile of an event
 * log, for other tools.
 */
#ifndef HPFILE_STACK_EXPORT_H
#define HPFILE_STACK_EXPORT_H

#include "hpfile/eventlog.h"
#include "hpfile/prof.h"
#include "hpfile/sink.h"
#include "hpfile/stacks.h"
#include "hpfile/survey.h"
#include "hpfile/writer.h"

HPF_BEGIN_DECLS

/* Stacks and their amounts. */
typedef struct hpf_stack_export {
    hpf_stacks *stacks;
    double *amounts;   /* by stack */
    uint32_t *numbers; /* numbers of the stacks of a report, or HPF_NO_STACK */
} hpf_stack_export;

/* Reads the sample nearest to `at` (NAN: the peak), and stores its time. Errors: MEMORY, LIMIT,
 * from the survey. Call hpf_stack_export_finish in any case. */
HPF_API HPF_MUST_USE hpf_status hpf_stack_export_heap(hpf_stack_export *v, hpf_survey *survey,
                                                      double at, double *time, hpf_error *err);
HPF_API void hpf_stack_export_finish(hpf_stack_export *v);

/* Writes that sample, of `time_s`; `name` is for speedscope. Errors: MEMORY, from the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_stack_export_write_heap(const hpf_stack_export *v,
                                                            const hpf_survey *survey, double time_s,
                                                            const char *name,
                                                            hpf_stack_format format, hpf_sink *sink,
                                                            hpf_error *err);

/* Writes a report: ticks and allocated bytes, folded only one of them. Errors: MEMORY, LIMIT, from
 * the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_prof_write_stacks(const hpf_prof *prof, bool with_hidden,
                                                      bool alloc, hpf_stack_format format,
                                                      hpf_sink *sink, hpf_error *err);

/* Writes a time profile, for speedscope each capability in the order of time, if `time` keeps it.
 * Errors: MEMORY, LIMIT, from the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_time_write_stacks(hpf_eventlog_time *time,
                                                               bool with_hidden,
                                                               hpf_stack_format format,
                                                               hpf_sink *sink, hpf_error *err);

HPF_END_DECLS
#endif

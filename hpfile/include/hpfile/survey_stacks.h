/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The stacks of a heap profile, for formats of stacks.
 */
#ifndef HPFILE_SURVEY_STACKS_H
#define HPFILE_SURVEY_STACKS_H

#include "hpfile/stacks.h"
#include "hpfile/sink.h"
#include "hpfile/survey.h"

HPF_BEGIN_DECLS

/* Adds the amounts of names in a sample (hpf_survey_drawn_amounts) to those of their stacks.
 * Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_add_stacks(hpf_stacks *stacks, hpf_stack_amounts *to,
                                                      const hpf_survey *survey,
                                                      const double *by_name, hpf_error *err);

/* Adds the amounts of the last drawn sample. Errors: MEMORY, LIMIT, from the survey. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_add_latest_stacks(hpf_stacks *stacks,
                                                             hpf_stack_amounts *to,
                                                             hpf_survey *survey, hpf_error *err);

/* Returns whether names are the stacks that allocated the objects of types. */
HPF_API bool hpf_survey_has_types(const hpf_survey *survey);

/* Stores the frame that names a stack, and its index among the frames of the name; of very deep
 * stacks, the innermost frames are searched. Returns false if the name has no frames. */
HPF_API bool hpf_survey_own_frame(const hpf_survey *survey, hpf_name name, hpf_frame *frame,
                                  size_t *index);

/* Returns whether names have more than their texts tell: frames inside the one that names a stack,
 * or lines of calls. Several then belong to one band. */
HPF_API bool hpf_survey_hides_frames(const hpf_survey *survey);

/* Returns the program of a job: its first word. */
HPF_API hpf_str hpf_job_program(hpf_str job);

/* Writes the amounts of stacks at a time of the profile for pprof. Errors: MEMORY, the sink's. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_write_pprof(const hpf_stacks *stacks,
                                                       const double *amounts,
                                                       const hpf_survey *survey, double time_s,
                                                       hpf_sink *sink, hpf_error *err);

HPF_END_DECLS
#endif

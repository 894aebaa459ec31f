/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frames are known for formats with stacks; in other formats a name is a stack as text.
 */
#include "hpfile/survey_stacks.h"

#include <stdlib.h>

#include "base/date.h"
#include "base/frame.h"
#include "base/words.h"
#include "hpfile/pprof_writer.h"
#include "hpfile/str.h"

/* Stores the number of the stack of a name: by its frames, or without frames by its text. */
static hpf_status find_stack(hpf_stacks *stacks, const hpf_survey *survey, hpf_name name,
                             uint32_t *stack, hpf_error *err)
{
    size_t n = hpf_survey_frames(survey, name, NULL, 0);
    if (n == 0) {
        return hpf_stacks_of_name(stacks, hpf_survey_name(survey, name), stack, err);
    }
    hpf_frame *frames = calloc(n, sizeof *frames);
    if (!frames) {
        return hpf_error_set_memory(err);
    }
    hpf_survey_frames(survey, name, frames, n);
    hpf_status status = hpf_stacks_of_frames(stacks, frames, n, stack, err);
    free(frames);
    return status;
}

hpf_status hpf_survey_add_stacks(hpf_stacks *stacks, hpf_stack_amounts *to,
                                 const hpf_survey *survey, const double *by_name, hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (hpf_name i = 0; i < hpf_survey_n_names(survey) && status == HPF_OK; i++) {
        uint32_t stack = 0;
        if (by_name[i] > 0) {
            status = find_stack(stacks, survey, i, &stack, err);
            if (status == HPF_OK && !hpf_stack_amounts_add(to, stack, by_name[i])) {
                status = hpf_error_set_memory(err);
            }
        }
    }
    return status;
}

hpf_status hpf_survey_add_latest_stacks(hpf_stacks *stacks, hpf_stack_amounts *to,
                                        hpf_survey *survey, hpf_error *err)
{
    size_t last = hpf_survey_overview(survey)->n_drawn - 1;
    double *by_name = calloc((size_t)hpf_survey_n_names(survey) + 1, sizeof *by_name);
    hpf_status status =
        by_name ? hpf_survey_drawn_amounts(survey, last, by_name, err) : hpf_error_set_memory(err);
    status = status == HPF_OK ? hpf_survey_add_stacks(stacks, to, survey, by_name, err) : status;
    free(by_name);
    return status;
}

bool hpf_survey_has_types(const hpf_survey *survey)
{
    hpf_frame frame;
    bool have = false;
    for (hpf_name name = 0; name < hpf_survey_n_names(survey) && !have; name++) {
        have = hpf_survey_frames(survey, name, &frame, 1) > 1 && hpf__frame_is_type(&frame);
    }
    return have;
}

bool hpf_survey_own_frame(const hpf_survey *survey, hpf_name name, hpf_frame *frame, size_t *index)
{
    enum { MOST_FRAMES = 256 };
    hpf_frame frames[MOST_FRAMES];
    size_t n = hpf_survey_frames(survey, name, frames, MOST_FRAMES);
    n = n < MOST_FRAMES ? n : MOST_FRAMES;
    size_t first = n > 1 ? hpf__n_types(frames, n - 1) : 0;
    if (n > 0) {
        *index =
            first + hpf_frame_rules_own(hpf_survey_frame_rules(survey), frames + first, n - first);
        *frame = frames[*index];
    }
    return n > 0;
}

bool hpf_survey_hides_frames(const hpf_survey *survey)
{
    bool hides = false;
    size_t index;
    hpf_frame frame;
    for (hpf_name name = 0; name < hpf_survey_n_names(survey) && !hides; name++) {
        hides = hpf_survey_own_frame(survey, name, &frame, &index) &&
                (index > 0 || frame.function_source.length > 0);
    }
    return hides;
}

/* Returns the time of a sample at `time_s`, in nanoseconds since 1970; 0 if the date is not known.
 */
static uint64_t nanoseconds_of(const hpf_survey *survey, double time_s)
{
    uint64_t unix_s;
    if (!hpf__date_parse(hpf_survey_header(survey, HPF_HEADER_DATE), &unix_s)) {
        return 0;
    }
    double s = (double)unix_s + time_s;
    return s < 9e9 ? (uint64_t)(s * 1e9) : 0;
}

hpf_str hpf_job_program(hpf_str job)
{
    return hpf__take_until(&job, ' ');
}

hpf_status hpf_survey_write_pprof(const hpf_stacks *stacks, const double *amounts,
                                  const hpf_survey *survey, double time_s, hpf_sink *sink,
                                  hpf_error *err)
{
    hpf_str unit = hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT);
    const hpf_pprof_type type = {.name = hpf_str_is(unit, "bytes") ? "inuse_space" : "inuse",
                                 .unit = unit,
                                 .amounts = amounts,
                                 .scale = 1};
    const hpf_pprof_profile profile = {
        .program = hpf_job_program(hpf_survey_header(survey, HPF_HEADER_JOB)),
        .time_ns = nanoseconds_of(survey, time_s),
        .types = &type,
        .n_types = 1};
    return hpf_pprof_write(stacks, &profile, sink, err);
}

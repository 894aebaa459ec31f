/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The results of a survey; costs come from its second pass.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sidecar.h"
#include "summary/sidecar_merge.h"
#include "detect/reader.h"
#include "summary/survey.h"
#include "hpfile/survey.h"
#include "hpfile/str.h"
#include "base/date.h"
#include "base/frame.h"
#include "base/words.h"
#include "hpfile/pprof.h"

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* Frames are known for formats with stacks; in other formats a name is a stack as text. */

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

hpf_str hpf_survey_header(const hpf_survey *s, hpf_header which)
{
    return s->accumulator.headers[which];
}

uint32_t hpf_survey_n_names(const hpf_survey *s)
{
    return (uint32_t)s->accumulator.n_accounts;
}

hpf_str hpf_survey_name(const hpf_survey *s, hpf_name name)
{
    return hpf_reader_name(s->reader, name);
}

size_t hpf_survey_frames(const hpf_survey *s, hpf_name name, hpf_frame *frames, size_t room)
{
    return hpf_reader_frames(s->reader, name, frames, room);
}

const hpf_frame_rules *hpf_survey_frame_rules(const hpf_survey *s)
{
    return hpf__reader_rules(s->reader);
}

const hpf_totals *hpf_survey_totals(const hpf_survey *s, hpf_name name)
{
    return &s->accumulator.totals[name];
}

const hpf_overview *hpf_survey_overview(const hpf_survey *s)
{
    return &s->accumulator.overview;
}

size_t hpf_survey_peak_index(const hpf_survey *s)
{
    const hpf_overview *o = &s->accumulator.overview;
    size_t i = 0;
    while (i + 1 < o->n_drawn && o->drawn[i].sample_index != o->peak_sample) {
        i++;
    }
    return i;
}

hpf_status hpf_survey_add_sidecar(hpf_survey *s, hpf_source *sidecar, hpf_error *err)
{
    hpf__sidecar_merge merge = {.accumulator = &s->accumulator};
    s->has_sidecar = true;
    hpf_status status = hpf_sidecar_read(sidecar, &hpf__sidecar_merge_events, &merge, err);
    hpf__sidecar_merge_finish(&merge);
    hpf_status settled =
        hpf__accumulator_settle_lines(&s->accumulator, status == HPF_OK ? err : NULL);
    return status == HPF_OK ? settled : status;
}

hpf_status hpf_survey_series(hpf_survey *s, const uint32_t *band_of_name, uint32_t n_bands,
                             double *values, hpf_error *err)
{
    hpf__series to = {.band_of_name = band_of_name,
                      .n_bands = n_bands,
                      .values = values,
                      .n_drawn = s->accumulator.overview.n_drawn};
    memset(values, 0, (size_t)n_bands * to.n_drawn * sizeof *values);
    return s->second_pass->series(s, &to, err);
}

typedef struct moment {
    double time; /* wanted */
    double found_time;
    bool is_found;
    double *amounts;
    size_t n_names;
} moment;

static hpf_status on_candidate(void *context, const hpf_sample *sample, hpf_error *err)
{
    moment *m = context;
    (void)err;
    double distance = fabs(sample->time - m->time), least = fabs(m->found_time - m->time);
    if (m->is_found && (distance > least || (distance == least && sample->time != m->found_time))) {
        return HPF_OK;
    }
    m->is_found = true;
    m->found_time = sample->time;
    memset(m->amounts, 0, m->n_names * sizeof *m->amounts);
    for (size_t i = 0; i < sample->n_costs; i++) {
        m->amounts[sample->costs[i].name] += hpf_cost_amount(&sample->costs[i]);
    }
    return HPF_OK;
}

/* Finds the best sample from drawn sample `first` to drawn sample `last`. */
static hpf_status find_moment(hpf_survey *s, size_t first, size_t last, moment *m, hpf_error *err)
{
    static const hpf_events events = {.sample = on_candidate};
    const hpf_drawn_sample *drawn = s->accumulator.overview.drawn;
    m->n_names = hpf_survey_n_names(s);
    hpf_status status = s->second_pass->between(s, &drawn[first], &drawn[last], &events, m, err);
    if (status == HPF_OK && !m->is_found) {
        return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
    }
    return status;
}

hpf_status hpf_survey_drawn_amounts(hpf_survey *s, size_t drawn_index, double *amounts,
                                    hpf_error *err)
{
    moment m = {.time = s->accumulator.overview.drawn[drawn_index].time, .amounts = amounts};
    return find_moment(s, drawn_index, drawn_index, &m, err);
}

hpf_status hpf_survey_amounts_at(hpf_survey *s, double time, double *amounts, double *sample_time,
                                 hpf_error *err)
{
    const hpf_overview *o = &s->accumulator.overview;
    moment m = {.time = time, .amounts = amounts};
    size_t next = 0; /* the first drawn sample that is not earlier */
    while (next < o->n_drawn - 1 && o->drawn[next].time < time) {
        next++;
    }
    /* The last of several samples of one time may follow a drawn one. */
    size_t first = next > 0 ? next - 1 : 0, last = next;
    while (last < o->n_drawn - 1 && o->drawn[last].time <= o->drawn[next].time) {
        last++;
    }
    hpf_status status = find_moment(s, first, last, &m, err);
    if (status == HPF_OK && sample_time) {
        *sample_time = m.found_time;
    }
    return status;
}

const hpf_eventlog_metadata *hpf_survey_eventlog_metadata(const hpf_survey *s)
{
    const hpf__eventlog_heap *log = hpf__reader_log(s->reader);
    return log ? hpf__eventlog_heap_metadata(log) : NULL;
}

double hpf_survey_rate_bytes(const hpf_survey *s)
{
    const hpf_eventlog_metadata *metadata = hpf_survey_eventlog_metadata(s);
    bool has_bytes = hpf_str_is(hpf_survey_header(s, HPF_HEADER_VALUE_UNIT), "bytes");
    return metadata && has_bytes ? (double)metadata->rate_bytes : 0;
}

const hpf_eventlog *hpf_survey_eventlog(const hpf_survey *s)
{
    const hpf__eventlog_heap *log = hpf__reader_log(s->reader);
    return log ? hpf__eventlog_heap_records(log) : NULL;
}

const hpf_eventlog_profile *hpf_survey_eventlog_profile(const hpf_survey *s)
{
    const hpf__eventlog_heap *log = hpf__reader_log(s->reader);
    return log ? hpf__eventlog_heap_profile(log) : NULL;
}

double hpf_survey_input_sum(const hpf_survey *s, hpf_name name)
{
    return hpf__accumulator_input_sum(&s->accumulator, name);
}

double hpf_survey_leftover(const hpf_survey *s, hpf_name name)
{
    return s->accumulator.accounts[name].leftover;
}

size_t hpf_survey_end_index(const hpf_survey *s)
{
    const hpf_overview *o = &s->accumulator.overview;
    size_t i = o->n_drawn;
    while (i > 0 && o->drawn[i - 1].total == 0) {
        i--;
    }
    return (i > 0 ? i : o->n_drawn) - 1;
}

double hpf_survey_mean(const hpf_survey *s, const hpf_totals *totals)
{
    const hpf_overview *o = &s->accumulator.overview;
    double duration = o->last_time - o->first_time;
    return duration > 0 ? totals->trapezium / duration : totals->sum / (double)o->n_samples;
}

void hpf_survey_use_retainer_sets(hpf_survey *s, hpf_retainer_sets *sets)
{
    s->sets = sets;
}

bool hpf_survey_retainer_set(const hpf_survey *s, hpf_name name, hpf_retainer_set *set)
{
    return hpf_survey_retainer_set_named(s, hpf_survey_name(s, name), set);
}

bool hpf_survey_retainer_set_named(const hpf_survey *s, hpf_str name, hpf_retainer_set *set)
{
    return s->sets && hpf_retainer_sets_find(s->sets, name, set);
}

size_t hpf_survey_find_mark(const hpf_survey *survey, const char *label, double after, double *time)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    size_t n = 0;
    for (size_t i = 0; i < o->n_marks; i++) {
        if (hpf_str_is(o->marks[i].label, label) && o->marks[i].time > after) {
            *time = n++ == 0 ? o->marks[i].time : *time;
        }
    }
    return n;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks are numbered and get amounts. They are written as folded lines or for speedscope: the
 * stacks of a moment or a report in the order of their names, the ticks of a log in the order of
 * time.
 */
#include "hpfile/stack_export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/folded.h"
#include "hpfile/pprof.h"
#include "hpfile/speedscope.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"

static hpf_status begin(hpf_stack_export *v, size_t most_stacks, hpf_error *err)
{
    *v = (hpf_stack_export){.stacks = hpf_stacks_create(),
                            .amounts = calloc(most_stacks + 1, sizeof *v->amounts),
                            .numbers = calloc(most_stacks + 1, sizeof *v->numbers)};
    return v->stacks && v->amounts && v->numbers ? HPF_OK : hpf_error_set_memory(err);
}

void hpf_stack_export_finish(hpf_stack_export *v)
{
    hpf_stacks_destroy(v->stacks);
    free(v->amounts);
    free(v->numbers);
}

/* ---- Samples for speedscope ---- */

typedef struct samples {
    uint32_t *stacks;
    double *weights;
    size_t n;
} samples;

static hpf_status samples_begin(samples *s, size_t most, hpf_error *err)
{
    *s = (samples){.stacks = calloc(most + 1, sizeof *s->stacks),
                   .weights = calloc(most + 1, sizeof *s->weights)};
    return s->stacks && s->weights ? HPF_OK : hpf_error_set_memory(err);
}

static void samples_finish(samples *s)
{
    free(s->stacks);
    free(s->weights);
}

/* Collects stacks with an amount, ordered so that stacks with a common start are adjacent. Amounts
 * are multiplied by `scale`. */
static hpf_status samples_of_amounts(samples *s, const hpf_stack_export *v, double scale,
                                     hpf_error *err)
{
    uint32_t n = hpf_stacks_n(v->stacks);
    hpf_status status = samples_begin(s, n, err);
    status = status == HPF_OK ? hpf_stacks_order(v->stacks, s->stacks, err) : status;
    for (uint32_t i = 0; i < n && status == HPF_OK; i++) {
        uint32_t stack = s->stacks[i];
        if (v->amounts[stack] > 0) {
            s->stacks[s->n] = stack;
            s->weights[s->n++] = v->amounts[stack] * scale;
        }
    }
    return status;
}

static hpf_speedscope_profile profile_of(const samples *s, hpf_str name, hpf_speedscope_unit unit)
{
    return (hpf_speedscope_profile){name, unit, s->stacks, s->weights, s->n};
}

static hpf_status read_moment(hpf_survey *survey, double at, double *amounts, double *time,
                              hpf_error *err)
{
    *time = hpf_survey_overview(survey)->peak_time;
    return isnan(at) ? hpf_survey_drawn_amounts(survey, hpf_survey_peak_index(survey), amounts, err)
                     : hpf_survey_amounts_at(survey, at, amounts, time, err);
}

hpf_status hpf_stack_export_heap(hpf_stack_export *v, hpf_survey *survey, double at, double *time,
                                 hpf_error *err)
{
    uint32_t n_names = hpf_survey_n_names(survey);
    double *by_name = calloc((size_t)n_names + 1, sizeof *by_name);
    hpf_status status = begin(v, n_names, err);
    if (status == HPF_OK && !by_name) {
        status = hpf_error_set_memory(err);
    }
    status = status == HPF_OK ? read_moment(survey, at, by_name, time, err) : status;
    if (status == HPF_OK) {
        hpf_stack_amounts amounts = {v->amounts, n_names + (size_t)1};
        status = hpf_survey_add_stacks(v->stacks, &amounts, survey, by_name, err);
        v->amounts = amounts.of;
    }
    free(by_name);
    return status;
}

/* Writes a profile in the unit of the survey. */
static hpf_status write_heap_speedscope(const hpf_stack_export *v, const hpf_survey *survey,
                                        const char *name, hpf_sink *sink, hpf_error *err)
{
    bool is_bytes = hpf_str_is(hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT), "bytes");
    samples s;
    hpf_status status = samples_of_amounts(&s, v, 1, err);
    if (status == HPF_OK) {
        hpf_speedscope_profile profile =
            profile_of(&s, hpf_str_of(name), is_bytes ? HPF_SPEEDSCOPE_BYTES : HPF_SPEEDSCOPE_NONE);
        hpf_speedscope_write(sink, hpf_survey_header(survey, HPF_HEADER_JOB), v->stacks, &profile,
                             1);
    }
    samples_finish(&s);
    return status;
}

hpf_status hpf_stack_export_write_heap(const hpf_stack_export *v, const hpf_survey *survey,
                                       double time_s, const char *name, hpf_stack_format format,
                                       hpf_sink *sink, hpf_error *err)
{
    return format == HPF_STACKS_FOLDED ? hpf_folded_write(v->stacks, v->amounts, sink, err)
           : format == HPF_STACKS_PPROF
               ? hpf_survey_write_pprof(v->stacks, v->amounts, survey, time_s, sink, err)
               : write_heap_speedscope(v, survey, name, sink, err);
}

static hpf_status view_prof(hpf_stack_export *v, const hpf_prof *prof, bool with_hidden,
                            hpf_error *err)
{
    hpf_status status = begin(v, prof->n_stacks, err);
    return status == HPF_OK ? hpf_stacks_of_prof(v->stacks, prof, with_hidden, v->numbers, err)
                            : status;
}

static void count_prof(hpf_stack_export *v, const hpf_prof *prof, bool alloc)
{
    memset(v->amounts, 0, prof->n_stacks * sizeof *v->amounts);
    for (size_t i = 0; i < prof->n_stacks; i++) {
        const hpf_prof_stack *s = &prof->stacks[i];
        if (v->numbers[i] != HPF_NO_STACK) {
            v->amounts[v->numbers[i]] += (double)(alloc ? s->allocated_bytes : s->ticks);
        }
    }
}

static hpf_status write_prof_speedscope(hpf_stack_export *v, const hpf_prof *prof, hpf_sink *sink,
                                        hpf_error *err)
{
    samples time;
    samples alloc = {0};
    count_prof(v, prof, false);
    hpf_status status = samples_of_amounts(&time, v, (double)prof->tick_us, err);
    count_prof(v, prof, true);
    status = status == HPF_OK ? samples_of_amounts(&alloc, v, 1, err) : status;
    if (status == HPF_OK) {
        const hpf_speedscope_profile profiles[] = {
            profile_of(&time, HPF_STR("time"), HPF_SPEEDSCOPE_MICROSECONDS),
            profile_of(&alloc, HPF_STR("allocation"), HPF_SPEEDSCOPE_BYTES),
        };
        hpf_speedscope_write(sink, prof->program, v->stacks, profiles, 2);
    }
    samples_finish(&time);
    samples_finish(&alloc);
    return status;
}

/* Ticks as nanoseconds of time. With `alloc`, also the allocated bytes. */
static hpf_status write_prof_pprof(hpf_stack_export *v, const hpf_prof *prof, bool has_alloc,
                                   hpf_sink *sink, hpf_error *err)
{
    double *ticks = calloc(prof->n_stacks + 1, sizeof *ticks);
    if (!ticks) {
        return hpf_error_set_memory(err);
    }
    count_prof(v, prof, false);
    memcpy(ticks, v->amounts, prof->n_stacks * sizeof *ticks);
    count_prof(v, prof, true);
    double tick_ns = (double)prof->tick_us * 1000;
    const hpf_pprof_type types[] = {
        {"alloc_space", HPF_STR("bytes"), v->amounts, 1},
        {"time", tick_ns > 0 ? HPF_STR("nanoseconds") : HPF_STR("count"), ticks,
         tick_ns > 0 ? tick_ns : 1},
    };
    const hpf_pprof_profile profile = {.program = hpf_job_program(prof->program),
                                       .types = types + !has_alloc,
                                       .n_types = has_alloc ? 2 : 1};
    hpf_status status = hpf_pprof_write(v->stacks, &profile, sink, err);
    free(ticks);
    return status;
}

hpf_status hpf_prof_write_stacks(const hpf_prof *prof, bool with_hidden, bool alloc,
                                 hpf_stack_format format, hpf_sink *sink, hpf_error *err)
{
    hpf_stack_export v;
    hpf_status status = view_prof(&v, prof, with_hidden, err);
    if (status == HPF_OK && format == HPF_STACKS_SPEEDSCOPE) {
        status = write_prof_speedscope(&v, prof, sink, err);
    } else if (status == HPF_OK && format == HPF_STACKS_PPROF) {
        status = write_prof_pprof(&v, prof, true, sink, err);
    } else if (status == HPF_OK) {
        count_prof(&v, prof, alloc);
        status = hpf_folded_write(v.stacks, v.amounts, sink, err);
    }
    hpf_stack_export_finish(&v);
    return status;
}

/* Appends a tick; consecutive equal stacks are one sample. */
static void add_tick(samples *s, uint32_t stack, double weight)
{
    if (s->n && s->stacks[s->n - 1] == stack) {
        s->weights[s->n - 1] += weight;
    } else {
        s->stacks[s->n] = stack;
        s->weights[s->n++] = weight;
    }
}

/* One profile for each capability. Ticks without a length count as 1. */
typedef struct capabilities {
    samples ticks; /* ticks of all capabilities */
    hpf_speedscope_profile *profiles;
    char (*names)[32];
    size_t n;
} capabilities;

static hpf_status capabilities_begin(capabilities *c, size_t n_ticks, size_t n_caps, hpf_error *err)
{
    c->n = 0;
    c->profiles = calloc(n_caps + 1, sizeof *c->profiles);
    c->names = calloc(n_caps + 1, sizeof *c->names);
    hpf_status status = samples_begin(&c->ticks, n_ticks, err);
    return c->profiles && c->names ? status : hpf_error_set_memory(err);
}

static void begin_capability(capabilities *c, unsigned cap, bool has_length)
{
    char *name = c->names[c->n];
    snprintf(name, sizeof *c->names, "capability %u", cap);
    c->profiles[c->n++] = (hpf_speedscope_profile){.name = hpf_str_of(name),
                                                   .unit = has_length ? HPF_SPEEDSCOPE_NANOSECONDS
                                                                      : HPF_SPEEDSCOPE_NONE};
}

/* Samples are sorted by capability, so the samples of one are a part of c->ticks. */
static void fill_capabilities(capabilities *c, const hpf_stack_export *v,
                              const hpf_time_sample *ticks, size_t n_ticks, uint64_t tick_ns)
{
    samples part = {c->ticks.stacks, c->ticks.weights, 0};
    for (size_t i = 0; i < n_ticks; i++) {
        if (i == 0 || ticks[i].cap != ticks[i - 1].cap) {
            part = (samples){part.stacks + part.n, part.weights + part.n, 0};
            begin_capability(c, ticks[i].cap, tick_ns > 0);
        }
        if (v->numbers[ticks[i].stack] != HPF_NO_STACK) {
            add_tick(&part, v->numbers[ticks[i].stack], tick_ns ? (double)tick_ns : 1);
        }
        c->profiles[c->n - 1].stacks = part.stacks;
        c->profiles[c->n - 1].weights = part.weights;
        c->profiles[c->n - 1].n_samples = part.n;
    }
}

static size_t count_capabilities(const hpf_time_sample *ticks, size_t n_ticks)
{
    size_t n = n_ticks > 0;
    for (size_t i = 1; i < n_ticks; i++) {
        n += ticks[i].cap != ticks[i - 1].cap;
    }
    return n;
}

static hpf_status write_log_speedscope(const hpf_stack_export *v, const hpf_prof *prof,
                                       hpf_eventlog_time *time, hpf_sink *sink, hpf_error *err)
{
    capabilities c;
    size_t n_ticks;
    const hpf_time_sample *ticks = hpf_eventlog_time_samples(time, &n_ticks);
    hpf_status status = capabilities_begin(&c, n_ticks, count_capabilities(ticks, n_ticks), err);
    if (status == HPF_OK) {
        fill_capabilities(&c, v, ticks, n_ticks, prof->tick_us * 1000);
        hpf_speedscope_write(sink, prof->program, v->stacks, c.profiles, c.n);
    }
    samples_finish(&c.ticks);
    free(c.profiles);
    free(c.names);
    return status;
}

hpf_status hpf_eventlog_time_write_stacks(hpf_eventlog_time *time, bool with_hidden,
                                          hpf_stack_format format, hpf_sink *sink, hpf_error *err)
{
    hpf_prof prof;
    hpf_stack_export v = {0};
    hpf_status status = hpf_eventlog_time_profile(time, &prof, err);
    status = status == HPF_OK ? view_prof(&v, &prof, with_hidden, err) : status;
    if (status == HPF_OK && format == HPF_STACKS_SPEEDSCOPE) {
        status = write_log_speedscope(&v, &prof, time, sink, err);
    } else if (status == HPF_OK && format == HPF_STACKS_PPROF) {
        status = write_prof_pprof(&v, &prof, false, sink, err);
    } else if (status == HPF_OK) {
        count_prof(&v, &prof, false);
        status = hpf_folded_write(v.stacks, v.amounts, sink, err);
    }
    hpf_stack_export_finish(&v);
    return status;
}

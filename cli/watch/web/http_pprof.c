/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Equal stacks of several processes are one.
 */
#include "http_pprof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hpfile/pprof.h"
#include "hpfile/str.h"
#include "hprender/units.h"
#include "hpfile/live.h"
#include "hpfile/survey.h"

hpf_status http_pprof_add(http_pprof *p, const watched *profile, hpf_error *err)
{
    hpf_survey *survey;
    hpf_status status = watched_survey(&survey, profile, 0, err);
    if (status != HPF_OK) {
        return status == HPF_MORE ? HPF_OK : status;
    }
    const hpf_overview *o = hpf_survey_overview(survey);
    if (o->n_drawn == 0 ||
        (p->survey && !hpf_str_equal(hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT),
                                     hpf_survey_header(p->survey, HPF_HEADER_VALUE_UNIT)))) {
        return HPF_OK;
    }
    p->stacks = p->stacks ? p->stacks : hpf_stacks_create();
    status = p->stacks ? hpf_survey_add_latest_stacks(p->stacks, &p->amounts, survey, err)
                       : hpf_error_set_memory(err);
    if (!p->survey) {
        p->survey = survey;
        p->time = o->drawn[o->n_drawn - 1].time;
    }
    return status;
}

hpf_status http_pprof_write(const http_pprof *p, hpf_sink *sink, hpf_error *err)
{
    return p->survey ? hpf_survey_write_pprof(p->stacks, p->amounts.of, p->survey,
                                              p->time / hpr_units_per_second(hpf_survey_header(
                                                            p->survey, HPF_HEADER_SAMPLE_UNIT)),
                                              sink, err)
                     : hpf_error_set(err, HPF_END, "there is no sample yet");
}

void http_pprof_finish(http_pprof *p)
{
    hpf_stacks_destroy(p->stacks);
    free(p->amounts.of);
    *p = (http_pprof){.stacks = NULL};
}

/* ---- costs ---- */

enum { MAX_FRAMES = 255 };

/* Adds an amount of a stack. */
static void add(http_costs *c, int which, uint32_t stack, double amount)
{
    if (c->status == HPF_OK && !hpf_stack_amounts_add(&c->amounts[which], stack, amount)) {
        c->status = HPF_ERR_MEMORY;
    }
}

static void add_costs(void *context, const hpf_frame *frames, size_t n_frames,
                      const hpp_stack_costs *added)
{
    http_costs *c = context;
    uint32_t stack = 0;
    const double amounts[HTTP_N_COSTS] = {
        (double)added->allocations, (double)added->allocated_bytes, (double)added->live_blocks,
        (double)added->live_bytes, (double)added->ticks};
    if (c->status == HPF_OK) {
        c->status = hpf_stacks_of_frames(c->stacks, frames, n_frames, &stack, NULL);
    }
    for (int i = 0; i < HTTP_N_COSTS; i++) {
        add(c, i, stack, amounts[i]);
    }
}

void http_costs_add_programs(http_costs *c, const hpp_collector *collector)
{
    c->has_blocks = true;
    c->tick_ns = (double)hpp_collector_tick_ns(collector);
    hpp_collector_costs(collector, c->process_id, add_costs, c);
}

const char *http_costs_refused(const hpp_collector *collector, uint32_t process_id)
{
    return hpp_collector_costs(collector, process_id, NULL, NULL)
               ? NULL
               : "no process of this number is profiled here\n";
}

static void add_ticks(http_costs *c, hpf_eventlog_time *time)
{
    hpf_prof prof;
    uint32_t *numbers = NULL;
    c->status = hpf_eventlog_time_profile(time, &prof, NULL);
    if (c->status == HPF_OK) {
        numbers = calloc(prof.n_stacks + 1, sizeof *numbers);
        c->status =
            numbers ? hpf_stacks_of_prof(c->stacks, &prof, false, numbers, NULL) : HPF_ERR_MEMORY;
    }
    for (size_t i = 0; c->status == HPF_OK && i < prof.n_stacks; i++) {
        if (numbers[i] != HPF_NO_STACK && prof.stacks[i].ticks > 0) {
            add(c, HTTP_TICKS, numbers[i], (double)prof.stacks[i].ticks);
        }
    }
    c->tick_ns = (double)prof.tick_us * 1000;
    free(numbers);
}

static void add_totals(http_costs *c, const hpf_live *live)
{
    hpf_frame frames[MAX_FRAMES];
    for (size_t i = 0; i < hpf_live_n_totals(live) && c->status == HPF_OK; i++) {
        uint32_t stack = 0;
        hpf_stack_totals totals;
        size_t n = hpf_live_totals(live, i, &totals, frames, MAX_FRAMES);
        c->status =
            hpf_stacks_of_frames(c->stacks, frames, n < MAX_FRAMES ? n : MAX_FRAMES, &stack, NULL);
        add(c, HTTP_ALLOCATED_BYTES, stack, (double)totals.allocated_bytes);
    }
}

/* A profile that was restarted had none of the costs that were subtracted. */
void http_costs_add_profile(http_costs *c, const watched *profile, http_place where)
{
    hpf_eventlog_time *time = hpf_live_time(profile->live);
    for (size_t i = 0; i < c->amounts[HTTP_TICKS].n && c->epoch != profile->epoch; i++) {
        c->amounts[HTTP_TICKS].of[i] = 0;
    }
    c->epoch = profile->epoch;
    if (where == HTTP_PROFILE && time) {
        add_ticks(c, time);
    } else if (where == HTTP_ALLOCS && hpf_live_n_totals(profile->live) > 0) {
        add_totals(c, profile->live);
    } else if (where == HTTP_ALLOCS && watched_allocated(profile)) {
        c->status = hpf_survey_add_latest_stacks(c->stacks, &c->amounts[HTTP_ALLOCATED_BYTES],
                                                 watched_allocated(profile), NULL);
    }
}

bool http_costs_are_in(const watched *profile, http_place where)
{
    return where == HTTP_PROFILE ? hpf_live_time(profile->live) != NULL
                                 : where == HTTP_ALLOCS && (hpf_live_n_totals(profile->live) > 0 ||
                                                            watched_allocated(profile));
}

http_costs *http_costs_create(uint32_t process_id)
{
    http_costs *c = calloc(1, sizeof *c);
    if (!c || !(c->stacks = hpf_stacks_create())) {
        free(c);
        return NULL;
    }
    c->process_id = process_id;
    return c;
}

void http_costs_destroy(http_costs *c)
{
    if (c) {
        hpf_stacks_destroy(c->stacks);
        for (int i = 0; i < HTTP_N_COSTS; i++) {
            free(c->amounts[i].of);
        }
        free(c);
    }
}

void http_costs_begin(http_costs *c)
{
    c->begin_s = clock_now_s();
    for (int i = 0; i < HTTP_N_COSTS; i++) {
        for (size_t stack = 0; stack < c->amounts[i].n; stack++) {
            c->amounts[i].of[stack] = -c->amounts[i].of[stack];
        }
    }
}

hpf_status http_costs_write(http_costs *c, hpf_str program, http_place where, hpf_sink *sink,
                            hpf_error *err)
{
    if (where == HTTP_HEAP && hpf_stacks_n(c->stacks) == 0) {
        return hpf_error_set(err, HPF_END, "there is no sample yet");
    }
    const hpf_stack_amounts *amounts = c->amounts;
    for (size_t i = 0; i < amounts[HTTP_TICKS].n; i++) {
        amounts[HTTP_TICKS].of[i] = fmax(amounts[HTTP_TICKS].of[i], 0);
    }
    const hpf_pprof_type types[] = {
        {"alloc_objects", HPF_STR("count"), amounts[HTTP_ALLOCATIONS].of, 1},
        {"alloc_space", HPF_STR("bytes"), amounts[HTTP_ALLOCATED_BYTES].of, 1},
        {"inuse_objects", HPF_STR("count"), amounts[HTTP_LIVE_BLOCKS].of, 1},
        {"inuse_space", HPF_STR("bytes"), amounts[HTTP_LIVE_BYTES].of, 1},
        {"samples", HPF_STR("count"), amounts[HTTP_TICKS].of, 1},
        {"cpu", HPF_STR("nanoseconds"), amounts[HTTP_TICKS].of, c->tick_ns},
    };
    bool is_time = where == HTTP_PROFILE;
    bool has_two = is_time ? c->tick_ns > 0 : c->has_blocks;
    const hpf_pprof_profile profile = {
        .program = program,
        .time_ns = (uint64_t)time(NULL) * 1000000000,
        .duration_ns = c->begin_s > 0 ? (uint64_t)((clock_now_s() - c->begin_s) * 1e9) : 0,
        .types = types + (is_time              ? 4
                          : where == HTTP_HEAP ? 2
                                               : !has_two),
        .n_types = has_two ? 2 : 1,
    };
    return c->status == HPF_OK ? hpf_pprof_write(c->stacks, &profile, sink, err)
                               : hpf_error_set_memory(err);
}

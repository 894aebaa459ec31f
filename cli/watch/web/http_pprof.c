/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Equal stacks of several processes are one.
 */
#include "http_pprof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "exchange/pprof_writer.h"
#include "hpfile/str.h"
#include "summary/survey_details.h"

#include "heap_stacks.h"

hpf_status http_pprof_add(http_pprof *p, const watched *profile, hpf_error *err)
{
    hpf_survey *survey;
    hpf_status status = watched_survey(&survey, profile, 0, err);
    if (status != HPF_OK) {
        return status == HPF_MORE ? HPF_OK : status;
    }
    const hpf_overview *o = hpf_survey_overview(survey);
    uint32_t n_names = hpf_survey_n_names(survey);
    if (o->n_picks == 0 ||
        (p->survey && !hpf_str_equal(hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT),
                                     hpf_survey_header(p->survey, HPF_HEADER_VALUE_UNIT)))) {
        return HPF_OK;
    }
    p->stacks = p->stacks ? p->stacks : hpf_stacks_create();
    double *by_name = calloc((size_t)n_names + 1, sizeof *by_name);
    status = p->stacks && by_name ? hpf_survey_pick_amounts(survey, o->n_picks - 1, by_name, err)
                                  : hpf_error_set_memory(err);
    for (hpf_name i = 0; i < n_names && status == HPF_OK; i++) {
        uint32_t stack = 0;
        if (by_name[i] > 0) {
            status = heap_stacks_find(p->stacks, survey, i, &stack, err);
            if (status == HPF_OK &&
                !HPF__ARRAY_RESERVE_ZEROED(p->amounts, p->amounts_capacity, stack + (size_t)1)) {
                status = hpf_error_set_memory(err);
            } else if (status == HPF_OK) {
                p->amounts[stack] += by_name[i];
            }
        }
    }
    free(by_name);
    if (!p->survey) {
        p->survey = survey;
        p->time = o->picks[o->n_picks - 1].time;
    }
    return status;
}

hpf_status http_pprof_write(const http_pprof *p, hpf_sink *sink, hpf_error *err)
{
    return p->survey ? heap_stacks_write_pprof(p->stacks, p->amounts, p->survey, p->time, sink, err)
                     : hpf_error_set(err, HPF_END, "there is no sample yet");
}

void http_pprof_finish(http_pprof *p)
{
    hpf_stacks_destroy(p->stacks);
    free(p->amounts);
    *p = (http_pprof){NULL, NULL, 0, NULL, 0};
}

/* ---- costs ---- */

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
    for (int i = 0; i < HTTP_N_COSTS && c->status == HPF_OK; i++) {
        bool fits = HPF__ARRAY_RESERVE_ZEROED(c->amounts[i], c->capacity[i], stack + (size_t)1);
        c->status = fits ? HPF_OK : HPF_ERR_MEMORY;
        if (fits) {
            c->amounts[i][stack] += c->sign * amounts[i];
        }
    }
}

http_costs *http_costs_create(const hpp_collector *collector, bool is_from_now)
{
    http_costs *c = calloc(1, sizeof *c);
    if (!c || !(c->stacks = hpf_stacks_create())) {
        free(c);
        return NULL;
    }
    c->sign = -1;
    c->begin_s = loop_now_s();
    if (is_from_now) {
        hpp_collector_costs(collector, add_costs, c);
    }
    return c;
}

void http_costs_destroy(http_costs *c)
{
    if (c) {
        hpf_stacks_destroy(c->stacks);
        for (int i = 0; i < HTTP_N_COSTS; i++) {
            free(c->amounts[i]);
        }
        free(c);
    }
}

hpf_status http_costs_write(http_costs *c, const hpp_collector *collector, hpf_str program,
                            http_place where, hpf_sink *sink, hpf_error *err)
{
    c->sign = 1;
    hpp_collector_costs(collector, add_costs, c);
    if (where == HTTP_HEAP && hpf_stacks_n(c->stacks) == 0) {
        return hpf_error_set(err, HPF_END, "there is no sample yet");
    }
    double *const *amounts = c->amounts;
    for (size_t i = 0; i < c->capacity[HTTP_TICKS]; i++) {
        amounts[HTTP_TICKS][i] = fmax(amounts[HTTP_TICKS][i], 0);
    }
    const hpf_pprof_type types[] = {
        {"alloc_objects", HPF_STR("count"), amounts[HTTP_ALLOCATIONS], 1},
        {"alloc_space", HPF_STR("bytes"), amounts[HTTP_ALLOCATED_BYTES], 1},
        {"inuse_objects", HPF_STR("count"), amounts[HTTP_LIVE_BLOCKS], 1},
        {"inuse_space", HPF_STR("bytes"), amounts[HTTP_LIVE_BYTES], 1},
        {"samples", HPF_STR("count"), amounts[HTTP_TICKS], 1},
        {"cpu", HPF_STR("nanoseconds"), amounts[HTTP_TICKS],
         (double)hpp_collector_tick_ns(collector)},
    };
    bool is_time = where == HTTP_PROFILE;
    const hpf_pprof_profile profile = {
        .program = program,
        .time_ns = (uint64_t)time(NULL) * 1000000000,
        .duration_ns = is_time ? (uint64_t)((loop_now_s() - c->begin_s) * 1e9) : 0,
        .types = types + (is_time              ? 4
                          : where == HTTP_HEAP ? 2
                                               : 0),
        .n_types = 2,
    };
    return c->status == HPF_OK ? hpf_pprof_write(c->stacks, &profile, sink, err)
                               : hpf_error_set_memory(err);
}

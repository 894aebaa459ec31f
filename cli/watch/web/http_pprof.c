/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Equal stacks of several processes are one.
 */
#include "http_pprof.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exchange/pprof_writer.h"
#include "hpfile/str.h"
#include "summary/survey_details.h"

#include "heap_stacks.h"

/* Adds an amount to a stack; the array grows with the stacks. */
static hpf_status add_amount(http_pprof *p, uint32_t stack, double amount, hpf_error *err)
{
    if (stack >= p->n_amounts) {
        size_t n = 2 * ((size_t)stack + 8);
        double *grown = realloc(p->amounts, n * sizeof *grown);
        if (!grown) {
            return hpf_error_set_memory(err);
        }
        memset(grown + p->n_amounts, 0, (n - p->n_amounts) * sizeof *grown);
        p->amounts = grown;
        p->n_amounts = n;
    }
    p->amounts[stack] += amount;
    return HPF_OK;
}

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
            status = status == HPF_OK ? add_amount(p, stack, by_name[i], err) : status;
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

static bool reserve(double **amounts, size_t n, size_t n_before)
{
    double *grown = realloc(*amounts, n * sizeof *grown);
    if (grown) {
        *amounts = grown;
        memset(grown + n_before, 0, (n - n_before) * sizeof *grown);
    }
    return grown != NULL;
}

static void add_costs(void *context, const hpf_frame *frames, size_t n_frames,
                      const hpp_stack_costs *added)
{
    http_costs *c = context;
    uint32_t stack = 0;
    if (c->status == HPF_OK) {
        c->status = hpf_stacks_of_frames(c->stacks, frames, n_frames, &stack, NULL);
    }
    if (c->status == HPF_OK && stack >= c->n) {
        size_t n = 2 * ((size_t)stack + 8);
        bool fits = reserve(&c->allocations, n, c->n) && reserve(&c->bytes, n, c->n) &&
                    reserve(&c->ticks, n, c->n);
        c->status = fits ? HPF_OK : HPF_ERR_MEMORY;
        c->n = fits ? n : c->n;
    }
    if (c->status == HPF_OK) {
        c->allocations[stack] += c->sign * (double)added->allocations;
        c->bytes[stack] += c->sign * (double)added->allocated_bytes;
        c->ticks[stack] += c->sign * (double)added->ticks;
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
        free(c->allocations);
        free(c->bytes);
        free(c->ticks);
        free(c);
    }
}

hpf_status http_costs_write(http_costs *c, const hpp_collector *collector, hpf_str program,
                            bool is_time, hpf_sink *sink, hpf_error *err)
{
    c->sign = 1;
    hpp_collector_costs(collector, add_costs, c);
    for (size_t i = 0; i < c->n; i++) {
        c->ticks[i] = c->ticks[i] > 0 ? c->ticks[i] : 0;
    }
    const hpf_pprof_type types[] = {
        {"alloc_objects", HPF_STR("count"), c->allocations, 1},
        {"alloc_space", HPF_STR("bytes"), c->bytes, 1},
        {"samples", HPF_STR("count"), c->ticks, 1},
        {"cpu", HPF_STR("nanoseconds"), c->ticks, (double)hpp_collector_tick_ns(collector)},
    };
    const hpf_pprof_profile profile = {
        .program = program,
        .time_ns = (uint64_t)time(NULL) * 1000000000,
        .duration_ns = is_time ? (uint64_t)((loop_now_s() - c->begin_s) * 1e9) : 0,
        .types = types + (is_time ? 2 : 0),
        .n_types = 2,
    };
    return c->status == HPF_OK ? hpf_pprof_write(c->stacks, &profile, sink, err)
                               : hpf_error_set_memory(err);
}

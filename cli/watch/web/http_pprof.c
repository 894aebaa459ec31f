/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Equal stacks of several processes are one.
 */
#include "http_pprof.h"

#include <stdlib.h>
#include <string.h>

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

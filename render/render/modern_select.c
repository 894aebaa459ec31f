/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Weighing names and drawing the line between bands and OTHER.
 */
#include "modern_select.h"

#include <stdlib.h>

#include "hpfile/str.h"

typedef struct weighed {
    double weight;
    hpf_str text;
    hpf_name name;
} weighed;

/* Largest first; equal ones by name, so that the numbers of names do not matter. */
static int compare_weighed(const void *a, const void *b)
{
    const weighed *x = a;
    const weighed *y = b;
    if (x->weight != y->weight) {
        return x->weight > y->weight ? -1 : 1;
    }
    return hpf_str_compare(x->text, y->text);
}

/* Lists the names that are in a complete sample, the heaviest first; returns how many. */
static uint32_t weigh(weighed *list, const hpf_survey *survey)
{
    bool has_area = hpf_survey_overview(survey)->total.trapezium > 0;
    uint32_t n = 0;
    for (hpf_name name = 0; name < hpf_survey_n_names(survey); name++) {
        const hpf_totals *totals = hpf_survey_totals(survey, name);
        if (totals->n_samples > 0) {
            list[n++] = (weighed){has_area ? totals->trapezium : totals->sum,
                                  hpf_survey_name(survey, name), name};
        }
    }
    qsort(list, n, sizeof *list, compare_weighed);
    return n;
}

/* How many of the list are left when the traces at its end are gone. */
static uint32_t without_traces(const weighed *list, uint32_t n, double percent)
{
    double total = 0;
    for (uint32_t i = 0; i < n; i++) {
        total += list[i].weight;
    }
    double traces = 0;
    while (n > 0) {
        traces += list[n - 1].weight;
        if (traces >= percent / 100 * total) {
            break;
        }
        n--;
    }
    return n;
}

static uint32_t n_drawn_of(const weighed *list, uint32_t n, const hpr_options *options)
{
    if (options->n_bands < 0) {
        return 0;
    }
    uint32_t n_drawn = without_traces(list, n, options->trace_percent);
    if (options->n_bands > 0 && n_drawn > (uint32_t)options->n_bands) {
        n_drawn = (uint32_t)options->n_bands;
    }
    return n_drawn + 1 == n ? n : n_drawn;
}

hpf_status hpr__modern_select(hpr__plan *plan, hpf_arena *arena, hpf_survey *survey,
                              const hpr_options *options, hpf_error *err)
{
    uint32_t n_names = hpf_survey_n_names(survey);
    weighed *list = hpf_arena_array(arena, n_names, sizeof *list);
    hpf_name *names = hpf_arena_array(arena, n_names, sizeof *names);
    if (!list || !names) {
        return hpf_error_set_memory(err);
    }
    uint32_t n = weigh(list, survey);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = list[i].name;
    }
    uint32_t n_drawn = n_drawn_of(list, n, options);
    hpr__plan_parts parts = {
        .drawn = names,
        .n_drawn = n_drawn,
        .folded = names + n_drawn,
        .n_folded = n - n_drawn,
        .other_on_top = true,
    };
    hpf_status status = hpr__plan_init(plan, arena, n_names, &parts, err);
    plan->dropped_names = n - parts.n_drawn - parts.n_folded;
    return status;
}

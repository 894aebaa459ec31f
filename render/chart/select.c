/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Weighing names and drawing the line between bands and OTHER.
 */
#include "base/arena.h"
#include "chart/select.h"

#include <stdlib.h>

#include "hpfile/str.h"

#include "chart/group.h"

/* How much heavier a name counts that had a band. */
static const double favour_of_kept = 1.1;

/* Largest first; equal ones by name, so that the numbers of names do not matter. */
static int compare_weighed(const void *a, const void *b)
{
    const hpr__weighed *x = a;
    const hpr__weighed *y = b;
    if (x->rank != y->rank) {
        return x->rank > y->rank ? -1 : 1;
    }
    return hpf_str_compare(x->text, y->text);
}

/* By text, then in order of appearance. */
static int compare_texts(const void *a, const void *b)
{
    const hpr__weighed *x = a;
    const hpr__weighed *y = b;
    int by_text = hpf_str_compare(x->text, y->text);
    return by_text ? by_text : x->name < y->name ? -1 : x->name > y->name;
}

/* A selection being made. */
typedef struct selection {
    const hpf_survey *survey;
    const hpr_options *options;
    hpr__weighed *list;
    uint32_t n;
    uint32_t n_names;   /* of the survey */
    hpf_name *first_of; /* by name: the first one of its group */
} selection;

/* What an event log knows beside the name; else empty. */
static hpf_str known_group(const hpf_survey *survey, hpf_name name, hpr_group group)
{
    hpf_frame innermost;
    if (hpf_survey_frames(survey, name, &innermost, 1) > 0) {
        if (group == HPR_GROUP_MODULE) {
            return innermost.module;
        }
        if (group == HPR_GROUP_TYPE) {
            return innermost.type;
        }
    }
    return (hpf_str){NULL, 0};
}

hpf_str hpr__group_text(const hpf_survey *survey, hpf_name name, const hpr_options *options)
{
    hpf_str known = known_group(survey, name, options->group);
    hpf_str text = hpf_survey_name(survey, name);
    return known.length > 0 ? known : hpr__group_of(text, options->group, options->n_prefix_parts);
}

/* Lists the names that are in a sample. */
static void list_names(selection *sel)
{
    bool has_area = hpf_survey_overview(sel->survey)->total.trapezium > 0;
    for (hpf_name name = 0; name < sel->n_names; name++) {
        const hpf_totals *totals = hpf_survey_totals(sel->survey, name);
        sel->first_of[name] = name;
        if (totals->n_samples > 0) {
            double weight = has_area && !sel->options->by_sample ? totals->trapezium : totals->sum;
            hpf_str text = hpr__group_text(sel->survey, name, sel->options);
            sel->list[sel->n++] = (hpr__weighed){weight, weight, text, name};
        }
    }
}

/* Puts entries with the same text together. */
static void join_groups(selection *sel)
{
    uint32_t n = 0;
    qsort(sel->list, sel->n, sizeof *sel->list, compare_texts);
    for (uint32_t i = 0; i < sel->n; i++) {
        const hpr__weighed *next = &sel->list[i];
        if (n > 0 && hpf_str_equal(sel->list[n - 1].text, next->text)) {
            sel->list[n - 1].weight += next->weight;
            sel->list[n - 1].rank += next->rank;
            sel->first_of[next->name] = sel->list[n - 1].name;
        } else {
            sel->list[n++] = *next;
        }
    }
    sel->n = n;
}

static void favour_kept(selection *sel)
{
    const hpr_options *o = sel->options;
    for (size_t k = 0; k < o->n_keep_names; k++) {
        uint32_t i = 0;
        while (i < sel->n && !hpf_str_equal(sel->list[i].text, o->keep_names[k])) {
            i++;
        }
        if (i < sel->n) {
            sel->list[i].rank *= favour_of_kept;
        }
    }
}

/* Sorts the list so far as the choice of bands looks at it: of 20,000 names some ten. Unless traces
 * are dropped, it is enough to know whether they reach up to those. */
static void sort_list(hpr__weighed *list, uint32_t n, const hpr_options *o)
{
    bool is_short = o->n_bands > 0 && o->n_bands < 100 && !o->drop_traces;
    uint32_t n_first = is_short ? (uint32_t)o->n_bands + 1 : n;
    n_first = n_first < n ? n_first : n;
    qsort(list, n_first, sizeof *list, compare_weighed);
    for (uint32_t i = n_first; i < n; i++) {
        if (compare_weighed(&list[i], &list[n_first - 1]) < 0) {
            hpr__weighed next = list[i];
            uint32_t k = n_first - 1;
            list[i] = list[k];
            for (; k > 0 && compare_weighed(&next, &list[k - 1]) < 0; k--) {
                list[k] = list[k - 1];
            }
            list[k] = next;
        }
    }
}

/* How many of the list are left when the traces at its end are gone. */
static uint32_t without_traces(const hpr__weighed *list, uint32_t n, double percent)
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

static hpr__limits find_limits(const hpr__weighed *list, uint32_t n, const hpr_options *options)
{
    uint32_t n_large = without_traces(list, n, options->trace_percent);
    uint32_t n_kept = options->drop_traces ? n_large : n;
    if (options->n_bands < 0) {
        return (hpr__limits){0, n_kept};
    }
    if (options->n_bands > 0 && n_large > (uint32_t)options->n_bands) {
        n_large = (uint32_t)options->n_bands;
    }
    return (hpr__limits){n_large + 1 == n_kept ? n_kept : n_large, n_kept};
}

hpr__limits hpr__limit(hpr__weighed *list, uint32_t n, const hpr_options *options)
{
    sort_list(list, n, options);
    return find_limits(list, n, options);
}

/* Sends all names of a group where its first one goes, and calls its band by the group's text. */
static hpf_status spread_groups(hpr__assignment *plan, hpf_arena *arena, const selection *sel,
                                hpf_error *err)
{
    hpf_str *texts = hpf_arena_array(arena, plan->n_bands, sizeof *texts);
    if (!texts) {
        return hpf_error_set_memory(err);
    }
    for (hpf_name name = 0; name < sel->n_names; name++) {
        plan->band_of_name[name] = plan->band_of_name[sel->first_of[name]];
    }
    for (uint32_t i = 0; i < sel->n; i++) {
        uint32_t band = plan->band_of_name[sel->list[i].name];
        if (band != HPF_NO_BAND) {
            texts[band] = sel->list[i].text;
        }
    }
    plan->texts = texts;
    return HPF_OK;
}

static hpf_status make_plan(hpr__assignment *plan, hpf_arena *arena, selection *sel, hpf_error *err)
{
    hpr__limits limit = hpr__limit(sel->list, sel->n, sel->options);
    hpf_name *names = hpf_arena_array(arena, sel->n, sizeof *names);
    if (!names) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < sel->n; i++) {
        names[i] = sel->list[i].name;
    }
    hpr__assignment_parts parts = {
        .drawn = names,
        .n_drawn = limit.n_drawn,
        .folded = names + limit.n_drawn,
        .n_folded = limit.n_kept - limit.n_drawn,
        .other_on_top = true,
    };
    hpf_status status = hpr__assignment_init(plan, arena, sel->n_names, &parts, err);
    if (!status && sel->options->group != HPR_GROUP_NONE) {
        status = spread_groups(plan, arena, sel, err);
    }
    plan->dropped_names = sel->n - limit.n_kept;
    return status;
}

hpf_status hpr__modern_select(hpr__assignment *plan, hpf_arena *arena, hpf_survey *survey,
                              const hpr_options *options, hpf_error *err)
{
    uint32_t n_names = hpf_survey_n_names(survey);
    selection sel = {
        .survey = survey,
        .options = options,
        .list = hpf_arena_array(arena, n_names, sizeof *sel.list),
        .first_of = hpf_arena_array(arena, n_names, sizeof *sel.first_of),
        .n_names = n_names,
    };
    if (!sel.list || !sel.first_of) {
        return hpf_error_set_memory(err);
    }
    list_names(&sel);
    if (options->group != HPR_GROUP_NONE) {
        join_groups(&sel);
    }
    favour_kept(&sel);
    return make_plan(plan, arena, &sel, err);
}

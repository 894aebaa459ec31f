/* SPDX-License-Identifier: BSD-2-Clause
 *
 * All names of all profiles in one list, sorted by what they are called: equal neighbours are one
 * row. Rows are weighed and limited as the names of one profile are.
 */
#include "base/arena.h"
#include "chart/page_select.h"

#include <stdlib.h>

#include "summary/match.h"
#include "hpfile/str.h"
#include "chart/select.h"

/* A name of a profile. */
typedef struct entry {
    hpf_str text; /* what its band would be called */
    size_t profile;
    hpf_name name;
    double weight;
    uint32_t row;
} entry;

typedef struct selection {
    hpf_arena *arena;
    hpf_survey *const *surveys;
    size_t n_surveys;
    const hpr_page_options *options;
    entry *entries; /* names that are in a sample */
    size_t n_entries;
    hpr__weighed *rows; /* their `name` is the number of the row */
    uint32_t n_rows;
} selection;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;
    int by_text = hpf_str_compare(x->text, y->text);
    if (by_text || x->profile != y->profile) {
        return by_text ? by_text : x->profile < y->profile ? -1 : 1;
    }
    return x->name < y->name ? -1 : x->name > y->name;
}

static double mean_of(const selection *s, size_t profile, const hpf_totals *totals)
{
    const hpf_survey *survey = s->surveys[profile];
    return s->options->chart.by_sample
               ? totals->sum / (double)hpf_survey_overview(survey)->n_samples
               : hpf_survey_mean(survey, totals);
}

/* What the means of a profile are divided by. */
static double whole_of(const selection *s, size_t profile)
{
    double mean = mean_of(s, profile, &hpf_survey_overview(s->surveys[profile])->total);
    return s->options->same_scale || !(mean > 0) ? 1 : mean;
}

static void list_names(selection *s, size_t profile, const hpf_match *match)
{
    const hpf_survey *survey = s->surveys[profile];
    double whole = whole_of(s, profile);
    for (hpf_name name = 0; name < hpf_survey_n_names(survey); name++) {
        uint32_t row = hpf_match_row(match, profile, name);
        if (row == HPF_NO_ROW) {
            continue;
        }
        hpf_str text = s->options->chart.group == HPR_GROUP_NONE
                           ? hpf_match_name(match, row)
                           : hpf_str_without_id(hpr__group_text(survey, name, &s->options->chart));
        const hpf_totals *totals = hpf_survey_totals(survey, name);
        s->entries[s->n_entries++] =
            (entry){text, profile, name, mean_of(s, profile, totals) / whole, 0};
    }
}

/* Texts are borrowed from the match: what is kept of them is copied. */
static hpf_status keep_text(const selection *s, hpf_str *text, hpf_error *err)
{
    text->data = hpf_arena_text(s->arena, *text);
    return text->data ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status make_rows(selection *s, hpf_error *err)
{
    s->rows = hpf_arena_array(s->arena, s->n_entries, sizeof *s->rows);
    if (!s->rows) {
        return hpf_error_set_memory(err);
    }
    qsort(s->entries, s->n_entries, sizeof *s->entries, compare_entries);
    for (size_t i = 0; i < s->n_entries; i++) {
        entry *e = &s->entries[i];
        if (i == 0 || !hpf_str_equal(s->rows[s->n_rows - 1].text, e->text)) {
            s->rows[s->n_rows] = (hpr__weighed){0, 0, e->text, s->n_rows};
            if (keep_text(s, &s->rows[s->n_rows++].text, err)) {
                return HPF_ERR_MEMORY;
            }
        }
        s->rows[s->n_rows - 1].weight += e->weight;
        s->rows[s->n_rows - 1].rank += e->weight;
        e->row = s->n_rows - 1;
    }
    return HPF_OK;
}

static hpf_status list_all(selection *s, hpf_error *err)
{
    hpf_match *match;
    size_t room = 0;
    for (size_t i = 0; i < s->n_surveys; i++) {
        room += hpf_survey_n_names(s->surveys[i]);
    }
    s->entries = hpf_arena_array(s->arena, room, sizeof *s->entries);
    if (!s->entries) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_match_create(&match, s->surveys, s->n_surveys, err);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < s->n_surveys; i++) {
        list_names(s, i, match);
    }
    status = make_rows(s, err);
    hpf_match_destroy(match);
    return status;
}

/* A plan without a name yet. Its bands are numbered; what they are called is the same in all. */
static hpf_status begin_plan(hpr__assignment *plan, const selection *s, size_t profile,
                             const hpr__limits *limits, const hpf_str *texts, hpf_error *err)
{
    bool has_other = limits->n_kept > limits->n_drawn;
    uint32_t n_names = hpf_survey_n_names(s->surveys[profile]);
    *plan = (hpr__assignment){
        .n_bands = limits->n_drawn + has_other,
        .names = hpf_arena_array(s->arena, limits->n_drawn + has_other, sizeof *plan->names),
        .band_of_name = hpf_arena_array(s->arena, n_names, sizeof *plan->band_of_name),
        .texts = texts,
    };
    if (!plan->names || !plan->band_of_name) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < plan->n_bands; i++) {
        plan->names[i] = i < limits->n_drawn ? i : HPR__PLAN_OTHER;
    }
    for (hpf_name i = 0; i < n_names; i++) {
        plan->band_of_name[i] = HPF_NO_BAND;
    }
    return HPF_OK;
}

/* Sends each name where its row goes. */
static void fill_plans(hpr__assignment *plans, const selection *s, const uint32_t *band_of_row,
                       uint32_t other_band)
{
    for (size_t i = 0; i < s->n_entries; i++) {
        const entry *e = &s->entries[i];
        uint32_t band = band_of_row[e->row];
        plans[e->profile].band_of_name[e->name] = band;
        plans[e->profile].other_names += band == other_band;
        plans[e->profile].dropped_names += band == HPF_NO_BAND;
    }
}

static hpf_status make_plans(hpr__assignment *plans, uint32_t *other_names, selection *s,
                             hpf_error *err)
{
    hpr__limits limits = hpr__limit(s->rows, s->n_rows, &s->options->chart);
    hpf_str *texts = hpf_arena_array(s->arena, (size_t)limits.n_drawn + 1, sizeof *texts);
    uint32_t *band_of_row = hpf_arena_array(s->arena, s->n_rows, sizeof *band_of_row);
    if (!texts || !band_of_row) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < s->n_rows; i++) {
        band_of_row[s->rows[i].name] = i < limits.n_drawn  ? i
                                       : i < limits.n_kept ? limits.n_drawn
                                                           : HPF_NO_BAND;
        if (i < limits.n_drawn) {
            texts[i] = s->rows[i].text;
        }
    }
    *other_names = limits.n_kept - limits.n_drawn;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < s->n_surveys && !status; i++) {
        status = begin_plan(&plans[i], s, i, &limits, texts, err);
    }
    if (!status) {
        fill_plans(plans, s, band_of_row, limits.n_drawn);
    }
    return status;
}

hpf_status hpr__page_select(hpr__assignment *plans, uint32_t *other_names, hpf_arena *arena,
                            hpf_survey *const *surveys, size_t n_surveys,
                            const hpr_page_options *options, hpf_error *err)
{
    selection s = {.arena = arena, .surveys = surveys, .n_surveys = n_surveys, .options = options};
    hpf_status status = list_all(&s, err);
    return status ? status : make_plans(plans, other_names, &s, err);
}

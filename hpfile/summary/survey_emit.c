/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Emits the profile of a survey. Marks and quantities come with the samples from the input, or from
 * the survey, which has them sorted by time in rows: row 0 has the marks, row i + 1 is quantity i.
 * The rows are merged by time.
 */
#include <math.h>
#include <stdlib.h>

#include "summary/survey.h"
#include "base/array.h"

/* ---- A part of a profile --------------------------------------------------------------------- */

/* Forwards the events of a part of a profile, with its names renumbered. */

void hpf_survey_part_finish(hpf_survey_part *cut)
{
    free(cut->number_of);
    free(cut->names);
    free(cut->costs);
}

bool hpf_survey_part_init(hpf_survey_part *cut)
{
    size_t n = hpf_survey_n_names(cut->survey);
    cut->number_of = malloc((n + 1) * sizeof *cut->number_of);
    cut->names = malloc((n + 1) * sizeof *cut->names);
    if (!cut->number_of || !cut->names) {
        hpf_survey_part_finish(cut);
        return false;
    }
    cut->n_names = 0;
    for (hpf_name i = 0; i < n; i++) {
        bool is_used = hpf_survey_totals(cut->survey, i)->n_samples > 0;
        cut->number_of[i] = is_used ? cut->n_names : UINT32_MAX;
        cut->names[cut->n_names] = i;
        cut->n_names += is_used;
    }
    return true;
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    const hpf_survey_part *cut = context;
    return cut->to->header ? cut->to->header(cut->context, which, text, err) : HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    const hpf_survey_part *cut = context;
    hpf_name number = cut->number_of[name];
    return cut->to->name && number != UINT32_MAX ? cut->to->name(cut->context, number, text, err)
                                                 : HPF_OK;
}

static hpf_status on_sample_of_part(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_survey_part *cut = context;
    hpf_sample part = *sample;
    if (!HPF__ARRAY_RESERVE(cut->costs, cut->costs_capacity, sample->n_costs)) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < sample->n_costs; i++) {
        cut->costs[i] = sample->costs[i];
        cut->costs[i].name = cut->number_of[sample->costs[i].name];
    }
    part.costs = cut->costs;
    return cut->to->sample ? cut->to->sample(cut->context, &part, err) : HPF_OK;
}

static bool is_inside(const hpf_survey_part *cut, double time)
{
    return time >= cut->from_time && time <= cut->to_time;
}

static hpf_status on_mark_of_part(void *context, double time, hpf_str label, hpf_error *err)
{
    const hpf_survey_part *cut = context;
    return cut->to->mark && is_inside(cut, time) ? cut->to->mark(cut->context, time, label, err)
                                                 : HPF_OK;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    const hpf_survey_part *cut = context;
    return cut->to->quantity && is_inside(cut, point.time)
               ? cut->to->quantity(cut->context, name, point, err)
               : HPF_OK;
}

const hpf_events hpf_survey_part_events = {.header = on_header,
                                           .name = on_name,
                                           .sample = on_sample_of_part,
                                           .mark = on_mark_of_part,
                                           .quantity = on_quantity};

/* ---- The whole profile ---- */

typedef struct rest {
    const hpf_overview *overview;
    const hpf_events *to;
    void *context;
    size_t *at; /* by row: number of points emitted */
} rest;

static hpf_status begin_rest(rest *r, const hpf_survey *survey, const hpf_events *to, void *context,
                             hpf_error *err)
{
    const hpf_overview *o = &survey->accumulator.overview;
    *r = (rest){o, to, context, calloc(o->n_quantities + 1, sizeof *r->at)};
    return r->at ? HPF_OK : hpf_error_set_memory(err);
}

/* Returns the time of the next point of a row; infinite after the last. */
static double time_of_next(const rest *r, size_t row)
{
    const hpf_overview *o = r->overview;
    if (row == 0) {
        return r->at[0] < o->n_marks ? o->marks[r->at[0]].time : INFINITY;
    }
    const hpf_quantity *line = &o->quantities[row - 1];
    return r->at[row] < line->n_points ? line->points[r->at[row]].time : INFINITY;
}

static size_t earliest_row(const rest *r)
{
    size_t found = 0;
    for (size_t row = 1; row <= r->overview->n_quantities; row++) {
        found = time_of_next(r, row) < time_of_next(r, found) ? row : found;
    }
    return found;
}

static hpf_status emit_next(rest *r, size_t row, hpf_error *err)
{
    size_t index = r->at[row]++;
    if (row == 0) {
        const hpf_mark *mark = &r->overview->marks[index];
        return r->to->mark ? r->to->mark(r->context, mark->time, mark->label, err) : HPF_OK;
    }
    const hpf_quantity *line = &r->overview->quantities[row - 1];
    return r->to->quantity ? r->to->quantity(r->context, line->name, line->points[index], err)
                           : HPF_OK;
}

/* Emits everything that is not later than `time`. */
static hpf_status emit_until(rest *r, double time, hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (bool is_due = true; is_due && status == HPF_OK;) {
        size_t row = earliest_row(r);
        double next = time_of_next(r, row);
        is_due = next <= time && !isinf(next);
        status = is_due ? emit_next(r, row, err) : HPF_OK;
    }
    return status;
}

hpf_status hpf__survey_emit_marks(const hpf_survey *survey, const hpf_events *events, void *context,
                                  hpf_error *err)
{
    rest r;
    hpf_status status = begin_rest(&r, survey, events, context, err);
    status = status == HPF_OK ? emit_until(&r, INFINITY, err) : status;
    free(r.at);
    return status;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    rest *r = context;
    hpf_status status = emit_until(r, sample->time, err);
    return status == HPF_OK && r->to->sample ? r->to->sample(r->context, sample, err) : status;
}

static hpf_status interleave(hpf_survey *s, const hpf_events *events, void *context, hpf_error *err)
{
    static const hpf_events samples = {.sample = on_sample};
    rest r;
    hpf_status status = begin_rest(&r, s, events, context, err);
    status = status == HPF_OK ? s->second_pass->replay(s, &samples, &r, err) : status;
    status = status == HPF_OK ? emit_until(&r, INFINITY, err) : status;
    free(r.at);
    return status;
}

/* Returns the number of names without the names that only an unfinished sample has, which are
 * last. */
static uint32_t n_used_names(const hpf_survey *s)
{
    uint32_t n = hpf_survey_n_names(s);
    while (n > 0 && s->accumulator.totals[n - 1].n_samples == 0) {
        n--;
    }
    return n;
}

static hpf_status emit_head(const hpf_survey *s, const hpf_events *to, void *context,
                            hpf_error *err)
{
    uint32_t n_names = to->name ? n_used_names(s) : 0;
    hpf_status status = HPF_OK;
    for (int i = 0; to->header && i < HPF_N_HEADERS && status == HPF_OK; i++) {
        status = to->header(context, (hpf_header)i, s->accumulator.headers[i], err);
    }
    for (hpf_name i = 0; i < n_names && status == HPF_OK; i++) {
        status = to->name(context, i, hpf_survey_name(s, i), err);
    }
    return status;
}

static hpf_status emit_apart(hpf_survey *s, const hpf_events *events, void *context, hpf_error *err)
{
    const hpf_events samples = {.sample = events->sample};
    bool has_marks = events->mark || events->quantity;
    hpf_status status = has_marks ? hpf__survey_emit_marks(s, events, context, err) : HPF_OK;
    return status == HPF_OK ? s->second_pass->replay(s, &samples, context, err) : status;
}

static hpf_status emit_in_place(hpf_survey *s, const hpf_events *events, void *context,
                                hpf_error *err)
{
    const hpf_events replayed = {
        .sample = events->sample, .mark = events->mark, .quantity = events->quantity};
    return s->second_pass->replay(s, &replayed, context, err);
}

hpf_status hpf_survey_emit(hpf_survey *s, bool marks_in_place, const hpf_events *events,
                           void *context, hpf_error *err)
{
    bool is_kept = s->has_sidecar || s->second_pass->emits_marks_first(s);
    hpf_status status = emit_head(s, events, context, err);
    if (status != HPF_OK) {
        return status;
    }
    return !marks_in_place ? emit_apart(s, events, context, err)
           : is_kept       ? interleave(s, events, context, err)
                           : emit_in_place(s, events, context, err);
}

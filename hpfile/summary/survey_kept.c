/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Columns to series and back to samples.
 */
#include "summary/survey_kept.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

/* --- the rest --- */

/* Which part of a rest goes to each band. */
typedef struct shares {
    double *of_band;
    uint32_t n_bands;
    uint32_t only; /* the band that gets all of it; HPF_NO_BAND: none, or several do */
    bool is_split;
} shares;

static void find_shares(shares *s, const hpf__kept_survey *survey, const uint32_t *band_of_name)
{
    double all = 0, unseen = 0;
    for (hpf_name i = 0; i < survey->columns->n_judged; i++) {
        if (survey->columns->is_folded[i]) {
            double sum = hpf__account_sum(&survey->growing->accounts[i]);
            uint32_t band = band_of_name[i];
            *(band == HPF_NO_BAND ? &unseen : &s->of_band[band]) += sum;
            all += sum;
        }
    }
    s->only = HPF_NO_BAND;
    for (uint32_t band = 0; band < s->n_bands && all > 0; band++) {
        s->only = s->of_band[band] == all ? band : s->only;
        s->of_band[band] /= all;
    }
    s->is_split = s->only == HPF_NO_BAND && unseen < all;
}

static void add_rest(const shares *s, double amount, double *column, size_t stride)
{
    for (uint32_t band = 0; band < s->n_bands; band++) {
        column[(size_t)band * stride] += amount * s->of_band[band];
    }
}

static void add_column(const hpf__columns *columns, size_t index, const hpf__series *to,
                       const shares *rest, double *out)
{
    uint64_t n_costs;
    const uint64_t *word = hpf__columns_costs(columns, index, &n_costs);
    for (; n_costs; n_costs--) {
        hpf_cost cost;
        word = hpf__unpack(word, &cost);
        if (cost.name == HPF__REST) {
            add_rest(rest, hpf_cost_amount(&cost), out, to->n_picks);
        } else if (to->band_of_name[cost.name] != HPF_NO_BAND) {
            out[(size_t)to->band_of_name[cost.name] * to->n_picks] += hpf_cost_amount(&cost);
        }
    }
}

/* --- series --- */

/* Whether series that were told can be used. That depends on the rest too: it must belong to the
 * same band, and no more may have become a part of it. */
static bool may_use(const hpf__told *told, const hpf__kept_survey *s, const hpf__series *to,
                    const shares *rest, uint32_t *rows)
{
    if (told->n_folds != s->columns->n_folds || rest->is_split ||
        !hpf__told_rows(told, to, s->base.tally.n_accounts, rows)) {
        return false;
    }
    uint32_t row = rest->only == HPF_NO_BAND ? HPF_NO_BAND : rows[rest->only];
    return told->n_folds == 0 || row == told->rest;
}

static hpf__told *find_told(hpf__kept_survey *s, const hpf__series *to, const shares *rest,
                            uint32_t *rows)
{
    for (int i = 0; i < HPF__N_TOLD; i++) {
        if (may_use(&s->told[i], s, to, rest, rows)) {
            return &s->told[i];
        }
    }
    return NULL;
}

/* Copies the columns that were told, and adds up the others. */
static void fill(const hpf__kept_survey *s, hpf__series *to, const shares *rest,
                 const hpf__told *told, const uint32_t *rows)
{
    const hpf_pick *picks = s->base.tally.overview.picks;
    size_t first = 0, column = 0;
    for (size_t i = 0; i < to->n_picks;) {
        size_t n = told ? hpf__told_run(told, picks + i, to->n_picks - i, &first) : 0;
        if (n) {
            hpf__told_copy(told, rows, first, n, to, i);
            i += n;
        } else {
            column = hpf__columns_find(s->columns, column, &picks[i]);
            assert(column < s->columns->n_columns);
            add_column(s->columns, column, to, rest, to->values + i);
            i++;
        }
    }
}

/* In the place of what served, or of what was told longest ago. */
static void remember(hpf__kept_survey *s, const hpf__series *to, const shares *rest,
                     hpf__told *told)
{
    if (rest->is_split) {
        return;
    }
    if (!told) {
        told = &s->told[s->next_told];
        s->next_told = (s->next_told + 1) % HPF__N_TOLD;
    }
    hpf__told_take(told, to, s->base.tally.n_accounts, s->base.tally.overview.picks);
    told->n_folds = s->columns->n_folds;
    told->rest = rest->only;
}

static hpf_status find_series(hpf_survey *survey, hpf__series *to, hpf_error *err)
{
    hpf__kept_survey *s = (hpf__kept_survey *)survey;
    size_t n_bands = (size_t)to->n_bands + 1;
    shares rest = {.of_band = calloc(n_bands, sizeof *rest.of_band), .n_bands = to->n_bands};
    uint32_t *rows = malloc(n_bands * sizeof *rows);
    hpf_status status = rest.of_band && rows ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        find_shares(&rest, s, to->band_of_name);
        hpf__told *told = find_told(s, to, &rest, rows);
        fill(s, to, &rest, told, rows);
        remember(s, to, &rest, told);
    }
    free(rest.of_band);
    free(rows);
    return status;
}

/* --- samples --- */

static bool unpack(hpf__kept_survey *s, size_t column, hpf_name rest, hpf_sample *out)
{
    uint64_t n_costs;
    const uint64_t *word = hpf__columns_costs(s->columns, column, &n_costs);
    if (!HPF__ARRAY_RESERVE(s->costs, s->costs_capacity, (size_t)n_costs + 1)) {
        return false;
    }
    const hpf__column *of = &s->columns->all[column];
    *out = (hpf_sample){.time = of->time,
                        .costs = s->costs,
                        .begin_offset = of->begin_offset,
                        .end_offset = of->end_offset};
    for (; n_costs; n_costs--) {
        hpf_cost *cost = &s->costs[out->n_costs];
        word = hpf__unpack(word, cost);
        cost->name = cost->name == HPF__REST ? rest : cost->name;
        out->n_costs += cost->name != HPF__REST;
    }
    return true;
}

hpf_status hpf__kept_tell(hpf__kept_survey *s, size_t begin, size_t end, hpf_name rest,
                          const hpf_events *events, void *context, hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (size_t i = begin; i < end && status == HPF_OK; i++) {
        hpf_sample sample;
        status = unpack(s, i, rest, &sample) ? events->sample(context, &sample, err)
                                             : hpf_error_set_memory(err);
    }
    return status;
}

/* The column of a pick. */
static size_t column_of(const hpf__kept_survey *s, const hpf_pick *pick)
{
    return hpf__columns_find(s->columns, 0, pick);
}

static hpf_status tell_all(hpf_survey *survey, const hpf_events *events, void *context,
                           hpf_error *err)
{
    hpf__kept_survey *s = (hpf__kept_survey *)survey;
    const hpf_overview *o = &survey->tally.overview;
    if (o->reduced || s->columns->n_folds) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "this needs every sample, and a profile that is watched keeps only "
                             "those worth drawing");
    }
    hpf_status status = hpf__survey_replay_rest(survey, events, context, err);
    if (status != HPF_OK || !events->sample) {
        return status;
    }
    size_t begin = column_of(s, &o->picks[0]);
    return hpf__kept_tell(s, begin, begin + o->n_picks, HPF__REST, events, context, err);
}

static bool tells_marks_first(const hpf_survey *survey)
{
    (void)survey;
    return true;
}

static hpf_status tell_stretch(hpf_survey *survey, const hpf_pick *first, const hpf_pick *last,
                               const hpf_events *events, void *context, hpf_error *err)
{
    hpf__kept_survey *s = (hpf__kept_survey *)survey;
    return hpf__kept_tell(s, column_of(s, first), column_of(s, last) + 1, HPF__REST, events,
                          context, err);
}

const hpf__second_pass hpf__survey_keeps_columns = {.series = find_series,
                                                    .replay = tell_all,
                                                    .tells_marks_first = tells_marks_first,
                                                    .stretch = tell_stretch};

void hpf__kept_finish(hpf__kept_survey *s)
{
    hpf__tally_view_finish(&s->base.tally);
    for (int i = 0; i < HPF__N_TOLD; i++) {
        hpf__told_finish(&s->told[i]);
    }
    free(s->costs);
}

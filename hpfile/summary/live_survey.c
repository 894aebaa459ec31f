/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A cache serves when its bands and the wanted ones contain the same names, band for band; the
 * numbers of the bands may differ.
 */
#include "summary/live_survey.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

/* Series with more values are not cached. */
#define MOST_VALUES ((size_t)1 << 20)

#define NO_ROW UINT32_MAX

/* --- the rest --- */

/* The part of a rest that each band gets. */
typedef struct shares {
    double *of_band;
    uint32_t n_bands;
    uint32_t only; /* the band that gets all of it; HPF_NO_BAND: none, or several share it */
    bool is_split;
} shares;

static void find_shares(shares *s, const hpf__live_survey *survey, const uint32_t *band_of_name)
{
    double all = 0, without_band = 0;
    for (hpf_name i = 0; i < survey->store->n_ranked; i++) {
        if (survey->store->is_folded[i]) {
            double sum = hpf__account_sum(&survey->growing->accounts[i]);
            uint32_t band = band_of_name[i];
            *(band == HPF_NO_BAND ? &without_band : &s->of_band[band]) += sum;
            all += sum;
        }
    }
    s->only = HPF_NO_BAND;
    for (uint32_t band = 0; band < s->n_bands && all > 0; band++) {
        s->only = s->of_band[band] == all ? band : s->only;
        s->of_band[band] /= all;
    }
    s->is_split = s->only == HPF_NO_BAND && without_band < all;
}

/* --- the cache --- */

/* Pairs a band with a row of the cache. Returns false when either has another partner. */
static bool pair_up(uint32_t *rows, uint32_t *bands, uint32_t band, uint32_t row)
{
    if (band == HPF_NO_BAND || row == HPF_NO_BAND) {
        return band == row;
    }
    if (rows[band] == NO_ROW && bands[row] == NO_ROW) {
        rows[band] = row;
        bands[row] = band;
    }
    return rows[band] == row && bands[row] == band;
}

/* Fills `rows`, for each band the row of the cache with its values, or NO_ROW if all its names are
 * new. Returns false when the names are divided into other bands. */
static bool find_rows(const hpf__series_cache *cache, const hpf__series *series, size_t n_names,
                      uint32_t *rows)
{
    uint32_t *bands = cache->n_drawn ? malloc((size_t)cache->n_bands * sizeof *bands + 1) : NULL;
    bool is_same = bands && cache->n_names <= n_names;
    if (bands) {
        memset(bands, 0xFF, (size_t)cache->n_bands * sizeof *bands);
    }
    memset(rows, 0xFF, (size_t)series->n_bands * sizeof *rows);
    for (size_t i = 0; i < cache->n_names && is_same; i++) {
        is_same = pair_up(rows, bands, series->band_of_name[i], cache->band_of_name[i]);
    }
    free(bands);
    return is_same;
}

/* Returns the cache that serves, with its rows, or NULL. The rest must belong to the same band, and
 * no more names may have been folded since. */
static hpf__series_cache *find_cache(hpf__live_survey *s, const hpf__series *to, const shares *rest,
                                     uint32_t *rows)
{
    for (int i = 0; i < HPF__N_SERIES_CACHES && !rest->is_split; i++) {
        hpf__series_cache *cache = &s->caches[i];
        if (cache->n_folds == s->store->n_folds &&
            find_rows(cache, to, s->base.accumulator.n_accounts, rows)) {
            uint32_t row = rest->only == HPF_NO_BAND ? HPF_NO_BAND : rows[rest->only];
            if (cache->n_folds == 0 || row == cache->rest) {
                return cache;
            }
        }
    }
    return NULL;
}

/* Returns how many of the drawn samples are in the cache in a row. Searches from `*first` on, which
 * becomes the place of the first of them. */
static size_t cached_run(const hpf__series_cache *cache, const hpf_drawn_sample *drawn,
                         size_t n_drawn, size_t *first)
{
    while (*first < cache->n_drawn && cache->ends[*first] < drawn->end_offset) {
        ++*first;
    }
    size_t n = 0;
    while (n < n_drawn && *first + n < cache->n_drawn &&
           cache->ends[*first + n] == drawn[n].end_offset) {
        n++;
    }
    return n;
}

/* Copies `n_drawn` cached values from `first` on of every band to drawn sample `at` of the series.
 */
static void copy_cached(const hpf__series_cache *cache, const uint32_t *rows, size_t first,
                        size_t n_drawn, const hpf__series *series, size_t at)
{
    for (uint32_t band = 0; band < series->n_bands; band++) {
        if (rows[band] != NO_ROW) {
            memcpy(series->values + (size_t)band * series->n_drawn + at,
                   cache->values + (size_t)rows[band] * cache->n_drawn + first,
                   n_drawn * sizeof *series->values);
        }
    }
}

/* Replaces the cache that served, or else the oldest one. Without memory nothing is cached. */
static void update_cache(hpf__live_survey *s, const hpf__series *series, const shares *rest,
                         hpf__series_cache *cache)
{
    if (rest->is_split) {
        return;
    }
    if (!cache) {
        cache = &s->caches[s->next_cache];
        s->next_cache = (s->next_cache + 1) % HPF__N_SERIES_CACHES;
    }
    size_t n_names = s->base.accumulator.n_accounts;
    size_t n_drawn = series->n_drawn;
    cache->n_drawn = 0;
    size_t n_values = series->n_bands <= MOST_VALUES / n_drawn ? series->n_bands * n_drawn : 0;
    if (n_values == 0 || !HPF__ARRAY_RESERVE(cache->band_of_name, cache->names_capacity, n_names) ||
        !HPF__ARRAY_RESERVE(cache->values, cache->values_capacity, n_values) ||
        !HPF__ARRAY_RESERVE(cache->ends, cache->ends_capacity, n_drawn)) {
        return;
    }
    if (n_names) {
        memcpy(cache->band_of_name, series->band_of_name, n_names * sizeof *cache->band_of_name);
    }
    memcpy(cache->values, series->values, n_values * sizeof *cache->values);
    for (size_t i = 0; i < n_drawn; i++) {
        cache->ends[i] = s->base.accumulator.overview.drawn[i].end_offset;
    }
    cache->n_names = n_names;
    cache->n_bands = series->n_bands;
    cache->n_drawn = n_drawn;
    cache->n_folds = s->store->n_folds;
    cache->rest = rest->only;
}

/* --- series --- */

static void add_sample(const hpf__sample_store *store, size_t index, const hpf__series *to,
                       const shares *rest, double *column)
{
    uint64_t n_costs;
    const uint64_t *word = hpf__sample_store_costs(store, index, &n_costs);
    for (; n_costs; n_costs--) {
        hpf_cost cost;
        word = hpf__unpack(word, &cost);
        double amount = hpf_cost_amount(&cost);
        if (cost.name != HPF__REST) {
            uint32_t band = to->band_of_name[cost.name];
            if (band != HPF_NO_BAND) {
                column[(size_t)band * to->n_drawn] += amount;
            }
            continue;
        }
        for (uint32_t band = 0; band < rest->n_bands; band++) {
            column[(size_t)band * to->n_drawn] += amount * rest->of_band[band];
        }
    }
}

/* Copies the values that are cached and adds up the others. */
static void fill(const hpf__live_survey *s, hpf__series *to, const shares *rest,
                 const hpf__series_cache *cache, const uint32_t *rows)
{
    const hpf_drawn_sample *drawn = s->base.accumulator.overview.drawn;
    size_t first = 0, stored = 0;
    for (size_t i = 0; i < to->n_drawn;) {
        size_t n = cache ? cached_run(cache, drawn + i, to->n_drawn - i, &first) : 0;
        if (n) {
            copy_cached(cache, rows, first, n, to, i);
            i += n;
        } else {
            stored = hpf__sample_store_find(s->store, stored, &drawn[i]);
            assert(stored < s->store->n_samples);
            add_sample(s->store, stored, to, rest, to->values + i);
            i++;
        }
    }
}

static hpf_status find_series(hpf_survey *survey, hpf__series *to, hpf_error *err)
{
    hpf__live_survey *s = (hpf__live_survey *)survey;
    size_t n_bands = (size_t)to->n_bands + 1;
    shares rest = {.of_band = calloc(n_bands, sizeof *rest.of_band), .n_bands = to->n_bands};
    uint32_t *rows = malloc(n_bands * sizeof *rows);
    hpf_status status = rest.of_band && rows ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        find_shares(&rest, s, to->band_of_name);
        hpf__series_cache *cache = find_cache(s, to, &rest, rows);
        fill(s, to, &rest, cache, rows);
        update_cache(s, to, &rest, cache);
    }
    free(rest.of_band);
    free(rows);
    return status;
}

/* --- samples --- */

static bool unpack(hpf__live_survey *s, size_t index, hpf_name rest, hpf_sample *out)
{
    uint64_t n_costs;
    const uint64_t *word = hpf__sample_store_costs(s->store, index, &n_costs);
    if (!HPF__ARRAY_RESERVE(s->costs, s->costs_capacity, (size_t)n_costs)) {
        return false;
    }
    const hpf__stored_sample *stored = &s->store->samples[index];
    *out = (hpf_sample){.time = stored->time,
                        .costs = s->costs,
                        .begin_offset = stored->begin_offset,
                        .end_offset = stored->end_offset};
    for (; n_costs; n_costs--) {
        hpf_cost *cost = &s->costs[out->n_costs];
        word = hpf__unpack(word, cost);
        cost->name = cost->name == HPF__REST ? rest : cost->name;
        out->n_costs += cost->name != HPF__REST;
    }
    return true;
}

hpf_status hpf__live_survey_emit(hpf__live_survey *s, size_t begin, size_t end, hpf_name rest,
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

static hpf_status replay(hpf_survey *survey, const hpf_events *events, void *context,
                         hpf_error *err)
{
    hpf__live_survey *s = (hpf__live_survey *)survey;
    const hpf_overview *o = &survey->accumulator.overview;
    if (o->reduced || s->store->n_folds) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "a growing profile keeps only the samples that can be drawn, but this "
                             "needs all samples");
    }
    hpf_status status = hpf__survey_emit_marks(survey, events, context, err);
    if (status != HPF_OK || !events->sample) {
        return status;
    }
    size_t begin = hpf__sample_store_find(s->store, 0, &o->drawn[0]);
    return hpf__live_survey_emit(s, begin, begin + o->n_drawn, HPF__REST, events, context, err);
}

static bool emits_marks_first(const hpf_survey *survey)
{
    (void)survey;
    return true;
}

static hpf_status emit_between(hpf_survey *survey, const hpf_drawn_sample *first,
                               const hpf_drawn_sample *last, const hpf_events *events,
                               void *context, hpf_error *err)
{
    hpf__live_survey *s = (hpf__live_survey *)survey;
    size_t begin = hpf__sample_store_find(s->store, 0, first);
    size_t end = hpf__sample_store_find(s->store, begin, last) + 1;
    return hpf__live_survey_emit(s, begin, end, HPF__REST, events, context, err);
}

const hpf__second_pass hpf__live_second_pass = {.series = find_series,
                                                .replay = replay,
                                                .emits_marks_first = emits_marks_first,
                                                .between = emit_between};

void hpf__live_survey_finish(hpf__live_survey *s)
{
    hpf__accumulator_view_finish(&s->base.accumulator);
    for (int i = 0; i < HPF__N_SERIES_CACHES; i++) {
        free(s->caches[i].band_of_name);
        free(s->caches[i].values);
        free(s->caches[i].ends);
    }
    free(s->costs);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A chart of differences. Every row is split into a half above zero and a half below, and the
 * halves are stacked from the bottom up.
 *
 * The largest rows are next to zero, so that the calm ones carry the others; OTHER is outermost. If
 * the smaller half of a row is very thin, it is merged into OTHER.
 */
#include "hpfile/survey.h"
#include "hpfile/diff.h"
#include "base/arena.h"
#include "hprender/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/diff_series.h"
#include "layout/layout.h"
#include "style/fill.h"
#include "base/options.h"

#define LEAST_HALF 0.01 /* of the height of both stacks: thinner halves go to OTHER */

typedef struct half {
    double *values; /* thicknesses */
    double area, max;
} half;

typedef struct split {
    hpf_str name;
    uint32_t n_names;
    bool is_other;
    half halves[2]; /* below zero, above */
    hpr_fill fill;
} split;

typedef struct work {
    hpr__chart *chart;
    const hpr_options *options;
    hpr__diff_series series;
    split *splits; /* the chosen rows; the last one is OTHER */
    uint32_t n_splits;
} work;

static hpf_status split_values(work *w, split *to, const double *changes, hpf_error *err)
{
    size_t n = w->series.n_points;
    for (int k = 0; k < 2; k++) {
        half *h = &to->halves[k];
        h->values = hpf_arena_array(w->chart->arena, n, sizeof *h->values);
        if (!h->values) {
            return hpf_error_set_memory(err);
        }
        for (size_t i = 0; i < n; i++) {
            h->values[i] = fmax(k ? changes[i] : -changes[i], 0);
        }
    }
    return HPF_OK;
}

static void measure_half(const work *w, half *h)
{
    h->area = hpr__diff_area(w->series.positions, h->values, w->series.n_points);
    h->max = 0;
    for (size_t i = 0; i < w->series.n_points; i++) {
        h->max = fmax(h->max, h->values[i]);
    }
}

static hpf_status make_splits(work *w, hpf_error *err)
{
    const hpr__diff_series *s = &w->series;
    w->n_splits = s->n_rows + 1;
    w->splits = hpf_arena_array(w->chart->arena, w->n_splits, sizeof *w->splits);
    if (!w->splits) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = HPF_OK;
    for (uint32_t i = 0; i < w->n_splits && !status; i++) {
        bool is_other = i == s->n_rows;
        split *to = &w->splits[i];
        to->name = is_other ? HPF_STR("OTHER") : s->rows[i]->name;
        to->n_names = is_other ? s->rest_names : 1;
        to->is_other = is_other;
        status = split_values(w, to, is_other ? s->rest : s->changes[i], err);
    }
    return status;
}

/* Returns the height of both stacks together. */
static double height_of(const work *w)
{
    double high[2] = {0, 0};
    for (size_t point = 0; point < w->series.n_points; point++) {
        for (int k = 0; k < 2; k++) {
            double sum = 0;
            for (uint32_t i = 0; i < w->n_splits; i++) {
                sum += w->splits[i].halves[k].values[point];
            }
            high[k] = fmax(high[k], sum);
        }
    }
    return high[0] + high[1];
}

/* Merges thin halves into OTHER. Since OTHER is a difference of sums, it can be a rounding error
 * alone; then it gets no band. */
static void merge_thin_halves(work *w)
{
    double least = LEAST_HALF * height_of(w);
    split *other = &w->splits[w->n_splits - 1];
    for (uint32_t i = 0; i + 1 < w->n_splits; i++) {
        split *s = &w->splits[i];
        for (int k = 0; k < 2; k++) {
            half *h = &s->halves[k];
            measure_half(w, h);
            for (size_t point = 0; h->max < least && point < w->series.n_points; point++) {
                other->halves[k].values[point] += h->values[point];
                h->values[point] = 0;
            }
            measure_half(w, h);
        }
        other->n_names += s->halves[0].max == 0 && s->halves[1].max == 0;
    }
    for (int k = 0; k < 2; k++) {
        half *h = &other->halves[k];
        measure_half(w, h);
        h->max = h->max < least / 1000 ? 0 : h->max;
    }
}

/* Chooses one fill for both halves of a row. */
static hpf_status choose_fills(work *w, hpf_error *err)
{
    hpf_arena *arena = w->chart->arena;
    hpr__swatch *swatches = hpf_arena_array(arena, w->n_splits, sizeof *swatches);
    hpr_fill *fills = hpf_arena_array(arena, w->n_splits, sizeof *fills);
    if (!swatches || !fills) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < w->n_splits; i++) {
        const split *s = &w->splits[i];
        swatches[i] = (hpr__swatch){s->name, s->is_other, s->halves[0].area + s->halves[1].area,
                                    fmax(s->halves[0].max, s->halves[1].max), 0};
    }
    hpf_status status = hpr__fill_choose(fills, swatches, w->n_splits, w->options, arena, err);
    for (uint32_t i = 0; i < w->n_splits && !status; i++) {
        w->splits[i].fill = fills[i];
    }
    return status;
}

/* Adds the band of a half that is not empty. */
static hpf_status add_band(work *w, const split *s, int which, hpf_error *err)
{
    hpr_chart *public = &w->chart->public;
    const half *h = &s->halves[which];
    const half *other = &s->halves[!which];
    hpr_band *band = &w->chart->bands[public->n_bands];
    if (h->max == 0) {
        return HPF_OK;
    }
    bool is_smaller = h->area < other->area || (h->area == other->area && which == 0);
    *band = (hpr_band){
        .is_other = s->is_other,
        .is_named_elsewhere = is_smaller && other->max > 0,
        .n_names = s->n_names,
        .fill = s->fill,
        .values = h->values,
        .trapezium = h->area,
        .max = h->max,
    };
    for (size_t i = 0; i < public->n_points; i++) {
        band->sum += h->values[i];
    }
    public->n_bands++;
    hpf_status status = hpr__chart_bytes(w->chart, s->name, &band->name, err);
    return status ? status : hpr__chart_text(w->chart, s->name, &band->text, err);
}

/* Adds the bands bottom first: OTHER to the largest below zero, the largest to OTHER above. */
static hpf_status add_bands(work *w, hpf_error *err)
{
    hpf_status status = HPF_OK;
    w->chart->bands = hpf_arena_array(w->chart->arena, 2 * (size_t)w->n_splits, sizeof(hpr_band));
    if (!w->chart->bands) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = w->n_splits; i-- > 0 && !status;) {
        status = add_band(w, &w->splits[i], 0, err);
    }
    for (uint32_t i = 0; i < w->n_splits && !status; i++) {
        status = add_band(w, &w->splits[i], 1, err);
    }
    w->chart->public.bands = w->chart->bands;
    return status;
}

/* Stacks the bands. The base is the negative sum of the lower halves. */
static hpf_status stack(work *w, hpf_error *err)
{
    hpr_chart *public = &w->chart->public;
    size_t n = public->n_points;
    double *base = hpf_arena_array(w->chart->arena, n, sizeof *base);
    w->chart->upper = hpf_arena_array(w->chart->arena, public->n_bands, n * sizeof(double));
    if (!base || !w->chart->upper) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t k = 0; k < w->n_splits; k++) {
        const half *below = &w->splits[k].halves[0];
        for (size_t i = 0; below->max > 0 && i < n; i++) {
            base[i] -= below->values[i];
        }
    }
    public->base = base;
    const double *lower = base;
    for (uint32_t k = 0; k < public->n_bands; k++) {
        double *upper = w->chart->upper + k * n;
        for (size_t i = 0; i < n; i++) {
            upper[i] = lower[i] + w->chart->bands[k].values[i];
        }
        w->chart->bands[k].upper = upper;
        public->area += w->chart->bands[k].trapezium;
        lower = upper;
    }
    return HPF_OK;
}

static hpf_status copy_headers(work *w, hpf_survey *survey, hpf_error *err)
{
    hpf_str texts[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = w->options->title,
        [HPF_HEADER_DATE] = HPF_STR(""),
        [HPF_HEADER_SAMPLE_UNIT] = hpf_survey_header(survey, HPF_HEADER_SAMPLE_UNIT),
        [HPF_HEADER_VALUE_UNIT] = hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT),
    };
    hpf_status status = HPF_OK;
    for (int i = 0; i < HPF_N_HEADERS && !status; i++) {
        status = hpr__chart_bytes(w->chart, texts[i], &w->chart->public.headers[i], err);
    }
    return status;
}

static hpf_status fill_chart(work *w, const hpf_diff *diff, hpf_survey *const surveys[2],
                             hpr_measurer measurer, hpf_error *err)
{
    hpr_chart *public = &w->chart->public;
    int most = w->options->n_bands;
    uint32_t n_rows = most > 0 && most < HPR_DIFF_MOST_BANDS ? (uint32_t)most
                      : most < 0                             ? 0
                                                             : HPR_DIFF_MOST_BANDS;
    hpf_status status =
        hpr__diff_series_make(&w->series, w->chart->arena, diff, surveys, w->options->by_sample,
                              w->options->alignment, n_rows, err);
    status = status ? status : make_splits(w, err);
    if (status) {
        return status;
    }
    merge_thin_halves(w);
    public->look = HPR_LOOK_MODERN;
    public->n_points = w->series.n_points;
    public->times = w->series.positions;
    public->xs = w->series.positions;
    public->is_by_sample = w->options->by_sample;
    public->totals = w->series.totals;
    public->is_reduced = w->series.is_reduced;
    public->other_names = w->splits[w->n_splits - 1].n_names;
    status = choose_fills(w, err);
    status = status ? status : add_bands(w, err);
    status = status ? status : stack(w, err);
    for (size_t i = 0; i < public->n_points; i++) {
        if (i == 0 || fabs(public->totals[i]) > fabs(public->peak_total)) {
            public->peak_total = public->totals[i];
            public->peak_time = public->times[i];
        }
    }
    status = status ? status : copy_headers(w, surveys[0], err);
    return status ? status : hpr__modern_layout(w->chart, NULL, w->options, NULL, measurer, err);
}

hpf_status hpr_diff_chart_create(hpr_chart **out, const hpf_diff *diff,
                                 hpf_survey *const surveys[2], const hpr_options *options,
                                 hpr_measurer measurer, hpf_error *err)
{
    hpr_options own;
    work w = {.options = &own};
    *out = NULL;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    status = status ? status : hpr__chart_begin(&w.chart, err);
    if (status) {
        return status;
    }
    status = fill_chart(&w, diff, surveys, measurer, err);
    if (status) {
        hpr_chart_destroy(&w.chart->public);
        return status;
    }
    *out = &w.chart->public;
    return HPF_OK;
}

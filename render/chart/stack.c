/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fetches the bands of an assignment, cumulates and normalises them.
 */
#include "base/arena.h"
#include "chart/stack.h"

#include <math.h>

#include "chart/tooltip.h"

static hpf_status allocate(hpr__chart *chart, size_t n_points, uint32_t n_bands, double **times,
                           hpf_error *err)
{
    size_t row_bytes = n_points * sizeof(double);

    *times = hpf_arena_array(chart->arena, n_points, sizeof(double));
    chart->bands = hpf_arena_array(chart->arena, n_bands, sizeof *chart->bands);
    chart->values = hpf_arena_array(chart->arena, n_bands, row_bytes);
    chart->upper = hpf_arena_array(chart->arena, n_bands, row_bytes);
    chart->totals = hpf_arena_array(chart->arena, n_points, sizeof(double));
    if (!*times || !chart->bands || !chart->values || !chart->upper || !chart->totals) {
        return hpf_error_set_memory(err);
    }
    chart->public.times = *times;
    chart->public.xs = *times;
    chart->public.n_points = n_points;
    chart->public.bands = chart->bands;
    chart->public.n_bands = n_bands;
    chart->public.totals = chart->totals;
    return HPF_OK;
}

static hpf_status name_bands(hpr__chart *chart, hpf_survey *survey,
                             const hpr__assignment *assignment, hpf_error *err)
{
    for (uint32_t i = 0; i < assignment->n_bands; i++) {
        hpr_band *band = &chart->bands[i];
        bool is_other = assignment->names[i] == HPR__OTHER_BAND;
        hpf_str name = is_other            ? HPF_STR("OTHER")
                       : assignment->texts ? assignment->texts[i]
                                           : hpf_survey_name(survey, assignment->names[i]);

        if (hpr__chart_bytes(chart, name, &band->name, err) ||
            hpr__chart_text(chart, name, &band->text, err) ||
            (!is_other && !assignment->texts &&
             hpr__tooltip_part(chart, survey, assignment->names[i], band, err))) {
            return HPF_ERR_MEMORY;
        }
        band->is_other = is_other;
        band->values = chart->values + i * chart->public.n_points;
        band->upper = chart->upper + i * chart->public.n_points;
    }
    return HPF_OK;
}

/* Adds the totals of the names to their bands. The maximum of a band of several names is not in the
 * totals, and is taken from its points. */
static void sum_bands(hpr__chart *chart, hpf_survey *survey, const hpr__assignment *assignment)
{
    uint32_t n_names = hpf_survey_n_names(survey);

    for (hpf_name name = 0; name < n_names; name++) {
        if (assignment->band_of_name[name] != HPF_NO_BAND) {
            const hpf_totals *totals = hpf_survey_totals(survey, name);
            hpr_band *band = &chart->bands[assignment->band_of_name[name]];

            band->n_names++;
            band->sum += totals->sum;
            band->trapezium += totals->trapezium;
            band->max = totals->max;
        }
    }
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        hpr_band *band = &chart->bands[i];

        if (band->n_names != 1) {
            band->max = 0;
            for (size_t point = 0; point < chart->public.n_points; point++) {
                band->max = band->values[point] > band->max ? band->values[point] : band->max;
            }
        }
    }
}

/* Returns the area by the trapezium rule, each interval as a rectangle and a triangle: dt * low +
 * dt * (high - low) / 2, from left to right, so that rounding gives the same result as in hp2ps. */
static double trapezium_of(const double *times, const double *amounts, size_t n)
{
    double area = 0;

    for (size_t i = 1; i < n; i++) {
        double dt = times[i] - times[i - 1];
        double low = amounts[i - 1] < amounts[i] ? amounts[i - 1] : amounts[i];
        double high = amounts[i - 1] < amounts[i] ? amounts[i] : amounts[i - 1];

        area += dt * low + (dt * (high - low)) / 2;
    }
    return area;
}

static void find_peak(hpr_chart *chart)
{
    chart->peak_total = chart->n_points ? chart->totals[0] : 0;
    chart->peak_time = chart->n_points ? chart->times[0] : 0;
    for (size_t i = 1; i < chart->n_points; i++) {
        if (chart->totals[i] > chart->peak_total) {
            chart->peak_total = chart->totals[i];
            chart->peak_time = chart->times[i];
        }
    }
}

/* Stacks the bands, and sets `sums` to their sum. */
static void pile_up(hpr__chart *chart, double *sums)
{
    size_t n_points = chart->public.n_points;

    for (size_t i = 0; i < n_points; i++) {
        sums[i] = 0;
    }
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        double *upper = chart->upper + i * n_points;

        for (size_t point = 0; point < n_points; point++) {
            sums[point] += chart->bands[i].values[point];
            upper[point] = sums[point];
        }
        chart->bands[i].upper = upper;
    }
}

/* Stacks the bands, and computes the totals, the peak and the area. */
static void cumulate(hpr__chart *chart)
{
    hpr_chart *public = &chart->public;
    double trapezium = 0;

    pile_up(chart, chart->totals);
    for (uint32_t i = 0; i < public->n_bands; i++) {
        trapezium += chart->bands[i].trapezium;
    }
    public->area = public->is_reduced
                       ? trapezium
                       : trapezium_of(public->times, chart->totals, public->n_points);
    find_peak(public);
}

/* Turns the values of a band into percents of the totals, and updates its maximum. Empty points at
 * either end, which GHC always writes, take the values of their neighbours. */
static void normalise_band(const hpr__chart *chart, hpr_band *band, double *values)
{
    size_t n_points = chart->public.n_points;
    size_t first = n_points;
    size_t last = 0;

    band->max = 0;
    for (size_t point = 0; point < n_points; point++) {
        double total = chart->totals[point];

        values[point] = total > 0 ? values[point] / total * 100 : 0;
        band->max = fmax(band->max, values[point]);
        first = total > 0 && first == n_points ? point : first;
        last = total > 0 ? point : last;
    }
    for (size_t point = 0; point < first && first < n_points; point++) {
        values[point] = values[first];
    }
    for (size_t point = last + 1; point < n_points && first < n_points; point++) {
        values[point] = values[last];
    }
}

/* Spaces the points evenly: x becomes the number of the sample in the whole profile, from 1. */
static hpf_status count_samples(hpr__chart *chart, const hpf_survey *survey, hpf_error *err)
{
    const hpf_overview *overview = hpf_survey_overview(survey);
    double *xs = hpf_arena_array(chart->arena, chart->public.n_points, sizeof *xs);

    if (!xs) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < chart->public.n_points; i++) {
        xs[i] = (double)(overview->n_before + overview->drawn[i].sample_index + 1);
    }
    chart->public.is_by_sample = true;
    chart->public.xs = xs;
    return HPF_OK;
}

hpf_status hpr__stack_fetch(hpr__chart *chart, hpf_survey *survey,
                            const hpr__assignment *assignment, const hpr_options *options,
                            hpf_error *err)
{
    const hpf_overview *overview = hpf_survey_overview(survey);
    double *times;
    hpf_status status = allocate(chart, overview->n_drawn, assignment->n_bands, &times, err);

    status = status ? status : name_bands(chart, survey, assignment, err);
    if (!status) {
        status = hpf_survey_series(survey, assignment->band_of_name, assignment->n_bands,
                                   chart->values, err);
    }
    if (!status && options && options->by_sample) {
        status = count_samples(chart, survey, err);
    }
    if (status) {
        return status;
    }
    for (size_t i = 0; i < overview->n_drawn; i++) {
        times[i] = overview->drawn[i].time;
    }
    sum_bands(chart, survey, assignment);
    chart->public.is_reduced = overview->reduced;
    chart->public.other_names = assignment->other_names;
    chart->public.dropped_names = assignment->dropped_names;
    chart->public.is_lines = options && options->as_lines;
    cumulate(chart); /* before normalising: totals stay amounts */
    chart->public.is_normalised = options && options->normalise;
    for (uint32_t i = 0; i < assignment->n_bands && chart->public.is_normalised; i++) {
        normalise_band(chart, &chart->bands[i], chart->values + i * overview->n_drawn);
    }
    return HPF_OK;
}

hpf_status hpr__stack_pile_up(hpr__chart *chart, hpf_error *err)
{
    double *sums = hpf_arena_array(chart->arena, chart->public.n_points, sizeof *sums);

    if (!sums) {
        return hpf_error_set_memory(err);
    }
    pile_up(chart, sums);
    return HPF_OK;
}

/* Returns the corners of the steps through `n` numbers: each but the last twice. With `is_x`, they
 * are places: each but the first twice. */
static double *corners_of(hpf_arena *arena, const double *numbers, size_t n, bool is_x)
{
    double *corners = hpf_arena_array(arena, 2 * n, sizeof *corners);
    for (size_t i = 0; corners && i + 1 < 2 * n; i++) {
        corners[i] = numbers[(i + is_x) / 2];
    }
    return corners;
}

hpf_status hpr__stack_step(hpr__chart *chart, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    size_t n = public->n_points;
    if (n < 2) {
        return HPF_OK;
    }
    bool is_by_time = public->xs == public->times;
    public->times = corners_of(chart->arena, public->times, n, true);
    public->xs = is_by_time ? public->times : corners_of(chart->arena, public->xs, n, true);
    chart->totals = corners_of(chart->arena, public->totals, n, false);
    bool has_memory = public->times && public->xs && chart->totals;
    for (uint32_t i = 0; i < public->n_bands && has_memory; i++) {
        hpr_band *band = &chart->bands[i];
        band->values = corners_of(chart->arena, band->values, n, false);
        band->upper = corners_of(chart->arena, band->upper, n, false);
        has_memory = band->values && band->upper;
    }
    public->totals = chart->totals;
    public->n_points = 2 * n - 1;
    return has_memory ? HPF_OK : hpf_error_set_memory(err);
}

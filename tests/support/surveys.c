/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comparing what can be asked.
 */
#include "hpfile/survey.h"
#include "surveys.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"

static bool same_totals(const hpf_totals *a, const hpf_totals *b)
{
    return a->sum == b->sum && a->sum_wrapped == b->sum_wrapped && a->trapezium == b->trapezium &&
           a->sum_squares == b->sum_squares && a->sum_time == b->sum_time && a->max == b->max &&
           a->first_sample == b->first_sample && a->last_sample == b->last_sample &&
           a->n_samples == b->n_samples;
}

static const char *names_differ(hpf_survey *a, hpf_survey *b, bool has_excuse)
{
    uint32_t n_a = hpf_survey_n_names(a), n = hpf_survey_n_names(b);
    if (n_a < n || (n_a > n && !has_excuse)) {
        return "number of names";
    }
    for (uint32_t i = 0; i < n_a; i++) {
        if (i >= n) {
            if (hpf_survey_totals(a, i)->n_samples) {
                return "a name that only one has";
            }
        } else if (!hpf_str_equal(hpf_survey_name(a, i), hpf_survey_name(b, i))) {
            return "a name";
        } else if (!same_totals(hpf_survey_totals(a, i), hpf_survey_totals(b, i))) {
            return "a name's totals";
        } else if (!has_excuse && hpf_survey_leftover(a, i) != hpf_survey_leftover(b, i)) {
            return "a leftover";
        }
    }
    return NULL;
}

static const char *overviews_differ(const hpf_overview *a, const hpf_overview *b)
{
    if (a->n_samples != b->n_samples || a->n_before != b->n_before) {
        return "number of samples";
    }
    if (a->first_time != b->first_time || a->last_time != b->last_time ||
        a->sum_times != b->sum_times || a->sum_times_squared != b->sum_times_squared) {
        return "times";
    }
    if (a->peak_total != b->peak_total || a->peak_time != b->peak_time ||
        a->peak_sample != b->peak_sample) {
        return "peak";
    }
    return same_totals(&a->total, &b->total) ? NULL : "totals of all";
}

static const char *drawn_samples_differ(const hpf_overview *a, const hpf_overview *b)
{
    if (a->n_drawn != b->n_drawn || a->reduced != b->reduced) {
        return "number of drawn samples";
    }
    for (size_t i = 0; i < a->n_drawn; i++) {
        const hpf_drawn_sample *p = &a->drawn[i], *q = &b->drawn[i];
        if (p->time != q->time || p->total != q->total || p->sample_index != q->sample_index ||
            p->begin_offset != q->begin_offset || p->end_offset != q->end_offset) {
            return "a drawn sample";
        }
    }
    return NULL;
}

static const char *marks_differ(const hpf_overview *a, const hpf_overview *b)
{
    bool is_same = a->n_marks == b->n_marks;
    for (size_t i = 0; is_same && i < a->n_marks; i++) {
        is_same = a->marks[i].time == b->marks[i].time &&
                  hpf_str_equal(a->marks[i].label, b->marks[i].label);
    }
    return is_same ? NULL : "marks";
}

static const char *lines_differ(const hpf_overview *a, const hpf_overview *b)
{
    bool is_same = a->n_quantities == b->n_quantities;
    for (size_t i = 0; is_same && i < a->n_quantities; i++) {
        const hpf_quantity *p = &a->quantities[i], *q = &b->quantities[i];
        is_same = hpf_str_equal(p->name, q->name) && p->n_points == q->n_points &&
                  memcmp(p->points, q->points, p->n_points * sizeof *p->points) == 0;
    }
    return is_same ? NULL : "lines";
}

/* --- series --- */

static double *series_of(hpf_survey *survey, const uint32_t *bands, uint32_t n_bands)
{
    size_t n = n_bands * hpf_survey_overview(survey)->n_drawn;
    double *values = malloc((n + 1) * sizeof *values);
    if (!values) {
        abort();
    }
    if (hpf_survey_series(survey, bands, n_bands, values, NULL) != HPF_OK) {
        free(values);
        return NULL;
    }
    return values;
}

/* Of n_bands + 1 bands, by the number of the name, one does not count. */
static const char *series_differ(hpf_survey *a, hpf_survey *b, uint32_t n_bands)
{
    size_t n_names = hpf_survey_n_names(a);
    uint32_t *bands = malloc((n_names + 1) * sizeof *bands);
    if (!bands) {
        abort();
    }
    for (size_t i = 0; i < n_names; i++) {
        uint32_t band = (uint32_t)(i % (n_bands + 1));
        bands[i] = band < n_bands ? band : HPF_NO_BAND;
    }
    double *of_a = series_of(a, bands, n_bands), *of_b = series_of(b, bands, n_bands);
    size_t n_bytes = n_bands * hpf_survey_overview(a)->n_drawn * sizeof *of_a;
    bool is_same = of_a && of_b && memcmp(of_a, of_b, n_bytes) == 0;
    free(of_a);
    free(of_b);
    free(bands);
    return is_same ? NULL : "series";
}

/* What each name costs at the peak. */
static const char *moments_differ(hpf_survey *a, hpf_survey *b)
{
    size_t n_names = hpf_survey_n_names(a), n = hpf_survey_n_names(b);
    double *of_a = malloc((n_names + 1) * sizeof *of_a), *of_b = malloc((n + 1) * sizeof *of_b);
    if (!of_a || !of_b) {
        abort();
    }
    bool is_same = hpf_survey_drawn_amounts(a, hpf_survey_peak_index(a), of_a, NULL) == HPF_OK &&
                   hpf_survey_drawn_amounts(b, hpf_survey_peak_index(b), of_b, NULL) == HPF_OK &&
                   memcmp(of_a, of_b, n * sizeof *of_a) == 0;
    free(of_a);
    free(of_b);
    return is_same ? NULL : "amounts at the peak";
}

const char *surveys_differ(hpf_survey *a, hpf_survey *b, surveys_excuses excuses)
{
    const hpf_overview *p = hpf_survey_overview(a), *q = hpf_survey_overview(b);
    const char *what = names_differ(a, b, excuses.ends);
    what = what ? what : overviews_differ(p, q);
    what = what ? what : drawn_samples_differ(p, q);
    if (!excuses.ends) {
        what = what ? what : marks_differ(p, q);
        what = what ? what : lines_differ(p, q);
        what = what ? what : p->truncated != q->truncated ? "whether it is cut" : NULL;
    }
    static const uint32_t n_bands[] = {1, 5, 5, 20, 4};
    for (size_t i = 0; i < 5 && !what && !excuses.series; i++) {
        what = series_differ(a, b, n_bands[i]);
    }
    return what || excuses.series || excuses.moments ? what : moments_differ(a, b);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The laws, each as a comparison of two ways to the same numbers.
 */
#include "laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hpfile/survey.h"
#include "readings.h"

void law_cuts(hpf_str text, rng *chance)
{
    reading whole = read_text(text, SIZE_MAX, 0);
    reading bytes = rng_below(chance, 2) ? read_text(text, 1, 0)
                                         : read_text(text, 1 + (size_t)rng_below(chance, 64),
                                                     1 + rng_next(chance) / 2);
    fuzz_require(readings_equal(&whole, &bytes), "cutting the input changes what is read");
    reading_finish(&whole);
    reading_finish(&bytes);
}

/* Sums of one name over the model, to be compared with the survey's. */
static void check_totals(const hpf_model *model, const hpf_survey *survey)
{
    size_t n_names = hpf_model_n_names(model);
    hpf_totals *sums = calloc(n_names + 1, sizeof *sums);
    for (size_t i = 0; i < hpf_model_n_samples(model); i++) {
        hpf_sample sample = hpf_model_sample(model, i);
        for (size_t k = 0; k < sample.n_costs; k++) {
            hpf_totals *t = &sums[sample.costs[k].name];
            t->n_samples += t->n_samples == 0 || t->last_sample != i;
            t->last_sample = i;
            t->sum += hpf_cost_amount(&sample.costs[k]);
        }
    }
    for (uint32_t i = 0; i < n_names; i++) {
        const hpf_totals *t = hpf_survey_totals(survey, i);
        fuzz_require(t->n_samples == sums[i].n_samples, "a name's samples are miscounted");
        fuzz_require(fabs(t->sum - sums[i].sum) <= 1e-9 * sums[i].sum, "a name's sum is wrong");
        fuzz_require(isfinite(t->trapezium) && isfinite(t->sum_squares) &&
                         t->max <= t->sum * (1 + 1e-9),
                     "a name's totals make no sense");
    }
    free(sums);
}

/* All names in one band, or one band a name: at every drawn sample they make the total. */
static void check_series(hpf_survey *survey, bool one_band)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    uint32_t n_names = hpf_survey_n_names(survey);
    uint32_t n_bands = one_band ? 1 : n_names;
    uint32_t *bands = calloc((size_t)n_names + 1, sizeof *bands);
    double *values = malloc(((size_t)n_bands * o->n_drawn + 1) * sizeof *values);
    hpf_error err;
    for (uint32_t i = 0; i < n_names && !one_band; i++) {
        bands[i] = i;
    }
    fuzz_require(hpf_survey_series(survey, bands, n_bands, values, &err) == HPF_OK,
                 "the drawn samples cannot be read again");
    for (size_t i = 0; i < o->n_drawn; i++) {
        double sum = 0;
        for (uint32_t band = 0; band < n_bands; band++) {
            sum += values[band * o->n_drawn + i];
        }
        fuzz_require(fabs(sum - o->drawn[i].total) <= 1e-9 * sum, "bands do not make the total");
    }
    free(values);
    free(bands);
}

static void check_replay(hpf_survey *survey, const hpf_model *model)
{
    hpf_events samples = {.sample = event_text_events.sample};
    hpf_sink *a = hpf_sink_to_memory();
    hpf_sink *b = hpf_sink_to_memory();
    fuzz_require(hpf_survey_emit(survey, true, &samples, a, NULL) == HPF_OK, "no replay");
    fuzz_require(hpf_model_replay(model, &samples, b, NULL) == HPF_OK, "no replay of the model");
    hpf_str x = hpf_sink_bytes(a);
    hpf_str y = hpf_sink_bytes(b);
    fuzz_require(x.length == y.length && memcmp(x.data, y.data, x.length) == 0,
                 "a replay tells other samples");
    hpf_sink_destroy(a);
    hpf_sink_destroy(b);
}

const hpf_format *law_format(hpf_str text)
{
    bool is_log = text.length >= 4 && memcmp(text.data, "hdrb", 4) == 0;
    return is_log ? &hpf_format_eventlog : &hpf_format_hp;
}

void law_survey(hpf_source *source, const hpf_format *format, const hpf_model *model,
                size_t max_drawn, bool in_order)
{
    hpf_survey_options options = {.size = sizeof options, .max_drawn = max_drawn, .format = format};
    hpf_survey *survey = NULL;
    hpf_error err;
    hpf_status status = hpf_survey_create(&survey, source, &options, &err);
    bool is_refused = status == HPF_ERR_ORDER && !in_order; /* changes cannot be put in order */
    fuzz_require(is_refused || (status == HPF_OK) == (model != NULL),
                 "survey and model disagree on the input");
    if (survey) {
        fuzz_require(hpf_survey_overview(survey)->n_samples == hpf_model_n_samples(model),
                     "samples are miscounted");
        check_totals(model, survey);
        check_series(survey, true);
        check_series(survey, false);
        if (in_order) {
            check_replay(survey, model);
        }
    }
    hpf_survey_destroy(survey);
}

void law_survey_memory(hpf_str text, const hpf_model *model, size_t max_drawn, bool in_order)
{
    hpf_source *source = NULL;
    hpf_source_options keep = {.size = sizeof keep, .keep = true};
    fuzz_require(hpf_source_from_memory(&source, text, &keep, NULL) == HPF_OK, "no source");
    law_survey(source, law_format(text), model, max_drawn, in_order);
    hpf_source_destroy(source);
}

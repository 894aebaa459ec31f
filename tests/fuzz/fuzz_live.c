/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile that grows, looked at in between: it refuses what a survey refuses, and in the end it
 * is what a survey finds in the same bytes, to the last bit, unless it says that samples came too
 * late to be put in order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hpfile/live.h"
#include "laws.h"
#include "rng.h"
#include "surveys.h"

/* Few enough that profiles of a few hundred bytes are reduced and swept. */
#define FEW_DRAWN 16
#define FEW_BYTES 4000

/* All names in one band make the total at every drawn sample. */
static void check_survey(hpf_survey *survey)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    uint32_t *bands = calloc((size_t)hpf_survey_n_names(survey) + 1, sizeof *bands);
    double *values = malloc(o->n_drawn * sizeof *values);
    fuzz_require(bands && values, "no memory");
    fuzz_require(hpf_survey_series(survey, bands, 1, values, NULL) == HPF_OK, "no series");
    for (size_t i = 0; i < o->n_drawn; i++) {
        fuzz_require(fabs(values[i] - o->drawn[i].total) <= 1e-9 * values[i],
                     "a band of all names is not the total");
    }
    free(bands);
    free(values);
}

static void look(hpf_live *live, rng *chance)
{
    hpf_survey *survey = NULL;
    hpf_status status =
        rng_below(chance, 2)
            ? hpf_live_survey(&survey, live, NULL)
            : hpf_live_survey_last(&survey, live, (double)rng_below(chance, 100) / 8, NULL);
    fuzz_require(status == HPF_OK || status == HPF_MORE, "no survey");
    fuzz_require(status == HPF_MORE || hpf_live_n_samples(live) > 0, "a survey of nothing");
    if (status == HPF_OK) {
        check_survey(survey);
    }
}

static hpf_status feed(hpf_live *live, hpf_str text, rng *chance)
{
    size_t most = 1 + (size_t)rng_below(chance, 1 + text.length / 2);
    hpf_status status = HPF_OK;
    for (size_t at = 0; at < text.length && status == HPF_OK;) {
        size_t n = 1 + (size_t)rng_below(chance, most);
        n = n < text.length - at ? n : text.length - at;
        status = hpf_live_feed(live, text.data + at, n, NULL);
        at += n;
        if (rng_below(chance, 4) == 0) {
            look(live, chance);
        }
    }
    return status == HPF_OK ? hpf_live_finish(live, NULL) : status;
}

/* What a survey finds; NULL when it refuses, `*status` tells why. */
static hpf_survey *survey_text(hpf_source **source, hpf_str text, const hpf_live_options *like,
                               hpf_status *status)
{
    hpf_source_options keep = {.size = sizeof keep, .keep = true, .process = like->process};
    hpf_survey_options options = {.size = sizeof options,
                                  .max_drawn = like->max_drawn,
                                  .format = like->process ? NULL : law_format(text)};
    hpf_survey *survey = NULL;
    fuzz_require(hpf_source_from_memory(source, text, &keep, NULL) == HPF_OK, "no source");
    *status = hpf_survey_create(&survey, *source, &options, NULL);
    return survey;
}

static void compare(hpf_live *live, hpf_survey *expected, surveys_excuses excuses)
{
    hpf_survey *survey = NULL;
    fuzz_require(hpf_live_survey(&survey, live, NULL) == HPF_OK, "no last survey");
    excuses.series = excuses.series && hpf_survey_n_names(survey) > 512;
    const char *difference = surveys_differ(survey, expected, excuses);
    fuzz_require(!difference, difference);
}

/* What a source would inflate, a live profile gets inflated. */
static bool begins_packed(const uint8_t *data, size_t size)
{
    static const uint8_t magics[][2] = {{0x1F, 0x8B}, {0xFD, '7'}, {0x28, 0xB5}};
    bool is_packed = false;
    for (size_t i = 0; i < 3; i++) {
        is_packed |= size >= 2 && memcmp(data, magics[i], 2) == 0;
    }
    return is_packed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (begins_packed(data, size)) {
        return 0;
    }
    hpf_str text = {(const char *)data, size};
    rng chance = {fuzz_seed(data, size)};
    bool is_recording = hpf_str_begins(text, "CENSUS");
    bool is_tight = rng_below(&chance, 2);
    hpf_live_options options = {.size = sizeof options,
                                .max_drawn = rng_below(&chance, 2) ? FEW_DRAWN : 0,
                                .process = is_recording ? "1" : NULL,
                                .has_costs = rng_below(&chance, 2) == 0,
                                .most_bytes = is_tight ? FEW_BYTES : 0};
    hpf_live *live = NULL;
    hpf_source *source = NULL;
    hpf_status expected;
    hpf_survey *survey = survey_text(&source, text, &options, &expected);
    fuzz_require(hpf_live_create(&live, &options, NULL) == HPF_OK, "no live profile");
    hpf_status status = feed(live, text, &chance);
    /* A survey knows the processes that come later. A live profile sorts samples that are changes,
     * after it has added them up, and reads totals of stacks for costs. */
    bool is_log = hpf_str_begins(text, HPF_EVENTLOG_MAGIC);
    bool is_sorted = is_log && expected == HPF_ERR_ORDER && status == HPF_OK;
    bool reads_more = is_log && options.has_costs && expected == HPF_OK;
    fuzz_require(status == expected || is_sorted || reads_more || (is_recording && !survey),
                 "it takes what a survey refuses");
    bool is_read = survey && status == HPF_OK;
    if (is_read && hpf_live_diagnosis(live, NULL) != HPF_ERR_ORDER) {
        compare(live, survey, (surveys_excuses){.series = is_tight});
    }
    hpf_live_destroy(live);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return 0;
}

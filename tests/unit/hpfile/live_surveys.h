/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares a live profile with a survey of the same bytes.
 */
#ifndef CENSUS_TEST_LIVE_SURVEYS_H
#define CENSUS_TEST_LIVE_SURVEYS_H

#include "hpfile/live.h"
#include "surveys.h"

typedef struct oneshot {
    hpf_source *source;
    hpf_survey *survey;
} oneshot;

oneshot survey_text(hpf_str text, const hpf_survey_options *options);

/* Surveys a text with the options of a live profile. */
oneshot survey_alike(hpf_str text, const hpf_live_options *options);
void oneshot_finish(oneshot *all);

hpf_live *live_create(const hpf_live_options *options);

/* Returns the survey of a live profile, which has one. */
hpf_survey *look(hpf_live *live);

/* Returns the differences that are allowed. */
surveys_excuses excuses_for(const hpf_live_options *options, const hpf_survey *survey);

void expect_as_surveyed(hpf_live *live, hpf_str text, const hpf_live_options *options,
                        const char *what);

/* An `is_wanted` of options: half of the names. */
bool is_even(void *context, hpf_str job, hpf_str name);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles for tests, from text to survey in one line.
 */
#ifndef TEST_PROFILE_H
#define TEST_PROFILE_H

#include <criterion/criterion.h>
#include <string.h>

#include "hpfile/survey.h"

#define PROFILE_HEADERS                                                                            \
    "JOB \"demo\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

typedef struct test_profile {
    hpf_source *source;
    hpf_survey *survey;
} test_profile;

/* Surveys `text`, which must be a good profile; at most `max_drawn` points, 0 being the default. */
static inline test_profile test_profile_open(const char *text, size_t max_drawn)
{
    hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    hpf_survey_options options = {.size = sizeof options, .max_drawn = max_drawn};
    test_profile profile = {NULL, NULL};
    hpf_error err = {.status = HPF_OK};
    hpf_str bytes = {text, strlen(text)};
    hpf_status status = hpf_source_from_memory(&profile.source, bytes, &keeping, &err);

    cr_assert_eq(status, HPF_OK, "%s", err.message);
    status = hpf_survey_create(&profile.survey, profile.source, &options, &err);
    cr_assert_eq(status, HPF_OK, "%u:%u: %s", err.line, err.column, err.message);
    return profile;
}

static inline void test_profile_close(test_profile *profile)
{
    hpf_survey_destroy(profile->survey);
    hpf_source_destroy(profile->source);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_surveys.h"

#include <criterion/criterion.h>

oneshot survey_text(hpf_str text, const hpf_survey_options *options)
{
    oneshot all = {NULL, NULL};
    hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    hpf_error err = {0};
    cr_assert_eq(hpf_source_from_memory(&all.source, text, &keeping, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&all.survey, all.source, options, &err), HPF_OK, "%s",
                 err.message);
    return all;
}

void oneshot_finish(oneshot *all)
{
    hpf_survey_destroy(all->survey);
    hpf_source_destroy(all->source);
}

hpf_live *live_create(const hpf_live_options *options)
{
    hpf_live *live = NULL;
    cr_assert_eq(hpf_live_create(&live, options, NULL), HPF_OK);
    return live;
}

hpf_survey *look(hpf_live *live)
{
    hpf_survey *survey = NULL;
    cr_assert_eq(hpf_live_survey(&survey, live, NULL), HPF_OK);
    return survey;
}

oneshot survey_alike(hpf_str text, const hpf_live_options *options)
{
    hpf_survey_options same = {.size = sizeof same,
                               .max_drawn = options->max_drawn,
                               .is_wanted = options->is_wanted,
                               .is_wanted_context = options->is_wanted_context};
    return survey_text(text, &same);
}

/* Costs of unwanted names are not kept; names beyond the 512 largest may be folded. */
surveys_excuses excuses_for(const hpf_live_options *options, const hpf_survey *survey)
{
    bool may_fold = options->most_bytes && hpf_survey_n_names(survey) > 512;
    return (surveys_excuses){.series = may_fold, .moments = options->is_wanted};
}

void expect_as_surveyed(hpf_live *live, hpf_str text, const hpf_live_options *options,
                        const char *what)
{
    oneshot all = survey_alike(text, options);
    hpf_survey *survey = look(live);
    const char *difference = surveys_differ(survey, all.survey, excuses_for(options, survey));
    cr_assert_null(difference, "%s: %s", what, difference);
    oneshot_finish(&all);
}

bool is_even(void *context, hpf_str job, hpf_str name)
{
    (void)context;
    (void)job;
    return name.length % 2 == 0;
}

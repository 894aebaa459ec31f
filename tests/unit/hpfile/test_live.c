/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A live profile against surveys of the same bytes: however these are cut, whenever it is looked
 * at.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/live.h"
#include "hpfile/str.h"
#include "readings.h"
#include "rng.h"
#include "scratch.h"
#include "surveys.h"

#define HEAD "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"

TestSuite(live, .timeout = 300);

/* --- both ways --- */

typedef struct oneshot {
    hpf_source *source;
    hpf_survey *survey;
} oneshot;

static oneshot survey_text(hpf_str text, const hpf_survey_options *options)
{
    oneshot all = {NULL, NULL};
    hpf_source_options keeping = {.keep = true};
    hpf_error err = {0};
    cr_assert_eq(hpf_source_from_memory(&all.source, text, &keeping, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&all.survey, all.source, options, &err), HPF_OK, "%s",
                 err.message);
    return all;
}

static void oneshot_finish(oneshot *all)
{
    hpf_survey_destroy(all->survey);
    hpf_source_destroy(all->source);
}

static hpf_live *live_create(const hpf_live_options *options)
{
    hpf_live *live = NULL;
    cr_assert_eq(hpf_live_create(&live, options, NULL), HPF_OK);
    return live;
}

static hpf_survey *look(hpf_live *live)
{
    hpf_survey *survey = NULL;
    cr_assert_eq(hpf_live_snapshot(&survey, live, NULL), HPF_OK);
    return survey;
}

static oneshot survey_alike(hpf_str text, const hpf_live_options *options)
{
    hpf_survey_options same = {.max_picks = options->max_picks,
                               .is_wanted = options->is_wanted,
                               .is_wanted_context = options->is_wanted_context};
    return survey_text(text, &same);
}

/* Costs of unwanted names are not kept; names beyond the 512 largest may be folded. */
static surveys_excuses excuses_for(const hpf_live_options *options, const hpf_survey *survey)
{
    bool may_fold = options->most_bytes && hpf_survey_n_names(survey) > 512;
    return (surveys_excuses){.series = may_fold, .moments = options->is_wanted};
}

/* The survey of a live profile is that of the input up to the end of its last sample. */
static void expect_as_if_ended(hpf_live *live, hpf_str text, const hpf_live_options *options,
                               const char *what)
{
    hpf_survey *survey = NULL;
    if (hpf_live_snapshot(&survey, live, NULL) == HPF_MORE) {
        return;
    }
    cr_assert_not_null(survey, "%s: no survey", what);
    const hpf_overview *o = hpf_survey_overview(survey);
    hpf_str so_far = {text.data, o->picks[o->n_picks - 1].end_offset};
    oneshot until = survey_alike(so_far, options);
    surveys_excuses excuses = excuses_for(options, survey);
    excuses.ends = true;
    const char *difference = surveys_differ(survey, until.survey, excuses);
    cr_assert_null(difference, "%s: %s, after %llu samples", what, difference,
                   (unsigned long long)o->n_samples);
    cr_assert_eq(o->n_samples, hpf_live_n_samples(live));
    oneshot_finish(&until);
}

static void expect_as_surveyed(hpf_live *live, hpf_str text, const hpf_live_options *options,
                               const char *what)
{
    oneshot all = survey_alike(text, options);
    hpf_survey *survey = look(live);
    const char *difference = surveys_differ(survey, all.survey, excuses_for(options, survey));
    cr_assert_null(difference, "%s: %s", what, difference);
    oneshot_finish(&all);
}

/* Feeds a text in pieces of at most so many bytes, looks at it about `n_looks` times, and in the
 * end compares everything. */
static void compare(hpf_str text, const hpf_live_options *options, size_t most_bytes,
                    unsigned n_looks, const char *what)
{
    rng chance = {text.length + most_bytes};
    hpf_live *live = live_create(options);
    hpf_error err = {0};
    for (size_t at = 0; at < text.length;) {
        size_t n = 1 + (size_t)rng_below(&chance, most_bytes);
        n = n < text.length - at ? n : text.length - at;
        cr_assert_eq(hpf_live_feed(live, text.data + at, n, &err), HPF_OK, "%s: %s", what,
                     err.message);
        at += n;
        if (rng_below(&chance, text.length) < n * n_looks) {
            expect_as_if_ended(live, text, options, what);
        }
    }
    cr_assert_eq(hpf_live_finish(live, &err), HPF_OK, "%s: %s", what, err.message);
    cr_assert_eq(hpf_live_n_bytes(live), text.length);
    expect_as_surveyed(live, text, options, what);
    hpf_live_destroy(live);
}

static bool is_even(void *context, hpf_str name)
{
    (void)context;
    return name.length % 2 == 0;
}

/* --- real profiles --- */

static void compare_ways(hpf_str text, const char *name)
{
    static const hpf_live_options plain = {0}, few = {.max_picks = 16},
                                  tight = {.max_picks = 32, .most_bytes = 20000},
                                  sifted = {.max_picks = 100, .is_wanted = is_even};
    compare(text, &plain, 1, 2, name);
    compare(text, &plain, 5000, 20, name);
    compare(text, &few, 2000, 20, name);
    compare(text, &few, text.length, 5, name);
    compare(text, &tight, 3000, 20, name);
    compare(text, &sifted, 3000, 5, name);
}

static unsigned compare_folder(const char *folder)
{
    unsigned n_profiles = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".hp") != 0) {
            continue;
        }
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        hpf_str text;
        char *bytes = read_file(path, &text.length);
        cr_assert_not_null(bytes);
        text.data = bytes;
        compare_ways(text, entry->d_name);
        free(bytes);
        n_profiles++;
    }
    if (dir) {
        closedir(dir);
    }
    return n_profiles;
}

Test(live, is_what_a_survey_finds_in_real_profiles)
{
    cr_assert_gt(compare_folder(CENSUS_SOURCE_DIR "/tests/data/hp"), 50);
    cr_assert_gt(compare_folder(CENSUS_SOURCE_DIR "/samples/hp"), 0);
}

Test(live, is_what_a_survey_finds_in_published_profiles)
{
    if (compare_folder(CENSUS_SHARED_DIR "/corpus/hp") == 0) {
        cr_skip_test("published profiles are not here");
    }
}

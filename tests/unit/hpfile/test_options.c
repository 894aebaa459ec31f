/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Structs of options begin with their size: programs built with older headers have shorter ones.
 */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "hpfile/live.h"
#include "hpfile/stack_view.h"
#include "hpfile/str.h"
#include "hpfile/sum.h"
#include "hpfile/survey.h"
#include "hpfile/writer.h"

static const char profile[] = "JOB \"p\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\n"
                              "VALUE_UNIT \"bytes\"\nBEGIN_SAMPLE 0\nEND_SAMPLE 0\n"
                              "BEGIN_SAMPLE 1\nf\t10\nEND_SAMPLE 1\n";

static hpf_source *open_profile(void)
{
    hpf_source_options options = {.size = sizeof options, .keep = true};
    hpf_source *source = NULL;
    hpf_str text = {profile, sizeof profile - 1};
    cr_assert_eq(hpf_source_from_memory(&source, text, &options, NULL), HPF_OK);
    return source;
}

/* Returns the first `size` bytes of a struct of options, in a block with no byte more. */
static void *shorten(const void *options, size_t size)
{
    void *older = malloc(size);
    memcpy(older, options, size);
    memcpy(older, &size, sizeof size);
    return older;
}

Test(options, later_members_of_an_older_struct_are_zero)
{
    hpf_survey_options newer = {.size = sizeof newer,
                                .has_window = true,
                                .from_time = 0.5,
                                .to_time = 2,
                                .progress = (void (*)(void *, uint64_t, uint64_t))abort};
    hpf_survey_options *older = shorten(&newer, offsetof(hpf_survey_options, is_wanted));
    hpf_source *source = open_profile();
    hpf_survey *survey = NULL;
    cr_assert_eq(hpf_survey_create(&survey, source, older, NULL), HPF_OK);
    cr_expect_eq(hpf_survey_overview(survey)->n_samples, 1);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    free(older);
}

/* Calls every function that takes options, with those at `options`. */
static void expect_refused(const void *options, const char *message)
{
    static const hpf_events none;
    hpf_error err = {0};
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpf_live *live = NULL;
    hpf_writer *writer = NULL;
    hpf_stack_view *view = NULL;
    hpf_sum *sum = NULL;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_source *in = open_profile();
    cr_expect_eq(hpf_source_open(&source, "/dev/null", options, &err), HPF_ERR_ARGUMENT);
    cr_expect_eq(hpf_source_from_memory(&source, HPF_STR(""), options, &err), HPF_ERR_ARGUMENT);
    cr_expect_eq(hpf_survey_create(&survey, in, options, &err), HPF_ERR_ARGUMENT);
    cr_expect_eq(hpf_format_read(hpf_format_find("hp"), in, &none, NULL, options, &err),
                 HPF_ERR_ARGUMENT);
    cr_expect_eq(hpf_live_create(&live, options, &err), HPF_ERR_ARGUMENT);
    cr_expect_eq(hpf_writer_create(&writer, hpf_format_find("csv"), sink, options, &err),
                 HPF_ERR_ARGUMENT);
    cr_expect_eq(hpf_stack_view_create(&view, options, &err), HPF_ERR_ARGUMENT);
    cr_expect_eq(hpf_sum_create(&sum, 1, options, &err), HPF_ERR_ARGUMENT);
    cr_expect_eq(strncmp(err.message, message, strlen(message)), 0, "%s", err.message);
    cr_expect_not(source || survey || live || writer || view);
    hpf_sum_destroy(sum);
    hpf_source_destroy(in);
    hpf_sink_destroy(sink);
}

Test(options, a_size_that_is_not_set_or_too_large_is_an_error)
{
    static const size_t not_set[64], too_large[64] = {sizeof too_large};
    expect_refused(not_set, "options of 0 bytes, expected at most ");
    expect_refused(too_large, "options of 512 bytes, expected at most ");
}

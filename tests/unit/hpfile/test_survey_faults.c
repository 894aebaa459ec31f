/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every allocation fails in turn, alone or with all that follow it. The result is an error, or the
 * numbers that it would have been.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "failing_alloc.h"
#include "hpfile/live.h"
#include "hpfile/str.h"
#include "hpfile/sink.h"
#include "log_build.h"
#include "profile.h"
#include "hpfile/match.h"

enum { N_NAMES = 20, N_SAMPLES = 60, MAX_DRAWN = 16 };

/* Names that come one after another, marks, and samples more than there are drawn samples. */
static hpf_sink *profile_text(void)
{
    hpf_sink *text = hpf_sink_to_memory();
    hpf_sink_text(text, PROFILE_HEADERS);
    for (int i = 0; i < N_SAMPLES; i++) {
        hpf_sink_printf(text, "MARK %d.5\nBEGIN_SAMPLE %d\n", i, i + 1);
        for (int k = 0; k <= i && k < N_NAMES; k++) {
            hpf_sink_printf(text, "(%d)name/%d\t%d\n", k, k, (i * 7919 + k * 31) % 997);
        }
        hpf_sink_printf(text, "END_SAMPLE %d\n", i + 1);
    }
    return text;
}

/* A log with labels, stacks and marks. */
static hpf_sink *log_text(void)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_put_example(log);
    return log;
}

/* Adds up what a survey says: a number that depends on the places of all amounts. */
static hpf_status add_up(double *sum, hpf_survey *survey, hpf_error *err)
{
    static double series[N_NAMES * MAX_DRAWN], amounts[N_NAMES];
    static uint32_t band_of_name[N_NAMES];
    const hpf_overview *overview = hpf_survey_overview(survey);
    uint32_t n = hpf_survey_n_names(survey);
    for (uint32_t i = 0; i < n; i++) {
        band_of_name[i] = i;
        *sum += hpf_survey_totals(survey, i)->sum * (i + 1) + hpf_survey_name(survey, i).length;
    }
    *sum += (double)(overview->n_samples + overview->n_drawn + overview->n_marks);
    hpf_status status = hpf_survey_series(survey, band_of_name, n, series, err);
    for (size_t i = 0; status == HPF_OK && i < n * overview->n_drawn; i++) {
        *sum += series[i] * (double)(i % 101 + 1);
    }
    status = status == HPF_OK ? hpf_survey_amounts_at(survey, 17, amounts, NULL, err) : status;
    for (uint32_t i = 0; status == HPF_OK && i < n; i++) {
        *sum += amounts[i] * (i + 1);
    }
    return status;
}

/* Looks at a live profile half way and at its end, at all of it and at a window. */
static hpf_status add_up_live(double *sum, hpf_str text, hpf_error *err)
{
    static const hpf_live_options options = {
        .size = sizeof options, .max_drawn = MAX_DRAWN, .most_bytes = 1 << 14};
    hpf_live *live = NULL;
    hpf_status status = hpf_live_create(&live, &options, err);
    for (size_t at = 0; status == HPF_OK && at < 2; at++) {
        size_t half = text.length / 2;
        hpf_survey *survey = NULL;
        status = hpf_live_feed(live, text.data + at * half, at ? text.length - half : half, err);
        if (status == HPF_OK && at == 1) {
            status = hpf_live_finish(live, err);
        }
        status = status == HPF_OK ? hpf_live_survey(&survey, live, err) : status;
        if (status == HPF_MORE && at == 0) { /* no sample yet */
            status = HPF_OK;
            continue;
        }
        status = status == HPF_OK ? add_up(sum, survey, err) : status;
        status = status == HPF_OK ? hpf_live_survey_last(&survey, live, 9, err) : status;
        status = status == HPF_OK ? add_up(sum, survey, err) : status;
    }
    hpf_live_destroy(live);
    return status;
}

static hpf_status add_up_match(double *sum, hpf_survey *survey, hpf_error *err)
{
    hpf_survey *const twice[] = {survey, survey};
    hpf_match *match = NULL;
    hpf_status status = hpf_match_create(&match, twice, 2, true, err);
    for (uint32_t i = 0; status == HPF_OK && i < hpf_survey_n_names(survey); i++) {
        *sum += hpf_match_row(match, 1, i) * (i + 1.0);
    }
    hpf_match_destroy(match);
    return status;
}

static hpf_status work(double *sum, hpf_str text, hpf_error *err)
{
    hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    hpf_survey_options options = {.size = sizeof options, .max_drawn = MAX_DRAWN};
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    *sum = 0;
    hpf_status status = hpf_source_from_memory(&source, text, &keeping, err);
    status = status == HPF_OK ? hpf_survey_create(&survey, source, &options, err) : status;
    status = status == HPF_OK ? add_up(sum, survey, err) : status;
    status = status == HPF_OK ? add_up_match(sum, survey, err) : status;
    status = status == HPF_OK ? add_up_live(sum, text, err) : status;
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return status;
}

static void fail_each(hpf_sink *text, bool all_after)
{
    double expected, sum;
    hpf_error err = {0};
    unsigned n_errors = 0;
    cr_assert_eq(work(&expected, hpf_sink_bytes(text), &err), HPF_OK, "%s", err.message);
    bool has_failed = true;
    for (unsigned long nth = 1; has_failed; nth++) {
        failing_alloc_arm(nth, all_after);
        hpf_status status = work(&sum, hpf_sink_bytes(text), &err);
        has_failed = failing_alloc_disarm();
        if (status == HPF_OK) {
            cr_assert_eq(sum, expected, "allocation %lu", nth);
        } else {
            cr_assert_eq(status, HPF_ERR_MEMORY, "allocation %lu: %s", nth, err.message);
            cr_assert_str_eq(err.message, "out of memory");
            n_errors++;
        }
    }
    cr_assert_gt(n_errors, 50);
    hpf_sink_destroy(text);
}

Test(survey_faults, one_allocation_fails)
{
    fail_each(profile_text(), false);
    fail_each(log_text(), false);
}

Test(survey_faults, all_allocations_fail_from_one_on)
{
    fail_each(profile_text(), true);
    fail_each(log_text(), true);
}

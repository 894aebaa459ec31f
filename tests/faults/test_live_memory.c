/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every allocation of a live profile fails in turn, alone and with all behind it: the answer is
 * HPF_ERR_MEMORY, or the right one. When a survey fails, the profile goes on. Leaks are for the
 * sanitizer to find.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sink.h"
#include "failing_alloc.h"
#include "hpfile/live.h"
#include "log_build.h"

enum { N_SAMPLES = 90, N_NAMES = 30, N_LOGGED = 40 };

static hpf_sink *profile, *event_log;

static void put_profile(hpf_sink *to)
{
    hpf_sink_text(to, "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n");
    for (int i = 0; i < N_SAMPLES; i++) {
        hpf_sink_printf(to, "BEGIN_SAMPLE %d.5\nMARK %d.0\n", i, i);
        for (int k = 0; k < N_NAMES; k++) {
            hpf_sink_printf(to, "name%d\t%d%s\n", i / 4 + k, (i * k) % 50, k % 7 ? "" : ".5");
        }
        hpf_sink_printf(to, "END_SAMPLE %d.5\n", i);
    }
}

static void put_log(hpf_sink *log)
{
    log_begin(log, 0);
    log_declare(log, 1001, 0xffff, "totals");
    log_end_header(log);
    log_put(log, 160, 2, "184sssssss", 0ull, 10ull, 1ull, "", "", "", "", "", "", "");
    log_put(log, 161, 2, "4sss1", 1ull, "f", "M", "M.hs:1", 0ull);
    for (unsigned i = 0; i < N_LOGGED; i++) {
        log_put(log, 162, 1000ull + (i ^ 1), "8", 0ull); /* every other one is late */
        log_put(log, 164, 1000ull + i, "18s", 0ull, 8ull + i, "ARR_WORDS");
        log_put(log, 165, 1000ull + i, "8", 0ull);
        log_put(log, 58, 1000ull - i, "t", "marked");
        log_put(log, 167, 1000ull + i, "48144", 0ull, 1ull, 2ull, 1ull, i + 1ull);
        log_put(log, 1001, 1000ull + i, "2188814", 30ull, 0ull, 90ull, 5ull, 1ull, 1ull, i + 1ull);
    }
    log_end(log);
}

static void set_up(void)
{
    put_profile(profile = hpf_sink_to_memory());
    put_log(event_log = hpf_sink_to_memory());
}

static void tear_down(void)
{
    hpf_sink_destroy(profile);
    hpf_sink_destroy(event_log);
}

TestSuite(live_memory, .init = set_up, .fini = tear_down, .timeout = 300);

/* Each survey shows the sum that its samples have, at every drawn sample. */
static hpf_status check(hpf_survey *survey, hpf_error *err)
{
    static uint32_t bands[200];
    static double values[N_SAMPLES];
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_assert_leq(o->n_drawn, N_SAMPLES);
    hpf_status status = hpf_survey_series(survey, bands, 1, values, err);
    for (size_t i = 0; i < o->n_drawn && status == HPF_OK; i++) {
        cr_assert_eq(values[i], o->drawn[i].total);
    }
    return status;
}

static hpf_status look(hpf_live *live, hpf_error *err)
{
    hpf_survey *survey = NULL;
    hpf_status status = hpf_live_survey(&survey, live, err);
    if (status == HPF_OK) {
        status = check(survey, err);
    }
    if (status == HPF_OK) {
        status = hpf_live_survey_last(&survey, live, 9.5, err);
    }
    if (status == HPF_OK) {
        status = check(survey, err);
    }
    cr_assert(status == HPF_ERR_MEMORY || hpf_live_n_samples(live) == 0 || status == HPF_OK);
    return status == HPF_MORE ? HPF_OK : status;
}

static hpf_status watch_input(hpf_live *live, hpf_str text, hpf_error *err)
{
    static const char beside[] =
        "time\twhat\tvalue\n1\tresident\t10\n1\tmark\tone\n70\tmark\tlast\n";
    hpf_status status = hpf_live_feed_sidecar(live, beside, sizeof beside - 1, err);
    for (size_t at = 0; at < text.length && status == HPF_OK; at += 997) {
        size_t n = text.length - at < 997 ? text.length - at : 997;
        status = hpf_live_feed(live, text.data + at, n, err);
        if (status == HPF_OK) {
            status = look(live, err);
        }
    }
    return status == HPF_OK ? hpf_live_finish(live, err) : status;
}

static hpf_status watch(hpf_str text, const hpf_live_options *options, hpf_error *err)
{
    hpf_live *live = NULL;
    hpf_status status = hpf_live_create(&live, options, err);
    if (status == HPF_OK) {
        status = watch_input(live, text, err);
    }
    if (status == HPF_OK) {
        status = look(live, err);
    }
    hpf_live_destroy(live);
    return status;
}

static void fail_each(hpf_str text, const hpf_live_options *options, bool all_after)
{
    unsigned long nth = 0;
    bool has_failed = true;
    while (has_failed) {
        hpf_error err = {0};
        failing_alloc_arm(++nth, all_after);
        hpf_status status = watch(text, options, &err);
        has_failed = failing_alloc_disarm();
        cr_assert(status == HPF_OK || status == HPF_ERR_MEMORY, "allocation %lu: %s", nth,
                  err.message);
        cr_assert(status == HPF_OK || err.status == HPF_ERR_MEMORY, "allocation %lu", nth);
    }
    cr_assert_gt(nth, 50, "little was allocated");
}

static void fail_all_ways(hpf_sink *input, const hpf_live_options *options)
{
    fail_each(hpf_sink_bytes(input), options, false);
    fail_each(hpf_sink_bytes(input), options, true);
}

Test(live_memory, watching)
{
    fail_all_ways(profile, NULL);
}

Test(live_memory, watching_and_compacting)
{
    fail_all_ways(
        profile,
        &(hpf_live_options){.size = sizeof(hpf_live_options), .max_drawn = 16, .most_bytes = 6000});
}

Test(live_memory, watching_a_log)
{
    fail_all_ways(event_log, NULL);
}

Test(live_memory, watching_costs_of_a_log)
{
    fail_all_ways(event_log,
                  &(hpf_live_options){.size = sizeof(hpf_live_options), .has_costs = true});
}

/* A survey that had no memory changes nothing. */
static void expect_later(hpf_sink *input, uint64_t n_samples)
{
    hpf_str text = hpf_sink_bytes(input);
    bool has_failed = true;
    for (unsigned long nth = 1; has_failed; nth++) {
        hpf_live *live = NULL;
        hpf_survey *survey = NULL;
        cr_assert_eq(
            hpf_live_create(&live,
                            &(hpf_live_options){.size = sizeof(hpf_live_options), .max_drawn = 64},
                            NULL),
            HPF_OK);
        cr_assert_eq(hpf_live_feed(live, text.data, text.length / 2, NULL), HPF_OK);
        cr_assert_eq(look(live, NULL), HPF_OK);
        cr_assert_eq(
            hpf_live_feed(live, text.data + text.length / 2, text.length - text.length / 2, NULL),
            HPF_OK);
        failing_alloc_arm(nth, false);
        hpf_status status = hpf_live_survey(&survey, live, NULL);
        has_failed = failing_alloc_disarm();
        cr_assert_eq(status, has_failed ? HPF_ERR_MEMORY : HPF_OK);
        cr_assert_eq(hpf_live_survey(&survey, live, NULL), HPF_OK);
        cr_assert_eq(hpf_survey_overview(survey)->n_samples, n_samples);
        cr_assert_eq(look(live, NULL), HPF_OK);
        hpf_live_destroy(live);
    }
}

Test(live_memory, a_survey_that_failed_can_be_taken_later)
{
    expect_later(profile, N_SAMPLES);
    expect_later(event_log, N_LOGGED);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A survey read in parts finds what one read in one go finds, wherever the cuts fall.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "hpfile/survey.h"

typedef struct profile {
    const char *job;
    unsigned seed;
    int n_samples, n_names;
    const char *tail;
    int break_at; /* sample in front of which `broken` stands */
    const char *broken;
    bool has_window;
    double from_time, to_time;
    bool only_even; /* names that end in an even digit */
} profile;

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void write_profile(hpf_sink *sink, const profile *p)
{
    unsigned state = p->seed;
    hpf_sink_printf(sink, "JOB \"%s\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n",
                    p->job);
    double time = 0;
    for (int i = 0; i < p->n_samples; i++) {
        time += (double)(next_random(&state) % 100) / 64;
        if (i == p->break_at && p->broken) {
            hpf_sink_text(sink, p->broken);
        }
        hpf_sink_printf(sink, "BEGIN_SAMPLE %f\n", time);
        for (int k = 0; k < p->n_names; k++) {
            if (next_random(&state) % 4) {
                unsigned name = (unsigned)k + (unsigned)i / 50;
                hpf_sink_printf(sink, "name%u\t%u\n", name, next_random(&state) % 1000);
            }
        }
        hpf_sink_printf(sink, "END_SAMPLE %f\n", time);
    }
    hpf_sink_text(sink, p->tail ? p->tail : "");
}

typedef struct surveyed {
    hpf_source *source;
    hpf_survey *survey;
    hpf_status status;
    hpf_error err;
} surveyed;

static bool ends_even(void *context, hpf_str name)
{
    (void)context;
    return name.length > 0 && name.data[name.length - 1] % 2 == 0;
}

static surveyed survey(const profile *p, const char *path, uint64_t parts_least_bytes,
                       size_t max_picks)
{
    surveyed s = {0};
    hpf_source_options keep = {.keep = true};
    hpf_survey_options options = {.max_picks = max_picks,
                                  .parts_least_bytes = parts_least_bytes,
                                  .has_window = p->has_window,
                                  .from_time = p->from_time,
                                  .to_time = p->to_time,
                                  .is_wanted = p->only_even ? ends_even : NULL};
    cr_assert_eq(hpf_source_open(&s.source, path, &keep, &s.err), HPF_OK);
    s.status = hpf_survey_create(&s.survey, s.source, &options, &s.err);
    return s;
}

static void finish(surveyed *s)
{
    hpf_survey_destroy(s->survey);
    hpf_source_destroy(s->source);
}

static void assert_near(double a, double b, const char *what)
{
    cr_assert(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)), "%s: %.17g and %.17g", what, a, b);
}

static void assert_same_totals(const hpf_totals *a, const hpf_totals *b)
{
    cr_assert_eq(a->sum, b->sum);
    cr_assert_eq(a->sum_wrapped, b->sum_wrapped);
    cr_assert_eq(a->max, b->max);
    cr_assert_eq(a->n_samples, b->n_samples);
    cr_assert_eq(a->first_sample, b->first_sample);
    cr_assert_eq(a->last_sample, b->last_sample);
    assert_near(a->trapezium, b->trapezium, "trapezium");
    assert_near(a->sum_squares, b->sum_squares, "squares");
    assert_near(a->sum_time, b->sum_time, "time");
}

static void assert_same_names(const surveyed *a, const surveyed *b)
{
    uint32_t n = hpf_survey_n_names(a->survey);
    cr_assert_eq(n, hpf_survey_n_names(b->survey));
    for (uint32_t i = 0; i < n; i++) {
        hpf_str x = hpf_survey_name(a->survey, i);
        hpf_str y = hpf_survey_name(b->survey, i);
        cr_assert(x.length == y.length && memcmp(x.data, y.data, x.length) == 0);
        assert_same_totals(hpf_survey_totals(a->survey, i), hpf_survey_totals(b->survey, i));
        cr_assert_eq(hpf_survey_leftover(a->survey, i), hpf_survey_leftover(b->survey, i));
    }
}

static void assert_same_overview(const hpf_overview *a, const hpf_overview *b)
{
    cr_assert_eq(a->n_samples, b->n_samples);
    cr_assert_eq(a->n_before, b->n_before);
    cr_assert_eq(a->first_time, b->first_time);
    cr_assert_eq(a->last_time, b->last_time);
    cr_assert_eq(a->peak_total, b->peak_total);
    cr_assert_eq(a->peak_sample, b->peak_sample);
    cr_assert_eq(a->n_marks, b->n_marks);
    cr_assert_eq(a->truncated, b->truncated);
    assert_same_totals(&a->total, &b->total);
    assert_near(a->sum_times, b->sum_times, "times");
    assert_near(a->sum_times_squared, b->sum_times_squared, "times squared");
}

/* All samples at two bands, by the sum of names with even and odd numbers. */
static void assert_same_series(const surveyed *a, const surveyed *b)
{
    size_t n_picks = hpf_survey_overview(a->survey)->n_picks;
    cr_assert_eq(n_picks, hpf_survey_overview(b->survey)->n_picks);
    uint32_t n = hpf_survey_n_names(a->survey);
    uint32_t *bands = malloc(sizeof *bands * (n + 1));
    double *x = malloc(sizeof *x * 2 * (n_picks + 1));
    double *y = malloc(sizeof *y * 2 * (n_picks + 1));
    for (uint32_t i = 0; i < n; i++) {
        bands[i] = i % 2;
    }
    cr_assert_eq(hpf_survey_series(a->survey, bands, 2, x, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_series(b->survey, bands, 2, y, NULL), HPF_OK);
    cr_assert_arr_eq(x, y, sizeof *x * 2 * n_picks);
    free(bands);
    free(x);
    free(y);
}

static char *profile_file(const profile *p)
{
    char *path = strdup("/tmp/census-parts-XXXXXX");
    int fd = mkstemp(path);
    hpf_sink *sink = hpf_sink_to_fd(fd);
    write_profile(sink, p);
    cr_assert_eq(hpf_sink_finish(sink, NULL), HPF_OK);
    hpf_sink_destroy(sink);
    close(fd);
    return path;
}

static void compare(const profile *p, size_t max_picks, bool same_picks)
{
    char *path = profile_file(p);
    surveyed whole = survey(p, path, UINT64_MAX, max_picks);
    surveyed parts = survey(p, path, 1, max_picks);
    cr_assert_eq(whole.status, parts.status);
    if (whole.status == HPF_OK) {
        assert_same_overview(hpf_survey_overview(whole.survey), hpf_survey_overview(parts.survey));
        assert_same_names(&whole, &parts);
        if (same_picks) {
            assert_same_series(&whole, &parts);
        }
    } else {
        cr_assert_eq(whole.err.line, parts.err.line);
        cr_assert_eq(whole.err.column, parts.err.column);
        cr_assert_eq(whole.err.offset, parts.err.offset);
        cr_assert_str_eq(whole.err.message, parts.err.message);
    }
    finish(&whole);
    finish(&parts);
    unlink(path);
    free(path);
}

Test(parts, find_what_one_reading_finds)
{
    for (unsigned seed = 1; seed <= 30; seed++) {
        profile p = {
            .job = "x", .seed = seed, .n_samples = (int)seed * 9 % 200, .n_names = (int)seed % 12};
        compare(&p, 0, true);
    }
}

Test(parts, join_picks_of_long_profiles)
{
    profile p = {.job = "x", .seed = 3, .n_samples = 3000, .n_names = 4};
    compare(&p, 64, false);
}

/* The peak, the first and the last sample are picked however the file was read. */
Test(parts, keep_peak_first_and_last)
{
    profile p = {.job = "x", .seed = 5, .n_samples = 3000, .n_names = 4};
    char *path = profile_file(&p);
    surveyed parts = survey(&p, path, 1, 64);
    const hpf_overview *o = hpf_survey_overview(parts.survey);
    bool has_peak = false;
    for (size_t i = 0; i < o->n_picks; i++) {
        has_peak |= o->picks[i].sample_index == o->peak_sample;
        cr_assert(i == 0 || o->picks[i].sample_index > o->picks[i - 1].sample_index);
    }
    cr_assert(o->reduced && has_peak);
    cr_assert_leq(o->n_picks, 64);
    cr_assert_eq(o->picks[0].sample_index, 0);
    cr_assert_eq(o->picks[o->n_picks - 1].sample_index, o->n_samples - 1);
    finish(&parts);
    unlink(path);
    free(path);
}

Test(parts, a_string_that_looks_like_samples)
{
    char job[6000] = "";
    for (int i = 0; i < 120; i++) {
        strcat(job, "\nEND_SAMPLE 1.0\nBEGIN_SAMPLE 7.0\nx 5\n");
    }
    profile p = {.job = job, .seed = 7, .n_samples = 12, .n_names = 3};
    compare(&p, 0, true);
}

Test(parts, the_end_is_cut_off)
{
    profile p = {.job = "x",
                 .seed = 9,
                 .n_samples = 90,
                 .n_names = 5,
                 .tail = "BEGIN_SAMPLE 9999.0\nname1\t7\nna"};
    compare(&p, 0, true);
}

Test(parts, errors_have_the_same_place)
{
    const char *const broken[] = {"\"oops\"\n", "END_SAMPLE 1.0\n", "BEGIN_SAMPLE 0.0\n",
                                  "name1 x\n", "BEGIN_SAMPLE 999999.0\nEND_SAMPLE 999999.0\n"};
    for (size_t b = 0; b < sizeof broken / sizeof *broken; b++) {
        for (int at = 1; at < 100; at += 7) {
            profile p = {.job = "x",
                         .seed = 11,
                         .n_samples = 100,
                         .n_names = 3,
                         .break_at = at,
                         .broken = broken[b]};
            compare(&p, 0, true);
        }
    }
}

/* A value between samples belongs to the sample after it, also across a joint. */
Test(parts, values_between_samples)
{
    for (int at = 1; at < 100; at++) {
        profile p = {.job = "x",
                     .seed = 13,
                     .n_samples = 100,
                     .n_names = 3,
                     .break_at = at,
                     .broken = "between 4\nMARK 3.5\nDATE \"later\"\n"};
        compare(&p, 0, true);
    }
}

/* Windows that begin, end, or lie whole in any part, and empty ones. */
Test(parts, a_window_over_some_parts)
{
    for (int from = -20; from < 180; from += 13) {
        for (int length = 0; length < 200; length += 31) {
            profile p = {.job = "x",
                         .seed = 17,
                         .n_samples = 200,
                         .n_names = 4,
                         .has_window = true,
                         .from_time = from,
                         .to_time = from + length};
            compare(&p, 0, true);
        }
    }
}

Test(parts, names_that_do_not_count)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        profile p = {.job = "x",
                     .seed = seed,
                     .n_samples = 150,
                     .n_names = 9,
                     .only_even = true,
                     .has_window = seed % 2 == 0,
                     .from_time = seed * 3,
                     .to_time = seed * 6};
        compare(&p, 0, true);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The survey: totals against a plain reckoning over the model, series at the drawn samples, and
 * inputs that change between the passes.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"
#include "readings.h"
#include "rng.h"
#include "scratch.h"

#define HEAD "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"

static const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};

static hpf_survey *survey_source(hpf_source *source, size_t max_drawn)
{
    hpf_survey_options options = {.size = sizeof options, .max_drawn = max_drawn};
    hpf_survey *survey = NULL;
    hpf_error err = {0};
    cr_assert_eq(hpf_survey_create(&survey, source, &options, &err), HPF_OK, "%s", err.message);
    return survey;
}

static hpf_source *source_of(hpf_str text)
{
    hpf_source *source = NULL;
    cr_assert_eq(hpf_source_from_memory(&source, text, &keeping, NULL), HPF_OK);
    return source;
}

/* --- random profiles, reckoned twice --- */

typedef struct shape {
    int n_samples, n_names;
    bool has_reals, has_repeats, stands_still;
} shape;

static void put_random_profile(hpf_sink *to, const shape *s, rng *chance)
{
    double time = (double)rng_below(chance, 5);
    hpf_sink_text(to, HEAD);
    for (int i = 0; i < s->n_samples; i++) {
        hpf_sink_printf(to, "BEGIN_SAMPLE %.3f\n", time);
        for (int k = 0; k < s->n_names; k++) {
            uint64_t n = rng_below(chance, s->has_repeats ? 4 : 2);
            for (; n; n--) {
                uint64_t value = rng_below(chance, 100000);
                hpf_sink_printf(to, "n%d\t%llu%s\n", k, (unsigned long long)value,
                                s->has_reals && value % 3 == 0 ? ".5" : "");
            }
        }
        hpf_sink_printf(to, "END_SAMPLE %.3f\n", time);
        if (rng_below(chance, 9) == 0) {
            hpf_sink_printf(to, "MARK %.3f\n", time);
        }
        time += s->stands_still ? 0 : (double)rng_below(chance, 3000) / 1000;
    }
}

/* The amounts of one name, or of all (HPF_NO_BAND), by sample; absent is 0. */
static double *line_of(const hpf_model *m, uint32_t name)
{
    size_t n = hpf_model_n_samples(m);
    double *line = calloc(n + 1, sizeof *line);
    for (size_t i = 0; i < n; i++) {
        hpf_sample s = hpf_model_sample(m, i);
        for (size_t k = 0; k < s.n_costs; k++) {
            if (name == HPF_NO_BAND || s.costs[k].name == name) {
                line[i] += hpf_cost_amount(&s.costs[k]);
            }
        }
    }
    return line;
}

static bool has_name(const hpf_sample *s, uint32_t name)
{
    for (size_t k = 0; k < s->n_costs; k++) {
        if (s->costs[k].name == name) {
            return true;
        }
    }
    return name == HPF_NO_BAND;
}

static hpf_totals reckon(const hpf_model *m, uint32_t name)
{
    hpf_totals t = {0};
    double *line = line_of(m, name);
    double first = hpf_model_sample(m, 0).time;
    for (size_t i = 0; i < hpf_model_n_samples(m); i++) {
        hpf_sample s = hpf_model_sample(m, i);
        t.sum += line[i];
        t.sum_squares += line[i] * line[i];
        t.sum_time += line[i] * (s.time - first);
        t.max = fmax(t.max, line[i]);
        if (i > 0) {
            t.trapezium += (line[i - 1] + line[i]) / 2 * (s.time - hpf_model_sample(m, i - 1).time);
        }
        if (has_name(&s, name)) {
            t.first_sample = t.n_samples ? t.first_sample : i;
            t.last_sample = i;
            t.n_samples++;
        }
    }
    free(line);
    return t;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void expect_totals(const hpf_totals *got, const hpf_totals *expected, const char *what)
{
    cr_expect(near(got->sum, expected->sum), "%s: sum %g %g", what, got->sum, expected->sum);
    cr_expect(near(got->trapezium, expected->trapezium), "%s: area %g %g", what, got->trapezium,
              expected->trapezium);
    cr_expect(near(got->sum_squares, expected->sum_squares), "%s: squares", what);
    cr_expect(near(got->sum_time, expected->sum_time), "%s: time", what);
    cr_expect_eq(got->max, expected->max, "%s: max", what);
    cr_expect_eq(got->first_sample, expected->first_sample, "%s: first", what);
    cr_expect_eq(got->last_sample, expected->last_sample, "%s: last", what);
    cr_expect_eq(got->n_samples, expected->n_samples, "%s: samples", what);
}

static void compare_with_model(hpf_str text)
{
    hpf_model *model = model_of_text(text, NULL);
    hpf_source *source = source_of(text);
    hpf_survey *survey = survey_source(source, 0);
    for (uint32_t i = 0; i < hpf_model_n_names(model); i++) {
        hpf_totals expected = reckon(model, i);
        expect_totals(hpf_survey_totals(survey, i), &expected, "a name");
    }
    hpf_totals expected = reckon(model, HPF_NO_BAND);
    expect_totals(&hpf_survey_overview(survey)->total, &expected, "all");
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    hpf_model_destroy(model);
}

Test(survey, totals_of_random_profiles_are_those_of_the_model)
{
    rng chance = {53};
    for (int round = 0; round < 300; round++) {
        shape s = {.n_samples = 1 + (int)rng_below(&chance, 30),
                   .n_names = (int)rng_below(&chance, 8),
                   .has_reals = round % 3 == 0,
                   .has_repeats = round % 2 == 0,
                   .stands_still = round % 17 == 0};
        hpf_sink *text = hpf_sink_to_memory();
        put_random_profile(text, &s, &chance);
        compare_with_model(hpf_sink_bytes(text));
        hpf_sink_destroy(text);
    }
}

/* --- series --- */

/* Series at the drawn samples are the lines of the model there, by whatever way they are found
 * again. */
static void compare_series(hpf_source *source, const hpf_model *model,
                           const hpf_survey_options *options)
{
    hpf_survey *survey;
    cr_assert_eq(hpf_survey_create(&survey, source, options, NULL), HPF_OK);
    const hpf_overview *o = hpf_survey_overview(survey);
    uint32_t n_names = hpf_survey_n_names(survey);
    uint32_t *bands = calloc((size_t)n_names + 1, sizeof *bands);
    double *values = malloc(((size_t)n_names + 1) * o->n_drawn * sizeof *values);
    for (uint32_t i = 0; i < n_names; i++) {
        bands[i] = i % 5 == 4 ? HPF_NO_BAND : i;
    }
    for (int again = 0; again < 2; again++) {
        cr_assert_eq(hpf_survey_series(survey, bands, n_names, values, NULL), HPF_OK);
        for (uint32_t i = 0; i < n_names; i++) {
            double *line = line_of(model, i);
            for (size_t k = 0; k < o->n_drawn; k++) {
                double expected = bands[i] == HPF_NO_BAND ? 0 : line[o->drawn[k].sample_index];
                cr_assert_eq(values[i * o->n_drawn + k], expected);
            }
            free(line);
        }
    }
    free(values);
    free(bands);
    hpf_survey_destroy(survey);
}

Test(survey, series_equal_the_model_at_the_drawn_samples)
{
    rng chance = {59};
    for (int round = 0; round < 40; round++) {
        shape s = {.n_samples = 1 + (int)rng_below(&chance, 300),
                   .n_names = 1 + (int)rng_below(&chance, 8),
                   .has_reals = round % 3 == 0,
                   .has_repeats = round % 2 == 0,
                   .stands_still = round % 11 == 0};
        hpf_sink *text = hpf_sink_to_memory();
        put_random_profile(text, &s, &chance);
        hpf_model *model = model_of_text(hpf_sink_bytes(text), NULL);
        static const hpf_survey_options limits[] = {
            {.size = sizeof *limits, .max_drawn = 0},
            {.size = sizeof *limits, .max_drawn = 16},
            {.size = sizeof *limits, .max_drawn = 50},
            {.size = sizeof *limits, .expects_no_series = true}};
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            hpf_source *source = source_of(hpf_sink_bytes(text));
            compare_series(source, model, &limits[i]);
            hpf_source_destroy(source);
        }
        hpf_model_destroy(model);
        hpf_sink_destroy(text);
    }
}

Test(survey, series_of_a_compressed_file, .init = scratch_begin, .fini = scratch_end)
{
    rng chance = {61};
    shape s = {.n_samples = 400, .n_names = 6};
    hpf_sink *text = hpf_sink_to_memory();
    put_random_profile(text, &s, &chance);
    hpf_model *model = model_of_text(hpf_sink_bytes(text), NULL);
    write_file(scratch_path("plain"), hpf_sink_bytes(text));
    if (!run_filter("gzip", "-c", scratch_path("plain"), scratch_path("packed"))) {
        cr_skip_test("gzip is not installed");
    }
    hpf_source *source;
    cr_assert_eq(hpf_source_open(&source, scratch_path("packed"), &keeping, NULL), HPF_OK);
    compare_series(source, model,
                   &(hpf_survey_options){.size = sizeof(hpf_survey_options), .max_drawn = 32});
    hpf_source_destroy(source);
    hpf_model_destroy(model);
    hpf_sink_destroy(text);
}

/* --- what is odd --- */

static hpf_survey *survey_text(const char *text, hpf_source **source)
{
    *source = source_of((hpf_str){text, strlen(text)});
    return survey_source(*source, 0);
}

static void finish(hpf_survey *survey, hpf_source *source)
{
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

Test(survey, sums_beyond_64_bits)
{
    hpf_source *source;
    hpf_survey *s = survey_text(HEAD "BEGIN_SAMPLE 0.0\na\t18446744073709551615\nb\t1\n"
                                     "END_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\na\t18446744073709551615\n"
                                     "END_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\na\t3\nEND_SAMPLE 2.0\n",
                                &source);
    const hpf_totals *t = hpf_survey_totals(s, 0);
    cr_expect_eq(t->sum, 36893488147419103232.0);
    cr_expect_eq(t->sum_wrapped, 1);
    cr_expect_eq(hpf_survey_overview(s)->total.sum, 36893488147419103232.0);
    cr_expect_eq(hpf_survey_overview(s)->peak_sample, 0);
    finish(s, source);
}

Test(survey, sums_are_exact_where_doubles_added_one_by_one_are_not)
{
    hpf_sink *text = hpf_sink_to_memory();
    hpf_sink_text(text, HEAD);
    for (int i = 0; i < 3; i++) {
        hpf_sink_printf(text, "BEGIN_SAMPLE %d.0\na\t%s\nEND_SAMPLE %d.0\n", i,
                        i ? "1" : "9007199254740992", i);
    }
    hpf_source *source = source_of(hpf_sink_bytes(text));
    hpf_survey *s = survey_source(source, 0);
    cr_expect_eq(hpf_survey_totals(s, 0)->sum, 9007199254740994.0);
    cr_expect_eq(hpf_survey_totals(s, 0)->sum_wrapped, 9007199254740994u);
    finish(s, source);
    hpf_sink_destroy(text);
}

Test(survey, the_largest_numbers_stay_finite)
{
    hpf_source *source;
    hpf_survey *s = survey_text(HEAD "BEGIN_SAMPLE 0.0\na\t9e99\na\t9e99\nb\t9e99\nEND_SAMPLE 0.0\n"
                                     "BEGIN_SAMPLE 9e99\na\t9e99\nEND_SAMPLE 9e99\n",
                                &source);
    const hpf_totals *t = &hpf_survey_overview(s)->total;
    cr_expect(isfinite(t->sum) && isfinite(t->trapezium) && isfinite(t->sum_squares) &&
              isfinite(t->sum_time));
    finish(s, source);
}

Test(survey, costs_after_the_last_sample_are_leftover)
{
    hpf_source *source;
    hpf_survey *s = survey_text(HEAD "BEGIN_SAMPLE 1.0\na\t5\nEND_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\n"
                                     "b\t6\na\t7\nb\t8\nc",
                                &source);
    cr_expect(hpf_survey_overview(s)->truncated);
    cr_expect_eq(hpf_survey_overview(s)->n_samples, 1);
    cr_expect_eq(hpf_survey_n_names(s), 2);
    cr_expect_eq(hpf_survey_leftover(s, 0), 7);
    cr_expect_eq(hpf_survey_leftover(s, 1), 14);
    cr_expect_eq(hpf_survey_totals(s, 1)->n_samples, 0);
    cr_expect_eq(hpf_survey_totals(s, 1)->sum, 0);
    finish(s, source);
}

Test(survey, headers_and_marks)
{
    hpf_source *source;
    hpf_survey *s = survey_text(HEAD "MARK 5.0\nBEGIN_SAMPLE 1.0\nMARK 0.5\nEND_SAMPLE 1.0\n"
                                     "JOB \"last\"\nMARK 5.0\n",
                                &source);
    hpf_str job = hpf_survey_header(s, HPF_HEADER_JOB);
    cr_expect(job.length == 4 && memcmp(job.data, "last", 4) == 0);
    const hpf_overview *o = hpf_survey_overview(s);
    cr_assert_eq(o->n_marks, 3);
    cr_expect(o->marks[0].time == 5 && o->marks[1].time == 0.5 && o->marks[2].time == 5);
    finish(s, source);
}

Test(survey, an_error_gives_no_survey)
{
    hpf_source *source = source_of(HPF_STR(HEAD "BEGIN_SAMPLE 1.0\nfoo\tx\n"));
    hpf_survey *survey = NULL;
    hpf_error err;
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, &err), HPF_ERR_SYNTAX);
    cr_assert_null(survey);
    cr_assert(err.line == 6 && err.column == 5);
    hpf_source_destroy(source);
    hpf_survey_destroy(NULL);
}

typedef struct progress {
    uint64_t last, all;
    unsigned n_calls;
} progress;

static void on_progress(void *context, uint64_t read_bytes, uint64_t all_bytes)
{
    progress *p = context;
    cr_assert_geq(read_bytes, p->last);
    p->last = read_bytes;
    p->all = all_bytes;
    p->n_calls++;
}

static void put_long_profile(hpf_sink *to, int n_samples)
{
    hpf_sink_text(to, HEAD);
    for (int i = 0; i < n_samples; i++) {
        hpf_sink_printf(to, "BEGIN_SAMPLE %d.0\nfoo\t%d\nbar\t%d\nEND_SAMPLE %d.0\n", i, i % 997,
                        i % 13, i);
    }
}

Test(survey, progress_is_reported_up_to_the_end, .init = scratch_begin, .fini = scratch_end)
{
    hpf_sink *text = hpf_sink_to_memory();
    put_long_profile(text, 30000);
    write_file(scratch_path("in"), hpf_sink_bytes(text));
    hpf_source *source;
    cr_assert_eq(hpf_source_open(&source, scratch_path("in"), &keeping, NULL), HPF_OK);
    progress p = {0};
    hpf_survey_options options = {
        .size = sizeof options, .progress = on_progress, .progress_context = &p};
    hpf_survey *survey;
    cr_assert_eq(hpf_survey_create(&survey, source, &options, NULL), HPF_OK);
    cr_assert_gt(p.n_calls, 2);
    cr_assert_eq(p.last, hpf_sink_position(text));
    cr_assert_eq(p.all, hpf_sink_position(text));
    finish(survey, source);
    hpf_sink_destroy(text);
}

Test(survey, replay_emits_every_sample_again)
{
    hpf_sink *text = hpf_sink_to_memory();
    put_long_profile(text, 500);
    hpf_source *source = source_of(hpf_sink_bytes(text));
    hpf_survey *survey = survey_source(source, 16);
    hpf_events samples = {.sample = event_text_events.sample};
    reading whole = read_text(hpf_sink_bytes(text), SIZE_MAX, 0);
    hpf_str expected = hpf_sink_bytes(whole.text);
    for (int i = 0; i < 2; i++) {
        hpf_sink *got = hpf_sink_to_memory();
        cr_assert_eq(hpf_survey_emit(survey, true, &samples, got, NULL), HPF_OK);
        hpf_str bytes = hpf_sink_bytes(got);
        const char *tail = expected.data + expected.length - bytes.length;
        cr_assert_eq(memcmp(bytes.data, tail, bytes.length), 0);
        cr_assert_eq(memcmp(tail, "sample 0 [0,", 12), 0, "all of them");
        hpf_sink_destroy(got);
    }
    reading_finish(&whole);
    finish(survey, source);
    hpf_sink_destroy(text);
}

/* --- the file changes between the passes --- */

static hpf_status series_after(void (*change)(const char *path))
{
    hpf_sink *text = hpf_sink_to_memory();
    put_long_profile(text, 2000);
    const char *path = scratch_path("in");
    write_file(path, hpf_sink_bytes(text));
    hpf_source *source;
    cr_assert_eq(hpf_source_open(&source, path, &keeping, NULL), HPF_OK);
    hpf_survey *survey = survey_source(source, 64);
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_assert(o->reduced);
    change(path);
    uint32_t bands[] = {0, 1};
    double *values = malloc(2 * o->n_drawn * sizeof *values);
    hpf_error err = {0};
    hpf_status status = hpf_survey_series(survey, bands, 2, values, &err);
    cr_expect(status == HPF_OK || err.message[0]);
    free(values);
    finish(survey, source);
    hpf_sink_destroy(text);
    return status;
}

static void leave(const char *path)
{
    (void)path;
}

static void shorten(const char *path)
{
    cr_assert_eq(truncate(path, 3000), 0);
}

static void overwrite(const char *path)
{
    size_t length;
    char *text = read_file(path, &length);
    for (size_t i = 0; i + 3 < length; i++) {
        if (memcmp(text + i, "foo", 3) == 0) {
            text[i] = 'g';
        }
    }
    FILE *file = fopen(path, "r+b");
    cr_assert_eq(fwrite(text, 1, length, file), length);
    fclose(file);
    free(text);
}

static void replace(const char *path)
{
    cr_assert_eq(unlink(path), 0);
    write_file(path, HPF_STR("something else"));
}

TestSuite(survey_changes, .init = scratch_begin, .fini = scratch_end);

Test(survey_changes, a_file_that_changes_is_an_error_never_a_wrong_picture)
{
    cr_expect_eq(series_after(leave), HPF_OK);
    cr_expect_eq(series_after(shorten), HPF_ERR_IO);
    cr_expect_eq(series_after(overwrite), HPF_ERR_IO);
}

Test(survey_changes, a_file_that_is_replaced_is_still_read_through)
{
    cr_expect_eq(series_after(replace), HPF_OK);
}

/* --- windows --- */

static bool find_name(const hpf_survey *survey, hpf_str text, hpf_name *name)
{
    for (*name = 0; *name < hpf_survey_n_names(survey); ++*name) {
        if (hpf_str_equal(hpf_survey_name(survey, *name), text)) {
            return true;
        }
    }
    return false;
}

static void expect_same_totals_by_name(const hpf_survey *window, const hpf_survey *cut)
{
    static const hpf_totals none = {0};
    for (hpf_name i = 0; i < hpf_survey_n_names(window); i++) {
        hpf_name same;
        bool is_there = find_name(cut, hpf_survey_name(window, i), &same);
        expect_totals(hpf_survey_totals(window, i), is_there ? hpf_survey_totals(cut, same) : &none,
                      "a name");
    }
    expect_totals(&hpf_survey_overview(window)->total, &hpf_survey_overview(cut)->total, "all");
}

/* Series of all names in one band are the totals of the drawn samples. */
static void expect_series_of_window(hpf_survey *survey)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    uint32_t *bands = calloc((size_t)hpf_survey_n_names(survey) + 1, sizeof *bands);
    double *values = calloc(o->n_drawn + 1, sizeof *values);
    cr_assert_eq(hpf_survey_series(survey, bands, 1, values, NULL), HPF_OK);
    for (size_t i = 0; i < o->n_drawn; i++) {
        cr_expect(near(values[i], o->drawn[i].total));
    }
    free(bands);
    free(values);
}

static hpf_status count_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    (void)sample;
    (void)err;
    ++*(uint64_t *)context;
    return HPF_OK;
}

/* A window without samples is refused; any other is the profile that has only the samples in it. */
static void compare_window(const hpf_model *model, hpf_str text, double from, double to,
                           size_t max_drawn)
{
    hpf_source *source = source_of(text);
    hpf_survey *window = NULL;
    hpf_survey_options options = {.size = sizeof options,
                                  .max_drawn = max_drawn,
                                  .has_window = true,
                                  .from_time = from,
                                  .to_time = to};
    hpf_status status = hpf_survey_create(&window, source, &options, NULL);
    hpf_sink *shorter = hpf_sink_to_memory();
    uint64_t n_before = 0;
    hpf_sink_text(shorter, HEAD);
    for (size_t i = 0; i < hpf_model_n_samples(model); i++) {
        hpf_sample s = hpf_model_sample(model, i);
        n_before += s.time < from;
        if (s.time >= from && s.time <= to) {
            hpf_sink_write(shorter, text.data + s.begin_offset, s.end_offset - s.begin_offset);
        }
    }
    if (hpf_sink_position(shorter) == sizeof HEAD - 1) {
        cr_expect_eq(status, HPF_ERR_RANGE);
        hpf_source_destroy(source);
        hpf_sink_destroy(shorter);
        return;
    }
    cr_assert_eq(status, HPF_OK);
    hpf_source *cut_source = source_of(hpf_sink_bytes(shorter));
    hpf_survey *cut = survey_source(cut_source, max_drawn);
    const hpf_overview *a = hpf_survey_overview(window);
    const hpf_overview *b = hpf_survey_overview(cut);
    cr_expect_eq(a->n_before, n_before);
    cr_assert_eq(a->n_samples, b->n_samples);
    cr_expect(a->first_time == b->first_time && a->last_time == b->last_time);
    cr_expect(a->peak_total == b->peak_total && a->peak_time == b->peak_time);
    cr_expect_eq(a->n_drawn, b->n_drawn);
    expect_same_totals_by_name(window, cut);
    expect_series_of_window(window);
    uint64_t n_replayed = 0;
    static const hpf_events counting = {.sample = count_sample};
    cr_assert_eq(hpf_survey_emit(window, true, &counting, &n_replayed, NULL), HPF_OK);
    cr_expect_eq(n_replayed, a->n_samples);
    finish(window, source);
    finish(cut, cut_source);
    hpf_sink_destroy(shorter);
}

Test(survey, a_window_is_the_profile_without_the_other_samples)
{
    rng chance = {67};
    for (int round = 0; round < 60; round++) {
        shape s = {.n_samples = 1 + (int)rng_below(&chance, 120),
                   .n_names = 1 + (int)rng_below(&chance, 8),
                   .has_reals = round % 3 == 0,
                   .has_repeats = round % 2 == 0};
        hpf_sink *text = hpf_sink_to_memory();
        put_random_profile(text, &s, &chance);
        hpf_model *model = model_of_text(hpf_sink_bytes(text), NULL);
        double from = (double)rng_below(&chance, 60);
        double to = from + (double)rng_below(&chance, 100) - 5;
        compare_window(model, hpf_sink_bytes(text), from, to, round % 4 ? 0 : 16);
        hpf_model_destroy(model);
        hpf_sink_destroy(text);
    }
}

/* --- the whole again, and one moment of it --- */

Test(survey, emitted_events_equal_the_model)
{
    rng chance = {11};
    const shape s = {40, 5, true, true, false};
    for (int round = 0; round < 20; round++) {
        hpf_sink *text = hpf_sink_to_memory();
        put_random_profile(text, &s, &chance);
        hpf_model *model = model_of_text(hpf_sink_bytes(text), NULL);
        hpf_model *emitted = hpf_model_create();
        hpf_source *source = source_of(hpf_sink_bytes(text));
        hpf_survey *survey = survey_source(source, 8);
        cr_assert_eq(hpf_survey_emit(survey, true, &hpf_model_events, emitted, NULL), HPF_OK);
        cr_expect(hpf_model_equal(model, emitted));
        finish(survey, source);
        hpf_model_destroy(model);
        hpf_model_destroy(emitted);
        hpf_sink_destroy(text);
    }
}

/* Marks and quantities come by time between the samples, once there is a sidecar. */
Test(survey, emitted_events_are_in_order_of_time)
{
    static const char profile[] = HEAD "MARK 0.5\nBEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\nMARK 1.5\n"
                                       "BEGIN_SAMPLE 3\na 2\nEND_SAMPLE 3\nMARK 9\n";
    static const char rows[] = "time\twhat\tvalue\n0.2\tx\t1\n1.2\tx\t2\n1.7\tx\t3\n1.6\ty\t7\n"
                               "4\ty\t8\n";
    static const char expected[] =
        "JOB j\nDATE d\nSAMPLE_UNIT s\nVALUE_UNIT b\nname 0 a\nline x 0.2 1\nmark 0.5 \n"
        "sample 1 [0,88) 0=1\nline x 1.2 2\nmark 1.5 \nline y 1.6 7\nline x 1.7 3\n"
        "sample 3 [88,129) 0=2\nline y 4 8\nmark 9 \n";
    hpf_source *source = source_of(HPF_STR(profile)), *sidecar = source_of(HPF_STR(rows));
    hpf_survey *survey = survey_source(source, 0);
    hpf_sink *text = hpf_sink_to_memory();
    cr_assert_eq(hpf_survey_add_sidecar(survey, sidecar, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_emit(survey, true, &event_text_events, text, NULL), HPF_OK);
    hpf_str got = hpf_sink_bytes(text);
    cr_expect(hpf_str_is(got, expected), "%.*s", (int)got.length, got.data);
    hpf_sink_destroy(text);
    hpf_source_destroy(sidecar);
    finish(survey, source);
}

/* A consumer of events that fails at one of them. */
typedef struct failing_consumer {
    unsigned n_left, n_after;
} failing_consumer;

static hpf_status consume(void *context)
{
    failing_consumer *c = context;
    c->n_after += c->n_left == 0;
    c->n_left -= c->n_left > 0;
    return c->n_left > 0 ? HPF_OK : HPF_ERR_ORDER;
}

static hpf_status consume_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    return (void)which, (void)text, (void)err, consume(context);
}

static hpf_status consume_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    return (void)name, (void)text, (void)err, consume(context);
}

static hpf_status consume_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    return (void)sample, (void)err, consume(context);
}

static hpf_status consume_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    return (void)time, (void)label, (void)err, consume(context);
}

static hpf_status consume_quantity(void *context, hpf_str name, hpf_quantity_point point,
                                   hpf_error *err)
{
    return (void)name, (void)point, (void)err, consume(context);
}

Test(survey, emitting_ends_where_the_consumer_fails)
{
    static const char profile[] = HEAD "MARK 0.5\nBEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\nMARK 1.5\n"
                                       "BEGIN_SAMPLE 3\nb 2\nEND_SAMPLE 3\nMARK 9\n";
    static const char rows[] = "time\twhat\tvalue\n0.2\tx\t1\n1.2\tx\t2\n4\ty\t8\n";
    enum { N_EVENTS = HPF_N_HEADERS + 2 + 2 + 3 + 3 };
    const hpf_events all = {.header = consume_header,
                            .name = consume_name,
                            .sample = consume_sample,
                            .mark = consume_mark,
                            .quantity = consume_quantity};
    for (int k = 0; k < 3; k++) { /* without a sidecar, and with it in both orders */
        unsigned n_events = k ? N_EVENTS : N_EVENTS - 3;
        hpf_source *source = source_of(HPF_STR(profile)), *sidecar = source_of(HPF_STR(rows));
        hpf_survey *survey = survey_source(source, 0);
        cr_assert(k == 0 || hpf_survey_add_sidecar(survey, sidecar, NULL) == HPF_OK);
        for (unsigned n = 1; n <= n_events + 1; n++) {
            failing_consumer c = {.n_left = n};
            hpf_status status = hpf_survey_emit(survey, k < 2, &all, &c, NULL);
            cr_assert_eq(status, n <= n_events ? HPF_ERR_ORDER : HPF_OK, "%u of %u", n, n_events);
            cr_assert_eq(c.n_after, 0, "%u of %u", n, n_events);
        }
        hpf_events no_samples = all;
        no_samples.sample = NULL;
        failing_consumer c = {.n_left = 99};
        cr_assert_eq(hpf_survey_emit(survey, k < 2, &no_samples, &c, NULL), HPF_OK);
        cr_assert_eq(99 - c.n_left, n_events - 2);
        hpf_source_destroy(sidecar);
        finish(survey, source);
    }
}

/* The index of the sample nearest to `time`, the earlier of two. */
static size_t nearest(const hpf_model *m, double time)
{
    size_t best = 0;
    for (size_t i = 1; i < hpf_model_n_samples(m); i++) {
        if (fabs(hpf_model_sample(m, i).time - time) <
            fabs(hpf_model_sample(m, best).time - time)) {
            best = i;
        }
    }
    return best;
}

static void expect_moment(const hpf_model *m, hpf_survey *survey, double time)
{
    double amounts[8] = {-1};
    double sample_time = -1;
    size_t wanted = nearest(m, time);
    cr_assert_eq(hpf_survey_amounts_at(survey, time, amounts, &sample_time, NULL), HPF_OK);
    cr_assert_eq(sample_time, hpf_model_sample(m, wanted).time, "at %g", time);
    for (uint32_t name = 0; name < hpf_model_n_names(m); name++) {
        double *line = line_of(m, name);
        cr_assert_eq(amounts[name], line[wanted], "name %u at %g", name, time);
        free(line);
    }
}

Test(survey, a_moment_is_the_nearest_sample_even_if_it_is_not_drawn)
{
    rng chance = {12};
    const shape s = {300, 4, true, true, false};
    hpf_sink *text = hpf_sink_to_memory();
    put_random_profile(text, &s, &chance);
    hpf_model *model = model_of_text(hpf_sink_bytes(text), NULL);
    hpf_source *source = source_of(hpf_sink_bytes(text));
    hpf_survey *survey = survey_source(source, 16);
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_assert(o->reduced);
    for (double time = 0; time < o->last_time + 5; time += 0.37) {
        expect_moment(model, survey, time);
    }
    finish(survey, source);
    hpf_model_destroy(model);
    hpf_sink_destroy(text);
}

Test(survey, a_moment_is_the_last_sample_of_its_time)
{
    hpf_source *source = source_of(
        HPF_STR(HEAD "BEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\nBEGIN_SAMPLE 3\na 9\nEND_SAMPLE 3\n"
                     "BEGIN_SAMPLE 3\na 8\nEND_SAMPLE 3\nBEGIN_SAMPLE 3\na 7\nEND_SAMPLE 3\n"
                     "BEGIN_SAMPLE 5\na 2\nEND_SAMPLE 5\nBEGIN_SAMPLE 5\na 4\nEND_SAMPLE 5\n"));
    hpf_survey *survey = survey_source(source, 0);
    const double times[] = {0, 1, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6};
    const double wanted[] = {1, 1, 1, 7, 7, 7, 7, 4, 4, 4};
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        double amount = -1;
        cr_assert_eq(hpf_survey_amounts_at(survey, times[i], &amount, NULL, NULL), HPF_OK);
        cr_expect_eq(amount, wanted[i], "%g at %g", amount, times[i]);
    }
    finish(survey, source);
}

Test(survey, a_drawn_sample_has_its_amounts)
{
    hpf_source *source =
        source_of(HPF_STR(HEAD "BEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\nBEGIN_SAMPLE 2\nb 5\na 2\n"
                               "b 6\nEND_SAMPLE 2\nBEGIN_SAMPLE 3\nEND_SAMPLE 3\n"));
    hpf_survey *survey = survey_source(source, 0);
    double amounts[2] = {-1, -1};
    cr_assert_eq(hpf_survey_drawn_amounts(survey, 1, amounts, NULL), HPF_OK);
    cr_expect(amounts[0] == 2 && amounts[1] == 11);
    cr_assert_eq(hpf_survey_drawn_amounts(survey, 2, amounts, NULL), HPF_OK);
    cr_expect(amounts[0] == 0 && amounts[1] == 0);
    finish(survey, source);
}

/* --- names that do not count --- */

static bool is_not_n1(void *context, hpf_str job, hpf_str name)
{
    (void)job;
    ++*(int *)context;
    return !hpf_str_is(name, "n1");
}

/* The profile without its lines of n1. */
static hpf_sink *without_n1(hpf_str text)
{
    hpf_sink *shorter = hpf_sink_to_memory();
    for (size_t begin = 0, end; begin < text.length; begin = end) {
        end = begin;
        while (text.data[end++] != '\n') {
        }
        if (end - begin < 3 || memcmp(text.data + begin, "n1\t", 3) != 0) {
            hpf_sink_write(shorter, text.data + begin, end - begin);
        }
    }
    return shorter;
}

Test(survey, unwanted_names_do_not_count)
{
    rng chance = {71};
    for (int round = 0; round < 60; round++) {
        shape s = {.n_samples = 1 + (int)rng_below(&chance, 120),
                   .n_names = 1 + (int)rng_below(&chance, 5),
                   .has_reals = round % 3 == 0,
                   .has_repeats = round % 2 == 0};
        hpf_sink *text = hpf_sink_to_memory();
        put_random_profile(text, &s, &chance);
        hpf_sink *shorter = without_n1(hpf_sink_bytes(text));
        int n_calls = 0;
        hpf_survey_options options = {.size = sizeof options,
                                      .max_drawn = round % 4 ? 0 : 16,
                                      .is_wanted = is_not_n1,
                                      .is_wanted_context = &n_calls};
        hpf_source *source = source_of(hpf_sink_bytes(text));
        hpf_source *cut_source = source_of(hpf_sink_bytes(shorter));
        hpf_survey *survey = NULL;
        cr_assert_eq(hpf_survey_create(&survey, source, &options, NULL), HPF_OK);
        hpf_survey *cut = survey_source(cut_source, options.max_drawn);
        cr_expect_eq(n_calls, (int)hpf_survey_n_names(survey));
        expect_same_totals_by_name(survey, cut);
        expect_series_of_window(survey);
        cr_expect_eq(hpf_survey_overview(survey)->peak_sample,
                     hpf_survey_overview(cut)->peak_sample);
        finish(survey, source);
        finish(cut, cut_source);
        hpf_sink_destroy(text);
        hpf_sink_destroy(shorter);
    }
}

/* --- what stands beside --- */

Test(survey, a_sidecar_adds_quantities_and_labels)
{
    static const char profile[] = HEAD "BEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\nMARK 1.5\nMARK 1.5\n"
                                       "MARK 2\nBEGIN_SAMPLE 3\na 2\nEND_SAMPLE 3\n";
    static const char beside[] = "time\twhat\tvalue\n1\tresident\t10\n1.500000\tmark\tfirst\n"
                                 "1.7\tmark\tnowhere\n2\tmark\tlast\n3\tresident\t30\n";
    hpf_source *source = source_of(HPF_STR(profile));
    hpf_survey *survey = survey_source(source, 0);
    hpf_source *sidecar = source_of(HPF_STR(beside));
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_assert_eq(hpf_survey_add_sidecar(survey, sidecar, NULL), HPF_OK);
    cr_assert_eq(o->n_quantities, 1);
    cr_expect(hpf_str_is(o->quantities[0].name, "resident"));
    cr_assert_eq(o->quantities[0].n_points, 2);
    cr_expect_eq(o->quantities[0].points[1].value, 30);
    cr_assert_eq(o->n_marks, 3);
    cr_expect(hpf_str_is(o->marks[0].label, "first"));
    cr_expect_eq(o->marks[1].label.length, 0);
    cr_expect(hpf_str_is(o->marks[2].label, "last"));
    hpf_source_destroy(sidecar);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

Test(survey, a_broken_sidecar_keeps_what_was_read)
{
    static const char profile[] = HEAD "BEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\n";
    static const char beside[] = "time\twhat\tvalue\n1\tresident\t10\nnonsense\n";
    hpf_source *source = source_of(HPF_STR(profile));
    hpf_survey *survey = survey_source(source, 0);
    hpf_source *sidecar = source_of(HPF_STR(beside));
    hpf_error err = {0};
    cr_expect_eq(hpf_survey_add_sidecar(survey, sidecar, &err), HPF_ERR_SYNTAX);
    cr_expect_eq(err.line, 3);
    cr_expect_eq(hpf_survey_overview(survey)->n_quantities, 1);
    hpf_source_destroy(sidecar);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

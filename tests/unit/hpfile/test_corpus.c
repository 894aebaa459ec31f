/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Real profiles against facts found by other programs (tests/data/hp): samples, sums, areas and
 * maxima, also after writing and reading again, and however the bytes come in.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "detect/reader.h"
#include "hpfile/survey.h"
#include "readings.h"
#include "scratch.h"
#include "source_dir.h"

#define DATA      CENSUS_SOURCE_DIR "/tests/data/hp/"
#define MAX_FACTS 200

typedef struct facts {
    char name[120];
    double n_samples, first_time, last_time;
    double peak_total, peak_sample, peak_time;
    double sum, trapezium;
    unsigned n_marks;
    int is_truncated;
} facts;

static facts all[MAX_FACTS];
static size_t n_all;

static void load_facts(void)
{
    char line[500];
    FILE *file = fopen(DATA "facts.tsv", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        facts *f = &all[n_all];
        int n = sscanf(line, "%119s %lf %lf %lf %lf %lf %lf %lf %lf %u %d", f->name, &f->n_samples,
                       &f->first_time, &f->last_time, &f->peak_total, &f->peak_sample,
                       &f->peak_time, &f->sum, &f->trapezium, &f->n_marks, &f->is_truncated);
        n_all += line[0] != '#' && n == 11;
    }
    fclose(file);
    cr_assert_eq(n_all, 72);
}

static void set_up(void)
{
    scratch_begin();
    load_facts();
}

TestSuite(corpus, .init = set_up, .fini = scratch_end, .timeout = 300);

static void for_each(void (*check)(const facts *f, const char *path))
{
    char path[1000];
    for (size_t i = 0; i < n_all; i++) {
        snprintf(path, sizeof path, DATA "%.119s", all[i].name);
        if (access(path, R_OK) != 0) {
            snprintf(path, sizeof path, CENSUS_SOURCE_DIR "/samples/hp/%.119s", all[i].name);
        }
        check(&all[i], path);
    }
}

/* --- totals --- */

static hpf_survey *survey_of(hpf_source *source, size_t max_drawn)
{
    hpf_survey_options options = {.size = sizeof options, .max_drawn = max_drawn};
    hpf_survey *survey = NULL;
    hpf_error err = {0};
    cr_assert_eq(hpf_survey_create(&survey, source, &options, &err), HPF_OK, "%s", err.message);
    return survey;
}

static hpf_source *source_of(const char *path)
{
    hpf_source *source = NULL;
    hpf_source_options options = {.size = sizeof options, .keep = true};
    cr_assert_eq(hpf_source_open(&source, path, &options, NULL), HPF_OK);
    return source;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-9;
}

static void expect_overview(const facts *f, const hpf_overview *o)
{
    cr_expect_eq(o->n_samples, (uint64_t)f->n_samples, "%s", f->name);
    cr_expect_eq(o->first_time, f->first_time, "%s", f->name);
    cr_expect_eq(o->last_time, f->last_time, "%s", f->name);
    cr_expect_eq(o->peak_total, f->peak_total, "%s", f->name);
    cr_expect_eq(o->peak_sample, (uint64_t)f->peak_sample, "%s", f->name);
    cr_expect_eq(o->peak_time, f->peak_time, "%s", f->name);
    cr_expect_eq(o->total.sum, f->sum, "%s: %.17g", f->name, o->total.sum);
    cr_expect(near(o->total.trapezium, f->trapezium), "%s: %.17g", f->name, o->total.trapezium);
    cr_expect_eq(o->total.max, f->peak_total, "%s", f->name);
    cr_expect_eq(o->total.n_samples, (uint64_t)f->n_samples, "%s", f->name);
    cr_expect_eq(o->n_marks, f->n_marks, "%s", f->name);
    cr_expect_eq(o->truncated, f->is_truncated != 0, "%s", f->name);
}

static const hpf_totals *totals_of(const hpf_survey *survey, const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = 0; i < hpf_survey_n_names(survey); i++) {
        hpf_str text = hpf_survey_name(survey, i);
        if (text.length == length && memcmp(text.data, name, length) == 0) {
            return hpf_survey_totals(survey, i);
        }
    }
    return NULL;
}

static uint32_t n_names_in_samples(const hpf_survey *survey)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < hpf_survey_n_names(survey); i++) {
        n += hpf_survey_totals(survey, i)->n_samples > 0;
    }
    return n;
}

/* The table of names; a profile that has none has no table. */
static void expect_names(const facts *f, const hpf_survey *survey)
{
    char path[1000];
    char line[8000];
    uint32_t n_lines = 0;
    snprintf(path, sizeof path, DATA "truth/%s.tsv", f->name);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        double sum, trapezium, max;
        unsigned long n_samples;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        cr_assert_eq(sscanf(line, "%lf %lf %lf %lu%n", &sum, &trapezium, &max, &n_samples, &at), 4);
        const hpf_totals *t = totals_of(survey, line + at + 1);
        cr_assert_not_null(t, "%s has no '%s'", f->name, line + at + 1);
        cr_expect(t->sum == sum && t->sum_wrapped == (uint64_t)sum && t->max == max &&
                      t->n_samples == n_samples && near(t->trapezium, trapezium),
                  "%s: '%s' has %.17g %.17g %.17g", f->name, line + at + 1, t->sum, t->trapezium,
                  t->max);
        n_lines++;
    }
    if (file) {
        fclose(file);
    }
    cr_expect_eq(n_names_in_samples(survey), n_lines, "%s", f->name);
}

static void expect_truth(const facts *f, hpf_source *source)
{
    hpf_survey *survey = survey_of(source, 0);
    expect_overview(f, hpf_survey_overview(survey));
    expect_names(f, survey);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

static void check_truth(const facts *f, const char *path)
{
    expect_truth(f, source_of(path));
}

Test(corpus, profiles_have_their_true_totals)
{
    for_each(check_truth);
}

/* --- written and read again --- */

static hpf_model *model_of(hpf_source *source)
{
    hpf_model *model = hpf_model_create();
    hpf_error err = {0};
    cr_assert_eq(hpf_read_source(source, &hpf_model_events, model, NULL, &err), HPF_OK, "%s",
                 err.message);
    hpf_source_destroy(source);
    return model;
}

static void check_written(const facts *f, const char *path)
{
    hpf_model *model = model_of(source_of(path));
    hpf_sink *text = write_model(model);
    cr_assert_not_null(text);
    hpf_source *source;
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(text), NULL, NULL), HPF_OK);
    hpf_model *again = model_of(source);
    cr_expect(hpf_model_equal(model, again), "%s", f->name);
    facts whole = *f;
    whole.is_truncated = 0; /* what was cut short is not written */
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(text), NULL, NULL), HPF_OK);
    expect_truth(&whole, source);
    hpf_sink_destroy(text);
    hpf_model_destroy(model);
    hpf_model_destroy(again);
}

Test(corpus, profiles_survive_writing_and_reading)
{
    for_each(check_written);
}

/* --- the same bytes on other ways --- */

static void expect_same(const facts *f, const reading *whole, reading other, const char *how)
{
    cr_expect(readings_equal(whole, &other), "%s %s", f->name, how);
    reading_finish(&other);
}

static reading read_path(const char *path)
{
    hpf_source *source = source_of(path);
    reading r = read_from_source(source);
    hpf_source_destroy(source);
    return r;
}

static reading read_pipe(hpf_str text)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < text.length;) {
            size_t n = text.length - at < 3000 ? text.length - at : 3000;
            ssize_t written = write(ends[1], text.data + at, n);
            at += written > 0 ? (size_t)written : text.length;
        }
        _exit(0);
    }
    close(ends[1]);
    hpf_source *source;
    cr_assert_eq(hpf_source_from_fd(&source, ends[0], NULL, NULL), HPF_OK);
    reading r = read_from_source(source);
    hpf_source_destroy(source);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return r;
}

static hpf_str plain_bytes(const char *path, hpf_sink *into)
{
    hpf_source *source = source_of(path);
    hpf_str piece;
    while (hpf_source_next(source, &piece, NULL) == HPF_OK) {
        hpf_sink_str(into, piece);
    }
    hpf_source_destroy(source);
    return hpf_sink_bytes(into);
}

static void check_cuts(const facts *f, const char *path)
{
    hpf_sink *bytes = hpf_sink_to_memory();
    hpf_str text = plain_bytes(path, bytes);
    reading whole = read_text(text, SIZE_MAX, 0);
    cr_expect_eq(whole.status, HPF_OK, "%s: %s", f->name, whole.error.message);
    cr_expect_eq(whole.n_warnings, f->is_truncated ? 1 : 0, "%s", f->name);
    expect_same(f, &whole, read_text(text, 1, 0), "byte by byte");
    expect_same(f, &whole, read_text(text, 50, 1), "in small pieces");
    expect_same(f, &whole, read_text(text, 5000, 2), "in larger pieces");
    expect_same(f, &whole, read_path(path), "from its file");
    expect_same(f, &whole, read_pipe(text), "from a pipe");
    reading_finish(&whole);
    hpf_sink_destroy(bytes);
}

Test(corpus, profiles_are_read_alike_in_any_pieces)
{
    for_each(check_cuts);
}

static void check_packed(const facts *f, const char *path)
{
    static const char *const programs[] = {"gzip", "xz", "zstd"};
    reading whole = read_path(path);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (!run_filter(programs[i], "-c", path, scratch_path("packed"))) {
            cr_skip_test("%s is not installed", programs[i]);
        }
        expect_same(f, &whole, read_path(scratch_path("packed")), programs[i]);
    }
    reading_finish(&whole);
}

Test(corpus, profiles_are_read_alike_when_compressed)
{
    for_each(check_packed);
}

/* --- series --- */

static double column_sum(const double *values, uint32_t n_bands, size_t n_drawn,
                         size_t drawn_sample)
{
    double sum = 0;
    for (uint32_t band = 0; band < n_bands; band++) {
        sum += values[band * n_drawn + drawn_sample];
    }
    return sum;
}

/* A band for each name but every seventh, which go together into one. */
static void check_bands(const facts *f, const char *path, size_t max_drawn)
{
    hpf_source *source = source_of(path);
    hpf_survey *survey = survey_of(source, max_drawn);
    const hpf_overview *o = hpf_survey_overview(survey);
    uint32_t n_names = hpf_survey_n_names(survey);
    uint32_t *band_of_name = calloc((size_t)n_names + 1, sizeof *band_of_name);
    double *values = calloc(((size_t)n_names + 1) * o->n_drawn, sizeof *values);
    for (uint32_t i = 0; i < n_names; i++) {
        band_of_name[i] = i % 7 ? i + 1 : 0;
    }
    hpf_error err = {0};
    cr_assert_eq(hpf_survey_series(survey, band_of_name, n_names + 1, values, &err), HPF_OK, "%s",
                 err.message);
    bool has_peak = false;
    for (size_t i = 0; i < o->n_drawn; i++) {
        cr_expect_eq(column_sum(values, n_names + 1, o->n_drawn, i), o->drawn[i].total, "%s",
                     f->name);
        has_peak |= o->drawn[i].sample_index == o->peak_sample;
    }
    cr_expect(has_peak, "%s", f->name);
    cr_expect_eq(o->reduced, o->n_drawn < o->n_samples, "%s", f->name);
    free(values);
    free(band_of_name);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

static void check_series(const facts *f, const char *path)
{
    check_bands(f, path, 0);
    check_bands(f, path, 16);
}

Test(corpus, bands_add_up_to_the_totals)
{
    for_each(check_series);
}

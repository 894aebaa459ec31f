/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sizes beyond all reason: they work, in time and memory that go with what must be kept.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitizer.h"
#include "hpfile/sink.h"
#include "detect/reader.h"
#include "hpfile/survey.h"
#include "readings.h"

#define HEAD "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"

TestSuite(hp_extremes, .timeout = 120);

static long peak_kib(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

typedef struct counts {
    uint64_t n_samples, n_costs, n_names;
    double total;
} counts;

static hpf_status count_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    counts *c = context;
    (void)err;
    c->n_samples++;
    c->n_costs += sample->n_costs;
    for (size_t i = 0; i < sample->n_costs; i++) {
        c->total += hpf_cost_amount(&sample->costs[i]);
    }
    return HPF_OK;
}

static hpf_status count_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    counts *c = context;
    (void)name;
    (void)text;
    (void)err;
    c->n_names++;
    return HPF_OK;
}

static const hpf_events counting = {.sample = count_sample, .name = count_name};

static void feed(hpf_reader *reader, const char *bytes, size_t n)
{
    hpf_error err;
    cr_assert_eq(hpf_reader_feed(reader, bytes, n, &err), HPF_OK, "%s", err.message);
}

static void feed_text(hpf_reader *reader, const char *text)
{
    feed(reader, text, strlen(text));
}

static void finish(hpf_reader *reader)
{
    hpf_error err;
    cr_assert_eq(hpf_reader_finish(reader, &err), HPF_OK, "%s", err.message);
    hpf_reader_destroy(reader);
}

Test(hp_extremes, ten_thousand_names_in_one_sample)
{
    hpf_sink *text = hpf_sink_to_memory();
    hpf_sink_text(text, HEAD);
    for (int s = 0; s < 20; s++) {
        hpf_sink_printf(text, "BEGIN_SAMPLE %d.0\n", s);
        for (int i = 0; i < 10000; i++) {
            hpf_sink_printf(text, "name-%d\t%d\n", s % 2 ? 9999 - i : i, i);
        }
        hpf_sink_printf(text, "END_SAMPLE %d.0\n", s);
    }
    hpf_error err;
    hpf_model *model = model_of_text(hpf_sink_bytes(text), &err);
    cr_assert_eq(hpf_model_n_names(model), 10000);
    cr_assert_eq(hpf_model_sample(model, 19).n_costs, 10000);
    hpf_model_destroy(model);
    hpf_sink_destroy(text);
}

/* A name of 1 MiB, with and without blanks, and the same in a header. */
static void read_long(const char *before, const char *filling, const char *after, size_t piece)
{
    enum { N = 1 << 20 };
    counts c = {0};
    hpf_reader *reader = hpf_reader_create(&counting, &c, NULL);
    char *bytes = malloc(N);
    size_t length = strlen(filling);
    for (size_t i = 0; i < N; i++) {
        bytes[i] = filling[i % length];
    }
    feed_text(reader, HEAD);
    feed_text(reader, before);
    for (size_t at = 0; at < N; at += piece) {
        feed(reader, bytes + at, N - at < piece ? N - at : piece);
    }
    feed_text(reader, after);
    feed_text(reader, "BEGIN_SAMPLE 1.0\nx\t1\nEND_SAMPLE 1.0\n");
    free(bytes);
    finish(reader);
    cr_assert_geq(c.n_samples, 1);
}

Test(hp_extremes, a_name_of_a_mebibyte_whole_and_byte_by_byte)
{
    static const size_t pieces[] = {1, 100, 65536, 1 << 20};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        read_long("", "x", "\t5\n", pieces[i]);
        read_long("x", "y  ", "\t5\n", pieces[i]);
        read_long("x ", "\t", "5\n", pieces[i]);
    }
}

Test(hp_extremes, a_header_of_a_mebibyte_whole_and_byte_by_byte)
{
    static const size_t pieces[] = {1, 100, 65536, 1 << 20};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        read_long("JOB \"", "\n", "\"\n", pieces[i]);
        read_long("JOB \"", "\"\"", "\"\n", pieces[i]);
        read_long("JOB \"", "\\\" ", " x\"\n", pieces[i]);
    }
}

Test(hp_extremes, blanks_of_a_mebibyte_byte_by_byte)
{
    read_long("", " ", "", 1);
    read_long("MARK", "\n", "1.0\n", 1);
    read_long("foo", "\t", "1\n", 1);
}

Test(hp_extremes, a_million_names)
{
    counts c = {0};
    hpf_reader *reader = hpf_reader_create(&counting, &c, NULL);
    char line[64];
    feed_text(reader, HEAD "BEGIN_SAMPLE 1.0\n");
    for (int i = 0; i < 1000000; i++) {
        int n = snprintf(line, sizeof line, "%x\t1\n", i * 7);
        feed(reader, line, (size_t)n);
    }
    feed_text(reader, "END_SAMPLE 1.0\n");
    finish(reader);
    cr_assert_eq(c.n_names, 1000000);
    cr_assert_eq(c.n_costs, 1000000);
    cr_assert_eq(c.total, 1000000);
}

/* One sample of 150 MB with few names is held in memory that goes with the names. */
Test(hp_extremes, a_huge_sample_in_little_memory)
{
    enum { N_NAMES = 500, N_ROUNDS = 20000 };
    counts c = {0};
    hpf_reader *reader = hpf_reader_create(&counting, &c, NULL);
    hpf_sink *lines = hpf_sink_to_memory();
    for (int i = 0; i < N_NAMES; i++) {
        hpf_sink_printf(lines, "name-%d\t%d\n", i, i);
    }
    hpf_str text = hpf_sink_bytes(lines);
    long before = peak_kib();
    feed_text(reader, HEAD "BEGIN_SAMPLE 1.0\n");
    for (int i = 0; i < N_ROUNDS / (HAS_SANITIZER ? 10 : 1); i++) {
        feed(reader, text.data, text.length);
    }
    feed_text(reader, "END_SAMPLE 1.0\n");
    finish(reader);
    double expected = (double)N_ROUNDS / (HAS_SANITIZER ? 10 : 1) * N_NAMES * (N_NAMES - 1) / 2;
    cr_assert_eq(c.total, expected);
    cr_assert_leq(c.n_costs, 200000);
    cr_assert(HAS_SANITIZER || peak_kib() - before < 8 << 10, "%ld KiB", peak_kib() - before);
    hpf_sink_destroy(lines);
}

/* --- a million samples through a pipe --- */

static void write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t written = write(fd, bytes, n);
        if (written <= 0) {
            _exit(1);
        }
        bytes += written;
        n -= (size_t)written;
    }
}

static int pipe_of_samples(int n_samples, const char *inside, pid_t *child)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    *child = fork();
    if (*child == 0) {
        static char buffer[1 << 16];
        size_t n = strlen(HEAD);
        memcpy(buffer, HEAD, n);
        for (int i = 0; i < n_samples; i++) {
            if (n > sizeof buffer - 400) {
                write_all(ends[1], buffer, n);
                n = 0;
            }
            n += (size_t)snprintf(buffer + n, 400, "BEGIN_SAMPLE %d.5\n%sEND_SAMPLE %d.5\n", i,
                                  inside, i);
        }
        write_all(ends[1], buffer, n);
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static void survey_samples(int n_samples, const char *inside)
{
    pid_t child;
    int fd = pipe_of_samples(n_samples, inside, &child);
    hpf_source *source;
    hpf_survey *survey;
    hpf_error err = {0};
    hpf_source_options keep = {.size = sizeof keep, .keep = true};
    long before = peak_kib();
    cr_assert_eq(hpf_source_from_fd(&source, fd, &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, &err), HPF_OK, "%s", err.message);
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_assert_eq(o->n_samples, (uint64_t)n_samples);
    cr_assert(o->reduced);
    cr_assert_leq(o->n_drawn, 8192);
    uint32_t bands[8] = {0};
    double *values = malloc(o->n_drawn * sizeof *values);
    cr_assert_eq(hpf_survey_series(survey, bands, 1, values, &err), HPF_OK, "%s", err.message);
    cr_assert_eq(values[0], o->drawn[0].total);
    cr_assert_eq(values[o->n_drawn - 1], o->drawn[o->n_drawn - 1].total);
    cr_assert(HAS_SANITIZER || peak_kib() - before < 48 << 10, "%ld KiB", peak_kib() - before);
    free(values);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    close(fd);
    waitpid(child, NULL, 0);
}

Test(hp_extremes, a_million_empty_samples)
{
    survey_samples(1000000, "");
}

Test(hp_extremes, many_samples_in_bounded_memory)
{
    survey_samples(HAS_SANITIZER ? 50000 : 500000, "foo\t5\nbar\t6\nbaz qux\t7\n(12)lazy\t8\n");
}

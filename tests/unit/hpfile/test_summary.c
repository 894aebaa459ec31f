/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Peaks, means and slopes, compared with values computed by hand.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/str.h"
#include "hpfile/summary.h"

#define HEADERS "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

typedef struct fixture {
    hpf_source *source;
    hpf_survey *survey;
    hpf_summary sum;
} fixture;

static fixture summarise(const char *text, uint32_t most_rows)
{
    fixture f = {0};
    const hpf_source_options options = {.size = sizeof options, .keep = true};
    hpf_str bytes = {text, strlen(text)};
    cr_assert_eq(hpf_source_from_memory(&f.source, bytes, &options, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&f.survey, f.source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_summary_make(&f.sum, f.survey, most_rows, NULL), HPF_OK);
    return f;
}

static void finish(fixture *f)
{
    hpf_summary_finish(&f->sum);
    hpf_survey_destroy(f->survey);
    hpf_source_destroy(f->source);
}

static void expect_row(const hpf_summary_row *row, const char *name, double share, double mean,
                       double max, double growth)
{
    cr_expect(row->name.length == strlen(name) && !memcmp(row->name.data, name, strlen(name)));
    cr_expect_float_eq(row->share, share, 1e-12, "%s: share %g", name, row->share);
    cr_expect_float_eq(row->mean, mean, 1e-9, "%s: mean %g", name, row->mean);
    cr_expect_float_eq(row->max, max, 1e-9, "%s: max %g", name, row->max);
    cr_expect_float_eq(row->growth, growth, 1e-9, "%s: growth %g", name, row->growth);
}

/* Irregular times 0, 1, 3: a = 2, 4, 8 is a line of slope 2; b = 3, 0, 0. */
static const char *const lines = HEADERS "BEGIN_SAMPLE 0.0\na 2\nb 3\nEND_SAMPLE 0.0\n"
                                         "BEGIN_SAMPLE 1.0\na 4\nEND_SAMPLE 1.0\n"
                                         "BEGIN_SAMPLE 3.0\na 8\nEND_SAMPLE 3.0\n";

Test(summary, follows_time_not_samples)
{
    fixture f = summarise(lines, 0);
    cr_assert_eq(f.sum.n_rows, 2);
    /* areas: a 3 + 12 = 15, b 1.5; b's slope: sum (t - 4/3)(v - 1) / sum (t - 4/3)^2 */
    expect_row(&f.sum.rows[0], "a", 15 / 16.5, 5, 8, 2);
    expect_row(&f.sum.rows[1], "b", 1.5 / 16.5, 0.5, 3, -4 / (14.0 / 3));
    cr_expect_float_eq(f.sum.rows[0].r_squared, 1, 1e-12);
    cr_expect_float_eq(f.sum.peak, 8, 0);
    cr_expect_float_eq(f.sum.peak_time, 3, 0);
    cr_expect_float_eq(f.sum.total.mean, 5.5, 1e-12);
    finish(&f);
}

Test(summary, others_add_up)
{
    fixture f = summarise(lines, 1);
    cr_assert_eq(f.sum.n_rows, 1);
    cr_expect_eq(f.sum.others.n_names, 1);
    cr_expect_float_eq(f.sum.others.mean, 0.5, 1e-12);
    cr_expect(isnan(f.sum.others.max) && isnan(f.sum.others.r_squared));
    cr_expect_float_eq(f.sum.rows[0].growth + f.sum.others.growth, f.sum.total.growth, 1e-12);
    finish(&f);
}

/* Small sets of a profile by retainer are added up by the holder that most of them have. */
Test(summary, sets_have_common_holders)
{
    fixture f = summarise(HEADERS "BEGIN_SAMPLE 0.0\n(1)x 100\n(2)m<a,b>,x 9\n(3)y,m<a,b> 8\n"
                                  "(4)y,z 3\n(5)z,y 2\n(6)q 1\nUNREACHED 5\nEND_SAMPLE 0.0\n",
                          1);
    cr_assert_eq(hpf_summary_find_holders(&f.sum, f.survey, NULL), HPF_OK);
    cr_assert_eq(f.sum.n_holders, 2);
    cr_expect(hpf_str_is(f.sum.holders[0].name, "m<a,b>"));
    cr_expect_eq(f.sum.holders[0].n_names, 2);
    cr_expect_float_eq(f.sum.holders[0].share, 17.0 / 128, 1e-12);
    cr_expect(hpf_str_is(f.sum.holders[1].name, "y") || hpf_str_is(f.sum.holders[1].name, "z"));
    cr_expect_float_eq(f.sum.holders[1].mean, 5, 1e-12);
    cr_expect_eq(f.sum.others.n_names, 2);
    cr_expect_float_eq(f.sum.others.mean, 6, 1e-12);
    finish(&f);
}

/* The package of many holders of Python is their common one, unless one of them has half. */
Test(summary, sets_have_common_packages)
{
    fixture f = summarise(HEADERS "BEGIN_SAMPLE 0.0\n(1)x 100\n(2)email.a 3\n(3)email.b.c 3\n"
                                  "(4)email.d,email.e 3\n(5)app.f,app.g 9\n(6)app.f,app.h 7\n"
                                  "(7)app.i 2\n(8)email.j,app.k 1\nEND_SAMPLE 0.0\n",
                          1);
    cr_assert_eq(hpf_summary_find_holders(&f.sum, f.survey, NULL), HPF_OK);
    cr_assert_eq(f.sum.n_holders, 2);
    cr_expect(hpf_str_is(f.sum.holders[0].name, "app.f"));
    cr_expect_eq(f.sum.holders[0].n_names, 2);
    cr_expect(hpf_str_is(f.sum.holders[1].name, "email"));
    cr_expect_eq(f.sum.holders[1].n_names, 3);
    cr_expect_eq(f.sum.others.n_names, 2);
    finish(&f);
}

Test(summary, ignores_empty_ends)
{
    fixture f = summarise(HEADERS "BEGIN_SAMPLE 5.0\nEND_SAMPLE 5.0\n"
                                  "BEGIN_SAMPLE 6.0\na 10\nEND_SAMPLE 6.0\n"
                                  "BEGIN_SAMPLE 8.0\na 30\nEND_SAMPLE 8.0\n"
                                  "BEGIN_SAMPLE 9.0\nEND_SAMPLE 9.0\n",
                          0);
    cr_expect_float_eq(f.sum.rows[0].growth, 10, 1e-9);
    cr_expect_float_eq(f.sum.rows[0].r_squared, 1, 1e-9);
    cr_expect_float_eq(f.sum.final, 30, 0);
    cr_expect_float_eq(f.sum.final_time, 8, 0);
    finish(&f);
}

Test(summary, a_constant_has_no_fit)
{
    fixture f = summarise(HEADERS "BEGIN_SAMPLE 0.1\na 7\nEND_SAMPLE 0.1\n"
                                  "BEGIN_SAMPLE 0.2\na 7\nEND_SAMPLE 0.2\n"
                                  "BEGIN_SAMPLE 0.3\na 7\nEND_SAMPLE 0.3\n",
                          0);
    cr_expect_eq(f.sum.rows[0].growth, 0);
    cr_expect(isnan(f.sum.rows[0].r_squared));
    finish(&f);
}

Test(summary, without_duration_samples_count)
{
    fixture f = summarise(HEADERS "BEGIN_SAMPLE 1.0\na 6\nb 2\nEND_SAMPLE 1.0\n"
                                  "BEGIN_SAMPLE 1.0\na 6\nb 2\nEND_SAMPLE 1.0\n",
                          0);
    cr_expect_float_eq(f.sum.rows[0].share, 0.75, 1e-12);
    cr_expect_float_eq(f.sum.rows[0].mean, 6, 1e-12);
    cr_expect(isnan(f.sum.rows[0].growth));
    finish(&f);
}

Test(summary, names_of_an_incomplete_sample_do_not_count)
{
    fixture f =
        summarise(HEADERS "BEGIN_SAMPLE 1.0\na 6\nEND_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\nb 9\n", 0);
    cr_expect_eq(f.sum.n_rows, 1);
    cr_expect_eq(f.sum.total.n_names, 1);
    finish(&f);
}

Test(summary, orders_ties_by_bytes)
{
    fixture f = summarise(HEADERS "BEGIN_SAMPLE 1.0\nb 1\nab 1\na 1\nEND_SAMPLE 1.0\n", 0);
    cr_expect_eq(f.sum.rows[0].name.length, 1);
    cr_expect_eq(f.sum.rows[0].name.data[0], 'a');
    cr_expect_eq(f.sum.rows[1].name.length, 2);
    finish(&f);
}

Test(summary, high_names_are_added_and_leave_the_others)
{
    char text[4096];
    size_t n =
        (size_t)snprintf(text, sizeof text, "%s",
                         "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n");
    for (int sample = 0; sample < 20; sample++) {
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "BEGIN_SAMPLE %d\na\t80\nb\t15\nc\t3\n%sEND_SAMPLE %d\n", sample,
                              sample == 10 ? "spike\t6\nlow\t4\n" : "", sample);
    }
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpf_summary s;
    cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){text, n}, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_summary_make(&s, survey, 1, NULL), HPF_OK);
    hpf_summary_add_high(&s);
    cr_assert_eq(s.n_rows, 3);
    cr_expect(hpf_str_is(s.rows[1].name, "b") && hpf_str_is(s.rows[2].name, "spike"));
    cr_expect_eq(s.others.n_names, 2);
    hpf_summary_finish(&s);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

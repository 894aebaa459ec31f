/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The reader: what it says of odd and broken texts, that this does not depend on how they are cut,
 * and that it says so again. The rules one by one are in tests/conformance/hp.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sanitizer.h"
#include "hpfile/sink.h"
#include "detect/reader.h"
#include "hpfile/str.h"
#include "readings.h"
#include "rng.h"

#define HEAD       "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"
#define HEAD_LINES 4

static hpf_str text_of(const char *text)
{
    return (hpf_str){text, strlen(text)};
}

/* Reads in many ways; all must agree. Returns the reading of the whole. */
static reading read_in_all_ways(hpf_str text)
{
    reading whole = read_text(text, SIZE_MAX, 0);
    for (uint64_t way = 0; way < 24; way += CASE_STEP) {
        reading cut =
            way < 4 ? read_text(text, (size_t)way + 1, 0) : read_text(text, way % 2 ? 100 : 9, way);
        cr_assert(readings_equal(&whole, &cut), "read whole:\n%.*s\nread in pieces (%llu):\n%.*s",
                  (int)hpf_sink_position(whole.text), hpf_sink_bytes(whole.text).data,
                  (unsigned long long)way, (int)hpf_sink_position(cut.text),
                  hpf_sink_bytes(cut.text).data);
        reading_finish(&cut);
    }
    return whole;
}

static void expect_error(const char *text, hpf_status status, uint32_t line, uint32_t column)
{
    reading r = read_in_all_ways(text_of(text));
    cr_expect_eq(r.status, status, "%s\ngives %s", text, r.error.message);
    cr_expect(r.error.line == line && r.error.column == column, "%s\ngives %u:%u %s", text,
              r.error.line, r.error.column, r.error.message);
    reading_finish(&r);
}

Test(hp_reader, a_plain_profile)
{
    reading r = read_in_all_ways(HPF_STR(HEAD "BEGIN_SAMPLE 0.5\nfoo\t5\nbar\t6\nEND_SAMPLE 0.5\n"
                                              "MARK 0.7\nBEGIN_SAMPLE 1.5\nbar\t7\n"
                                              "END_SAMPLE 1.5\n"));
    hpf_str got = hpf_sink_bytes(r.text);
    hpf_str expected = HPF_STR("JOB j\nDATE d\nSAMPLE_UNIT s\nVALUE_UNIT b\nname 0 foo\n"
                               "name 1 bar\nsample 0.5 [0,91) 0=5 1=6\nmark 0.7 \n"
                               "sample 1.5 [91,138) 1=7\n");
    cr_assert_eq(got.length, expected.length, "%.*s", (int)got.length, got.data);
    cr_assert_eq(memcmp(got.data, expected.data, got.length), 0, "%.*s", (int)got.length, got.data);
    reading_finish(&r);
}

Test(hp_reader, errors_point_at_the_offending_byte)
{
    expect_error(HEAD "BEGIN_SAMPLE 1.0\nfoo\t-5\n", HPF_ERR_SYNTAX, HEAD_LINES + 2, 5);
    expect_error(HEAD "BEGIN_SAMPLE 1.0\n\n  foo  bar\nx\n", HPF_ERR_SYNTAX, HEAD_LINES + 3, 8);
    expect_error(HEAD "BEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\nBEGIN_SAMPLE\n 0.5\n", HPF_ERR_ORDER,
                 HEAD_LINES + 4, 2);
    expect_error(HEAD "MARK x\n", HPF_ERR_SYNTAX, HEAD_LINES + 1, 6);
    expect_error(HEAD "   END_SAMPLE 1.0\n", HPF_ERR_ORDER, HEAD_LINES + 1, 4);
    expect_error("JOB j\n", HPF_ERR_SYNTAX, 1, 5);
    expect_error("JOB \"a\nb\nc", HPF_ERR_SYNTAX, 1, 5);
    expect_error(HEAD "BEGIN_SAMPLE 1.0\nfoo 5\nEND_SAMPLE 1.0\n \"x\"\n", HPF_ERR_SYNTAX,
                 HEAD_LINES + 4, 2);
    expect_error(HEAD "foo 999999999999999999999999999999999\nx", HPF_ERR_RANGE, HEAD_LINES + 1, 5);
    expect_error(HEAD "foo 1e200\nx", HPF_ERR_RANGE, HEAD_LINES + 1, 5);
    expect_error(HEAD, HPF_ERR_SYNTAX, HEAD_LINES + 1, 1);
    expect_error("", HPF_ERR_SYNTAX, 1, 1);
}

Test(hp_reader, nul_is_an_error_everywhere)
{
    hpf_str good = HPF_STR(HEAD "BEGIN_SAMPLE 1.0\nfoo\t5\nbar baz\t6\nEND_SAMPLE 1.0\n");
    for (size_t at = 0; at < good.length; at++) {
        char *text = malloc(good.length + 1);
        memcpy(text, good.data, at);
        text[at] = '\0';
        memcpy(text + at + 1, good.data + at, good.length - at);
        reading r = read_in_all_ways((hpf_str){text, good.length + 1});
        cr_expect_eq(r.status, HPF_ERR_SYNTAX, "NUL at %zu", at);
        cr_expect_eq(r.error.offset, at, "NUL at %zu: %u:%u %s", at, r.error.line, r.error.column,
                     r.error.message);
        reading_finish(&r);
        free(text);
    }
}

Test(hp_reader, a_failed_reader_repeats_its_error)
{
    hpf_reader *reader = hpf_reader_create(&(hpf_events){0}, NULL, NULL);
    hpf_error first;
    hpf_error again;
    cr_assert_eq(hpf_reader_feed(reader, "END_SAMPLE 1.0\n", 15, &first), HPF_ERR_ORDER);
    cr_assert_eq(hpf_reader_feed(reader, "JOB \"x\"\n", 8, &again), HPF_ERR_ORDER);
    cr_assert_eq(memcmp(&first, &again, sizeof first), 0);
    cr_assert_eq(hpf_reader_finish(reader, &again), HPF_ERR_ORDER);
    cr_assert_eq(memcmp(&first, &again, sizeof first), 0);
    cr_assert_eq(hpf_reader_finish(reader, NULL), HPF_ERR_ORDER);
    hpf_reader_destroy(reader);
}

static hpf_status stop_at_second(void *context, const hpf_sample *sample, hpf_error *err)
{
    unsigned *n = context;
    (void)sample;
    (void)err;
    return ++*n == 2 ? HPF_ERR_LIMIT : HPF_OK;
}

Test(hp_reader, a_consumer_stops_it)
{
    hpf_str text = HPF_STR(HEAD "BEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\n"
                                "END_SAMPLE 2.0\nBEGIN_SAMPLE 3.0\nEND_SAMPLE 3.0\n");
    unsigned n = 0;
    hpf_error err = {0};
    hpf_reader *reader = hpf_reader_create(&(hpf_events){.sample = stop_at_second}, &n, NULL);
    cr_assert_eq(hpf_reader_feed(reader, text.data, text.length, &err), HPF_ERR_LIMIT);
    cr_assert_eq(n, 2);
    cr_assert_str_eq(err.message, "limit exceeded");
    hpf_reader_destroy(reader);
}

/* A last number that is equal, but shorter than the one of BEGIN_SAMPLE, has been cut. */
Test(hp_reader, a_number_cut_at_a_zero)
{
    static const struct {
        const char *end;
        unsigned n_warnings;
    } cases[] = {{"END_SAMPLE 1.50", 0}, {"END_SAMPLE 1.5", 1}, {"END_SAMPLE 1.40", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        int n = snprintf(text, sizeof text, HEAD "BEGIN_SAMPLE 1.50\nfoo\t7\n%s", cases[i].end);
        reading r = read_in_all_ways((hpf_str){text, (size_t)n});
        cr_expect_eq(r.status, HPF_OK);
        cr_expect_eq(r.n_warnings, cases[i].n_warnings, "%s", cases[i].end);
        reading_finish(&r);
    }
}

/* Each prefix of a profile gives the samples that are whole in it. */
Test(hp_reader, a_profile_cut_at_every_byte)
{
    hpf_str text = HPF_STR(HEAD "BEGIN_SAMPLE 0.25\nfoo bar\t5\nbaz\t6\nEND_SAMPLE 0.25\nMARK 0.5\n"
                                "BEGIN_SAMPLE 1.25\nfoo bar\t7\r\nEND_SAMPLE 1.25\n");
    size_t first_end = strlen(HEAD "BEGIN_SAMPLE 0.25\nfoo bar\t5\nbaz\t6\nEND_SAMPLE 0");
    size_t second_end = text.length - strlen(".25\n");
    for (size_t n = 0; n <= text.length; n++) {
        reading r = read_in_all_ways((hpf_str){text.data, n});
        cr_expect_eq(r.status, n < first_end ? HPF_ERR_SYNTAX : HPF_OK, "cut at %zu: %s", n,
                     r.error.message);
        /* With the whole number of END_SAMPLE, only the line feed is missing. */
        bool is_whole = n >= text.length - 1 || n == first_end + 3 || n == first_end + 4;
        bool may_warn = n > first_end + 4 && n <= first_end + 13;
        cr_expect(r.status != HPF_OK || may_warn || (r.n_warnings == 0) == is_whole,
                  "cut at %zu warns %u times", n, r.n_warnings);
        if (n > first_end + 15 && n < second_end) {
            cr_expect_eq(r.warning.offset, n);
            cr_expect(strstr(r.warning.message, "1 complete sample "), "%s", r.warning.message);
        }
        reading_finish(&r);
    }
}

Test(hp_reader, costs_of_a_truncated_sample_are_leftover)
{
    reading r = read_in_all_ways(HPF_STR(HEAD "BEGIN_SAMPLE 1.0\nfoo\t5\nEND_SAMPLE 1.0\n"
                                              "BEGIN_SAMPLE 2.0\nfoo\t6\nbar\t7\nba"));
    cr_assert_eq(r.status, HPF_OK);
    cr_assert_eq(r.n_warnings, 1);
    char *text = strndup(hpf_sink_bytes(r.text).data, hpf_sink_bytes(r.text).length);
    cr_assert(strstr(text, "\nleftover 0=6 1=7\n"), "%s", text);
    free(text);
    reading_finish(&r);
}

/* --- numbers and strings ---------------------------------------------------------------------- */

/* Returns the costs of the first sample as "name=amount", with "r" after amounts that are not whole
 * numbers; or the kind of the error. Valid until the next call. */
static const char *costs_of(const char *text)
{
    static char costs[200];
    reading r = read_in_all_ways(text_of(text));
    snprintf(costs, sizeof costs, "%s", hpf_status_name(r.status));
    if (r.status == HPF_OK) {
        hpf_model *model = model_of_text(text_of(text), NULL);
        hpf_sample sample = hpf_model_sample(model, 0);
        costs[0] = '\0';
        for (size_t i = 0, n = 0; i < sample.n_costs; i++) {
            const hpf_cost *cost = &sample.costs[i];
            hpf_str name = hpf_model_name(model, cost->name);
            n += (size_t)snprintf(costs + n, sizeof costs - n, "%s%.*s=", i ? " " : "",
                                  (int)name.length, name.data);
            n += (size_t)(cost->is_real
                              ? snprintf(costs + n, sizeof costs - n, "%.16gr", cost->real)
                              : snprintf(costs + n, sizeof costs - n, "%" PRIu64, cost->whole));
        }
        hpf_model_destroy(model);
    }
    reading_finish(&r);
    return costs;
}

Test(hp_reader, numbers_end_where_hp2ps_ends_them)
{
    static const struct {
        const char *text, *costs;
    } cases[] = {
        {"5", "foo=5"},
        {"007", "foo=7"},
        {"5bar 6", "foo=5 bar=6"},
        {"5/ 6", "foo=5 /=6"},
        {"5: 6", "foo=5 :=6"},
        {"5.5", "foo=5.5r"},
        {"5.", "foo=5r"},
        {"5.x 6", "foo=5r x=6"},
        {"1.5.7", "foo=1.5r"},
        {"1..7", "foo=1r"},
        {"18446744073709551615", "foo=18446744073709551615"},
        {"18446744073709551616", "foo=1.844674407370955e+19r"},
        {"99999999999999999999999999999999", "foo=1e+32r"},
        {"00000000000000000000000000000001", "foo=1"},
        /* Exponents, unless hp2ps would continue with a name and its value. */
        {"5e3\nx 1", "foo=5000r x=1"},
        {"5E+3 x 1", "foo=5000r x=1"},
        {"2.5e-1\nx 1", "foo=0.25r x=1"},
        {"5e3 6", "foo=5 e3=6"},
        {"5e3\t6", "foo=5 e3=6"},
        {"5e3\n6\nx 1", "foo=5 e3=6 x=1"},
        {"5e3\n6\t7", "foo=5000r 6=7"},
        {"5e3\n6x\t7", "foo=5000r 6x=7"},
        {"5e 1", "foo=5 e=1"},
        {"5e+ 6", "foo=5 e+=6"},
        {"5e3x 6", "foo=5 e3x=6"},
        {"5.5.5e3 1", "foo=5.5r e3=1"},
        /* Too long, too large, none. */
        {"999999999999999999999999999999999\nx 1", "out of range"},
        {"111111111111111111111111111111119 8", "foo=1.111111111111111e+31r 9=8"},
        {"111111111111111111111111111111119bar\n8", "foo=1.111111111111111e+31r 9bar=8"},
        {"1111111111111111111111111111e11111 x 1", "out of range"},
        {"9e99\nx 1", "foo=9e+99r x=1"},
        {"1e100\nx 1", "out of range"},
        {"1e999\nx 1", "out of range"},
        {"1e-999\nx 1", "foo=0r x=1"},
        {"-5", "syntax error"},
        {"+5", "syntax error"},
        {".5", "syntax error"},
    };
    char text[300];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, HEAD "BEGIN_SAMPLE 1.0\nfoo\t%s\nEND_SAMPLE 1.0\n",
                 cases[i].text);
        cr_expect_str_eq(costs_of(text), cases[i].costs, "%s", cases[i].text);
    }
}

Test(hp_reader, strings_end_at_the_quote_that_ends_them)
{
    static const struct {
        const char *text, *job;
    } cases[] = {
        {"\"abc\"\n", "abc"},
        {"\"\" ", ""},
        {"\"a\nb\" ", "a\nb"},
        {"\"a\"", "a"},
        {"\"a\"\"b\" ", "a\"b"},
        {"\"\"\"\" ", "\""},
        {"\"say \"\"hi\"\"\"\n", "say \"hi\""},
        {"\"say \\\"hi\\\" x\"\n", "say \"hi\" x"},
        {"\"say \\\"hi\\\"\"\n", "say \"hi\""},
        {"\"C:\\\"\n", "C:\\"},
        {"\"C:\\\" \t\n", "C:\\"},
        {"\"C:\\\" DATE \"x\"\n", "C:\\"},
        {"\"C:\\\"DATE \"x\"\n", "C:\\"},
        {"\"C:\\\" MARK 1.0 DATE \"x\"\n", "C:\\"},
        {"\"a \\\"MARK twain\\\" b\"\n", "a \"MARK twain\" b"},
        {"\"C:\\x\\\"y\"\n", "C:\\x\"y"},
        {"\"\\\\\"\n", "\\\\"},
    };
    char text[300];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text,
                 "JOB %sDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"
                 "BEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\n",
                 cases[i].text);
        reading r = read_in_all_ways(text_of(text));
        hpf_error err = {0};
        hpf_model *model = model_of_text(text_of(text), &err);
        cr_assert_not_null(model, "%s: %s", cases[i].text, err.message);
        hpf_str job = hpf_model_header(model, HPF_HEADER_JOB);
        cr_expect(hpf_str_is(job, cases[i].job), "%s is '%.*s'", cases[i].text, (int)job.length,
                  job.data);
        hpf_model_destroy(model);
        reading_finish(&r);
    }
}

Test(hp_reader, blanks_are_those_of_the_c_locale)
{
    char text[200];
    for (int c = 1; c < 256; c++) {
        snprintf(text, sizeof text, HEAD "BEGIN_SAMPLE%c1.0%cfoo%c5\nEND_SAMPLE 1.0\n", c, c, c);
        bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
        cr_expect_eq(strcmp(costs_of(text), "foo=5") == 0, is_blank, "%d", c);
    }
}

/* Digits are read eight at a time: whatever follows them must not count. */
Test(hp_reader, numbers_of_all_lengths_before_all_bytes)
{
    static const char digits[] = "12345678901234567890";
    char text[300], expected[60];
    for (int n = 1; n <= 19; n++) {
        for (int c = '!'; c < 256; c += CASE_STEP) {
            if (strchr("0123456789.eE\"", c)) {
                continue;
            }
            snprintf(expected, sizeof expected, "foo=%.*s %cx=7", n, digits, c);
            snprintf(text, sizeof text, HEAD "BEGIN_SAMPLE 1.0\nfoo\t%.*s%cx\t7\nEND_SAMPLE 1.0\n",
                     n, digits, c);
            cr_assert_str_eq(costs_of(text), expected);
        }
    }
}

/* --- names and plain lines -------------------------------------------------------------------- */

/* Names of all lengths before and behind each other: the guess of the next name must never be
 * taken for more than it is. */
Test(hp_reader, guessed_names_are_compared_whole)
{
    rng chance = {37};
    for (int round = 0; round < CASES(60); round++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_sink *expected = hpf_sink_to_memory();
        hpf_sink_text(sink, HEAD);
        for (int s = 0; s < 12; s++) {
            hpf_sink_printf(sink, "BEGIN_SAMPLE %d.0\n", s);
            for (int i = 0; i < 10; i++) {
                size_t n = 1 + (size_t)rng_below(&chance, 3) * 15 + (size_t)rng_below(&chance, 3);
                int last = "xyz"[rng_below(&chance, 3)];
                uint64_t value = rng_next(&chance) >> rng_below(&chance, 64);
                char name[60];
                memset(name, 'x', n);
                name[n - 1] = (char)last;
                hpf_sink_write(sink, name, n);
                hpf_sink_printf(sink, "\t%llu\n", (unsigned long long)value);
                hpf_sink_printf(expected, "%.*s=%llu\n", (int)n, name, (unsigned long long)value);
            }
            hpf_sink_printf(sink, "END_SAMPLE %d.0\n", s);
        }
        hpf_error err;
        hpf_model *model = model_of_text(hpf_sink_bytes(sink), &err);
        cr_assert_not_null(model, "%s", err.message);
        hpf_sink *got = hpf_sink_to_memory();
        for (size_t s = 0; s < hpf_model_n_samples(model); s++) {
            hpf_sample sample = hpf_model_sample(model, s);
            for (size_t i = 0; i < sample.n_costs; i++) {
                hpf_sink_str(got, hpf_model_name(model, sample.costs[i].name));
                hpf_sink_printf(got, "=%llu\n", (unsigned long long)sample.costs[i].whole);
            }
        }
        hpf_str a = hpf_sink_bytes(got);
        hpf_str b = hpf_sink_bytes(expected);
        cr_assert(a.length == b.length && memcmp(a.data, b.data, a.length) == 0);
        hpf_model_destroy(model);
        hpf_sink_destroy(got);
        hpf_sink_destroy(expected);
        hpf_sink_destroy(sink);
    }
}

/* Lines that look plain up to their last bytes. */
Test(hp_reader, almost_plain_lines)
{
    static const char *const lines[] = {
        "foo\t5 \n",
        "foo\t5\r\n",
        "foo\t 5\n",
        "foo \t5\n",
        "foo\t5\tbar\t6\n",
        "foo\t5.5\n",
        "foo\t5e1\n",
        "foo\t12345678\n",
        "foo\t123456789\n",
        "foo\t1234567890123456789\n",
        "foo\t12345678901234567890\n",
        "foo\t5bar 6\n",
        "foo bar\t5\n",
        "foo\tbar\t5\n",
        "foo\n5\n",
        "foo\t\n5\n",
        "foo\t18446744073709551616\n",
        "BEGIN_SAMPLE 9\n",
        "BEGIN_SAMPLE 9.0 \n",
        "BEGIN_SAMPLE  9.0\n",
        "BEGIN_SAMPLE 9.123456789\n",
        "BEGIN_SAMPLE 12345678.5\n",
        "BEGIN_SAMPLE 9.5foo 5\n",
        "MARK 3\n",
        "JOB \"again\"\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_sink_text(sink, HEAD "BEGIN_SAMPLE 1.0\nfoo\t5\nEND_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\n");
        hpf_sink_text(sink, lines[i]);
        hpf_sink_text(sink, lines[i]);
        hpf_sink_text(sink, "foo\t7\nEND_SAMPLE 12345678.5\nBEGIN_SAMPLE 12345678.5\nfoo\t8\n"
                            "END_SAMPLE 12345678.5\nBEGIN_SAMPLE 12345679.0\nfoo\t9\n"
                            "END_SAMPLE 12345679.0\n");
        reading r = read_in_all_ways(hpf_sink_bytes(sink));
        cr_expect_eq(r.status, HPF_OK, "%s: %s", lines[i], r.error.message);
        reading_finish(&r);
        hpf_sink_destroy(sink);
    }
}

/* Statements that are no plain lines at all, in random order: a check of the way back to them. */
Test(hp_reader, random_tokens_do_not_depend_on_their_cuts)
{
    static const char *const parts[] = {
        "foo\t5\n",
        "foo\t123456789\n",
        "bar baz\t6\n",
        "foo 5e3\n",
        "\n",
        " ",
        "\t",
        "5 6 ",
        "BEGIN_SAMPLE 1.5\n",
        "END_SAMPLE 1.5\n",
        "BEGIN_SAMPLE 2\nfoo\t1\nEND_SAMPLE 2\n",
        "MARK 3.0 ",
        "JOB \"a\"\"b\"\n",
        "DATE \"x\\\"\n",
        "DATE \"x\\\"y\" ",
        "(12)long/name/...\t77\n",
        "\xff\xc3\t8\n",
        "e3",
        "5e",
        "9999999999999999999999999999999999",
        "\r\n",
        "name",
        "\"x\"",
        "12",
        ".",
        "E",
        "+",
        "-",
        "9 ",
        "\n7",
        "0000000000",
        "1111111111111111111111111111",
    };
    rng chance = {41};
    for (int round = 0; round < CASES(3000); round++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_sink_text(sink, HEAD "BEGIN_SAMPLE 1.0\n");
        for (uint64_t n = rng_below(&chance, 12); n; n--) {
            hpf_sink_text(sink, parts[rng_below(&chance, sizeof parts / sizeof *parts)]);
        }
        reading r = read_in_all_ways(hpf_sink_bytes(sink));
        reading_finish(&r);
        hpf_sink_destroy(sink);
    }
}

static hpf_status count_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    unsigned *n_names = context;
    (void)text;
    (void)err;
    cr_expect_eq(name, *n_names);
    ++*n_names;
    return HPF_OK;
}

Test(hp_reader, names_are_numbered_and_remembered)
{
    unsigned n_names = 0;
    hpf_reader *reader = hpf_reader_create(&(hpf_events){.name = count_name}, &n_names, NULL);
    hpf_str text = HPF_STR(HEAD "BEGIN_SAMPLE 1.0\nb\t1\na\t2\nb\t3\nEND_SAMPLE 1.0\n");
    cr_assert_eq(hpf_reader_feed(reader, text.data, text.length, NULL), HPF_OK);
    cr_assert_eq(hpf_reader_finish(reader, NULL), HPF_OK);
    cr_assert_eq(hpf_reader_finish(reader, NULL), HPF_OK, "finishing again changes nothing");
    cr_assert_eq(n_names, 2);
    cr_assert_eq(hpf_reader_name(reader, 0).data[0], 'b');
    cr_assert_eq(hpf_reader_name(reader, 1).data[0], 'a');
    hpf_reader_destroy(reader);
    hpf_reader_destroy(NULL);
}

/* Every sample can be read again by its offsets, alone and in any order. */
Test(hp_reader, samples_can_be_revisited)
{
    static char text[20000];
    size_t n = (size_t)sprintf(text, HEAD);
    for (int i = 0; i < 100; i++) {
        n += (size_t)sprintf(
            text + n, "between 3 MARK 1\nBEGIN_SAMPLE %d.5 foo bar\t5\nx%d %d.5 END_SAMPLE %d.5%s",
            i, i, i, i, i % 3 ? "\n" : " ");
    }
    hpf_error err;
    hpf_model *model = model_of_text((hpf_str){text, n}, &err);
    cr_assert_not_null(model, "%s", err.message);
    hpf_reader *reader = hpf_reader_create(&(hpf_events){0}, NULL, NULL);
    cr_assert_eq(hpf_reader_feed(reader, text, n, NULL), HPF_OK);
    cr_assert_eq(hpf_reader_finish(reader, NULL), HPF_OK);
    rng chance = {43};
    for (int i = 0; i < 300; i++) {
        hpf_sample sample = hpf_model_sample(model, (size_t)rng_below(&chance, 100));
        hpf_sink *again = hpf_sink_to_memory();
        hpf_sink *first = hpf_sink_to_memory();
        hpf_events events = {.sample = event_text_events.sample, .name = event_text_events.name};
        hpf_reader_revisit(reader, &events, again);
        size_t length = (size_t)(sample.end_offset - sample.begin_offset);
        cr_assert_eq(hpf_reader_feed(reader, text + sample.begin_offset, length, &err), HPF_OK);
        cr_assert_eq(hpf_reader_settle(reader, &err), HPF_OK, "%s", err.message);
        sample.end_offset = length;
        sample.begin_offset = 0;
        cr_assert_eq(events.sample(first, &sample, NULL), HPF_OK);
        cr_assert_eq(hpf_sink_position(first), hpf_sink_position(again));
        cr_assert_arr_eq(hpf_sink_bytes(first).data, hpf_sink_bytes(again).data,
                         hpf_sink_position(first));
        hpf_sink_destroy(first);
        hpf_sink_destroy(again);
    }
    hpf_reader_destroy(reader);
    hpf_model_destroy(model);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The writer: GHC's text for plain profiles, and nothing that is read back as something else.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "retold.h"
#include "readings.h"
#include "rng.h"

static hpf_sink *sink;
static hpf_writer *writer;

static void set_up(void)
{
    sink = hpf_sink_to_memory();
    writer = create_writer(&hpf_format_hp, sink, NULL);
}

static void tear_down(void)
{
    hpf_writer_destroy(writer);
    hpf_sink_destroy(sink);
}

TestSuite(hp_writer, .init = set_up, .fini = tear_down);

static void header(hpf_header which, hpf_str text)
{
    cr_assert_eq(hpf_writer_events.header(writer, which, text, NULL), HPF_OK);
}

static void name(hpf_name number, hpf_str text)
{
    cr_assert_eq(hpf_writer_events.name(writer, number, text, NULL), HPF_OK);
}

static void sample(double time, const hpf_cost *costs, size_t n_costs)
{
    hpf_sample s = {.time = time, .costs = costs, .n_costs = n_costs};
    cr_assert_eq(hpf_writer_events.sample(writer, &s, NULL), HPF_OK);
}

static void mark(double time)
{
    cr_assert_eq(hpf_writer_events.mark(writer, time, HPF_STR("label"), NULL), HPF_OK);
}

static void expect_text(const char *expected)
{
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_str got = hpf_sink_bytes(sink);
    cr_assert(got.length == strlen(expected) && memcmp(got.data, expected, got.length) == 0, "%.*s",
              (int)got.length, got.data);
}

static hpf_model *read_back(void)
{
    hpf_error err;
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    hpf_model *model = model_of_text(hpf_sink_bytes(sink), &err);
    cr_assert_not_null(model, "%u:%u %s in\n%.*s", err.line, err.column, err.message,
                       (int)hpf_sink_position(sink), hpf_sink_bytes(sink).data);
    return model;
}

static bool same(hpf_str a, hpf_str b)
{
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

Test(hp_writer, a_profile_as_ghc_writes_it)
{
    header(HPF_HEADER_VALUE_UNIT, HPF_STR("bytes"));
    header(HPF_HEADER_JOB, HPF_STR("prog +RTS -hc"));
    header(HPF_HEADER_DATE, HPF_STR("Sat Nov 21"));
    header(HPF_HEADER_SAMPLE_UNIT, HPF_STR("seconds"));
    name(0, HPF_STR("(304)lazy"));
    sample(0, NULL, 0);
    sample(0.155607, &(hpf_cost){.whole = 77}, 1);
    expect_text("JOB \"prog +RTS -hc\"\nDATE \"Sat Nov 21\"\nSAMPLE_UNIT \"seconds\"\n"
                "VALUE_UNIT \"bytes\"\nBEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                "BEGIN_SAMPLE 0.155607\n(304)lazy\t77\nEND_SAMPLE 0.155607\n");
}

Test(hp_writer, headers_appear_once_and_when_they_change)
{
    header(HPF_HEADER_JOB, HPF_STR("first"));
    header(HPF_HEADER_JOB, HPF_STR("second"));
    mark(0.5);
    header(HPF_HEADER_DATE, HPF_STR("late"));
    expect_text("JOB \"second\"\nDATE \"\"\nSAMPLE_UNIT \"\"\nVALUE_UNIT \"\"\nMARK 0.500000\n"
                "DATE \"late\"\n");
}

Test(hp_writer, an_empty_profile_has_its_headers)
{
    expect_text("JOB \"\"\nDATE \"\"\nSAMPLE_UNIT \"\"\nVALUE_UNIT \"\"\n");
}

Test(hp_writer, times_have_the_decimals_they_need)
{
    static const double times[] = {
        0, 1e-9, 0.1234567, 1.0 / 3, 0.5, 12345.678901, 1700000000.123456, 4e15, 1e22, 9e99};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        sample(times[i], NULL, 0);
    }
    hpf_model *model = read_back();
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        cr_expect_eq(hpf_model_sample(model, i).time, times[i], "%.17g", times[i]);
    }
    hpf_model_destroy(model);
}

Test(hp_writer, amounts_are_read_back_as_they_were)
{
    hpf_cost costs[] = {
        {.whole = 0},
        {.whole = UINT64_MAX},
        {.whole = (UINT64_C(1) << 53) + 1},
        {.is_real = 1, .real = 0},
        {.is_real = 1, .real = 5},
        {.is_real = 1, .real = 0.1},
        {.is_real = 1, .real = 1e22},
        {.is_real = 1, .real = 18446744073709551616.0},
        {.is_real = 1, .real = 9.999999999999999e99},
        {.is_real = 1, .real = 1e-300},
    };
    size_t n = sizeof costs / sizeof *costs;
    name(0, HPF_STR("7x"));
    sample(1, costs, n);
    hpf_model *model = read_back();
    hpf_sample got = hpf_model_sample(model, 0);
    cr_assert_eq(got.n_costs, n);
    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(got.costs[i].is_real, costs[i].is_real, "amount %zu", i);
        cr_expect_eq(got.costs[i].whole, costs[i].whole, "amount %zu", i);
    }
    hpf_model_destroy(model);
}

static const hpf_str header_texts[] = {
    {"", 0},           {"\"", 1},           {"\"\"", 2},       {"\\", 1},       {"\\\"", 2},
    {"\"\\", 2},       {"\\\\\"", 3},       {"say \"hi\"", 8}, {"C:\\x\\", 5},  {"a\nb", 3},
    {"\\\"MARK 1", 8}, {"x\\\" JOB \"", 9}, {"\"\n", 2},       {"\xff\xfe", 2}, {"\\\"\\\"", 4},
    {"\t", 1},         {"\\\"\r", 3},
};

/* Readers take a quote behind a backslash at the end of a line for the end of the text. */
Test(hp_writer, a_line_feed_where_no_reader_expects_it_becomes_a_blank)
{
    header(HPF_HEADER_JOB, HPF_STR("a\\\"\nb\\\" \n\n\"\nc\n"));
    sample(1, NULL, 0);
    hpf_model *model = read_back();
    cr_expect(same(hpf_model_header(model, HPF_HEADER_JOB), HPF_STR("a\\\" b\\\"   \"\nc\n")));
    hpf_model_destroy(model);
}

Test(hp_writer, header_texts_are_read_back_as_they_were)
{
    for (size_t i = 0; i < sizeof header_texts / sizeof *header_texts; i++) {
        for (size_t k = 0; k < sizeof header_texts / sizeof *header_texts; k++) {
            tear_down();
            set_up();
            header(HPF_HEADER_JOB, header_texts[i]);
            header(HPF_HEADER_DATE, header_texts[k]);
            sample(1, NULL, 0);
            hpf_model *model = read_back();
            cr_expect(same(hpf_model_header(model, HPF_HEADER_JOB), header_texts[i]), "%s",
                      header_texts[i].data);
            cr_expect(same(hpf_model_header(model, HPF_HEADER_DATE), header_texts[k]), "%s",
                      header_texts[k].data);
            hpf_model_destroy(model);
        }
    }
}

/* What may be done to a name: each byte stays, or becomes '_'; one '_' may come first. */
static bool is_faithful(hpf_str got, hpf_str original)
{
    if (got.length == original.length + 1 && got.data[0] == '_') {
        got.data++;
        got.length--;
    }
    bool is_same_length = got.length == original.length;
    for (size_t i = 0; is_same_length && i < got.length; i++) {
        if (got.data[i] != original.data[i] && got.data[i] != '_') {
            return false;
        }
    }
    return is_same_length;
}

static void expect_faithful(hpf_str text)
{
    tear_down();
    set_up();
    name(0, text);
    name(1, HPF_STR("4next"));
    hpf_cost costs[] = {{.name = 0, .whole = 5}, {.name = 1, .whole = 6}, {.name = 0, .whole = 7}};
    sample(1, costs, 3);
    sample(2, costs, 2);
    hpf_model *model = read_back();
    cr_assert_eq(hpf_model_n_names(model), 2, "'%.*s'", (int)text.length, text.data);
    hpf_sample got = hpf_model_sample(model, 0);
    cr_assert(got.n_costs == 3 && got.costs[0].name == 0 && got.costs[2].whole == 7);
    hpf_str read = hpf_model_name(model, 0);
    cr_assert(is_faithful(read, text), "'%.*s' became '%.*s'", (int)text.length, text.data,
              (int)read.length, read.data);
    hpf_model_destroy(model);
}

Test(hp_writer, odd_names_are_read_back_as_one_name)
{
    static const char *const names[] = {
        "",        " ",
        "foo bar", "foo 5",
        "foo 5 6", "5",
        "JOB",     "JOB x",
        "MARK 5",  "JOBS",
        "\"x\"",   "x\"",
        "a\tb",    "a\t5",
        "\ta",     "a\t",
        "a\nb",    "a\n5",
        "\n",      "a\r",
        "a\rb",    "a\vb",
        "(a b) c", "BEGIN_SAMPLE",
        "_",       "5e3",
        "e3",      "a 5e3",
        "a  b",    " 5",
        "a \" b",  "END_SAMPLE 1.0",
        "a\f5",    "\xc3\xa4 \xff",
        "a b 5",   "5 a 5",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect_faithful((hpf_str){names[i], strlen(names[i])});
    }
    expect_faithful(HPF_STR("a\0b"));
    expect_faithful(HPF_STR("\0"));
}

Test(hp_writer, random_names_are_read_back_as_one_name)
{
    static const char bytes[] = "ab5 5\t\n\r\"\\e.MARK\xc3\0";
    rng chance = {47};
    for (int round = 0; round < 4000; round++) {
        char text[12];
        size_t n = (size_t)rng_below(&chance, sizeof text);
        for (size_t i = 0; i < n; i++) {
            text[i] = bytes[rng_below(&chance, sizeof bytes)];
        }
        expect_faithful((hpf_str){text, n});
    }
}

static const hpf_writer_options flushing_options = {.size = sizeof flushing_options,
                                                    .flush_samples = true};

Test(hp_writer, a_follower_sees_whole_samples_only)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    hpf_sink *to_pipe = hpf_sink_to_fd(ends[1]);
    hpf_writer *flushing = create_writer(&hpf_format_hp, to_pipe, &flushing_options);
    cr_assert_eq(hpf_writer_events.name(flushing, 0, HPF_STR("x"), NULL), HPF_OK);
    for (int i = 0; i < 3; i++) {
        hpf_cost cost = {.whole = 5};
        hpf_sample s = {.time = i, .costs = &cost, .n_costs = 1};
        cr_assert_eq(hpf_writer_events.sample(flushing, &s, NULL), HPF_OK);
        char got[4096];
        ssize_t n = read(ends[0], got, sizeof got);
        cr_assert_gt(n, 0);
        got[n] = '\0';
        char last[40];
        snprintf(last, sizeof last, "x\t5\nEND_SAMPLE %d.000000\n", i);
        cr_assert_str_eq(got + (size_t)n - strlen(last), last);
    }
    hpf_writer_destroy(flushing);
    hpf_sink_destroy(to_pipe);
}

Test(hp_writer, a_full_device_is_an_error)
{
    if (access("/dev/full", W_OK) != 0) {
        cr_skip_test("no /dev/full");
    }
    hpf_error err;
    hpf_sink *full = hpf_sink_to_path("/dev/full", &err);
    hpf_writer *to_full = create_writer(&hpf_format_hp, full, &flushing_options);
    hpf_sample s = {.time = 1};
    cr_assert_eq(hpf_writer_events.sample(to_full, &s, &err), HPF_ERR_IO);
    cr_assert_eq(hpf_writer_finish(to_full, &err), HPF_ERR_IO);
    hpf_writer_destroy(to_full);
    hpf_sink_destroy(full);
}

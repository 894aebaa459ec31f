/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles as JSON: what is written, what is read, and that both are the same.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "retold.h"

#define HEAD "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

static hpf_str str(const char *text)
{
    return (hpf_str){text, strlen(text)};
}

static void expect_events(const char *json, const char *expected)
{
    hpf_error err = {.status = HPF_OK};
    char *got = events_of(&hpf_format_json, str(json), &err);
    cr_assert_not_null(got, "%u:%u: %s", err.line, err.column, err.message);
    cr_expect_str_eq(got, expected);
    free(got);
}

static const char *const whole = HEAD "BEGIN_SAMPLE 0.500000\na\t18446744073709551615\n"
                                      "b \"x\"\t2.0\nEND_SAMPLE 0.500000\n"
                                      "MARK 0.700000\n"
                                      "BEGIN_SAMPLE 1.000000\nEND_SAMPLE 1.000000\n";

Test(json_profile, is_written)
{
    char *got = retold_as(&hpf_format_json, str(whole));
    cr_assert_str_eq(got, "{\n"
                          "  \"format\": \"heapcensus profile\",\n"
                          "  \"version\": 1,\n"
                          "  \"job\": \"j\",\n"
                          "  \"date\": \"d\",\n"
                          "  \"sample_unit\": \"seconds\",\n"
                          "  \"value_unit\": \"bytes\",\n"
                          "  \"marks\": [\n"
                          "    {\n"
                          "      \"time\": 0.7,\n"
                          "      \"label\": \"\"\n"
                          "    }\n"
                          "  ],\n"
                          "  \"samples\": [\n"
                          "    {\"time\": 0.5, \"costs\": {\"a\": 18446744073709551615, "
                          "\"b \\\"x\\\"\": 2.0}},\n"
                          "    {\"time\": 1, \"costs\": {}}\n"
                          "  ]\n"
                          "}\n");
    free(got);
}

Test(json_profile, is_read_back_as_it_was)
{
    char *json = retold_as(&hpf_format_json, str(whole));
    char *hp = retold_as_hp(&hpf_format_json, str(json), NULL);
    cr_assert_str_eq(hp, whole);
    free(hp);
    free(json);
}

Test(json_profile, bytes_that_are_not_text_are_restored)
{
    const char *hp = HEAD "BEGIN_SAMPLE 1.000000\n\xff\xc3\xa9\xed\xa0\x80\t5\n"
                          "END_SAMPLE 1.000000\n";
    char *json = retold_as(&hpf_format_json, str(hp));
    char *back = retold_as_hp(&hpf_format_json, str(json), NULL);
    cr_assert_str_eq(back, hp);
    free(back);
    free(json);
}

Test(json_profile, members_come_in_any_order_and_unknown_ones_are_skipped)
{
    expect_events("{\"samples\": [{\"costs\": {\"a\": 1, \"a\": 2}, \"more\": [{}, [null]],"
                  " \"time\": 1e1}],\n \"x\": {\"y\": [true, -1]}, \"marks\": [{\"time\": 3}],"
                  " \"job\": \"j\"}",
                  "name 0 a\nsample 10 [0,0) 0=1 0=2\nJOB j\nmark 3 \nDATE \n"
                  "SAMPLE_UNIT seconds\nVALUE_UNIT bytes\n");
}

Test(json_profile, marks_come_before_samples_that_are_not_earlier)
{
    expect_events("{\"job\": \"\", \"date\": \"\", \"sample_unit\": \"\", \"value_unit\": \"\","
                  "\"marks\": [{\"time\": 1, \"label\": \"x\"}, {\"time\": 2}, {\"time\": 5}],"
                  "\"samples\": [{\"time\": 0, \"costs\": {}}, {\"time\": 2, \"costs\": {}}]}",
                  "JOB \nDATE \nSAMPLE_UNIT \nVALUE_UNIT \n"
                  "sample 0 [0,0)\nmark 1 x\nmark 2 \nsample 2 [0,0)\nmark 5 \n");
}

/* In the order in which they were emitted, which need not be the order of time. */
Test(json_profile, quantities_are_written_and_read_back)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_json, sink, NULL);
    const hpf_events *events = &hpf_writer_events;
    const hpf_sample none = {.time = 2};
    for (int i = 0; i < HPF_N_HEADERS; i++) {
        cr_assert_eq(events->header(writer, (hpf_header)i, HPF_STR(""), NULL), HPF_OK);
    }
    const hpf_quantity_point points[] = {{1, 4096}, {0.5, 0.25}};
    cr_assert_eq(events->quantity(writer, HPF_STR("heap"), points[0], NULL), HPF_OK);
    cr_assert_eq(events->quantity(writer, HPF_STR("a \"b\""), points[1], NULL), HPF_OK);
    cr_assert_eq(events->sample(writer, &none, NULL), HPF_OK);
    cr_expect_eq(events->quantity(writer, HPF_STR("heap"), points[1], NULL), HPF_ERR_ORDER);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    char *got = events_of(&hpf_format_json, hpf_sink_bytes(sink), NULL);
    cr_assert_str_eq(got, "JOB \nDATE \nSAMPLE_UNIT \nVALUE_UNIT \n"
                          "line heap 1 4096\nline a \"b\" 0.5 0.25\nsample 2 [0,0)\n");
    free(got);
    hpf_writer_destroy(writer);
    hpf_sink_destroy(sink);
}

Test(json_profile, escapes_are_resolved)
{
    expect_events("{\"job\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00|\\ud83d|"
                  "\\udcff|\\ud83d\\u0041|\\udc00|\\ud83d\\n\", \"date\": \"\","
                  "\"sample_unit\": \"\", \"value_unit\": \"\","
                  "\"samples\": [{\"time\": 0}]}",
                  "JOB \"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x98\x80|\xef\xbf\xbd|"
                  "\xff|\xef\xbf\xbd"
                  "A|\xef\xbf\xbd|\xef\xbf\xbd\n\nDATE \nSAMPLE_UNIT \nVALUE_UNIT \n"
                  "sample 0 [0,0)\n");
}

Test(json_profile, errors_have_a_place)
{
    static const struct {
        const char *text;
        hpf_status status;
        unsigned line, column;
    } cases[] = {
        {"", HPF_ERR_SYNTAX, 1, 1},
        {"[]", HPF_ERR_SYNTAX, 1, 1},
        {"{}", HPF_ERR_SYNTAX, 1, 1},
        {"{\"samples\": []}", HPF_ERR_SYNTAX, 1, 1},
        {"{\"samples\": [5]}", HPF_ERR_SYNTAX, 1, 14},
        {"{\"samples\": [{}]}", HPF_ERR_SYNTAX, 1, 14},
        {"{\"samples\": [{\"time\": 1} {}]}", HPF_ERR_SYNTAX, 1, 26},
        {"{\"samples\": [{\"time\": 2}, {\"time\": 1}]}", HPF_ERR_ORDER, 1, 36},
        {"{\"samples\": [{\"time\": -2}]}", HPF_ERR_SYNTAX, 1, 23},
        {"{\"samples\": [{\"time\": 1,\n \"costs\": {\"a\": \"b\"}}]}", HPF_ERR_SYNTAX, 2, 17},
        {"{\"samples\": [{\"time\": 1, \"costs\": {\"a\": 1e100}}]}", HPF_ERR_RANGE, 1, 41},
        {"{\"version\": 2}", HPF_ERR_VERSION, 1, 13},
        {"{\"marks\": [{}]}", HPF_ERR_SYNTAX, 1, 12},
        {"{\"lines\": [{\"time\": 1}]}", HPF_ERR_SYNTAX, 1, 12},
        {"{\"lines\": [{\"name\": \"a\"}]}", HPF_ERR_SYNTAX, 1, 12},
        {"{\"lines\": [{\"name\": 5}]}", HPF_ERR_SYNTAX, 1, 21},
        {"{\"x\": }", HPF_ERR_SYNTAX, 1, 7},
        {"{\"x\": [", HPF_ERR_SYNTAX, 1, 8},
        {"{\"x\" 1}", HPF_ERR_SYNTAX, 1, 6},
        {"{5: 1}", HPF_ERR_SYNTAX, 1, 2},
        {"{\"x\": 1 \"y\": 2}", HPF_ERR_SYNTAX, 1, 9},
        {"{\"x\": nul}", HPF_ERR_SYNTAX, 1, 7},
        {"{\"x\": ?}", HPF_ERR_SYNTAX, 1, 7},
        {"{\"x", HPF_ERR_SYNTAX, 1, 2},
        {"{\"x\\", HPF_ERR_SYNTAX, 1, 2},
        {"{\"x\\q\": 1}", HPF_ERR_SYNTAX, 1, 5},
        {"{\"x\\u00g0\": 1}", HPF_ERR_SYNTAX, 1, 8},
        {"{\"x\n\": 1}", HPF_ERR_SYNTAX, 1, 4},
        {"{\"samples\": [{\"time\": 1}]} {}", HPF_ERR_SYNTAX, 1, 28},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_error err = {.status = HPF_OK};
        cr_expect_null(events_of(&hpf_format_json, str(cases[i].text), &err), "%s", cases[i].text);
        cr_expect(err.status == cases[i].status && err.line == cases[i].line &&
                      err.column == cases[i].column,
                  "%s: %d %u:%u %s", cases[i].text, err.status, err.line, err.column, err.message);
    }
}

Test(json_profile, the_writer_needs_headers_before_samples)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_json, sink, NULL);
    const hpf_events *events = &hpf_writer_events;
    const hpf_sample none = {.time = 1};
    cr_expect_eq(events->sample(writer, &none, NULL), HPF_OK);
    cr_expect_eq(events->header(writer, HPF_HEADER_JOB, HPF_STR("j"), NULL), HPF_ERR_ORDER);
    cr_expect_eq(events->mark(writer, 1, HPF_STR(""), NULL), HPF_ERR_ORDER);
    hpf_writer_destroy(writer);
    hpf_sink_destroy(sink);
}

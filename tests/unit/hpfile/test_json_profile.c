/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles as JSON, as they are written.
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

Test(json_profile, bytes_that_are_not_text_are_surrogates)
{
    char *got =
        retold_as(&hpf_format_json, str(HEAD "BEGIN_SAMPLE 1.000000\n\xff\xc3\xa9\xed\xa0\x80\t5\n"
                                             "END_SAMPLE 1.000000\n"));
    cr_expect(strstr(got, "\"\\udcff\xc3\xa9\\udced\\udca0\\udc80\": 5"), "%s", got);
    free(got);
}

/* In the order in which they were emitted, which need not be the order of time. */
Test(json_profile, quantities_are_written)
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
    hpf_sink_write(sink, "", 1);
    cr_expect(strstr(hpf_sink_bytes(sink).data,
                     "  \"lines\": [\n"
                     "    {\"time\": 1, \"name\": \"heap\", \"value\": 4096},\n"
                     "    {\"time\": 0.5, \"name\": \"a \\\"b\\\"\", \"value\": 0.25}\n"
                     "  ],\n"));
    hpf_writer_destroy(writer);
    hpf_sink_destroy(sink);
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

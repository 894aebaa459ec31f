/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The chart as data: a complete document, byte for byte, and names that are not valid UTF-8.
 */
#include <criterion/criterion.h>

#include "profile.h"
#include "hprender/render.h"

/* Returns the JSON text of a profile in the classic look, owned by the sink. */
static const char *json_of(const char *profile_text, const hpr_options *options, hpf_sink *sink)
{
    test_profile profile = test_profile_open(profile_text, 0);
    hpr_measurer none = {.measure = NULL};
    hpr_chart *chart = NULL;
    hpr_output output = {.size = sizeof output, .software = "test"};
    cr_assert_eq(hpr_chart_create(&chart, profile.survey, options, none, NULL), HPF_OK);
    const hpr_backend *json = hpr_backend_by_name("json");
    cr_assert_eq(json->write(chart, NULL, &output, sink, NULL), HPF_OK);
    hpr_chart_destroy(chart);
    test_profile_close(&profile);
    hpf_sink_write(sink, "", 1);
    return hpf_sink_bytes(sink).data;
}

Test(backend_json, writes_a_complete_chart)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    hpf_sink *sink = hpf_sink_to_memory();
    options.classic.colour = true;
    options.classic.key_pages = true;
    const char *text = json_of(PROFILE_HEADERS "BEGIN_SAMPLE 0.5\na 6\nEND_SAMPLE 0.5\nMARK 1.0\n"
                                               "BEGIN_SAMPLE 2.5\na 2\nEND_SAMPLE 2.5\n",
                               &options, sink);
    static const char *const parts[] = {
        "{\n  \"look\": \"classic\",\n  \"job\": \"demo\",\n  \"date\": \"today\",\n"
        "  \"sample_unit\": \"seconds\",\n  \"value_unit\": \"bytes\",\n"
        "  \"sample_times\": [0.5, 2.5],\n  \"reduced\": false,\n  \"bands\": [\n    {\n      "
        "\"name\": \"a\",\n"
        "      \"position\": 1,\n      \"fill\": \"#000000\",\n      \"shade\": 0,\n"
        "      \"is_other\": false,\n      \"names\": 1,\n      \"sum\": 8,\n      \"area\": 8,\n"
        "      \"max\": 6,\n      \"label\": {\n        \"place\": \"key\",\n"
        "        \"text\": \"a\",\n        \"page\": 1,\n        \"at\": [69, 186],\n"
        "        \"size_pt\": 10,\n        \"box\": [50, 184]\n      },\n"
        "      \"values\": [6, 2]\n    }\n  ],\n",
        "  \"totals\": [6, 2],\n  \"caption\": null,\n  \"other_names\": 0,\n  \"dropped_names\": "
        "0,\n  \"area\": 8,\n"
        "  \"peak\": {\n    \"value\": 6,\n    \"time\": 0.5\n  },\n  \"x_range\": [0.5, 2.5],\n"
        "  \"y_range\": [0, 6],\n",
        "\"key\": [\"a\"],\n  \"title\": {\n    \"box\": \"small\",\n    \"job\": \"demo\",\n"
        "    \"area\": \"8 bytes x seconds\",\n    \"date\": \"today\"\n  },\n"
        "  \"marks\": [1],\n  \"mark_labels\": [\"\"],\n  \"marks_x_pt\": [193.25],\n",
        "\"plot\": [45, 20, 593, 382],\n    \"key_pages\": 1,\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cr_expect_not_null(strstr(text, parts[i]), "part %zu of %s", i, text);
    }
    hpf_sink_destroy(sink);
}

Test(backend_json, keeps_every_byte_of_a_name)
{
    hpr_options options = hpr_options_default(HPR_LOOK_CLASSIC);
    hpf_sink *sink = hpf_sink_to_memory();
    const char *text = json_of(PROFILE_HEADERS "BEGIN_SAMPLE 0.0\ncaf\xe9\\\"\xc3\xa9 6\n"
                                               "END_SAMPLE 0.0\n",
                               &options, sink);
    cr_assert_not_null(strstr(text, "\"name\": \"caf\\udce9\\\\\\\"\xc3\xa9\""));
    hpf_sink_destroy(sink);
}

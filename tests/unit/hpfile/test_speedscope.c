/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The file that is written for speedscope, in full.
 */
#include <criterion/criterion.h>

#include "hpfile/speedscope.h"

static const char expected[] =
    "{\n"
    "  \"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n"
    "  \"exporter\": \"heapcensus\",\n"
    "  \"name\": \"prog \\\"x\\\"\",\n"
    "  \"activeProfileIndex\": 0,\n"
    "  \"shared\": {\n"
    "    \"frames\": [\n"
    "      {\n"
    "        \"name\": \"go\",\n"
    "        \"file\": \"A.hs\",\n"
    "        \"line\": 7,\n"
    "        \"col\": 1\n"
    "      },\n"
    "      {\n"
    "        \"name\": \"main\"\n"
    "      }\n"
    "    ]\n"
    "  },\n"
    "  \"profiles\": [\n"
    "    {\n"
    "      \"type\": \"sampled\",\n"
    "      \"name\": \"heap\",\n"
    "      \"unit\": \"bytes\",\n"
    "      \"startValue\": 0,\n"
    "      \"endValue\": 12.5,\n"
    "      \"samples\": [\n"
    "        [1, 0],\n"
    "        [1],\n"
    "        [1, 0]\n"
    "      ],\n"
    "      \"weights\": [8, 0.5, 4]\n"
    "    },\n"
    "    {\n"
    "      \"type\": \"sampled\",\n"
    "      \"name\": \"nothing\",\n"
    "      \"unit\": \"nanoseconds\",\n"
    "      \"startValue\": 0,\n"
    "      \"endValue\": 0,\n"
    "      \"samples\": [],\n"
    "      \"weights\": []\n"
    "    }\n"
    "  ]\n"
    "}\n";

Test(speedscope, frames_are_shared_and_samples_keep_their_order)
{
    const hpf_frame frames[] = {
        {.label = HPF_STR("go"), .source = HPF_STR("A.hs:7:1-9")},
        {.label = HPF_STR("main"), .source = HPF_STR("<no location info>")},
    };
    uint32_t both = 0;
    uint32_t one = 0;
    hpf_stacks *stacks = hpf_stacks_create();
    cr_assert_eq(hpf_stacks_of_frames(stacks, frames, 2, &both, NULL), HPF_OK);
    cr_assert_eq(hpf_stacks_of_frames(stacks, frames + 1, 1, &one, NULL), HPF_OK);
    const uint32_t samples[] = {both, one, both};
    const double weights[] = {8, 0.5, 4};
    const hpf_speedscope_profile profiles[] = {
        {HPF_STR("heap"), HPF_SPEEDSCOPE_BYTES, samples, weights, 3},
        {HPF_STR("nothing"), HPF_SPEEDSCOPE_NANOSECONDS, NULL, NULL, 0},
    };
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_speedscope_write(sink, HPF_STR("prog \"x\""), stacks, profiles, 2);
    hpf_sink_write(sink, "", 1);
    cr_expect_str_eq(hpf_sink_bytes(sink).data, expected);
    hpf_sink_destroy(sink);
    hpf_stacks_destroy(stacks);
}

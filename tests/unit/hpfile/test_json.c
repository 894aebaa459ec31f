/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON writing: layout, escapes, numbers.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "base/json.h"

static hpf_sink *sink;
static hpf_json json;

static void set_up(void)
{
    sink = hpf_sink_to_memory();
    json = hpf_json_begin(sink);
}

static void tear_down(void)
{
    hpf_sink_destroy(sink);
}

TestSuite(json, .init = set_up, .fini = tear_down);

static void expect(const char *text)
{
    hpf_json_end(&json);
    hpf_sink_write(sink, "", 1);
    cr_assert_str_eq(hpf_sink_bytes(sink).data, text);
}

Test(json, members_have_lines_and_numbers_share_one)
{
    hpf_json_object(&json, NULL);
    hpf_json_text(&json, "job", "queens");
    hpf_json_array(&json, "times");
    hpf_json_number(&json, NULL, 0);
    hpf_json_number(&json, NULL, 0.5);
    hpf_json_close(&json);
    hpf_json_bool(&json, "whole", true);
    hpf_json_close(&json);
    expect("{\n  \"job\": \"queens\",\n  \"times\": [0, 0.5],\n  \"whole\": true\n}\n");
}

Test(json, objects_in_an_array_have_lines)
{
    hpf_json_array(&json, NULL);
    hpf_json_object(&json, NULL);
    hpf_json_close(&json);
    hpf_json_object(&json, NULL);
    hpf_json_whole(&json, "n", UINT64_MAX);
    expect("[\n  {},\n  {\n    \"n\": 18446744073709551615\n  }\n]\n");
}

Test(json, empty_brackets_stay_together)
{
    hpf_json_array(&json, NULL);
    expect("[]\n");
}

Test(json, controls_quotes_and_backslashes_are_escaped)
{
    hpf_json_str(&json, NULL, HPF_STR("a\"b\\c\nd\te\x01\x7f/"));
    expect("\"a\\\"b\\\\c\\nd\\te\\u0001\\u007f/\"\n");
}

Test(json, bytes_that_are_not_utf8_are_replaced_one_by_one)
{
    hpf_json_str(&json, NULL, HPF_STR("\xe2\x8a\x95\xe2\x8a|\xff"));
    expect("\"\xe2\x8a\x95\\ufffd\\ufffd|\\ufffd\"\n");
}

Test(json, bytes_that_are_not_utf8_can_be_kept)
{
    hpf_json_bytes(&json, NULL, HPF_STR("\xc3\xa9\xe9\n"));
    expect("\"\xc3\xa9\\udce9\\n\"\n");
}

Test(json, numbers_that_are_not_finite_are_null)
{
    hpf_json_array(&json, NULL);
    hpf_json_number(&json, NULL, INFINITY);
    hpf_json_number(&json, NULL, NAN);
    hpf_json_text(&json, NULL, NULL);
    hpf_json_number(&json, NULL, 0.1);
    expect("[null, null, null, 0.1]\n");
}

Test(json, a_line_has_no_breaks_and_cannot_end_a_script)
{
    json = hpf_json_begin_line(sink);
    hpf_json_object(&json, NULL);
    hpf_json_bytes(&json, "name", HPF_STR("</script>\xff"));
    hpf_json_array(&json, "n");
    hpf_json_whole(&json, NULL, 1);
    hpf_json_whole(&json, NULL, 2);
    hpf_json_object(&json, NULL);
    expect("{\"name\":\"\\u003c/script>\\udcff\",\"n\":[1,2,{}]}");
}

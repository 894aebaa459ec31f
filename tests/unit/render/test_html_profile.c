/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile in the format of pages: names, their order, the budget.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hprender/html.h"
#include "profile.h"

static const char three_names[] =
    PROFILE_HEADERS "BEGIN_SAMPLE 0.5\nsmall\t1\nlarge\t100\nEND_SAMPLE 0.5\n"
                    "MARK 0.75\n"
                    "BEGIN_SAMPLE 1.5\nmiddle\t40\nlarge\t100\nEND_SAMPLE 1.5\n"
                    "BEGIN_SAMPLE 2.5\nsmall\t1\nlarge\t120\nEND_SAMPLE 2.5\n";

/* Returns the JSON text, to be freed; `*chosen` as in hpr_html_profile_json. */
static char *data_of(const char *profile, hpr_html_profile limits, uint32_t **chosen)
{
    const hpr_html_profile about = {.size = sizeof about,
                                    .id = 3,
                                    .epoch = 2,
                                    .file = "dir/run.hp",
                                    .state = "growing",
                                    .most_bytes = limits.most_bytes,
                                    .most_names = limits.most_names};
    test_profile p = test_profile_open(profile, 0);
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_error err;
    cr_assert_eq(hpr_html_profile_json(p.survey, &about, sink, chosen, &err), HPF_OK);
    hpf_str bytes = hpf_sink_bytes(sink);
    char *text = malloc(bytes.length + 1);
    memcpy(text, bytes.data, bytes.length);
    text[bytes.length] = '\0';
    hpf_sink_destroy(sink);
    test_profile_close(&p);
    return text;
}

static void expect_in(const char *text, const char *part)
{
    cr_expect(strstr(text, part), "no %s in %s", part, text);
}

Test(html_profile, has_headers_and_state)
{
    char *text = data_of(three_names, (hpr_html_profile){0}, NULL);
    expect_in(text, "\"id\":3,\"epoch\":2,\"title\":\"demo\",\"file\":\"dir/run.hp\"");
    expect_in(text, "\"state\":\"growing\",\"n_samples\":3");
    expect_in(text, "\"marks\":[{\"time\":0.75,\"label\":\"\"}]");
    expect_in(text, "\"rest\":null");
    cr_expect_null(strchr(text, '\n'));
    free(text);
}

Test(html_profile, names_are_largest_first)
{
    uint32_t *chosen = NULL;
    char *text = data_of(three_names, (hpr_html_profile){0}, &chosen);
    const char *large = strstr(text, "\"large\"");
    const char *middle = strstr(text, "\"middle\"");
    const char *small = strstr(text, "\"small\"");
    cr_assert(large && middle && small);
    cr_expect(large < middle && middle < small);
    cr_expect_eq(chosen[0], 2); /* small came first */
    cr_expect_eq(chosen[1], 0);
    cr_expect_eq(chosen[2], 1);
    free(chosen);
    free(text);
}

Test(html_profile, series_are_packed)
{
    char *text = data_of(three_names, (hpr_html_profile){0}, NULL);
    /* 100, 100, 120 without decimals: a difference, none, a difference. */
    expect_in(text, "\"name\":\"large\",\"colour\":[");
    expect_in(text, "\"column\":\"AJADAFA=\"");
    free(text);
}

Test(html_profile, page_has_the_order_of_the_picture)
{
    const char *const name = "run";
    hpr_options page = hpr_options_default(HPR_LOOK_MODERN);
    page.order = HPR_ORDER_NAME;
    test_profile p = test_profile_open(three_names, 0);
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpr_html_write(&p.survey, &name, 1, &page, sink, NULL), HPF_OK);
    hpf_sink_write(sink, "", 1);
    expect_in(hpf_sink_bytes(sink).data, "\"order\":[\"small\",\"middle\",\"large\"]");
    hpf_sink_destroy(sink);
    test_profile_close(&p);

    char *growing = data_of(three_names, (hpr_html_profile){0}, NULL);
    cr_expect_null(strstr(growing, "\"order\""));
    free(growing);
}

Test(html_profile, names_beyond_the_limit_join_the_rest)
{
    uint32_t *chosen = NULL;
    const hpr_html_profile limits = {.most_names = 1};
    char *text = data_of(three_names, limits, &chosen);
    cr_expect_null(strstr(text, "\"middle\""));
    /* 1, 40, 1. */
    expect_in(text, "\"rest\":{\"n\":2,\"column\":\"AASc");
    cr_expect_eq(chosen[0], UINT32_MAX);
    cr_expect_eq(chosen[1], 0);
    cr_expect_eq(chosen[2], UINT32_MAX);
    free(chosen);
    free(text);
}

Test(html_profile, budget_counts_bytes)
{
    const hpr_html_profile limits = {.most_bytes = 76};
    char *text = data_of(three_names, limits, NULL);
    expect_in(text, "\"large\"");
    cr_expect_null(strstr(text, "\"middle\""));
    expect_in(text, "\"rest\":{\"n\":2,");
    free(text);
}

Test(html_profile, hostile_names_cannot_leave_the_script_element)
{
    char *text = data_of(PROFILE_HEADERS "BEGIN_SAMPLE 1\n</script><b>\"'\xff\t1\nEND_SAMPLE 1\n",
                         (hpr_html_profile){0}, NULL);
    cr_expect_null(strchr(text, '<'));
    expect_in(text, "\\u003c/script>\\u003cb>\\\"'\\udcff");
    free(text);
}

Test(html_profile, name_has_the_same_colours_everywhere)
{
    char *text = data_of(three_names, (hpr_html_profile){0}, NULL);
    hpf_sink *sink = hpf_sink_to_memory();
    hpr_html_name_json(HPF_STR("(12)large"), NULL, 0, sink);
    hpr_html_name_json(HPF_STR("(3)leaf/main"), NULL, 0, sink);
    hpr_html_name_json(HPF_STR("DRAG"), NULL, 0, sink);
    hpf_sink_write(sink, "", 1);
    const char *list = hpf_sink_bytes(sink).data;
    const char *here = strstr(list, "\"colour\":");
    const char *there = strstr(strstr(text, "\"name\":\"large\""), "\"colour\":");
    cr_assert(here && there);
    cr_expect_eq(strncmp(here, there, strlen("\"colour\":[\"#000000\",\"#000000\"]")), 0);
    expect_in(list, "{\"name\":\"DRAG\",\"colour\":[\"#f4ab4e\",\"#fdb45a\"],\"stack\":[[\"DRAG\","
                    "\"\",\"\"]]}");
    expect_in(list, "\"stack\":[[\"main\",\"\",\"\"],[\"leaf\",\"\",\"\"]]}");
    hpf_sink_destroy(sink);
    free(text);
}

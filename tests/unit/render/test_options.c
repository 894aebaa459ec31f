/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options of pictures begin with their size: programs built with older headers have shorter ones.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "hprender/backend.h"
#include "hprender/diff.h"
#include "hprender/html.h"
#include "hprender/page.h"
#include "made_up_font.h"
#include "profile.h"

static const char two_names[] = PROFILE_HEADERS "BEGIN_SAMPLE 0\nf\t1\ng\t2\nEND_SAMPLE 0\n"
                                                "BEGIN_SAMPLE 1\nf\t3\ng\t4\nEND_SAMPLE 1\n";

Test(options, later_members_of_an_older_struct_have_their_defaults)
{
    hpr_options older = {.size = offsetof(hpr_options, tolerance_pt), .tolerance_pt = NAN};
    hpr_options_init(&older, HPR_LOOK_MODERN);
    cr_expect(isnan(older.tolerance_pt), "not a member of the older struct");
    test_profile p = test_profile_open(two_names, 0);
    hpr_chart *chart = NULL;
    hpr_scene *scene = NULL;
    cr_assert_eq(hpr_chart_create(&chart, p.survey, &older, made_up_measurer, NULL), HPF_OK);
    cr_assert_eq(hpr_scene_create(&scene, chart, &older, made_up_measurer, NULL), HPF_OK);
    cr_expect_eq(chart->n_bands, 2);
    hpr_scene_destroy(scene);
    hpr_chart_destroy(chart);
    test_profile_close(&p);
}

/* Calls every function that takes options and reports errors. */
static void expect_refused(const hpr_options *options, const char *message)
{
    static const hpr_output output = {.size = sizeof output};
    const char *const name = "run";
    const hpr_options good = hpr_options_default(HPR_LOOK_MODERN);
    const hpr_backend *svg = hpr_backend_by_name("svg");
    test_profile p = test_profile_open(two_names, 0);
    const hpr_page_source source = {p.survey, "run"};
    hpf_survey *const both[] = {p.survey, p.survey};
    hpf_sink *sink = hpf_sink_to_memory();
    hpr_chart *chart = NULL, *other = NULL;
    hpr_scene *scene = NULL;
    hpr_page *page = NULL, *no_page = NULL;
    hpf_diff *diff = NULL;
    hpf_error err = {0};
    cr_assert_eq(hpr_chart_create(&chart, p.survey, &good, made_up_measurer, NULL), HPF_OK);
    cr_assert_eq(hpr_page_create(&page, &source, 1, &good, made_up_measurer, NULL), HPF_OK);
    cr_assert_eq(hpf_diff_create(&diff, p.survey, p.survey, false, NULL), HPF_OK);
    const hpf_status statuses[] = {
        hpr_chart_create(&other, p.survey, options, made_up_measurer, &err),
        hpr_diff_chart_create(&other, diff, both, options, made_up_measurer, &err),
        hpr_scene_create(&scene, chart, options, made_up_measurer, &err),
        hpr_write(chart, options, svg, &output, sink, &err),
        hpr_page_create(&no_page, &source, 1, options, made_up_measurer, &err),
        hpr_page_scene_create(&scene, page, options, made_up_measurer, &err),
        hpr_page_write(page, options, svg, &output, sink, &err),
        hpr_html_write(&p.survey, &name, 1, options, sink, &err),
        hpr_html_write_live("/events", NULL, options, sink, &err),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        cr_expect_eq(statuses[i], HPF_ERR_ARGUMENT, "%zu", i);
    }
    cr_expect_not(other || scene || no_page);
    cr_expect_eq(strncmp(err.message, message, strlen(message)), 0, "%s", err.message);
    hpf_diff_destroy(diff);
    hpr_page_destroy(page);
    hpr_chart_destroy(chart);
    hpf_sink_destroy(sink);
    test_profile_close(&p);
}

Test(options, a_size_that_is_not_set_or_too_large_is_an_error)
{
    static const hpr_options not_set;
    hpr_options too_large = {.size = sizeof too_large + 8};
    expect_refused(&not_set, "options of 0 bytes, expected at most ");
    expect_refused(&too_large, "options of ");
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Details of bands for tooltips: frames, closures, members of retainer sets.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "hpfile/survey.h"
#include "hpfile/str.h"
#include "hprender/render.h"
#include "log_build.h"
#include "made_up_font.h"

static hpf_survey *survey_of(hpf_source **source, hpf_str bytes)
{
    const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_survey *survey = NULL;
    cr_assert_eq(hpf_source_from_memory(source, bytes, &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&survey, *source, NULL, NULL), HPF_OK);
    return survey;
}

static hpr_chart *chart_of(hpf_survey *survey)
{
    const hpr_options options = {.size = sizeof options, .look = HPR_LOOK_MODERN};
    hpr_chart *chart = NULL;
    cr_assert_eq(hpr_chart_create(&chart, survey, &options, made_up_measurer, NULL), HPF_OK);
    return chart;
}

static const hpr_band *band_of(const hpr_chart *chart, const char *name)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        if (hpf_str_is(chart->bands[i].name, name)) {
            return &chart->bands[i];
        }
    }
    cr_assert_fail("no %s", name);
    return NULL;
}

Test(tooltip, stacks_of_logs_have_their_frames)
{
    hpf_sink *log = hpf_sink_to_memory();
    hpf_source *source = NULL;
    log_put_example(log);
    hpf_survey *survey = survey_of(&source, hpf_sink_bytes(log));
    hpr_chart *chart = chart_of(survey);
    const hpr_band *band = band_of(chart, "go/main");
    cr_expect_str_eq(band->tooltip, "go/main\ngo  Main  Main.hs:5:1-9\nmain  Main  Main.hs:3:1-10");
    cr_assert_eq(band->n_frames, 2);
    cr_expect(hpf_str_is(band->frames[1].source, "Main.hs:3:1-10"));
    cr_expect_null(band_of(chart, "MAIN")->tooltip);
    hpf_survey_destroy(survey);
    cr_expect(hpf_str_is(band->frames[0].label, "go"), "the chart has copies");
    hpr_chart_destroy(chart);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

static void put_example_of_info_tables(hpf_sink *log)
{
    log_begin(log, 0);
    log_end_header(log);
    log_put(log, 169, 1, "8ssssss", 0x409f78ULL, "sat_info", "15", "[Int]", "main", "Main",
            "Main.hs:5:1-30");
    log_put(log, 169, 1, "8ssssss", 0x409fd8ULL, "con_info", "99", "", "C", "Main", "");
    log_put(log, 160, 1, "184sssssss", 0ULL, 1000ULL, 8ULL, "", "", "", "", "", "", "");
    log_put(log, 162, 2, "8", 0ULL);
    log_put(log, 164, 2, "18s", 0ULL, 10ULL, "0x409f78");
    log_put(log, 164, 2, "18s", 0ULL, 10ULL, "0x409fd8");
    log_put(log, 165, 2, "8", 0ULL);
    log_end(log);
}

Test(tooltip, info_tables_describe_closures)
{
    hpf_sink *log = hpf_sink_to_memory();
    hpf_source *source = NULL;
    put_example_of_info_tables(log);
    hpf_survey *survey = survey_of(&source, hpf_sink_bytes(log));
    hpr_chart *chart = chart_of(survey);
    cr_expect_str_eq(band_of(chart, "sat_info Main.main Main.hs:5:1-30")->tooltip,
                     "sat_info Main.main Main.hs:5:1-30\nmain  Main  Main.hs:5:1-30\nTHUNK  [Int]");
    cr_expect_str_eq(band_of(chart, "con_info Main.C")->tooltip, "con_info Main.C\nC  Main\n99");
    hpf_survey_destroy(survey);
    hpr_chart_destroy(chart);
    hpf_source_destroy(source);
    hpf_sink_destroy(log);
}

static const char profile[] = "JOB \"x -hr\"\nDATE \"\"\nSAMPLE_UNIT \"seconds\"\n"
                              "VALUE_UNIT \"bytes\"\n"
                              "BEGIN_SAMPLE 0\n(105)SYSTEM,eval,lookupVa\t9\n(3)f\t8\n"
                              "END_SAMPLE 0\nBEGIN_SAMPLE 1\nEND_SAMPLE 1\n";
static const char report[] =
    "SET 3 = {<Main.g>}\n"
    "SET 105 = {<SYSTEM.SYSTEM>, <Main.eval>, <Main.lookupVar,Main.eval>}\n";

Test(tooltip, retainer_sets_have_their_members_and_whole_names)
{
    hpf_source *source = NULL;
    hpf_source *sets_source = NULL;
    hpf_retainer_sets *sets = NULL;
    cr_assert_eq(hpf_source_from_memory(&sets_source, HPF_STR(report), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_retainer_sets_read(&sets, sets_source, NULL), HPF_OK);
    hpf_survey *survey = survey_of(&source, HPF_STR(profile));
    hpf_survey_use_retainer_sets(survey, sets);
    hpr_chart *chart = chart_of(survey);
    const hpr_band *band = band_of(chart, "(105)SYSTEM,eval,lookupVa");
    cr_expect_str_eq(band->text, "(105)SYSTEM,eval,lookupVar");
    cr_expect_str_eq(band->tooltip, "(105)SYSTEM,eval,lookupVar\n<SYSTEM.SYSTEM>\n<Main.eval>\n"
                                    "<Main.lookupVar,Main.eval>");
    cr_expect(
        hpf_str_is(band->members, "<SYSTEM.SYSTEM>, <Main.eval>, <Main.lookupVar,Main.eval>"));
    cr_expect_null(band_of(chart, "(3)f")->tooltip);
    hpr_chart_destroy(chart);
    hpf_survey_destroy(survey);
    hpf_retainer_sets_destroy(sets);
    hpf_source_destroy(sets_source);
    hpf_source_destroy(source);
}

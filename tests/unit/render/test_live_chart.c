/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The chart of a live profile as data is the same as of the whole file, in both looks.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/live.h"
#include "hpfile/str.h"
#include "hprender/render.h"
#include "made_up_font.h"
#include "scratch.h"
#include "source_dir.h"

static hpf_sink *json_of(hpf_survey *survey, hpr_look look)
{
    hpr_options options = hpr_options_default(look);
    hpr_output output = {.size = sizeof output, .software = "test"};
    hpf_sink *sink = hpf_sink_to_memory();
    hpr_chart *chart = NULL;
    cr_assert_eq(hpr_chart_create(&chart, survey, &options, made_up_measurer, NULL), HPF_OK);
    cr_assert_eq(hpr_backend_by_name("json")->write(chart, NULL, &output, sink, NULL), HPF_OK);
    hpr_chart_destroy(chart);
    return sink;
}

static void expect_same_charts(hpf_survey *a, hpf_survey *b, const char *what)
{
    for (int look = 0; look < 2; look++) {
        hpf_sink *of_a = json_of(a, (hpr_look)look), *of_b = json_of(b, (hpr_look)look);
        cr_expect(hpf_str_equal(hpf_sink_bytes(of_a), hpf_sink_bytes(of_b)), "%s, look %d", what,
                  look);
        hpf_sink_destroy(of_a);
        hpf_sink_destroy(of_b);
    }
}

/* Adds the profile in pieces, and compares the layout after each. */
static void compare(const char *path, const char *name)
{
    hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_source *source = NULL;
    hpf_survey *whole = NULL, *survey = NULL;
    hpf_live *live = NULL;
    hpf_str text;
    char *bytes = read_file(path, &text.length);
    cr_assert_eq(hpf_source_open(&source, path, &keep, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_create(&whole, source, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_live_create(&live, NULL, NULL), HPF_OK);
    size_t step = text.length / 5 + 1;
    for (size_t at = 0; at < text.length; at += step) {
        size_t n = text.length - at < step ? text.length - at : step;
        cr_assert_eq(hpf_live_feed(live, bytes + at, n, NULL), HPF_OK);
        if (hpf_live_survey(&survey, live, NULL) == HPF_OK) {
            hpf_sink_destroy(json_of(survey, HPR_LOOK_MODERN));
        }
    }
    cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
    cr_assert_eq(hpf_live_survey(&survey, live, NULL), HPF_OK);
    expect_same_charts(survey, whole, name);
    hpf_live_destroy(live);
    hpf_survey_destroy(whole);
    hpf_source_destroy(source);
    free(bytes);
}

Test(live_chart, equals_the_chart_of_the_file, .timeout = 120)
{
    const char *folder = CENSUS_SOURCE_DIR "/tests/data/hp";
    unsigned n_profiles = 0;
    DIR *dir = opendir(folder);
    cr_assert_not_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length > 3 && strcmp(entry->d_name + length - 3, ".hp") == 0) {
            char path[1000];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            compare(path, entry->d_name);
            n_profiles++;
        }
    }
    closedir(dir);
    cr_assert_gt(n_profiles, 50);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bands that touch are told apart by every eye, and in grey: measured on all profiles at hand, in
 * all themes. The least that was found is printed.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hprender/render.h"

#include "style/colour.h"
#include "made_up_font.h"

/* The least over all neighbours. */
typedef struct least {
    double lightness_step, difference[HPR__N_VISIONS];
    size_t n_pairs;
} least;

static void measure_pair(least *l, const hpr_chart *chart, uint32_t upper)
{
    hpr__appearance x = hpr__appearance_of(chart->bands[upper - 1].fill.colour);
    hpr__appearance y = hpr__appearance_of(chart->bands[upper].fill.colour);
    double step = fabs(x.lab[HPR__VISION_NORMAL].lightness - y.lab[HPR__VISION_NORMAL].lightness);
    cr_expect_geq(step, 20, "%s on %s: L* %g", chart->bands[upper].text,
                  chart->bands[upper - 1].text, step);
    l->lightness_step = fmin(l->lightness_step, step);
    for (int eye = 0; eye < HPR__N_VISIONS; eye++) {
        double difference = hpr__lab_difference(x.lab[eye], y.lab[eye]);
        cr_expect_geq(difference, 15, "%s on %s: %g to eye %d", chart->bands[upper].text,
                      chart->bands[upper - 1].text, difference, eye);
        l->difference[eye] = fmin(l->difference[eye], difference);
    }
    l->n_pairs++;
}

/* Hatches that touch differ in direction; of two that have none, or dots, the grey differs. */
static void expect_other_hatch(const hpr_chart *chart, uint32_t upper)
{
    const hpr_fill *x = &chart->bands[upper - 1].fill;
    const hpr_fill *y = &chart->bands[upper].fill;
    cr_expect(x->hatch_gap_pt != y->hatch_gap_pt || x->hatch_deg != y->hatch_deg ||
                  x->hatch_is_crossed != y->hatch_is_crossed ||
                  fabs(x->colour.red - y->colour.red) >= 0.14,
              "%s on %s", chart->bands[upper].text, chart->bands[upper - 1].text);
}

static void check_chart(least *l, hpf_survey *survey, const hpr_options *options)
{
    hpr_chart *chart = NULL;
    cr_assert_eq(hpr_chart_create(&chart, survey, options, made_up_measurer, NULL), HPF_OK);
    for (uint32_t i = 1; i < chart->n_bands; i++) {
        if (options->theme == HPR_THEME_PRINT) {
            expect_other_hatch(chart, i);
        } else {
            measure_pair(l, chart, i);
        }
    }
    hpr_chart_destroy(chart);
}

/* Few bands, many bands, and percents, which lie in other orders. */
static void check_profile(least *l, const char *path, hpr_theme theme)
{
    static const hpf_source_options keep = {.keep = true};
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    options.theme = theme;
    cr_assert_eq(hpf_source_open(&source, path, &keep, NULL), HPF_OK, "%s", path);
    if (hpf_survey_create(&survey, source, NULL, NULL) == HPF_OK) { /* not all hold a profile */
        check_chart(l, survey, &options);
        options.normalise = true;
        options.order = HPR_ORDER_STDDEV;
        check_chart(l, survey, &options);
        options.normalise = false;
        options.n_bands = 60;
        options.trace_percent = 0;
        check_chart(l, survey, &options);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

static bool is_profile(const char *name)
{
    return strstr(name, ".hp") || strstr(name, ".eventlog");
}

static void check_directory(least *l, const char *directory, hpr_theme theme)
{
    DIR *dir = opendir(directory);
    cr_assert_not_null(dir, "%s", directory);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (is_profile(entry->d_name)) {
            check_profile(l, path, theme);
        }
    }
    closedir(dir);
}

static void check_themes(const char *const *directories)
{
    static const hpr_theme themes[] = {HPR_THEME_LIGHT, HPR_THEME_DARK, HPR_THEME_SLIDE,
                                       HPR_THEME_PRINT};
    static const char *const names[] = {"light", "dark", "slide", "print"};
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++) {
        least l = {HUGE_VAL, {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}, 0};
        for (size_t k = 0; directories[k]; k++) {
            check_directory(&l, directories[k], themes[i]);
        }
        if (themes[i] != HPR_THEME_PRINT) {
            cr_expect_gt(l.n_pairs, 0);
            printf("%s, %zu pairs: L* %.1f; normal %.1f, protan %.1f, deutan %.1f, tritan %.1f\n",
                   names[i], l.n_pairs, l.lightness_step, l.difference[HPR__VISION_NORMAL],
                   l.difference[HPR__VISION_PROTAN], l.difference[HPR__VISION_DEUTAN],
                   l.difference[HPR__VISION_TRITAN]);
        }
    }
}

Test(told_apart, bands_that_touch, .timeout = 120)
{
    static const char *const directories[] = {
        CENSUS_SOURCE_DIR "/samples/hp", CENSUS_SOURCE_DIR "/samples/eventlog",
        CENSUS_SOURCE_DIR "/tests/data/hp", CENSUS_SOURCE_DIR "/tests/data/eventlog", NULL};
    check_themes(directories);
}

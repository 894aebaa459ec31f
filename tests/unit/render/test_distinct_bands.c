/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bands that touch are distinct with every kind of vision, and in grey: by their colours or,
 * in few pairs, by the hairline between them. Measured on all samples in all themes.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hprender/render.h"

#include "style/palette.h"
#include "made_up_font.h"
#include "source_dir.h"

/* Pairs of bands that touch. */
typedef struct pairs {
    size_t n, n_alike; /* pairs of similar colours */
} pairs;

static void check_pair(pairs *p, const hpr_chart *chart, uint32_t upper, hpr_theme theme)
{
    hpr_colour fills[2] = {chart->bands[upper - 1].fill.colour, chart->bands[upper].fill.colour};
    hpr__appearance x = hpr__appearance_of(fills[0]), y = hpr__appearance_of(fills[1]);
    p->n++;
    if (!hpr__appearance_distinct(&x, &y)) {
        hpr_colour edge = hpr__edge_between(hpr__theme_of(theme), fills[0], fills[1]);
        for (int i = 0; i < 2; i++) {
            cr_expect_geq(hpr__colour_contrast(edge, fills[i]), 2, "%s on %s",
                          chart->bands[upper].text, chart->bands[upper - 1].text);
        }
        p->n_alike++;
    }
}

/* Returns whether a band is nowhere a twentieth as high as the highest one. */
static bool is_thin(const hpr_chart *chart, uint32_t band)
{
    double highest = 0;
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        highest = fmax(highest, chart->bands[i].max);
    }
    return chart->bands[band].max < 0.05 * highest;
}

/* Checks that fills that touch differ in direction or in grey. */
static void expect_other_hatch(const hpr_chart *chart, uint32_t upper)
{
    const hpr_fill *x = &chart->bands[upper - 1].fill;
    const hpr_fill *y = &chart->bands[upper].fill;
    cr_expect(x->hatch_gap_pt != y->hatch_gap_pt || x->hatch_deg != y->hatch_deg ||
                  fabs(x->colour.red - y->colour.red) >= 0.01 || is_thin(chart, upper) ||
                  is_thin(chart, upper - 1),
              "%s on %s", chart->bands[upper].text, chart->bands[upper - 1].text);
}

static void check_chart(pairs *p, hpf_survey *survey, const hpr_options *options)
{
    hpr_chart *chart = NULL;
    cr_assert_eq(hpr_chart_create(&chart, survey, options, made_up_measurer, NULL), HPF_OK);
    for (uint32_t i = 1; i < chart->n_bands; i++) {
        if (options->theme == HPR_THEME_PRINT) {
            expect_other_hatch(chart, i);
        } else {
            check_pair(p, chart, i, options->theme);
        }
    }
    hpr_chart_destroy(chart);
}

/* Checks few bands, many bands, and percents, whose orders differ. */
static void check_profile(pairs *p, const char *path, hpr_theme theme)
{
    static const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    options.theme = theme;
    cr_assert_eq(hpf_source_open(&source, path, &keep, NULL), HPF_OK, "%s", path);
    if (hpf_survey_create(&survey, source, NULL, NULL) == HPF_OK) { /* not all hold a profile */
        check_chart(p, survey, &options);
        options.normalise = true;
        options.order = HPR_ORDER_STDDEV;
        check_chart(p, survey, &options);
        options.normalise = false;
        options.n_bands = 60;
        options.trace_percent = 0;
        check_chart(p, survey, &options);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

static bool is_profile(const char *name)
{
    return strstr(name, ".hp") || strstr(name, ".eventlog");
}

static void check_directory(pairs *p, const char *directory, hpr_theme theme)
{
    DIR *dir = opendir(directory);
    cr_assert_not_null(dir, "%s", directory);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (is_profile(entry->d_name)) {
            check_profile(p, path, theme);
        }
    }
    closedir(dir);
}

static void check_themes(const char *const *directories)
{
    static const hpr_theme themes[] = {HPR_THEME_LIGHT, HPR_THEME_DARK, HPR_THEME_SLIDE,
                                       HPR_THEME_PRINT};
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++) {
        pairs p = {0, 0};
        for (size_t k = 0; directories[k]; k++) {
            check_directory(&p, directories[k], themes[i]);
        }
        if (themes[i] != HPR_THEME_PRINT) {
            cr_expect_gt(p.n, 1000);
            cr_expect_lt(p.n_alike, p.n / 2, "%zu of %zu", p.n_alike, p.n);
        }
    }
}

Test(distinct_bands, bands_that_touch, .timeout = 120)
{
    static const char *const directories[] = {
        CENSUS_SOURCE_DIR "/samples/hp", CENSUS_SOURCE_DIR "/samples/eventlog",
        CENSUS_SOURCE_DIR "/tests/data/hp", CENSUS_SOURCE_DIR "/tests/data/eventlog", NULL};
    check_themes(directories);
}

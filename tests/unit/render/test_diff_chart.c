/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Graphs of differences: the two stacks, the grid on which they are compared, and unusual pairs.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hprender/diff.h"

#include "made_up_font.h"
#include "profile.h"
#include "rng.h"

typedef struct pair {
    test_profile profiles[2];
    hpf_diff *diff;
    hpr_chart *chart; /* NULL: refused */
    hpf_error err;
} pair;

static hpr_options options_of(int n_bands)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.title = HPF_STR("new minus old");
    options.n_bands = n_bands;
    return options;
}

static pair compare(const char *before, const char *after, const hpr_options *options,
                    size_t max_drawn)
{
    pair p = {
        .profiles = {test_profile_open(before, max_drawn), test_profile_open(after, max_drawn)}};
    hpf_survey *const surveys[2] = {p.profiles[0].survey, p.profiles[1].survey};
    cr_assert_eq(hpf_diff_create(&p.diff, surveys[0], surveys[1], true, NULL), HPF_OK);
    hpf_status status =
        hpr_diff_chart_create(&p.chart, p.diff, surveys, options, made_up_measurer, &p.err);
    cr_assert_eq(status == HPF_OK, p.chart != NULL);
    return p;
}

static void finish(pair *p)
{
    hpr_chart_destroy(p->chart);
    hpf_diff_destroy(p->diff);
    test_profile_close(&p->profiles[0]);
    test_profile_close(&p->profiles[1]);
}

/* Returns whether a band is below zero. */
static bool hangs(const hpr_chart *chart, const hpr_band *band)
{
    for (size_t i = 0; i < chart->n_points; i++) {
        if (band->upper[i] > 1e-9 * (chart->y.high - chart->y.low)) {
            return false;
        }
    }
    return true;
}

/* Returns the band of a name above or below zero; NULL if there is none. */
static const hpr_band *find(const hpr_chart *chart, const char *name, bool below)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        const hpr_band *band = &chart->bands[i];
        if (strcmp(band->text, name) == 0 && hangs(chart, band) == below) {
            return band;
        }
    }
    return NULL;
}

static size_t point_at(const hpr_chart *chart, double time)
{
    size_t i = 0;
    while (i < chart->n_points && chart->times[i] != time) {
        i++;
    }
    cr_assert_lt(i, chart->n_points, "no point at %g", time);
    return i;
}

#define SAMPLE(time, costs) "BEGIN_SAMPLE " time "\n" costs "END_SAMPLE " time "\n"

/* a falls from +4 to -4; b grows by 10; c is gone. */
static const char *const before = PROFILE_HEADERS SAMPLE("0", "a 10\nb 5\nc 7\n")
    SAMPLE("4", "a 10\nb 5\nc 7\n") SAMPLE("9", "a 100\n");
static const char *const after = PROFILE_HEADERS SAMPLE("0", "a 14\nb 5\n")
    SAMPLE("2", "a 10\nb 15\n") SAMPLE("4", "a 6\nb 15\n");

Test(diff_chart, growth_is_above_zero_and_shrinkage_below)
{
    hpr_options options = options_of(0);
    pair p = compare(before, after, &options, 0);
    const hpr_chart *chart = p.chart;
    const hpr_band *grown = find(chart, "b", false);
    const hpr_band *gone = find(chart, "c", true);
    cr_assert(grown && gone && !find(chart, "b", true) && !find(chart, "c", false));
    cr_expect_eq(grown->values[point_at(chart, 4)], 10);
    cr_expect_eq(gone->values[point_at(chart, 4)], 7);
    cr_expect_eq(chart->totals[point_at(chart, 4)], -4 + 10 - 7);
    cr_expect_eq(chart->totals[point_at(chart, 2)], 10 - 7);
    cr_expect_eq(chart->peak_total, -3);
    cr_expect(chart->y.low <= -11 && chart->y.high >= 10);
    finish(&p);
}

Test(diff_chart, compares_only_the_common_time)
{
    hpr_options options = options_of(0);
    pair p = compare(before, after, &options, 0);
    cr_expect_eq(p.chart->x.low, 0);
    cr_expect_eq(p.chart->x.high, 4);
    cr_expect_eq(p.chart->n_points, 3);
    finish(&p);
}

Test(diff_chart, ignores_empty_sample_at_the_end)
{
    hpr_options options = options_of(0);
    pair p = compare(PROFILE_HEADERS SAMPLE("0", "a 10\n") SAMPLE("3", "a 10\n") SAMPLE("4", ""),
                     PROFILE_HEADERS SAMPLE("0", "a 12\n") SAMPLE("9", "a 12\n"), &options, 0);
    cr_expect_eq(p.chart->x.high, 3);
    cr_expect_eq(p.chart->peak_total, 2);
    finish(&p);
}

Test(diff_chart, band_on_both_sides_has_one_colour_and_crosses_zero)
{
    hpr_options options = options_of(0);
    pair p = compare(PROFILE_HEADERS SAMPLE("0", "a 10\n") SAMPLE("3", "a 10\n"),
                     PROFILE_HEADERS SAMPLE("0", "a 14\n") SAMPLE("3", "a 8\n"), &options, 0);
    const hpr_band *above = find(p.chart, "a", false);
    const hpr_band *below = find(p.chart, "a", true);
    size_t crossing = point_at(p.chart, 2);
    cr_assert(above && below);
    cr_expect_float_eq(above->values[crossing], 0, 1e-9);
    cr_expect_float_eq(below->values[crossing], 0, 1e-9);
    cr_expect_eq(memcmp(&above->fill, &below->fill, sizeof above->fill), 0);
    finish(&p);
}

Test(diff_chart, names_only_the_larger_half_of_a_band)
{
    static const char *const ends[2][2] = {{"a 18\nb 1\n", "a 3\nb 1\n"},
                                           {"a 13\nb 1\n", "a 1\nb 1\n"}};
    for (int i = 0; i < 2; i++) {
        char profile[400];
        hpr_options options = options_of(0);
        snprintf(profile, sizeof profile, PROFILE_HEADERS SAMPLE("0", "%s") SAMPLE("3", "%s"),
                 ends[i][0], ends[i][1]);
        pair p = compare(PROFILE_HEADERS SAMPLE("0", "a 10\n") SAMPLE("3", "a 10\n"), profile,
                         &options, 0);
        const hpr_band *larger = find(p.chart, "a", i == 1);
        const hpr_band *smaller = find(p.chart, "a", i == 0);
        const hpr_band *grown = find(p.chart, "b", false);
        cr_assert(larger && smaller && grown);
        cr_expect_neq(larger->label.place, HPR_LABEL_NONE);
        cr_expect_eq(smaller->label.place, HPR_LABEL_NONE);
        cr_expect_neq(grown->label.place, HPR_LABEL_NONE);
        finish(&p);
    }
}

Test(diff_chart, compares_samples_one_by_one)
{
    hpr_options options = options_of(0);
    options.by_sample = true;
    pair p = compare(PROFILE_HEADERS SAMPLE("5", "a 1\n") SAMPLE("6", "a 2\n"),
                     PROFILE_HEADERS SAMPLE("0", "a 3\n") SAMPLE("1", "a 5\n") SAMPLE("2", "a 7\n"),
                     &options, 0);
    cr_expect_eq(p.chart->x.low, 1);
    cr_expect_eq(p.chart->x.high, 2);
    cr_expect_str_eq(p.chart->x.unit, "sample");
    cr_expect_eq(find(p.chart, "a", false)->values[1], 3);
    finish(&p);
}

Test(diff_chart, rejects_profiles_without_common_time)
{
    hpr_options options = options_of(0);
    pair p = compare(PROFILE_HEADERS SAMPLE("5", "a 1\n") SAMPLE("6", "a 2\n"),
                     PROFILE_HEADERS SAMPLE("0", "a 3\n") SAMPLE("1", "a 5\n"), &options, 0);
    cr_expect_null(p.chart);
    cr_expect_eq(p.err.status, HPF_ERR_RANGE);
    finish(&p);
}

Test(diff_chart, equal_profiles_have_no_bands)
{
    hpr_options options = options_of(0);
    pair p = compare(before, before, &options, 0);
    hpr_scene *scene = NULL;
    cr_expect_eq(p.chart->n_bands, 0);
    cr_assert_eq(hpr_scene_create(&scene, p.chart, &options, made_up_measurer, NULL), HPF_OK);
    bool is_said = false;
    for (size_t i = 0; i < scene->n_items; i++) {
        const hpr_item *item = &scene->items[i];
        is_said |= item->kind == HPR_ITEM_TEXT && strcmp(item->text, "no difference") == 0;
    }
    cr_expect(is_said);
    hpr_scene_destroy(scene);
    finish(&p);
}

Test(diff_chart, draws_largest_areas_and_one_band_for_the_rest)
{
    hpr_options options = options_of(1);
    pair p = compare(before, after, &options, 0);
    cr_expect_not_null(find(p.chart, "b", false));
    cr_expect_null(find(p.chart, "c", true));
    const hpr_band *other = find(p.chart, "OTHER", true);
    cr_assert(other && other->is_other);
    cr_expect_eq(other->n_names, 2);
    cr_expect_eq(other->values[point_at(p.chart, 4)], 4 + 7);
    finish(&p);
}

/* --- invariants ------------------------------------------------------------------------------- */

static void write_random(char *out, size_t room, rng *r)
{
    size_t n = (size_t)snprintf(out, room, "%s", PROFILE_HEADERS);
    double time = (double)rng_below(r, 3);
    for (size_t i = 0; i < 2 + rng_below(r, 40); i++) {
        n += (size_t)snprintf(out + n, room - n, "BEGIN_SAMPLE %.3f\n", time);
        for (uint64_t k = rng_below(r, 9); k > 0; k--) {
            n += (size_t)snprintf(
                out + n, room - n, "(%llu)n%llu\t%llu\n", (unsigned long long)rng_below(r, 90),
                (unsigned long long)rng_below(r, 9), (unsigned long long)rng_below(r, 1000));
        }
        n += (size_t)snprintf(out + n, room - n, "END_SAMPLE %.3f\n", time);
        time += (double)rng_below(r, 2000) / 1000;
    }
}

/* Checks at every point that above minus below is the difference of the totals, that no band has a
 * negative thickness, and that all bands are within the axis. */
static void expect_laws(const hpr_chart *chart)
{
    double span = chart->y.high - chart->y.low;
    for (size_t i = 0; i < chart->n_points; i++) {
        double sum = 0;
        double at = chart->base[i];
        for (uint32_t k = 0; k < chart->n_bands; k++) {
            const hpr_band *band = &chart->bands[k];
            cr_assert_geq(band->values[i], 0);
            sum += hangs(chart, band) ? -band->values[i] : band->values[i];
            at += band->values[i];
            cr_assert_float_eq(band->upper[i], at, 1e-9 * span);
        }
        cr_assert_float_eq(sum, chart->totals[i], 1e-6 * span);
        cr_assert(chart->base[i] <= 0 && chart->base[i] >= chart->y.low && at <= chart->y.high);
        cr_assert(i == 0 || chart->times[i] > chart->times[i - 1]);
    }
}

Test(diff_chart, above_minus_below_is_the_difference)
{
    rng r = {5};
    int n_drawn = 0;
    for (int round = 0; round < 150; round++) {
        static char texts[2][65536];
        write_random(texts[0], sizeof texts[0], &r);
        write_random(texts[1], sizeof texts[1], &r);
        hpr_options options = options_of(round % 5);
        options.by_sample = round % 3 == 0;
        pair p = compare(texts[0], texts[1], &options, round % 2 ? 0 : 8);
        if (p.chart) {
            n_drawn++;
            expect_laws(p.chart);
        } else {
            cr_expect_eq(p.err.status, HPF_ERR_RANGE);
        }
        finish(&p);
    }
    cr_expect_gt(n_drawn, 100);
}

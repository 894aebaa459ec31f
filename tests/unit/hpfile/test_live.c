/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A live profile against surveys of the same bytes: however these are cut, whenever it is looked
 * at.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sink.h"
#include "detect/reader.h"
#include "live_surveys.h"
#include "hpfile/str.h"
#include "readings.h"
#include "rng.h"
#include "scratch.h"
#include "source_dir.h"

#define HEAD "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"

TestSuite(live, .timeout = 300);

/* --- both ways --- */

/* The survey of a live profile is the same as of the input up to the end of its last sample. */
static void expect_as_if_ended(hpf_live *live, hpf_str text, const hpf_live_options *options,
                               const char *what)
{
    hpf_survey *survey = NULL;
    if (hpf_live_survey(&survey, live, NULL) == HPF_MORE) {
        return;
    }
    cr_assert_not_null(survey, "%s: no survey", what);
    const hpf_overview *o = hpf_survey_overview(survey);
    hpf_str so_far = {text.data, o->drawn[o->n_drawn - 1].end_offset};
    oneshot until = survey_alike(so_far, options);
    surveys_excuses excuses = excuses_for(options, survey);
    excuses.ends = true;
    const char *difference = surveys_differ(survey, until.survey, excuses);
    cr_assert_null(difference, "%s: %s, after %llu samples", what, difference,
                   (unsigned long long)o->n_samples);
    cr_assert_eq(o->n_samples, hpf_live_n_samples(live));
    oneshot_finish(&until);
}

/* Feeds a text in pieces of at most so many bytes, looks at it about `n_looks` times, and in the
 * end compares everything. */
static void compare(hpf_str text, const hpf_live_options *options, size_t most_bytes,
                    unsigned n_looks, const char *what)
{
    rng chance = {text.length + most_bytes};
    hpf_live *live = live_create(options);
    hpf_error err = {0};
    for (size_t at = 0; at < text.length;) {
        size_t n = 1 + (size_t)rng_below(&chance, most_bytes);
        n = n < text.length - at ? n : text.length - at;
        cr_assert_eq(hpf_live_feed(live, text.data + at, n, &err), HPF_OK, "%s: %s", what,
                     err.message);
        at += n;
        if (rng_below(&chance, text.length) < n * n_looks) {
            expect_as_if_ended(live, text, options, what);
        }
    }
    cr_assert_eq(hpf_live_finish(live, &err), HPF_OK, "%s: %s", what, err.message);
    expect_as_surveyed(live, text, options, what);
    hpf_live_destroy(live);
}

/* --- real profiles --- */

static void compare_ways(hpf_str text, const char *name)
{
    static const hpf_live_options plain = {.size = sizeof plain},
                                  few = {.size = sizeof few, .max_drawn = 16},
                                  tight = {.size = sizeof tight,
                                           .max_drawn = 32,
                                           .most_bytes = 20000},
                                  sifted = {.size = sizeof sifted,
                                            .max_drawn = 100,
                                            .is_wanted = is_even};
    compare(text, &plain, 1, 2, name);
    compare(text, &plain, 5000, 8, name);
    compare(text, &few, 2000, 8, name);
    compare(text, &few, text.length, 5, name);
    compare(text, &tight, 3000, 8, name);
    compare(text, &sifted, 3000, 5, name);
}

static unsigned compare_folder(const char *folder)
{
    unsigned n_profiles = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".hp") != 0) {
            continue;
        }
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        hpf_str text;
        char *bytes = read_file(path, &text.length);
        cr_assert_not_null(bytes);
        text.data = bytes;
        compare_ways(text, entry->d_name);
        free(bytes);
        n_profiles++;
    }
    if (dir) {
        closedir(dir);
    }
    return n_profiles;
}

Test(live, equals_a_survey_of_real_profiles)
{
    cr_assert_gt(compare_folder(CENSUS_SOURCE_DIR "/tests/data/hp"), 50);
    cr_assert_gt(compare_folder(CENSUS_SOURCE_DIR "/samples/hp"), 0);
}

/* --- made-up profiles --- */

typedef struct shape {
    int n_samples, n_names;
    bool has_reals;
    int hours; /* one sample in so many stands alone for a long time */
} shape;

/* Names of 1 to n_names alive for a while each; the first are the largest. */
static hpf_sink *make_profile(const shape *s)
{
    rng chance = {(uint64_t)s->n_samples};
    hpf_sink *to = hpf_sink_to_memory();
    double time = 1;
    hpf_sink_text(to, HEAD);
    for (int i = 0; i < s->n_samples; i++) {
        hpf_sink_printf(to, "BEGIN_SAMPLE %.3f\n", time);
        for (int k = 0; k < s->n_names; k++) {
            uint64_t most = k < 8 ? 100000 : k < 16 ? UINT64_C(1) << 33 : 100;
            if (rng_below(&chance, 4)) {
                hpf_sink_printf(to, "n%d\t%llu%s\n", k,
                                (unsigned long long)rng_below(&chance, most),
                                s->has_reals && k % 3 == 0 ? ".5" : "");
            }
        }
        hpf_sink_printf(to, "END_SAMPLE %.3f\n", time);
        if (rng_below(&chance, 9) == 0) {
            hpf_sink_printf(to, "MARK %.3f\n", time);
        }
        time += (double)rng_below(&chance, 3000) / 1000;
        time += s->hours && i % s->hours == 0 ? 3600 : 0;
    }
    return to;
}

Test(live, keeps_drawn_samples_when_samples_are_compacted)
{
    static const shape shapes[] = {{700, 40, false, 0}, {900, 40, true, 100}, {3000, 7, true, 0}};
    static const hpf_live_options tight[] = {
        {.size = sizeof *tight, .max_drawn = 16, .most_bytes = 60000},
        {.size = sizeof *tight, .max_drawn = 64, .most_bytes = 100000},
        {.size = sizeof *tight, .max_drawn = 128, .most_bytes = 1},
        {.size = sizeof *tight, .max_drawn = 700, .most_bytes = 200000}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        hpf_sink *profile = make_profile(&shapes[i]);
        for (size_t k = 0; k < sizeof tight / sizeof *tight; k++) {
            compare(hpf_sink_bytes(profile), &tight[k], 9000, 10, "made up");
        }
        hpf_sink_destroy(profile);
    }
}

Test(live, a_snapshot_does_not_change_later_results)
{
    hpf_sink *profile = make_profile(&(shape){300, 20, true, 0});
    hpf_str text = hpf_sink_bytes(profile);
    static const hpf_live_options options = {.size = sizeof options, .max_drawn = 64};
    hpf_live *live = live_create(&options);
    for (size_t i = 0; i < text.length; i += 50) {
        hpf_survey *survey = NULL, *again = NULL;
        size_t n = text.length - i < 50 ? text.length - i : 50;
        cr_assert_eq(hpf_live_feed(live, text.data + i, n, NULL), HPF_OK);
        hpf_status status = hpf_live_survey(&survey, live, NULL);
        cr_assert_eq(hpf_live_survey(&again, live, NULL), status);
        cr_assert_eq(survey, again, "nothing came in between");
    }
    cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
    expect_as_surveyed(live, text, &options, "looked at all the time");
    hpf_live_destroy(live);
    hpf_sink_destroy(profile);
}

/* --- series that are asked again --- */

/* Of `n_bands` bands, in the numbering number `turn`. */
static void divide(uint32_t *bands, size_t n_names, uint32_t n_bands, uint32_t turn)
{
    for (size_t i = 0; i < n_names; i++) {
        uint32_t band = (uint32_t)(i < n_bands ? i : n_bands);
        bands[i] = band < n_bands ? (band + turn) % n_bands : HPF_NO_BAND;
    }
}

static void expect_same_series(hpf_survey *a, hpf_survey *b, uint32_t n_bands, uint32_t turn)
{
    size_t n_names = hpf_survey_n_names(a);
    size_t n_values = n_bands * hpf_survey_overview(a)->n_drawn;
    uint32_t *bands = malloc((n_names + 1) * sizeof *bands);
    double *of_a = malloc(n_values * sizeof *of_a), *of_b = malloc(n_values * sizeof *of_b);
    divide(bands, n_names, n_bands, turn);
    cr_assert_eq(hpf_survey_series(a, bands, n_bands, of_a, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_series(b, bands, n_bands, of_b, NULL), HPF_OK);
    cr_assert_arr_eq(of_a, of_b, n_values * sizeof *of_a);
    free(bands);
    free(of_a);
    free(of_b);
}

Test(live, series_stay_right_when_bands_change_numbers_or_names)
{
    hpf_sink *profile = make_profile(&(shape){400, 12, true, 0});
    hpf_str text = hpf_sink_bytes(profile);
    static const hpf_live_options options = {
        .size = sizeof options, .max_drawn = 64, .most_bytes = 60000};
    hpf_live *live = live_create(&options);
    uint32_t turn = 0;
    for (size_t i = 0; i < text.length; i += 400) {
        size_t n = text.length - i < 400 ? text.length - i : 400;
        hpf_survey *survey = NULL;
        cr_assert_eq(hpf_live_feed(live, text.data + i, n, NULL), HPF_OK);
        if (hpf_live_survey(&survey, live, NULL) != HPF_OK) {
            continue;
        }
        const hpf_overview *o = hpf_survey_overview(survey);
        oneshot until =
            survey_alike((hpf_str){text.data, o->drawn[o->n_drawn - 1].end_offset}, &options);
        if (hpf_survey_n_names(survey) == hpf_survey_n_names(until.survey)) {
            uint32_t n_bands = turn % 10 == 9 ? 5 : 6;
            expect_same_series(survey, until.survey, n_bands, turn++ / 2);
        }
        oneshot_finish(&until);
    }
    cr_assert_gt(turn, 100);
    hpf_live_destroy(live);
    hpf_sink_destroy(profile);
}

/* --- the latest stretch --- */

static void expect_stretch(hpf_live *live, hpf_str text, const hpf_live_options *options,
                           double duration)
{
    hpf_survey *latest = NULL;
    cr_assert_eq(hpf_live_survey_last(&latest, live, duration, NULL), HPF_OK);
    const hpf_overview *o = hpf_survey_overview(latest);
    hpf_survey_options window = {.size = sizeof window,
                                 .max_drawn = options->max_drawn,
                                 .is_wanted = options->is_wanted,
                                 .has_window = true,
                                 .from_time = o->last_time - duration,
                                 .to_time = HUGE_VAL};
    oneshot all = survey_text(text, &window);
    const char *difference = surveys_differ(latest, all.survey, excuses_for(options, all.survey));
    cr_assert_null(difference, "the last %g: %s", duration, difference);
    oneshot_finish(&all);
}

Test(live, the_last_duration_is_a_window)
{
    static const hpf_live_options options[] = {
        {.size = sizeof *options},
        {.size = sizeof *options, .max_drawn = 16},
        {.size = sizeof *options, .max_drawn = 32, .is_wanted = is_even}};
    static const double durations[] = {0, 1, 17.5, 100, 1e6, HUGE_VAL};
    hpf_sink *profile = make_profile(&(shape){300, 20, true, 0});
    hpf_str text = hpf_sink_bytes(profile);
    for (size_t i = 0; i < 3; i++) {
        hpf_live *live = live_create(&options[i]);
        cr_assert_eq(hpf_live_feed(live, text.data, text.length, NULL), HPF_OK);
        cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
        for (size_t k = 0; k < sizeof durations / sizeof *durations; k++) {
            hpf_survey *whole = look(live);
            expect_stretch(live, text, &options[i], durations[k]);
            cr_assert_eq(look(live), whole, "the other survey stays");
            expect_as_surveyed(live, text, &options[i], "beside a stretch");
        }
        hpf_survey *none = NULL;
        cr_expect_eq(hpf_live_survey_last(&none, live, -1, NULL), HPF_ERR_ARGUMENT);
        cr_expect_eq(hpf_live_survey_last(&none, live, NAN, NULL), HPF_ERR_ARGUMENT);
        cr_expect_null(none);
        hpf_live_destroy(live);
    }
    hpf_sink_destroy(profile);
}

/* All names in two bands: together they are the total at each drawn sample. */
static void expect_whole(hpf_survey *survey)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    size_t n_names = hpf_survey_n_names(survey);
    uint32_t *bands = calloc(n_names + 1, sizeof *bands);
    double *values = malloc(2 * o->n_drawn * sizeof *values);
    double sum = 0;
    for (size_t i = 0; i < n_names; i++) {
        bands[i] = i % 2;
        sum += hpf_survey_totals(survey, (hpf_name)i)->sum;
    }
    cr_assert_eq(hpf_survey_series(survey, bands, 2, values, NULL), HPF_OK);
    for (size_t i = 0; i < o->n_drawn; i++) {
        double both = values[i] + values[o->n_drawn + i];
        cr_assert_float_eq(both, o->drawn[i].total, 1e-9 * both);
    }
    cr_assert_leq(sum, o->total.sum * (1 + 1e-12));
    free(bands);
    free(values);
}

Test(live, a_compacted_window_uses_drawn_samples)
{
    static const hpf_live_options options = {
        .size = sizeof options, .max_drawn = 64, .most_bytes = 100000};
    hpf_sink *profile = make_profile(&(shape){2000, 30, true, 0});
    hpf_str text = hpf_sink_bytes(profile);
    hpf_live *live = live_create(&options);
    cr_assert_eq(hpf_live_feed(live, text.data, text.length, NULL), HPF_OK);
    expect_stretch(live, text, &options, 50);
    hpf_survey *latest = NULL;
    cr_assert_eq(hpf_live_survey_last(&latest, live, HUGE_VAL, NULL), HPF_OK);
    const hpf_overview *o = hpf_survey_overview(latest);
    cr_expect_lt(o->n_samples, 2000);
    cr_expect_gt(o->n_samples, 64);
    cr_expect_eq(o->n_samples + o->n_before, 2000);
    cr_expect_eq(o->first_time, 1, "the first sample is always drawn");
    cr_expect_eq(o->peak_total, hpf_survey_overview(look(live))->peak_total);
    expect_whole(latest);
    hpf_live_destroy(live);
    hpf_sink_destroy(profile);
}

/* --- folded names --- */

/* Two bands of eight large names each, and one of all others. */
static double *large_and_others(hpf_survey *survey, uint32_t *n_values)
{
    size_t n_names = hpf_survey_n_names(survey);
    uint32_t *bands = malloc((n_names + 1) * sizeof *bands);
    *n_values = 3 * (uint32_t)hpf_survey_overview(survey)->n_drawn;
    double *values = malloc((*n_values + 1) * sizeof *values);
    for (uint32_t i = 0; i < n_names; i++) {
        uint32_t number = (uint32_t)atoi(hpf_survey_name(survey, i).data + 1);
        bands[i] = number / 8 < 2 ? number / 8 : 2;
    }
    cr_assert_eq(hpf_survey_series(survey, bands, 3, values, NULL), HPF_OK);
    free(bands);
    return values;
}

static void expect_bands_with_others(hpf_live *live, hpf_str text, const hpf_live_options *options)
{
    uint32_t n_a, n_b;
    oneshot all = survey_alike(text, options);
    double *a = large_and_others(look(live), &n_a);
    double *b = large_and_others(all.survey, &n_b);
    cr_assert_eq(n_a, n_b);
    cr_assert_arr_eq(a, b, n_a * sizeof *a);
    oneshot_finish(&all);
    free(a);
    free(b);
}

Test(live, folded_names_count_with_all_others)
{
    static const hpf_live_options options = {
        .size = sizeof options, .max_drawn = 64, .most_bytes = 200000};
    hpf_sink *profile = make_profile(&(shape){250, 1200, false, 0});
    hpf_str text = hpf_sink_bytes(profile);
    hpf_live *live = live_create(&options);
    size_t half = text.length / 2;
    cr_assert_eq(hpf_live_feed(live, text.data, half, NULL), HPF_OK);
    expect_whole(look(live));
    free(large_and_others(look(live), &(uint32_t){0}));
    cr_assert_eq(hpf_live_feed(live, text.data + half, text.length - half, NULL), HPF_OK);
    expect_as_surveyed(live, text, &options, "folded");
    expect_bands_with_others(live, text, &options);
    expect_bands_with_others(live, text, &options);
    expect_whole(look(live));
    hpf_survey *latest = NULL;
    cr_assert_eq(hpf_live_survey_last(&latest, live, HUGE_VAL, NULL), HPF_OK);
    expect_whole(latest);
    hpf_error err = {0};
    cr_expect_eq(hpf_survey_emit(look(live), true, &(hpf_events){0}, NULL, &err),
                 HPF_ERR_UNSUPPORTED);
    hpf_live_destroy(live);
    hpf_sink_destroy(profile);
}

/* Name n1000 is nothing at first and then larger than all. */
static hpf_sink *make_riser(int n_samples)
{
    hpf_sink *to = hpf_sink_to_memory();
    hpf_sink_text(to, HEAD);
    for (int i = 0; i < n_samples; i++) {
        hpf_sink_printf(to, "BEGIN_SAMPLE %d\n", i);
        for (int k = 0; k < 1000; k++) {
            hpf_sink_printf(to, "n%d\t%d\n", k, 1000 + k + i * 37 % 11);
        }
        hpf_sink_printf(to, "n1000\t%d\nEND_SAMPLE %d\n", i < n_samples / 2 ? 7 : 1000000, i);
    }
    return to;
}

Test(live, a_name_that_rises_has_a_series_from_then_on)
{
    enum { N_SAMPLES = 600 };
    static const hpf_live_options options = {
        .size = sizeof options, .max_drawn = 64, .most_bytes = 100000};
    hpf_sink *profile = make_riser(N_SAMPLES);
    hpf_str text = hpf_sink_bytes(profile);
    hpf_live *live = live_create(&options);
    cr_assert_eq(hpf_live_feed(live, text.data, text.length, NULL), HPF_OK);
    hpf_survey *survey = look(live);
    const hpf_overview *o = hpf_survey_overview(survey);
    static uint32_t bands[1001];
    double *values = malloc(2 * o->n_drawn * sizeof *values);
    bands[1000] = 1;
    cr_assert_eq(hpf_survey_series(survey, bands, 2, values, NULL), HPF_OK);
    const double *others = values, *riser = values + o->n_drawn;
    unsigned n_in_rest = 0;
    for (size_t i = 0; i < o->n_drawn; i++) {
        bool is_early = o->drawn[i].sample_index < N_SAMPLES / 2;
        cr_expect_eq(others[i] + riser[i], o->drawn[i].total);
        cr_expect(riser[i] == (is_early ? 7 : 1000000) || (is_early && riser[i] == 0),
                  "sample %llu: %g", (unsigned long long)o->drawn[i].sample_index, riser[i]);
        n_in_rest += riser[i] == 0;
    }
    cr_expect_gt(n_in_rest, 5);
    free(values);
    hpf_live_destroy(live);
    hpf_sink_destroy(profile);
}

/* --- what stands beside --- */

static const char marked[] = HEAD "BEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\nMARK 1.5\nMARK 1.5\n"
                                  "MARK 2\nBEGIN_SAMPLE 3\na 2\nEND_SAMPLE 3\nMARK 4\n";
static const char beside[] =
    "time\twhat\tvalue\n1\tresident\t10\n1.500000\tmark\tfirst\n1.7\tmark\tnowhere\n"
    "2\tmark\tsecond\n3\tresident\t30\n2.5\tresident\t20\n4\tmark\tlast\n";

/* Both files come in pieces, in turn. */
static void feed_both(hpf_live *live, rng *chance)
{
    size_t at = 0, beside_at = 0, end = sizeof marked - 1, beside_end = sizeof beside - 1;
    while (at < end || beside_at < beside_end) {
        hpf_survey *survey = NULL;
        size_t most = rng_below(chance, 3) ? 20 : 200, n = (size_t)rng_below(chance, most);
        if (rng_below(chance, 2)) {
            n = n < end - at ? n : end - at;
            cr_assert_eq(hpf_live_feed(live, marked + at, n, NULL), HPF_OK);
            at += n;
        } else {
            n = n < beside_end - beside_at ? n : beside_end - beside_at;
            cr_assert_eq(hpf_live_feed_sidecar(live, beside + beside_at, n, NULL), HPF_OK);
            beside_at += n;
        }
        if (rng_below(chance, 2)) {
            (void)!hpf_live_survey(&survey, live, NULL);
        }
    }
}

Test(live, labels_find_their_marks_whichever_comes_first)
{
    rng chance = {5};
    oneshot all = survey_text(HPF_STR(marked), NULL);
    hpf_source *sidecar = NULL;
    cr_assert_eq(hpf_source_from_memory(&sidecar, HPF_STR(beside), NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_survey_add_sidecar(all.survey, sidecar, NULL), HPF_OK);
    cr_assert(hpf_str_is(hpf_survey_overview(all.survey)->marks[3].label, "last"));
    for (int i = 0; i < 200; i++) {
        hpf_live *live = live_create(NULL);
        feed_both(live, &chance);
        cr_assert_eq(hpf_live_finish(live, NULL), HPF_OK);
        const char *difference = surveys_differ(look(live), all.survey, (surveys_excuses){0});
        cr_assert_null(difference, "turn %d: %s", i, difference);
        hpf_live_destroy(live);
    }
    hpf_source_destroy(sidecar);
    oneshot_finish(&all);
}

Test(live, a_broken_sidecar_stays_broken_and_keeps_the_rest)
{
    hpf_live *live = live_create(NULL);
    hpf_error err = {0};
    cr_assert_eq(hpf_live_feed(live, marked, sizeof marked - 1, NULL), HPF_OK);
    hpf_str good = HPF_STR("time\twhat\tvalue\n1\tresident\t10\n");
    cr_expect_eq(hpf_live_feed_sidecar(live, good.data, good.length, &err), HPF_OK);
    cr_expect_eq(hpf_live_feed_sidecar(live, "nonsense\n", 9, &err), HPF_ERR_SYNTAX);
    cr_expect_eq(err.line, 3);
    err = (hpf_error){0};
    cr_expect_eq(hpf_live_feed_sidecar(live, "2\tresident\t10\n", 14, &err), HPF_ERR_SYNTAX);
    cr_expect_eq(err.line, 3);
    cr_expect_eq(hpf_live_feed(live, "MARK 5\n", 7, &err), HPF_OK);
    cr_assert_eq(hpf_survey_overview(look(live))->n_quantities, 1);
    cr_expect_eq(hpf_survey_overview(look(live))->quantities[0].n_points, 1);
    cr_expect_eq(hpf_survey_overview(look(live))->n_marks, 5);
    hpf_live_destroy(live);
}

/* --- how it goes wrong --- */

Test(live, shows_nothing_before_headers_and_a_sample)
{
    static const char *const parts[] = {"", HEAD, "BEGIN_SAMPLE 1\n", "a 1\n", "END_SAMPLE 1"};
    hpf_live *live = live_create(NULL);
    hpf_survey *survey = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cr_assert_eq(hpf_live_feed(live, parts[i], strlen(parts[i]), NULL), HPF_OK);
        cr_expect_eq(hpf_live_survey(&survey, live, NULL), HPF_MORE);
        cr_expect_eq(hpf_live_survey_last(&survey, live, 1, NULL), HPF_MORE);
        cr_expect_null(survey);
    }
    cr_assert_eq(hpf_live_feed(live, "\n", 1, NULL), HPF_OK);
    cr_expect_eq(hpf_survey_overview(look(live))->n_samples, 1);
    hpf_live_destroy(live);
}

Test(live, samples_before_headers_wait_for_them)
{
    static const char sample[] = "BEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\n";
    hpf_live *live = live_create(NULL);
    hpf_survey *survey = NULL;
    cr_assert_eq(hpf_live_feed(live, sample, sizeof sample - 1, NULL), HPF_OK);
    cr_expect_eq(hpf_live_survey(&survey, live, NULL), HPF_MORE);
    cr_assert_eq(hpf_live_feed(live, HEAD, sizeof HEAD - 1, NULL), HPF_OK);
    cr_expect_eq(hpf_survey_overview(look(live))->n_samples, 1);
    hpf_live_destroy(live);
}

Test(live, a_broken_input_stays_broken_and_can_be_surveyed)
{
    static const char good[] = HEAD "BEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\n";
    hpf_live *live = live_create(NULL);
    hpf_error err = {0};
    cr_assert_eq(hpf_live_feed(live, good, sizeof good - 1, NULL), HPF_OK);
    cr_expect_eq(hpf_live_feed(live, "BEGIN_SAMPLE 0\n", 15, &err), HPF_ERR_ORDER);
    cr_expect_eq(err.line, 8);
    cr_expect_eq(hpf_live_feed(live, good, sizeof good - 1, NULL), HPF_ERR_ORDER);
    cr_expect_eq(hpf_live_finish(live, NULL), HPF_ERR_ORDER);
    cr_expect_eq(hpf_survey_overview(look(live))->n_samples, 1);
    cr_expect_not(hpf_survey_overview(look(live))->truncated);
    hpf_live_destroy(live);
    live = live_create(NULL);
    cr_expect_eq(hpf_live_finish(live, NULL), HPF_ERR_SYNTAX, "no header");
    hpf_live_destroy(live);
}

Test(live, a_listener_gets_all_events)
{
    hpf_sink *said = hpf_sink_to_memory(), *expected = hpf_sink_to_memory();
    hpf_live_options options = {
        .size = sizeof options, .listener = &event_text_events, .listener_context = said};
    hpf_live *live = live_create(&options);
    hpf_reader *reader = hpf_reader_create(&event_text_events, expected, NULL);
    cr_assert_eq(hpf_live_feed(live, marked, sizeof marked - 1, NULL), HPF_OK);
    cr_assert_eq(hpf_reader_feed(reader, marked, sizeof marked - 1, NULL), HPF_OK);
    hpf_str a = hpf_sink_bytes(said), b = hpf_sink_bytes(expected);
    cr_expect(hpf_str_equal(a, b));
    size_t before = a.length;
    cr_assert_eq(hpf_live_feed_sidecar(live, beside, sizeof beside - 1, NULL), HPF_OK);
    cr_expect_gt(hpf_sink_bytes(said).length, before + 50);
    hpf_reader_destroy(reader);
    hpf_live_destroy(live);
    hpf_sink_destroy(said);
    hpf_sink_destroy(expected);
}

static hpf_status keep_name(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    (void)point;
    (void)err;
    *(hpf_str *)context = name;
    return HPF_OK;
}

Test(live, names_of_quantities_stay_valid)
{
    static const hpf_events events = {.quantity = keep_name};
    hpf_str name = {NULL, 0};
    hpf_live *live = live_create(&(hpf_live_options){
        .size = sizeof(hpf_live_options), .listener = &events, .listener_context = &name});
    char rows[] = "time\twhat\tvalue\n1\tresident\t10\n";
    for (size_t i = 0; i < sizeof rows - 1; i++) {
        cr_assert_eq(hpf_live_feed_sidecar(live, rows + i, 1, NULL), HPF_OK);
    }
    memset(rows, '#', sizeof rows - 1);
    cr_assert_eq(hpf_live_feed_sidecar(live, rows, sizeof rows - 1, NULL), HPF_OK);
    cr_expect(hpf_str_equal(name, HPF_STR("resident")));
    hpf_live_destroy(live);
}

/* --- everything again --- */

Test(live, can_be_replayed_while_all_samples_are_kept)
{
    hpf_sink *profile = make_profile(&(shape){50, 20, true, 0});
    hpf_str text = hpf_sink_bytes(profile);
    hpf_model *expected = model_of_text(text, NULL), *got = hpf_model_create();
    for (size_t max_drawn = 16; max_drawn <= 64; max_drawn += 48) {
        hpf_live *live = live_create(
            &(hpf_live_options){.size = sizeof(hpf_live_options), .max_drawn = max_drawn});
        hpf_error err = {0};
        cr_assert_eq(hpf_live_feed(live, text.data, text.length, NULL), HPF_OK);
        hpf_status status = hpf_survey_emit(look(live), false, &hpf_model_events, got, &err);
        cr_expect_eq(status, max_drawn < 50 ? HPF_ERR_UNSUPPORTED : HPF_OK);
        hpf_live_destroy(live);
        if (status != HPF_OK) {
            hpf_model_destroy(got);
            got = hpf_model_create();
        }
    }
    cr_assert_eq(hpf_model_n_samples(got), 50);
    for (size_t i = 0; i < 50; i++) {
        hpf_sample a = hpf_model_sample(got, i), b = hpf_model_sample(expected, i);
        cr_assert_eq(a.time, b.time);
        cr_assert_eq(a.n_costs, b.n_costs);
        cr_assert_arr_eq(a.costs, b.costs, a.n_costs * sizeof *a.costs);
    }
    cr_expect_eq(hpf_model_n_marks(got), hpf_model_n_marks(expected));
    hpf_model_destroy(expected);
    hpf_model_destroy(got);
    hpf_sink_destroy(profile);
}

/* Only where all is read, a finish would change nothing. */
Test(live, whole_between_samples_only)
{
    const char *text = HEAD "BEGIN_SAMPLE 1\na\t2\nEND_SAMPLE 1\nBEGIN_SAMPLE 2\nEND_SAMPLE 2\n";
    const char *first_end = strstr(text, "BEGIN_SAMPLE 2");
    hpf_live *live = live_create(NULL);
    cr_expect_not(hpf_live_is_whole(live), "nothing");
    for (const char *at = text; *at; at++) {
        cr_assert_eq(hpf_live_feed(live, at, 1, NULL), HPF_OK);
        cr_expect_eq(hpf_live_is_whole(live), at + 1 == first_end || at[1] == '\0', "byte %zu",
                     (size_t)(at - text));
    }
    hpf_live_destroy(live);
}

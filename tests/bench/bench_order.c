/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How calm the default order is, as a ratio to hp2ps's order of the same bands: with OTHER where
 * ours has it, and at the bottom, where hp2ps has it. And what finding an order costs.
 *
 *     bench_order PROFILE...
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "hpfile/str.h"
#include "hprender/render.h"
#include "made_up_font.h"
#include "rng.h"
#include "chart/wiggle.h"

enum { N_BANDS = 30, N_POINTS = 2000 };

static hpf_survey *read_profile(hpf_source **source, const char *path)
{
    static const hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_survey *survey = NULL;
    hpf_error err;
    if (hpf_source_open(source, path, &keep, &err) ||
        hpf_survey_create(&survey, *source, NULL, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.message);
        exit(1);
    }
    return survey;
}

static hpr_chart *lay_out(hpf_survey *survey, const hpr_options *options)
{
    hpr_chart *chart = NULL;
    if (hpr_chart_create(&chart, survey, options, made_up_measurer, NULL)) {
        exit(1);
    }
    return chart;
}

/* Puts OTHER, if there is one, at `place` of an order of the other bands. */
static void insert_other(uint32_t *order, const hpr_chart *chart, uint32_t place)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        if (chart->bands[i].is_other) {
            memmove(order + place + 1, order + place, (chart->n_bands - 1 - place) * sizeof *order);
            order[place] = i;
        }
    }
}

/* The chart's bands in hp2ps's order of all names, without OTHER. */
static void order_as_hp2ps(uint32_t *order, const hpr_chart *chart, const hpr_chart *all)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < all->n_bands; k++) {
        for (uint32_t i = 0; i < chart->n_bands; i++) {
            if (!chart->bands[i].is_other &&
                hpf_str_equal(chart->bands[i].name, all->bands[k].name)) {
                order[n++] = i;
            }
        }
    }
}

static uint32_t place_of_other(const hpr_chart *chart)
{
    uint32_t place = 0;
    while (place < chart->n_bands && !chart->bands[place].is_other) {
        place++;
    }
    return place;
}

typedef struct wiggles {
    double ours, alike, theirs; /* alike: hp2ps's with OTHER where ours has it */
} wiggles;

static wiggles measure(const hpr_chart *chart, const hpr_chart *all)
{
    uint32_t n = chart->n_bands;
    const double **rows = calloc(n + 1u, sizeof *rows);
    uint32_t *ours = calloc(n + 1u, sizeof *ours);
    uint32_t *alike = calloc(n + 1u, sizeof *alike);
    uint32_t *theirs = calloc(n + 1u, sizeof *theirs);
    if (!rows || !ours || !alike || !theirs) {
        exit(1);
    }
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = chart->bands[i].values;
        ours[i] = i;
    }
    order_as_hp2ps(alike, chart, all);
    order_as_hp2ps(theirs, chart, all);
    insert_other(alike, chart, place_of_other(chart));
    insert_other(theirs, chart, 0);
    hpr__series series = {rows, n, chart->n_points};
    wiggles found = {hpr__wiggle_of(&series, ours, n), hpr__wiggle_of(&series, alike, n),
                     hpr__wiggle_of(&series, theirs, n)};
    free(rows);
    free(ours);
    free(alike);
    free(theirs);
    return found;
}

static wiggles compare_orders(hpf_survey *survey)
{
    hpr_options modern = hpr_options_default(HPR_LOOK_MODERN);
    hpr_options classic = hpr_options_default(HPR_LOOK_CLASSIC);
    classic.n_bands = 0;
    classic.trace_percent = 0;
    hpr_chart *chart = lay_out(survey, &modern);
    hpr_chart *all = lay_out(survey, &classic);
    wiggles found = measure(chart, all);
    hpr_chart_destroy(all);
    hpr_chart_destroy(chart);
    return found;
}

/* Ratios of many profiles. */
typedef struct ratios {
    double log_sum, worst;
} ratios;

static double add_ratio(ratios *r, double ours, double theirs)
{
    double ratio = ours / theirs;
    r->log_sum += log(fmax(ratio, 1e-9));
    r->worst = fmax(r->worst, ratio);
    return ratio;
}

static void print_table(char **paths, int n_paths)
{
    ratios alike = {0, 0}, theirs = {0, 0};
    int n = 0;
    printf("%-56s %10s %9s %9s\n", "wiggle as a ratio to hp2ps's order", "ours", "alike",
           "as it is");
    for (int i = 0; i < n_paths; i++) {
        hpf_source *source = NULL;
        hpf_survey *survey = read_profile(&source, paths[i]);
        wiggles w = compare_orders(survey);
        hpf_survey_destroy(survey);
        hpf_source_destroy(source);
        if (w.alike > 0 && w.theirs > 0) {
            const char *slash = strrchr(paths[i], '/');
            printf("%-56.56s %10.3g %9.4f %9.4f\n", slash ? slash + 1 : paths[i], w.ours,
                   add_ratio(&alike, w.ours, w.alike), add_ratio(&theirs, w.ours, w.theirs));
            n++;
        }
    }
    if (n > 0) {
        printf("%-56s %10s %9.4f %9.4f\n%-56s %10s %9.4f %9.4f\n", "geometric mean", "",
               exp(alike.log_sum / n), exp(theirs.log_sum / n), "worst", "", alike.worst,
               theirs.worst);
        printf("%d of %d profiles move\n", n, n_paths);
    }
}

/* Series that wander, with noise on some. */
static void fill_rows(double *values, const double **rows)
{
    rng random = {42};
    for (int band = 0; band < N_BANDS; band++) {
        double level = (double)rng_below(&random, 1000);
        double noise = (double)rng_below(&random, 100);
        rows[band] = values + band * N_POINTS;
        for (int i = 0; i < N_POINTS; i++) {
            level = fmax(0, level + (double)rng_below(&random, 21) - 10);
            values[band * N_POINTS + i] = level + noise * (double)rng_below(&random, 3);
        }
    }
}

static double search_ms(const hpr__series *series)
{
    uint32_t order[N_BANDS];
    struct timespec begin, end;
    for (uint32_t i = 0; i < N_BANDS; i++) {
        order[i] = i;
    }
    hpf_arena *arena = hpf_arena_create();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    bool is_done = arena && hpr__wiggle_minimise(series, order, N_BANDS, NULL, 0, arena);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    hpf_arena_destroy(arena);
    return is_done ? (double)(end.tv_sec - begin.tv_sec) * 1e3 +
                         (double)(end.tv_nsec - begin.tv_nsec) / 1e6
                   : NAN;
}

static void time_search(void)
{
    static double values[N_BANDS * N_POINTS];
    const double *rows[N_BANDS];
    fill_rows(values, rows);
    hpr__series series = {rows, N_BANDS, N_POINTS};
    double best = HUGE_VAL;
    for (int i = 0; i < 10; i++) {
        best = fmin(best, search_ms(&series));
    }
    printf("search: %d bands x %d samples in %.2f ms (best of 10)\n", N_BANDS, N_POINTS, best);
}

int main(int argc, char **argv)
{
    print_table(argv + 1, argc - 1);
    time_search();
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Orders by a figure, by name, and by least wiggle.
 */
#include "modern_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "wiggle.h"

/* A band and what it is ordered by: least at the bottom, then by name. */
typedef struct keyed {
    double key;
    hpf_str name;
    uint32_t band;
} keyed;

typedef double key_of_band(const hpr_band *band, size_t n_points);

static int compare_keyed(const void *a, const void *b)
{
    const keyed *x = a;
    const keyed *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    /* Byte order, the first name on top: so the later one is less. */
    int by_name = hpf_str_compare(y->name, x->name);
    return by_name ? by_name : x->band < y->band ? -1 : x->band > y->band;
}

static double by_nothing(const hpr_band *band, size_t n_points)
{
    (void)band;
    (void)n_points;
    return 0;
}

static double by_least_sum(const hpr_band *band, size_t n_points)
{
    (void)n_points;
    return band->sum;
}

static double by_sum(const hpr_band *band, size_t n_points)
{
    return -by_least_sum(band, n_points);
}

static double by_area(const hpr_band *band, size_t n_points)
{
    (void)n_points;
    return -band->trapezium;
}

static double by_stddev(const hpr_band *band, size_t n_points)
{
    double mean = 0;
    double squares = 0;
    for (size_t i = 0; i < n_points; i++) {
        mean += band->values[i] / (double)n_points;
    }
    for (size_t i = 0; i < n_points; i++) {
        squares += (band->values[i] - mean) * (band->values[i] - mean);
    }
    return -squares;
}

static double by_variation(const hpr_band *band, size_t n_points)
{
    double variation = 0;
    for (size_t i = 1; i < n_points; i++) {
        variation += fabs(band->values[i] - band->values[i - 1]);
    }
    return variation;
}

static double by_restlessness(const hpr_band *band, size_t n_points)
{
    return by_variation(band, n_points) / fmax(band->trapezium, 1e-300);
}

/* Indices of the first `n` bands, ordered. NULL when there is no memory. */
static uint32_t *ordered(const hpr__chart *chart, uint32_t n, key_of_band *key)
{
    keyed *list = hpf_arena_array(chart->arena, n, sizeof *list);
    uint32_t *order = hpf_arena_array(chart->arena, n, sizeof *order);
    if (!list || !order) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        const hpr_band *band = &chart->bands[i];
        list[i] = (keyed){key(band, chart->public.n_points), band->name, i};
    }
    qsort(list, n, sizeof *list, compare_keyed);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = list[i].band;
    }
    return order;
}

/* Smallest sum at the bottom is the order of hp2ps: among the seeds, so never better. */
static uint32_t *of_least_wiggle(const hpr__chart *chart, uint32_t n)
{
    static key_of_band *const keys[] = {by_least_sum, by_area, by_variation, by_restlessness,
                                        by_nothing};
    enum { N_SEEDS = sizeof keys / sizeof *keys };
    const uint32_t *seeds[N_SEEDS];
    const double **rows = hpf_arena_array(chart->arena, n, sizeof *rows);
    uint32_t *order = ordered(chart, n, by_least_sum);
    if (!rows || !order) {
        return NULL;
    }
    for (int i = 0; i < N_SEEDS; i++) {
        seeds[i] = ordered(chart, n, keys[i]);
        if (!seeds[i]) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = chart->bands[i].values;
    }
    hpr__series series = {rows, n, chart->public.n_points};
    return hpr__wiggle_minimise(&series, order, n, seeds, N_SEEDS, chart->arena) ? order : NULL;
}

static uint32_t *order_of(const hpr__chart *chart, uint32_t n, hpr_order order)
{
    switch (order) {
    case HPR_ORDER_SUM:
        return ordered(chart, n, by_sum);
    case HPR_ORDER_AREA:
        return ordered(chart, n, by_area);
    case HPR_ORDER_STDDEV:
        return ordered(chart, n, by_stddev);
    case HPR_ORDER_NAME:
        return ordered(chart, n, by_nothing);
    case HPR_ORDER_DEFAULT:
    case HPR_ORDER_WIGGLE:
        break;
    }
    return of_least_wiggle(chart, n);
}

hpf_status hpr__modern_order(hpr__chart *chart, hpr_order order, bool reverse, hpf_error *err)
{
    uint32_t n_bands = chart->public.n_bands;
    uint32_t n = n_bands && chart->bands[n_bands - 1].is_other ? n_bands - 1 : n_bands;
    uint32_t *places = order_of(chart, n, order);
    hpr_band *bands = hpf_arena_array(chart->arena, n, sizeof *bands);
    if (!places || !bands) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        bands[i] = chart->bands[places[reverse ? n - 1 - i : i]];
    }
    if (n > 0) {
        memcpy(chart->bands, bands, n * sizeof *bands);
    }
    return HPF_OK;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Orders by a figure, by a list, and by least wiggle.
 */
#include "base/arena.h"
#include "chart/order.h"

#include <string.h>

#include "chart/order_keys.h"
#include "chart/order_list.h"
#include "chart/wiggle.h"

/* What OTHER on top may cost in wiggle before it has to leave. */
static const double most_excess = 1.01;

/* An order being made. */
typedef struct ordering {
    hpr__chart *chart;
    const hpr__assignment *plan;
    hpr__series series;
    uint32_t n_bands;
    uint32_t n; /* without OTHER, which is the last one if it is there */
} ordering;

static bool prepare(ordering *o)
{
    const double **rows = hpf_arena_array(o->chart->arena, o->n_bands, sizeof *rows);
    for (uint32_t i = 0; rows && i < o->n_bands; i++) {
        rows[i] = o->chart->bands[i].values;
    }
    o->series = (hpr__series){rows, o->n_bands, o->chart->public.n_points};
    return rows != NULL;
}

/* --- least wiggle --------------------------------------------------------------------------- */

/* The calmest order of the first `n` bands: searched from hp2ps's order and from some others, so
 * never worse than any of them. NULL when there is no memory. */
static uint32_t *calmest(const ordering *o, uint32_t n)
{
    static hpr__key *const keys[] = {hpr__key_sum, hpr__key_area_down, hpr__key_variation,
                                     hpr__key_restlessness, hpr__key_nothing};
    enum { N_SEEDS = sizeof keys / sizeof *keys };
    const uint32_t *seeds[N_SEEDS];
    uint32_t *order = hpr__order_as_hp2ps(o->chart, o->plan, n);
    for (int i = 0; order && i < N_SEEDS; i++) {
        seeds[i] = hpr__order_by(o->chart, n, keys[i]);
        order = seeds[i] ? order : NULL;
    }
    return order && hpr__wiggle_minimise(&o->series, order, n, seeds, N_SEEDS, o->chart->arena)
               ? order
               : NULL;
}

/* Sets `*is_free` if the order, with OTHER on top of it, moves distinctly more than hp2ps's order,
 * which has OTHER at the bottom. False when there is no memory. */
static bool compare_with_hp2ps(const ordering *o, const uint32_t *order, bool *is_free)
{
    uint32_t *whole = hpf_arena_array(o->chart->arena, o->n_bands, sizeof *whole);
    const uint32_t *of_hp2ps = hpr__order_as_hp2ps(o->chart, o->plan, o->n_bands);
    if (!whole || !of_hp2ps) {
        return false;
    }
    memcpy(whole, order, o->n * sizeof *whole);
    whole[o->n] = o->n;
    *is_free = hpr__wiggle_of(&o->series, whole, o->n_bands) >
               most_excess * hpr__wiggle_of(&o->series, of_hp2ps, o->n_bands);
    return true;
}

/* The calmest order; of all bands if `o->n` says so afterwards, else of all but OTHER. */
static uint32_t *of_least_wiggle(ordering *o, bool keep_other)
{
    uint32_t *order = calmest(o, o->n);
    bool is_free = false;
    if (!order || keep_other || o->n == o->n_bands) {
        return order;
    }
    if (!compare_with_hp2ps(o, order, &is_free)) {
        return NULL;
    }
    o->n = is_free ? o->n_bands : o->n;
    return is_free ? calmest(o, o->n) : order;
}

/* --- all orders ----------------------------------------------------------------------------- */

/* Indices of the first `o->n` bands. NULL when there is no memory. */
static uint32_t *find_order(ordering *o, const hpr_options *options)
{
    if (options->n_order_names > 0 &&
        hpr__order_list_is_whole(o->chart, o->n, options->order_names, options->n_order_names)) {
        return hpr__order_by(o->chart, o->n, hpr__key_nothing);
    }
    switch (options->order) {
    case HPR_ORDER_SUM:
        return hpr__order_by(o->chart, o->n, hpr__key_sum_down);
    case HPR_ORDER_AREA:
        return hpr__order_by(o->chart, o->n, hpr__key_area_down);
    case HPR_ORDER_STDDEV:
        return hpr__order_by(o->chart, o->n, hpr__key_deviation);
    case HPR_ORDER_NAME:
        return hpr__order_by(o->chart, o->n, hpr__key_nothing);
    case HPR_ORDER_FIRST_SEEN:
        return hpr__order_by(o->chart, o->n, hpr__key_first);
    case HPR_ORDER_GROWTH:
        return hpr__order_by(o->chart, o->n, hpr__key_growth);
    case HPR_ORDER_DEFAULT:
    case HPR_ORDER_WIGGLE:
        break;
    }
    return of_least_wiggle(o, options->reverse || options->n_order_names > 0);
}

static hpf_status permute(ordering *o, const uint32_t *order, bool reverse, hpf_error *err)
{
    hpr_band *bands = hpf_arena_array(o->chart->arena, o->n, sizeof *bands);
    if (!bands) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < o->n; i++) {
        bands[i] = o->chart->bands[order[reverse ? o->n - 1 - i : i]];
    }
    if (o->n > 0) {
        memcpy(o->chart->bands, bands, o->n * sizeof *bands);
    }
    return HPF_OK;
}

hpf_status hpr__modern_order(hpr__chart *chart, const hpr__assignment *plan,
                             const hpr_options *options, hpf_error *err)
{
    uint32_t n_bands = plan->n_bands;
    bool has_other = n_bands > 0 && chart->bands[n_bands - 1].is_other;
    ordering o = {.chart = chart, .plan = plan, .n_bands = n_bands, .n = n_bands - has_other};
    if (hpr__order_list_has_other(options->order_names, options->n_order_names)) {
        o.n = n_bands;
    }
    uint32_t *order = prepare(&o) ? find_order(&o, options) : NULL;
    if (!order ||
        (options->n_order_names > 0 &&
         !hpr__order_by_list(chart, order, o.n, options->order_names, options->n_order_names))) {
        return hpf_error_set_memory(err);
    }
    return permute(&o, order, options->reverse, err);
}

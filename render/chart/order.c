/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Orders by a key of the bands, by a list of names, and by least wiggle.
 */
#include "base/arena.h"
#include "chart/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "hpfile/str.h"
#include "chart/hp2ps_sort.h"
#include "chart/wiggle.h"

const char *const hpr_order_names[] = {[HPR_ORDER_DEFAULT] = "default",
                                       [HPR_ORDER_WIGGLE] = "wiggle",
                                       [HPR_ORDER_SUM] = "sum",
                                       [HPR_ORDER_STDDEV] = "stddev",
                                       [HPR_ORDER_NAME] = "name",
                                       [HPR_ORDER_GROWTH] = "growth",
                                       NULL};

/* --- keys ----------------------------------------------------------------------------------- */

/* Returns the sort key of a band; the smallest goes to the bottom. */
typedef double band_key(const hpr_chart *chart, const hpr_band *band);

/* Leaves the order to the names. */
static double key_nothing(const hpr_chart *chart, const hpr_band *band)
{
    (void)chart;
    (void)band;
    return 0;
}

static double key_sum(const hpr_chart *chart, const hpr_band *band)
{
    (void)chart;
    return band->sum;
}

static double key_sum_down(const hpr_chart *chart, const hpr_band *band)
{
    (void)chart;
    return -band->sum;
}

static double key_area_down(const hpr_chart *chart, const hpr_band *band)
{
    (void)chart;
    return -band->trapezium;
}

/* Returns the sum of squared deviations from the mean. */
static double key_deviation(const hpr_chart *chart, const hpr_band *band)
{
    double mean = 0;
    double squares = 0;
    for (size_t i = 0; i < chart->n_points; i++) {
        mean += band->values[i] / (double)chart->n_points;
    }
    for (size_t i = 0; i < chart->n_points; i++) {
        squares += (band->values[i] - mean) * (band->values[i] - mean);
    }
    return squares;
}

static bool is_empty_at(const hpr_chart *chart, size_t point)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        if (chart->bands[i].values[point] > 0) {
            return false;
        }
    }
    return true;
}

/* Returns the slope of the regression line, without an empty first and an empty last point, which
 * GHC always writes. */
static double key_growth(const hpr_chart *chart, const hpr_band *band)
{
    size_t begin = chart->n_points > 0 && is_empty_at(chart, 0);
    size_t end = chart->n_points;
    end -= end > begin && is_empty_at(chart, end - 1);
    double n = (double)(end - begin);
    double mean_time = 0;
    double mean_value = 0;
    double covariance = 0;
    double variance = 0;
    for (size_t i = begin; i < end; i++) {
        mean_time += chart->times[i] / n;
        mean_value += band->values[i] / n;
    }
    for (size_t i = begin; i < end; i++) {
        double later = chart->times[i] - mean_time;
        covariance += later * (band->values[i] - mean_value);
        variance += later * later;
    }
    return variance > 0 ? covariance / variance : 0;
}

/* Returns the sum of all increases and decreases. */
static double key_variation(const hpr_chart *chart, const hpr_band *band)
{
    double variation = 0;
    for (size_t i = 1; i < chart->n_points; i++) {
        variation += fabs(band->values[i] - band->values[i - 1]);
    }
    return variation;
}

/* Returns the variation per unit of area. */
static double key_restlessness(const hpr_chart *chart, const hpr_band *band)
{
    return key_variation(chart, band) / fmax(band->trapezium, 1e-300);
}

typedef struct keyed {
    double key;
    hpf_str name;
    uint32_t band;
} keyed;

/* Sorts by key; equal ones by name, the first name on top. */
static int compare_keyed(const void *a, const void *b)
{
    const keyed *x = a;
    const keyed *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    int by_name = hpf_str_compare(y->name, x->name);
    return by_name ? by_name : x->band < y->band ? -1 : x->band > y->band;
}

/* Returns the indices of the first `n` bands by key, bottom first, in the arena of the chart, or
 * NULL if there is no memory. */
static uint32_t *order_by(const hpr__chart *chart, uint32_t n, band_key *key)
{
    keyed *list = hpf_arena_array(chart->arena, n, sizeof *list);
    uint32_t *order = hpf_arena_array(chart->arena, n, sizeof *order);
    if (!list || !order) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        const hpr_band *band = &chart->bands[i];
        list[i] = (keyed){key(&chart->public, band), band->name, i};
    }
    qsort(list, n, sizeof *list, compare_keyed);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = list[i].band;
    }
    return order;
}

typedef struct appearance {
    hpf_name name;
    uint32_t band;
} appearance;

static int compare_appearances(const void *a, const void *b)
{
    const appearance *x = a;
    const appearance *y = b;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* Sorts the bands in `list`, which is in order of appearance, with the hash table and the selection
 * sort of hp2ps. Returns false if there is no memory. */
static bool sort_as_hp2ps(uint32_t *order, const hpr__chart *chart, const appearance *list,
                          uint32_t n)
{
    hpr__sort_item *items = hpf_arena_array(chart->arena, n, sizeof *items);
    for (uint32_t i = 0; items && i < n; i++) {
        const hpr_band *band = &chart->bands[list[i].band];
        items[i] = (hpr__sort_item){.name = i, .text = band->name, .number = band->sum};
    }
    if (!items || hpr__sort_hash_table(items, n, chart->arena, NULL) ||
        hpr__sort_by_swaps(items, n, hpr__sort_by_number, chart->arena, NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        order[i] = list[items[i].name].band;
    }
    return true;
}

/* Returns the first `n` bands in the order of hp2ps: by sum, the least at the bottom, equal ones as
 * its table and its sort leave them, and OTHER below all. NULL if there is no memory. */
static uint32_t *order_as_hp2ps(const hpr__chart *chart, const hpr__assignment *assignment,
                                uint32_t n)
{
    appearance *list = hpf_arena_array(chart->arena, n, sizeof *list);
    uint32_t *order = hpf_arena_array(chart->arena, n, sizeof *order);
    uint32_t n_listed = 0;
    if (!list || !order) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (assignment->names[i] == HPR__OTHER_BAND) {
            order[0] = i;
        } else {
            list[n_listed++] = (appearance){assignment->names[i], i};
        }
    }
    qsort(list, n_listed, sizeof *list, compare_appearances);
    return sort_as_hp2ps(order + (n - n_listed), chart, list, n_listed) ? order : NULL;
}

/* --- lists of names ------------------------------------------------------------------------- */

/* The user gives a list of names from the top of the picture to its bottom. A name also stands for
 * names that differ only in the id of a cost-centre stack, so that a list works for later runs. "*"
 * stands for all bands that are not listed; without it they come last. */
typedef struct entry {
    hpf_str text;
    size_t line;
} entry;

/* Sorts by text, then from the top of the list. */
static int compare_entries(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;
    int by_text = hpf_str_compare(x->text, y->text);
    return by_text ? by_text : x->line < y->line ? -1 : x->line > y->line;
}

/* Returns the first line with `text`, or `none`. */
static size_t find_line(const entry *entries, size_t n, hpf_str text, size_t none)
{
    size_t first;
    HPF__ARRAY_BISECT(first, n, i, hpf_str_compare(entries[i].text, text) < 0);
    return first < n && hpf_str_equal(entries[first].text, text) ? entries[first].line : none;
}

/* Returns the list sorted by text, with or without ids of stacks, or NULL if there is no memory. */
static entry *sorted_entries(hpf_arena *arena, const hpf_str *list, size_t n, bool is_bare)
{
    entry *entries = hpf_arena_array(arena, n, sizeof *entries);
    for (size_t i = 0; entries && i < n; i++) {
        entries[i] = (entry){is_bare ? hpf__without_id(list[i]) : list[i], i};
    }
    if (entries) {
        qsort(entries, n, sizeof *entries, compare_entries);
    }
    return entries;
}

typedef struct listed {
    size_t line;
    uint32_t place, band;
} listed;

/* Sorts the first line on top; bands of one line keep their order. */
static int compare_listed(const void *a, const void *b)
{
    const listed *x = a;
    const listed *y = b;
    if (x->line != y->line) {
        return x->line > y->line ? -1 : 1;
    }
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Reorders `order`, the indices of `n` bands, by the list. Returns false if there is no memory. */
static bool order_by_list(hpr__chart *chart, uint32_t *order, uint32_t n, const hpf_str *list,
                          size_t n_list)
{
    entry *whole = sorted_entries(chart->arena, list, n_list, false);
    entry *bare = sorted_entries(chart->arena, list, n_list, true);
    listed *bands = hpf_arena_array(chart->arena, n, sizeof *bands);
    if (!whole || !bare || !bands) {
        return false;
    }
    size_t rest = find_line(whole, n_list, HPF_STR("*"), n_list);
    for (uint32_t i = 0; i < n; i++) {
        hpf_str name = chart->bands[order[i]].name;
        size_t line = find_line(bare, n_list, hpf__without_id(name), rest);
        bands[i] = (listed){find_line(whole, n_list, name, line), i, order[i]};
    }
    qsort(bands, n, sizeof *bands, compare_listed);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = bands[i].band;
    }
    return true;
}

static bool has_line(const hpf_str *list, size_t n_list, hpf_str text)
{
    size_t i = 0;
    while (i < n_list && !hpf_str_equal(list[i], text)) {
        i++;
    }
    return i < n_list;
}

/* Returns whether the list has each of the first `n` bands with its whole name. */
static bool list_is_whole(const hpr__chart *chart, uint32_t n, const hpf_str *list, size_t n_list)
{
    uint32_t i = 0;
    while (i < n && has_line(list, n_list, chart->bands[i].name)) {
        i++;
    }
    return i == n;
}

/* OTHER leaves the top if it causes more wiggle than this, in units of the order of hp2ps. */
static const double most_excess = 1.01;

typedef struct ordering {
    hpr__chart *chart;
    const hpr__assignment *assignment;
    hpr__series series;
    uint32_t n_bands;
    uint32_t n; /* without OTHER, which is the last one if there is one */
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

/* Returns the order of least wiggle of the first `n` bands that a search from the order of hp2ps
 * and some others finds, so never worse than these. NULL if there is no memory. */
static uint32_t *least_wiggle(const ordering *o, uint32_t n)
{
    static band_key *const keys[] = {key_sum, key_area_down, key_variation, key_restlessness,
                                     key_nothing};
    enum { N_SEEDS = sizeof keys / sizeof *keys };
    const uint32_t *seeds[N_SEEDS];
    uint32_t *order = order_as_hp2ps(o->chart, o->assignment, n);
    for (int i = 0; order && i < N_SEEDS; i++) {
        seeds[i] = order_by(o->chart, n, keys[i]);
        order = seeds[i] ? order : NULL;
    }
    return order && hpr__wiggle_minimise(&o->series, order, n, seeds, N_SEEDS, o->chart->arena)
               ? order
               : NULL;
}

/* Sets `*is_free` if the order with OTHER on top has clearly more wiggle than the order of hp2ps,
 * which has OTHER at the bottom. Returns false if there is no memory. */
static bool compare_with_hp2ps(const ordering *o, const uint32_t *order, bool *is_free)
{
    uint32_t *whole = hpf_arena_array(o->chart->arena, o->n_bands, sizeof *whole);
    const uint32_t *hp2ps_order = order_as_hp2ps(o->chart, o->assignment, o->n_bands);
    if (!whole || !hp2ps_order) {
        return false;
    }
    memcpy(whole, order, o->n * sizeof *whole);
    whole[o->n] = o->n;
    *is_free = hpr__wiggle_of(&o->series, whole, o->n_bands) >
               most_excess * hpr__wiggle_of(&o->series, hp2ps_order, o->n_bands);
    return true;
}

/* Returns the order of least wiggle of the first `o->n` bands; includes OTHER in `o->n` if it does
 * not stay on top. */
static uint32_t *order_by_wiggle(ordering *o, bool keep_other)
{
    uint32_t *order = least_wiggle(o, o->n);
    bool is_free = false;
    if (!order || keep_other || o->n == o->n_bands) {
        return order;
    }
    if (!compare_with_hp2ps(o, order, &is_free)) {
        return NULL;
    }
    o->n = is_free ? o->n_bands : o->n;
    return is_free ? least_wiggle(o, o->n) : order;
}

/* Returns the indices of the first `o->n` bands in order, or NULL if there is no memory. */
static uint32_t *find_order(ordering *o, const hpr_options *options)
{
    if (options->n_order_names > 0 &&
        list_is_whole(o->chart, o->n, options->order_names, options->n_order_names)) {
        return order_by(o->chart, o->n, key_nothing);
    }
    switch (options->order) {
    case HPR_ORDER_SUM:
        return order_by(o->chart, o->n, key_sum_down);
    case HPR_ORDER_STDDEV:
        return order_by(o->chart, o->n, key_deviation);
    case HPR_ORDER_NAME:
        return order_by(o->chart, o->n, key_nothing);
    case HPR_ORDER_GROWTH:
        return order_by(o->chart, o->n, key_growth);
    case HPR_ORDER_DEFAULT:
    case HPR_ORDER_WIGGLE:
        break;
    }
    return order_by_wiggle(o, options->reverse || options->n_order_names > 0);
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

hpf_status hpr__modern_order(hpr__chart *chart, const hpr__assignment *assignment,
                             const hpr_options *options, hpf_error *err)
{
    uint32_t n_bands = assignment->n_bands;
    bool has_other = n_bands > 0 && chart->bands[n_bands - 1].is_other;
    ordering o = {
        .chart = chart, .assignment = assignment, .n_bands = n_bands, .n = n_bands - has_other};
    if (has_line(options->order_names, options->n_order_names, HPF_STR("OTHER"))) {
        o.n = n_bands;
    }
    uint32_t *order = prepare(&o) ? find_order(&o, options) : NULL;
    if (!order ||
        (options->n_order_names > 0 &&
         !order_by_list(chart, order, o.n, options->order_names, options->n_order_names))) {
        return hpf_error_set_memory(err);
    }
    return permute(&o, order, options->reverse, err);
}

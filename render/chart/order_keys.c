/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Figures of bands, and sorting by them.
 */
#include "base/arena.h"
#include "chart/order_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "chart/hp2ps_sort.h"

/* --- figures -------------------------------------------------------------------------------- */

double hpr__key_nothing(const hpr_chart *chart, const hpr_band *band)
{
    (void)chart;
    (void)band;
    return 0;
}

double hpr__key_sum(const hpr_chart *chart, const hpr_band *band)
{
    (void)chart;
    return band->sum;
}

double hpr__key_sum_down(const hpr_chart *chart, const hpr_band *band)
{
    (void)chart;
    return -band->sum;
}

double hpr__key_area_down(const hpr_chart *chart, const hpr_band *band)
{
    (void)chart;
    return -band->trapezium;
}

double hpr__key_deviation(const hpr_chart *chart, const hpr_band *band)
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

double hpr__key_first(const hpr_chart *chart, const hpr_band *band)
{
    size_t i = 0;
    while (i < chart->n_points && !(band->values[i] > 0)) {
        i++;
    }
    return (double)i;
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

double hpr__key_growth(const hpr_chart *chart, const hpr_band *band)
{
    size_t begin = chart->n_points > 0 && is_empty_at(chart, 0);
    size_t end = chart->n_points;
    end -= end > begin && is_empty_at(chart, end - 1);
    double n = (double)(end - begin);
    double mean_time = 0;
    double mean_value = 0;
    double together = 0;
    double spread = 0;
    for (size_t i = begin; i < end; i++) {
        mean_time += chart->times[i] / n;
        mean_value += band->values[i] / n;
    }
    for (size_t i = begin; i < end; i++) {
        double later = chart->times[i] - mean_time;
        together += later * (band->values[i] - mean_value);
        spread += later * later;
    }
    return spread > 0 ? together / spread : 0;
}

double hpr__key_variation(const hpr_chart *chart, const hpr_band *band)
{
    double variation = 0;
    for (size_t i = 1; i < chart->n_points; i++) {
        variation += fabs(band->values[i] - band->values[i - 1]);
    }
    return variation;
}

double hpr__key_restlessness(const hpr_chart *chart, const hpr_band *band)
{
    return hpr__key_variation(chart, band) / fmax(band->trapezium, 1e-300);
}

/* --- sorting -------------------------------------------------------------------------------- */

typedef struct keyed {
    double key;
    hpf_str name;
    uint32_t band;
} keyed;

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

uint32_t *hpr__order_by(const hpr__chart *chart, uint32_t n, hpr__key *key)
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

/* A band and when its name appeared in the profile. */
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

/* hp2ps's table and sort of the bands in `list`, which is in order of appearance. */
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

uint32_t *hpr__order_as_hp2ps(const hpr__chart *chart, const hpr__assignment *plan, uint32_t n)
{
    appearance *list = hpf_arena_array(chart->arena, n, sizeof *list);
    uint32_t *order = hpf_arena_array(chart->arena, n, sizeof *order);
    uint32_t n_listed = 0;
    if (!list || !order) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (plan->names[i] == HPR__PLAN_OTHER) {
            order[0] = i;
        } else {
            list[n_listed++] = (appearance){plan->names[i], i};
        }
    }
    qsort(list, n_listed, sizeof *list, compare_appearances);
    return sort_as_hp2ps(order + (n - n_listed), chart, list, n_listed) ? order : NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two divisions of names into bands are the same when the bands of one stand for those of the
 * other, one for one.
 */
#include "summary/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* More values are not kept. */
#define MOST_VALUES ((size_t)1 << 20)

#define NO_ROW UINT32_MAX

/* One for one: `rows` by band, `bands` by row. Belonging to no band has no row. */
static bool pair_up(uint32_t *rows, uint32_t *bands, uint32_t band, uint32_t row)
{
    if (band == HPF_NO_BAND || row == HPF_NO_BAND) {
        return band == row;
    }
    if (rows[band] == NO_ROW && bands[row] == NO_ROW) {
        rows[band] = row;
        bands[row] = band;
    }
    return rows[band] == row && bands[row] == band;
}

bool hpf__told_rows(const hpf__told *told, const hpf__series *series, size_t n_names,
                    uint32_t *rows)
{
    uint32_t *bands = told->n_picks ? malloc((size_t)told->n_bands * sizeof *bands + 1) : NULL;
    bool is_same = bands && told->n_names <= n_names;
    if (bands) {
        memset(bands, 0xFF, (size_t)told->n_bands * sizeof *bands);
    }
    memset(rows, 0xFF, (size_t)series->n_bands * sizeof *rows);
    for (size_t i = 0; i < told->n_names && is_same; i++) {
        is_same = pair_up(rows, bands, series->band_of_name[i], told->band_of_name[i]);
    }
    free(bands);
    return is_same;
}

size_t hpf__told_run(const hpf__told *told, const hpf_pick *picks, size_t n_picks, size_t *first)
{
    while (*first < told->n_picks && told->ends[*first] < picks->end_offset) {
        ++*first;
    }
    size_t n = 0;
    while (n < n_picks && *first + n < told->n_picks &&
           told->ends[*first + n] == picks[n].end_offset) {
        n++;
    }
    return n;
}

void hpf__told_copy(const hpf__told *told, const uint32_t *rows, size_t first, size_t n_picks,
                    const hpf__series *series, size_t at)
{
    for (uint32_t band = 0; band < series->n_bands; band++) {
        if (rows[band] != NO_ROW) {
            memcpy(series->values + (size_t)band * series->n_picks + at,
                   told->values + (size_t)rows[band] * told->n_picks + first,
                   n_picks * sizeof *series->values);
        }
    }
}

static bool make_room(hpf__told *told, size_t n_names, size_t n_values, size_t n_picks)
{
    return HPF__ARRAY_RESERVE(told->band_of_name, told->names_capacity, n_names) &&
           HPF__ARRAY_RESERVE(told->values, told->values_capacity, n_values) &&
           HPF__ARRAY_RESERVE(told->ends, told->ends_capacity, n_picks);
}

void hpf__told_take(hpf__told *told, const hpf__series *series, size_t n_names,
                    const hpf_pick *picks)
{
    told->n_picks = 0;
    size_t n_values =
        series->n_bands <= MOST_VALUES / series->n_picks ? series->n_bands * series->n_picks : 0;
    if (n_values == 0 || !make_room(told, n_names, n_values, series->n_picks)) {
        return;
    }
    memcpy(told->band_of_name, series->band_of_name, n_names * sizeof *told->band_of_name);
    memcpy(told->values, series->values, n_values * sizeof *told->values);
    for (size_t i = 0; i < series->n_picks; i++) {
        told->ends[i] = picks[i].end_offset;
    }
    told->n_names = n_names;
    told->n_bands = series->n_bands;
    told->n_picks = series->n_picks;
}

void hpf__told_finish(hpf__told *told)
{
    free(told->band_of_name);
    free(told->values);
    free(told->ends);
    *told = (hpf__told){0};
}

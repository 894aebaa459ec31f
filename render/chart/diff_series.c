/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The grid has every position of either profile in the range that both cover. Rows are chosen by
 * the area between old and new, which needs whole series. Therefore the series of more rows than
 * wanted are read, the most promising ones, and the best of these are kept.
 */
#include "hpfile/survey.h"
#include "hpfile/diff.h"
#include "base/arena.h"
#include "base/array.h"
#include "chart/diff_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many series are read per wanted row, and at least. */
#define CANDIDATES_EACH  4
#define CANDIDATES_LEAST 64

/* Longest grid to which crossings of zero are added. */
#define MOST_CROSSED 2048

/* One of the profiles, and its positions on the common axis. */
typedef struct side {
    hpf_survey *survey;
    const hpf_overview *overview;
    double *positions;              /* of its samples */
    const hpf_alignment *alignment; /* that they are by; or NULL */
    size_t n_drawn;                 /* samples that are compared */
    double low, high;
} side;

typedef struct work {
    hpf_arena *arena;
    const hpf_diff *diff;
    side sides[2];
    hpr__diff_series *out;
    const hpf_diff_row **candidates;
    uint32_t *candidate_of_row; /* by number of row; HPF_NO_BAND: none */
    uint32_t n_candidates;
    double *changes; /* n_candidates rows of n_points */
} work;

/* Takes the samples of a profile, without the empty ones at its end, which GHC writes: a program
 * that has ended is not compared with one that still runs. With `alignment`, they are at the times
 * of the other profile. Returns false if there is no memory. */
static bool begin_side(side *s, hpf_arena *arena, hpf_survey *survey, bool by_sample,
                       const hpf_alignment *alignment)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    size_t n = hpf_survey_end_index(survey) + 1;
    *s = (side){.survey = survey,
                .overview = o,
                .n_drawn = n > 1 ? n : o->n_drawn,
                .alignment = by_sample ? NULL : alignment};
    s->positions = hpf_arena_array(arena, o->n_drawn, sizeof *s->positions);
    if (!s->positions) {
        return false;
    }
    for (size_t i = 0; i < s->n_drawn; i++) {
        s->positions[i] = by_sample   ? (double)o->drawn[i].sample_index + 1
                          : alignment ? hpf_alignment_map(alignment, o->drawn[i].time)
                                      : o->drawn[i].time;
    }
    s->low = s->positions[0];
    s->high = s->positions[s->n_drawn - 1];
    return true;
}

/* Finds the smallest position of either side after `last`; returns false if there is none. */
static bool next_position(const side *sides, size_t at[2], double last, double *next)
{
    bool is_found = false;
    for (int k = 0; k < 2; k++) {
        const side *s = &sides[k];
        while (at[k] < s->n_drawn && s->positions[at[k]] <= last) {
            at[k]++;
        }
        if (at[k] < s->n_drawn && (!is_found || s->positions[at[k]] < *next)) {
            *next = s->positions[at[k]];
            is_found = true;
        }
    }
    return is_found;
}

/* Builds the grid, from the later first position to the earlier last one. A profile of one sample
 * is compared with all of the other from its position on. */
static hpf_status make_grid(work *w, hpf_error *err)
{
    const side *s = w->sides;
    double low = fmax(s[0].low, s[1].low);
    double high = s[0].n_drawn == 1   ? s[1].high
                  : s[1].n_drawn == 1 ? s[0].high
                                      : fmin(s[0].high, s[1].high);
    size_t at[2] = {0, 0};
    double next = low;
    if (!(high > low)) {
        return hpf_error_set(err, HPF_ERR_RANGE, "the two profiles do not overlap in time");
    }
    w->out->positions =
        hpf_arena_array(w->arena, s[0].n_drawn + s[1].n_drawn, sizeof *w->out->positions);
    if (!w->out->positions) {
        return hpf_error_set_memory(err);
    }
    do {
        w->out->positions[w->out->n_points++] = next;
    } while (next_position(s, at, next, &next) && next <= high);
    return HPF_OK;
}

/* Returns how far a position is on the way from a sample to the next one, by the clock of its run:
 * knots may be between both. */
static double share_between(const side *s, size_t at, double position)
{
    const hpf_drawn_sample *drawn = s->alignment ? s->overview->drawn : NULL;
    double begin = s->alignment ? drawn[at].time : s->positions[at];
    double end = s->alignment ? drawn[at + 1].time : s->positions[at + 1];
    double here = s->alignment ? hpf_alignment_map_back(s->alignment, position) : position;
    return fmin(fmax((here - begin) / (end - begin), 0), 1);
}

/* Adds the amounts of a side, times `sign`, to the grid, interpolating linearly. Of several samples
 * at one position the last one counts. */
static void add_resampled(const hpr__diff_series *to, double *sums, const side *s,
                          const double *amounts, double sign)
{
    size_t at = 0;
    for (size_t i = 0; i < to->n_points; i++) {
        double position = to->positions[i];
        while (at + 1 < s->n_drawn && s->positions[at + 1] <= position) {
            at++;
        }
        double amount = amounts[at];
        if (position > s->positions[at] && at + 1 < s->n_drawn) {
            amount += share_between(s, at, position) * (amounts[at + 1] - amount);
        }
        sums[i] += sign * amount;
    }
}

double hpr__diff_area(const double *positions, const double *values, size_t n)
{
    double area = 0;
    for (size_t i = 1; i < n; i++) {
        area += (positions[i] - positions[i - 1]) * (fabs(values[i - 1]) + fabs(values[i])) / 2;
    }
    return area;
}

typedef struct ranked {
    const hpf_diff_row *row;
    double weight;
    double *changes; /* of a candidate */
} ranked;

static int compare_ranked(const void *left, const void *right)
{
    const ranked *a = left;
    const ranked *b = right;
    if (a->weight != b->weight) {
        return a->weight > b->weight ? -1 : 1;
    }
    return (a->row->number > b->row->number) - (a->row->number < b->row->number);
}

/* Chooses the rows with the largest difference in any measure. */
static hpf_status choose_candidates(work *w, uint32_t n_wanted, hpf_error *err)
{
    uint32_t n = hpf_diff_n_rows(w->diff);
    uint32_t most = n_wanted * CANDIDATES_EACH;
    most = most > CANDIDATES_LEAST ? most : CANDIDATES_LEAST;
    w->n_candidates = n < most ? n : most;
    ranked *all = hpf_arena_array(w->arena, n, sizeof *all);
    w->candidates = hpf_arena_array(w->arena, w->n_candidates, sizeof *w->candidates);
    w->candidate_of_row = hpf_arena_array(w->arena, n, sizeof *w->candidate_of_row);
    if (!all || !w->candidates || !w->candidate_of_row) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        const hpf_diff_row *row = &hpf_diff_rows(w->diff)[i];
        all[i] = (ranked){.row = row};
        for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
            all[i].weight = fmax(all[i].weight, fabs(hpf_diff_change(row, (hpf_diff_measure)m)));
        }
        w->candidate_of_row[row->number] = HPF_NO_BAND;
    }
    HPF__ARRAY_SORT(all, n, compare_ranked);
    for (uint32_t i = 0; i < w->n_candidates; i++) {
        w->candidates[i] = all[i].row;
        w->candidate_of_row[all[i].row->number] = i;
    }
    return HPF_OK;
}

/* Adds the series of the candidates and the totals of side 1, or subtracts the series of side 0. */
static hpf_status add_side(work *w, int which, hpf_error *err)
{
    const side *s = &w->sides[which];
    uint32_t n_names = hpf_survey_n_names(s->survey);
    size_t n_rows = (size_t)w->n_candidates + 1; /* one for the totals */
    uint32_t *band_of_name = calloc((size_t)n_names + 1, sizeof *band_of_name);
    size_t row_length = s->overview->n_drawn;
    double *values = calloc(n_rows * row_length, sizeof *values);
    hpf_status status = band_of_name && values ? HPF_OK : hpf_error_set_memory(err);
    for (hpf_name i = 0; i < n_names && !status; i++) {
        bool is_used = hpf_survey_totals(s->survey, i)->n_samples > 0;
        band_of_name[i] =
            is_used ? w->candidate_of_row[hpf_diff_row_of_name(w->diff, which, i)] : HPF_NO_BAND;
    }
    if (!status) {
        status = hpf_survey_series(s->survey, band_of_name, w->n_candidates, values, err);
    }
    for (uint32_t i = 0; i < w->n_candidates && !status; i++) {
        add_resampled(w->out, w->changes + i * w->out->n_points, s, values + i * row_length,
                      which ? 1 : -1);
    }
    if (!status) {
        double *totals = values + w->n_candidates * row_length;
        for (size_t i = 0; i < s->n_drawn; i++) {
            totals[i] = s->overview->drawn[i].total;
        }
        add_resampled(w->out, w->out->totals, s, totals, which ? 1 : -1);
    }
    free(band_of_name);
    free(values);
    return status;
}

static hpf_status fetch(work *w, hpf_error *err)
{
    hpr__diff_series *out = w->out;
    w->changes = hpf_arena_array(w->arena, w->n_candidates, out->n_points * sizeof *w->changes);
    out->totals = hpf_arena_array(w->arena, out->n_points, sizeof *out->totals);
    out->rest = hpf_arena_array(w->arena, out->n_points, sizeof *out->rest);
    if (!w->changes || !out->totals || !out->rest) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = add_side(w, 0, err);
    return status ? status : add_side(w, 1, err);
}

/* Keeps the candidates of the largest area, and subtracts them from the totals to get the rest. */
static hpf_status keep_best(work *w, uint32_t n_wanted, hpf_error *err)
{
    hpr__diff_series *out = w->out;
    ranked *best = hpf_arena_array(w->arena, w->n_candidates, sizeof *best);
    out->rows = hpf_arena_array(w->arena, w->n_candidates, sizeof *out->rows);
    out->changes = hpf_arena_array(w->arena, w->n_candidates, sizeof *out->changes);
    if (!best || !out->rows || !out->changes) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < w->n_candidates; i++) {
        double *changes = w->changes + i * out->n_points;
        best[i] = (ranked){w->candidates[i], hpr__diff_area(out->positions, changes, out->n_points),
                           changes};
    }
    HPF__ARRAY_SORT(best, w->n_candidates, compare_ranked);
    memcpy(out->rest, out->totals, out->n_points * sizeof *out->rest);
    while (out->n_rows < w->n_candidates && out->n_rows < n_wanted &&
           best[out->n_rows].weight > 0) {
        const ranked *row = &best[out->n_rows];
        out->rows[out->n_rows] = row->row;
        out->changes[out->n_rows++] = row->changes;
        for (size_t i = 0; i < out->n_points; i++) {
            out->rest[i] -= row->changes[i];
        }
    }
    out->rest_names = hpf_diff_n_rows(w->diff) - out->n_rows;
    return HPF_OK;
}

/* Finds where the curve crosses zero between points i and i + 1; returns false if it does not. */
static bool find_crossing(const hpr__diff_series *s, const double *values, size_t i, double *at)
{
    double before = values[i];
    double after = values[i + 1];
    if (!(before > 0 && after < 0) && !(before < 0 && after > 0)) {
        return false;
    }
    double width = s->positions[i + 1] - s->positions[i];
    *at = s->positions[i] + width * (before / (before - after));
    return *at > s->positions[i] && *at < s->positions[i + 1];
}

static int compare_positions(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Writes the grid with all crossings of the rows and the rest to `positions`; returns its length.
 */
static size_t cross(const hpr__diff_series *s, double *positions)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_points; i++) {
        size_t first = n;
        positions[n++] = s->positions[i];
        for (uint32_t k = 0; k <= s->n_rows && i + 1 < s->n_points; k++) {
            double at;
            if (find_crossing(s, k < s->n_rows ? s->changes[k] : s->rest, i, &at)) {
                positions[n++] = at;
            }
        }
        qsort(positions + first, n - first, sizeof *positions, compare_positions);
        size_t kept = first;
        for (size_t k = first + 1; k < n; k++) {
            positions[kept + 1] = positions[k];
            kept += positions[k] > positions[kept];
        }
        n = kept + 1;
    }
    return n;
}

/* Returns a curve on a finer grid, or NULL if there is no memory. */
static double *refine(hpf_arena *arena, const hpr__diff_series *s, const double *values,
                      double *positions, size_t n)
{
    double *finer = hpf_arena_array(arena, n, sizeof *finer);
    const side coarse = {.positions = s->positions, .n_drawn = s->n_points};
    const hpr__diff_series fine = {.n_points = n, .positions = positions};
    if (finer) {
        add_resampled(&fine, finer, &coarse, values, 1);
    }
    return finer;
}

/* Adds a point wherever a row crosses zero, so that no row is above and below zero between the same
 * two points. Long grids are left alone, since there it is not visible. */
static hpf_status add_crossings(hpf_arena *arena, hpr__diff_series *s, hpf_error *err)
{
    if (s->n_points > MOST_CROSSED) {
        return HPF_OK;
    }
    double *positions =
        hpf_arena_array(arena, s->n_points * ((size_t)s->n_rows + 2), sizeof *positions);
    if (!positions) {
        return hpf_error_set_memory(err);
    }
    size_t n = cross(s, positions);
    bool fits = true;
    for (uint32_t k = 0; k < s->n_rows; k++) {
        s->changes[k] = refine(arena, s, s->changes[k], positions, n);
        fits = fits && s->changes[k];
    }
    s->rest = refine(arena, s, s->rest, positions, n);
    s->totals = refine(arena, s, s->totals, positions, n);
    s->positions = positions;
    s->n_points = n;
    return fits && s->rest && s->totals ? HPF_OK : hpf_error_set_memory(err);
}

hpf_status hpr__diff_series_make(hpr__diff_series *out, hpf_arena *arena, const hpf_diff *diff,
                                 hpf_survey *const surveys[2], bool by_sample,
                                 const hpf_alignment *alignment, uint32_t n_rows, hpf_error *err)
{
    work w = {.arena = arena, .diff = diff, .out = out};
    *out = (hpr__diff_series){0};
    for (int k = 0; k < 2; k++) {
        if (!begin_side(&w.sides[k], arena, surveys[k], by_sample, k == 0 ? alignment : NULL)) {
            return hpf_error_set_memory(err);
        }
        out->is_reduced |= w.sides[k].overview->reduced;
    }
    hpf_status status = make_grid(&w, err);
    status = status ? status : choose_candidates(&w, n_rows, err);
    status = status ? status : fetch(&w, err);
    status = status ? status : keep_best(&w, n_rows, err);
    return status ? status : add_crossings(arena, out, err);
}

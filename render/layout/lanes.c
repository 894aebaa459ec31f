/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cells of activity become columns that are wide enough to be seen. The amount of a column is the
 * mean of its cells.
 */
#include "layout/lanes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "chart/units.h"
#include "layout/geometry.h"

enum { COUNT_BYTES = 48, LEAST_LANE_PT = 6, MOST_LANE_PT = 24 };

static const double column_pt = 0.6;    /* least width */
static const double lane_share = 0.042; /* of the height of the picture */
static const double gap_share = 0.3;    /* of the height of a lane: the room above it */

static double sum_of(const double *cells, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += cells[i];
    }
    return sum;
}

/* Returns the highest rate over 1/256 of the time: that of single cells would be noise. */
static double max_rate(const double *cells, const hpf_activity *a)
{
    size_t width = a->n_cells / 256 ? a->n_cells / 256 : 1;
    double max = 0;
    for (size_t i = 0; cells && i + width <= a->n_cells; i += width) {
        max = fmax(max, sum_of(cells + i, width));
    }
    return max / (a->cell_s * (double)width);
}

size_t hpr__lanes_list(hpr__lane_source out[HPR__MOST_LANES], const hpf_activity *a)
{
    const hpr__lane_source all[HPR__MOST_LANES] = {
        {HPR__LANE_ALLOCATION, "allocation", "bytes per second", a->allocated_bytes, NULL,
         max_rate(a->allocated_bytes, a)},
        {HPR__LANE_GC, "GC", "share of time", a->paused_s, NULL, 1},
        {HPR__LANE_THREADS, "threads", "running threads", a->running_s, NULL, a->n_processors},
        {HPR__LANE_SPARKS, "sparks", "sparks per second", a->sparks, a->run_sparks,
         fmax(max_rate(a->sparks, a), max_rate(a->run_sparks, a))},
    };
    size_t n = 0;
    for (size_t i = 0; i < HPR__MOST_LANES; i++) {
        if (all[i].cells) {
            out[n++] = all[i];
        }
    }
    return n;
}

/* Returns the distance of lanes. */
static double pitch_of(const hpr_chart *chart)
{
    return chart->lane_pt * (1 + gap_share);
}

/* Writes a count in about three digits: "12.3k". */
static void write_count(char out[COUNT_BYTES], double count)
{
    const hpr_unit unit = {count >= 999500 ? 1e6 : count >= 9999.5 ? 1e3 : 1, "", ""};
    char number[HPR_UNIT_LABEL_BYTES];
    hpr_unit_label_rounded(number, count, &unit, count >= 9999.5 ? 3 : 4);
    snprintf(out, COUNT_BYTES, "%.24s%s", number,
             unit.factor >= 1e6   ? "M"
             : unit.factor >= 1e3 ? "k"
                                  : "");
}

void hpr__lane_note(char note[HPR__NOTE_BYTES], const hpr__lane_source *s, const hpf_activity *a,
                    bool si_units)
{
    char number[HPR_UNIT_LABEL_BYTES], all[COUNT_BYTES], part[COUNT_BYTES];
    double sum = sum_of(s->cells, a->n_cells);
    double mean = sum / (a->cell_s * (double)a->n_cells);
    if (s->kind == HPR__LANE_ALLOCATION) {
        hpr_unit unit = hpr_unit_of_values(HPF_STR("bytes"), s->high, si_units);
        hpr_unit_label_rounded(number, s->high, &unit, 3);
        snprintf(note, HPR__NOTE_BYTES, "max %s %s/s", number, unit.name);
    } else if (s->kind == HPR__LANE_GC) {
        const hpr_unit percent = {0.01, "", "%"};
        hpr_unit_label_rounded(number, mean, &percent, 2);
        snprintf(note, HPR__NOTE_BYTES, "%s %% of time", number);
    } else if (s->kind == HPR__LANE_THREADS) {
        const hpr_unit one = {1, "", ""};
        hpr_unit_label_rounded(number, mean, &one, 2);
        snprintf(note, HPR__NOTE_BYTES, "mean %s of %u", number, (unsigned)a->n_processors);
    } else {
        write_count(part, round(a->n_run_sparks));
        write_count(all, round(a->n_sparks));
        snprintf(note, HPR__NOTE_BYTES, "%s of %s run", part, all);
    }
}

hpf_status hpr__lanes_create(hpr__chart *chart, const hpr_options *options, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    const hpf_activity *a = options->activity;
    hpr__lane_source sources[HPR__MOST_LANES];
    size_t n = a && public->n_points > 1 ? hpr__lanes_list(sources, a) : 0;
    hpr_lane *lanes = hpf_arena_array(chart->arena, n, sizeof *lanes);
    if (!lanes) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        char note[HPR__NOTE_BYTES];
        hpr__lane_note(note, &sources[i], a, options->si_units);
        lanes[i] = (hpr_lane){.name = sources[i].name,
                              .unit = sources[i].unit,
                              .note = hpf_arena_text(chart->arena, (hpf_str){note, strlen(note)}),
                              .high = sources[i].high,
                              .is_line = sources[i].kind == HPR__LANE_ALLOCATION};
        if (!lanes[i].note) {
            return hpf_error_set_memory(err);
        }
    }
    public->lanes = lanes;
    public->n_lanes = n;
    public->lane_pt = fmin(fmax(public->height_pt * lane_share, LEAST_LANE_PT), MOST_LANE_PT);
    public->lanes_pt = (double)n * pitch_of(public);
    return HPF_OK;
}

/* Stores the edges of the columns: the cells at which they begin, and a last one. Returns the
 * number of columns. */
static size_t find_columns(size_t *begins, const hpr_chart *chart, const hpf_activity *a)
{
    size_t n = 0;
    double free_pt = -HUGE_VAL;
    for (size_t i = 0; i < a->n_cells; i++) {
        double x = hpr__x_of_time(chart, a->begin_s + (double)i * a->cell_s);
        if (x >= free_pt) {
            begins[n++] = i;
            free_pt = x + column_pt;
        }
    }
    begins[n] = a->n_cells;
    return n;
}

/* Returns the mean of each column per second. */
static double *amounts_of(hpr__chart *chart, const double *cells, const size_t *begins, size_t n,
                          double cell_s)
{
    double *amounts = hpf_arena_array(chart->arena, n, sizeof *amounts);
    for (size_t i = 0; amounts && i < n; i++) {
        size_t width = begins[i + 1] - begins[i];
        amounts[i] = sum_of(cells + begins[i], width) / (cell_s * (double)width);
    }
    return amounts;
}

hpf_status hpr__lanes_place(hpr__chart *chart, const hpr_options *options, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    const hpf_activity *a = options->activity;
    if (public->n_lanes == 0) {
        return HPF_OK;
    }
    hpr__lane_source sources[HPR__MOST_LANES];
    hpr_lane *lanes = hpf_arena_array(chart->arena, public->n_lanes, sizeof *lanes);
    size_t *begins = hpf_arena_array(chart->arena, a->n_cells + 1, sizeof *begins);
    double *edges = hpf_arena_array(chart->arena, a->n_cells + 1, sizeof *edges);
    double *times = hpf_arena_array(chart->arena, a->n_cells + 1, sizeof *times);
    if (!lanes || !begins || !edges || !times) {
        return hpf_error_set_memory(err);
    }
    hpr__lanes_list(sources, a);
    size_t n = find_columns(begins, public, a);
    for (size_t i = 0; i <= n; i++) {
        times[i] = a->begin_s + (double)begins[i] * a->cell_s;
        edges[i] = hpr__x_of_time(public, times[i]);
    }
    for (size_t i = 0; i < public->n_lanes; i++) {
        const hpr__lane_source *s = &sources[i];
        double *amounts = amounts_of(chart, s->cells, begins, n, a->cell_s);
        double *parts = s->parts ? amounts_of(chart, s->parts, begins, n, a->cell_s) : NULL;
        if (!amounts || (s->parts && !parts)) {
            return hpf_error_set_memory(err);
        }
        lanes[i] = public->lanes[i];
        lanes[i].y_pt = public->plot_y_pt - (double)(i + 1) * pitch_of(public);
        lanes[i].n = n;
        lanes[i].edges_pt = edges;
        lanes[i].times = times;
        lanes[i].amounts = amounts;
        lanes[i].parts = parts;
    }
    public->lanes = lanes;
    return HPF_OK;
}

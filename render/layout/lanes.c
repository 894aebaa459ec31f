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
#include "base/utf8.h"
#include "layout/geometry.h"

enum { COUNT_BYTES = 48, LEAST_LANE_PT = 6, MOST_LANE_PT = 24, MOST_HIGH_LANES = 7 };

static const double least_key_share = 0.05; /* of the time of the longest thread */
static const double column_pt = 0.6;        /* least width */
static const double lane_share = 0.042;     /* of the height of the picture */
static const double gap_share = 0.3;        /* of the height of a lane: the room above it */

#define NAMES_OF(i)                                                                                \
    {                                                                                              \
        "cap " #i, "sparks " #i                                                                    \
    }
static const char *const processor_names[HPR__MOST_PROCESSORS][2] = {
    NAMES_OF(0),  NAMES_OF(1),  NAMES_OF(2),  NAMES_OF(3), NAMES_OF(4),  NAMES_OF(5),
    NAMES_OF(6),  NAMES_OF(7),  NAMES_OF(8),  NAMES_OF(9), NAMES_OF(10), NAMES_OF(11),
    NAMES_OF(12), NAMES_OF(13), NAMES_OF(14), NAMES_OF(15)};

/* Light enough for dark names, and on white as on black; the last one is for all other threads.
 */
static const uint32_t thread_colours[] = {0x8ab6d6, 0xe6b566, 0x9cc58b, 0xc3a1d1, 0x7fc4bb,
                                          0xd2c06a, 0x9aa5dd, 0xc7a58c, 0xb4b9be};

enum { N_COLOURS = sizeof thread_colours / sizeof *thread_colours };

uint32_t hpr__thread_colour(uint32_t thread)
{
    return thread_colours[thread < N_COLOURS ? thread : N_COLOURS - 1];
}

static double sum_of(const double *cells, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += cells[i];
    }
    return sum;
}

/* Returns the highest rate over 1/256 of the time: the rate of single cells would be noise. */
static double max_rate(const double *cells, const hpf_activity *a)
{
    size_t width = a->n_cells / 256 ? a->n_cells / 256 : 1;
    double max = 0;
    for (size_t i = 0; cells && i + width <= a->n_cells; i += width) {
        max = fmax(max, sum_of(cells + i, width));
    }
    return max / (a->cell_s * (double)width);
}

/* Sparks of one processor have the scale of the one with most. */
static hpr__lane_source sparks_lane(const hpf_activity *a, const hpf_processor *of)
{
    hpr__lane_source lane = {
        HPR__LANE_SPARKS, "sparks", "sparks per second", a->sparks, a->run_sparks, 0, NULL, of};
    lane.high = fmax(max_rate(a->sparks, a), max_rate(a->run_sparks, a));
    if (of) {
        lane.name = processor_names[of->number][1];
        lane.cells = of->sparks;
        lane.parts = of->run_sparks;
        lane.high = 0;
        for (size_t i = 0; i < a->n_rows; i++) {
            const hpf_processor *p = &a->processors[i];
            lane.high = fmax(lane.high, fmax(max_rate(p->sparks, a), max_rate(p->run_sparks, a)));
        }
    }
    return lane;
}

size_t hpr__lanes_list(hpr__lane_source out[HPR__MOST_LANES], const hpf_activity *a)
{
    bool has_sparks_of_each = a->sparks && a->n_rows > 1;
    const hpr__lane_source all[] = {
        {HPR__LANE_ALLOCATION, "allocation", "bytes per second", a->allocated_bytes, NULL,
         max_rate(a->allocated_bytes, a), NULL, NULL},
        {HPR__LANE_GC, "GC", "share of time", a->paused_s, NULL, 1, NULL, NULL},
        {HPR__LANE_THREADS, "threads", "running threads", a->n_rows ? NULL : a->running_s, NULL,
         a->n_processors, NULL, NULL},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].cells) {
            out[n++] = all[i];
        }
    }
    if (a->sparks && !has_sparks_of_each) {
        out[n++] = sparks_lane(a, NULL);
    }
    for (size_t i = 0; i < a->n_rows && i < HPR__MOST_PROCESSORS; i++) {
        const hpf_processor *p = &a->processors[i];
        out[n++] = (hpr__lane_source){.kind = HPR__LANE_PROCESSOR,
                                      .name = processor_names[p->number][0],
                                      .unit = "share of time",
                                      .high = 1,
                                      .processor = p->cells};
        if (has_sparks_of_each) {
            out[n++] = sparks_lane(a, p);
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

size_t hpr__lane_keys(uint32_t keys[HPR__LANE_KEYS], const hpf_processor_cell *cells,
                      size_t n_cells)
{
    double sums[N_COLOURS] = {0}, most = 0;
    for (size_t i = 0; i < n_cells; i++) {
        if (cells[i].thread < N_COLOURS - 1) {
            sums[cells[i].thread] += (double)cells[i].running;
        }
    }
    for (size_t n = 0; n < HPR__LANE_KEYS; n++) {
        size_t longest = 0;
        for (size_t i = 1; i < N_COLOURS; i++) {
            longest = sums[i] > sums[longest] ? i : longest;
        }
        if (sums[longest] <= least_key_share * most) {
            return n;
        }
        most = n == 0 ? sums[longest] : most;
        keys[n] = (uint32_t)longest;
        sums[longest] = 0;
    }
    return HPR__LANE_KEYS;
}

void hpr__lane_key(char out[HPR__KEY_BYTES], const char *name)
{
    const size_t most = HPR__KEY_BYTES - sizeof "…";
    hpf_str whole = hpf_str_of(name);
    bool is_cut = whole.length > most;
    size_t length = is_cut ? hpf_utf8_cut(whole, most) : whole.length;
    snprintf(out, HPR__KEY_BYTES, "%.*s%s", (int)length, name, is_cut ? "…" : "");
}

/* Writes the threads that ran longest: "parser, indexer". */
static void write_keys(char note[HPR__NOTE_BYTES], const hpr__lane_source *s, const hpf_activity *a)
{
    uint32_t keys[HPR__LANE_KEYS];
    size_t n = hpr__lane_keys(keys, s->processor, a->n_cells);
    note[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        char name[3 * HPF_MOST_THREAD_NAME + 1], key[HPR__KEY_BYTES];
        hpf_utf8_printable(name, a->threads[keys[i]].name, "");
        hpr__lane_key(key, name);
        size_t at = strlen(note);
        snprintf(note + at, HPR__NOTE_BYTES - at, "%s%s", i > 0 ? ", " : "", key);
    }
}

void hpr__lane_note(char note[HPR__NOTE_BYTES], const hpr__lane_source *s, const hpf_activity *a,
                    bool si_units)
{
    char number[HPR_UNIT_LABEL_BYTES], all[COUNT_BYTES], part[COUNT_BYTES];
    double sum = s->cells ? sum_of(s->cells, a->n_cells) : 0;
    double mean = sum / (a->cell_s * (double)a->n_cells);
    if (s->kind == HPR__LANE_ALLOCATION) {
        hpr_unit unit = hpr_unit_of_values(HPF_STR("bytes"), s->high, si_units);
        hpr_unit_label_rounded(number, s->high, &unit, 3);
        snprintf(note, HPR__NOTE_BYTES, "max %s %s/s", number, unit.name);
    } else if (s->processor) {
        write_keys(note, s, a);
    } else if (s->kind == HPR__LANE_GC) {
        const hpr_unit percent = {0.01, "", "%"};
        hpr_unit_label_rounded(number, a->paused_share, &percent, 2);
        snprintf(note, HPR__NOTE_BYTES, "%s %% of time", number);
    } else if (s->kind == HPR__LANE_THREADS) {
        const hpr_unit one = {1, "", ""};
        hpr_unit_label_rounded(number, mean, &one, 2);
        snprintf(note, HPR__NOTE_BYTES, "mean %s of %u", number, (unsigned)a->n_processors);
    } else {
        write_count(part, round(s->sparks_of ? s->sparks_of->n_run_sparks : a->n_run_sparks));
        write_count(all, round(s->sparks_of ? s->sparks_of->n_sparks : a->n_sparks));
        snprintf(note, HPR__NOTE_BYTES, s->sparks_of ? "%s run, %s created" : "%s of %s run", part,
                 all);
    }
}

/* Stores the names of the threads, as text that can be shown. */
static hpf_status name_threads(hpr__chart *chart, const hpf_activity *a, const char *const **out,
                               hpf_error *err)
{
    const char **names = hpf_arena_array(chart->arena, a->n_threads, sizeof *names);
    hpf_status status = names ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < a->n_threads && status == HPF_OK; i++) {
        status = hpr__chart_text(chart, a->threads[i].name, &names[i], err);
    }
    *out = names;
    return status;
}

hpf_status hpr__lanes_create(hpr__chart *chart, const hpr_options *options, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    const hpf_activity *a = options->activity;
    hpr__lane_source sources[HPR__MOST_LANES];
    size_t n = a && public->n_points > 1 ? hpr__lanes_list(sources, a) : 0;
    hpr_lane *lanes = hpf_arena_array(chart->arena, n, sizeof *lanes);
    const char *const *names = NULL;
    hpf_status status = lanes ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK && n > 0) {
        status = name_threads(chart, a, &names, err);
    }
    if (status != HPF_OK) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        char note[HPR__NOTE_BYTES];
        hpr__lane_note(note, &sources[i], a, options->si_units);
        lanes[i] = (hpr_lane){.name = sources[i].name,
                              .unit = sources[i].unit,
                              .note = hpf_arena_text(chart->arena, hpf_str_of(note)),
                              .high = sources[i].high,
                              .is_line = sources[i].kind == HPR__LANE_ALLOCATION};
        if (sources[i].processor) {
            lanes[i].thread_names = names;
            lanes[i].n_keys = hpr__lane_keys(lanes[i].keys, sources[i].processor, a->n_cells);
        }
        if (!lanes[i].note) {
            return hpf_error_set_memory(err);
        }
    }
    public->lanes = lanes;
    public->n_lanes = n;
    double share = lane_share * fmin(1, (double)MOST_HIGH_LANES / (double)(n ? n : 1));
    public->lane_pt = fmin(fmax(public->height_pt * share, LEAST_LANE_PT), MOST_LANE_PT);
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

/* Returns the thread that has most of a column, by a vote of its cells. */
static uint32_t thread_of(const hpf_processor_cell *cells, size_t n)
{
    uint32_t thread = HPF_NO_THREAD;
    float lead = 0;
    for (size_t i = 0; i < n; i++) {
        if (cells[i].thread != HPF_NO_THREAD) {
            lead += cells[i].thread == thread ? cells[i].running : -cells[i].running;
            thread = lead < 0 ? cells[i].thread : thread;
            lead = fabsf(lead);
        }
    }
    return thread;
}

/* Fills in the columns of a processor. */
static hpf_status place_processor(hpr__chart *chart, hpr_lane *lane,
                                  const hpf_processor_cell *cells, const size_t *begins, size_t n,
                                  hpf_error *err)
{
    uint32_t *threads = hpf_arena_array(chart->arena, n, sizeof *threads);
    double *running = hpf_arena_array(chart->arena, n, sizeof *running);
    double *collecting = hpf_arena_array(chart->arena, n, sizeof *collecting);
    if (!threads || !running || !collecting) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        size_t width = begins[i + 1] - begins[i];
        running[i] = collecting[i] = 0;
        threads[i] = thread_of(cells + begins[i], width);
        for (size_t k = begins[i]; k < begins[i + 1]; k++) {
            running[i] += (double)cells[k].running / (double)width;
            collecting[i] += (double)cells[k].collecting / (double)width;
        }
    }
    lane->threads = threads;
    lane->amounts = running;
    lane->parts = collecting;
    return HPF_OK;
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
    hpf_status status = HPF_OK;
    hpr__lanes_list(sources, a);
    size_t n = find_columns(begins, public, a);
    for (size_t i = 0; i <= n; i++) {
        times[i] = a->begin_s + (double)begins[i] * a->cell_s;
        edges[i] = hpr__x_of_time(public, times[i]);
    }
    double *pauses =
        a->paused_s && a->n_rows ? amounts_of(chart, a->paused_s, begins, n, a->cell_s) : NULL;
    for (size_t i = 0; i < public->n_lanes && status == HPF_OK; i++) {
        const hpr__lane_source *s = &sources[i];
        lanes[i] = public->lanes[i];
        lanes[i].y_pt = public->plot_y_pt - (double)(i + 1) * pitch_of(public);
        lanes[i].n = n;
        lanes[i].edges_pt = edges;
        lanes[i].times = times;
        if (s->processor) {
            lanes[i].pauses = pauses;
            status = place_processor(chart, &lanes[i], s->processor, begins, n, err);
            continue;
        }
        double *amounts = amounts_of(chart, s->cells, begins, n, a->cell_s);
        double *parts = s->parts ? amounts_of(chart, s->parts, begins, n, a->cell_s) : NULL;
        if (!amounts || (s->parts && !parts)) {
            return hpf_error_set_memory(err);
        }
        lanes[i].amounts = amounts;
        lanes[i].parts = parts;
    }
    public->lanes = lanes;
    return status;
}

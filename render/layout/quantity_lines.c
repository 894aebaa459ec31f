/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A line that nobody asked for by name is drawn where it shows something and hides nothing: it
 * rises above the bands, and does not press them flat.
 */
#include "base/arena.h"
#include "layout/quantity_lines.h"

#include <math.h>

#include "hpfile/str.h"
#include "layout/geometry.h"

/* Highest point of a line in peaks of what is drawn: what rises less runs along that or below it;
 * what rises more leaves it too little of the height. */
static const double least_rise = 1.02;
static const double most_rise = 3;

/* The points of a line at times of the chart. */
static hpr_line clip(const hpr_chart *chart, const hpf_quantity *line)
{
    double from = chart->times[0], to = chart->times[chart->n_points - 1];
    size_t begin = 0, end = line->n_points;
    while (begin < end && line->points[begin].time < from) {
        begin++;
    }
    while (end > begin && line->points[end - 1].time > to) {
        end--;
    }
    hpr_line clipped = {
        .name = line->name, .points = line->points + begin, .n_points = end - begin};
    for (size_t i = 0; i < clipped.n_points; i++) {
        clipped.max = fmax(clipped.max, clipped.points[i].value);
    }
    return clipped;
}

static bool is_named(const hpr_options *options, hpf_str name)
{
    for (size_t i = 0; i < options->n_overlay_names; i++) {
        if (hpf_str_equal(options->overlay_names[i], name)) {
            return true;
        }
    }
    return false;
}

/* What the profiler takes itself is not the program's, and what a collector would need and gives
 * back is its own business. */
static bool is_internal(hpf_str name)
{
    return hpf_str_is(name, "profiler") || hpf_str_is(name, "needed") ||
           hpf_str_is(name, "returned");
}

/* The highest that bands are, or lines instead of them. */
static double peak_of(const hpr_chart *chart)
{
    hpr__peak peak;
    return hpr__peak_of(&peak, chart) ? peak.at : 0;
}

static bool is_wanted(const hpr_chart *chart, const hpr_options *options, const hpr_line *line)
{
    if (line->n_points == 0) {
        return false;
    }
    switch (options->overlay) {
    case HPR_OVERLAY_FITTING:
        return !is_internal(line->name) && line->max > peak_of(chart) * least_rise &&
               line->max <= peak_of(chart) * most_rise;
    case HPR_OVERLAY_ALL:
        return true;
    case HPR_OVERLAY_NAMED:
        return is_named(options, line->name);
    case HPR_OVERLAY_NONE:
        break;
    }
    return false;
}

/* The line at the sample times, straight between its points, and not a number beyond its ends. */
static void interpolate(double *values, const hpr_chart *chart, const hpr_line *line)
{
    size_t next = 0; /* the first point at or behind the time */
    for (size_t i = 0; i < chart->n_points; i++) {
        double time = chart->times[i];
        while (next < line->n_points && line->points[next].time < time) {
            next++;
        }
        if (next < line->n_points && line->points[next].time == time) {
            values[i] = line->points[next].value;
        } else if (next == 0 || next == line->n_points) {
            values[i] = NAN;
        } else {
            const hpf_quantity_point *a = &line->points[next - 1], *b = &line->points[next];
            values[i] = a->value + (b->value - a->value) * (time - a->time) / (b->time - a->time);
        }
    }
}

/* Copies what the survey owns. */
static hpf_status keep(hpr__chart *chart, hpr_line *line, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    hpf_quantity_point *points = hpf_arena_array(chart->arena, line->n_points, sizeof *points);
    double *values = hpf_arena_array(chart->arena, public->n_points, sizeof *values);
    if (!points || !values) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < line->n_points; i++) {
        points[i] = line->points[i];
    }
    line->points = points;
    interpolate(values, public, line);
    line->values = values;
    return hpr__chart_bytes(chart, line->name, &line->name, err) ||
                   hpr__chart_text(chart, line->name, &line->text, err)
               ? HPF_ERR_MEMORY
               : HPF_OK;
}

hpf_status hpr__quantity_lines_choose(hpr__chart *chart, const hpf_survey *survey,
                                      const hpr_options *options, hpf_error *err)
{
    const hpf_overview *overview = survey ? hpf_survey_overview(survey) : NULL;
    hpr_chart *public = &chart->public;
    public->n_lines = 0;
    /* Percents of the total are no amounts. */
    if (!overview || overview->n_quantities == 0 || public->n_points == 0 || public->is_normalised) {
        return HPF_OK;
    }
    hpr_line *lines = hpf_arena_array(chart->arena, overview->n_quantities, sizeof *lines);
    if (!lines) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < overview->n_quantities; i++) {
        hpr_line line = clip(public, &overview->quantities[i]);
        if (!is_wanted(public, options, &line)) {
            continue;
        }
        if (keep(chart, &line, err)) {
            return HPF_ERR_MEMORY;
        }
        lines[public->n_lines++] = line;
    }
    public->lines = lines;
    return HPF_OK;
}

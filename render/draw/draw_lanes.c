/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes of a run-time system below the plot, drawn in steps. Areas rise visibly above the base line
 * wherever their amount is not 0, so that short pauses remain visible.
 */
#include <math.h>

#include "draw/draw.h"
#include "layout/lanes.h"
#include "style/colour.h"

static double height_of(const hpr_chart *chart, const hpr_lane *lane, double amount)
{
    const double least_pt = 1.5;
    double height = fmin(amount / lane->high, 1) * chart->lane_pt;
    return amount > 0 && !lane->is_line ? fmax(height, least_pt) : height;
}

/* A part of a lane, from its lower edge up or from its upper edge down. */
typedef struct part {
    size_t begin, end; /* columns */
    bool hangs;
} part;

/* Returns the edge of a part, from left to right, with room for two more points. */
static hpr_point *outline_of(const hpr__drawing *d, const hpr_lane *lane, const double *amounts,
                             part of, size_t *n)
{
    hpr_point *points = hpr__builder_points(d->builder, 2 * (of.end - of.begin) + 2);
    *n = 0;
    for (size_t i = of.begin; points && i < of.end; i++) {
        double height = height_of(d->chart, lane, amounts[i]);
        double y = lane->y_pt + (of.hangs ? d->chart->lane_pt - height : height);
        hpr_point left = hpr__at(d, lane->edges_pt[i], y);
        hpr_point right = hpr__at(d, lane->edges_pt[i + 1], y);
        if (*n > 0 && points[*n - 1].y_pt == left.y_pt) {
            points[*n - 1] = right; /* the step goes on */
        } else {
            points[(*n)++] = left;
            points[(*n)++] = right;
        }
    }
    return points;
}

static void draw_area(const hpr__drawing *d, const hpr_lane *lane, const double *amounts, part of,
                      hpr_colour colour)
{
    size_t n;
    hpr_point *points = outline_of(d, lane, amounts, of, &n);
    double base = lane->y_pt + (of.hangs ? d->chart->lane_pt : 0);
    if (points) {
        points[n++] = hpr__at(d, lane->edges_pt[of.end], base);
        points[n++] = hpr__at(d, lane->edges_pt[of.begin], base);
        hpr__builder_polygon_owned(d->builder, points, n, hpr__paint_fill(colour),
                                   hpr__paint_none());
    }
}

/* Writes the name of a thread on its columns, if there is room. */
static void name_run(const hpr__drawing *d, const hpr_lane *lane, part run, const char *name,
                     hpr_colour ground)
{
    double height = 0, text_pt = fmin(d->type.text_pt, d->chart->lane_pt * 0.8);
    double left = lane->edges_pt[run.begin], width = lane->edges_pt[run.end] - left;
    hpr_text_size size = hpr__measure(d, name, text_pt);
    for (size_t i = run.begin; i < run.end; i++) {
        height += height_of(d->chart, lane, lane->amounts[i]) / (double)(run.end - run.begin);
    }
    if (size.width_pt + text_pt <= width && height > 0.6 * d->chart->lane_pt) {
        double baseline = lane->y_pt + (height - size.ascent_pt + size.descent_pt) / 2;
        hpr__draw_text(d, name, left + width / 2, baseline, text_pt, HPR_ANCHOR_MIDDLE,
                       hpr__colour_text_on(ground));
    }
}

/* Draws the threads of a processor, from below, and collections, from above: the light part is the
 * time in which any processor collected, the dark part that in which this one did. */
static void draw_processor(const hpr__drawing *d, const hpr_lane *lane)
{
    const part all = {0, lane->n, true};
    hpr_colour collection = hpr__colour_hex(HPR__COLLECTION_COLOUR);
    for (part run = {0}; run.begin < lane->n; run.begin = run.end) {
        uint32_t thread = lane->threads[run.begin];
        for (run.end = run.begin + 1; run.end < lane->n && lane->threads[run.end] == thread;) {
            run.end++;
        }
        if (thread != HPF_NO_THREAD) {
            hpr_colour colour = hpr__colour_hex(hpr__thread_colour(thread));
            hpr__builder_group_begin(d->builder, lane->thread_names[thread]);
            draw_area(d, lane, lane->amounts, run, colour);
            name_run(d, lane, run, lane->thread_names[thread], colour);
            hpr__builder_group_end(d->builder);
        }
    }
    hpr__builder_group_begin(d->builder, "GC");
    if (lane->pauses) {
        draw_area(d, lane, lane->pauses, all,
                  hpr__colour_mix(collection, d->theme->background, 0.2));
    }
    draw_area(d, lane, lane->parts, all, hpr__colour_mix(collection, d->theme->background, 0.6));
    hpr__builder_group_end(d->builder);
}

/* Draws the names in the note of a processor, each after a square in the colour of its thread. */
static void draw_keys(const hpr__drawing *d, const hpr_lane *lane, double x_pt, double baseline_pt)
{
    double text_pt = d->type.text_pt, square_pt = 0.7 * text_pt;
    for (size_t i = 0; i < lane->n_keys; i++) {
        char name[HPR__KEY_BYTES];
        hpr__lane_key(name, lane->thread_names[lane->keys[i]]);
        hpr_point corner = hpr__at(d, x_pt, baseline_pt + square_pt);
        hpr__builder_rect(d->builder, corner.x_pt, corner.y_pt, square_pt, square_pt,
                          hpr__paint_fill(hpr__colour_hex(hpr__thread_colour(lane->keys[i]))),
                          hpr__paint_none());
        hpr__draw_text(d, name, x_pt + text_pt, baseline_pt, text_pt, HPR_ANCHOR_START,
                       d->theme->muted);
        x_pt += 1.5 * text_pt + hpr__measure(d, name, text_pt).width_pt;
    }
}

static void draw_lane(const hpr__drawing *d, const hpr_lane *lane)
{
    const part all = {0, lane->n, false};
    const hpr_chart *chart = d->chart;
    const double gap_pt = 4;
    double right = hpr__right_of_plot(chart);
    hpr_text_size size = hpr__measure(d, lane->name, d->type.text_pt);
    double baseline = lane->y_pt + (chart->lane_pt - size.ascent_pt + size.descent_pt) / 2;
    if (lane->threads) {
        draw_processor(d, lane);
    }
    hpr__builder_group_begin(d->builder, lane->name);
    if (lane->is_line) {
        size_t n;
        draw_area(d, lane, lane->amounts, all, d->theme->grid);
        hpr_point *points = outline_of(d, lane, lane->amounts, all, &n);
        hpr__builder_line_owned(d->builder, points, n,
                                hpr__stroke_of(d, d->theme->outline, 2 * HPR__HAIRLINE_PT));
    } else if (!lane->threads) {
        draw_area(d, lane, lane->amounts, all, lane->parts ? d->theme->rule : d->theme->muted);
        if (lane->parts) {
            draw_area(d, lane, lane->parts, all, d->theme->text);
        }
    }
    hpr__draw_segment(d, chart->plot_x_pt, lane->y_pt, right, lane->y_pt,
                      hpr__stroke_of(d, d->theme->rule, HPR__RULE_PT));
    hpr__builder_group_end(d->builder);
    hpr__draw_text(d, lane->name, chart->plot_x_pt - gap_pt, baseline, d->type.text_pt,
                   HPR_ANCHOR_END, d->theme->muted);
    if (lane->n_keys == 0) {
        hpr__draw_text(d, lane->note, right + gap_pt, baseline, d->type.text_pt, HPR_ANCHOR_START,
                       d->theme->muted);
    }
    draw_keys(d, lane, right + gap_pt, baseline);
}

void hpr__draw_lanes(const hpr__drawing *d)
{
    for (size_t i = 0; i < d->chart->n_lanes; i++) {
        draw_lane(d, &d->chart->lanes[i]);
    }
}

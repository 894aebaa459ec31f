/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes of a run-time system below the plot, drawn in steps. Areas rise visibly above the base line
 * wherever their amount is not 0, so that short pauses remain visible.
 */
#include <math.h>
#include <string.h>

#include "draw/draw.h"

static double height_of(const hpr_chart *chart, const hpr_lane *lane, double amount)
{
    const double least_pt = 1.5;
    double height = fmin(amount / lane->high, 1) * chart->lane_pt;
    return amount > 0 && !lane->is_line ? fmax(height, least_pt) : height;
}

/* Returns the upper edge of a lane, from left to right, with room for two more points. */
static hpr_point *outline_of(const hpr__drawing *d, const hpr_lane *lane, const double *amounts,
                             size_t *n)
{
    hpr_point *points = hpr__builder_points(d->builder, 2 * lane->n + 2);
    *n = 0;
    for (size_t i = 0; points && i < lane->n; i++) {
        double y = lane->y_pt + height_of(d->chart, lane, amounts[i]);
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

static void draw_area(const hpr__drawing *d, const hpr_lane *lane, const double *amounts,
                      hpr_colour colour)
{
    size_t n;
    hpr_point *points = outline_of(d, lane, amounts, &n);
    if (points) {
        points[n++] = hpr__at(d, lane->edges_pt[lane->n], lane->y_pt);
        points[n++] = hpr__at(d, lane->edges_pt[0], lane->y_pt);
        hpr__builder_polygon_owned(d->builder, points, n, hpr__paint_fill(colour),
                                   hpr__paint_none());
    }
}

static void draw_lane(const hpr__drawing *d, const hpr_lane *lane)
{
    const hpr_chart *chart = d->chart;
    const double gap_pt = 4;
    double right = hpr__right_of_plot(chart);
    hpr_text_size size = hpr__measure(d, lane->name, d->type.text_pt);
    double baseline = lane->y_pt + (chart->lane_pt - size.ascent_pt + size.descent_pt) / 2;
    hpr__builder_group_begin(d->builder, lane->name);
    if (lane->is_line) {
        size_t n;
        draw_area(d, lane, lane->amounts, d->theme->grid);
        hpr_point *points = outline_of(d, lane, lane->amounts, &n);
        hpr__builder_line_owned(d->builder, points, n,
                                hpr__stroke_of(d, d->theme->outline, 2 * HPR__HAIRLINE_PT));
    } else {
        draw_area(d, lane, lane->amounts, lane->parts ? d->theme->rule : d->theme->muted);
    }
    if (lane->parts) {
        draw_area(d, lane, lane->parts, d->theme->text);
    }
    hpr__draw_segment(d, chart->plot_x_pt, lane->y_pt, right, lane->y_pt,
                      hpr__stroke_of(d, d->theme->rule, HPR__RULE_PT));
    hpr__builder_group_end(d->builder);
    hpr__draw_text(d, lane->name, chart->plot_x_pt - gap_pt, baseline, d->type.text_pt,
                   HPR_ANCHOR_END, d->theme->muted);
    hpr__draw_text(d, lane->note, right + gap_pt, baseline, d->type.text_pt, HPR_ANCHOR_START,
                   d->theme->muted);
}

void hpr__draw_lanes(const hpr__drawing *d)
{
    for (size_t i = 0; i < d->chart->n_lanes; i++) {
        draw_lane(d, &d->chart->lanes[i]);
    }
}

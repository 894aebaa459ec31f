/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Drawing: from a finished chart to a scene, one function for each look, and what the files that
 * draw the modern look share. A chart's y axis points upwards from the lower left corner, a scene's
 * downwards from the upper left one; hpr__at converts.
 */
#ifndef HPR_DRAW_H
#define HPR_DRAW_H

#include "draw/curve.h"
#include "draw/scene_builder.h"
#include "layout/layout.h"
#include "style/palette.h"

/* Draw a chart in the classic and in the modern look. The caller destroys `*out`. Error: MEMORY. */
HPF_MUST_USE hpf_status hpr__draw_classic(hpr_scene **out, const hpr_chart *chart,
                                          const hpr_options *options, hpf_error *err);
HPF_MUST_USE hpf_status hpr__draw_modern(hpr_scene **out, const hpr_chart *chart,
                                         const hpr_options *options, hpr_measurer measurer,
                                         hpf_error *err);

/* --- modern look ---------------------------------------------------------------------------- */

#define HPR__HAIRLINE_PT 0.4 /* between bands, around swatches */
#define HPR__RULE_PT     0.5 /* grid, axis, leaders, marks */

/* A chart being drawn. */
typedef struct hpr__drawing {
    hpr__builder *builder;
    const hpr_chart *chart;
    hpr_point corner; /* upper left corner of the chart in the scene */
    const hpr__theme *theme;
    hpr_measurer measurer;
    hpr__type_sizes type;
    bool si_units;
    hpr__fineness fineness;
} hpr__drawing;

/* Returns a place of the chart in the scene. */
static inline hpr_point hpr__at(const hpr__drawing *d, double x_pt, double y_pt)
{
    return (hpr_point){d->corner.x_pt + x_pt, d->corner.y_pt + d->chart->height_pt - y_pt};
}

/* Returns a stroke of the width that the theme makes of `width_pt`. */
static inline hpr_paint hpr__stroke_of(const hpr__drawing *d, hpr_colour colour, double width_pt)
{
    return hpr__paint_stroke(colour, width_pt * d->theme->line_scale);
}

static inline hpr_text_size hpr__measure(const hpr__drawing *d, const char *text, double size_pt)
{
    return d->measurer.measure(d->measurer.context, text, size_pt, false);
}

/* Draw between places of the chart. */
void hpr__draw_segment(const hpr__drawing *d, double x0_pt, double y0_pt, double x1_pt,
                       double y1_pt, hpr_paint paint);
void hpr__draw_text(const hpr__drawing *d, const char *text, double x_pt, double y_pt,
                    double size_pt, hpr_anchor anchor, hpr_colour colour);

/* Clears the ground of a text. */
static inline void hpr__clear(const hpr__drawing *d, double left_pt, double top_pt, double width_pt,
                              double height_pt, hpr_colour colour)
{
    hpr_point corner = hpr__at(d, left_pt, top_pt);
    hpr__builder_rect(d->builder, corner.x_pt, corner.y_pt, width_pt, height_pt,
                      hpr__paint_fill(colour), hpr__paint_none());
}

/* Draws the bands: stacked, with the line of the total, or each as a line. */
void hpr__draw_bands(const hpr__drawing *d);

/* Returns the stroke of a band that is drawn as a line. */
hpr_paint hpr__paint_of_line(const hpr__drawing *d, const hpr_band *band);

/* Draws the hatch of a fill, if it has one, in a polygon of the scene. */
void hpr__draw_hatch(const hpr__drawing *d, const hpr_point *points, size_t n,
                     const hpr_fill *fill);

/* Draws the lines of quantities over the bands. */
void hpr__draw_quantity_lines(const hpr__drawing *d);

/* Draws the peak with its text, the names of quantity lines, and the marks with their labels. */
void hpr__draw_notes(const hpr__drawing *d);

/* Draws ticks for garbage collections at the upper edge of the plot. */
void hpr__draw_gc_ticks(const hpr__drawing *d);
void hpr__draw_census_marks(const hpr__drawing *d);

/* Draws the lanes below the plot, with their names and notes. */
void hpr__draw_lanes(const hpr__drawing *d);

#endif

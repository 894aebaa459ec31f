/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files that draw the modern look share: a chart being drawn, and its heights turned
 * around, which are upwards in a chart and downwards in a scene.
 */
#ifndef HPR_DRAW_H
#define HPR_DRAW_H

#include "layout/layout.h"
#include "style/palette.h"
#include "draw/scene_builder.h"
#include "draw/curve.h"

/* Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__draw_classic(hpr_scene **out, const hpr_chart *chart,
                                          const hpr_options *options, hpf_error *err);
HPF_MUST_USE hpf_status hpr__draw_modern(hpr_scene **out, const hpr_chart *chart,
                                         const hpr_options *options, hpr_measurer measurer,
                                         hpf_error *err);

#define HPR__HAIRLINE_PT 0.4 /* between bands, around swatches */
#define HPR__RULE_PT     0.5 /* grid, axis, leaders, marks */

typedef struct hpr__drawing {
    hpr__builder *builder;
    const hpr_chart *chart;
    hpr_point corner; /* the upper left one of the chart's area in the scene */
    const hpr__theme *theme;
    hpr_measurer measurer;
    hpr__type_sizes type;
    bool si_units;
    hpr__fineness fineness;
} hpr__drawing;

/* A chart to be drawn, at the upper left of the scene; the ink is to follow. */
hpr__drawing hpr__drawing_of(const hpr_chart *chart, const hpr_options *options,
                             hpr_measurer measurer);

/* Begins the scene and its page. */
void hpr__draw_begin(const hpr__drawing *d, const char *title);

/* Draws all of a chart. */
void hpr__draw_chart(const hpr__drawing *d);

/* The names of its bands, where they have a place. */
void hpr__draw_labels(const hpr__drawing *d);

/* A place of the chart in the scene. */
static inline hpr_point hpr__at(const hpr__drawing *d, double x_pt, double y_pt)
{
    return (hpr_point){d->corner.x_pt + x_pt, d->corner.y_pt + d->chart->height_pt - y_pt};
}

static inline double hpr__right_of_plot(const hpr_chart *chart)
{
    return chart->plot_x_pt + chart->plot_width_pt;
}

static inline double hpr__top_of_plot(const hpr_chart *chart)
{
    return chart->plot_y_pt + chart->plot_height_pt;
}

static inline hpr_paint hpr__stroke_of(const hpr__drawing *d, hpr_colour colour, double width_pt)
{
    return hpr__paint_stroke(colour, width_pt * d->theme->line_scale);
}

void hpr__draw_segment(const hpr__drawing *d, double x0_pt, double y0_pt, double x1_pt,
                       double y1_pt, hpr_paint paint);
void hpr__draw_text(const hpr__drawing *d, const char *text, double x_pt, double y_pt,
                    double size_pt, hpr_anchor anchor, hpr_colour colour);

/* The peak with its text, the names of lines, and the marks with their texts, none on another. */
void hpr__draw_notes(const hpr__drawing *d);

/* A rectangle of the chart. */
typedef struct hpr__area {
    double left_pt, right_pt, bottom_pt, top_pt;
} hpr__area;

/* The lines over the bands. */
void hpr__draw_quantity_lines(const hpr__drawing *d);

/* Their names, each near the right end of its line; none on `taken`, on a rule, on each other, or
 * on the name of a band, as far as there is another place. */
void hpr__draw_quantity_names(const hpr__drawing *d, const hpr__area *taken);

/* Whether any of them goes through an area. */
bool hpr__is_on_lines(const hpr__drawing *d, const hpr__area *area);

/* The bands on each other with the line of the total, or each as a line. False when there is no
 * memory. */
void hpr__draw_bands(const hpr__drawing *d);
void hpr__draw_gc_ticks(const hpr__drawing *d);

/* What a band is drawn with where it is a line. */
hpr_paint hpr__paint_of_line(const hpr__drawing *d, const hpr_band *band);

/* The lines of a hatch in a polygon of the scene, if the band has one. */
void hpr__draw_hatch(const hpr__drawing *d, const hpr_point *points, size_t n,
                     const hpr_fill *fill);

#endif

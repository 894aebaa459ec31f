/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The classic look, in the drawing order of hp2ps: border, title, axes, key, bands, marks.
 */
#include "classic/classic.h"
#include "draw/curve.h"
#include "chart/tooltip.h"
#include "draw/draw.h"
#include "draw/scene_builder.h"

#define TITLE_TEXT_INSET_PT 6.0   /* from the sides and the bottom of a row of the title box */
#define TITLE_CENTRE_X_PT   319.0 /* of the small box, as hp2ps has it */
#define TITLE_LOWER_ROW_PT  393.0 /* baseline of the big box's second row, as hp2ps has it */

static const hpr_colour black = {0, 0, 0};
static const hpr_colour white = {1, 1, 1};

static hpr_paint outline(void)
{
    return hpr__paint_stroke(black, HPR__CLASSIC_LINE_PT);
}

static double down(const hpr_chart *chart, double y_pt)
{
    return chart->height_pt - y_pt;
}

/* Draws a rectangle by its lower left corner. */
static void draw_box(hpr__builder *builder, const hpr_chart *chart, double x_pt, double y_pt,
                     double width_pt, double height_pt, hpr_paint fill)
{
    hpr__builder_rect(builder, x_pt, down(chart, y_pt + height_pt), width_pt, height_pt, fill,
                      outline());
}

static void draw_segment(hpr__builder *builder, const hpr_chart *chart, hpr_point from,
                         hpr_point to)
{
    hpr_point points[2] = {{from.x_pt, down(chart, from.y_pt)}, {to.x_pt, down(chart, to.y_pt)}};

    hpr__builder_line(builder, points, 2, outline());
}

static void draw_text(hpr__builder *builder, const hpr_chart *chart, const char *text, hpr_point at,
                      double size_pt, hpr_anchor anchor)
{
    hpr__text_style style = {.size_pt = size_pt, .anchor = anchor, .colour = black};

    hpr__builder_text(builder, text, at.x_pt, down(chart, at.y_pt), &style);
}

static void draw_title(hpr__builder *builder, const hpr_chart *chart)
{
    const hpr_title *title = &chart->title;
    bool is_big = title->box == HPR_TITLE_BIG;
    double size_pt = HPR__CLASSIC_TITLE_SIZE_PT;
    double left_pt = HPR__CLASSIC_BOX_INSET_PT;
    double width_pt = chart->width_pt - 2 * left_pt;
    double row_pt = HPR__CLASSIC_SMALL_BOX_PT;
    double rule_pt = chart->height_pt - left_pt - row_pt;
    double text_left_pt = left_pt + TITLE_TEXT_INSET_PT;
    double text_right_pt = left_pt + width_pt - TITLE_TEXT_INSET_PT;
    double upper_pt = rule_pt + TITLE_TEXT_INSET_PT;
    double lower_pt = is_big ? TITLE_LOWER_ROW_PT : upper_pt;

    draw_box(builder, chart, left_pt, is_big ? rule_pt - row_pt : rule_pt, width_pt,
             is_big ? 2 * row_pt : row_pt, hpr__paint_none());
    if (is_big) {
        draw_segment(builder, chart, (hpr_point){left_pt, rule_pt},
                     (hpr_point){left_pt + width_pt, rule_pt});
    }
    draw_text(builder, chart, title->job, (hpr_point){text_left_pt, upper_pt}, size_pt,
              HPR_ANCHOR_START);
    draw_text(builder, chart, title->area,
              (hpr_point){is_big ? text_left_pt : TITLE_CENTRE_X_PT, lower_pt}, size_pt,
              is_big ? HPR_ANCHOR_START : HPR_ANCHOR_MIDDLE);
    draw_text(builder, chart, title->date, (hpr_point){text_right_pt, lower_pt}, size_pt,
              HPR_ANCHOR_END);
}

static void draw_page_frame(hpr__builder *builder, const hpr_chart *chart, int page)
{
    hpr__builder_page(builder, page == 0 ? &chart->paper : &chart->later_paper);
    draw_box(builder, chart, 0, 0, chart->width_pt, chart->height_pt, hpr__paint_none());
    draw_title(builder, chart);
}

static void draw_x_axis(hpr__builder *builder, const hpr_chart *chart)
{
    double size_pt = HPR__CLASSIC_TEXT_SIZE_PT;
    double right_pt = chart->plot_x_pt + chart->plot_width_pt;
    double base_pt = chart->plot_y_pt;

    draw_segment(builder, chart, (hpr_point){chart->plot_x_pt, base_pt},
                 (hpr_point){right_pt, base_pt});
    draw_text(builder, chart, chart->x.unit, (hpr_point){right_pt, HPR__CLASSIC_AXIS_TEXT_Y_PT},
              size_pt, HPR_ANCHOR_END);
    for (size_t i = 0; i < chart->x.n_ticks; i++) {
        const hpr_tick *tick = &chart->x.ticks[i];

        draw_segment(builder, chart, (hpr_point){tick->at_pt, base_pt},
                     (hpr_point){tick->at_pt, base_pt - HPR__CLASSIC_TICK_PT});
        draw_text(builder, chart, tick->label,
                  (hpr_point){tick->at_pt, HPR__CLASSIC_AXIS_TEXT_Y_PT}, size_pt,
                  HPR_ANCHOR_MIDDLE);
    }
}

static void draw_y_axis(hpr__builder *builder, const hpr_chart *chart)
{
    double size_pt = HPR__CLASSIC_TEXT_SIZE_PT;
    double top_pt = chart->plot_y_pt + chart->plot_height_pt;
    double left_pt = chart->plot_x_pt;
    hpr__text_style turned = {
        .size_pt = size_pt, .anchor = HPR_ANCHOR_END, .colour = black, .turn_deg = 90};

    draw_segment(builder, chart, (hpr_point){left_pt, chart->plot_y_pt},
                 (hpr_point){left_pt, top_pt});
    hpr__builder_text(builder, chart->y.unit, HPR__CLASSIC_AXIS_TEXT_X_PT, down(chart, top_pt),
                      &turned);
    for (size_t i = 0; i < chart->y.n_ticks; i++) {
        const hpr_tick *tick = &chart->y.ticks[i];

        draw_segment(builder, chart, (hpr_point){left_pt, tick->at_pt},
                     (hpr_point){left_pt - HPR__CLASSIC_TICK_PT, tick->at_pt});
        draw_text(builder, chart, tick->label,
                  (hpr_point){HPR__CLASSIC_AXIS_TEXT_X_PT, tick->at_pt}, size_pt, HPR_ANCHOR_END);
    }
}

static void draw_key(hpr__builder *builder, const hpr_chart *chart, int page)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        const hpr_band *band = &chart->bands[i];
        const hpr_label *label = &band->label;

        if (label->place == HPR_LABEL_LEGEND && label->page == page) {
            draw_box(builder, chart, label->box_x_pt, label->box_y_pt, HPR__CLASSIC_KEY_BOX_PT,
                     HPR__CLASSIC_KEY_BOX_PT, hpr__paint_fill(band->fill.colour));
            draw_text(builder, chart, label->text, (hpr_point){label->x_pt, label->y_pt},
                      label->size_pt, HPR_ANCHOR_START);
        }
    }
}

/* Sets the edge between two bands; without `upper`, the base. */
static void set_edge(hpr__curve *edge, const hpr_chart *chart, const double *upper,
                     const hpr_band *below, const hpr_band *above, hpr__fineness fineness)
{
    for (size_t i = 0; i < chart->n_points; i++) {
        double along = (chart->times[i] - chart->x.low) / chart->x.range;
        double up = upper ? upper[i] / chart->y.range : 0;
        edge->points[i] = (hpr_point){
            .x_pt = chart->plot_x_pt + along * chart->plot_width_pt,
            .y_pt = down(chart, chart->plot_y_pt + up * chart->plot_height_pt),
        };
    }
    hpr__curve_simplify(edge, below ? below->values : NULL, above ? above->values : NULL,
                        chart->n_points, fineness);
}

static void draw_bands(hpr__builder *builder, const hpr_chart *chart, hpr__fineness fineness)
{
    hpr__curve lower = {0}, upper = {0};

    if (hpr__curve_init(&lower, builder, chart->n_points) &&
        hpr__curve_init(&upper, builder, chart->n_points)) {
        set_edge(&lower, chart, NULL, NULL, NULL, fineness);
        for (uint32_t i = 0; i < chart->n_bands; i++) {
            const hpr_band *band = &chart->bands[i];
            const hpr_band *above = i + 1 < chart->n_bands ? band + 1 : NULL;
            size_t n;

            set_edge(&upper, chart, band->upper, band, above, fineness);
            const hpr_point *points = hpr__curve_area(builder, &lower, &upper, &n);
            hpr__builder_group_begin(builder, hpr__tooltip(band));
            hpr__builder_polygon_owned(builder, points, n, hpr__paint_fill(band->fill.colour),
                                       outline());
            hpr__builder_group_end(builder);
            hpr__curve next = lower;
            lower = upper;
            upper = next;
        }
    }
    hpr__curve_finish(&lower);
    hpr__curve_finish(&upper);
}

static void draw_mark(hpr__builder *builder, const hpr_chart *chart, const hpr_mark *mark)
{
    double base_pt = down(chart, chart->plot_y_pt);
    hpr_point triangle[3] = {
        {mark->x_pt - HPR__CLASSIC_MARK_PT, base_pt},
        {mark->x_pt, base_pt + HPR__CLASSIC_MARK_PT},
        {mark->x_pt + HPR__CLASSIC_MARK_PT, base_pt},
    };

    hpr__builder_polygon(builder, triangle, 3, hpr__paint_fill(white), outline());
}

hpf_status hpr__draw_classic(hpr_scene **out, const hpr_chart *chart, const hpr_options *options,
                             hpf_error *err)
{
    hpr__builder *builder = hpr__builder_create(chart->width_pt, chart->height_pt);

    hpr__builder_describe(builder, chart->title.job, chart->title.date, "heapcensus");
    hpr__builder_set_encapsulated(builder, chart->is_encapsulated);
    for (int page = 0; page < chart->n_key_pages; page++) {
        draw_page_frame(builder, chart, page);
        draw_key(builder, chart, page);
    }
    draw_page_frame(builder, chart, chart->n_key_pages);
    draw_x_axis(builder, chart);
    draw_y_axis(builder, chart);
    if (chart->n_key_pages == 0) {
        draw_key(builder, chart, 0);
    }
    draw_bands(builder, chart, hpr__fineness_of(options, chart->plot_width_pt));
    for (size_t i = 0; i < chart->n_marks; i++) {
        draw_mark(builder, chart, &chart->marks[i]);
    }
    return hpr__builder_finish(builder, out, err);
}

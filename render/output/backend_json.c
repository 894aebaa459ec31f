/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON: the chart as data (docs/formats/json.md). Amounts and times are in the units of the input;
 * positions are in points from the lower left of the drawing area.
 */
#include "base/frame.h"
#include "output/backend.h"

#include "style/colour.h"
#include "base/json.h"
#include "hprender/page.h"

static void put_numbers(hpf_json *json, const char *key, const double *numbers, size_t n)
{
    hpf_json_array(json, key);
    for (size_t i = 0; i < n; i++) {
        hpf_json_number(json, NULL, numbers[i]);
    }
    hpf_json_close(json);
}

static void put_colour(hpf_json *json, const char *key, hpr_colour colour)
{
    char text[HPR__COLOUR_TEXT_BYTES];
    hpf_json_text(json, key, hpr__colour_text(text, colour));
}

/* Writes the fill of a band. The shade of a classic grey may be out of range in an `.aux` file. */
static void put_fill(hpf_json *json, const hpr_chart *chart, const hpr_band *band)
{
    const hpr_colour *colour = &band->fill.colour;

    if (band->fill.is_gray) {
        hpf_json_object(json, "fill");
        hpf_json_number(json, "gray",
                        chart->look == HPR_LOOK_CLASSIC ? band->classic_shade : colour->red);
        if (band->fill.hatch_gap_pt > 0) {
            hpf_json_number(json, "hatch_deg", band->fill.hatch_deg);
            hpf_json_number(json, "hatch_gap_pt", band->fill.hatch_gap_pt);
            hpf_json_number(json, "hatch_line_pt", band->fill.hatch_line_pt);
        }
        hpf_json_close(json);
        return;
    }
    put_colour(json, "fill", *colour);
}

static void put_point(hpf_json *json, const char *key, double x_pt, double y_pt)
{
    double point[2] = {x_pt, y_pt};

    put_numbers(json, key, point, 2);
}

static void put_label(hpf_json *json, const hpr_label *label)
{
    static const char *const places[] = {"none", "inside", "margin", "key"};

    hpf_json_object(json, "label");
    hpf_json_text(json, "place", places[label->place]);
    if (label->place != HPR_LABEL_NONE) {
        hpf_json_text(json, "text", label->text);
        hpf_json_whole(json, "page", (uint64_t)label->page + 1);
        put_point(json, "at", label->x_pt, label->y_pt);
        hpf_json_number(json, "size_pt", label->size_pt);
    }
    if (label->place == HPR_LABEL_LEGEND) {
        put_point(json, "box", label->box_x_pt, label->box_y_pt);
    }
    if (label->place == HPR_LABEL_MARGIN) {
        hpf_json_number(json, "anchor_y_pt", label->anchor_y_pt);
    }
    hpf_json_close(json);
}

static void put_band(hpf_json *json, const hpr_chart *chart, uint32_t index)
{
    const hpr_band *band = &chart->bands[index];

    hpf_json_object(json, NULL);
    hpf_json_bytes(json, "name", band->name);
    if (band->members.length) {
        hpf_json_bytes(json, "members", band->members);
    }
    hpf_json_frames(json, band->frames, band->n_frames);
    hpf_json_whole(json, "position", (uint64_t)index + 1);
    put_fill(json, chart, band);
    if (chart->is_lines) {
        put_colour(json, "line", band->fill.line);
        hpf_json_number(json, "dash_pt", band->fill.dash_pt);
        hpf_json_number(json, "marker", band->fill.marker);
    }
    if (chart->look == HPR_LOOK_CLASSIC) {
        hpf_json_number(json, "shade", band->classic_shade);
    }
    hpf_json_bool(json, "is_other", band->is_other);
    hpf_json_whole(json, "names", band->n_names);
    hpf_json_number(json, "sum", band->sum);
    hpf_json_number(json, "area", band->trapezium);
    hpf_json_number(json, "max", band->max);
    put_label(json, &band->label);
    put_numbers(json, "values", band->values, chart->n_points);
    hpf_json_close(json);
}

static void put_axis(hpf_json *json, const char *key, const hpr_axis *axis)
{
    hpf_json_array(json, key);
    for (size_t i = 0; i < axis->n_ticks; i++) {
        hpf_json_object(json, NULL);
        hpf_json_number(json, "value", axis->ticks[i].value);
        hpf_json_text(json, "label", axis->ticks[i].label);
        hpf_json_number(json, "at_pt", axis->ticks[i].at_pt);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void put_key(hpf_json *json, const hpr_chart *chart)
{
    hpf_json_array(json, "key");
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        if (chart->bands[i].label.place == HPR_LABEL_LEGEND) {
            hpf_json_bytes(json, NULL, chart->bands[i].name);
        }
    }
    hpf_json_close(json);
}

static void put_title(hpf_json *json, const hpr_title *title)
{
    static const char *const boxes[] = {"none", "small", "big"};

    hpf_json_object(json, "title");
    hpf_json_text(json, "box", boxes[title->box]);
    hpf_json_bytes(json, "job", title->job_bytes);
    hpf_json_bytes(json, "area", title->area_bytes);
    hpf_json_bytes(json, "date", title->date_bytes);
    hpf_json_close(json);
}

static void put_marks(hpf_json *json, const hpr_chart *chart)
{
    hpf_json_array(json, "marks");
    for (size_t i = 0; i < chart->n_marks; i++) {
        hpf_json_number(json, NULL, chart->marks[i].time);
    }
    hpf_json_close(json);
    hpf_json_array(json, "mark_labels");
    for (size_t i = 0; i < chart->n_marks; i++) {
        hpf_json_text(json, NULL, chart->marks[i].label);
    }
    hpf_json_close(json);
    hpf_json_array(json, "marks_x_pt");
    for (size_t i = 0; i < chart->n_marks; i++) {
        hpf_json_number(json, NULL, chart->marks[i].x_pt);
    }
    hpf_json_close(json);
}

/* Writes garbage collections, if the options request them. */
static void put_collections(hpf_json *json, const hpr_chart *chart)
{
    if (chart->n_collections == 0) {
        return;
    }
    hpf_json_array(json, "collections");
    for (size_t i = 0; i < chart->n_collections; i++) {
        const hpr_collection *c = &chart->collections[i];
        hpf_json_object(json, NULL);
        hpf_json_number(json, "time", c->time);
        hpf_json_number(json, "x_pt", c->x_pt);
        hpf_json_whole(json, "count", c->n);
        hpf_json_bool(json, "major", c->is_major);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

/* Writes lanes, if the options request them. */
static void put_lanes(hpf_json *json, const hpr_chart *chart)
{
    if (chart->n_lanes == 0) {
        return;
    }
    hpf_json_array(json, "lanes");
    for (size_t i = 0; i < chart->n_lanes; i++) {
        const hpr_lane *lane = &chart->lanes[i];
        hpf_json_object(json, NULL);
        hpf_json_text(json, "name", lane->name);
        hpf_json_text(json, "unit", lane->unit);
        hpf_json_text(json, "note", lane->note);
        hpf_json_number(json, "y_pt", lane->y_pt);
        hpf_json_number(json, "height_pt", chart->lane_pt);
        hpf_json_number(json, "high", lane->high);
        put_numbers(json, "times", lane->times, lane->n + 1);
        put_numbers(json, "values", lane->amounts, lane->n);
        if (lane->parts) {
            put_numbers(json, "parts", lane->parts, lane->n);
        }
        if (lane->threads) {
            hpf_json_array(json, "threads");
            for (size_t k = 0; k < lane->n; k++) {
                bool runs = lane->threads[k] != HPF_NO_THREAD;
                hpf_json_text(json, NULL, runs ? lane->thread_names[lane->threads[k]] : NULL);
            }
            hpf_json_close(json);
        }
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void put_lines(hpf_json *json, const hpr_chart *chart)
{
    hpf_json_array(json, "lines");
    for (size_t i = 0; i < chart->n_quantities; i++) {
        const hpr_quantity *line = &chart->quantities[i];
        hpf_json_object(json, NULL);
        hpf_json_bytes(json, "name", line->name);
        hpf_json_number(json, "scale", line->scale);
        hpf_json_number(json, "max", line->max);
        put_numbers(json, "values", line->values, chart->n_points);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void put_page(hpf_json *json, const hpr_chart *chart)
{
    double plot[4] = {chart->plot_x_pt, chart->plot_y_pt, chart->plot_width_pt,
                      chart->plot_height_pt};

    hpf_json_object(json, "page");
    hpf_json_number(json, "width_pt", chart->width_pt);
    hpf_json_number(json, "height_pt", chart->height_pt);
    put_numbers(json, "plot", plot, 4);
    hpf_json_whole(json, "key_pages", (uint64_t)chart->n_key_pages);
    if (chart->paper.width_pt > 0) {
        hpf_json_object(json, "paper");
        hpf_json_number(json, "width_pt", chart->paper.width_pt);
        hpf_json_number(json, "height_pt", chart->paper.height_pt);
        put_numbers(json, "matrix", chart->paper.matrix, 6);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void put_bands(hpf_json *json, const hpr_chart *chart)
{
    hpf_json_array(json, "bands");
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        put_band(json, chart, i);
    }
    hpf_json_close(json);
    put_numbers(json, "totals", chart->totals, chart->n_points);
    if (chart->base) {
        put_numbers(json, "base", chart->base, chart->n_points);
    }
    hpf_json_text(json, "caption", chart->caption);
    hpf_json_whole(json, "other_names", chart->other_names);
    hpf_json_whole(json, "dropped_names", chart->dropped_names);
    hpf_json_number(json, "area", chart->area);
    hpf_json_object(json, "peak");
    hpf_json_number(json, "value", chart->peak_total);
    hpf_json_number(json, "time", chart->peak_time);
    hpf_json_close(json);
}

/* Writes the members of a chart into an open object. */
static void put_chart(hpf_json *json, const hpr_chart *chart)
{
    hpf_json_text(json, "look", chart->look == HPR_LOOK_CLASSIC ? "classic" : "modern");
    hpf_json_bytes(json, "job", chart->headers[HPF_HEADER_JOB]);
    hpf_json_bytes(json, "date", chart->headers[HPF_HEADER_DATE]);
    hpf_json_bytes(json, "sample_unit", chart->headers[HPF_HEADER_SAMPLE_UNIT]);
    hpf_json_bytes(json, "value_unit", chart->headers[HPF_HEADER_VALUE_UNIT]);
    put_numbers(json, "sample_times", chart->times, chart->n_points);
    hpf_json_bool(json, "reduced", chart->is_reduced);
    if (chart->look == HPR_LOOK_MODERN) {
        hpf_json_bool(json, "by_sample", chart->is_by_sample);
        hpf_json_bool(json, "normalised", chart->is_normalised);
        hpf_json_bool(json, "stacked", !chart->is_lines);
        put_numbers(json, "x_positions", chart->xs, chart->n_points);
    }
    put_bands(json, chart);
    put_point(json, "x_range", chart->x.low, chart->x.high);
    put_point(json, "y_range", chart->y.low, chart->y.high);
    put_axis(json, "x_ticks", &chart->x);
    put_axis(json, "y_ticks", &chart->y);
    hpf_json_text(json, "x_unit", chart->x.unit);
    hpf_json_text(json, "y_unit", chart->y.unit);
    put_key(json, chart);
    put_title(json, &chart->title);
    put_marks(json, chart);
    put_collections(json, chart);
    put_lanes(json, chart);
    put_lines(json, chart);
    put_page(json, chart);
}

static hpf_status write_json(const hpr_chart *chart, const hpr_scene *scene,
                             const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    hpf_json json = hpf_json_begin(sink);

    (void)scene;
    (void)output;
    hpf_json_object(&json, NULL);
    put_chart(&json, chart);
    hpf_json_end(&json);
    return hpf_sink_flush(sink, err);
}

/* --- pages ---------------------------------------------------------------------------------- */

static void put_legend(hpf_json *json, const hpr_chart *legend)
{
    hpf_json_array(json, "legend");
    for (uint32_t i = 0; i < legend->n_bands; i++) {
        const hpr_band *band = &legend->bands[i];
        hpf_json_object(json, NULL);
        hpf_json_bytes(json, "name", band->name);
        put_fill(json, legend, band);
        hpf_json_bool(json, "is_other", band->is_other);
        hpf_json_whole(json, "names", band->n_names);
        put_label(json, &band->label);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static hpf_status write_json_page(const hpr_page *page, const hpr_output *output, hpf_sink *sink,
                                  hpf_error *err)
{
    hpf_json json = hpf_json_begin(sink);

    (void)output;
    hpf_json_object(&json, NULL);
    hpf_json_text(&json, "look", "modern");
    hpf_json_bool(&json, "same_scale", page->same_scale);
    hpf_json_object(&json, "page");
    hpf_json_number(&json, "width_pt", page->width_pt);
    hpf_json_number(&json, "height_pt", page->height_pt);
    hpf_json_whole(&json, "columns", page->n_columns);
    hpf_json_whole(&json, "rows", page->n_rows);
    hpf_json_close(&json);
    put_legend(&json, page->legend);
    hpf_json_array(&json, "panels");
    for (size_t i = 0; i < page->n_panels; i++) {
        const hpr_panel *panel = &page->panels[i];
        hpf_json_object(&json, NULL);
        put_point(&json, "at", panel->x_pt, panel->y_pt);
        put_chart(&json, panel->chart);
        hpf_json_close(&json);
    }
    hpf_json_close(&json);
    hpf_json_end(&json);
    return hpf_sink_flush(sink, err);
}

const hpr_backend hpr__backend_json = {
    .name = "json",
    .extension = "json",
    .summary = "the chart as data",
    .write = write_json,
    .write_page = write_json_page,
};

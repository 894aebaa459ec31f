/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The numbers of the drawing of hp2ps. Its crude estimate of text widths determines the width of
 * the graph and which ticks are omitted, so it is used here; real fonts are used only for drawing.
 */
#include "hpfile/sink.h"
#include "base/arena.h"
#include "classic/classic.h"
#include "classic/auxfile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLOT_X_PT        45.0
#define PLOT_Y_PT        20.0
#define PLOT_WIDTH_PT    593.0 /* including the key */
#define TEXT_UNIT_PT     1.7007876
#define KEY_MARGIN_PT    29.0 /* 15 around the texts of the key, and a box of 14 */
#define KEY_BOX_X_PT     5.0  /* from the right end of the graph, or from its left on key pages */
#define KEY_TEXT_X_PT    24.0
#define KEY_TEXT_Y_PT    (-5.0) /* from the middle of the entry */
#define KEY_PAGE_ENTRIES 20
#define TICK_CLEARANCE   15.0 /* between the last tick and the unit at the end of the axis */
#define LONG_JOB_BYTES   35   /* longer ones get the big title box, or are truncated */
#define BIG_JOB_BYTES    80
#define MAX_TICKS        64 /* steps of 1, 2, 5 never make more than 14 */
#define INT64_LIMIT      9223372036854775808.0

/* Returns the width of a printable ASCII character in units; 0 for others. */
static int text_unit_width(unsigned char c)
{
    if (c < ' ' || c > '~') {
        return 0;
    }
    if (strchr("!\"',.:;I^`il|", c)) {
        return 1;
    }
    if (strchr("*?[]jrt{}~", c)) {
        return 2;
    }
    if (c >= '0' && c <= '9') {
        return 4;
    }
    return (c >= 'A' && c <= 'Z') || c == 'm' ? 5 : 3;
}

/* Returns the width that hp2ps estimates for a text in Helvetica 10. */
static double text_width_pt(hpf_str text)
{
    double units = 0;

    for (size_t i = 0; i < text.length; i++) {
        units += text_unit_width((unsigned char)text.data[i]);
    }
    return units * TEXT_UNIT_PT;
}

/* Returns the distance between ticks, 1, 2 or 5 times a power of ten, for seven steps of `step`. */
static double nice_step(double step)
{
    double power = 1;

    while (step > 10) {
        step /= 10;
        power *= 10;
    }
    while (step < 1) {
        step *= 10;
        power /= 10;
    }
    return power * (step > 4 ? 5 : step > 1 ? 2 : 1);
}

static void set_ranges(hpr_chart *chart, const hpf_survey *survey, const hpr_auxfile *previous)
{
    const hpf_overview *overview = hpf_survey_overview(survey);
    double x_range = overview->last_time - overview->first_time;
    double y_range = chart->peak_total;

    if (previous) {
        x_range = fmax(x_range, hpr__auxfile_x_range(previous));
        y_range = fmax(y_range, hpr__auxfile_y_range(previous));
    }
    chart->x.range = x_range > 0 ? x_range : 1;
    chart->x.low = overview->first_time;
    chart->x.high = chart->x.low + chart->x.range;
    chart->y.range = y_range > 0 ? y_range : 1;
    chart->y.high = chart->y.range;
}

static double x_of_time(const hpr_chart *chart, double time)
{
    return PLOT_X_PT + (time - chart->x.low) / chart->x.range * chart->plot_width_pt;
}

/* Copies the bytes written since `start` to the chart, as text. */
static hpf_status keep(hpr__chart *chart, hpf_sink *sink, uint64_t start, const char **out,
                       hpf_error *err)
{
    hpf_str all = hpf_sink_bytes(sink);
    hpf_status status = hpf_sink_flush(sink, err);

    if (status) {
        return status;
    }
    return hpr__chart_text(chart, (hpf_str){all.data + start, all.length - start}, out, err);
}

/* Writes a whole number with commas between groups of three digits. From 2^63 on, hp2ps prints 0.
 */
static void put_grouped(hpf_sink *to, double whole)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", whole < INT64_LIMIT ? whole : 0);

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            hpf_sink_text(to, ",");
        }
        hpf_sink_write(to, &digits[i], 1);
    }
}

typedef struct tick_writer {
    hpr__chart *chart;
    hpr_tick *ticks; /* room for MAX_TICKS */
    hpf_sink *labels;
    size_t n;
} tick_writer;

static hpf_status start_ticks(tick_writer *writer, hpr__chart *chart, hpf_error *err)
{
    *writer = (tick_writer){
        .chart = chart,
        .ticks = hpf_arena_array(chart->arena, MAX_TICKS, sizeof *writer->ticks),
        .labels = hpf_sink_to_memory(),
    };
    return writer->ticks && writer->labels ? HPF_OK : hpf_error_set_memory(err);
}

/* Returns whether the label of a tick would overlap the unit at the end of the axis. */
static bool is_crowded(double distance_pt, double axis_pt, hpf_str unit)
{
    return distance_pt >= axis_pt - (text_width_pt(unit) + TICK_CLEARANCE);
}

static hpf_status x_ticks(tick_writer *writer, const hpf_survey *survey, hpf_error *err)
{
    hpr_chart *public = &writer->chart->public;
    double last = hpf_survey_overview(survey)->last_time;
    double step = nice_step(public->x.range / 7);
    hpf_str unit = public->headers[HPF_HEADER_SAMPLE_UNIT];
    hpf_status status = HPF_OK;
    double time = public->x.low;

    for (int i = 0; !status && i < MAX_TICKS && time < last; i++, time += step) {
        double at_pt = x_of_time(public, time);
        uint64_t start = hpf_sink_position(writer->labels);

        if (!is_crowded(at_pt - PLOT_X_PT, public->plot_width_pt, unit)) {
            hpr_tick *tick = &writer->ticks[writer->n++];

            tick->value = time;
            tick->at_pt = at_pt;
            hpf_sink_fixed(writer->labels, time, 1);
            status = keep(writer->chart, writer->labels, start, &tick->label, err);
        }
    }
    return status;
}

static void put_amount(hpf_sink *to, double amount, double step)
{
    double unit = step >= 1e6 ? 1e6 : step >= 1e3 ? 1e3 : 1;

    put_grouped(to, floor(amount / unit + 0.5));
    hpf_sink_text(to, unit > 1e3 ? "M" : unit > 1 ? "k" : "");
}

static hpf_status y_ticks(tick_writer *writer, hpf_error *err)
{
    hpr_chart *public = &writer->chart->public;
    double step = nice_step(fmax(public->y.range / 7, 1));
    hpf_str unit = public->headers[HPF_HEADER_VALUE_UNIT];
    hpf_status status = HPF_OK;
    double amount = 0;

    for (int i = 0; !status && i < MAX_TICKS && amount <= public->y.range; i++, amount += step) {
        double at_pt = PLOT_Y_PT + amount / public->y.range * public->plot_height_pt;
        uint64_t start = hpf_sink_position(writer->labels);

        if (!is_crowded(at_pt - PLOT_Y_PT, public->plot_height_pt, unit)) {
            hpr_tick *tick = &writer->ticks[writer->n++];

            tick->value = amount;
            tick->at_pt = at_pt;
            put_amount(writer->labels, amount, step);
            status = keep(writer->chart, writer->labels, start, &tick->label, err);
        }
    }
    return status;
}

static hpf_status lay_out_axis(hpr__chart *chart, hpr_axis *axis, const hpf_survey *survey,
                               hpf_error *err)
{
    bool is_x = axis == &chart->public.x;
    hpf_header unit = is_x ? HPF_HEADER_SAMPLE_UNIT : HPF_HEADER_VALUE_UNIT;
    tick_writer writer;
    hpf_status status = start_ticks(&writer, chart, err);

    if (!status) {
        status = is_x ? x_ticks(&writer, survey, err) : y_ticks(&writer, err);
    }
    if (!status) {
        status = hpr__chart_text(chart, chart->public.headers[unit], &axis->unit, err);
    }
    *(is_x ? &chart->public.time_unit : &chart->public.amount_unit) = axis->unit;
    axis->ticks = writer.ticks;
    axis->n_ticks = writer.n;
    axis->factor = 1;
    hpf_sink_destroy(writer.labels);
    return status;
}

static hpr_title_box title_box(const hpr_chart *chart, const hpr_classic *classic)
{
    bool is_long = chart->headers[HPF_HEADER_JOB].length > LONG_JOB_BYTES;

    if (classic->big_title) {
        return HPR_TITLE_BIG;
    }
    return is_long && !classic->small_title ? HPR_TITLE_BIG : HPR_TITLE_SMALL;
}

static hpf_status area_text(hpr__chart *chart, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_status status;

    if (!sink) {
        return hpf_error_set_memory(err);
    }
    put_grouped(sink, trunc(public->area));
    hpf_sink_text(sink, " ");
    hpf_sink_str(sink, public->headers[HPF_HEADER_VALUE_UNIT]);
    hpf_sink_text(sink, " x ");
    hpf_sink_str(sink, public->headers[HPF_HEADER_SAMPLE_UNIT]);
    status = hpf_sink_flush(sink, err);
    if (!status) {
        status = hpr__chart_bytes(chart, hpf_sink_bytes(sink), &public->title.area_bytes, err);
    }
    hpf_sink_destroy(sink);
    return status;
}

static hpf_status lay_out_title(hpr__chart *chart, const hpr_classic *classic, hpf_error *err)
{
    hpr_chart *public = &chart->public;
    hpr_title *title = &public->title;
    size_t job_bytes;
    hpf_status status;

    title->box = title_box(public, classic);
    title->job_bytes = public->headers[HPF_HEADER_JOB];
    title->date_bytes = public->headers[HPF_HEADER_DATE];
    job_bytes = title->box == HPR_TITLE_BIG ? BIG_JOB_BYTES : LONG_JOB_BYTES;
    if (title->job_bytes.length > job_bytes) {
        title->job_bytes.length = job_bytes;
    }
    status = area_text(chart, err);
    status = status ? status : hpr__chart_text(chart, title->job_bytes, &title->job, err);
    status = status ? status : hpr__chart_text(chart, title->area_bytes, &title->area, err);
    status = status ? status : hpr__chart_text(chart, title->date_bytes, &title->date, err);
    return status;
}

static double key_width_pt(const hpr_chart *chart)
{
    double widest_pt = 0;

    for (uint32_t i = 0; i < chart->n_bands; i++) {
        widest_pt = fmax(widest_pt, text_width_pt(chart->bands[i].name));
    }
    return widest_pt + KEY_MARGIN_PT;
}

static void lay_out_plot(hpr_chart *chart, bool is_key_right)
{
    int title_rows = chart->title.box == HPR_TITLE_BIG ? 2 : 1;

    chart->width_pt = HPR__CLASSIC_WIDTH_PT;
    chart->height_pt = HPR__CLASSIC_HEIGHT_PT;
    chart->plot_x_pt = PLOT_X_PT;
    chart->plot_y_pt = PLOT_Y_PT;
    chart->plot_width_pt = PLOT_WIDTH_PT - (is_key_right ? key_width_pt(chart) : 0);
    chart->plot_height_pt = HPR__CLASSIC_HEIGHT_PT - 2 * HPR__CLASSIC_BOX_INSET_PT - PLOT_Y_PT -
                            title_rows * HPR__CLASSIC_SMALL_BOX_PT;
}

/* Places the entries at equal distances, at most twenty on each key page. */
static void lay_out_key(hpr__chart *chart, bool is_key_right)
{
    hpr_chart *public = &chart->public;
    uint32_t n = public->n_bands;
    double distance_pt =
        public->plot_height_pt / (n <= KEY_PAGE_ENTRIES ? n + 1 : KEY_PAGE_ENTRIES);
    double left_pt = is_key_right ? PLOT_X_PT + public->plot_width_pt : PLOT_X_PT;
    double base_pt = is_key_right ? PLOT_Y_PT : 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = is_key_right ? i : i % KEY_PAGE_ENTRIES;
        double middle_pt = base_pt + (row + 1) * distance_pt;

        chart->bands[i].label = (hpr_label){
            .place = HPR_LABEL_LEGEND,
            .text = chart->bands[i].text,
            .x_pt = left_pt + KEY_TEXT_X_PT,
            .y_pt = middle_pt + KEY_TEXT_Y_PT,
            .size_pt = HPR__CLASSIC_TEXT_SIZE_PT,
            .box_x_pt = left_pt + KEY_BOX_X_PT,
            .box_y_pt = middle_pt - HPR__CLASSIC_KEY_BOX_PT / 2,
            .page = is_key_right ? 0 : (int)(i / KEY_PAGE_ENTRIES),
        };
    }
    if (!is_key_right) {
        public->n_key_pages = n > 0 ? (int)((n - 1) / KEY_PAGE_ENTRIES) + 1 : 1;
    }
}

static hpf_status lay_out_marks(hpr__chart *chart, const hpf_survey *survey, hpf_error *err)
{
    const hpf_overview *overview = hpf_survey_overview(survey);
    hpr_mark *marks = hpf_arena_array(chart->arena, overview->n_marks, sizeof *marks);

    if (!marks) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < overview->n_marks; i++) {
        marks[i].time = overview->marks[i].time;
        marks[i].x_pt = x_of_time(&chart->public, marks[i].time);
        if (hpr__chart_text(chart, overview->marks[i].label, &marks[i].label, err)) {
            return HPF_ERR_MEMORY;
        }
    }
    chart->public.marks = marks;
    chart->public.n_marks = overview->n_marks;
    return HPF_OK;
}

/* Sets the page: A4 with the drawing turned right, landscape A4 for a previewer, or, for EPS, the
 * scaled drawing area. */
static void lay_out_paper(hpr_chart *chart, const hpr_classic *classic)
{
    if (classic->eps_width_pt > 0) {
        double scale = classic->eps_width_pt / HPR__CLASSIC_WIDTH_PT;

        chart->paper = (hpr_paper){floor(classic->eps_width_pt + 0.5),
                                   floor(HPR__CLASSIC_HEIGHT_PT * scale + 0.5),
                                   {scale, 0, 0, scale, 0, 0}};
    } else if (classic->portrait) {
        chart->paper = (hpr_paper){842, 595, {1, 0, 0, 1, 72, 108}};
    } else {
        chart->paper = (hpr_paper){595, 842, {0, -1, 1, 0, 72, 756}};
    }
    chart->later_paper = chart->paper;
    chart->is_encapsulated = classic->eps_width_pt > 0 && chart->n_key_pages == 0;
}

hpf_status hpr__classic_layout(hpr__chart *chart, const hpf_survey *survey,
                               const hpr_options *options, hpf_error *err)
{
    const hpr_classic *classic = &options->classic;
    bool key_pages = classic->key_pages || options->n_bands > KEY_PAGE_ENTRIES;
    bool is_key_right = !key_pages && options->n_bands != 0;
    hpf_status status = lay_out_title(chart, classic, err);

    if (status) {
        return status;
    }
    set_ranges(&chart->public, survey, classic->previous);
    lay_out_plot(&chart->public, is_key_right);
    if (key_pages || is_key_right) {
        lay_out_key(chart, is_key_right);
    }
    lay_out_paper(&chart->public, classic);
    status = lay_out_axis(chart, &chart->public.x, survey, err);
    status = status ? status : lay_out_axis(chart, &chart->public.y, survey, err);
    if (!status && !classic->no_marks) {
        status = lay_out_marks(chart, survey, err);
    }
    return status;
}

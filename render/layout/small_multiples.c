/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Small multiples: a page of panels, one for each profile, with bands in common.
 *
 * 1. The names that get bands are chosen over all profiles, and fetched into the chart of each
 *    panel (fetch_panels).
 * 2. A further chart, the legend, joins the bands: it has the points of all panels, one panel after
 *    the other. Order and fills are chosen on it, and copied to the panels (join_bands, fill_bands,
 *    arrange_panel).
 * 3. The page is laid out from the outside in: columns and rows, the place of the legend, the size
 *    of the panels (choose_grid, divide).
 * 4. The panels are laid out three times: alone, to find how far their axes reach; with shared
 *    axes, to find how wide their margins are; and with the widest of these margins, so that plots
 *    in one column begin and end together (fill_panels).
 */
#include "base/arena.h"
#include "hprender/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "chart/order.h"
#include "chart/select.h"
#include "chart/stack.h"
#include "chart/tooltip.h"
#include "layout/labels.h"
#include "layout/layout.h"
#include "layout/legend.h"
#include "base/options.h"

#define LEAST_PANEL_PT    100.0 /* width; narrower panels go below each other */
#define SMALLEST_PANEL_PT 50.0  /* width of the smallest useful panel */
#define SMALLEST_PLOT_PT  24.0  /* height of its plot */
#define PANEL_STRETCH     1.5   /* preferred width by height, if the height of the page is given */
#define GUTTER_PT         6.0   /* between panels, and between panels and legend */
#define MOST_RIGHT_SHARE  0.3   /* of the width of the page, for a legend on the right */
#define MOST_BELOW_SHARE  0.4   /* of a given height of the page, for one below */

/* The private side of a page: its charts while they can still be written. */
typedef struct small_multiples {
    hpr_page public; /* first, so that a pointer to it is a pointer to the whole */
    hpf_arena *arena;
    hpr__chart **charts; /* n_panels: the charts of public.panels */
    hpr_panel *panels;   /* public.panels */
    hpr__chart *legend;  /* public.legend */
} small_multiples;

typedef enum legend_place { NOWHERE, BELOW, RIGHT, SPARE_CELLS } legend_place;

/* A page being made. */
typedef struct work {
    small_multiples *sheet;
    const hpr_page_source *sources;
    const hpr_options *options;
    hpr_measurer measurer;
    size_t n; /* panels, surveys, assignments, titles */
    hpf_survey **surveys;
    hpr__assignment *assignments;
    uint32_t other_names;

    size_t n_columns, n_rows;
    double width_pt, height_pt; /* of the page; height 0: as the panels need */
    double panel_width_pt, panel_height_pt;
    double pad_pt;
    hpr__type_sizes type;
    const char **titles;
    hpr__legend legend;
    legend_place legend_place;
} work;

/* --- bands of the panels --------------------------------------------------------------------- */

static hpf_status check_unit(const work *w, hpf_header which, hpf_error *err)
{
    hpf_str first = hpf_survey_header(w->surveys[0], which);
    for (size_t i = 1; w->options->same_scale && i < w->n; i++) {
        hpf_str other = hpf_survey_header(w->surveys[i], which);
        if (!hpf_str_equal(first, other)) {
            return hpf_error_set(err, HPF_ERR_ARGUMENT,
                                 "%s is in %.*s, %s in %.*s: they cannot share a scale",
                                 w->sources[0].name, (int)first.length, first.data,
                                 w->sources[i].name, (int)other.length, other.data);
        }
    }
    return HPF_OK;
}

/* Adds the tooltips of bands that have one name in the profile. */
static hpf_status add_tooltips(const work *w, size_t i, hpf_error *err)
{
    hpr__chart *chart = w->sheet->charts[i];
    hpf_status status = HPF_OK;
    for (hpf_name name = 0; name < hpf_survey_n_names(w->surveys[i]) && !status; name++) {
        uint32_t b = w->assignments[i].band_of_name[name];
        hpr_band *band = b == HPF_NO_BAND ? NULL : &chart->bands[b];
        if (band && !band->is_other && band->n_names == 1) {
            status = hpr__tooltip_part(chart, w->surveys[i], name, band, err);
        }
    }
    return status;
}

static hpf_status fetch_panel(work *w, size_t i, hpf_error *err)
{
    hpf_status status = hpr__chart_begin(&w->sheet->charts[i], err);
    hpr__chart *chart = w->sheet->charts[i];
    if (status) {
        return status;
    }
    chart->public.look = HPR_LOOK_MODERN;
    w->sheet->panels[i].chart = &chart->public;
    status = hpr__chart_headers(chart, w->surveys[i], err);
    status = status ? status
                    : hpr__stack_fetch(chart, w->surveys[i], &w->assignments[i], w->options, err);
    bool is_grouped = w->options->group != HPR_GROUP_NONE;
    return status || is_grouped ? status : add_tooltips(w, i, err);
}

static hpf_status fetch_panels(work *w, hpf_error *err)
{
    hpf_status status = check_unit(w, HPF_HEADER_VALUE_UNIT, err);
    if (!status && !w->options->by_sample) {
        status = check_unit(w, HPF_HEADER_SAMPLE_UNIT, err);
    }
    status = status ? status
                    : hpr__page_select(w->assignments, &w->other_names, w->sheet->arena, w->surveys,
                                       w->n, w->options, err);
    for (size_t i = 0; i < w->n && !status; i++) {
        status = fetch_panel(w, i, err);
    }
    return status;
}

/* --- bands in common ------------------------------------------------------------------------- */

/* Returns the factor that scales the amounts of a panel to their drawn height. */
static double scale_of(const work *w, const hpr_chart *chart)
{
    return w->options->same_scale || !(chart->peak_total > 0) ? 1 : 1 / chart->peak_total;
}

/* Returns the largest scaled amount that a band can have. */
static double highest_of(const work *w)
{
    double highest = w->options->normalise ? 100 : 0;
    for (size_t i = 0; i < w->n && !w->options->normalise; i++) {
        const hpr_chart *chart = w->sheet->public.panels[i].chart;
        highest = fmax(highest, chart->peak_total * scale_of(w, chart));
    }
    return highest > 0 ? highest : 1;
}

/* Creates the chart of the legend, with the bands of the first panel and room for all points. */
static hpf_status begin_legend(work *w, hpf_error *err)
{
    hpf_status status = hpr__chart_begin(&w->sheet->legend, err);
    if (status) {
        return status;
    }
    hpr__chart *all = w->sheet->legend;
    hpr_chart *public = &all->public;
    public->look = HPR_LOOK_MODERN;
    public->is_lines = w->options->as_lines;
    public->is_normalised = w->options->normalise;
    public->n_bands = w->assignments[0].n_bands;
    for (size_t i = 0; i < w->n; i++) {
        public->n_points += w->sheet->panels[i].chart->n_points;
    }
    double *times = hpf_arena_array(all->arena, public->n_points, sizeof *times);
    all->bands = hpf_arena_array(all->arena, public->n_bands, sizeof *all->bands);
    all->values =
        hpf_arena_array(all->arena, public->n_bands, public->n_points * sizeof *all->values);
    if (!times || !all->bands || !all->values) {
        return hpf_error_set_memory(err);
    }
    public->times = times;
    public->bands = all->bands;
    public->y.high = highest_of(w);
    for (uint32_t b = 0; b < public->n_bands; b++) {
        const hpr_band *named = &w->sheet->charts[0]->bands[b];
        all->bands[b] = (hpr_band){.name = named->name,
                                   .text = named->text,
                                   .is_other = named->is_other,
                                   .n_names = named->is_other ? w->other_names : 1,
                                   .values = all->values + b * public->n_points};
    }
    return HPF_OK;
}

/* Adds a band of a panel to the same band of the legend, whose points from `first` on belong to the
 * panel. All panels have the same weight, regardless of their duration. */
static void add_band(const work *w, size_t panel, uint32_t b, size_t first)
{
    const hpr__chart *all = w->sheet->legend;
    const hpr_chart *chart = &w->sheet->charts[panel]->public;
    const hpf_overview *overview = hpf_survey_overview(w->surveys[panel]);
    const hpr_band *from = &chart->bands[b];
    hpr_band *to = &all->bands[b];
    double scale = scale_of(w, chart);
    double mean = scale * from->sum / fmax((double)overview->n_samples, 1);
    double span = overview->last_time - overview->first_time;
    double high = chart->is_normalised ? 1 : scale;
    double *values = all->values + b * all->public.n_points + first;
    for (size_t i = 0; i < chart->n_points; i++) {
        values[i] = from->values[i] * high;
    }
    to->sum += mean;
    to->trapezium += span > 0 ? scale * from->trapezium / span : mean;
    to->max = fmax(to->max, from->max * high);
}

/* Joins the bands of all panels in the chart of the legend, and orders them. Times become shares of
 * the duration of each panel, so that growth in a short run counts as much as in a long one. */
static hpf_status join_bands(work *w, hpf_error *err)
{
    hpf_status status = begin_legend(w, err);
    if (status) {
        return status;
    }
    hpr__chart *all = w->sheet->legend;
    size_t first = 0;
    for (size_t i = 0; i < w->n; i++) {
        const hpr_chart *chart = &w->sheet->charts[i]->public;
        double *times = (double *)(uintptr_t)all->public.times + first;
        double span = chart->n_points > 0 ? chart->times[chart->n_points - 1] - chart->times[0] : 0;
        for (size_t k = 0; k < chart->n_points; k++) {
            times[k] = span > 0 ? (chart->times[k] - chart->times[0]) / span : 0;
        }
        for (uint32_t b = 0; b < all->public.n_bands; b++) {
            add_band(w, i, b, first);
        }
        first += chart->n_points;
    }
    return hpr__modern_order(all, &w->assignments[0], w->options, err);
}

/* Returns the index in the panels of a band of the legend. The bands of the panels are still in the
 * original order, in which the values of the legend were allocated. */
static size_t row_of(const hpr__chart *all, uint32_t band)
{
    return (size_t)(all->bands[band].values - all->values) / all->public.n_points;
}

static hpf_status fill_bands(const work *w, hpf_error *err)
{
    hpr__chart *all = w->sheet->legend;
    uint64_t *absent = hpf_arena_array(all->arena, all->public.n_bands, sizeof *absent);
    if (!absent) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t b = 0; b < all->public.n_bands; b++) {
        for (size_t i = 0; i < w->n; i++) {
            bool is_absent = w->sheet->charts[i]->bands[row_of(all, b)].n_names == 0;
            absent[b] |= (uint64_t)is_absent << i;
        }
    }
    hpf_status status = hpr__modern_fill_bands(all, absent, w->options, err);
    return status ? status : hpr__labels_name(all, err);
}

/* Gives a panel the common order and fills, and removes the bands that it does not have. */
static hpf_status arrange_panel(const hpr__chart *all, hpr__chart *chart, bool as_steps,
                                hpf_error *err)
{
    hpr_band *bands = hpf_arena_array(chart->arena, all->public.n_bands, sizeof *bands);
    uint32_t n = 0;
    if (!bands) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < all->public.n_bands; i++) {
        size_t row = row_of(all, i);
        if (chart->bands[row].n_names > 0) {
            bands[n] = chart->bands[row];
            bands[n++].fill = all->bands[i].fill;
        }
    }
    chart->bands = bands;
    chart->public.bands = bands;
    chart->public.n_bands = n;
    hpf_status status = hpr__stack_pile_up(chart, err);
    return status || !as_steps ? status : hpr__stack_step(chart, err);
}

/* --- grid ------------------------------------------------------------------------------------ */

/* Returns the number of columns that gives the panels of a page most room. */
static size_t best_columns(const work *w, size_t most)
{
    size_t best = 1;
    double best_room = 0;
    for (size_t columns = 1; columns <= most; columns++) {
        double rows = ceil((double)w->n / (double)columns);
        double room = fmin(w->width_pt / (double)columns, PANEL_STRETCH * w->height_pt / rows);
        if (room > best_room * 1.001) {
            best_room = room;
            best = columns;
        }
    }
    return best;
}

static void choose_grid(work *w)
{
    double fitting = fmax(floor(w->width_pt / LEAST_PANEL_PT), 1);
    size_t most = (size_t)fmin(fitting, (double)w->n);
    if (w->height_pt > 0) {
        w->n_columns = best_columns(w, most);
    } else {
        w->n_columns = (size_t)fmin(ceil(sqrt((double)w->n)), (double)most);
    }
    w->n_rows = (w->n + w->n_columns - 1) / w->n_columns;
}

/* Sets the size of the panels, given the space that the legend takes. If the page has no given
 * height, a panel is half as high as wide, plus its rows of text. */
static void size_panels(work *w, double right_pt, double below_pt)
{
    double columns = (double)w->n_columns;
    double rows = (double)w->n_rows;
    double width = (w->width_pt - right_pt - (columns - 1) * GUTTER_PT) / columns;
    double height = (w->height_pt - below_pt - (rows - 1) * GUTTER_PT) / rows;
    w->panel_width_pt = fmax(width, 1);
    w->panel_height_pt =
        w->height_pt > 0 ? fmax(height, 1) : ceil(0.5 * w->panel_width_pt + 6 * w->type.text_pt);
}

/* Returns the distance from panel to panel. */
static double pitch_of(double panel_pt)
{
    return panel_pt + GUTTER_PT;
}

/* --- legend ---------------------------------------------------------------------------------- */

static hpf_status fit_legend(work *w, hpr__legend_box box, hpf_error *err)
{
    hpr__label_style style = {w->measurer, w->type.text_pt, w->type.smallest_pt, 0};
    return hpr__legend_fit(&w->legend, w->sheet->legend, &style, &box, err);
}

static double panels_height(const work *w)
{
    return (double)w->n_rows * pitch_of(w->panel_height_pt) - GUTTER_PT;
}

/* Returns the height above the plot of a panel: title, and a row for unit and peak. */
static double text_above(const work *w)
{
    return w->pad_pt + 2 * w->type.title_pt + 2 * w->type.text_pt;
}

/* Puts the legend into the free cells after the last panel if all names fit whole. */
static hpf_status try_spare_cells(work *w, hpf_error *err)
{
    size_t n_spare = w->n_rows * w->n_columns - w->n;
    double width = (double)n_spare * w->panel_width_pt - 2 * w->pad_pt;
    double height = w->panel_height_pt - text_above(w) - w->pad_pt;
    if (n_spare == 0 || height <= 0) {
        return HPF_OK;
    }
    hpf_status status = fit_legend(w, (hpr__legend_box){width, height, true}, err);
    if (!status && !w->legend.is_cut) {
        w->legend_place = SPARE_CELLS;
    }
    return status;
}

/* Puts the legend right of the panels, which become narrower and keep their height. */
static hpf_status make_room_at_right(work *w, hpf_error *err)
{
    double height = panels_height(w);
    double room = height - text_above(w) - w->pad_pt;
    double most_width = MOST_RIGHT_SHARE * w->width_pt;
    hpf_status status = fit_legend(w, (hpr__legend_box){most_width, room, true}, err);
    if (status) {
        return status;
    }
    double panel_height = w->panel_height_pt;
    size_panels(w, w->legend.width_pt + w->pad_pt + GUTTER_PT, 0);
    w->panel_height_pt = panel_height;
    w->legend_place = RIGHT;
    return HPF_OK;
}

static double height_below(const work *w)
{
    return GUTTER_PT + w->legend.height_pt + w->pad_pt;
}

static hpf_status make_room_below(work *w, hpf_error *err)
{
    double most_height = w->height_pt > 0 ? w->height_pt * MOST_BELOW_SHARE : HUGE_VAL;
    double width = w->width_pt - 2 * w->pad_pt;
    hpf_status status = fit_legend(w, (hpr__legend_box){width, most_height, false}, err);
    size_panels(w, 0, height_below(w));
    w->legend_place = BELOW;
    return status;
}

/* Sets the sizes of legend and panels. */
static hpf_status divide(work *w, hpf_error *err)
{
    hpf_status status = HPF_OK;
    size_panels(w, 0, 0);
    w->sheet->legend->public.plot_height_pt =
        w->panel_height_pt; /* determines which bands are visible */
    if (w->sheet->legend->public.n_bands == 0) {
        return HPF_OK;
    }
    switch (w->options->legend) {
    case HPR_LEGEND_AUTO:
        status = try_spare_cells(w, err);
        return status || w->legend_place == SPARE_CELLS ? status : make_room_below(w, err);
    case HPR_LEGEND_BELOW:
        return make_room_below(w, err);
    case HPR_LEGEND_RIGHT:
        return make_room_at_right(w, err);
    case HPR_LEGEND_NONE:
    case HPR_LEGEND_SEPARATE:
        break;
    }
    return HPF_OK;
}

static hpf_status check_panels(const work *w, hpf_error *err)
{
    double least_height = text_above(w) + SMALLEST_PLOT_PT + 2 * w->type.text_pt;
    if (w->panel_width_pt >= SMALLEST_PANEL_PT && w->panel_height_pt >= least_height) {
        return HPF_OK;
    }
    return hpf_error_set(err, HPF_ERR_LIMIT,
                         "the page is too small for %zu profiles and their legend", w->n);
}

/* Places the legend, aligned with the edges of plots. */
static hpf_status place_legend(work *w, hpf_error *err)
{
    const hpr_page *page = &w->sheet->public;
    const hpr_chart *first = page->panels[0].chart;
    double above_plot = first->height_pt - first->plot_y_pt - first->plot_height_pt;
    double left = first->plot_x_pt;
    double top = page->height_pt - above_plot;
    double right = page->width_pt - w->pad_pt;
    switch (w->legend_place) {
    case NOWHERE:
        return HPF_OK;
    case BELOW:
        top = w->legend.height_pt + w->pad_pt;
        break;
    case RIGHT:
        left = (double)w->n_columns * pitch_of(w->panel_width_pt);
        break;
    case SPARE_CELLS:
        left += (double)(w->n % w->n_columns) * pitch_of(w->panel_width_pt);
        top -= (double)(w->n_rows - 1) * pitch_of(w->panel_height_pt);
        break;
    }
    left = fmax(fmin(left, right - w->legend.width_pt), w->pad_pt);
    hpr__label_style style = {w->measurer, w->type.text_pt, w->type.smallest_pt, 0};
    return hpr__legend_place(w->sheet->legend, &w->legend, &style, left, top, err);
}

/* --- titles ---------------------------------------------------------------------------------- */

static bool has_room(const work *w, const char *title)
{
    hpr_text_size size = w->measurer.measure(w->measurer.context, title, w->type.title_pt, true);
    return size.width_pt <= w->panel_width_pt - 2 * w->pad_pt;
}

/* Returns whether the programs are different, not empty, and fit as titles. */
static bool are_titles_useful(const work *w)
{
    for (size_t i = 0; i < w->n; i++) {
        bool is_new = *w->titles[i] != '\0' && has_room(w, w->titles[i]);
        for (size_t k = 0; k < i && is_new; k++) {
            is_new = strcmp(w->titles[i], w->titles[k]) != 0;
        }
        if (!is_new) {
            return false;
        }
    }
    return true;
}

static hpf_status choose_titles(work *w, hpf_error *err)
{
    w->titles = hpf_arena_array(w->sheet->arena, w->n, sizeof *w->titles);
    if (!w->titles) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < w->n; i++) {
        hpr__chart *chart = w->sheet->charts[i];
        if (hpr__chart_text(chart, chart->public.headers[HPF_HEADER_JOB], &w->titles[i], err)) {
            return HPF_ERR_MEMORY;
        }
    }
    for (size_t i = 0, keep = are_titles_useful(w); i < w->n && !keep; i++) {
        w->titles[i] = w->sources[i].name;
    }
    return HPF_OK;
}

/* Sets the title of the document: all titles, separated by commas. */
static hpf_status name_page(work *w, hpf_error *err)
{
    size_t room = 1;
    for (size_t i = 0; i < w->n; i++) {
        room += strlen(w->titles[i]) + 2;
    }
    char *name = hpf_arena_alloc(w->sheet->arena, room);
    if (!name) {
        return hpf_error_set_memory(err);
    }
    char *end = name;
    for (size_t i = 0; i < w->n; i++) {
        end = stpcpy(stpcpy(end, i > 0 ? ", " : ""), w->titles[i]);
    }
    w->sheet->legend->public.title = (hpr_title){.job = name, .area = "", .date = ""};
    return HPF_OK;
}

/* --- panels ---------------------------------------------------------------------------------- */

static hpf_status lay_out_panels(const work *w, hpr__frame frame, hpr_legend legend, hpf_error *err)
{
    hpr_options options = *w->options;
    options.width_pt = w->panel_width_pt;
    options.height_pt = w->panel_height_pt;
    options.legend = legend;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < w->n && !status; i++) {
        frame.title = w->titles[i];
        status = hpr__modern_layout(w->sheet->charts[i], w->sources[i].survey, &options, &frame,
                                    w->measurer, err);
    }
    return status;
}

static hpr__reach common_reach(const work *w)
{
    hpr__reach all = {.x_low = HUGE_VAL, .x_high = -HUGE_VAL};
    for (size_t i = 0; i < w->n; i++) {
        const hpr_chart *chart = &w->sheet->charts[i]->public;
        hpr__reach one = hpr__reach_of(chart);
        if (chart->n_points > 0) {
            all.x_low = fmin(all.x_low, one.x_low);
            all.x_high = fmax(all.x_high, one.x_high);
            all.y_high = fmax(all.y_high, one.y_high);
        }
    }
    if (all.x_low > all.x_high) {
        all.x_low = all.x_high = 0;
    }
    return all;
}

/* Returns whether all profiles have the same unit of time. */
static bool is_time_alike(const work *w)
{
    for (size_t i = 1; i < w->n; i++) {
        if (!hpf_str_equal(w->sheet->charts[0]->public.headers[HPF_HEADER_SAMPLE_UNIT],
                           w->sheet->charts[i]->public.headers[HPF_HEADER_SAMPLE_UNIT])) {
            return false;
        }
    }
    return true;
}

/* Sets the margins to the widest of all panels. */
static void widen_margins(const work *w, hpr__frame *frame)
{
    for (size_t i = 0; i < w->n; i++) {
        const hpr_chart *chart = &w->sheet->charts[i]->public;
        double right = chart->width_pt - chart->plot_x_pt - chart->plot_width_pt;
        frame->left_pt = fmax(frame->left_pt, chart->plot_x_pt);
        frame->right_pt = fmax(frame->right_pt, right);
    }
}

/* Lays out the panels, three times. */
static hpf_status fill_panels(work *w, hpf_error *err)
{
    bool is_direct = w->options->legend == HPR_LEGEND_AUTO || w->options->legend == HPR_LEGEND_NONE;
    hpr__frame frame = {.title = NULL};
    hpf_status status = lay_out_panels(w, frame, HPR_LEGEND_SEPARATE, err);
    if (status) {
        return status;
    }
    hpr__reach reach = common_reach(w);
    /* Shares the scale of the axes, or at least the unit of time. */
    frame.reach = w->options->same_scale ? &reach : NULL;
    for (size_t i = 0; i < w->n && is_time_alike(w); i++) {
        const hpr_chart *chart = &w->sheet->charts[i]->public;
        frame.x_extent = fmax(frame.x_extent, chart->x.high - chart->x.low);
    }
    status = lay_out_panels(w, frame, HPR_LEGEND_SEPARATE, err);
    if (status) {
        return status;
    }
    widen_margins(w, &frame);
    return lay_out_panels(w, frame, is_direct ? HPR_LEGEND_NONE : HPR_LEGEND_SEPARATE, err);
}

/* Sets the size of the page and the positions of the panels. */
static void place_panels(work *w)
{
    hpr_page *page = &w->sheet->public;
    double below = w->legend_place == BELOW ? height_below(w) : 0;
    page->n_columns = w->n_columns;
    page->n_rows = w->n_rows;
    page->width_pt = w->width_pt;
    page->height_pt = w->height_pt > 0 ? w->height_pt : panels_height(w) + below;
    for (size_t i = 0; i < w->n; i++) {
        hpr_panel *panel = &w->sheet->panels[i];
        double row = (double)(i / w->n_columns);
        panel->x_pt = (double)(i % w->n_columns) * pitch_of(w->panel_width_pt);
        panel->y_pt = page->height_pt - row * pitch_of(w->panel_height_pt) - w->panel_height_pt;
    }
    w->sheet->legend->public.width_pt = page->width_pt;
    w->sheet->legend->public.height_pt = page->height_pt;
}

/* Lays out the page, whose panels have their bands. */
static hpf_status lay_out_page(work *w, hpf_error *err)
{
    hpr_chart *legend = &w->sheet->legend->public;
    choose_grid(w);
    w->type = hpr__type_sizes_of(w->width_pt / (double)w->n_columns, w->options);
    legend->width_pt = w->width_pt / (double)w->n_columns;
    legend->height_pt = legend->width_pt;
    w->pad_pt = hpr__sheet_pad_pt(legend);
    hpf_status status = divide(w, err);
    status = status ? status : check_panels(w, err);
    status = status ? status : choose_titles(w, err);
    status = status ? status : name_page(w, err);
    status = status ? status : fill_panels(w, err);
    if (status) {
        return status;
    }
    place_panels(w);
    return place_legend(w, err);
}

/* --- page ------------------------------------------------------------------------------------ */

static bool prepare(work *w)
{
    small_multiples *sheet = w->sheet;
    size_t n = w->n;
    sheet->charts = hpf_arena_array(sheet->arena, n, sizeof *sheet->charts);
    sheet->panels = hpf_arena_array(sheet->arena, n, sizeof *sheet->panels);
    w->surveys = hpf_arena_array(sheet->arena, n, sizeof *w->surveys);
    w->assignments = hpf_arena_array(sheet->arena, n, sizeof *w->assignments);
    if (!sheet->charts || !sheet->panels || !w->surveys || !w->assignments) {
        return false;
    }
    sheet->public.n_panels = n;
    sheet->public.panels = sheet->panels;
    sheet->public.same_scale = w->options->same_scale;
    for (size_t i = 0; i < n; i++) {
        w->surveys[i] = w->sources[i].survey;
    }
    return true;
}

static hpf_status fill(work *w, hpf_error *err)
{
    hpf_status status = fetch_panels(w, err);
    status = status ? status : join_bands(w, err);
    status = status ? status : fill_bands(w, err);
    for (size_t i = 0; i < w->n && !status; i++) {
        status = arrange_panel(w->sheet->legend, w->sheet->charts[i], w->options->as_steps, err);
    }
    if (status) {
        return status;
    }
    w->sheet->public.legend = &w->sheet->legend->public;
    return lay_out_page(w, err);
}

hpf_status hpr_page_create(hpr_page **out, const hpr_page_source *sources, size_t n_sources,
                           const hpr_options *options, hpr_measurer measurer, hpf_error *err)
{
    hpr_options own;
    *out = NULL;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    if (status) {
        return status;
    }
    if (n_sources == 0 || n_sources > HPR_PAGE_MOST_PANELS) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "a page has room for 1 to %d profiles",
                             HPR_PAGE_MOST_PANELS);
    }
    small_multiples *sheet = calloc(1, sizeof *sheet);
    if (!sheet) {
        return hpf_error_set_memory(err);
    }
    sheet->arena = hpf_arena_create();
    work w = {
        .sheet = sheet,
        .sources = sources,
        .options = &own,
        .measurer = measurer,
        .n = n_sources,
        .width_pt = own.width_pt > 0 ? own.width_pt : 648,
        .height_pt = own.height_pt,
    };
    status = sheet->arena && prepare(&w) ? fill(&w, err) : hpf_error_set_memory(err);
    if (status) {
        hpr_page_destroy(&sheet->public);
        return status;
    }
    *out = &sheet->public;
    return HPF_OK;
}

void hpr_page_destroy(hpr_page *page)
{
    small_multiples *sheet = (small_multiples *)page;
    if (!sheet) {
        return;
    }
    for (size_t i = 0; i < page->n_panels; i++) {
        hpr_chart_destroy(sheet->charts[i] ? &sheet->charts[i]->public : NULL);
    }
    hpr_chart_destroy(sheet->legend ? &sheet->legend->public : NULL);
    hpf_arena_destroy(sheet->arena);
    free(sheet);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From the outside in: columns and rows, what the legend takes of the page, the panels' size. Then
 * the panels are laid out three times: alone, which tells how far their axes reach; with what they
 * share of these, which tells how wide their margins are; and at last with the widest of these, so
 * that plots that stand below each other begin and end together.
 */
#include "base/arena.h"
#include "layout/page_layout.h"

#include <math.h>
#include <string.h>

#include "hpfile/str.h"
#include "layout/legend.h"
#include "layout/layout.h"

#define LEAST_PANEL_PT    100.0 /* width; narrower panels stand below each other */
#define SMALLEST_PANEL_PT 50.0  /* width of one in which something can be seen */
#define SMALLEST_PLOT_PT  24.0  /* height of its plot */
#define PANEL_STRETCH     1.5   /* width by height of the panels that a given page is cut into */
#define GUTTER_PT         6.0   /* between panels, and between panels and legend */
#define MOST_RIGHT_SHARE  0.3   /* of the page's width, for a legend at the right */
#define MOST_BELOW_SHARE  0.4   /* of a given page's height, for one below */

typedef enum place { NOWHERE, BELOW, RIGHT, SPARE_CELLS } place;

typedef struct layout {
    hpr__sheet *sheet;
    const hpr_page_source *sources;
    const hpr_page_options *options;
    hpr_measurer measurer;
    size_t n, n_columns, n_rows;
    double width_pt, height_pt; /* of the page; height 0: what the panels need */
    double panel_width_pt, panel_height_pt;
    double pad_pt;
    hpr__type_sizes type;
    const char **titles;
    hpr__legend legend;
    place legend_place;
} layout;

/* --- grid ----------------------------------------------------------------------------------- */

/* Columns that leave the panels of a given page most room. */
static size_t best_columns(const layout *l, size_t most)
{
    size_t best = 1;
    double best_room = 0;
    for (size_t columns = 1; columns <= most; columns++) {
        double rows = ceil((double)l->n / (double)columns);
        double room = fmin(l->width_pt / (double)columns, PANEL_STRETCH * l->height_pt / rows);
        if (room > best_room * 1.001) {
            best_room = room;
            best = columns;
        }
    }
    return best;
}

static void choose_grid(layout *l)
{
    double fitting = fmax(floor(l->width_pt / LEAST_PANEL_PT), 1);
    size_t most = (size_t)fmin(fitting, (double)l->n);
    if (l->height_pt > 0) {
        l->n_columns = best_columns(l, most);
    } else {
        l->n_columns = (size_t)fmin(ceil(sqrt((double)l->n)), (double)most);
    }
    l->n_rows = (l->n + l->n_columns - 1) / l->n_columns;
}

/* Height of a panel that may be as high as it needs: half as high as wide, and its rows of text. */
static double natural_height(const layout *l)
{
    return ceil(0.5 * l->panel_width_pt + 6 * l->type.text_pt);
}

/* Sizes of the panels, where a legend takes something of the page. */
static void size_panels(layout *l, double beside_pt, double below_pt)
{
    double columns = (double)l->n_columns;
    double rows = (double)l->n_rows;
    double width = (l->width_pt - beside_pt - (columns - 1) * GUTTER_PT) / columns;
    double height = (l->height_pt - below_pt - (rows - 1) * GUTTER_PT) / rows;
    l->panel_width_pt = fmax(width, 1);
    l->panel_height_pt = l->height_pt > 0 ? fmax(height, 1) : natural_height(l);
}

/* From panel to panel. */
static double pitch_of(double panel_pt)
{
    return panel_pt + GUTTER_PT;
}

/* --- legend --------------------------------------------------------------------------------- */

static hpf_status fit_legend(layout *l, hpr__legend_box box, hpf_error *err)
{
    hpr__label_style style = {l->measurer, l->type.text_pt, l->type.smallest_pt, 0};
    return hpr__legend_fit(&l->legend, l->sheet->legend, &style, &box, err);
}

static double panels_height(const layout *l)
{
    return (double)l->n_rows * pitch_of(l->panel_height_pt) - GUTTER_PT;
}

/* Of a panel, above its plot: title, and a row for unit and peak. */
static double text_above(const layout *l)
{
    return l->pad_pt + 2 * l->type.title_pt + 2 * l->type.text_pt;
}

/* Room for all names, uncut, in the cells behind the last panel? */
static hpf_status try_spare_cells(layout *l, hpf_error *err)
{
    size_t n_spare = l->n_rows * l->n_columns - l->n;
    double width = (double)n_spare * l->panel_width_pt - 2 * l->pad_pt;
    double height = l->panel_height_pt - text_above(l) - l->pad_pt;
    if (n_spare == 0 || height <= 0) {
        return HPF_OK;
    }
    hpf_status status = fit_legend(l, (hpr__legend_box){width, height, true}, err);
    if (!status && !l->legend.is_cut) {
        l->legend_place = SPARE_CELLS;
    }
    return status;
}

/* What is at the right takes its width from the panels, which keep their height. */
static hpf_status make_room_at_right(layout *l, hpf_error *err)
{
    double height = panels_height(l);
    double room = height - text_above(l) - l->pad_pt;
    double most_width = MOST_RIGHT_SHARE * l->width_pt;
    hpf_status status = fit_legend(l, (hpr__legend_box){most_width, room, true}, err);
    if (status) {
        return status;
    }
    double panel_height = l->panel_height_pt;
    size_panels(l, l->legend.width_pt + l->pad_pt + GUTTER_PT, 0);
    l->panel_height_pt = panel_height;
    l->legend_place = RIGHT;
    return HPF_OK;
}

static double height_below(const layout *l)
{
    return GUTTER_PT + l->legend.height_pt + l->pad_pt;
}

static hpf_status make_room_below(layout *l, hpf_error *err)
{
    double most_height = l->height_pt > 0 ? l->height_pt * MOST_BELOW_SHARE : HUGE_VAL;
    double width = l->width_pt - 2 * l->pad_pt;
    hpf_status status = fit_legend(l, (hpr__legend_box){width, most_height, false}, err);
    size_panels(l, 0, height_below(l));
    l->legend_place = BELOW;
    return status;
}

/* Sizes of legend and panels. */
static hpf_status divide(layout *l, hpf_error *err)
{
    hpf_status status = HPF_OK;
    size_panels(l, 0, 0);
    l->sheet->legend->public.plot_height_pt =
        l->panel_height_pt; /* which bands show depends on it */
    if (l->sheet->legend->public.n_bands == 0) {
        return HPF_OK;
    }
    switch (l->options->chart.legend) {
    case HPR_LEGEND_AUTO:
        status = try_spare_cells(l, err);
        return status || l->legend_place == SPARE_CELLS ? status : make_room_below(l, err);
    case HPR_LEGEND_BELOW:
        return make_room_below(l, err);
    case HPR_LEGEND_RIGHT:
        return make_room_at_right(l, err);
    case HPR_LEGEND_NONE:
    case HPR_LEGEND_SEPARATE:
        break;
    }
    return HPF_OK;
}

static hpf_status check_panels(const layout *l, hpf_error *err)
{
    double least_height = text_above(l) + SMALLEST_PLOT_PT + 2 * l->type.text_pt;
    if (l->panel_width_pt >= SMALLEST_PANEL_PT && l->panel_height_pt >= least_height) {
        return HPF_OK;
    }
    return hpf_error_set(err, HPF_ERR_LIMIT,
                         "%zu profiles and their legend have no room on so small a page", l->n);
}

/* Where the legend begins: below and beside the plots it keeps to their edges. */
static hpf_status place_legend(layout *l, hpf_error *err)
{
    const hpr_page *page = &l->sheet->public;
    const hpr_chart *first = page->panels[0].chart;
    double above_plot = first->height_pt - first->plot_y_pt - first->plot_height_pt;
    double left = first->plot_x_pt;
    double top = page->height_pt - above_plot;
    double right = page->width_pt - l->pad_pt;
    switch (l->legend_place) {
    case NOWHERE:
        return HPF_OK;
    case BELOW:
        top = l->legend.height_pt + l->pad_pt;
        break;
    case RIGHT:
        left = (double)l->n_columns * pitch_of(l->panel_width_pt);
        break;
    case SPARE_CELLS:
        left += (double)(l->n % l->n_columns) * pitch_of(l->panel_width_pt);
        top -= (double)(l->n_rows - 1) * pitch_of(l->panel_height_pt);
        break;
    }
    left = fmax(fmin(left, right - l->legend.width_pt), l->pad_pt);
    hpr__label_style style = {l->measurer, l->type.text_pt, l->type.smallest_pt, 0};
    return hpr__legend_place(l->sheet->legend, &l->legend, &style, left, top, err);
}

/* --- titles --------------------------------------------------------------------------------- */

static bool has_room(const layout *l, const char *title)
{
    hpr_text_size size = l->measurer.measure(l->measurer.context, title, l->type.title_pt, true);
    return size.width_pt <= l->panel_width_pt - 2 * l->pad_pt;
}

/* Whether the programs can be told apart by what would be shown of them. */
static bool are_telling(const layout *l)
{
    for (size_t i = 0; i < l->n; i++) {
        bool is_new = *l->titles[i] != '\0' && has_room(l, l->titles[i]);
        for (size_t k = 0; k < i && is_new; k++) {
            is_new = strcmp(l->titles[i], l->titles[k]) != 0;
        }
        if (!is_new) {
            return false;
        }
    }
    return true;
}

static hpf_status choose_titles(layout *l, hpf_error *err)
{
    l->titles = hpf_arena_array(l->sheet->arena, l->n, sizeof *l->titles);
    if (!l->titles) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < l->n; i++) {
        hpr__chart *chart = l->sheet->charts[i];
        if (hpr__chart_text(chart, chart->public.headers[HPF_HEADER_JOB], &l->titles[i], err)) {
            return HPF_ERR_MEMORY;
        }
    }
    for (size_t i = 0, keep = are_telling(l); i < l->n && !keep; i++) {
        l->titles[i] = l->sources[i].name;
    }
    return HPF_OK;
}

/* What the document is called: all titles, between commas. */
static hpf_status name_page(layout *l, hpf_error *err)
{
    size_t room = 1;
    for (size_t i = 0; i < l->n; i++) {
        room += strlen(l->titles[i]) + 2;
    }
    char *name = hpf_arena_alloc(l->sheet->arena, room);
    if (!name) {
        return hpf_error_set_memory(err);
    }
    char *end = name;
    for (size_t i = 0; i < l->n; i++) {
        end = stpcpy(stpcpy(end, i > 0 ? ", " : ""), l->titles[i]);
    }
    l->sheet->legend->public.title = (hpr_title){.job = name, .area = "", .date = ""};
    return HPF_OK;
}

/* --- panels --------------------------------------------------------------------------------- */

static hpf_status lay_out_panels(const layout *l, hpr__frame frame, hpr_legend legend,
                                 hpf_error *err)
{
    hpr_options options = l->options->chart;
    options.width_pt = l->panel_width_pt;
    options.height_pt = l->panel_height_pt;
    options.legend = legend;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < l->n && !status; i++) {
        frame.title = l->titles[i];
        status = hpr__modern_layout(l->sheet->charts[i], l->sources[i].survey, &options, &frame,
                                    l->measurer, err);
    }
    return status;
}

static hpr__reach common_reach(const layout *l)
{
    hpr__reach all = {.x_low = HUGE_VAL, .x_high = -HUGE_VAL};
    for (size_t i = 0; i < l->n; i++) {
        const hpr_chart *chart = &l->sheet->charts[i]->public;
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

static bool is_time_alike(const layout *l)
{
    for (size_t i = 1; i < l->n; i++) {
        if (!hpf_str_equal(l->sheet->charts[0]->public.headers[HPF_HEADER_SAMPLE_UNIT],
                           l->sheet->charts[i]->public.headers[HPF_HEADER_SAMPLE_UNIT])) {
            return false;
        }
    }
    return true;
}

/* One scale, or at least the same unit of time. */
static void share_axes(const layout *l, hpr__frame *frame, const hpr__reach *reach)
{
    frame->reach = l->options->same_scale ? reach : NULL;
    for (size_t i = 0; i < l->n && is_time_alike(l); i++) {
        const hpr_chart *chart = &l->sheet->charts[i]->public;
        frame->x_extent = fmax(frame->x_extent, chart->x.high - chart->x.low);
    }
}

static void widen_margins(const layout *l, hpr__frame *frame)
{
    for (size_t i = 0; i < l->n; i++) {
        const hpr_chart *chart = &l->sheet->charts[i]->public;
        double right = chart->width_pt - chart->plot_x_pt - chart->plot_width_pt;
        frame->left_pt = fmax(frame->left_pt, chart->plot_x_pt);
        frame->right_pt = fmax(frame->right_pt, right);
    }
}

static hpf_status fill_panels(layout *l, hpf_error *err)
{
    bool is_direct =
        l->options->chart.legend == HPR_LEGEND_AUTO || l->options->chart.legend == HPR_LEGEND_NONE;
    hpr__frame frame = {.title = NULL};
    hpf_status status = lay_out_panels(l, frame, HPR_LEGEND_SEPARATE, err);
    if (status) {
        return status;
    }
    hpr__reach reach = common_reach(l);
    share_axes(l, &frame, &reach);
    status = lay_out_panels(l, frame, HPR_LEGEND_SEPARATE, err);
    if (status) {
        return status;
    }
    widen_margins(l, &frame);
    return lay_out_panels(l, frame, is_direct ? HPR_LEGEND_NONE : HPR_LEGEND_SEPARATE, err);
}

static void place_panels(layout *l)
{
    hpr_page *page = &l->sheet->public;
    double below = l->legend_place == BELOW ? height_below(l) : 0;
    page->n_columns = l->n_columns;
    page->n_rows = l->n_rows;
    page->width_pt = l->width_pt;
    page->height_pt = l->height_pt > 0 ? l->height_pt : panels_height(l) + below;
    for (size_t i = 0; i < l->n; i++) {
        hpr_panel *panel = &l->sheet->panels[i];
        double row = (double)(i / l->n_columns);
        panel->x_pt = (double)(i % l->n_columns) * pitch_of(l->panel_width_pt);
        panel->y_pt = page->height_pt - row * pitch_of(l->panel_height_pt) - l->panel_height_pt;
    }
    l->sheet->legend->public.width_pt = page->width_pt;
    l->sheet->legend->public.height_pt = page->height_pt;
}

hpf_status hpr__page_layout(hpr__sheet *sheet, const hpr_page_source *sources,
                            const hpr_page_options *options, hpr_measurer measurer, hpf_error *err)
{
    layout l = {
        .sheet = sheet,
        .sources = sources,
        .options = options,
        .measurer = measurer,
        .n = sheet->public.n_panels,
        .width_pt = options->chart.width_pt > 0 ? options->chart.width_pt : 648,
        .height_pt = options->chart.height_pt,
    };
    hpr_chart *legend = &sheet->legend->public;
    choose_grid(&l);
    l.type = hpr__type_sizes_of(l.width_pt / (double)l.n_columns, &options->chart);
    legend->width_pt = l.width_pt / (double)l.n_columns;
    legend->height_pt = legend->width_pt;
    l.pad_pt = hpr__sheet_pad_pt(legend);
    hpf_status status = divide(&l, err);
    if (!status) {
        status = check_panels(&l, err);
    }
    if (!status) {
        status = choose_titles(&l, err);
    }
    if (!status) {
        status = name_page(&l, err);
    }
    if (!status) {
        status = fill_panels(&l, err);
    }
    if (status) {
        return status;
    }
    place_panels(&l);
    return place_legend(&l, err);
}

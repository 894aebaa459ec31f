/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Charts with bands in common. What is decided for all of them, order and fills, is decided on a
 * chart of all their points one after the other.
 */
#include "base/arena.h"
#include "hprender/page.h"

#include <math.h>
#include <stdlib.h>

#include "hpfile/str.h"

#include "chart/tooltip.h"
#include "layout/modern.h"
#include "chart/order.h"
#include "layout/page_layout.h"
#include "chart/page_select.h"
#include "chart/stack.h"

typedef struct work {
    hpr__sheet *sheet;
    const hpr_page_source *sources;
    const hpr_page_options *options;
    hpf_survey **surveys;
    hpr__assignment *plans;
    uint32_t other_names;
} work;

/* --- charts --------------------------------------------------------------------------------- */

static hpf_status check_unit(const work *w, hpf_header which, hpf_error *err)
{
    hpf_str first = hpf_survey_header(w->surveys[0], which);
    for (size_t i = 1; w->options->same_scale && i < w->sheet->public.n_panels; i++) {
        hpf_str other = hpf_survey_header(w->surveys[i], which);
        if (!hpf_str_equal(first, other)) {
            return hpf_error_set(err, HPF_ERR_ARGUMENT,
                                 "%s is in %.*s, %s in %.*s: they have no scale in common",
                                 w->sources[0].name, (int)first.length, first.data,
                                 w->sources[i].name, (int)other.length, other.data);
        }
    }
    return HPF_OK;
}

/* What the profile knows of bands that are one name of it. */
static hpf_status tell_details(const work *w, size_t i, hpf_error *err)
{
    hpr__chart *chart = w->sheet->charts[i];
    hpf_status status = HPF_OK;
    for (hpf_name name = 0; name < hpf_survey_n_names(w->surveys[i]) && !status; name++) {
        uint32_t b = w->plans[i].band_of_name[name];
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
    if (!status) {
        status = hpr__modern_fetch(chart, w->surveys[i], &w->plans[i], &w->options->chart, err);
    }
    bool is_grouped = w->options->chart.group != HPR_GROUP_NONE;
    return status || is_grouped ? status : tell_details(w, i, err);
}

static hpf_status fetch_panels(work *w, hpf_error *err)
{
    const hpr_page *public = &w->sheet->public;
    hpf_status status = check_unit(w, HPF_HEADER_VALUE_UNIT, err);
    if (!status && !w->options->chart.by_sample) {
        status = check_unit(w, HPF_HEADER_SAMPLE_UNIT, err);
    }
    if (!status) {
        status = hpr__page_select(w->plans, &w->other_names, w->sheet->arena, w->surveys,
                                  public->n_panels, w->options, err);
    }
    for (size_t i = 0; i < public->n_panels && !status; i++) {
        status = fetch_panel(w, i, err);
    }
    return status;
}

/* --- what they have in common --------------------------------------------------------------- */

/* What the amounts of a panel are multiplied with, to be as high as they are drawn. */
static double share_of(const work *w, const hpr_chart *chart)
{
    return w->options->same_scale || !(chart->peak_total > 0) ? 1 : 1 / chart->peak_total;
}

/* What the highest band of all could be. */
static double highest_of(const work *w)
{
    double highest = w->options->chart.normalise ? 100 : 0;
    for (size_t i = 0; i < w->sheet->public.n_panels && !w->options->chart.normalise; i++) {
        const hpr_chart *chart = w->sheet->public.panels[i].chart;
        highest = fmax(highest, chart->peak_total * share_of(w, chart));
    }
    return highest > 0 ? highest : 1;
}

static hpf_status begin_legend(work *w, hpf_error *err)
{
    const hpr_page *page = &w->sheet->public;
    hpf_status status = hpr__chart_begin(&w->sheet->legend, err);
    if (status) {
        return status;
    }
    hpr__chart *all = w->sheet->legend;
    hpr_chart *public = &all->public;
    public->look = HPR_LOOK_MODERN;
    public->is_lines = w->options->chart.as_lines;
    public->is_normalised = w->options->chart.normalise;
    public->n_bands = w->plans[0].n_bands;
    for (size_t i = 0; i < page->n_panels; i++) {
        public->n_points += page->panels[i].chart->n_points;
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

/* Adds a panel's band to that of all, whose points from `first` on are the panel's. Each panel
 * counts the same, however long it took. */
static void add_band(const work *w, size_t panel, uint32_t b, size_t first)
{
    const hpr__chart *all = w->sheet->legend;
    const hpr_chart *chart = &w->sheet->charts[panel]->public;
    const hpf_overview *overview = hpf_survey_overview(w->surveys[panel]);
    const hpr_band *from = &chart->bands[b];
    hpr_band *to = &all->bands[b];
    double share = share_of(w, chart);
    double mean = share * from->sum / fmax((double)overview->n_samples, 1);
    double span = overview->last_time - overview->first_time;
    double high = chart->is_normalised ? 1 : share;
    double *values = all->values + b * all->public.n_points + first;
    for (size_t i = 0; i < chart->n_points; i++) {
        values[i] = from->values[i] * high;
    }
    to->sum += mean;
    to->trapezium += span > 0 ? share * from->trapezium / span : mean;
    to->max = fmax(to->max, from->max * high);
}

/* Times as shares of each panel's, so that what grows in a short run counts as in a long one. */
static void add_times(double *times, const hpr_chart *chart)
{
    size_t n = chart->n_points;
    double span = n > 0 ? chart->times[n - 1] - chart->times[0] : 0;
    for (size_t i = 0; i < n; i++) {
        times[i] = span > 0 ? (chart->times[i] - chart->times[0]) / span : 0;
    }
}

static hpf_status join_bands(work *w, hpf_error *err)
{
    hpf_status status = begin_legend(w, err);
    if (status) {
        return status;
    }
    hpr__chart *all = w->sheet->legend;
    size_t first = 0;
    for (size_t i = 0; i < w->sheet->public.n_panels; i++) {
        const hpr_chart *chart = &w->sheet->charts[i]->public;
        add_times((double *)(uintptr_t)all->public.times + first, chart);
        for (uint32_t b = 0; b < all->public.n_bands; b++) {
            add_band(w, i, b, first);
        }
        first += chart->n_points;
    }
    return hpr__modern_order(all, &w->plans[0], &w->options->chart, err);
}

/* The place of a band of all in the panels, whose bands are still in the order of the plans: its
 * values stay where they were. */
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
        for (size_t i = 0; i < w->sheet->public.n_panels; i++) {
            bool is_absent = w->sheet->charts[i]->bands[row_of(all, b)].n_names == 0;
            absent[b] |= (uint64_t)is_absent << i;
        }
    }
    return hpr__modern_fill_bands(all, absent, &w->options->chart, err);
}

/* Gives a panel the common order and fills. What it does not have is no band of it. */
static hpf_status arrange_panel(const hpr__chart *all, hpr__chart *chart, hpf_error *err)
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
    return hpr__stack_pile_up(chart, err);
}

/* --- page ----------------------------------------------------------------------------------- */

static bool prepare(work *w, size_t n)
{
    hpr__sheet *sheet = w->sheet;
    sheet->charts = hpf_arena_array(sheet->arena, n, sizeof *sheet->charts);
    sheet->panels = hpf_arena_array(sheet->arena, n, sizeof *sheet->panels);
    w->surveys = hpf_arena_array(sheet->arena, n, sizeof *w->surveys);
    w->plans = hpf_arena_array(sheet->arena, n, sizeof *w->plans);
    if (!sheet->charts || !sheet->panels || !w->surveys || !w->plans) {
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

static hpf_status fill(work *w, hpr_measurer measurer, hpf_error *err)
{
    hpf_status status = fetch_panels(w, err);
    if (!status) {
        status = join_bands(w, err);
    }
    if (!status) {
        status = fill_bands(w, err);
    }
    for (size_t i = 0; i < w->sheet->public.n_panels && !status; i++) {
        status = arrange_panel(w->sheet->legend, w->sheet->charts[i], err);
    }
    if (status) {
        return status;
    }
    w->sheet->public.legend = &w->sheet->legend->public;
    return hpr__page_layout(w->sheet, w->sources, w->options, measurer, err);
}

hpf_status hpr_page_create(hpr_page **out, const hpr_page_source *sources, size_t n_sources,
                           const hpr_page_options *options, hpr_measurer measurer, hpf_error *err)
{
    *out = NULL;
    if (n_sources == 0 || n_sources > HPR_PAGE_MOST_PANELS) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "a page has room for 1 to %d profiles",
                             HPR_PAGE_MOST_PANELS);
    }
    hpr__sheet *sheet = calloc(1, sizeof *sheet);
    if (!sheet) {
        return hpf_error_set_memory(err);
    }
    sheet->arena = hpf_arena_create();
    work w = {.sheet = sheet, .sources = sources, .options = options};
    hpf_status status = sheet->arena && prepare(&w, n_sources) ? fill(&w, measurer, err)
                                                               : hpf_error_set_memory(err);
    if (status) {
        hpr_page_destroy(&sheet->public);
        return status;
    }
    *out = &sheet->public;
    return HPF_OK;
}

void hpr_page_destroy(hpr_page *page)
{
    hpr__sheet *sheet = (hpr__sheet *)page;
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

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Describes charts in sentences.
 */
#include "hpfile/sink.h"
#include "hprender/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hprender/units.h"
#include "layout/geometry.h"
#include "output/tex.h"

enum { N_NAMED = 3 };

static void put_in_unit(hpf_sink *sink, double value, hpr_unit unit, const char *own_name)
{
    char number[HPR_UNIT_LABEL_BYTES];
    hpr_unit_label_rounded(number, value, &unit, 3);
    hpf_sink_text(sink, number);
    hpf_sink_text(sink, "~");
    hpr__tex_words(sink, unit.name ? unit.name : own_name);
}

typedef struct words {
    hpf_sink *sink;
    const hpr_chart *chart;
    bool si_units;
} words;

static void put_amount(const words *w, double amount)
{
    hpr_unit unit =
        hpr_unit_of_values(w->chart->headers[HPF_HEADER_VALUE_UNIT], amount, w->si_units);
    put_in_unit(w->sink, amount, unit, w->chart->amount_unit);
}

static void put_time(const words *w, double time)
{
    char text[256];
    hpr_time_text(text, sizeof text, time, w->chart->headers[HPF_HEADER_SAMPLE_UNIT],
                  w->chart->time_unit);
    for (char *word = text, *next; word; word = next) {
        next = strchr(word, ' ');
        if (next) {
            *next++ = '\0';
        }
        hpr__tex_words(w->sink, word);
        hpf_sink_text(w->sink, next ? "~" : "");
    }
}

static size_t peak_of_total(const hpr_chart *chart)
{
    size_t point = 0;
    while (point + 1 < chart->n_points && chart->totals[point] != chart->peak_total) {
        point++;
    }
    return point;
}

/* Returns the largest band at a point after `last`, whose value is `below`; NULL if there is none.
 */
static const hpr_band *next_largest(const hpr_chart *chart, size_t point, double below,
                                    const hpr_band *last)
{
    const hpr_band *best = NULL;
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        const hpr_band *band = &chart->bands[i];
        double value = band->values[point];
        bool is_after = value < below || (value == below && last && band > last);
        if (value > 0 && is_after && !band->is_other && (!best || value > best->values[point])) {
            best = band;
        }
    }
    return best;
}

static void put_largest(const words *w, size_t point)
{
    const double share = w->chart->is_normalised ? w->chart->totals[point] / 100 : 1;
    const hpr_band *band = next_largest(w->chart, point, HUGE_VAL, NULL);
    for (int i = 0; band && i < N_NAMED; i++) {
        hpf_sink_text(w->sink, i == 0 ? ", of which " : ", ");
        hpr__tex_words(w->sink, hpr_band_shown(band));
        hpf_sink_text(w->sink, " takes ");
        put_amount(w, band->values[point] * share);
        band = next_largest(w->chart, point, band->values[point], band);
    }
}

static void put_lines(const words *w)
{
    for (size_t i = 0; i < w->chart->n_quantities; i++) {
        const hpr_quantity *line = &w->chart->quantities[i];
        hpf_sink_text(w->sink, line->has_own_unit ? " The line over the bands is "
                                                  : " The line over the bands, ");
        hpr__tex_words(w->sink, line->text);
        if (!line->has_own_unit) {
            hpf_sink_text(w->sink, ", reaches ");
            put_amount(w, line->max);
        }
        hpf_sink_text(w->sink, ".");
    }
}

/* Describes a chart of differences. */
static void put_change(const words *w)
{
    const hpr_chart *chart = w->chart;
    const size_t point = peak_of_total(chart);
    hpf_sink_text(w->sink, "Graph of the difference of two runs over ");
    put_time(w, chart->times[chart->n_points - 1] - chart->times[0]);
    hpf_sink_text(w->sink, ": increases above zero, decreases below. The total ");
    hpf_sink_text(w->sink, chart->peak_total > 0 ? "grows most, by " : "shrinks most, by ");
    put_amount(w, fabs(chart->peak_total));
    hpf_sink_text(w->sink, ", after ");
    put_time(w, chart->peak_time);
    put_largest(w, point);
    hpf_sink_text(w->sink, ".");
}

void hpr_describe_for_tex(hpf_sink *sink, const hpr_chart *chart, bool si_units)
{
    const words w = {sink, chart, si_units};
    if (chart->base && chart->n_points > 0) {
        put_change(&w);
        return;
    }
    if (chart->n_points == 0 || !(chart->peak_total > 0)) {
        hpf_sink_text(sink, "An empty heap profile.");
        return;
    }
    uint32_t n_shown = 0;
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        n_shown += hpr__is_shown(chart, &chart->bands[i]);
    }
    hpr__peak peak;
    bool is_line = hpr__peak_of(&peak, chart) && peak.band;
    if (!is_line) {
        peak = (hpr__peak){.value = chart->peak_total, .time = chart->peak_time};
    }
    const double *amounts = is_line ? peak.band->values : chart->totals;
    double span = chart->times[chart->n_points - 1] - chart->times[0];
    hpf_sink_printf(sink, "%s graph of heap use over ", chart->is_lines ? "Line" : "Banded");
    put_time(&w, span);
    hpf_sink_printf(sink, " in %u %s%s. ", n_shown, chart->is_lines ? "line" : "band",
                    n_shown == 1 ? "" : "s");
    hpf_sink_text(sink, is_line ? "The highest, " : "The total");
    hpr__tex_words(sink, is_line ? hpr_band_shown(peak.band) : "");
    hpf_sink_text(sink, is_line ? ", peaks at " : " peaks at ");
    put_amount(&w, peak.value);
    hpf_sink_text(sink, " after ");
    put_time(&w, peak.time);
    if (!is_line) {
        put_largest(&w, peak_of_total(chart));
    }
    hpf_sink_text(sink, ". It begins at ");
    put_amount(&w, amounts[0]);
    hpf_sink_text(sink, " and ends at ");
    put_amount(&w, amounts[chart->n_points - 1]);
    hpf_sink_text(sink, ".");
    put_lines(&w);
}

void hpr_describe_page_for_tex(hpf_sink *sink, const hpr_page *page, bool si_units)
{
    hpf_sink_printf(sink, "%zu heap profiles side by side%s.", page->n_panels,
                    page->same_scale ? ", on the same scale" : "");
    for (size_t i = 0; i < page->n_panels; i++) {
        const hpr_chart *chart = page->panels[i].chart;
        hpf_sink_printf(sink, " (%zu) ", i + 1);
        hpr__tex_words(sink, chart->title.job);
        hpf_sink_text(sink, *chart->title.job ? ": " : "");
        hpr_describe_for_tex(sink, chart, si_units);
    }
}

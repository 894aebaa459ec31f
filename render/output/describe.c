/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Describes charts in sentences.
 */
#include "hprender/describe.h"

#include <math.h>
#include <stdlib.h>

#include "hprender/units.h"
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

static void put_time(const words *w, double time, double span)
{
    hpr_unit unit = hpr_unit_of_times(w->chart->headers[HPF_HEADER_SAMPLE_UNIT], span);
    put_in_unit(w->sink, time, unit, w->chart->time_unit);
}

static size_t peak_point(const hpr_chart *chart)
{
    size_t peak = 0;
    for (size_t i = 0; i < chart->n_points; i++) {
        peak = chart->totals[i] > chart->totals[peak] ? i : peak;
    }
    return peak;
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
        hpr__tex_words(w->sink, band->text);
        hpf_sink_text(w->sink, " takes ");
        put_amount(w, band->values[point] * share);
        band = next_largest(w->chart, point, band->values[point], band);
    }
}

static void put_lines(const words *w)
{
    for (size_t i = 0; i < w->chart->n_quantities; i++) {
        const hpr_quantity *line = &w->chart->quantities[i];
        hpf_sink_text(w->sink, " The line over the bands, ");
        hpr__tex_words(w->sink, line->text);
        hpf_sink_text(w->sink, ", reaches ");
        put_amount(w, line->max);
        hpf_sink_text(w->sink, ".");
    }
}

void hpr_describe_for_tex(hpf_sink *sink, const hpr_chart *chart, bool si_units)
{
    const words w = {sink, chart, si_units};
    if (chart->n_points == 0 || !(chart->peak_total > 0)) {
        hpf_sink_text(sink, "An empty heap profile.");
        return;
    }
    size_t peak = peak_point(chart);
    hpf_sink_printf(sink, "Banded graph of heap use over ");
    double span = chart->times[chart->n_points - 1] - chart->times[0];
    put_time(&w, span, span);
    hpf_sink_printf(sink, " in %u band%s. The total peaks at ", chart->n_bands,
                    chart->n_bands == 1 ? "" : "s");
    put_amount(&w, chart->totals[peak]);
    hpf_sink_text(sink, " after ");
    put_time(&w, chart->times[peak], chart->times[peak]);
    put_largest(&w, peak);
    hpf_sink_text(sink, ". It begins at ");
    put_amount(&w, chart->totals[0]);
    hpf_sink_text(sink, " and ends at ");
    put_amount(&w, chart->totals[chart->n_points - 1]);
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

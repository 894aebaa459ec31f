/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names are "DRAG producer <- retainers". The areas of the names of a pair are added up, and pairs
 * are sorted by them.
 */
#include "savings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "hpfile/sink.h"

#include "summary.h"
#include "unit_format.h"

enum { N_PHASES = SAVINGS_N_PHASES };

static const hpf_str phase_names[N_PHASES] = {{"LAG ", 4}, {"DRAG ", 5}, {"VOID ", 5}};
static const char arrow[] = " <- ";

/* Splits a name. Returns false if it is another. */
static bool read_name(hpf_str name, saving *out, int *phase)
{
    for (*phase = 0; *phase < N_PHASES; ++*phase) {
        size_t n = phase_names[*phase].length;
        if (name.length > n && memcmp(name.data, phase_names[*phase].data, n) == 0) {
            hpf_str pair = {name.data + n, name.length - n};
            const size_t n_arrow = sizeof arrow - 1;
            for (size_t i = 0; i + n_arrow < pair.length; i++) {
                if (memcmp(pair.data + i, arrow, n_arrow) == 0) {
                    *out =
                        (saving){.pair = pair,
                                 .producer = {pair.data, i},
                                 .retainers = {pair.data + i + n_arrow, pair.length - i - n_arrow}};
                    return true;
                }
            }
        }
    }
    return false;
}

static int compare_pairs(const void *a, const void *b)
{
    const saving *x = a;
    const saving *y = b;
    size_t n = x->pair.length < y->pair.length ? x->pair.length : y->pair.length;
    int order = memcmp(x->pair.data, y->pair.data, n);
    return order ? order : (x->pair.length > y->pair.length) - (x->pair.length < y->pair.length);
}

static int compare_areas(const void *a, const void *b)
{
    const saving *x = a;
    const saving *y = b;
    return x->area != y->area ? (x->area < y->area) - (x->area > y->area) : compare_pairs(a, b);
}

/* Lists the pairs, largest first. Returns their number, 0 if the profile has other names. */
static size_t list_savings(saving *out, const summary *sum)
{
    size_t n = 0, n_pairs = 0;
    for (uint32_t i = 0; i < sum->n_rows; i++) {
        int phase;
        double area = sum->rows[i].mean * sum->duration;
        if (read_name(sum->rows[i].name, &out[n], &phase)) {
            out[n].areas[phase] = out[n].area = area;
            n++;
        } else if (area > 0 && !hpf_str_is(sum->rows[i].name, "OUT_OF_MEMORY")) {
            return 0;
        }
    }
    if (n > 0) {
        qsort(out, n, sizeof *out, compare_pairs);
    }
    for (size_t i = 0; i < n; i++) {
        if (n_pairs > 0 && hpf_str_equal(out[n_pairs - 1].pair, out[i].pair)) {
            for (int k = 0; k < N_PHASES; k++) {
                out[n_pairs - 1].areas[k] += out[i].areas[k];
            }
            out[n_pairs - 1].area += out[i].area;
        } else {
            out[n_pairs++] = out[i];
        }
    }
    if (n_pairs > 0) {
        qsort(out, n_pairs, sizeof *out, compare_areas);
    }
    return n_pairs;
}

hpf_status savings_find(saving **out, size_t *n, const hpf_survey *survey, hpf_error *err)
{
    summary sum;
    *out = NULL;
    *n = 0;
    if (!summary_make(&sum, survey, 0)) {
        return hpf_error_set_memory(err);
    }
    *out = calloc((size_t)sum.n_rows + 1, sizeof **out);
    *n = *out ? list_savings(*out, &sum) : 0;
    summary_finish(&sum);
    return *out ? HPF_OK : hpf_error_set_memory(err);
}

/* By trapezia, of the quantity `live`. It is 0
 * at the first and the last sample, where GHC and hpprof write an empty one without a census. */
double savings_live_area(const hpf_survey *survey)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    double area = 0;
    for (size_t i = 0; i < o->n_quantities; i++) {
        const hpf_quantity *q = &o->quantities[i];
        if (!hpf_str_is(q->name, "live")) {
            continue;
        }
        const hpf_quantity_point *first = &q->points[0], *last = &q->points[q->n_points - 1];
        area += first->value / 2 * fmax(0, first->time - o->first_time) +
                last->value / 2 * fmax(0, o->last_time - last->time);
        for (size_t k = 1; k < q->n_points; k++) {
            area += (q->points[k].value + q->points[k - 1].value) / 2 *
                    (q->points[k].time - q->points[k - 1].time);
        }
    }
    return area;
}

/* Formats an amount x time: "12.3 MiB s". */
static formatted format_area(const hpf_survey *survey, double area, bool exact)
{
    hpf_str time_unit = hpf_survey_header(survey, HPF_HEADER_SAMPLE_UNIT);
    formatted out = format_amount(area, hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT), exact);
    size_t n = strlen(out.text);
    bool are_seconds = hpf_str_is(time_unit, "seconds");
    hpf_str unit = are_seconds ? HPF_STR("s") : time_unit;
    if (n + unit.length + 2 < sizeof out.text) {
        out.text[n] = ' ';
        memcpy(out.text + n + 1, unit.data, unit.length);
        out.text[n + 1 + unit.length] = '\0';
    }
    return out;
}

static void write_head(const input *in, const saving *savings, size_t n, bool exact, hpf_sink *sink)
{
    double sums[N_PHASES] = {0}, saved = 0, live = savings_live_area(in->survey);
    for (size_t i = 0; i < n; i++) {
        saved += savings[i].area;
        for (int k = 0; k < N_PHASES; k++) {
            sums[k] += savings[i].areas[k];
        }
    }
    hpf_sink_name(sink, hpf_survey_header(in->survey, HPF_HEADER_JOB));
    hpf_sink_printf(sink, "\n\nkept without being used: %s",
                    format_area(in->survey, saved, exact).text);
    if (live > 0) {
        hpf_sink_printf(sink, ", %.1f%% of all live memory", 100 * saved / live);
    }
    hpf_sink_printf(sink, "\nlag  %s, before the first use\n",
                    format_area(in->survey, sums[0], exact).text);
    hpf_sink_printf(sink, "drag %s, after the last use\n",
                    format_area(in->survey, sums[1], exact).text);
    hpf_sink_printf(sink, "void %s, never used\n", format_area(in->survey, sums[2], exact).text);
}

static void write_table(const input *in, const saving *savings, size_t n, size_t most, bool exact,
                        hpf_sink *sink)
{
    int width = exact ? 28 : 15;
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        total += savings[i].area;
    }
    hpf_sink_printf(sink, "\n share %*s   lag  drag  void  producer <- retainers\n", width,
                    "saved");
    for (size_t i = 0; i < n && (most == 0 || i < most); i++) {
        const saving *s = &savings[i];
        hpf_retainer_set set;
        hpf_sink_printf(sink, "%5.1f%% %*s ", total > 0 ? 100 * s->area / total : 0, width,
                        format_area(in->survey, s->area, exact).text);
        for (int k = 0; k < N_PHASES; k++) {
            hpf_sink_printf(sink, " %4.0f%%", s->area > 0 ? 100 * s->areas[k] / s->area : 0);
        }
        hpf_sink_text(sink, "  ");
        hpf_sink_name(sink, s->producer);
        hpf_sink_text(sink, arrow);
        bool is_known = in->sets && hpf_retainer_sets_find(in->sets, s->retainers, &set);
        hpf_sink_name(sink, is_known ? set.name : s->retainers);
        hpf_sink_text(sink, "\n");
    }
    if (most > 0 && n > most) {
        hpf_sink_printf(sink, "%*s(%s more)\n", width + 26, "", format_count(n - most).text);
    }
}

hpf_status savings_write(const input *in, size_t n_rows, bool exact, hpf_sink *sink, hpf_error *err)
{
    saving *savings;
    size_t n;
    hpf_status status = savings_find(&savings, &n, in->survey, err);
    if (status == HPF_OK && n == 0) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                               "--savings needs a profile that was made with --savings by a "
                               "program that embeds hpprof, and has ended");
    } else if (status == HPF_OK) {
        write_head(in, savings, n, exact, sink);
        write_table(in, savings, n, n_rows, exact, sink);
    }
    free(savings);
    return status;
}

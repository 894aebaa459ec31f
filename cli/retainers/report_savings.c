/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "hpfile/findings.h"
#include "hpfile/str.h"
#include "hpfile/sink.h"

#include "unit_format.h"

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

static void write_head(const input *in, const hpf_saving *total, bool exact, hpf_sink *sink)
{
    double live = hpf_survey_live_area(in->survey);
    hpf_sink_name(sink, hpf_survey_header(in->survey, HPF_HEADER_JOB));
    hpf_sink_printf(sink, "\n\nkept without being used: %s",
                    format_area(in->survey, total->area, exact).text);
    if (live > 0) {
        hpf_sink_printf(sink, ", %.1f%% of all live memory", 100 * total->area / live);
    }
    hpf_sink_printf(sink, "\nlag  %s, before the first use\n",
                    format_area(in->survey, total->areas[HPF_SAVING_LAG], exact).text);
    hpf_sink_printf(sink, "drag %s, after the last use\n",
                    format_area(in->survey, total->areas[HPF_SAVING_DRAG], exact).text);
    hpf_sink_printf(sink, "void %s, never used\n",
                    format_area(in->survey, total->areas[HPF_SAVING_VOID], exact).text);
}

/* Names producers and retainer sets for people. Returns false without memory. */
static bool name_savings(const input *in, hpf_saving *savings, size_t n)
{
    hpf_str *producers = calloc(n, sizeof *producers), *sets = calloc(n, sizeof *sets);
    for (size_t i = 0; producers && sets && i < n; i++) {
        hpf_retainer_set set;
        bool is_known = in->sets && hpf_retainer_sets_find(in->sets, savings[i].retainers, &set);
        producers[i] = savings[i].producer;
        sets[i] = is_known ? set.name : savings[i].retainers;
    }
    bool is_ok = producers && sets && hpf__drop_ids(producers, n) && hpf__drop_ids(sets, n);
    for (size_t i = 0; i < n && is_ok; i++) {
        savings[i].producer = producers[i];
        savings[i].retainers = sets[i];
    }
    free(producers);
    free(sets);
    return is_ok;
}

static void write_table(const input *in, const hpf_saving *savings, size_t n, double total,
                        size_t most, bool exact, hpf_sink *sink)
{
    int width = exact ? 28 : 15;
    hpf_sink_printf(sink, "\n share %*s   lag  drag  void  producer <- retainers\n", width,
                    "saved");
    for (size_t i = 0; i < n && (most == 0 || i < most); i++) {
        const hpf_saving *s = &savings[i];
        hpf_sink_printf(sink, "%5.1f%% %*s ", total > 0 ? 100 * s->area / total : 0, width,
                        format_area(in->survey, s->area, exact).text);
        for (int k = 0; k < HPF_N_SAVING_PHASES; k++) {
            hpf_sink_printf(sink, " %4.0f%%", s->area > 0 ? 100 * s->areas[k] / s->area : 0);
        }
        hpf_sink_text(sink, "  ");
        hpf_sink_name(sink, s->producer);
        hpf_sink_text(sink, " <- ");
        hpf_sink_name(sink, s->retainers);
        hpf_sink_text(sink, "\n");
    }
    if (most > 0 && n > most) {
        hpf_sink_printf(sink, "%*s(%s more)\n", width + 26, "", format_count(n - most).text);
    }
}

hpf_status savings_write(const input *in, size_t n_rows, bool exact, hpf_sink *sink, hpf_error *err)
{
    hpf_saving *savings, total;
    size_t n;
    hpf_status status = hpf_savings_find(&savings, &n, &total, in->survey, err);
    if (status == HPF_OK && n == 0) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                               "--savings needs a profile that was made with --savings by a "
                               "program that embeds hpprof, and has ended");
    } else if (status == HPF_OK && !name_savings(in, savings, n)) {
        status = hpf_error_set_memory(err);
    } else if (status == HPF_OK) {
        write_head(in, &total, exact, sink);
        write_table(in, savings, n, total.area, n_rows, exact, sink);
    }
    free(savings);
    return status;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How long objects were used, what was kept without use, and what holds the retainers of bands.
 *
 * In a report of chains, a band is a set of retainers. Each of them is followed by what holds it:
 * the largest set of its objects that contains other retainers, and so on. A retainer is listed
 * once for each band.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/findings.h"
#include "hpfile/str.h"
#include "hpfile/sink.h"
#include "hpfile/survey.h"

#include "hpfile/summary.h"
#include "unit_format.h"
#include "base/names.h"

/* ---- Life times ------------------------------------------------------------------------------ */

enum { PHASE, BYTES, MEAN, HALF, MOST, LONGEST, PRODUCER, N_COLUMNS };

static const table_column columns[N_COLUMNS] = {
    [PHASE] = {"phase", "phase", TABLE_NAME},
    [BYTES] = {"bytes", "bytes", TABLE_BYTES},
    [MEAN] = {"mean_seconds", "mean", TABLE_TIME},
    [HALF] = {"median_seconds", "half", TABLE_TIME},
    [MOST] = {"p90_seconds", "90 %", TABLE_TIME},
    [LONGEST] = {"longest_seconds", "longest", TABLE_TIME},
    [PRODUCER] = {"producer", "producer", TABLE_NAME},
};

static void fill(const void *context, size_t index, table_cell *cells)
{
    const hpf_life_time *r = &((const hpf_life_time *)context)[index];
    cells[PHASE].name = r->phase;
    cells[BYTES].whole = (uint64_t)r->bytes;
    cells[MEAN].real = r->area / r->bytes;
    cells[HALF].real = r->half_s;
    cells[MOST].real = r->most_s;
    cells[LONGEST].real = r->longest_s;
    cells[PRODUCER].name = r->producer;
}

hpf_status life_times_write(const input *in, table_format format, size_t most_rows, bool exact,
                            hpf_sink *sink, hpf_error *err)
{
    hpf_life_time *all;
    size_t n;
    hpf_str job = hpf_survey_header(in->survey, HPF_HEADER_JOB);
    hpf_status status = hpf_life_times_find(&all, &n, in->survey, err);
    size_t n_shown = most_rows && most_rows < n ? most_rows : n;
    const table rows = {columns, N_COLUMNS, n_shown, fill, all, exact, 0};
    if (status == HPF_OK && format == TABLE_AS_JSON) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        hpf_json_bytes(&json, "job", job);
        table_write_json(&rows, &json, "rows");
        hpf_json_end(&json);
    } else if (status == HPF_OK) {
        bool is_text = format == TABLE_AS_TEXT;
        hpf_sink_name(sink, is_text ? job : HPF_STR(""));
        hpf_sink_text(sink, is_text ? "\n\n" : "");
        table_write(&rows, format, sink);
        if (is_text && n_shown < n) {
            hpf_sink_printf(sink, "(%s more)\n", format_count(n - n_shown).text);
        }
    }
    free(all);
    return status;
}

/* ---- Savings --------------------------------------------------------------------------------- */

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

/* ---- Chains ---- */

enum { INDENT = 15, STEP = 3, MOST_DEPTH = 20 };

/* The chains of one band. */
typedef struct chains {
    hpf_sink *sink;
    bool exact;
    hpf_chain chain; /* with room for all retainers in `listed` */
} chains;

static void write_members(chains *c, hpf_str members, int depth);

static void write_retainer(chains *c, hpf_str retainer, int depth)
{
    bool is_again = hpf_chain_has_listed(&c->chain, retainer);
    hpf_sink_printf(c->sink, "%*s<- ", INDENT + STEP * depth, "");
    hpf_sink_name(c->sink, retainer);
    if (is_again) {
        hpf_sink_text(c->sink, "  (above)\n");
        return;
    }
    c->chain.listed[c->chain.n_listed++] = retainer;
    const hpf_held all = hpf_chain_holdings_of(&c->chain, retainer);
    if (all.n_objects > 0) {
        hpf_sink_printf(c->sink, "  %s in %s object%s",
                        format_amount((double)all.size_bytes, HPF_STR("bytes"), c->exact).text,
                        format_count(all.n_objects).text, all.n_objects == 1 ? "" : "s");
    }
    hpf_sink_text(c->sink, all.is_root         ? ", root\n"
                           : all.n_objects > 0 ? ""
                                               : "  not in the heap\n");
    if (all.is_root || all.n_objects == 0) {
        return;
    }
    if (all.n_sets > 1) {
        hpf_sink_printf(c->sink,
                        ", most of them in one of %s sets:", format_count(all.n_sets).text);
    }
    hpf_sink_text(c->sink, "\n");
    if (all.best && depth < MOST_DEPTH) {
        write_members(c, all.best->by, depth + 1);
    }
}

static void write_members(chains *c, hpf_str members, int depth)
{
    hpf_str rest = members;
    hpf_str member = hpf_retainer_sets_next_member(&rest);
    if (!member.data) {
        hpf_sink_printf(c->sink, "%*s<- ", INDENT + STEP * depth, "");
        hpf_sink_name(c->sink, members);
        hpf_sink_text(c->sink, "\n");
    }
    for (; member.data; member = hpf_retainer_sets_next_member(&rest)) {
        write_retainer(c, member, depth);
    }
}

/* Returns how many retainers can be listed: of all sets, and the held ones. */
static size_t count_retainers(const chains *c, const hpf_survey *survey, const hpf_summary *sum)
{
    size_t n = c->chain.n_holdings;
    for (size_t i = 0; i < c->chain.n_holdings; i++) {
        hpf_str rest = c->chain.holdings[i].by;
        while (hpf_retainer_sets_next_member(&rest).data) {
            n++;
        }
    }
    for (uint32_t i = 0; i < sum->n_rows; i++) {
        hpf_retainer_set set;
        if (hpf_survey_retainer_set(survey, sum->rows[i].number, &set)) {
            while (hpf_retainer_sets_next_member(&set.members).data) {
                n++;
            }
        }
    }
    return n;
}

static void write_bands(chains *c, const hpf_survey *survey, const hpf_summary *sum)
{
    hpf_str unit = hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT);
    for (uint32_t i = 0; i < sum->n_rows; i++) {
        const hpf_summary_row *row = &sum->rows[i];
        hpf_retainer_set set;
        hpf_sink_printf(c->sink, "\n%5.1f%% %*s  ", 100 * row->share, c->exact ? 24 : 13,
                        format_amount(row->mean, unit, c->exact).text);
        hpf_sink_name(c->sink, row->name);
        hpf_sink_text(c->sink, "\n");
        c->chain.n_listed = 0;
        if (hpf_survey_retainer_set(survey, row->number, &set)) {
            write_members(c, set.members, 0);
        }
    }
}

hpf_status chains_write(const input *in, size_t n_bands, bool exact, hpf_sink *sink, hpf_error *err)
{
    chains c = {.sink = sink, .exact = exact};
    if (in->sets) {
        c.chain.holdings = hpf_retainer_sets_holdings(in->sets, &c.chain.n_holdings);
    }
    if (c.chain.n_holdings == 0) {
        return hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "--chains needs a recording of census run -hr, or a profile by retainer "
            "and the .prof report of a program that embeds hpprof: GHC does not "
            "record what holds the retainers");
    }
    hpf_summary sum;
    hpf_status status = hpf_summary_make(&sum, in->survey, (uint32_t)n_bands, err);
    if (status != HPF_OK) {
        return status;
    }
    c.chain.listed = calloc(count_retainers(&c, in->survey, &sum) + 1, sizeof *c.chain.listed);
    status = c.chain.listed ? hpf_summary_name_rows(&sum, sum.n_rows, in->survey, err)
                            : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        hpf_sink_name(sink, hpf_survey_header(in->survey, HPF_HEADER_JOB));
        hpf_sink_text(sink, "\n\n  area          mean  retainers, and what holds them\n");
        write_bands(&c, in->survey, &sum);
    }
    free(c.chain.listed);
    hpf_summary_finish(&sum);
    return status;
}

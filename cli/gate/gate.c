/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares figures with the limits of rules, and reports the broken ones.
 */
#include "gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "hpfile/str.h"
#include "hpfile/sink.h"

#include "diag.h"
#include "output.h"
#include "hpfile/summary.h"
#include "unit_format.h"

enum { NAME_BYTES = 120 }; /* of a band in a message */

struct gate {
    gate_kind kind;
    const gate_options *options;
    const char *profile; /* the file that is judged */
    size_t n_rules;
    gate_rule rules[OPT_LIST_MAX];
};

bool gate_create(gate **out, gate_kind kind, const gate_options *options, opt_complaint *complaint)
{
    *out = NULL;
    if (options->rules.n == 0) {
        return (!options->junit && !options->github) ||
               opt_complain(complaint, "--%s needs --fail-if", options->junit ? "junit" : "github");
    }
    gate *g = calloc(1, sizeof *g);
    if (!g) {
        return opt_complain(complaint, "out of memory");
    }
    g->kind = kind;
    g->options = options;
    while (g->n_rules < options->rules.n) {
        if (!gate_rule_parse(&g->rules[g->n_rules], kind, options->rules.texts[g->n_rules],
                             complaint)) {
            (void)gate_close(g, EXIT_MISUSED);
            return false;
        }
        g->n_rules++;
    }
    *out = g;
    return true;
}

/* ---- Judging ---- */

/* Bands that a rule has been compared with. */
typedef struct tally {
    uint32_t n_matched, n_broken;
    double worst;     /* of the broken ones: the farthest from the limit */
    char figure[400]; /* its text */
} tally;

/* Returns a limit in the unit of the profile. */
static double limit_of(const gate_rule *r, const hpf_survey *survey)
{
    bool has_bytes = hpf_str_is(hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT), "bytes");
    int base = r->base > 0 ? r->base : has_bytes ? 1024 : 1000;
    return r->limit * pow(base, r->power) / (r->per_seconds > 0 ? r->per_seconds : 1);
}

static bool is_matched(gate_rule *r, hpf_str name)
{
    return !r->has_bands || name_filter_keeps(&r->bands, name);
}

/* Counts a value. Returns whether it is the worst one yet, so that its text is wanted. */
static bool is_worst(const gate_rule *r, tally *t, double value, double limit)
{
    bool breaks =
        (r->is_upper ? value > limit : value < limit) || (r->breaks_equal && value == limit);
    bool is_first = breaks && t->n_broken == 0;
    t->n_matched++;
    t->n_broken += breaks;
    if (!is_first && (!breaks || !(r->is_upper ? value > t->worst : value < t->worst))) {
        return false;
    }
    t->worst = value;
    return true;
}

/* Starts the text of a band's figure with its name. Returns the length. */
static size_t begin_figure(tally *t, const gate_rule *r, hpf_str name)
{
    bool is_cut = name.length > NAME_BYTES;
    size_t n = is_cut ? hpf_utf8_cut(name, NAME_BYTES) : name.length;
    int length = r->has_bands ? snprintf(t->figure, sizeof t->figure, "%.*s%s: ", (int)n, name.data,
                                         is_cut ? "..." : "")
                              : 0;
    return (size_t)length;
}

static void set_verdict(gate_rule *r, const tally *t)
{
    uint32_t n_more = t->n_broken - 1;
    r->verdict = t->n_matched == 0 ? GATE_NO_BAND : t->n_broken > 0 ? GATE_BROKEN : GATE_KEPT;
    if (r->verdict == GATE_NO_BAND) {
        snprintf(r->message, sizeof r->message, "no band matches");
    } else if (r->verdict == GATE_BROKEN) {
        snprintf(r->message, sizeof r->message, "%s", t->figure);
        if (r->has_bands && n_more > 0) {
            size_t n = strlen(r->message);
            snprintf(r->message + n, sizeof r->message - n, ", and %u more", (unsigned)n_more);
        }
    }
}

static void set_unknown(gate_rule *r, const char *why)
{
    r->verdict = GATE_UNKNOWN;
    snprintf(r->message, sizeof r->message, "%s", why);
}

static double figure_of(gate_figure figure, const hpf_summary *sum, const hpf_summary_row *row)
{
    switch (figure) {
    case GATE_PEAK:
        return sum->peak;
    case GATE_MEAN:
        return row->mean;
    case GATE_FINAL:
        return sum->final;
    case GATE_GROWTH:
        return row->growth;
    case GATE_MAX:
        return row->max;
    }
    return NAN;
}

static void judge_report_rule(gate_rule *r, const hpf_survey *survey, const hpf_summary *sum)
{
    static const char *const words[] = {[GATE_PEAK] = "the peak is",
                                        [GATE_MEAN] = "the mean is",
                                        [GATE_FINAL] = "the final amount is",
                                        [GATE_GROWTH] = "the growth is",
                                        [GATE_MAX] = "the maximum is"};
    hpf_str value_unit = hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT);
    hpf_str time_unit = hpf_survey_header(survey, HPF_HEADER_SAMPLE_UNIT);
    const double limit = limit_of(r, survey);
    tally t = {.n_matched = 0};
    if (r->per_seconds > 0 && !hpf_str_is(time_unit, "seconds")) {
        set_unknown(r, "the times of the profile are not in seconds");
        return;
    }
    if (r->figure == GATE_GROWTH && isnan(sum->total.growth)) {
        set_unknown(r, "growth needs samples of two times");
        return;
    }
    for (uint32_t i = 0; i < (r->has_bands ? sum->n_rows : 1); i++) {
        const hpf_summary_row *row = r->has_bands ? &sum->rows[i] : &sum->total;
        double value = is_matched(r, row->name) ? figure_of((gate_figure)r->figure, sum, row) : NAN;
        if (!isnan(value) && is_worst(r, &t, value, limit)) {
            size_t n = begin_figure(&t, r, row->name);
            formatted f = r->figure == GATE_GROWTH
                              ? format_growth(value, value_unit, time_unit, false)
                              : format_amount(value, value_unit, false);
            snprintf(t.figure + n, sizeof t.figure - n, "%s %s", words[r->figure], f.text);
        }
    }
    set_verdict(r, &t);
}

void gate_judge_report(gate *g, const input *in)
{
    hpf_summary sum;
    if (!g) {
        return;
    }
    g->profile = in->name;
    bool has_summary = hpf_summary_make(&sum, in->survey, 0, NULL) == HPF_OK;
    for (size_t i = 0; i < g->n_rules; i++) {
        if (has_summary) {
            judge_report_rule(&g->rules[i], in->survey, &sum);
        } else {
            set_unknown(&g->rules[i], "out of memory");
        }
    }
    if (has_summary) {
        hpf_summary_finish(&sum);
    }
}

static void judge_diff_row(gate_rule *r, tally *t, const hpf_diff_row *row,
                           hpf_diff_measure measure, const hpf_survey *survey)
{
    static const char *const words[] = {
        [HPF_DIFF_MEAN] = "mean", [HPF_DIFF_PEAK] = "peak", [HPF_DIFF_END] = "end"};
    hpf_str unit = hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT);
    double before = row->amounts[0][measure], change = hpf_diff_change(row, measure);
    double percent = change == 0 ? 0 : before > 0 ? 100 * change / before : INFINITY;
    if (!is_worst(r, t, r->is_percent ? percent : change, limit_of(r, survey))) {
        return;
    }
    size_t n = begin_figure(t, r, row->name);
    snprintf(t->figure + n, sizeof t->figure - n, "%s %.80s -> %.80s, ", words[measure],
             format_amount(before, unit, false).text,
             format_amount(before + change, unit, false).text);
    n = strlen(t->figure);
    if (isinf(percent)) {
        snprintf(t->figure + n, sizeof t->figure - n, "new");
    } else {
        snprintf(t->figure + n, sizeof t->figure - n, "%+.1f%%", percent);
    }
}

static void judge_diff_rule(gate_rule *r, const hpf_diff *diff, const hpf_survey *survey)
{
    const hpf_diff_row *rows = r->has_bands ? hpf_diff_rows(diff) : hpf_diff_total(diff);
    uint32_t n_rows = r->has_bands ? hpf_diff_n_rows(diff) : 1;
    bool has_all = r->figure == GATE_ALL_MEASURES;
    int first = has_all ? 0 : r->figure, last = has_all ? HPF_N_DIFF_MEASURES - 1 : r->figure;
    tally t = {.n_matched = 0};
    for (uint32_t i = 0; i < n_rows; i++) {
        tally of_row = t;
        if (!is_matched(r, rows[i].name)) {
            continue;
        }
        for (int m = first; m <= last; m++) {
            judge_diff_row(r, &of_row, &rows[i], (hpf_diff_measure)m, survey);
        }
        of_row.n_broken = t.n_broken + (of_row.n_broken > t.n_broken); /* count bands */
        t = of_row;
    }
    set_verdict(r, &t);
}

void gate_judge_diff(gate *g, const input *inputs, const hpf_diff *diff)
{
    if (g) {
        g->profile = inputs[1].name;
        for (size_t i = 0; i < g->n_rules; i++) {
            judge_diff_rule(&g->rules[i], diff, inputs[0].survey);
        }
    }
}

/* ---- Reporting ---- */

/* Prints a broken rule as GitHub expects it: "%", CR and LF are escaped, in the title also ":" and
 * ",". Control characters do not pass diag_print, so only "%" remains. */
static void print_annotation(const gate *g, const gate_rule *r, const char *line)
{
    char text[2048];
    size_t n = 0;
    for (const char *c = line; *c && n + 4 < sizeof text; c++) {
        n += (size_t)snprintf(text + n, sizeof text - n, *c == '%' ? "%%25" : "%c", *c);
    }
    text[n] = '\0';
    const char *title = r->verdict == GATE_UNKNOWN ? "rule not checked" : "broken rule";
    diag_print(stderr, "::error title=census %s - %s::%s", g->kind == GATE_DIFF ? "diff" : "report",
               title, text);
}

static void print_rule(const gate *g, const gate_rule *r)
{
    static const char *const words[] = {[GATE_BROKEN] = "is broken",
                                        [GATE_NO_BAND] = "was not applied",
                                        [GATE_UNKNOWN] = "cannot be checked"};
    char line[1536];
    if (r->verdict == GATE_KEPT) {
        return;
    }
    snprintf(line, sizeof line, "%.400s: '%.400s' %s: %s", g->profile, r->text, words[r->verdict],
             r->message);
    if (g->options->github && r->verdict != GATE_NO_BAND) {
        print_annotation(g, r, line);
    } else {
        diag_say("%s", line);
    }
}

static void write_attribute(hpf_sink *sink, const char *name, const char *value)
{
    hpf_sink_printf(sink, " %s=\"", name);
    hpf_sink_markup(sink, (hpf_str){value, strlen(value)});
    hpf_sink_text(sink, "\"");
}

static size_t count_verdicts(const gate *g, gate_verdict verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n_rules; i++) {
        n += g->rules[i].verdict == verdict;
    }
    return n;
}

/* Writes one test case for each rule. Returns an exit status. */
static int write_junit(const gate *g)
{
    static const char *const elements[] = {
        [GATE_BROKEN] = "failure", [GATE_NO_BAND] = "skipped", [GATE_UNKNOWN] = "error"};
    const char *suite = g->kind == GATE_DIFF ? "census diff" : "census report", *name;
    hpf_sink *sink = output_open(g->options->junit, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    hpf_sink_printf(sink,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                    "<testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
                    "skipped=\"%zu\">\n",
                    suite, g->n_rules, count_verdicts(g, GATE_BROKEN),
                    count_verdicts(g, GATE_UNKNOWN), count_verdicts(g, GATE_NO_BAND));
    for (size_t i = 0; i < g->n_rules; i++) {
        const gate_rule *r = &g->rules[i];
        hpf_sink_text(sink, "<testcase");
        write_attribute(sink, "classname", g->profile);
        write_attribute(sink, "name", r->text);
        if (r->verdict == GATE_KEPT) {
            hpf_sink_text(sink, "/>\n");
            continue;
        }
        hpf_sink_printf(sink, "><%s", elements[r->verdict]);
        write_attribute(sink, "message", r->message);
        hpf_sink_text(sink, "/></testcase>\n");
    }
    hpf_sink_text(sink, "</testsuite>\n</testsuites>\n");
    return output_close(sink, name);
}

int gate_close(gate *g, int status)
{
    if (!g) {
        return status;
    }
    if (status == EXIT_DONE) {
        for (size_t i = 0; i < g->n_rules; i++) {
            print_rule(g, &g->rules[i]);
        }
        status = count_verdicts(g, GATE_BROKEN) > 0    ? EXIT_BROKEN
                 : count_verdicts(g, GATE_UNKNOWN) > 0 ? EXIT_FAILED
                                                       : EXIT_DONE;
        if (g->options->junit && write_junit(g) != EXIT_DONE) {
            status = EXIT_FAILED;
        }
    }
    for (size_t i = 0; i < g->n_rules; i++) {
        gate_rule_finish(&g->rules[i]);
    }
    free(g);
    return status;
}

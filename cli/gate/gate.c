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

enum { NAME_BYTES = 120, LISTED_BYTES = 60, MOST_LISTED = 4 }; /* of bands in a message */

typedef struct gate_rule {
    hpf_limit limit;
    hpf_limit_verdict verdict;
    char message[512]; /* unless kept */
} gate_rule;

struct gate {
    hpf_limit_kind kind;
    const gate_options *options;
    const char *profile; /* the file that is judged */
    size_t n_rules;
    gate_rule rules[OPT_LIST_MAX];
};

bool gate_create(gate **out, hpf_limit_kind kind, const gate_options *options,
                 opt_complaint *complaint)
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
        hpf_error err;
        if (hpf_limit_parse(&g->rules[g->n_rules].limit, kind, options->rules.texts[g->n_rules],
                            &err) != HPF_OK) {
            (void)gate_close(g, EXIT_MISUSED);
            return opt_complain(complaint, "--fail-if %s", err.message);
        }
        g->n_rules++;
    }
    *out = g;
    return true;
}

/* ---- Judging ---- */

/* Returns the number of bytes of a name in a message. */
static int shown_bytes(hpf_str name, size_t most)
{
    return (int)(name.length > most ? hpf_utf8_cut(name, most) : name.length);
}

/* Adds the name of a band to the message of a rule that no band matches. */
static void list_band(gate_rule *r, hpf_str name, uint32_t index, uint32_t n)
{
    size_t length = strlen(r->message);
    if (r->verdict != HPF_LIMIT_NO_BAND || index > MOST_LISTED) {
        return;
    }
    if (index == MOST_LISTED) {
        snprintf(r->message + length, sizeof r->message - length, " and %u more", n - index);
    } else {
        snprintf(r->message + length, sizeof r->message - length, "%s%.*s",
                 index ? ", " : ": there are ", shown_bytes(name, LISTED_BYTES), name.data);
    }
}

/* Stores a verdict. The text of a broken rule is `figure`, after the name of the band. */
static void set_verdict(gate_rule *r, const hpf_limit_result *result, const char *figure)
{
    bool is_cut = result->name.length > NAME_BYTES, has_name = r->limit.has_bands;
    int n_name = shown_bytes(result->name, NAME_BYTES);
    uint32_t n_more = has_name && result->n_broken > 0 ? result->n_broken - 1 : 0;
    char more[40] = "";
    if (n_more > 0) {
        snprintf(more, sizeof more, ", and %u more", (unsigned)n_more);
    }
    r->verdict = result->verdict;
    if (r->verdict == HPF_LIMIT_BROKEN) {
        snprintf(r->message, sizeof r->message, "%.*s%s%s%s%s", has_name ? n_name : 0,
                 has_name ? result->name.data : "", has_name && is_cut ? "..." : "",
                 has_name ? ": " : "", figure, more);
    } else {
        snprintf(r->message, sizeof r->message, "%s",
                 r->verdict == HPF_LIMIT_NO_BAND ? "no band matches"
                 : result->why                   ? result->why
                                                 : "");
    }
}

void gate_judge_report(gate *g, const input *in)
{
    static const char *const words[] = {[HPF_LIMIT_PEAK] = "the peak is",
                                        [HPF_LIMIT_MEAN] = "the mean is",
                                        [HPF_LIMIT_FINAL] = "the final amount is",
                                        [HPF_LIMIT_GROWTH] = "the growth is",
                                        [HPF_LIMIT_MAX] = "the maximum is"};
    hpf_summary sum = {0};
    hpf_error err;
    if (!g) {
        return;
    }
    g->profile = in->name;
    hpf_str value_unit = hpf_survey_header(in->survey, HPF_HEADER_VALUE_UNIT);
    hpf_str time_unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
    hpf_status status = hpf_summary_make(&sum, in->survey, 0, &err);
    status = status ? status : hpf_summary_name_rows(&sum, sum.n_rows, in->survey, &err);
    for (size_t i = 0; i < g->n_rules; i++) {
        gate_rule *r = &g->rules[i];
        const hpf_limit_result result =
            status == HPF_OK ? hpf_limit_judge(&r->limit, in->survey, &sum)
                             : (hpf_limit_result){.verdict = HPF_LIMIT_UNKNOWN, .why = err.message};
        char figure[280];
        snprintf(figure, sizeof figure, "%s %s", words[r->limit.figure],
                 r->limit.figure == HPF_LIMIT_GROWTH
                     ? format_growth(result.value, value_unit, time_unit, false).text
                     : format_amount(result.value, value_unit, false).text);
        set_verdict(r, &result, figure);
        for (uint32_t k = 0; k < sum.n_rows; k++) {
            list_band(r, sum.rows[k].name, k, sum.n_rows);
        }
    }
    hpf_summary_finish(&sum);
}

void gate_judge_diff(gate *g, const input *inputs, const hpf_diff *diff)
{
    static const char *const words[] = {
        [HPF_DIFF_MEAN] = "mean", [HPF_DIFF_PEAK] = "peak", [HPF_DIFF_END] = "end"};
    hpf_str unit = hpf_survey_header(inputs[0].survey, HPF_HEADER_VALUE_UNIT);
    for (size_t i = 0; g && i < g->n_rules; i++) {
        gate_rule *r = &g->rules[i];
        const hpf_limit_result t = hpf_limit_judge_diff(&r->limit, inputs[0].survey, diff);
        char figure[280], percent[40];
        snprintf(percent, sizeof percent, isinf(t.percent) ? "new" : "%+.1f%%", t.percent);
        snprintf(figure, sizeof figure, "%s %.80s -> %.80s, %s", words[t.measure],
                 format_amount(t.before, unit, false).text,
                 format_amount(t.before + t.change, unit, false).text, percent);
        g->profile = inputs[1].name;
        set_verdict(r, &t, figure);
        for (uint32_t k = 0; k < hpf_diff_n_rows(diff); k++) {
            list_band(r, hpf_diff_rows(diff)[k].name, k, hpf_diff_n_rows(diff));
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
    const char *title = r->verdict == HPF_LIMIT_UNKNOWN ? "rule not checked" : "broken rule";
    diag_print(stderr, "::error title=census %s - %s::%s",
               g->kind == HPF_LIMIT_DIFF ? "diff" : "report", title, text);
}

static void print_rule(const gate *g, const gate_rule *r)
{
    static const char *const words[] = {[HPF_LIMIT_BROKEN] = "is broken",
                                        [HPF_LIMIT_NO_BAND] = "fails",
                                        [HPF_LIMIT_UNKNOWN] = "cannot be checked"};
    char line[1536];
    if (r->verdict == HPF_LIMIT_KEPT) {
        return;
    }
    snprintf(line, sizeof line, "%.400s: '%.400s' %s: %s", g->profile, r->limit.text,
             words[r->verdict], r->message);
    if (g->options->github) {
        print_annotation(g, r, line);
    } else {
        diag_say("%s", line);
    }
}

static void write_attribute(hpf_sink *sink, const char *name, const char *value)
{
    hpf_sink_printf(sink, " %s=\"", name);
    hpf_sink_markup(sink, hpf_str_of(value));
    hpf_sink_text(sink, "\"");
}

static size_t count_verdicts(const gate *g, hpf_limit_verdict verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n_rules; i++) {
        n += g->rules[i].verdict == verdict;
    }
    return n;
}

static size_t count_failures(const gate *g)
{
    return count_verdicts(g, HPF_LIMIT_BROKEN) + count_verdicts(g, HPF_LIMIT_NO_BAND);
}

/* Writes one test case for each rule. Returns an exit status. */
static int write_junit(const gate *g)
{
    static const char *const elements[] = {[HPF_LIMIT_BROKEN] = "failure",
                                           [HPF_LIMIT_NO_BAND] = "failure",
                                           [HPF_LIMIT_UNKNOWN] = "error"};
    const char *suite = g->kind == HPF_LIMIT_DIFF ? "census diff" : "census report", *name;
    hpf_sink *sink = output_open(g->options->junit, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    hpf_sink_printf(sink,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                    "<testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
                    suite, g->n_rules, count_failures(g), count_verdicts(g, HPF_LIMIT_UNKNOWN));
    for (size_t i = 0; i < g->n_rules; i++) {
        const gate_rule *r = &g->rules[i];
        hpf_sink_text(sink, "<testcase");
        write_attribute(sink, "classname", g->profile);
        write_attribute(sink, "name", r->limit.text);
        if (r->verdict == HPF_LIMIT_KEPT) {
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
        status = count_failures(g) > 0                      ? EXIT_BROKEN
                 : count_verdicts(g, HPF_LIMIT_UNKNOWN) > 0 ? EXIT_FAILED
                                                            : EXIT_DONE;
        if (g->options->junit && write_junit(g) != EXIT_DONE) {
            status = EXIT_FAILED;
        }
    }
    for (size_t i = 0; i < g->n_rules; i++) {
        hpf_limit_finish(&g->rules[i].limit);
    }
    free(g);
    return status;
}

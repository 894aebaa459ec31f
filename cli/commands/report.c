/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census report: a profile as a table. Computes nothing; summary.c does.
 */
#include "hpfile/heapsnapshot.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/margin.h"
#include "hpfile/survey.h"
#include "hpfile/sink.h"
#include "base/frame.h"
#include "base/json.h"
#include "base/names.h"

#include "bins/bins_report.h"
#include "dominators/dominators_report.h"
#include "findings/findings_write.h"
#include "death.h"
#include "diag.h"
#include "prof_report.h"
#include "report_source.h"
#include "profile_command.h"
#include "unit_format.h"
#include "eventlog/log.h"
#include "gate/gate.h"
#include "output.h"
#include "processes.h"
#include "path.h"
#include "plot/overlay.h"
#include "plot/retainers.h"
#include "retainers/report.h"
#include "options/stack_options.h"
#include "hpfile/summary.h"
#include "table.h"
#include "plot/time_window.h"

/* A choice of --by for address bins only, after the choices for stacks. */
enum { PART_ADDRESS = HPF_PART_USE + 1 };
static const char *const part_names[] = {STACK_PART_NAMES, [PART_ADDRESS] = "address", NULL};

enum { MOST_FRAMES = 255 }; /* most frames of a stack in an event log */

typedef struct report_values {
    const char *output;   /* NULL: standard output */
    const char *sets;     /* report with retainer sets; NULL: the profile's own, if any */
    int format;           /* table_format */
    const char *source;   /* folder of the program's text, or NULL */
    const char *annotate; /* function of address bins */
    int n_bands;
    bool adds_high; /* the number of rows was not said */
    int profile;    /* number in an event log; -1: the first */
    bool exact;
    bool chains, savings, life_times;
    bool dominators;
    stack_options
        stacks; /* the part may be PART_ADDRESS; the depth also the depth of a dominator tree */
    hpf_stack_view *view; /* of the stacks; NULL: no option was given */
    time_window window;
    const char *holders;         /* the name of an object of a heap snapshot */
    const char *where;           /* a question about its objects */
    bool paths;                  /* of the objects that it matches */
    bool waste;                  /* of a heap snapshot */
    bool time, ticky, nonmoving; /* at most one: report this part of an event log */
    input_options input;
    gate_options gate_options;
    gate *gate; /* NULL: no rules */
} report_values;

/* Shared by all formats. */
typedef struct report {
    const input *in;
    hpf_str value_unit, time_unit;
    hpf_summary sum;
    hpf_findings findings;
    const hpf_process *process; /* whose log is read; NULL: there is none, or all are */
    bool is_window;             /* only a part of the profile is reported */
    bool is_whole;              /* all live bytes are */
    bool exact;                 /* print exact numbers */
    double rate_bytes; /* amounts are estimates of a sample of the blocks (margin.h); 0: exact */
} report;

static formatted amount(const report *r, double value)
{
    formatted unknown = {"-"};
    return isnan(value) ? unknown : format_amount(value, r->value_unit, r->exact);
}

/* Returns how far an estimate of all names may be off. */
static double margin_of_all(const report *r, double value)
{
    double spread = hpf_survey_spread_of_all(r->in->survey);
    return spread > 0 ? hpf_margin(value, value * spread, r->rate_bytes) : 0;
}

/* The same, of a row, which has a largest amount if it has one name. */
static double margin_of_row(const report *r, const hpf_summary_row *row)
{
    return row->n_names == 1 && !isnan(row->max)
               ? hpf_margin(row->max, row->max * hpf_survey_spread(r->in->survey, row->number),
                            r->rate_bytes)
               : NAN;
}

static death_text death_of(const report *r)
{
    return r->process ? death_explain(r->process, margin_of_all(r, (double)r->process->left_bytes))
                      : (death_text){""};
}

static bool misses_peak(const report *r)
{
    return r->process && r->process->missed_peak_bytes > 0 && r->is_whole;
}

static formatted estimated(const report *r, double value)
{
    return isnan(value) ? amount(r, value)
                        : format_estimate(value, margin_of_all(r, value), r->value_unit, r->exact);
}

static formatted growth(const report *r, double value)
{
    formatted unknown = {"-"};
    return isnan(value) ? unknown : format_growth(value, r->value_unit, r->time_unit, r->exact);
}

static formatted decimals(double value, int n_decimals)
{
    formatted out = {"-"};
    if (!isnan(value)) {
        snprintf(out.text, sizeof out.text, "%.*f", n_decimals, value);
    }
    return out;
}

/* Returns how many of the other names are listed. */
static uint32_t n_listed_others(const hpf_summary *sum)
{
    enum { MOST = 3 };
    return sum->others.n_names < MOST ? sum->others.n_names : MOST;
}

/* Writes the number of the names of a row, after their common holder, if there is one. */
static void write_number(hpf_sink *sink, const hpf_summary_row *row)
{
    hpf_sink_printf(sink, row->name.length > 0 ? " in %s more sets" : "(%s more)",
                    format_count(row->n_names).text);
}

/* Returns whether the members of a set, each in <>, say no more than its name does. */
static bool are_named(hpf_str members, hpf_str name)
{
    size_t k = 0;
    for (size_t i = 0; i < members.length; i++) {
        if (k < name.length && members.data[i] == name.data[k]) {
            k++;
        } else if (!memchr("<> ", members.data[i], 3)) {
            return false;
        }
    }
    return k == name.length;
}

/* Finds the retainer set of a row, and stores the name of the row without the number of the set.
 * Returns false if the members need not be printed: the set is unknown, or its name lists them. */
static bool find_set(const report *r, const hpf_summary_row *row, hpf_retainer_set *set,
                     hpf_str *name)
{
    *name = row->name;
    if (!hpf_survey_retainer_set(r->in->survey, row->number, set)) {
        return false;
    }
    *name = hpf__without_id(row->name);
    return !are_named(set->members, *name);
}

/* Writes the name of a row with the members of its retainer set, if known. */
static void write_row_name(hpf_sink *sink, const report *r, const hpf_summary_row *row)
{
    hpf_retainer_set set;
    hpf_str name;
    if (row->n_names > 1 || row == &r->sum.others) {
        hpf_sink_name(sink, row->name);
        write_number(sink, row);
        return;
    }
    bool has_set = find_set(r, row, &set, &name);
    hpf_sink_name(sink, name);
    if (has_set) {
        hpf_sink_text(sink, " = {");
        hpf_sink_name(sink, set.members);
        hpf_sink_text(sink, "}");
    }
}

/* Writes which process is reported, if the recording has profiles of others. */
static void write_process(hpf_sink *sink, const report *r)
{
    size_t n = processes_n_profiles(hpf_source_recording(r->in->source));
    if (n > 1) {
        hpf_sink_printf(sink, "process  %u, ", r->process->number);
        hpf_sink_name(sink, r->process->name);
        hpf_sink_printf(sink, "; census info lists the %s with a profile\n", format_count(n).text);
    }
}

/* Returns the row at `index`, the row of all others after the last one, or NULL. */
static const hpf_summary_row *row_at(const hpf_summary *sum, uint32_t index)
{
    if (index < sum->n_rows) {
        return &sum->rows[index];
    }
    if (index - sum->n_rows < sum->n_holders) {
        return &sum->holders[index - sum->n_rows];
    }
    return index == sum->n_rows + sum->n_holders && sum->others.n_names > 0 ? &sum->others : NULL;
}

static void write_head(hpf_sink *sink, const report *r)
{
    const hpf_summary *sum = &r->sum;
    const hpf_overview *o = hpf_survey_overview(r->in->survey);
    hpf_sink_name(sink, hpf_survey_header(r->in->survey, HPF_HEADER_JOB));
    hpf_sink_text(sink, "\n");
    hpf_sink_name(sink, hpf_survey_header(r->in->survey, HPF_HEADER_DATE));
    hpf_sink_text(sink, "\n\n");
    if (r->process) {
        write_process(sink, r);
    }
    hpf_sink_printf(sink, "samples  %s", format_count(o->n_samples).text);
    hpf_sink_printf(sink, " over %s", format_time(sum->duration, r->time_unit, r->exact).text);
    if (r->is_window) {
        hpf_sink_printf(sink, " from %s", format_time(o->first_time, r->time_unit, r->exact).text);
    }
    hpf_sink_text(sink, "\n");
    if (r->rate_bytes > 0) {
        bool has_watch = hpf_survey_eventlog_metadata(r->in->survey)->has_watch;
        hpf_sink_printf(sink,
                        "rate     %sa sample of the blocks, one for %s; ±: 95 of 100 amounts are "
                        "within it\n",
                        has_watch ? "totals are of all blocks, names of " : "",
                        amount(r, r->rate_bytes).text);
    }
    hpf_sink_printf(sink, "peak     %s", estimated(r, sum->peak).text);
    hpf_sink_printf(sink, " at %s", format_time(sum->peak_time, r->time_unit, r->exact).text);
    if (misses_peak(r)) {
        hpf_sink_printf(sink, "; %s at %s has no sample",
                        amount(r, (double)r->process->missed_peak_bytes).text,
                        format_time(r->process->missed_peak_s, r->time_unit, r->exact).text);
    }
    hpf_sink_printf(sink, "\nmean     %s\n", amount(r, sum->total.mean).text);
    hpf_sink_printf(sink, "final    %s", estimated(r, sum->final).text);
    hpf_sink_printf(sink, " at %s\n", format_time(sum->final_time, r->time_unit, r->exact).text);
    hpf_sink_printf(sink, "growth   %s", growth(r, sum->total.growth).text);
    if (!isnan(sum->total.r_squared)) {
        hpf_sink_printf(sink, " (R2 %.2f)", sum->total.r_squared);
    }
    hpf_sink_text(sink, "\n");
}

/* Writes the findings, each with its command. */
static void write_findings(hpf_sink *sink, const report *r)
{
    hpf_sink_text(sink, r->findings.n > 0 ? "\n" : "");
    for (size_t i = 0; i < r->findings.n; i++) {
        const hpf_finding *f = &r->findings.all[i];
        hpf_sink_printf(sink, "%s: ", finding_name(f));
        finding_write(sink, f, r->in->survey, r->exact);
        hpf_sink_text(sink, "\n  ");
        finding_write_command(sink, f, r->in);
        hpf_sink_text(sink, "\n");
    }
}

static void write_text_row(hpf_sink *sink, const report *r, const hpf_summary_row *row, int width)
{
    hpf_sink_printf(sink, "%5.1f%% %*s", 100 * row->share, width, amount(r, row->mean).text);
    hpf_sink_printf(sink, " %*s", width, amount(r, row->max).text);
    if (r->rate_bytes > 0) {
        formatted within = format_margin(margin_of_row(r, row), r->value_unit, r->exact);
        int n_more = within.text[0] ? 1 : 0; /* the sign has two bytes */
        hpf_sink_printf(sink, "%-*s", width + n_more, within.text);
    }
    hpf_sink_printf(sink, " %*s", width + 4, growth(r, row->growth).text);
    hpf_sink_printf(sink, " %5s  ", decimals(row->r_squared, 2).text);
}

/* Writes the largest of the other names that have a share, below the row of all of these, and the
 * number of the rest. */
static void write_text_others(hpf_sink *sink, const report *r, int width)
{
    const double least = 0.0005; /* else "0.0%" */
    const hpf_summary_row *others = r->sum.rows + r->sum.n_rows;
    uint32_t n = 0;
    for (; n < n_listed_others(&r->sum) && others[n].share >= least; n++) {
        write_text_row(sink, r, &others[n], width);
        hpf_sink_text(sink, "  ");
        write_row_name(sink, r, &others[n]);
        hpf_sink_text(sink, "\n");
    }
    if (n > 0 && n < r->sum.others.n_names) {
        hpf_sink_printf(sink, "%*sand %s smaller\n", (r->rate_bytes > 0 ? 4 : 3) * width + 23, "",
                        format_count(r->sum.others.n_names - n).text);
    }
}

/* Writes why the process of a recording has ended, if that needs to be explained. */
static void write_death(hpf_sink *sink, const report *r)
{
    death_text death = death_of(r);
    if (death.text[0]) {
        hpf_sink_text(sink, "\n");
        hpf_sink_name(sink, hpf_str_of(death.text));
        hpf_sink_text(sink, "\n");
    }
}

static void write_text(hpf_sink *sink, const report *r)
{
    const int width = r->exact ? 24 : 13;
    write_head(sink, r);
    if (r->sum.n_rows > 0) {
        hpf_sink_printf(sink, "\n%6s %*s %*s%*s %*s %5s  %s\n", "area", width, "mean", width, "max",
                        r->rate_bytes > 0 ? width : 0, "", width + 4, "growth", "R2", "name");
    }
    const hpf_summary_row *row;
    for (uint32_t i = 0; (row = row_at(&r->sum, i)); i++) {
        write_text_row(sink, r, row, width);
        write_row_name(sink, r, row);
        hpf_sink_text(sink, "\n");
    }
    write_text_others(sink, r, width);
    write_death(sink, r);
    write_findings(sink, r);
}

/* Writes a number, or nothing if it is undefined. */
static void write_csv_number(hpf_sink *sink, double value)
{
    hpf_sink_text(sink, ",");
    if (!isnan(value)) {
        hpf_sink_shortest(sink, value);
    }
}

/* Writes the last column, if members of retainer sets are known. */
static void write_csv_members(hpf_sink *sink, const report *r, const hpf_summary_row *row)
{
    hpf_retainer_set set;
    bool is_others = row == &r->sum.others;
    hpf_sink_text(sink, ",");
    if (!is_others && hpf_survey_retainer_set(r->in->survey, row->number, &set)) {
        hpf_sink_cell(sink, set.members, false);
    }
}

static void write_csv(hpf_sink *sink, const report *r)
{
    hpf_sink_text(sink, "name,names,share,mean,max,growth,r_squared");
    hpf_sink_text(sink, r->rate_bytes > 0 ? ",max_margin" : "");
    hpf_sink_text(sink, r->in->sets ? ",members\n" : "\n");
    const hpf_summary_row *row;
    for (uint32_t i = 0; (row = row_at(&r->sum, i)); i++) {
        hpf_sink_cell(sink, row->name, false);
        hpf_sink_text(sink, ",");
        hpf_sink_whole(sink, row->n_names);
        write_csv_number(sink, row->share);
        write_csv_number(sink, row->mean);
        write_csv_number(sink, row->max);
        write_csv_number(sink, row->growth);
        write_csv_number(sink, row->r_squared);
        if (r->rate_bytes > 0) {
            write_csv_number(sink, margin_of_row(r, row));
        }
        if (r->in->sets) {
            write_csv_members(sink, r, row);
        }
        hpf_sink_text(sink, "\n");
    }
}

/* Writes the frames or members of a name. */
static void write_json_detail(hpf_json *json, const report *r, hpf_name name)
{
    hpf_retainer_set set;
    hpf_frame frames[MOST_FRAMES];
    size_t n_frames = hpf_survey_frames(r->in->survey, name, frames, MOST_FRAMES);
    hpf_json_frames(json, frames, n_frames < MOST_FRAMES ? n_frames : MOST_FRAMES);
    if (hpf_survey_retainer_set(r->in->survey, name, &set)) {
        hpf_json_str(json, "members", set.members);
    }
}

/* Writes the figures of a row in its object. */
static void write_json_figures(hpf_json *json, const report *r, const hpf_summary_row *row)
{
    hpf_json_number(json, "share", row->share);
    hpf_json_number(json, "mean", row->mean);
    hpf_json_number(json, "max", row->max);
    if (r->rate_bytes > 0) {
        hpf_json_number(json, "max_margin", margin_of_row(r, row));
    }
    hpf_json_number(json, "growth", row->growth);
    hpf_json_number(json, "r_squared", row->r_squared);
}

/* Writes rows of single names. */
static void write_json_rows(hpf_json *json, const char *key, const report *r,
                            const hpf_summary_row *rows, uint32_t n)
{
    hpf_json_array(json, key);
    for (uint32_t i = 0; i < n; i++) {
        hpf_json_object(json, NULL);
        hpf_json_str(json, "name", rows[i].name);
        write_json_detail(json, r, rows[i].number);
        write_json_figures(json, r, &rows[i]);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void write_json_moment(hpf_json *json, const char *key, double value, double time)
{
    hpf_json_object(json, key);
    hpf_json_number(json, "value", value);
    hpf_json_number(json, "time", time);
    hpf_json_close(json);
}

static void write_json_finding(hpf_json *json, const report *r, const hpf_finding *f)
{
    hpf_sink *text = hpf_sink_to_memory(), *command = hpf_sink_to_memory();
    if (text && command) {
        finding_write(text, f, r->in->survey, r->exact);
        finding_write_command(command, f, r->in);
        hpf_json_object(json, NULL);
        hpf_json_text(json, "kind", finding_name(f));
        hpf_json_str(json, "evidence", hpf_sink_bytes(text));
        hpf_json_str(json, "command", hpf_sink_bytes(command));
        hpf_json_close(json);
    } else {
        hpf_error why;
        (void)hpf_error_set_memory(&why);
        hpf_sink_fail(json->sink, &why);
    }
    hpf_sink_destroy(text);
    hpf_sink_destroy(command);
}

static void write_json(hpf_sink *sink, const report *r)
{
    const hpf_summary *sum = &r->sum;
    const hpf_overview *o = hpf_survey_overview(r->in->survey);
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    hpf_json_str(&json, "job", hpf_survey_header(r->in->survey, HPF_HEADER_JOB));
    hpf_json_str(&json, "date", hpf_survey_header(r->in->survey, HPF_HEADER_DATE));
    hpf_json_str(&json, "sample_unit", r->time_unit);
    hpf_json_str(&json, "value_unit", r->value_unit);
    hpf_json_whole(&json, "samples", o->n_samples);
    hpf_json_number(&json, "begin", o->first_time);
    hpf_json_number(&json, "duration", sum->duration);
    hpf_json_number(&json, "area", o->total.trapezium);
    if (r->rate_bytes > 0) {
        hpf_json_number(&json, "rate_bytes", r->rate_bytes);
        hpf_json_number(&json, "peak_margin", margin_of_all(r, sum->peak));
    }
    write_json_moment(&json, "peak", sum->peak, sum->peak_time);
    if (misses_peak(r)) {
        write_json_moment(&json, "missed_peak", (double)r->process->missed_peak_bytes,
                          r->process->missed_peak_s);
    }
    write_json_moment(&json, "final", sum->final, sum->final_time);
    hpf_json_number(&json, "mean", sum->total.mean);
    hpf_json_number(&json, "growth", sum->total.growth);
    hpf_json_number(&json, "r_squared", sum->total.r_squared);
    write_json_rows(&json, "bands", r, sum->rows, sum->n_rows);
    hpf_json_object(&json, "others");
    hpf_json_whole(&json, "names", sum->others.n_names);
    write_json_figures(&json, r, &sum->others);
    write_json_rows(&json, "largest", r, sum->rows + sum->n_rows, n_listed_others(sum));
    hpf_json_close(&json);
    hpf_json_array(&json, "findings");
    for (size_t i = 0; i < r->findings.n; i++) {
        write_json_finding(&json, r, &r->findings.all[i]);
    }
    hpf_json_close(&json);
    death_text death = death_of(r);
    if (death.text[0]) {
        hpf_json_text(&json, "death", death.text);
    }
    hpf_json_bool(&json, "truncated", o->truncated);
    hpf_json_end(&json);
}

static void (*const writers[])(hpf_sink *sink, const report *r) = {
    [TABLE_AS_TEXT] = write_text,
    [TABLE_AS_JSON] = write_json,
    [TABLE_AS_CSV] = write_csv,
};
static const char *const format_names[] = {
    [TABLE_AS_TEXT] = "text", [TABLE_AS_JSON] = "json", [TABLE_AS_CSV] = "csv", NULL};

#define AT(member) offsetof(report_values, member)
static const opt report_options[] = {
    OPT_HEADING("Output"),
    OPT('o', "output", OPT_TEXT, AT(output), "FILE",
        "write to FILE (default or -: standard output)"),
    OPT(0, "format", OPT_CHOICE, AT(format), "FORMAT",
        "text (default), json or csv; with --source: text", .choices = format_names),
    OPT('m', "bands", OPT_INT, AT(n_bands), "N",
        "list the N largest names, counters or cost centres (default 10; 0 lists all)",
        .high = INT_MAX),
    OPT(0, "bytes", OPT_FLAG, AT(exact), NULL, "print exact numbers instead of MiB and ms"),
    OPT_HEADING("What is reported"),
    INPUT_PROCESS(AT(input.process)),
    TIME_WINDOW_OPTIONS(AT(window), "heap profile: report", ""),
    OPT(0, "by", OPT_CHOICE, AT(stacks.part), "PART",
        "heap profile or .prof: report a part of the call stacks: stack (all functions), function "
        "(innermost), producer (with its module), module, line, thread (outermost function), or "
        "type, retainer, use; address bins: function (default), line, address or module",
        .choices = part_names),
    STACK_FUNCTIONS(AT(stacks)),
    OPT(0, "source", OPT_TEXT, AT(source), "DIR",
        "print the lines of the program's text below DIR with their live bytes, time or "
        "allocation"),
    OPT_HEADING("Automatic tests"),
    GATE_OPTIONS(AT(gate_options),
                 "exit with 3 if RULE is true, such as 'peak > 100M', 'growth > 1M/s' or "
                 "'band:REGEX.max > 10M'; can be repeated"),
    OPT_RARE_HEADING("What holds memory"),
    OPT(0, "chains", OPT_FLAG, AT(chains), NULL,
        "profile by retainer: report what holds the retainers of the largest names, and so on to "
        "the roots"),
    OPT(0, "holders", OPT_TEXT, AT(holders), "NAME",
        "heap snapshot: report how the root leads to the object with this name that retains most, "
        "or "
        "to the one with the id @ID"),
    OPT(0, "where", OPT_TEXT, AT(where), "QUESTION",
        "heap snapshot: report the objects that match QUESTION, such as 'type ~ \"Session\" and "
        "retained > 1M and not reachable_from \"g_cache\"', or the object @ID with its references"),
    OPT(0, "paths", OPT_FLAG, AT(paths), NULL,
        "with --where: report how the root leads to these objects, as a tree of types"),
    OPT(0, "waste", OPT_FLAG, AT(waste), NULL,
        "heap snapshot: report what does nothing: equal blocks, containers that are less than half "
        "full, blocks whose end was never written, and what malloc adds to sizes"),
    OPT(0, "dominators", OPT_FLAG, AT(dominators), NULL,
        "heap snapshot: report the tree of what holds what, with the bytes that would be freed if "
        "it went (the default for .heapsnapshot)"),
    OPT(0, "depth", OPT_INT, AT(stacks.depth), "N",
        "show only the N innermost functions of stacks; dominators: list N levels below the root "
        "(default 8)",
        .high = INT_MAX),
    OPT(0, "sets", OPT_TEXT, AT(sets), "FILE",
        "read the members of retainer sets from FILE (default: BASE.prof next to BASE.hp or "
        "BASE.eventlog, for profiles made with -hr)"),
    OPT_RARE_HEADING("Event logs, reports and other profiles"),
    STACK_SKIP(AT(stacks)),
    OPT(0, "time", OPT_FLAG, AT(time), NULL,
        "event log: report the time profile in the layout of a .prof file (text or json)"),
    OPT(0, "ticky", OPT_FLAG, AT(ticky), NULL, "event log: report ticky counters"),
    OPT(0, "nonmoving", OPT_FLAG, AT(nonmoving), NULL,
        "event log: report the work and the heap of the non-moving collector"),
    OPT(0, "profile", OPT_INT, AT(profile), "N", PROFILE_OPTION_HELP, .high = UINT8_MAX),
    OPT(0, "annotate", OPT_TEXT, AT(annotate), "FUNCTION",
        "address bins: print the machine code of FUNCTION with the share of each instruction "
        "(needs objdump)"),
    OPT(0, "savings", OPT_FLAG, AT(savings), NULL,
        "profile of --savings: report what was kept without being used, integrated over time, by "
        "producer and retainers"),
    OPT(0, "life-times", OPT_FLAG, AT(life_times), NULL,
        "NAME.lives.hp of --life-times: report how long objects were lag, use, drag and void, by "
        "producer"),
    INPUT_OPTIONS(AT(input)),
    {.name = NULL},
};
#undef AT

static bool is_of_log(const report_values *v)
{
    return v->time || v->ticky || v->nonmoving;
}

static report_source_options source_options(const report_values *v)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    bool is_terminal = (!v->output || strcmp(v->output, "-") == 0) && isatty(STDOUT_FILENO);
    bool has_colours =
        is_terminal && !(no_colour && *no_colour) && term && strcmp(term, "dumb") != 0;
    return (report_source_options){v->source, (size_t)v->n_bands, v->exact, has_colours};
}

static hpf_status write_report(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    const report_values *v = values;
    const report_source_options of_source = source_options(v);
    if (v->source) {
        return report_source_heap(in, &of_source, sink, err);
    }
    if (v->chains) {
        return chains_write(in, (size_t)v->n_bands, v->exact, sink, err);
    }
    if (v->savings) {
        return savings_write(in, (size_t)v->n_bands, v->exact, sink, err);
    }
    if (v->life_times) {
        return life_times_write(in, (table_format)v->format, (size_t)v->n_bands, v->exact, sink,
                                err);
    }
    if (is_of_log(v)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "--%s needs an event log of GHC",
                             v->time    ? "time"
                             : v->ticky ? "ticky"
                                        : "nonmoving");
    }
    const hpf_recording *processes = hpf_source_recording(in->source);
    report r = {
        .in = in,
        .process = processes ? hpf_recording_chosen(processes) : NULL,
        .value_unit = hpf_survey_header(in->survey, HPF_HEADER_VALUE_UNIT),
        .time_unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT),
        .is_window = time_window_given(&v->window) != NULL,
        .exact = v->exact,
        .rate_bytes = hpf_survey_rate_bytes(in->survey),
    };
    r.is_whole = !r.is_window && !v->stacks.under && !v->stacks.callers_of &&
                 !v->stacks.callees_of && !v->input.value;
    const hpf_recording recording = finding_recording(in, r.is_window);
    hpf_status status = hpf_survey_find_spreads(in->survey, err);
    status = status ? status : hpf_summary_make(&r.sum, in->survey, (uint32_t)v->n_bands, err);
    if (!status && v->adds_high) {
        hpf_summary_add_high(&r.sum);
    }
    if (status == HPF_OK && v->format == TABLE_AS_TEXT) {
        status = hpf_summary_find_holders(&r.sum, in->survey, err);
        uint32_t n_named = r.sum.n_rows + n_listed_others(&r.sum);
        status = status ? status : hpf_summary_name_rows(&r.sum, n_named, in->survey, err);
    }
    status = status == HPF_OK ? hpf_findings_find(&r.findings, &recording, err) : status;
    if (status == HPF_OK) {
        writers[v->format](sink, &r);
    }
    hpf_summary_finish(&r.sum);
    return status;
}

static hpf_survey_options survey_limits(const report_values *v)
{
    return (hpf_survey_options){.has_log_profile = v->profile >= 0,
                                .log_profile = (uint8_t)v->profile,
                                .by_stack = v->source != NULL,
                                .by_line = v->source != NULL,
                                .view = v->view,
                                .expects_no_series = true};
}

static bool prepare(input *in, void *values)
{
    const report_values *v = values;
    if (time_window_given(&v->window) &&
        !time_window_apply(&v->window, in, survey_limits(v), false)) {
        return false;
    }
    gate_judge_report(v->gate, in);
    overlay_add(in);
    return retainers_read(in, v->sets);
}

static hpf_status write_log(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    const report_values *v = values;
    table_format format = (table_format)v->format;
    if (v->ticky) {
        return log_write_ticky(in, format, (size_t)v->n_bands, v->exact, sink, err);
    }
    if (v->nonmoving) {
        return log_write_nonmoving(in, format, v->exact, sink, err);
    }
    return log_write_time(in, format == TABLE_AS_JSON, sink, err);
}

static hpf_status write_prof(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    const report_values *v = values;
    if (time_window_given(&v->window)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "--%s cannot be used with a .prof report",
                             time_window_given(&v->window));
    }
    if (is_of_log(v) || v->sets || v->profile >= 0 || v->chains || v->savings || v->life_times ||
        v->gate) {
        return hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "--sets, --profile, --chains, --savings, --life-times, --fail-if, --time, "
            "--ticky and --nonmoving cannot be used with a .prof report");
    }
    const report_source_options of_source = source_options(v);
    if (v->source && v->view) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "--%s cannot be used with --source",
                             stack_options_given(&v->stacks));
    }
    if (v->source) {
        return report_source_prof(in, &of_source, sink, err);
    }
    if (v->view) {
        return prof_report_write_view(in, v->view, (table_format)v->format, (size_t)v->n_bands,
                                      v->exact, sink, err);
    }
    return prof_report_write(in, (table_format)v->format, (size_t)v->n_bands, v->exact, sink, err);
}

/* Returns whether an option selects stacks by their functions. */
static bool has_stack_functions(const report_values *v)
{
    return v->stacks.under || v->stacks.callers_of || v->stacks.callees_of;
}

/* Reports files of address bins. */
static int run_bins(const cmd *self, const report_values *v, int argc, char **argv)
{
    const bins_output to = {v->output, (table_format)v->format, (size_t)v->n_bands, v->exact};
    const char *const *paths = (const char *const *)(argv + 1);
    size_t n = (size_t)argc - 1;
    static const hpp_bins_group groups[] = {[HPF_PART_FUNCTION] = HPP_BINS_BY_FUNCTION,
                                            [HPF_PART_MODULE] = HPP_BINS_BY_MODULE,
                                            [HPF_PART_LINE] = HPP_BINS_BY_LINE,
                                            [PART_ADDRESS] = HPP_BINS_BY_ADDRESS};
    int part = v->stacks.part >= 0 ? v->stacks.part : HPF_PART_FUNCTION;
    if (is_of_log(v) || v->sets || v->profile >= 0 || v->gate) {
        return cmd_misused(self, "--sets, --profile, --fail-if, --time, --ticky and --nonmoving "
                                 "cannot be used with address bins");
    }
    bool is_of_bins = part == HPF_PART_FUNCTION || part == HPF_PART_LINE || part == PART_ADDRESS ||
                      part == HPF_PART_MODULE;
    if (!is_of_bins || has_stack_functions(v)) {
        return cmd_misused(self, "address bins have no stacks: use --by function, line, address or "
                                 "module");
    }
    if (v->source) {
        const report_source_options of_source = source_options(v);
        return v->annotate || v->stacks.part >= 0
                   ? cmd_misused(self, "--source cannot be used with --by and --annotate")
                   : report_source_bins(paths, n, &of_source, v->output);
    }
    if (v->annotate) {
        return v->format != TABLE_AS_TEXT
                   ? cmd_misused(self, "--annotate can only be written as text")
                   : bins_annotate(paths, n, v->annotate, &to);
    }
    return bins_report(paths, n, groups[part], false, &to);
}

/* Reports a heap snapshot. */
static int run_dominators(const cmd *self, const report_values *v, int argc, char **argv)
{
    const dominators_options options = {
        .output = v->output,
        .format = (table_format)v->format,
        .n_children = (size_t)v->n_bands,
        .depth = v->stacks.depth >= 0 ? (uint32_t)v->stacks.depth : 8,
        .exact = v->exact,
        .holders = v->holders,
        .where = v->where,
        .paths = v->paths,
    };
    if (argc != 2) {
        return cmd_misused(self, argc < 2 ? "no heap snapshot given (use - for standard input)"
                                          : "only one heap snapshot can be given");
    }
    if (is_of_log(v) || v->sets || v->profile >= 0 || v->source || v->chains || v->savings ||
        v->life_times || v->stacks.part >= 0 || has_stack_functions(v) || v->annotate || v->gate ||
        time_window_given(&v->window)) {
        return cmd_misused(self, "a heap snapshot can only be reported with --dominators, --depth, "
                                 "--holders, --where, --paths, --waste, -m, -o, --format and "
                                 "--bytes");
    }
    if (strcmp(argv[1], "-") != 0 && !input_begins(argv[1], hpf_heapsnapshot_is)) {
        diag_say(
            "%s: --%s needs a heap snapshot (.heapsnapshot), as census run --snapshot largest and "
            "census mark --snapshot PID write",
            argv[1],
            v->where     ? "where"
            : v->holders ? "holders"
            : v->waste   ? "waste"
                         : "dominators");
        return EXIT_FAILED;
    }
    if (v->holders && v->format != TABLE_AS_TEXT) {
        return cmd_misused(self, "--holders can only be written as text");
    }
    if (v->where && *v->where == '@' && (v->paths || v->format == TABLE_AS_CSV)) {
        return cmd_misused(self,
                           "--where @ID can only be written as text or JSON, without --paths");
    }
    if (v->where && v->holders) {
        return cmd_misused(self, "--where and --holders exclude each other");
    }
    if (v->waste && (v->where || v->holders)) {
        return cmd_misused(self, "--waste and --%s exclude each other",
                           v->where ? "where" : "holders");
    }
    return v->waste ? dominators_report_waste(argv[1], &options)
                    : dominators_report(argv[1], &options);
}

/* Reports what the operands are. */
static int report_operands(const cmd *self, report_values values, int argc, char **argv)
{
    if (values.time + values.ticky + values.nonmoving > 1) {
        return cmd_misused(self, "--%s and --%s exclude each other", values.time ? "time" : "ticky",
                           values.nonmoving ? "nonmoving" : "ticky");
    }
    if (is_of_log(&values) && stack_options_given(&values.stacks)) {
        return cmd_misused(self, "--%s cannot be used with --time, --ticky and --nonmoving",
                           stack_options_given(&values.stacks));
    }
    opt_complaint complaint;
    const char *window = time_window_given(&values.window);
    if (!time_window_check(&values.window, &complaint)) {
        return cmd_misused(self, "%s", complaint.message);
    }
    if (window && (is_of_log(&values) || values.source || values.chains || values.savings)) {
        return cmd_misused(self,
                           "--%s cannot be used with --source, --chains, --savings, --time, "
                           "--ticky and --nonmoving",
                           window);
    }
    if (values.time && values.format > TABLE_AS_JSON) {
        return cmd_misused(self, "--time needs --format text or json");
    }
    if (values.paths && !values.where) {
        return cmd_misused(self, "--paths needs --where QUESTION");
    }
    if (values.dominators || values.holders || values.where || values.waste ||
        (argc > 1 && input_begins(argv[1], hpf_heapsnapshot_is))) {
        return run_dominators(self, &values, argc, argv);
    }
    if (values.source && (values.format > TABLE_AS_TEXT || is_of_log(&values))) {
        return cmd_misused(self, "--source cannot be used with --time, --ticky and --nonmoving, "
                                 "and needs --format text");
    }
    if (values.gate && is_of_log(&values)) {
        return cmd_misused(self, "--fail-if cannot be used with --time, --ticky and --nonmoving");
    }
    bool is_bins = argc > 1 && input_begins(argv[1], hpf_bins_is_file);
    if (window && is_bins) {
        return cmd_misused(self, "--%s cannot be used with address bins", window);
    }
    bool is_other = is_of_log(&values) || values.source || values.format > TABLE_AS_TEXT || is_bins;
    if ((values.chains || values.savings) && (is_other || values.chains == values.savings)) {
        return cmd_misused(self, "--chains and --savings exclude each other and all other reports, "
                                 "and are written as text");
    }
    if (values.life_times && (is_of_log(&values) || values.source || values.chains ||
                              values.savings || values.gate || is_bins || window)) {
        return cmd_misused(self, "--life-times excludes all other reports");
    }
    if (is_bins) {
        return run_bins(self, &values, argc, argv);
    }
    if (values.annotate || values.stacks.part == PART_ADDRESS) {
        return cmd_misused(self, "--annotate and --by address need files of address bins");
    }
    if (!stack_options_view(&values.stacks, &values.view, &complaint)) {
        return cmd_misused(self, "%s", complaint.message);
    }
    const profile_command f = {.output = values.output,
                               .limits = survey_limits(&values),
                               .prepare = prepare,
                               .write = write_report,
                               .write_log = is_of_log(&values) ? write_log : NULL,
                               .write_prof = write_prof,
                               .values = &values};
    int status = profile_command_run(self, &f, argc, argv);
    hpf_stack_view_destroy(values.view);
    return status;
}

static int run(const cmd *self, int argc, char **argv)
{
    report_values values = {.n_bands = -1,
                            .profile = -1,
                            .window = TIME_WINDOW_ALL,
                            .stacks = {.part = -1, .depth = -1}};
    opt_complaint complaint;
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    input_set_options(&values.input);
    values.adds_high = values.n_bands < 0;
    values.n_bands = values.adds_high ? 10 : values.n_bands;
    if (!gate_create(&values.gate, HPF_LIMIT_REPORT, &values.gate_options, &complaint)) {
        return cmd_misused(self, "%s", complaint.message);
    }
    return gate_close(values.gate, report_operands(self, values, argc, argv));
}

const cmd cmd_report = {
    .name = "report",
    .summary = "Summarise a profile: peak, largest names, growth",
    .operands = "FILE...",
    .options = report_options,
    .run = run,
};

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the comparison as text, CSV and JSON.
 */
#include "hpfile/survey.h"
#include "hpfile/diff.h"
#include "hpfile/match.h"
#include "hpfile/sink.h"
#include "diff_table.h"

#include "base/json.h"

#include "unit_format.h"

static const char *const measure_names[HPF_N_DIFF_MEASURES] = {
    [HPF_DIFF_MEAN] = "mean", [HPF_DIFF_PEAK] = "peak", [HPF_DIFF_END] = "end"};
static const char *const side_names[] = {"A", "B"};

static hpf_str unit_of(const diff_table *t)
{
    return hpf_survey_header(t->inputs[0].survey, HPF_HEADER_VALUE_UNIT);
}

/* Returns an amount, or a dash if the profile does not have the name. */
static formatted amount(const diff_table *t, const hpf_diff_row *row, int side, int measure)
{
    formatted unknown = {"-"};
    return row->n_names[side] == 0
               ? unknown
               : format_amount(row->amounts[side][measure], unit_of(t), t->exact);
}

static formatted change(const diff_table *t, const hpf_diff_row *row, int measure)
{
    return format_change(hpf_diff_change(row, (hpf_diff_measure)measure), unit_of(t), t->exact);
}

static bool has_others(const diff_table *t)
{
    return t->n_rows < hpf_diff_n_rows(t->diff);
}

/* ---- Text ---- */

static void write_side(hpf_sink *sink, const diff_table *t, int side)
{
    const input *in = &t->inputs[side];
    const hpf_overview *o = hpf_survey_overview(in->survey);
    hpf_str time_unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
    hpf_sink_printf(sink, "%s  ", side_names[side]);
    hpf_sink_name(sink, hpf_str_of(in->name));
    hpf_sink_text(sink, ": ");
    hpf_sink_name(sink, hpf_survey_header(in->survey, HPF_HEADER_JOB));
    hpf_sink_printf(sink, o->n_samples == 1 ? "\n   %s sample over %s" : "\n   %s samples over %s",
                    format_count(o->n_samples).text,
                    format_time(o->last_time - o->first_time, time_unit, t->exact).text);
    if (t->is_window) {
        hpf_sink_printf(sink, " from %s", format_time(o->first_time, time_unit, t->exact).text);
    }
    hpf_sink_printf(sink, ", peak at %s\n", format_time(o->peak_time, time_unit, t->exact).text);
}

static void write_totals(hpf_sink *sink, const diff_table *t)
{
    const hpf_diff_row *total = hpf_diff_total(t->diff);
    hpf_sink_text(sink, "\n");
    for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
        hpf_sink_printf(sink, "%-4s  %s", measure_names[m], amount(t, total, 0, m).text);
        hpf_sink_printf(sink, " -> %s", amount(t, total, 1, m).text);
        hpf_sink_printf(sink, ", %s", change(t, total, m).text);
        /* The change in percent, such as " (-12.0%)" */
        double before = total->amounts[0][m];
        if (before > 0) {
            hpf_sink_printf(sink, " (%+.1f%%)", 100 * (total->amounts[1][m] - before) / before);
        }
        hpf_sink_text(sink, "\n");
    }
}

static void write_cells(hpf_sink *sink, const diff_table *t, const hpf_diff_row *row, int width)
{
    for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
        hpf_sink_printf(sink, "%*s", m > 0 ? width + 2 : width, amount(t, row, 0, m).text);
        hpf_sink_printf(sink, " %*s", width, amount(t, row, 1, m).text);
        hpf_sink_printf(sink, " %*s", width + 1, change(t, row, m).text);
    }
    hpf_sink_text(sink, "  ");
}

static void write_heads(hpf_sink *sink, int width)
{
    hpf_sink_text(sink, "\n");
    for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
        hpf_sink_printf(sink, "%*s%*s", m > 0 ? 2 * width + 5 : width + 1, "", width,
                        measure_names[m]);
    }
    hpf_sink_text(sink, "\n");
    for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
        hpf_sink_printf(sink, "%*s %*s %*s", m > 0 ? width + 2 : width, "A", width, "B", width + 1,
                        "B - A");
    }
    hpf_sink_text(sink, "  name\n");
}

/* Writes the line that a name had in the old profile, if it moved. */
static void write_moved(hpf_sink *sink, const hpf_diff_row *row)
{
    hpf_str line = hpf_line_of_name(row->moved_from);
    if (line.length) {
        hpf_sink_printf(sink, " (moved from %.*s)", (int)line.length, line.data);
    }
}

void diff_table_text(hpf_sink *sink, const diff_table *t)
{
    const int width = t->exact ? 21 : 9;
    const hpf_diff_row *rows = hpf_diff_rows(t->diff);
    write_side(sink, t, 0);
    write_side(sink, t, 1);
    write_totals(sink, t);
    write_heads(sink, width);
    for (uint32_t i = 0; i < t->n_rows; i++) {
        write_cells(sink, t, &rows[i], width);
        hpf_sink_name(sink, rows[i].name);
        write_moved(sink, &rows[i]);
        hpf_sink_text(sink, "\n");
    }
    if (has_others(t)) {
        hpf_diff_row others = hpf_diff_join(t->diff, t->n_rows);
        write_cells(sink, t, &others, width);
        hpf_sink_printf(sink, "(%s more)\n",
                        format_count(hpf_diff_n_rows(t->diff) - t->n_rows).text);
    }
}

/* ---- CSV ---- */

static void write_csv_row(hpf_sink *sink, const char *kind, const hpf_diff_row *row)
{
    hpf_sink_printf(sink, "%s,", kind);
    hpf_sink_cell(sink, row->name, false);
    hpf_sink_printf(sink, ",%u,%u", (unsigned)row->n_names[0], (unsigned)row->n_names[1]);
    for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
        hpf_sink_text(sink, ",");
        hpf_sink_shortest(sink, row->amounts[0][m]);
        hpf_sink_text(sink, ",");
        hpf_sink_shortest(sink, row->amounts[1][m]);
        hpf_sink_text(sink, ",");
        hpf_sink_shortest(sink, hpf_diff_change(row, (hpf_diff_measure)m));
    }
    hpf_sink_text(sink, ",");
    if (row->moved_from.length) {
        hpf_sink_cell(sink, row->moved_from, false);
    }
    hpf_sink_text(sink, "\n");
}

void diff_table_csv(hpf_sink *sink, const diff_table *t)
{
    const hpf_diff_row *rows = hpf_diff_rows(t->diff);
    hpf_sink_text(sink, "row,name,names_a,names_b");
    for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
        const char *name = measure_names[m];
        hpf_sink_printf(sink, ",%s_a,%s_b,%s_change", name, name, name);
    }
    hpf_sink_text(sink, ",moved_from\n");
    for (uint32_t i = 0; i < t->n_rows; i++) {
        write_csv_row(sink, "band", &rows[i]);
    }
    if (has_others(t)) {
        hpf_diff_row others = hpf_diff_join(t->diff, t->n_rows);
        write_csv_row(sink, "others", &others);
    }
    write_csv_row(sink, "total", hpf_diff_total(t->diff));
}

/* ---- JSON ---- */

static void write_json_row(hpf_json *json, const char *key, const hpf_diff_row *row, bool is_named)
{
    hpf_json_object(json, key);
    if (is_named) {
        hpf_json_str(json, "name", row->name);
        if (row->moved_from.length) {
            hpf_json_str(json, "moved_from", row->moved_from);
        }
    }
    hpf_json_array(json, "names");
    hpf_json_whole(json, NULL, row->n_names[0]);
    hpf_json_whole(json, NULL, row->n_names[1]);
    hpf_json_close(json);
    for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
        hpf_json_object(json, measure_names[m]);
        hpf_json_number(json, "a", row->amounts[0][m]);
        hpf_json_number(json, "b", row->amounts[1][m]);
        hpf_json_number(json, "change", hpf_diff_change(row, (hpf_diff_measure)m));
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void write_json_side(hpf_json *json, const char *key, const input *in)
{
    const hpf_overview *o = hpf_survey_overview(in->survey);
    const hpf_drawn_sample *end = &o->drawn[hpf_survey_end_index(in->survey)];
    hpf_json_object(json, key);
    hpf_json_text(json, "file", in->name);
    hpf_json_str(json, "job", hpf_survey_header(in->survey, HPF_HEADER_JOB));
    hpf_json_str(json, "date", hpf_survey_header(in->survey, HPF_HEADER_DATE));
    hpf_json_str(json, "sample_unit", hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT));
    hpf_json_whole(json, "samples", o->n_samples);
    hpf_json_number(json, "first_time", o->first_time);
    hpf_json_number(json, "last_time", o->last_time);
    hpf_json_number(json, "peak_time", o->peak_time);
    hpf_json_number(json, "end_time", end->time);
    hpf_json_bool(json, "truncated", o->truncated);
    hpf_json_close(json);
}

void diff_table_json(hpf_sink *sink, const diff_table *t)
{
    const hpf_diff_row *rows = hpf_diff_rows(t->diff);
    hpf_diff_row others = hpf_diff_join(t->diff, t->n_rows);
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    hpf_json_str(&json, "value_unit", unit_of(t));
    write_json_side(&json, "a", &t->inputs[0]);
    write_json_side(&json, "b", &t->inputs[1]);
    write_json_row(&json, "total", hpf_diff_total(t->diff), false);
    hpf_json_array(&json, "bands");
    for (uint32_t i = 0; i < t->n_rows; i++) {
        write_json_row(&json, NULL, &rows[i], true);
    }
    hpf_json_close(&json);
    write_json_row(&json, "others", &others, false);
    hpf_json_end(&json);
}

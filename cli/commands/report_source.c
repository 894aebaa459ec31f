/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes the places from profiles: the innermost frame of a stack, the location of a cost centre,
 * the part after "@" of a name such as "get@file.c:12", the line of an address.
 */
#include "report_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins/bins.h"
#include "diag.h"
#include "hpfile/survey.h"
#include "hpfile/str.h"
#include "output.h"
#include "hpfile/prof.h"
#include "text/text_costs.h"
#include "hpfile/sink.h"
#include "unit_format.h"

/* ---- The text of the program ----------------------------------------------------------------- */

typedef struct source_view {
    const hpf_text_costs *table;
    hpf_str title;    /* of the profile */
    const char *what; /* the costs, as a subtitle */
    size_t n_lines;   /* the most expensive lines of each file, with their neighbours; 0: all lines
                         with costs */
    bool exact;
    bool has_colours; /* by escape sequences */
} source_view;

/* A file that is being written. */
typedef struct source_page {
    const source_view *view;
    const hpf_text_file *file;
    hpf_text_lines lines;
} source_page;

static formatted amount_of(const source_view *v, size_t column, double amount)
{
    hpf_str unit = v->table->columns[column].unit;
    return hpf_str_is(unit, "seconds") ? format_time(amount, unit, v->exact)
                                       : format_amount(amount, unit, v->exact);
}

static formatted share_of(const source_view *v, size_t column, double amount)
{
    double total = v->table->totals[column];
    return format_share(total > 0 ? amount / total : 0);
}

/* Writes the costs of a line, or blanks if it has none. */
static void write_amounts(const source_page *p, const double *amounts, hpf_sink *sink)
{
    const int width = p->view->exact ? 22 : 9;
    for (size_t k = 0; k < p->view->table->n_columns; k++) {
        bool has = amounts[k] > 0;
        hpf_sink_printf(sink, "%*s ", width, has ? amount_of(p->view, k, amounts[k]).text : "");
        hpf_sink_printf(sink, "%6s ", has ? share_of(p->view, k, amounts[k]).text : "");
    }
}

static void write_text_line(source_page *p, size_t number, hpf_str text, hpf_sink *sink)
{
    static const char *const backgrounds[HPF_TEXT_LEVELS + 1] = {"",    "230", "229",
                                                                 "222", "215", "209"};
    const hpf_text_line *line = &p->lines.all[number];
    int level = p->view->has_colours ? hpf_text_level(&p->lines, number) : 0;
    if (!line->is_near) {
        return;
    }
    if (number > 1 && !p->lines.all[number - 1].is_near) {
        hpf_sink_text(sink, "...\n");
    }
    write_amounts(p, line->amounts, sink);
    hpf_sink_printf(sink, "%6zu  ", number);
    if (level > 0) {
        hpf_sink_printf(sink, "\033[30;48;5;%sm", backgrounds[level]);
    }
    hpf_sink_lines(sink, text);
    hpf_sink_text(sink, level > 0 ? "\033[0m\n" : "\n");
}

static void write_text_head(const source_page *p, hpf_sink *sink)
{
    hpf_sink_text(sink, "\n");
    hpf_sink_name(sink, p->file->name);
    hpf_sink_printf(
        sink, "  %s",
        amount_of(p->view, p->view->table->heat, p->file->totals[p->view->table->heat]).text);
    hpf_sink_text(sink, "\n");
    for (size_t k = 0; k < p->view->table->n_columns; k++) {
        hpf_sink_printf(sink, "%*s        ", p->view->exact ? 22 : 9,
                        p->view->table->columns[k].name);
    }
    hpf_sink_text(sink, "  line\n");
}

/* Writes the lines of an open file. */
static hpf_status write_lines(source_page *p, FILE *text, hpf_sink *sink, hpf_error *err)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    ssize_t length;
    while (number < p->lines.n && (length = getline(&line, &capacity, text)) >= 0) {
        hpf_str content = {line, (size_t)length};
        while (content.length > 0 && (content.data[content.length - 1] == '\n' ||
                                      content.data[content.length - 1] == '\r')) {
            content.length--;
        }
        number++;
        write_text_line(p, number, content, sink);
    }
    bool has_failed = ferror(text) != 0;
    free(line);
    return has_failed ? hpf_error_set(err, HPF_ERR_IO, "cannot read %s", p->file->path) : HPF_OK;
}

static size_t count_lines(FILE *text)
{
    size_t n = 0;
    int before = '\n', c;
    while ((c = getc(text)) != EOF) {
        n += before == '\n';
        before = c;
    }
    rewind(text);
    return n;
}

static hpf_status write_file(const source_view *v, const hpf_text_file *file, hpf_sink *sink,
                             hpf_error *err)
{
    source_page p = {.view = v, .file = file};
    FILE *text = fopen(file->path, "r");
    if (!text) {
        return hpf_error_set(err, HPF_ERR_IO, "cannot read %s", file->path);
    }
    hpf_status status =
        hpf_text_lines_make(&p.lines, v->table, file, count_lines(text), v->n_lines, err);
    if (status == HPF_OK) {
        write_text_head(&p, sink);
        status = write_lines(&p, text, sink, err);
    }
    if (status == HPF_OK && p.lines.is_too_short) {
        hpf_sink_text(sink, "The profile has places after the last line: was the file changed?\n");
    }
    hpf_text_lines_finish(&p.lines);
    fclose(text);
    return status;
}

/* Writes what has no line, and the files that were not found. */
static void write_rest(const source_view *v, hpf_sink *sink)
{
    size_t heat = v->table->heat;
    double without = v->table->totals[heat] - v->table->placed[heat];
    hpf_sink_text(sink, "\n");
    for (size_t i = 0; i < v->table->n_files; i++) {
        const hpf_text_file *file = &v->table->files[i];
        if (!file->path) {
            hpf_sink_name(sink, file->name);
            hpf_sink_printf(sink, "  %s, %s\n", amount_of(v, heat, file->totals[heat]).text,
                            file->is_ambiguous ? "several files have this name" : "not found");
        }
    }
    hpf_sink_printf(sink, "without a line  %s", amount_of(v, heat, without > 0 ? without : 0).text);
    hpf_sink_printf(sink, " of %s\n", amount_of(v, heat, v->table->totals[heat]).text);
}

static hpf_status source_write(const source_view *v, hpf_sink *sink, hpf_error *err)
{
    hpf_status status = HPF_OK;
    hpf_sink_name(sink, v->title);
    hpf_sink_printf(sink, "\n%s\n", v->what);
    for (size_t i = 0; i < v->table->n_files && status == HPF_OK; i++) {
        if (v->table->files[i].path) {
            status = write_file(v, &v->table->files[i], sink, err);
        }
    }
    write_rest(v, sink);
    return status;
}

/* ---- Profiles ---- */

/* Finds the files, and writes the view. Finishes the table. */
static hpf_status write_table(hpf_text_costs *table, hpf_str title, const char *what,
                              const report_source_options *options, hpf_sink *sink, hpf_error *err)
{
    hpf_text_folder *folder = NULL;
    hpf_status status = HPF_OK;
    if (table->n_files == 0) {
        status = hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "no source lines in the profile: record it with census run -o FILE.census, -hd or -B "
            "(compile with -g), or with GHC's -p or -l -hc");
    }
    status = status ? status : hpf_text_folder_create(&folder, options->folder, err);
    status = status ? status : hpf_text_costs_find(table, folder, err);
    if (status == HPF_OK) {
        const source_view view = {
            table, title, what, options->n_lines, options->exact, options->has_colours};
        status = source_write(&view, sink, err);
    }
    hpf_text_folder_destroy(folder);
    hpf_text_costs_finish(table);
    return status;
}

/* Returns the place of a name: of the frame that names its stack, or after the last "@". */
static hpf_str place_of(const hpf_survey *survey, hpf_name name)
{
    hpf_frame frame;
    size_t index;
    if (hpf_survey_own_frame(survey, name, &frame, &index) && frame.source.length > 0) {
        return frame.source;
    }
    hpf_str text = hpf_survey_name(survey, name);
    size_t i = text.length;
    while (i > 0 && text.data[i - 1] != '@') {
        i--;
    }
    return (hpf_str){text.data + i, i > 0 ? text.length - i : 0};
}

hpf_status report_source_heap(const input *in, const report_source_options *options, hpf_sink *sink,
                              hpf_error *err)
{
    hpf_str unit = hpf_survey_header(in->survey, HPF_HEADER_VALUE_UNIT);
    hpf_text_costs table = {.columns = {{"mean", unit}}, .n_columns = 1};
    for (hpf_name i = 0; i < hpf_survey_n_names(in->survey); i++) {
        double mean = hpf_survey_mean(in->survey, hpf_survey_totals(in->survey, i));
        if (mean > 0 && !hpf_text_costs_add(&table, place_of(in->survey, i), &mean)) {
            hpf_text_costs_finish(&table);
            return hpf_error_set_memory(err);
        }
    }
    return write_table(&table, hpf_survey_header(in->survey, HPF_HEADER_JOB),
                       "Live memory by line, mean over time", options, sink, err);
}

hpf_status report_source_prof(const input *in, const report_source_options *options, hpf_sink *sink,
                              hpf_error *err)
{
    hpf_text_costs table = {.columns = {{"time", HPF_STR("seconds")}, {"alloc", HPF_STR("bytes")}},
                            .n_columns = 2};
    hpf_prof_file *file;
    hpf_status status = hpf_prof_read(&file, in->source, err);
    if (status != HPF_OK) {
        return status;
    }
    const hpf_prof *prof = hpf_prof_file_report(file);
    double s_per_tick =
        (double)prof->tick_us / 1e6 / (prof->n_processors > 1 ? (double)prof->n_processors : 1);
    for (size_t i = 0; i < prof->n_stacks && status == HPF_OK; i++) {
        const hpf_prof_stack *s = &prof->stacks[i];
        const hpf_prof_centre *centre = &prof->centres[s->centre_index];
        const double amounts[] = {(double)s->ticks * s_per_tick, (double)s->allocated_bytes};
        if (!centre->is_hidden && (amounts[0] > 0 || amounts[1] > 0) &&
            !hpf_text_costs_add(&table, centre->srcloc, amounts)) {
            status = hpf_error_set_memory(err);
        }
    }
    if (status == HPF_OK) {
        status =
            write_table(&table, prof->program, "Time and allocation by line", options, sink, err);
    } else {
        hpf_text_costs_finish(&table);
    }
    hpf_prof_file_destroy(file);
    return status;
}

int report_source_bins(const char *const *paths, size_t n, const report_source_options *options,
                       const char *output)
{
    hpp_bins_table bins;
    if (!bins_load(&bins, paths, n, false)) {
        return EXIT_FAILED;
    }
    hpp_bins_group_rows(&bins, HPP_BINS_BY_LINE);
    bool is_time = bins.kind == HPF_BINS_TIME;
    hpf_text_costs table = {.n_columns = 1};
    table.columns[0] = is_time ? (hpf_text_column){"time", HPF_STR("seconds")}
                               : (hpf_text_column){"alloc", HPF_STR("bytes")};
    double unit = is_time ? 1e-9 : 1, unknown = (double)bins.unknown[0] * unit;
    bool fits = hpf_text_costs_add(&table, HPF_STR(""), &unknown);
    for (size_t i = 0; i < bins.n_rows && fits; i++) {
        double amount = (double)bins.rows[i].amounts[0] * unit;
        fits = hpf_text_costs_add(&table, bins.rows[i].place, &amount);
    }
    const char *name;
    hpf_error err;
    hpf_sink *sink = output_open(output, &name);
    int status = EXIT_FAILED;
    hpf_status written = fits ? HPF_OK : hpf_error_set_memory(&err);
    if (!sink || written != HPF_OK) {
        hpf_text_costs_finish(&table);
    } else {
        written = write_table(&table, hpf_str_of(paths[0]),
                              is_time ? "Processor time by line" : "Allocation by line", options,
                              sink, &err);
    }
    if (sink && written == HPF_OK) {
        status = output_close(sink, name);
    } else if (sink) {
        diag_error(paths[0], &err);
        hpf_sink_destroy(sink);
    }
    hpp_bins_finish(&bins);
    return status;
}

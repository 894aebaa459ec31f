/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes source files with the costs of their lines. The number of a line is the cost of what
 * begins there; it has the colour of the most expensive span that contains it.
 */
#include "source_write.h"

#include <stdio.h>
#include <stdlib.h>

#include "hpfile/str.h"
#include "hpfile/sink.h"
#include "unit_format.h"

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

/* ---- Text ------------------------------------------------------------------------------------ */

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

/* ---- HTML ------------------------------------------------------------------------------------ */

static const char style_of_all[] =
    ":root { color-scheme: light dark; }\n"
    "body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em; }\n"
    "h1 { font-size: 1.3em; }\n"
    "h2 { font-size: 1em; margin: 2em 0 .3em; }\n"
    "table { border-collapse: collapse; font: 12px/1.45 ui-monospace, monospace; }\n"
    "td, th { padding: 0 .7em; text-align: right; font-weight: normal; white-space: pre; }\n"
    "th { color: GrayText; }\n"
    "td:last-child, th:last-child { text-align: left; width: 100%; }\n"
    ".n { color: GrayText; }\n"
    ".h1 { background: rgba(230, 159, 0, .08); } .h2 { background: rgba(230, 159, 0, .18); }\n"
    ".h3 { background: rgba(230, 140, 0, .32); } .h4 { background: rgba(220, 100, 0, .42); }\n"
    ".h5 { background: rgba(213, 60, 0, .55); }\n";

void source_html_begin(hpf_sink *sink, hpf_str title, const char *style)
{
    hpf_sink_text(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    hpf_sink_markup(sink, title);
    hpf_sink_text(sink, "</title>\n<style>\n");
    hpf_sink_text(sink, style_of_all);
    hpf_sink_text(sink, style);
    hpf_sink_text(sink, "</style>\n<h1>");
    hpf_sink_markup(sink, title);
    hpf_sink_text(sink, "</h1>\n");
}

static void write_html_cells(const source_view *v, const double *amounts, hpf_sink *sink)
{
    for (size_t k = 0; k < v->table->n_columns; k++) {
        bool has = amounts[k] > 0;
        hpf_sink_printf(sink, "<td>%s", has ? amount_of(v, k, amounts[k]).text : "");
        hpf_sink_printf(sink, "<td>%s", has ? share_of(v, k, amounts[k]).text : "");
    }
}

static void write_html_line(source_page *p, size_t number, hpf_str text, hpf_sink *sink)
{
    const hpf_text_line *line = &p->lines.all[number];
    hpf_sink_printf(sink, "<tr class=\"h%d\">", hpf_text_level(&p->lines, number));
    write_html_cells(p->view, line->amounts, sink);
    hpf_sink_printf(sink, "<td class=\"n\">%zu<td>", number);
    hpf_sink_markup(sink, text);
    hpf_sink_text(sink, "\n");
}

static void write_html_head(const source_page *p, hpf_sink *sink)
{
    hpf_sink_printf(sink, "<h2 id=\"f%td\">", p->file - p->view->table->files);
    hpf_sink_markup(sink, p->file->name);
    hpf_sink_text(sink, "</h2>\n<table>\n<tr>");
    for (size_t k = 0; k < p->view->table->n_columns; k++) {
        hpf_sink_printf(sink, "<th>%s<th>share", p->view->table->columns[k].name);
    }
    hpf_sink_text(sink, "<th>line<th>text\n");
}

/* Writes the title and a table of the files, which links to their texts. */
static void begin_html(const source_view *v, hpf_sink *sink)
{
    source_html_begin(sink, v->title, "");
    hpf_sink_printf(sink, "<p>%s\n<table>\n<tr>", v->what);
    for (size_t k = 0; k < v->table->n_columns; k++) {
        hpf_sink_printf(sink, "<th>%s<th>share", v->table->columns[k].name);
    }
    hpf_sink_text(sink, "<th>file\n");
    for (size_t i = 0; i < v->table->n_files; i++) {
        const hpf_text_file *file = &v->table->files[i];
        hpf_sink_text(sink, "<tr>");
        write_html_cells(v, file->totals, sink);
        hpf_sink_text(sink, "<td>");
        if (file->path) {
            hpf_sink_printf(sink, "<a href=\"#f%zu\">", i);
        }
        hpf_sink_markup(sink, file->name);
        hpf_sink_text(sink, file->path           ? "</a>\n"
                            : file->is_ambiguous ? " (several files have this name)\n"
                                                 : " (not found)\n");
    }
    hpf_sink_text(sink, "</table>\n");
}

/* ---- Files ----------------------------------------------------------------------------------- */

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
        if (p->view->as_html) {
            write_html_line(p, number, content, sink);
        } else {
            write_text_line(p, number, content, sink);
        }
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
        (v->as_html ? write_html_head : write_text_head)(&p, sink);
        status = write_lines(&p, text, sink, err);
    }
    hpf_sink_text(sink, v->as_html ? "</table>\n" : "");
    if (status == HPF_OK && p.lines.is_too_short) {
        hpf_sink_text(sink, v->as_html ? "<p>" : "");
        hpf_sink_text(sink, "The profile has places after the last line: was the file changed?\n");
    }
    hpf_text_lines_finish(&p.lines);
    fclose(text);
    return status;
}

/* Writes what has no line, and in text the files that were not found. */
static void write_rest(const source_view *v, hpf_sink *sink)
{
    size_t heat = v->table->heat;
    double without = v->table->totals[heat] - v->table->placed[heat];
    hpf_sink_text(sink, v->as_html ? "<p>" : "\n");
    for (size_t i = 0; i < v->table->n_files && !v->as_html; i++) {
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

hpf_status source_write(const source_view *v, hpf_sink *sink, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (v->as_html) {
        begin_html(v, sink);
    } else {
        hpf_sink_name(sink, v->title);
        hpf_sink_printf(sink, "\n%s\n", v->what);
    }
    for (size_t i = 0; i < v->table->n_files && status == HPF_OK; i++) {
        if (v->table->files[i].path) {
            status = write_file(v, &v->table->files[i], sink, err);
        }
    }
    write_rest(v, sink);
    return status;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Aligns numbers to the right, names to the left.
 */
#include "hpfile/sink.h"
#include "table.h"

#include <string.h>

#include "unit_format.h"
#include "output.h"

static table_cell cell_of(const table *t, size_t row, size_t column)
{
    return t->cell(t->context, row, column);
}

static bool is_whole(table_kind kind)
{
    return kind == TABLE_COUNT || kind == TABLE_BYTES;
}

static formatted number(const table *t, size_t row, size_t column)
{
    table_cell cell = cell_of(t, row, column);
    switch (t->columns[column].kind) {
    case TABLE_BYTES:
        return format_amount((double)cell.whole, HPF_STR("bytes"), t->exact);
    case TABLE_TIME:
        return format_time(cell.real, HPF_STR("seconds"), t->exact);
    case TABLE_SHARE:
        return format_share(cell.real);
    case TABLE_BYTES_CHANGE:
        return format_change(cell.real, HPF_STR("bytes"), t->exact);
    case TABLE_TIME_CHANGE:
        return format_time_change(cell.real, HPF_STR("seconds"), t->exact);
    default:
        return format_count(cell.whole);
    }
}

/* Returns the number of UTF-8 characters. */
static size_t length_of(hpf_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.length; i++) {
        n += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    }
    return n;
}

static hpf_str text_of(const char *text)
{
    return (hpf_str){text, strlen(text)};
}

static size_t width_of(const table *t, size_t column)
{
    size_t width = length_of(text_of(t->columns[column].heading));
    for (size_t row = 0; row < t->n_rows; row++) {
        size_t length = t->columns[column].kind == TABLE_NAME
                            ? length_of(cell_of(t, row, column).name)
                            : length_of(text_of(number(t, row, column).text));
        width = length > width ? length : width;
    }
    return width;
}

static void write_padding(hpf_sink *sink, size_t n)
{
    hpf_sink_printf(sink, "%*s", (int)n, "");
}

static void write_right(hpf_sink *sink, const char *text, size_t width)
{
    size_t length = length_of(text_of(text));
    write_padding(sink, length < width ? width - length : 0);
    hpf_sink_text(sink, text);
}

/* The last column is not padded. */
static void write_left(hpf_sink *sink, hpf_str name, size_t width, bool is_last)
{
    hpf_sink_name(sink, name);
    size_t length = length_of(name);
    write_padding(sink, is_last || length >= width ? 0 : width - length);
}

/* Writes a cell, or the heading for row SIZE_MAX. */
static void write_text_cell(const table *t, hpf_sink *sink, size_t row, size_t column, size_t width)
{
    const table_column *c = &t->columns[column];
    bool is_head = row == SIZE_MAX;
    hpf_sink_text(sink, column ? "  " : "");
    if (c->kind == TABLE_NAME) {
        write_left(sink, is_head ? text_of(c->heading) : cell_of(t, row, column).name, width,
                   column + 1 == t->n_columns);
    } else {
        write_right(sink, is_head ? c->heading : number(t, row, column).text, width);
    }
}

enum { MOST_COLUMNS = 16 };

static void write_text(const table *t, hpf_sink *sink)
{
    size_t widths[MOST_COLUMNS] = {0};
    for (size_t column = 0; column < t->n_columns; column++) {
        widths[column] = width_of(t, column);
    }
    for (size_t line = 0; line <= t->n_rows; line++) {
        for (size_t column = 0; column < t->n_columns; column++) {
            write_text_cell(t, sink, line - 1, column, widths[column]);
        }
        hpf_sink_text(sink, "\n");
    }
}

static void write_csv(const table *t, hpf_sink *sink)
{
    for (size_t column = 0; column < t->n_columns; column++) {
        hpf_sink_printf(sink, "%s%s", column ? "," : "", t->columns[column].key);
    }
    hpf_sink_text(sink, "\n");
    for (size_t row = 0; row < t->n_rows; row++) {
        for (size_t column = 0; column < t->n_columns; column++) {
            table_cell cell = cell_of(t, row, column);
            hpf_sink_text(sink, column ? "," : "");
            if (t->columns[column].kind == TABLE_NAME) {
                hpf_sink_cell(sink, cell.name, false);
            } else if (is_whole(t->columns[column].kind)) {
                hpf_sink_whole(sink, cell.whole);
            } else {
                hpf_sink_shortest(sink, cell.real);
            }
        }
        hpf_sink_text(sink, "\n");
    }
}

static void write_markdown(const table *t, hpf_sink *sink)
{
    for (size_t column = 0; column < t->n_columns; column++) {
        hpf_sink_printf(sink, "| %s ", t->columns[column].heading);
    }
    hpf_sink_text(sink, "|\n");
    for (size_t column = 0; column < t->n_columns; column++) {
        hpf_sink_text(sink, t->columns[column].kind == TABLE_NAME ? "| --- " : "| ---: ");
    }
    hpf_sink_text(sink, "|\n");
    for (size_t row = 0; row < t->n_rows; row++) {
        for (size_t column = 0; column < t->n_columns; column++) {
            hpf_sink_text(sink, "| ");
            if (t->columns[column].kind != TABLE_NAME) {
                hpf_sink_text(sink, number(t, row, column).text);
            } else if (cell_of(t, row, column).name.length) {
                output_markdown_name(sink, cell_of(t, row, column).name);
            }
            hpf_sink_text(sink, " ");
        }
        hpf_sink_text(sink, "|\n");
    }
}

void table_write(const table *t, table_format format, hpf_sink *sink)
{
    if (format == TABLE_AS_CSV) {
        write_csv(t, sink);
    } else if (format == TABLE_AS_MARKDOWN) {
        write_markdown(t, sink);
    } else {
        write_text(t, sink);
    }
}

void table_write_json(const table *t, hpf_json *json, const char *key)
{
    hpf_json_array(json, key);
    for (size_t row = 0; row < t->n_rows; row++) {
        hpf_json_object(json, NULL);
        for (size_t column = 0; column < t->n_columns; column++) {
            const table_column *c = &t->columns[column];
            table_cell cell = cell_of(t, row, column);
            if (c->kind == TABLE_NAME) {
                hpf_json_str(json, c->key, cell.name);
            } else if (is_whole(c->kind)) {
                hpf_json_whole(json, c->key, cell.whole);
            } else {
                hpf_json_number(json, c->key, cell.real);
            }
        }
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Aligns numbers to the right, names to the left.
 */
#include "hpfile/sink.h"
#include "base/utf8.h"
#include "table.h"

#include <string.h>

#include "unit_format.h"

/* Returns the first column from `column` on that is shown, or the number of columns. */
static size_t next_column(const table *t, size_t column)
{
    while (column < t->n_columns && t->hidden >> column & 1) {
        column++;
    }
    return column;
}

#define FOR_COLUMNS(t, c)                                                                          \
    for (size_t c = next_column(t, 0); c < (t)->n_columns; c = next_column(t, c + 1))

static bool is_whole(table_kind kind)
{
    return kind == TABLE_COUNT || kind == TABLE_BYTES;
}

static formatted number(const table *t, size_t column, table_cell cell)
{
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

/* Returns a cell as text; `room` is for numbers. */
static hpf_str cell_text(const table *t, size_t column, table_cell cell, formatted *room)
{
    if (t->columns[column].kind == TABLE_NAME) {
        return cell.name;
    }
    *room = number(t, column, cell);
    return hpf_str_of(room->text);
}

/* The last column is not padded, unless it has numbers. */
static void write_text(const table *t, hpf_sink *sink)
{
    size_t widths[TABLE_MOST_COLUMNS] = {0};
    table_cell cells[TABLE_MOST_COLUMNS];
    formatted room;
    for (int is_written = 0; is_written <= 1; is_written++) {
        for (size_t line = 0; line <= t->n_rows; line++) {
            if (line > 0) {
                t->fill(t->context, line - 1, cells);
            }
            FOR_COLUMNS(t, c)
            {
                bool is_name = t->columns[c].kind == TABLE_NAME;
                bool is_last = next_column(t, c + 1) == t->n_columns;
                hpf_str text = line == 0 ? hpf_str_of(t->columns[c].heading)
                                         : cell_text(t, c, cells[c], &room);
                size_t length = hpf_utf8_length(text);
                if (!is_written) {
                    widths[c] = length > widths[c] ? length : widths[c];
                    continue;
                }
                int padding = (int)(widths[c] - length);
                hpf_sink_printf(sink, "%s%*s", c > next_column(t, 0) ? "  " : "",
                                is_name ? 0 : padding, "");
                hpf_sink_name(sink, text);
                hpf_sink_printf(sink, "%*s", is_name && !is_last ? padding : 0, "");
            }
            hpf_sink_text(sink, is_written ? "\n" : "");
        }
    }
}

static void write_csv(const table *t, hpf_sink *sink)
{
    table_cell cells[TABLE_MOST_COLUMNS];
    FOR_COLUMNS(t, c)
    {
        hpf_sink_printf(sink, "%s%s", c > next_column(t, 0) ? "," : "", t->columns[c].key);
    }
    hpf_sink_text(sink, "\n");
    for (size_t row = 0; row < t->n_rows; row++) {
        t->fill(t->context, row, cells);
        FOR_COLUMNS(t, c)
        {
            hpf_sink_text(sink, c > next_column(t, 0) ? "," : "");
            if (t->columns[c].kind == TABLE_NAME) {
                hpf_sink_cell(sink, cells[c].name, false);
            } else if (is_whole(t->columns[c].kind)) {
                hpf_sink_whole(sink, cells[c].whole);
            } else {
                hpf_sink_shortest(sink, cells[c].real);
            }
        }
        hpf_sink_text(sink, "\n");
    }
}

void table_write(const table *t, table_format format, hpf_sink *sink)
{
    if (format == TABLE_AS_CSV) {
        write_csv(t, sink);
    } else {
        write_text(t, sink);
    }
}

void table_write_json_cells(const table *t, const table_cell *cells, hpf_json *json)
{
    FOR_COLUMNS(t, c)
    {
        const table_column *column = &t->columns[c];
        if (column->kind == TABLE_NAME) {
            hpf_json_str(json, column->key, cells[c].name);
        } else if (is_whole(column->kind)) {
            hpf_json_whole(json, column->key, cells[c].whole);
        } else {
            hpf_json_number(json, column->key, cells[c].real);
        }
    }
}

void table_write_json(const table *t, hpf_json *json, const char *key)
{
    table_cell cells[TABLE_MOST_COLUMNS];
    hpf_json_array(json, key);
    for (size_t row = 0; row < t->n_rows; row++) {
        t->fill(t->context, row, cells);
        hpf_json_object(json, NULL);
        table_write_json_cells(t, cells, json);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables of comma-separated values (docs/formats/csv.md): the reader of both shapes of profiles,
 * and cells for other tables.
 *
 *   wide: a row for each sample, a column for each name      tidy: a row for each amount
 *
 *     time,"main","queens"                                     time,name,value
 *     0.1,1024,0                                               0.1,"main",1024
 *     0.2,1024,77                                              0.1,"queens",0
 *
 * A wide table is complete: a name that is absent has 0. A tidy one omits zeros, except next to an
 * amount of the same name, so that plotted lines come down to zero.
 *
 * Headers and marks are not written; when a table is read, JOB and DATE are empty and the units are
 * seconds and bytes. Costs of a repeated name in a sample are added up.
 */

#include <stdlib.h>

#include "hpfile/event.h"
#include "hpfile/source.h"
#include "base/buffer.h"
#include "event/emitter.h"
#include "event/format_row.h"
#include "hpfile/str.h"
#include "hpfile/sink.h"
#include "base/arena.h"
#include "event/costs.h"
#include "base/number.h"

typedef struct cell {
    size_t begin, end; /* in the row's text */
    hpf__location place;
    bool was_quoted;
} cell;

typedef struct table {
    hpf__cursor scan;
    hpf__emitter emit;
    hpf_error *err;
    hpf__buffer text; /* of all cells of the row, one after the other */
    cell *cells;
    size_t n_cells;
    size_t cells_capacity;
    hpf__location row_place;
    size_t n_columns;
    hpf_name *names;                               /* wide: by column; the first is not used */
    size_t time_column, name_column, value_column; /* tidy */
    /* tidy: the sample being gathered */
    bool has_time;
    double time;
    hpf__location time_place;
    uint64_t *seen; /* by name: the number of the last sample that has it */
    size_t seen_capacity;
} table;

static hpf_status fail(const table *t, hpf__location place, const char *what)
{
    return hpf__location_error(place, t->err, HPF_ERR_SYNTAX, "%s", what);
}

static hpf_status out_of_memory(const table *t)
{
    return hpf_error_set_memory(t->err);
}

/* ---- Rows and cells ---- */

static hpf_str cell_text(const table *t, size_t column)
{
    const cell *c = &t->cells[column];
    return (hpf_str){t->text.bytes + c->begin, c->end - c->begin};
}

/* Returns the name in a cell, without the apostrophe that keeps spreadsheets from calculating it.
 */
static hpf_str cell_name(const table *t, size_t column)
{
    hpf_str text = cell_text(t, column);
    bool is_guarded = text.length > 0 && *text.data == '\'' && hpf__is_formula(text);
    return is_guarded ? hpf_str_from(text, 1) : text;
}

static bool ends_cell(int byte)
{
    return byte == ',' || byte == '\n' || byte == HPF__CURSOR_END;
}

/* A row may have the bytes of this many longest names. */
#define ROW_NAMES 16

/* The most columns: their cells, of any length, take 256 MiB. */
#define MOST_COLUMNS (1u << 22)

/* Adds a byte to the cell that begins at `begin`. */
static hpf_status add_byte(table *t, const cell *c, int byte)
{
    char letter = (char)byte;
    size_t most = hpf__cursor_max(&t->scan);
    if (t->text.length - c->begin >= most) {
        return hpf__cursor_fail_long(&t->scan, c->place);
    }
    if (t->text.length / ROW_NAMES >= most) {
        return hpf__location_error(t->row_place, t->err, HPF_ERR_LIMIT,
                                   "a row of more than %zu bytes", ROW_NAMES * most);
    }
    return hpf__buffer_append(&t->text, &letter, 1) ? HPF_OK : out_of_memory(t);
}

/* Reads the inside of a quoted cell, after its first quote. */
static hpf_status read_quoted(table *t, const cell *c)
{
    for (;;) {
        int byte = hpf__cursor_peek(&t->scan);
        if (byte == HPF__CURSOR_END) {
            return t->scan.status == HPF_END ? fail(t, c->place, "the quotation mark is not closed")
                                             : t->scan.status;
        }
        hpf__cursor_pass(&t->scan);
        if (byte == '"') {
            if (hpf__cursor_peek(&t->scan) != '"') {
                return HPF_OK;
            }
            hpf__cursor_pass(&t->scan);
        }
        hpf_status status = add_byte(t, c, byte);
        if (status != HPF_OK) {
            return status;
        }
    }
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* Blanks around a cell that is not quoted, and the carriage return of CR LF, do not belong to it.
 */
static void trim(const table *t, cell *c)
{
    while (c->end > c->begin && is_blank(t->text.bytes[c->end - 1])) {
        c->end--;
    }
    while (c->end > c->begin && is_blank(t->text.bytes[c->begin])) {
        c->begin++;
    }
}

static hpf_status read_plain(table *t, const cell *c)
{
    int byte;
    while (!ends_cell(byte = hpf__cursor_peek(&t->scan))) {
        hpf__cursor_pass(&t->scan);
        hpf_status status = add_byte(t, c, byte);
        if (status != HPF_OK) {
            return status;
        }
    }
    return byte == HPF__CURSOR_END && t->scan.status != HPF_END ? t->scan.status : HPF_OK;
}

/* Only blanks may follow the closing quote. */
static hpf_status pass_blanks(table *t)
{
    int byte;
    while (!ends_cell(byte = hpf__cursor_peek(&t->scan))) {
        if (!is_blank((char)byte)) {
            return fail(t, hpf__cursor_spot(&t->scan), "expected a comma after the closing quote");
        }
        hpf__cursor_pass(&t->scan);
    }
    return byte == HPF__CURSOR_END && t->scan.status != HPF_END ? t->scan.status : HPF_OK;
}

static hpf_status read_cell(table *t)
{
    if (t->n_cells == MOST_COLUMNS) {
        return hpf__location_error(t->row_place, t->err, HPF_ERR_LIMIT,
                                   "a row of more than %u cells", MOST_COLUMNS);
    }
    if (!HPF__ARRAY_RESERVE(t->cells, t->cells_capacity, t->n_cells + 1)) {
        return out_of_memory(t);
    }
    int first = hpf__cursor_peek(&t->scan);
    cell c = {t->text.length, 0, hpf__cursor_spot(&t->scan), first == '"'};
    hpf_status status;
    if (c.was_quoted) {
        hpf__cursor_pass(&t->scan);
        status = read_quoted(t, &c);
        c.end = t->text.length;
        status = status == HPF_OK ? pass_blanks(t) : status;
    } else {
        status = read_plain(t, &c);
        c.end = t->text.length;
        trim(t, &c);
    }
    t->cells[t->n_cells++] = c;
    return status;
}

/* Reads the cells of one line, which may be a single empty one. Returns HPF_END if there is no
 * line. */
static hpf_status read_line(table *t)
{
    t->n_cells = 0;
    t->text.length = 0;
    if (hpf__cursor_peek(&t->scan) == HPF__CURSOR_END) {
        return t->scan.status;
    }
    t->row_place = hpf__cursor_spot(&t->scan);
    for (;;) {
        hpf_status status = read_cell(t);
        if (status != HPF_OK) {
            return status;
        }
        int byte = hpf__cursor_peek(&t->scan);
        if (byte != HPF__CURSOR_END) {
            hpf__cursor_pass(&t->scan);
        }
        if (byte != ',') {
            return HPF_OK;
        }
    }
}

/* Reads the next line that is not empty. */
static hpf_status read_row(table *t)
{
    hpf_status status;
    do {
        status = read_line(t);
    } while (status == HPF_OK && t->n_cells == 1 && t->cells[0].begin == t->cells[0].end);
    return status;
}

static hpf_status check_width(const table *t)
{
    if (t->n_cells != t->n_columns) {
        return hpf__location_error(t->row_place, t->err, HPF_ERR_SYNTAX,
                                   "expected %zu cells as in the first line, found %zu",
                                   t->n_columns, t->n_cells);
    }
    return HPF_OK;
}

/* ---- What cells mean ---- */

/* Returns whether a cell is what tools write where there is no value. */
static bool is_missing(hpf_str text)
{
    static const char *const words[] = {"", "NA", "NaN", "nan", "null"};
    size_t i = 0;
    while (i < sizeof words / sizeof *words && !hpf_str_is(text, words[i])) {
        i++;
    }
    return i < sizeof words / sizeof *words;
}

/* Adds the amount in a cell, unless it is none or zero. */
static hpf_status take_amount(table *t, size_t column, hpf_name name)
{
    hpf_cost cost = {.name = name};
    hpf_str text = cell_text(t, column);
    if (is_missing(text)) {
        return HPF_OK;
    }
    hpf_status status = hpf__amount_parse(&cost, text, t->cells[column].place, t->err);
    if (status != HPF_OK || hpf_cost_amount(&cost) == 0) {
        return status;
    }
    return hpf__emitter_cost(&t->emit, &cost, t->err);
}

static hpf_status parse_time(const table *t, size_t column, double *time)
{
    hpf_cost number;
    hpf_status status =
        hpf__amount_parse(&number, cell_text(t, column), t->cells[column].place, t->err);
    *time = status == HPF_OK ? hpf_cost_amount(&number) : 0;
    return status;
}

/* ---- Wide ---- */

static hpf_status read_wide_head(table *t)
{
    hpf_status status = HPF_OK;
    t->names = calloc(t->n_columns, sizeof *t->names);
    if (!t->names) {
        return out_of_memory(t);
    }
    for (size_t i = 1; i < t->n_columns && status == HPF_OK; i++) {
        status = hpf__emitter_name(&t->emit, cell_name(t, i), &t->names[i], t->err);
    }
    return status;
}

static hpf_status read_wide_row(table *t)
{
    double time;
    hpf_status status = parse_time(t, 0, &time);
    for (size_t i = 1; i < t->n_columns && status == HPF_OK; i++) {
        status = take_amount(t, i, t->names[i]);
    }
    return status == HPF_OK ? hpf__emitter_sample(&t->emit, time, t->cells[0].place, t->err)
                            : status;
}

/* ---- Tidy ---- */

/* Returns whether there are just the three columns, and where. The wide table of two names `name`
 * and `value` has those quoted and `time` not. */
static bool is_tidy_head(table *t)
{
    unsigned found = 0;
    for (size_t i = 0; t->n_cells == 3 && i < 3; i++) {
        hpf_str text = cell_text(t, i);
        size_t *column = hpf_str_is(text, "time")    ? &t->time_column
                         : hpf_str_is(text, "name")  ? &t->name_column
                         : hpf_str_is(text, "value") ? &t->value_column
                                                     : NULL;
        if (column) {
            *column = i;
            found |= 1u << i;
        }
    }
    return found == 7 &&
           (t->cells[t->time_column].was_quoted || !t->cells[t->name_column].was_quoted);
}

static hpf_status send_tidy_sample(table *t)
{
    return t->has_time ? hpf__emitter_sample(&t->emit, t->time, t->time_place, t->err) : HPF_OK;
}

/* Notes that the sample being gathered has `name`; `*again` if it had it already. */
static hpf_status note_name(table *t, hpf_name name, bool *again)
{
    size_t known = t->seen_capacity;
    if (!HPF__ARRAY_RESERVE(t->seen, t->seen_capacity, (size_t)name + 1)) {
        return out_of_memory(t);
    }
    for (; known < t->seen_capacity; known++) {
        t->seen[known] = 0;
    }
    *again = t->seen[name] == t->emit.n_samples + 1;
    t->seen[name] = t->emit.n_samples + 1;
    return HPF_OK;
}

/* A sample ends where the time changes, and where a name comes again: there are samples of equal
 * times. */
static hpf_status begin_tidy_sample(table *t, double time, bool again)
{
    if (t->has_time && time == t->time && !again) {
        return HPF_OK;
    }
    hpf_status status = send_tidy_sample(t);
    t->has_time = true;
    t->time = time;
    t->time_place = t->cells[t->time_column].place;
    return status;
}

/* A row without name and value means that there was a sample. */
static bool is_sample_only(const table *t)
{
    return cell_text(t, t->name_column).length == 0 && is_missing(cell_text(t, t->value_column));
}

static hpf_status read_tidy_row(table *t)
{
    hpf_name name = 0;
    bool again = false;
    double time;
    hpf_status status = parse_time(t, t->time_column, &time);
    if (status == HPF_OK && is_sample_only(t)) {
        return begin_tidy_sample(t, time, false);
    }
    if (status == HPF_OK) {
        status = hpf__emitter_name(&t->emit, cell_name(t, t->name_column), &name, t->err);
    }
    status = status == HPF_OK ? note_name(t, name, &again) : status;
    status = status == HPF_OK ? begin_tidy_sample(t, time, again) : status;
    status = status == HPF_OK ? note_name(t, name, &again) : status;
    return status == HPF_OK ? take_amount(t, t->value_column, name) : status;
}

/* ---- The whole ---- */

/* Skips the mark that some tools put in front of UTF-8 text. */
static hpf_status pass_byte_order_mark(table *t)
{
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    size_t i = 0;
    while (i < sizeof mark && hpf__cursor_peek(&t->scan) == mark[i]) {
        hpf__cursor_pass(&t->scan);
        i++;
    }
    return i == 0 || i == sizeof mark
               ? HPF_OK
               : fail(t, hpf__cursor_spot(&t->scan), "expected a line with the names of columns");
}

static hpf_status read_rows(table *t, hpf_status (*read)(table *t))
{
    hpf_status status;
    while ((status = read_row(t)) == HPF_OK) {
        status = check_width(t);
        if (status == HPF_OK) {
            status = read(t);
        }
        if (status != HPF_OK) {
            return status;
        }
    }
    return status == HPF_END ? HPF_OK : status;
}

static hpf_status read_table(table *t)
{
    hpf_status status = pass_byte_order_mark(t);
    status = status == HPF_OK ? read_row(t) : status;
    if (status != HPF_OK) {
        return status == HPF_END ? fail(t, hpf__cursor_spot(&t->scan), "the table is empty")
                                 : status;
    }
    t->n_columns = t->n_cells;
    for (int i = 0; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        status = hpf__emitter_default_header(&t->emit, (hpf_header)i, t->err);
    }
    if (status == HPF_OK && is_tidy_head(t)) {
        status = read_rows(t, read_tidy_row);
        status = status == HPF_OK ? send_tidy_sample(t) : status;
    } else if (status == HPF_OK) {
        status = read_wide_head(t);
        status = status == HPF_OK ? read_rows(t, read_wide_row) : status;
    }
    if (status == HPF_OK && t->emit.n_samples == 0) {
        status = fail(t, hpf__cursor_spot(&t->scan), "expected at least one line below the first");
    }
    return status;
}

/* Returns whether the first cell of the first line is `time`. */
static bool csv_is_format(hpf_str head)
{
    /* The last one is of a table without names. */
    hpf_str text = hpf__head_text(head);
    return hpf_str_begins(text, "time,") || hpf_str_begins(text, "\"time\",") ||
           hpf_str_begins(text, "time\n");
}

/* Reads a table of either shape. It is tidy if its columns are `time`, `name` and `value`, in any
 * order; else the first column is the time and each other one a name. Errors: SYNTAX, ORDER (time
 * goes back), RANGE, LIMIT, MEMORY, from the source and the consumer. */
static hpf_status csv_read(hpf_source *source, const hpf_events *events, void *context,
                           const hpf_reader_options *options, hpf_error *err)
{
    table t = {
        .scan = hpf__cursor_of(source, options, err),
        .emit = {.events = events, .context = context},
        .err = err,
    };
    hpf_status status = read_table(&t);
    hpf__emitter_finish(&t.emit);
    hpf__buffer_finish(&t.text);
    free(t.cells);
    free(t.names);
    free(t.seen);
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct csv_writer {
    hpf_writer base;
    bool is_tidy;
    hpf_str *names;
    size_t names_capacity;
    uint32_t n_names;
    bool is_begun;                            /* the first line is written */
    bool is_held;                             /* tidy: `held` waits for its successor */
    hpf__buffer row;                          /* wide: the cells of one sample */
    hpf__sample_by_name *before, *held, *now; /* in `samples`, taking turns */
    hpf__sample_by_name samples[3];
} csv_writer;

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    csv_writer *w = context;
    if (w->is_begun && !w->is_tidy) {
        return hpf_error_set(err, HPF_ERR_ORDER,
                             "a name cannot be added after the first row of a wide table");
    }
    hpf_str copy = hpf_arena_str(w->base.arena, text);
    if (!copy.data || !HPF__ARRAY_RESERVE(w->names, w->names_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    w->names[name] = copy;
    w->n_names = name + 1;
    return HPF_OK;
}

static void begin(csv_writer *w)
{
    if (w->is_begun) {
        return;
    }
    w->is_begun = true;
    hpf_sink_text(w->base.sink, w->is_tidy ? "time,name,value" : "time");
    for (hpf_name i = 0; !w->is_tidy && i < w->n_names; i++) {
        hpf_sink_text(w->base.sink, ",");
        hpf_sink_cell(w->base.sink, w->names[i], w->base.options.raw_names);
    }
    hpf_sink_text(w->base.sink, "\n");
}

/* The row is put together aside: most cells of many names are zero, two bytes each. */
static bool write_wide(csv_writer *w, const hpf__sample_by_name *sample)
{
    w->row.length = 0;
    if (!hpf__buffer_reserve(&w->row, HPF__NUMBER_BYTES)) {
        return false;
    }
    w->row.length = hpf__number_shortest(w->row.bytes, sample->time);
    for (hpf_name i = 0; i < w->n_names; i++) {
        const hpf_cost *cost = hpf__sample_by_name_find(sample, i);
        if (!hpf__buffer_reserve(&w->row, 1 + HPF__NUMBER_BYTES)) {
            return false;
        }
        char *to = w->row.bytes + w->row.length;
        *to = ',';
        to[1] = '0';
        w->row.length += 1 + (cost ? hpf__number_cost(to + 1, cost) : 1);
    }
    hpf_sink_write(w->base.sink, w->row.bytes, w->row.length);
    hpf_sink_write(w->base.sink, "\n", 1);
    return true;
}

static void write_tidy_row(csv_writer *w, hpf_str time, const hpf_cost *cost)
{
    char amount[HPF__NUMBER_BYTES];
    hpf_sink_str(w->base.sink, time);
    hpf_sink_write(w->base.sink, ",", 1);
    hpf_sink_cell(w->base.sink, w->names[cost->name], w->base.options.raw_names);
    hpf_sink_write(w->base.sink, ",", 1);
    hpf_sink_write(w->base.sink, amount, hpf__number_cost(amount, cost));
    hpf_sink_write(w->base.sink, "\n", 1);
}

/* Zeros for the names of `neighbour` that `sample` lacks, and `done`, unless NULL, too. */
static void write_tidy_zeros(csv_writer *w, hpf_str time, const hpf__sample_by_name *sample,
                             const hpf__sample_by_name *neighbour, const hpf__sample_by_name *done)
{
    for (size_t i = 0; i < neighbour->n_costs; i++) {
        const hpf_cost zero = {.name = neighbour->costs[i].name};
        if (!hpf__sample_by_name_find(sample, zero.name) &&
            !(done && hpf__sample_by_name_find(done, zero.name))) {
            write_tidy_row(w, time, &zero);
        }
    }
}

/* Writes the sample that waited; `now` is the one after it. */
static void write_tidy(csv_writer *w)
{
    char text[HPF__NUMBER_BYTES];
    hpf_str time = {text, hpf__number_shortest(text, w->held->time)};
    for (size_t i = 0; i < w->held->n_costs; i++) {
        write_tidy_row(w, time, &w->held->costs[i]);
    }
    write_tidy_zeros(w, time, w->held, w->before, NULL);
    write_tidy_zeros(w, time, w->held, w->now, w->before);
    if (w->before->n_costs + w->held->n_costs + w->now->n_costs == 0) {
        hpf_sink_str(w->base.sink, time);
        hpf_sink_text(w->base.sink, ",,\n");
    }
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    csv_writer *w = context;
    begin(w);
    if (!hpf__sample_by_name_take(w->now, sample)) {
        return hpf_error_set_memory(err);
    }
    if (!w->is_tidy) {
        return write_wide(w, w->now) ? HPF_OK : hpf_error_set_memory(err);
    }
    if (w->is_held) {
        write_tidy(w);
    }
    w->is_held = true;
    hpf__sample_by_name *oldest = w->before;
    w->before = w->held;
    w->held = w->now;
    w->now = oldest;
    return HPF_OK;
}

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    csv_writer *w = (csv_writer *)base;
    const hpf_sample none = {0};
    begin(w);
    if (w->is_held && hpf__sample_by_name_take(w->now, &none)) {
        write_tidy(w);
        w->is_held = false;
    }
    return hpf_sink_flush(w->base.sink, err);
}

static void release(hpf_writer *base)
{
    csv_writer *w = (csv_writer *)base;
    free(w->names);
    hpf__buffer_finish(&w->row);
    for (int i = 0; i < 3; i++) {
        hpf__sample_by_name_finish(&w->samples[i]);
    }
}

static bool init(hpf_writer *base)
{
    csv_writer *w = (csv_writer *)base;
    w->is_tidy = base->format == &hpf_format_tidy;
    w->before = &w->samples[0];
    w->held = &w->samples[1];
    w->now = &w->samples[2];
    return true;
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(csv_writer),
    .events = {.name = on_name, .sample = on_sample},
    .init = init,
    .finish = finish,
    .release = release,
};

const hpf_format hpf_format_csv = {
    .name = "csv",
    .extension = "csv",
    .summary = "table: one row for each sample, one column for each name",
    .read = csv_read,
    .is_format = csv_is_format,
    .writer = &writer,
    .is_for_spreadsheets = true,
};

const hpf_format hpf_format_tidy = {
    .name = "tidy",
    .extension = "tidy",
    .summary = "table as CSV: one row for each amount, with time, name and value",
    .writer = &writer,
    .is_for_spreadsheets = true,
};

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a `.prof`: the totals, then the table of cost-centre stacks, whose indentation is the
 * tree. Names may contain blanks: the title of the table shows the columns of modules and places.
 * Numbers are taken from the end of a row.
 *
 * docs/formats/prof.md has the layout.
 */
#include <math.h>
#include <string.h>

#include "hpfile/prof.h"
#include "hpfile/str.h"
#include "base/intern.h"
#include "base/words.h"
#include "prof/prof_file.h"

static const char title[] = " Time and Allocation Profiling Report";

/* The columns, in characters from 0. */
typedef struct columns {
    size_t module;
    size_t source;     /* 0: there is none, as before GHC 8.0 */
    size_t number_end; /* of "no.", which entries of eleven digits touch */
    size_t entries_begin;
    bool has_amounts; /* the last two are ticks and bytes */
} columns;

/* A row of the table, its numbers as words. */
enum { NUMBER, ENTRIES, TIME, ALLOC, INHERITED_TIME, INHERITED_ALLOC, TICKS, BYTES, N_NUMBERS };
typedef struct table_row {
    hpf_str label, module, source;
    size_t depth;
    hpf_str numbers[N_NUMBERS];
} table_row;

typedef struct text_report {
    hpf_prof_file *file;
    hpf__lines lines;
    hpf_error *err;
    columns columns;
    hpf__intern centres; /* "label NUL module NUL source" */
    hpf__buffer key;
    uint32_t open[HPF__PROF_DEEPEST]; /* the stacks around the next row, by depth */
    size_t n_open;
} text_report;

/* --- words --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes the last word off. */
static hpf_str cut_word(hpf_str *text)
{
    *text = hpf__trimmed(*text);
    size_t begin = text->length;
    while (begin > 0 && !is_blank(text->data[begin - 1])) {
        begin--;
    }
    hpf_str word = hpf_str_from(*text, begin);
    text->length = begin;
    return word;
}

/* Returns the position of `word` in the text, or the length of the text without it. */
static size_t find(hpf_str text, const char *word)
{
    const char *found = hpf_str_find(text, word);
    return found ? (size_t)(found - text.data) : text.length;
}

/* Returns the text after `word`, or an empty text. */
static hpf_str text_after(hpf_str text, const char *word)
{
    size_t at = find(text, word);
    size_t passed = at < text.length ? at + strlen(word) : at;
    return hpf_str_from(text, passed);
}

/* Returns the byte at which a character begins. */
static size_t byte_of(hpf_str text, size_t character)
{
    size_t at = 0;
    while (at < text.length && (character > 0 || (text.data[at] & 0xc0) == 0x80)) {
        character -= (text.data[at] & 0xc0) != 0x80;
        at++;
    }
    return at;
}

/* Reads digits, which may have commas between them. */
static uint64_t leading_number(hpf_str text)
{
    uint64_t number = 0;
    text = hpf__trimmed(text);
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (c != ',' && (c < '0' || c > '9')) {
            break;
        }
        number = c == ',' ? number : number * 10 + (uint64_t)(c - '0');
    }
    return number;
}

/* --- lines --- */

static hpf_status complain(const text_report *r, hpf_status status, const char *what)
{
    return hpf__location_error(r->lines.place, r->err, status, "%s", what);
}

/* Fails with what a file without a report is instead. */
static hpf_status complain_of_none(const text_report *r, bool has_retainers)
{
    return has_retainers
               ? hpf_error_set(r->err, HPF_ERR_UNSUPPORTED,
                               "a report of retainer sets, not of time and allocation: pass it as "
                               "--sets FILE, together with the heap profile of the same run")
               : complain(r, HPF_ERR_SYNTAX, "expected a time and allocation profiling report");
}

/* --- the head --- */

/* Skips the censuses of -hr, which precede the report of -p. */
static hpf_status read_title(text_report *r)
{
    bool has_retainers = false;
    hpf_status status;
    while ((status = hpf__lines_next(&r->lines)) == HPF_OK) {
        hpf_str line = r->lines.text;
        size_t at = find(line, title);
        if (at < line.length) {
            hpf_str date = hpf__trimmed((hpf_str){line.data, at});
            return hpf__prof_file_keep(r->file, date, &r->file->prof.date, r->err);
        }
        has_retainers |= hpf_str_begins(line, "Retainer ");
    }
    return status == HPF_END ? complain_of_none(r, has_retainers) : status;
}

/* "(770 ticks @ 1000 us, 1 processor)"; before GHC 7.0 "(8 ticks @ 20 ms)" */
static void read_total_time(text_report *r, hpf_str line)
{
    hpf_str ticks = text_after(line, "(");
    hpf_str period = text_after(ticks, " ticks @ ");
    hpf_str processors = text_after(period, ", ");
    bool is_ms = find(period, " ms") < period.length;
    r->file->prof.total_ticks = leading_number(ticks);
    r->file->prof.tick_us = leading_number(period) * (is_ms ? 1000 : 1);
    r->file->prof.n_processors = (uint32_t)leading_number(processors);
}

static bool read_titles(columns *c, hpf_str line)
{
    size_t number = find(line, " no. ");
    c->module = find(line, " MODULE ") + 1;
    c->source = find(line, " SRC ") + 1;
    c->source = c->source > number ? 0 : c->source;
    c->number_end = number + 4;
    c->entries_begin = find(line, " entries") + 1;
    c->has_amounts = find(line, " ticks") < line.length;
    return find(line, "COST CENTRE ") == 0 && c->module < number && number < line.length;
}

static hpf_status read_head_line(text_report *r, hpf_str line)
{
    hpf_str *program = &r->file->prof.program;
    size_t options = find(line, " +RTS");
    if (program->length == 0 && line.length > 0) {
        return hpf__prof_file_keep(r->file, hpf__trimmed((hpf_str){line.data, options}), program,
                                   r->err);
    }
    if (find(line, "total time") < line.length) {
        read_total_time(r, line);
    } else if (find(line, "total alloc") < line.length) {
        r->file->prof.total_bytes = leading_number(text_after(line, "="));
    }
    return HPF_OK;
}

/* Reads up to the titles of the table and the empty line after them. */
static hpf_status read_head(text_report *r)
{
    hpf_status status = read_title(r);
    bool is_table = false;
    while (status == HPF_OK && !is_table && (status = hpf__lines_next(&r->lines)) == HPF_OK) {
        is_table = read_titles(&r->columns, r->lines.text);
        status = is_table ? HPF_OK : read_head_line(r, r->lines.text);
    }
    status = status == HPF_OK ? hpf__lines_next(&r->lines) : status;
    return status == HPF_END ? complain(r, HPF_ERR_SYNTAX, "expected a table of cost-centre stacks")
                             : status;
}

/* --- rows --- */

/* The number of a stack precedes its entries, perhaps without a blank. What ends before their
 * column is the number: entries were not counted. */
static hpf_str cut_number(const text_report *r, hpf_str line, hpf_str *rest, hpf_str *entries)
{
    const char *end = line.data + byte_of(line, r->columns.number_end);
    hpf_str number = *entries;
    if (entries->data + entries->length <= line.data + byte_of(line, r->columns.entries_begin)) {
        *entries = (hpf_str){entries->data, 0};
        return number;
    }
    if (end <= entries->data || end >= entries->data + entries->length) {
        return cut_word(rest);
    }
    number.length = (size_t)(end - entries->data);
    *entries = (hpf_str){end, entries->length - number.length};
    return number;
}

/* Cuts the numbers off the end of a line, and leaves the names. */
static hpf_str cut_numbers(const text_report *r, hpf_str line, table_row *out)
{
    hpf_str rest = line;
    for (int i = r->columns.has_amounts ? BYTES : INHERITED_ALLOC; i > NUMBER; i--) {
        out->numbers[i] = cut_word(&rest);
    }
    out->numbers[NUMBER] = cut_number(r, line, &rest, &out->numbers[ENTRIES]);
    return (hpf_str){line.data, (size_t)(rest.data + rest.length - line.data)};
}

static hpf_str part(hpf_str text, size_t from, size_t to)
{
    to = to < text.length ? to : text.length;
    return hpf__trimmed((hpf_str){text.data + (from < to ? from : to), from < to ? to - from : 0});
}

static bool cut_row(const text_report *r, hpf_str line, table_row *out)
{
    hpf_str names = cut_numbers(r, line, out);
    size_t module = byte_of(line, r->columns.module);
    size_t source = r->columns.source ? byte_of(line, r->columns.source) : line.length;
    out->label = part(names, 0, module);
    out->module = part(names, module, source);
    out->source = part(names, source, names.length);
    out->depth = (size_t)(out->label.data - line.data);
    return out->label.length > 0;
}

static hpf_status read_number(const text_report *r, hpf_str word, double *number)
{
    hpf_cost cost = {0};
    size_t at = (size_t)(word.data - r->lines.text.data);
    hpf__location place = {r->lines.place.offset + at, r->lines.place.line, (uint32_t)at + 1};
    hpf_status status = hpf__amount_parse(&cost, word, place, r->err);
    *number = status == HPF_OK ? hpf_cost_amount(&cost) : 0;
    return status;
}

static hpf_status read_whole(const text_report *r, hpf_str word, uint64_t *whole)
{
    double number;
    hpf_status status = read_number(r, word, &number);
    *whole = number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
    return status;
}

static hpf_status read_share(const text_report *r, hpf_str percentage, uint64_t total,
                             uint64_t *whole)
{
    double number;
    hpf_status status = read_number(r, percentage, &number);
    number = round(number / 100 * (double)total);
    *whole = number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
    return status;
}

static hpf_status read_costs(text_report *r, const table_row *row, hpf_prof_stack *stack)
{
    const hpf_str *n = row->numbers;
    hpf_status status = read_whole(r, n[NUMBER], &stack->id);
    bool has_entries = n[ENTRIES].length > 0;
    r->file->prof.without_entries |= !has_entries;
    status = status || !has_entries ? status : read_whole(r, n[ENTRIES], &stack->entries);
    if (status == HPF_OK && r->columns.has_amounts) {
        status = read_whole(r, n[TICKS], &stack->ticks);
        return status ? status : read_whole(r, n[BYTES], &stack->allocated_bytes);
    }
    status = status ? status : read_share(r, n[TIME], r->file->prof.total_ticks, &stack->ticks);
    return status ? status
                  : read_share(r, n[ALLOC], r->file->prof.total_bytes, &stack->allocated_bytes);
}

/* --- centres and stacks --- */

static bool make_key(hpf__buffer *key, const table_row *row)
{
    const hpf_str parts[] = {row->label, row->module, row->source};
    bool fits = true;
    key->length = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        fits = fits && hpf__buffer_add(key, parts[i]) && hpf__buffer_append(key, "", 1);
    }
    return fits;
}

static hpf_status add_centre(text_report *r, const table_row *row, uint32_t index)
{
    hpf_status status = hpf__prof_file_fit_centre(r->file, index, r->err);
    if (status != HPF_OK) {
        return status;
    }
    hpf_prof_centre *c = &r->file->centres[index];
    c->id = (uint64_t)index + 1;
    c->is_caf = hpf_str_is(row->label, "CAF") || find(row->label, "CAF:") == 0;
    c->is_hidden =
        hpf__prof_hides(row->label, r->columns.source ? row->source : HPF_STR("<built-in>"));
    status = hpf__prof_file_keep(r->file, row->label, &c->label, r->err);
    status = status ? status : hpf__prof_file_keep(r->file, row->module, &c->module, r->err);
    return status ? status : hpf__prof_file_keep(r->file, row->source, &c->srcloc, r->err);
}

static hpf_status find_centre(text_report *r, const table_row *row, uint32_t *index)
{
    bool is_new;
    if (!make_key(&r->key, row) ||
        hpf__intern_add(&r->centres, hpf__buffer_str(&r->key), index, &is_new)) {
        return hpf_error_set_memory(r->err);
    }
    return is_new ? add_centre(r, row, *index) : HPF_OK;
}

/* Finds the parent of a stack: the last row before it with one blank less. MAIN has none. */
static hpf_status check_depth(const text_report *r, size_t depth)
{
    if (depth >= HPF__PROF_DEEPEST) {
        return hpf__location_error(r->lines.place, r->err, HPF_ERR_LIMIT, "a stack deeper than %d",
                                   HPF__PROF_DEEPEST);
    }
    bool is_child = depth <= r->n_open && (depth > 0 || r->n_open == 0);
    return is_child ? HPF_OK
                    : complain(r, HPF_ERR_SYNTAX,
                               "wrong indentation: expected a child of MAIN, at most one blank "
                               "deeper than the line above");
}

static hpf_status add_row(text_report *r, const table_row *row)
{
    uint32_t centre = 0;
    hpf_status status = check_depth(r, row->depth);
    status = status ? status : find_centre(r, row, &centre);
    if (status == HPF_OK) {
        uint32_t parent = row->depth ? r->open[row->depth - 1] : HPF_PROF_NO_PARENT;
        status = hpf__prof_file_add_stack(r->file, parent, r->err);
    }
    if (status != HPF_OK) {
        return status;
    }
    uint32_t index = (uint32_t)(r->file->prof.n_stacks - 1);
    r->file->stacks[index].centre_index = centre;
    r->open[row->depth] = index;
    r->n_open = row->depth + 1;
    return read_costs(r, row, &r->file->stacks[index]);
}

/* The table ends with the input, or at an empty line, after which there may be notes. */
static hpf_status read_rows(text_report *r)
{
    hpf_status status;
    while ((status = hpf__lines_next(&r->lines)) == HPF_OK && r->lines.text.length > 0) {
        table_row row;
        status =
            cut_row(r, r->lines.text, &row)
                ? add_row(r, &row)
                : complain(r, HPF_ERR_SYNTAX, "expected a cost centre, its module, and numbers");
        if (status != HPF_OK) {
            return status;
        }
    }
    bool is_empty = r->file->prof.n_stacks == 0 && (status == HPF_OK || status == HPF_END);
    if (is_empty) {
        return complain(r, HPF_ERR_SYNTAX, "expected the stack of MAIN");
    }
    return status == HPF_END ? HPF_OK : status;
}

hpf_status hpf__prof_read_text(hpf_prof_file *file, hpf__cursor scan, hpf_error *err)
{
    text_report r = {.file = file, .lines.scan = scan, .err = err};
    hpf_status status = read_head(&r);
    status = status == HPF_OK ? read_rows(&r) : status;
    if (r.columns.has_amounts) {
        file->prof.total_ticks = file->prof.total_bytes =
            0; /* with -pa they include hidden stacks */
    }
    hpf__buffer_finish(&r.lines.bytes);
    hpf__buffer_finish(&r.key);
    hpf__intern_finish(&r.centres);
    return status;
}

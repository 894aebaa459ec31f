/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows of three columns between tabs: time, what, value. The value of a mark is its label.
 */
#include "hpfile/sink.h"
#include "hpfile/sidecar.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"

#include "base/lex.h"
#include "base/number.h"
#include "event/sidecar_reader.h"

#define TITLE "time\twhat\tvalue"
#define MARK  "mark"

/* ---- Writing ---- */

struct hpf_sidecar_writer {
    hpf_sink *sink;
};

hpf_sidecar_writer *hpf_sidecar_writer_create(hpf_sink *sink)
{
    hpf_sidecar_writer *w = malloc(sizeof *w);
    if (w) {
        w->sink = sink;
        hpf_sink_text(sink, TITLE "\n");
    }
    return w;
}

void hpf_sidecar_writer_destroy(hpf_sidecar_writer *w)
{
    free(w);
}

/* Text in a column: control characters, tabs and line feeds among them, become blanks. */
static void write_text(hpf_sink *sink, hpf_str text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = iscntrl((unsigned char)text.data[i]) ? ' ' : text.data[i];
        hpf_sink_write(sink, &c, 1);
    }
}

static void begin_row(hpf_sidecar_writer *w, double time)
{
    char text[HPF__NUMBER_BYTES];
    hpf_sink_write(w->sink, text, hpf__number_time(text, time));
    hpf_sink_text(w->sink, "\t");
}

static hpf_status on_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    hpf_sidecar_writer *w = context;
    (void)err;
    begin_row(w, point.time);
    write_text(w->sink, name);
    hpf_sink_text(w->sink, hpf_str_is(name, MARK) ? "_\t" : "\t");
    hpf_sink_shortest(w->sink, point.value);
    hpf_sink_text(w->sink, "\n");
    return HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_sidecar_writer *w = context;
    begin_row(w, time);
    hpf_sink_text(w->sink, MARK "\t");
    write_text(w->sink, label);
    hpf_sink_text(w->sink, "\n");
    return hpf_sink_flush(w->sink, err);
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_sidecar_writer *w = context;
    (void)sample;
    return hpf_sink_flush(w->sink, err);
}

const hpf_events hpf_sidecar_writer_events = {
    .sample = on_sample, .mark = on_mark, .quantity = on_line};

/* ---- Reading ---- */

/* A row that is longer is no row. */
#define ROW_BYTES_MAX (1u << 20)

#define FIRST_LINE "the first line must be time, what and value, separated by tabs"

/* `at` is the place in the row. */
static hpf_status complain(hpf__sidecar_reader *r, size_t at, const char *what)
{
    hpf_error_set(&r->error, HPF_ERR_SYNTAX, "%s", what);
    r->error.offset = r->offset + at;
    r->error.line = r->line;
    r->error.column = (uint32_t)at + 1;
    return HPF_ERR_SYNTAX;
}

/* Returns the column that begins at `*at`; moves `*at` after the tab, or to the end of the row. */
static hpf_str column(const hpf__sidecar_reader *r, size_t *at)
{
    const char *begin = r->row.data + *at;
    const char *tab = memchr(begin, '\t', r->row.length - *at);
    size_t length = tab ? (size_t)(tab - begin) : r->row.length - *at;
    *at += length + (tab != NULL);
    return (hpf_str){begin, length};
}

static bool read_number(hpf_str text, double *out)
{
    const char *end = text.data + text.length;
    hpf__number_token token;
    if (hpf__lex_number(&token, text.data, end, true) != HPF__LEXED || token.end != end) {
        return false;
    }
    *out = token.real;
    return true;
}

static hpf_status emit_row(hpf__sidecar_reader *r, double time, size_t what_at)
{
    const hpf_events *events = r->events;
    size_t at = what_at;
    hpf_str what = column(r, &at);
    hpf_str rest = hpf_str_from(r->row, at);
    hpf_quantity_point point = {.time = time};
    if (hpf_str_is(what, MARK)) {
        return events->mark ? events->mark(r->context, time, rest, &r->error) : HPF_OK;
    }
    if (!read_number(rest, &point.value)) {
        return complain(r, at, "expected a number after the second tab");
    }
    return events->quantity ? events->quantity(r->context, what, point, &r->error) : HPF_OK;
}

static hpf_status read_row(hpf__sidecar_reader *r)
{
    size_t at = 0;
    double time;
    if (r->line == 1) {
        return hpf_str_is(r->row, TITLE) ? HPF_OK : complain(r, 0, FIRST_LINE);
    }
    if (!read_number(column(r, &at), &time)) {
        return complain(r, 0, "expected a time at the beginning of the row");
    }
    return emit_row(r, time, at);
}

/* Reads all whole rows that are pending; none ends in the first `n_scanned` bytes. */
static hpf_status read_rows(hpf__sidecar_reader *r, size_t n_scanned)
{
    const char *begin = r->pending.bytes, *end = begin + r->pending.length, *feed;
    const char *from = begin + n_scanned;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && (feed = memchr(from, '\n', (size_t)(end - from)))) {
        r->row = (hpf_str){begin, (size_t)(feed - begin)};
        r->line++;
        status = read_row(r);
        r->offset += r->row.length + 1;
        begin = from = feed + 1;
    }
    r->pending.length = (size_t)(end - begin);
    memmove(r->pending.bytes, begin, r->pending.length);
    if (status == HPF_OK && r->pending.length > ROW_BYTES_MAX) {
        return hpf_error_set(&r->error, HPF_ERR_LIMIT, "a line is longer than 1 MiB");
    }
    return status;
}

hpf_status hpf__sidecar_reader_feed(hpf__sidecar_reader *r, hpf_str bytes, hpf_error *err)
{
    if (r->error.status == HPF_OK && bytes.length) {
        size_t n_scanned = r->pending.length;
        hpf_status status = hpf__buffer_add(&r->pending, bytes) ? read_rows(r, n_scanned)
                                                                : hpf_error_set_memory(&r->error);
        r->error.status = status;
    }
    if (r->error.status != HPF_OK && err) {
        *err = r->error;
    }
    return r->error.status;
}

void hpf__sidecar_reader_finish(hpf__sidecar_reader *r)
{
    hpf__buffer_finish(&r->pending);
}

hpf_status hpf_sidecar_read(hpf_source *source, const hpf_events *events, void *context,
                            hpf_error *err)
{
    hpf__sidecar_reader r = {.events = events, .context = context};
    hpf_str piece;
    hpf_status status;
    while ((status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        status = hpf__sidecar_reader_feed(&r, piece, err);
        if (status != HPF_OK) {
            break;
        }
    }
    if (status == HPF_END && r.line == 0) {
        r.line = 1;
        status = complain(&r, 0, FIRST_LINE);
        if (err) {
            *err = r.error;
        }
    }
    hpf__sidecar_reader_finish(&r);
    return status == HPF_END ? HPF_OK : status;
}

bool hpf_quantity_has_own_unit(hpf_str name)
{
    return name.length > 2 && name.data[name.length - 1] == ')' &&
           memchr(name.data + 1, '(', name.length - 2) != NULL;
}

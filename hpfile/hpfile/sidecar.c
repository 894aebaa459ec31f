/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows of three columns between tabs: time, what, value. The value of a mark is its label.
 */
#include "hpfile/sidecar.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"

#include "hp_lex.h"

#define TITLE "time\twhat\tvalue\n"
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
        hpf_sink_text(sink, TITLE);
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
    hpf_sink_fixed(w->sink, time, 6);
    hpf_sink_text(w->sink, "\t");
}

static hpf_status on_line(void *context, hpf_str name, hpf_line_point point, hpf_error *err)
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
    .sample = on_sample, .mark = on_mark, .line = on_line};

/* ---- Reading ---- */

typedef struct row_reader {
    hpf_str text;
    size_t at;  /* where the row begins */
    size_t end; /* and its line feed */
    uint32_t line;
    hpf_error *err;
} row_reader;

static hpf_status complain(row_reader *r, size_t at, const char *what)
{
    hpf_status status = hpf_error_set(r->err, HPF_ERR_SYNTAX, "%s", what);
    if (r->err) {
        r->err->offset = at;
        r->err->line = r->line;
        r->err->column = (uint32_t)(at - r->at) + 1;
    }
    return status;
}

/* The column that begins at `*at`; moves `*at` behind the tab or to the end of the row. */
static hpf_str column(const row_reader *r, size_t *at)
{
    const char *begin = r->text.data + *at;
    const char *tab = memchr(begin, '\t', r->end - *at);
    size_t length = tab ? (size_t)(tab - begin) : r->end - *at;
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

static hpf_status tell(row_reader *r, const hpf_events *events, void *context, double time,
                       size_t what_at)
{
    size_t at = what_at;
    hpf_str what = column(r, &at);
    hpf_str rest = {r->text.data + at, r->end - at};
    hpf_line_point point = {.time = time};
    if (hpf_str_is(what, MARK)) {
        return events->mark ? events->mark(context, time, rest, r->err) : HPF_OK;
    }
    if (!read_number(rest, &point.value)) {
        return complain(r, at, "a number must stand behind the second tab");
    }
    return events->line ? events->line(context, what, point, r->err) : HPF_OK;
}

static hpf_status read_row(row_reader *r, const hpf_events *events, void *context)
{
    size_t at = r->at;
    double time;
    if (!read_number(column(r, &at), &time)) {
        return complain(r, r->at, "a row must begin with its time");
    }
    return tell(r, events, context, time, at);
}

hpf_status hpf_sidecar_read(hpf_str text, const hpf_events *events, void *context, hpf_error *err)
{
    row_reader r = {.text = text, .line = 1, .err = err};
    if (text.length < sizeof TITLE - 1 || memcmp(text.data, TITLE, sizeof TITLE - 1) != 0) {
        return complain(&r, 0, "the first line must be: time, what, value, between tabs");
    }
    hpf_status status = HPF_OK;
    for (r.at = sizeof TITLE - 1; status == HPF_OK; r.at = r.end + 1) {
        const char *end = memchr(text.data + r.at, '\n', text.length - r.at);
        if (!end) {
            break;
        }
        r.end = (size_t)(end - text.data);
        r.line++;
        status = read_row(&r, events, context);
    }
    return status;
}

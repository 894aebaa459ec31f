/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A writer of `.hp` files as GHC writes them (docs/formats/hp.md).
 *
 * The headers are written together before the first sample or mark, in GHC's order; missing ones
 * are written empty. A header that changes later is written again. Times have six decimals, or as
 * many as they need to be read back unchanged.
 *
 * Names and headers are written raw, as GHC does. Bytes that the reader would read as something
 * else are replaced by '_': blanks inside a name that would end it, line feeds and NULs, a leading
 * quote; a name that is a keyword gets a '_' in front. A line feed after `\"` in a header becomes a
 * blank. Text that came from a `.hp` file never needs a replacement.
 */
#include <stdlib.h>
#include <string.h>

#include "hpfile/sink.h"
#include "base/array.h"
#include "hp/hp_lex.h"
#include "base/arena.h"
#include "base/number.h"
#include "event/costs.h"
#include "event/format_row.h"

typedef struct hp_writer {
    hpf_writer base;
    hpf_str headers[HPF_N_HEADERS];
    bool is_begun;  /* the headers are written */
    hpf_str *names; /* as they are written */
    size_t names_capacity;
} hp_writer;

/* A quote inside is doubled, as GHC does. Readers take `\"` at the end of a line for the end of the
 * text: there the line goes on. */
static void write_header(hp_writer *w, hpf_header which)
{
    hpf_str text = w->headers[which];
    bool ends_line = false;
    hpf_sink_text(w->base.sink, hpf__keyword_text((hpf__keyword)which));
    hpf_sink_text(w->base.sink, " \"");
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i] == '\0' ? '_' : text.data[i];
        ends_line = ends_line ? hpf__is_blank(c) : c == '"' && i && text.data[i - 1] == '\\';
        c = ends_line && c == '\n' ? ' ' : c;
        hpf_sink_write(w->base.sink, &c, 1);
        if (c == '"') {
            hpf_sink_write(w->base.sink, &c, 1);
        }
    }
    hpf_sink_text(w->base.sink, "\"\n");
}

static void begin(hp_writer *w)
{
    if (!w->is_begun) {
        w->is_begun = true;
        for (int i = 0; i < HPF_N_HEADERS; i++) {
            write_header(w, (hpf_header)i);
        }
    }
}

static void write_time(hp_writer *w, hpf__keyword keyword, double time)
{
    char text[HPF__NUMBER_BYTES];
    size_t length = hpf__number_time(text, time);
    hpf_sink_text(w->base.sink, hpf__keyword_text(keyword));
    hpf_sink_text(w->base.sink, " ");
    hpf_sink_write(w->base.sink, text, length);
    hpf_sink_text(w->base.sink, "\n");
}

/* Joins the first word with what follows as long as a reader would take that for a value. */
static void join_digits(char *name, size_t length)
{
    const char *end = name + length;
    char *at = name;
    for (;;) {
        at += hpf__word_end(at, end) - at;
        const char *next = hpf__skip_blanks(at, end);
        if (next == end || !hpf__is_digit(*next)) {
            return;
        }
        memset(at, '_', (size_t)(next - at));
    }
}

static hpf_str writable_name(hp_writer *w, hpf_str text)
{
    char *copy = hpf_arena_alloc(w->base.arena, text.length + 2);
    if (!copy) {
        return (hpf_str){NULL, 0};
    }
    const char *first_end = hpf__word_end(text.data, text.data + text.length);
    bool is_keyword =
        hpf__keyword_of(text.data, (size_t)(first_end - text.data)) != HPF__KEYWORD_NONE;
    size_t n = 0;
    if (is_keyword || text.length == 0) {
        copy[n++] = '_';
    }
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool is_edge = i == 0 || i + 1 == text.length;
        bool is_bad =
            c == '\0' || c == '\n' || (is_edge && hpf__is_blank(c)) || (i == 0 && c == '"');
        copy[n++] = is_bad ? '_' : c;
    }
    join_digits(copy, n);
    return (hpf_str){copy, n};
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hp_writer *w = context;
    w->headers[which] = hpf_arena_str(w->base.arena, text);
    if (!w->headers[which].data) {
        return hpf_error_set_memory(err);
    }
    if (w->is_begun) {
        write_header(w, which);
    }
    return HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hp_writer *w = context;
    if (!HPF__ARRAY_RESERVE(w->names, w->names_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    w->names[name] = writable_name(w, text);
    return w->names[name].data ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hp_writer *w = context;
    char amount[HPF__NUMBER_BYTES];
    begin(w);
    write_time(w, HPF__KEYWORD_BEGIN_SAMPLE, sample->time);
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_sink_str(w->base.sink, w->names[sample->costs[i].name]);
        hpf_sink_write(w->base.sink, "\t", 1);
        hpf_sink_write(w->base.sink, amount, hpf__number_cost(amount, &sample->costs[i]));
        hpf_sink_write(w->base.sink, "\n", 1);
    }
    write_time(w, HPF__KEYWORD_END_SAMPLE, sample->time);
    return w->base.options.flush_samples ? hpf_sink_flush(w->base.sink, err) : HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hp_writer *w = context;
    (void)label; /* the format has no place for it */
    begin(w);
    write_time(w, HPF__KEYWORD_MARK, time);
    return w->base.options.flush_samples ? hpf_sink_flush(w->base.sink, err) : HPF_OK;
}

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    hp_writer *w = (hp_writer *)base;
    begin(w);
    return hpf_sink_flush(w->base.sink, err);
}

static void release(hpf_writer *base)
{
    free(((hp_writer *)base)->names);
}

static const hpf__writer_kind writer = {
    .bytes = sizeof(hp_writer),
    .events = {.header = on_header, .name = on_name, .sample = on_sample, .mark = on_mark},
    .finish = finish,
    .release = release,
};

const hpf_format hpf_format_hp = {
    .name = "hp",
    .extension = "hp",
    .summary = "heap profile, as GHC writes it",
    .is_streamed = true,
    .writer = &writer,
    .holds_marks_in_place = true,
};

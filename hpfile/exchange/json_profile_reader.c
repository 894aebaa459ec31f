/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON to events, one token ahead. Marks that precede the samples are emitted at their times.
 */
#include <math.h>
#include <stdlib.h>

#include "event/emitter.h"
#include "base/arena.h"
#include "hpfile/str.h"
#include "exchange/json_profile.h"
#include "io/json_walk.h"

typedef struct document {
    hpf__json_lex lex;
    hpf__emitter emit;
    hpf_error *err;
    hpf_arena *arena; /* labels of marks */
    hpf_mark *marks;  /* that wait */
    size_t n_marks, next_mark;
    size_t marks_capacity;
    bool has_header[HPF_N_HEADERS];
    bool has_samples;
    double time; /* of the mark or sample being read */
    hpf__location time_place;
    bool has_time;
    hpf_str label;
    hpf_cost value;    /* of the point being read */
    hpf__intern lines; /* their names */
} document;

/* Reads the next token, which must be of a kind. */
static hpf_status expect(document *d, hpf__json_kind kind, const char *what)
{
    return hpf__json_expect(&d->lex, kind, what);
}

static hpf_status read_time(document *d)
{
    hpf_cost number = {0};
    hpf_status status = hpf__json_amount(&d->lex, &number);
    d->has_time = true;
    d->time = hpf_cost_amount(&number);
    d->time_place = d->lex.place;
    return status;
}

static hpf_status read_label(document *d)
{
    hpf_status status = expect(d, HPF__JSON_STRING, "a text");
    if (status == HPF_OK) {
        d->label = hpf_arena_str(d->arena, d->lex.text);
    }
    return status == HPF_OK && !d->label.data ? hpf_error_set_memory(d->err) : status;
}

/* ---- Marks ---- */

static hpf_status read_mark_member(void *context, hpf_str key)
{
    document *d = context;
    if (hpf_str_is(key, "time")) {
        return read_time(d);
    }
    return hpf_str_is(key, "label") ? read_label(d) : hpf__json_pass(&d->lex);
}

static hpf_status read_mark(void *context)
{
    document *d = context;
    hpf__location place = d->lex.place;
    d->has_time = false;
    d->label = (hpf_str){"", 0};
    hpf_status status = hpf__json_members(&d->lex, read_mark_member, d);
    if (status == HPF_OK && !d->has_time) {
        return hpf__location_error(place, d->err, HPF_ERR_SYNTAX, "this mark has no \"time\"");
    }
    const hpf_mark mark = {d->time, d->label};
    if (status == HPF_OK && !HPF__ARRAY_PUSH(d->marks, d->n_marks, d->marks_capacity, mark)) {
        return hpf_error_set_memory(d->err);
    }
    return status;
}

/* Emits the marks that wait and are not later than `time`, in their order. */
static hpf_status send_marks(document *d, double time)
{
    hpf_status status = HPF_OK;
    while (status == HPF_OK && d->next_mark < d->n_marks && d->marks[d->next_mark].time <= time) {
        const hpf_mark *mark = &d->marks[d->next_mark++];
        status = hpf__emitter_mark(&d->emit, mark->time, mark->label, d->err);
    }
    return status;
}

/* ---- Lines ---- */

/* There are few, and each is kept once. */
static hpf_status read_line_name(document *d)
{
    uint32_t number;
    bool is_new;
    hpf_status status = expect(d, HPF__JSON_STRING, "a text");
    if (status == HPF_OK && hpf__intern_add(&d->lines, d->lex.text, &number, &is_new) != HPF_OK) {
        return hpf_error_set_memory(d->err);
    }
    d->label = status == HPF_OK ? d->lines.names[number] : d->label;
    return status;
}

static hpf_status read_point_member(void *context, hpf_str key)
{
    document *d = context;
    if (hpf_str_is(key, "time")) {
        return read_time(d);
    }
    if (hpf_str_is(key, "name")) {
        return read_line_name(d);
    }
    return hpf_str_is(key, "value") ? hpf__json_amount(&d->lex, &d->value)
                                    : hpf__json_pass(&d->lex);
}

static hpf_status read_point(void *context)
{
    document *d = context;
    hpf__location place = d->lex.place;
    d->has_time = false;
    d->label = (hpf_str){NULL, 0};
    d->value = (hpf_cost){0};
    hpf_status status = hpf__json_members(&d->lex, read_point_member, d);
    if (status == HPF_OK && (!d->has_time || !d->label.data)) {
        return hpf__location_error(place, d->err, HPF_ERR_SYNTAX,
                                   "this point of a quantity has no \"time\" or no \"name\"");
    }
    hpf_quantity_point point = {d->time, hpf_cost_amount(&d->value)};
    return status == HPF_OK ? hpf__emitter_line(&d->emit, d->label, point, d->err) : status;
}

/* ---- Samples ---- */

static hpf_status read_cost(void *context, hpf_str key)
{
    document *d = context;
    hpf_cost cost = {0};
    hpf_status status = hpf__emitter_name(&d->emit, key, &cost.name, d->err);
    status = status == HPF_OK ? hpf__json_amount(&d->lex, &cost) : status;
    return status == HPF_OK ? hpf__emitter_cost(&d->emit, &cost, d->err) : status;
}

static hpf_status read_sample_member(void *context, hpf_str key)
{
    document *d = context;
    if (hpf_str_is(key, "time")) {
        return read_time(d);
    }
    return hpf_str_is(key, "costs") ? hpf__json_object(&d->lex, read_cost, d)
                                    : hpf__json_pass(&d->lex);
}

static hpf_status read_sample(void *context)
{
    document *d = context;
    hpf__location place = d->lex.place;
    d->has_time = false;
    hpf_status status = hpf__json_members(&d->lex, read_sample_member, d);
    if (status == HPF_OK && !d->has_time) {
        return hpf__location_error(place, d->err, HPF_ERR_SYNTAX, "this sample has no \"time\"");
    }
    status = status == HPF_OK ? send_marks(d, d->time) : status;
    return status == HPF_OK ? hpf__emitter_sample(&d->emit, d->time, d->time_place, d->err)
                            : status;
}

/* ---- The document ---- */

static hpf_status read_version(document *d)
{
    hpf_cost number = {0};
    hpf_status status = hpf__json_amount(&d->lex, &number);
    if (status == HPF_OK && hpf_cost_amount(&number) != HPF__JSON_PROFILE_VERSION) {
        return hpf__location_error(d->lex.place, d->err, HPF_ERR_VERSION,
                                   "unsupported version %g of the format, expected %d",
                                   hpf_cost_amount(&number), HPF__JSON_PROFILE_VERSION);
    }
    return status;
}

static hpf_status read_header(document *d, hpf_header which)
{
    hpf_status status = expect(d, HPF__JSON_STRING, "a text");
    d->has_header[which] = true;
    return status == HPF_OK ? hpf__emitter_header(&d->emit, which, d->lex.text, d->err) : status;
}

static hpf_status read_document_member(void *context, hpf_str key)
{
    document *d = context;
    for (int i = 0; i < HPF_N_HEADERS; i++) {
        if (hpf_str_is(key, hpf__json_profile_member((hpf_header)i))) {
            return read_header(d, (hpf_header)i);
        }
    }
    if (hpf_str_is(key, "version")) {
        return read_version(d);
    }
    if (hpf_str_is(key, "marks")) {
        return hpf__json_objects(&d->lex, read_mark, d);
    }
    if (hpf_str_is(key, "lines")) {
        return hpf__json_objects(&d->lex, read_point, d);
    }
    if (hpf_str_is(key, "samples")) {
        d->has_samples = true;
        return hpf__json_objects(&d->lex, read_sample, d);
    }
    return hpf__json_pass(&d->lex);
}

/* What the document did not say. */
static hpf_status complete(document *d, hpf__location place)
{
    hpf_status status = send_marks(d, INFINITY);
    for (int i = 0; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        if (!d->has_header[i]) {
            status = hpf__emitter_default_header(&d->emit, (hpf_header)i, d->err);
        }
    }
    if (status == HPF_OK && d->emit.n_samples == 0) {
        return hpf__location_error(place, d->err, HPF_ERR_SYNTAX,
                                   d->has_samples ? "there is no sample"
                                                  : "no profile: there is no member \"samples\"");
    }
    return status;
}

static hpf_status read_document(document *d)
{
    hpf_status status = expect(d, HPF__JSON_OPEN_OBJECT, "'{'");
    hpf__location place = d->lex.place;
    status = status == HPF_OK ? hpf__json_members(&d->lex, read_document_member, d) : status;
    status = status == HPF_OK ? expect(d, HPF__JSON_END, "the end of the input") : status;
    return status == HPF_OK ? complete(d, place) : status;
}

hpf_status hpf__json_profile_read(hpf_source *source, const hpf_events *events, void *context,
                                  const hpf_reader_options *options, hpf_error *err)
{
    document d = {
        .lex = {.scan = hpf__cursor_of(source, options, err)},
        .emit = {.events = events, .context = context},
        .err = err,
        .arena = hpf_arena_create(),
    };
    hpf_status status = d.arena ? read_document(&d) : hpf_error_set_memory(err);
    hpf__emitter_finish(&d.emit);
    hpf__json_lex_finish(&d.lex);
    hpf__intern_finish(&d.lines);
    hpf_arena_destroy(d.arena);
    free(d.marks);
    return status;
}

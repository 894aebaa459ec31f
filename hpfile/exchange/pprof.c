/* SPDX-License-Identifier: BSD-2-Clause
 *
 * profile.proto (docs/formats/pprof.md) to one sample. The message is kept in memory: a sample
 * refers to places, functions and texts that may come after it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hpfile/pprof.h"

#include "base/date.h"
#include "base/intern.h"
#include "base/words.h"
#include "event/call_stacks.h"
#include "event/format_row.h"
#include "exchange/pprof.h"
#include "io/protobuf.h"

/* The most bytes of a message, after decompression. */
#define MOST_BYTES ((size_t)2 << 30)

typedef struct function {
    uint64_t id, name, file;
} function;

/* `start` is where the byte at `offset` in the file was; texts are numbers. */
typedef struct mapping {
    uint64_t id, start, offset, file, build_id;
    bool is_named; /* an address in it has got a function */
} mapping;

typedef struct location {
    uint64_t id, mapping, address;
    hpf_str message; /* with the lines */
} location;

typedef struct value_type {
    uint64_t type, unit;
} value_type;

typedef struct pprof {
    hpf_error *err;
    hpf__call_stacks stacks;
    hpf__buffer bytes;
    hpf_str *texts;
    size_t n_texts, texts_capacity;
    function *functions; /* these three by id, once they are sorted */
    size_t n_functions, functions_capacity;
    mapping *mappings;
    size_t n_mappings, mappings_capacity;
    location *locations;
    size_t n_locations, locations_capacity;
    value_type *types;
    size_t n_types, types_capacity;
    uint64_t program; /* text with the file of the first mapping */
    uint64_t time_ns, default_type;
    size_t value_index; /* of the type that is read */
} pprof;

/* Sets an error at a part of the message. */
static hpf_status fail(const pprof *p, const char *at, hpf_status status, const char *what)
{
    hpf_error_set(p->err, status, "%s", what);
    if (p->err) {
        p->err->offset = (uint64_t)(at - p->bytes.bytes);
        int used = snprintf(p->err->message, sizeof p->err->message, "byte %" PRIu64 ": %s",
                            p->err->offset, what);
        (void)used;
    }
    return status;
}

static hpf_status broken(const pprof *p, const char *at)
{
    return fail(p, at, HPF_ERR_SYNTAX, "expected a field of a pprof profile");
}

/* Stores the numbers of the fields 1 to n of a message in `values`; others are skipped. */
static hpf_status read_numbers(const pprof *p, hpf_str message, uint64_t *values, size_t n)
{
    hpf__proto_field field;
    hpf_status status;
    while ((status = hpf__proto_next(&message, &field)) == HPF_OK) {
        if (field.number <= n && !field.is_bytes) {
            values[field.number - 1] = field.value;
        }
    }
    return status == HPF_END ? HPF_OK : broken(p, message.data);
}

static hpf_status add_definition(pprof *p, const hpf__proto_field *field)
{
    uint64_t v[6] = {0};
    bool fits = true;
    hpf_status status = field->number == 6 ? HPF_OK : read_numbers(p, field->bytes, v, 6);
    if (status != HPF_OK) {
        return status;
    }
    switch (field->number) {
    case 1:
        fits = HPF__ARRAY_PUSH(p->types, p->n_types, p->types_capacity, ((value_type){v[0], v[1]}));
        break;
    case 3:
        p->program = p->n_mappings ? p->program : v[4];
        fits = HPF__ARRAY_PUSH(p->mappings, p->n_mappings, p->mappings_capacity,
                               ((mapping){v[0], v[1], v[3], v[4], v[5], false}));
        break;
    case 4:
        fits = HPF__ARRAY_PUSH(p->locations, p->n_locations, p->locations_capacity,
                               ((location){v[0], v[1], v[2], field->bytes}));
        break;
    case 5:
        fits = HPF__ARRAY_PUSH(p->functions, p->n_functions, p->functions_capacity,
                               ((function){v[0], v[1], v[3]}));
        break;
    case 6:
        fits = HPF__ARRAY_PUSH(p->texts, p->n_texts, p->texts_capacity, field->bytes);
        break;
    }
    return fits ? HPF_OK : hpf_error_set_memory(p->err);
}

/* Reads everything but samples, in a first pass. */
static hpf_status read_definitions(pprof *p)
{
    hpf_str rest = {p->bytes.bytes, p->bytes.length};
    hpf__proto_field field;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && (status = hpf__proto_next(&rest, &field)) == HPF_OK) {
        bool is_definition = field.number == 1 || (field.number >= 3 && field.number <= 6);
        if ((is_definition || field.number == 2) && !field.is_bytes) {
            return broken(p, rest.data);
        }
        status = is_definition ? add_definition(p, &field) : HPF_OK;
        p->time_ns = field.number == 9 ? field.value : p->time_ns;
        p->default_type = field.number == 14 ? field.value : p->default_type;
    }
    return status == HPF_END ? HPF_OK : status == HPF_ERR_SYNTAX ? broken(p, rest.data) : status;
}

/* All three kinds begin with their id. */
static int compare_ids(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void sort(void *all, size_t n, size_t bytes)
{
    if (n > 0) {
        qsort(all, n, bytes, compare_ids);
    }
}

static const void *find(const uint64_t *id, const void *all, size_t n, size_t bytes)
{
    return n > 0 ? bsearch(id, all, n, bytes, compare_ids) : NULL;
}

static hpf_str text_of(const pprof *p, uint64_t number)
{
    return number < p->n_texts ? hpf__call_stacks_text(p->texts[number]) : (hpf_str){"", 0};
}

/* ---- Samples ---- */

/* Adds to a frame what is needed to find its function. Addresses in a mapping that starts at 0 are
 * those of the file. */
static void set_code(const pprof *p, hpf_frame *frame, const location *at, const mapping *module)
{
    bool is_moved = module && (module->start > 0 || module->offset > 0);
    frame->code = at->address;
    if (is_moved) {
        bool is_inside = at->address >= module->start;
        frame->code = is_inside ? at->address - module->start + module->offset : 0;
    }
    frame->is_code_offset = is_moved;
    frame->build_id = text_of(p, module ? module->build_id : 0);
}

static hpf_status push_frame(pprof *p, const location *at, const function *f, uint64_t line)
{
    hpf__call_stacks *stacks = &p->stacks;
    const mapping *module = find(&at->mapping, p->mappings, p->n_mappings, sizeof *p->mappings);
    hpf_frame frame = {
        .label = f ? text_of(p, f->name)
                   : hpf__call_stacks_join(stacks, HPF_STR(""), "0x%" PRIx64, at->address),
        .module = text_of(p, module ? module->file : 0),
        .source = f ? text_of(p, f->file) : HPF_STR("")};
    if (!f) {
        set_code(p, &frame, at, module);
    }
    if (frame.source.length && line) {
        frame.source = hpf__call_stacks_join(stacks, frame.source, ":%" PRIu64, line);
    }
    bool fits = frame.label.data && frame.source.data && hpf__call_stacks_push(stacks, frame);
    return fits ? HPF_OK : hpf_error_set_memory(p->err);
}

/* Adds the frames of a place: its lines, inlined functions first; its address if it has none. */
static hpf_status push_location(pprof *p, uint64_t id, const char *where)
{
    const location *at = find(&id, p->locations, p->n_locations, sizeof *p->locations);
    if (!at) {
        return fail(p, where, HPF_ERR_SYNTAX, "a sample refers to a location that does not exist");
    }
    hpf_str rest = at->message;
    hpf__proto_field field;
    bool has_line = false;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && !hpf__call_stacks_is_full(&p->stacks) &&
           hpf__proto_next(&rest, &field) == HPF_OK) {
        uint64_t v[2] = {0};
        if (field.number != 4 || !field.is_bytes) {
            continue;
        }
        has_line = true;
        status = read_numbers(p, field.bytes, v, 2);
        const function *f = find(&v[0], p->functions, p->n_functions, sizeof *p->functions);
        if (status == HPF_OK && !f) {
            return fail(p, field.bytes.data, HPF_ERR_SYNTAX,
                        "a line refers to a function that does not exist");
        }
        status = status == HPF_OK ? push_frame(p, at, f, v[1]) : status;
    }
    bool is_done = status != HPF_OK || has_line || hpf__call_stacks_is_full(&p->stacks);
    return is_done ? status : push_frame(p, at, NULL, 0);
}

static hpf_status read_sample(pprof *p, hpf_str message)
{
    const char *where = message.data;
    hpf__proto_field field;
    size_t n_values = 0;
    uint64_t number, amount = 0;
    hpf_status next, status = HPF_OK;
    if (!hpf__call_stacks_begin(&p->stacks)) {
        return hpf_error_set_memory(p->err);
    }
    while (status == HPF_OK && (next = hpf__proto_next(&message, &field)) != HPF_END) {
        if (next != HPF_OK) {
            return broken(p, message.data);
        }
        hpf_str list = field.bytes;
        bool is_list = field.number == 1 || field.number == 2;
        /* A list is packed, or one field for each number. */
        while (is_list && status == HPF_OK && (!field.is_bytes || list.length > 0)) {
            number = field.value;
            if (field.is_bytes && !hpf__proto_varint(&list, &number)) {
                return broken(p, list.data);
            }
            if (field.number == 1) {
                status = push_location(p, number, where);
            } else if (n_values++ == p->value_index) {
                amount = number;
            }
            is_list = field.is_bytes;
        }
    }
    if (status == HPF_OK && n_values != p->n_types) {
        return fail(p, where, HPF_ERR_SYNTAX,
                    "expected as many values in a sample as there are sample types");
    }
    if (status == HPF_OK && amount > INT64_MAX) {
        return fail(p, where, HPF_ERR_RANGE,
                    "a negative amount: the file is the difference of two profiles");
    }
    return status == HPF_OK ? hpf__call_stacks_cost(&p->stacks, amount, p->err) : status;
}

/* ---- The profile ---- */

/* Chooses the type that is read: the one called `wanted`, else the default of the file, else the
 * last one, as go tool pprof does. */
static hpf_status choose_type(pprof *p, hpf_str wanted)
{
    char names[100] = "";
    hpf_str name = wanted.length ? wanted : text_of(p, p->default_type);
    if (p->n_types == 0) {
        return fail(p, p->bytes.bytes, HPF_ERR_SYNTAX, "a pprof profile without sample types");
    }
    p->value_index = p->n_types - 1;
    for (size_t i = 0; i < p->n_types; i++) {
        hpf_str type = text_of(p, p->types[i].type);
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%.*s", i ? ", " : "", (int)type.length, type.data);
        if (hpf_str_equal(type, name)) {
            p->value_index = i;
            return HPF_OK;
        }
    }
    return wanted.length ? hpf_error_set(p->err, HPF_ERR_ARGUMENT, "\"%.*s\" is none of %s",
                                         (int)wanted.length, wanted.data, names)
                         : HPF_OK;
}

static hpf_status write_headers(pprof *p)
{
    char date[HPF__DATE_BYTES] = "";
    const value_type *type = &p->types[p->value_index];
    hpf_str program = text_of(p, p->program);
    hpf_str name = text_of(p, type->type);
    hpf__buffer job = {0};
    if (p->time_ns > 0 && p->time_ns <= INT64_MAX) {
        hpf__date_write(date, p->time_ns / 1000000000);
    }
    bool fits = hpf__buffer_add(&job, program) &&
                hpf__buffer_append(&job, " ", program.length > 0) && hpf__buffer_add(&job, name);
    const hpf_str headers[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = {job.bytes, job.length},
        [HPF_HEADER_DATE] = hpf_str_of(date),
        [HPF_HEADER_VALUE_UNIT] = text_of(p, type->unit),
    };
    hpf_status status =
        fits ? hpf__call_stacks_headers(&p->stacks, headers, p->err) : hpf_error_set_memory(p->err);
    hpf__buffer_finish(&job);
    return status;
}

static void finish(pprof *p)
{
    hpf__call_stacks_finish(&p->stacks);
    hpf__buffer_finish(&p->bytes);
    free(p->texts);
    free(p->functions);
    free(p->mappings);
    free(p->locations);
    free(p->types);
}

static hpf_status read_bytes(pprof *p, hpf_source *source)
{
    hpf_str piece;
    hpf_status status;
    while ((status = hpf_source_next(source, &piece, p->err)) == HPF_OK) {
        if (piece.length > MOST_BYTES - p->bytes.length) {
            return hpf_error_set(p->err, HPF_ERR_LIMIT, "a pprof profile of more than 2 GiB");
        }
        if (!hpf__buffer_add(&p->bytes, piece)) {
            return hpf_error_set_memory(p->err);
        }
    }
    if (status == HPF_END && p->bytes.length == 0) {
        return hpf_error_set(p->err, HPF_ERR_SYNTAX, "an empty file, expected a pprof profile");
    }
    return status == HPF_END ? HPF_OK : status;
}

static hpf_status read_samples(pprof *p)
{
    hpf_str rest = {p->bytes.bytes, p->bytes.length};
    hpf__proto_field field;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && hpf__proto_next(&rest, &field) == HPF_OK) {
        status = field.number == 2 ? read_sample(p, field.bytes) : HPF_OK;
    }
    return status == HPF_OK ? hpf__emitter_sample(&p->stacks.emit, 0, (hpf__location){0}, p->err)
                            : status;
}

static hpf_status read(hpf_source *source, const hpf_events *events, void *context,
                       const hpf_reader_options *options, hpf_error *err)
{
    pprof p = {.err = err,
               .stacks = {.emit = {.events = events, .context = context}, .source = source}};
    hpf_status status = read_bytes(&p, source);
    status = status == HPF_OK ? read_definitions(&p) : status;
    if (status == HPF_OK) {
        sort(p.functions, p.n_functions, sizeof *p.functions);
        sort(p.mappings, p.n_mappings, sizeof *p.mappings);
        sort(p.locations, p.n_locations, sizeof *p.locations);
        status = choose_type(&p, options ? options->value : (hpf_str){"", 0});
    }
    status = status == HPF_OK ? write_headers(&p) : status;
    status = status == HPF_OK ? read_samples(&p) : status;
    if (status == HPF_OK && options && options->taken_at_s && p.time_ns > 0) {
        *options->taken_at_s = (double)p.time_ns / 1e9;
    }
    finish(&p);
    return status;
}

/* ---- Functions for addresses ---- */

/* What is added to a profile. */
typedef struct named {
    pprof p;
    hpf_symboliser *symbolise;
    void *context;
    uint64_t last_function;       /* the largest number in the profile */
    hpf__intern texts, functions; /* a function is the numbers of its name and its file */
    hpf__buffer copy, part, line;
    bool fits;
} named;

static void put_number(named *n, uint32_t field, uint64_t value)
{
    n->fits = n->fits && hpf__proto_put_number(&n->part, field, value);
}

/* Ends the message that is being put together. */
static void end(named *n, uint32_t field)
{
    n->fits = n->fits && hpf__proto_put_item(&n->copy, field, hpf__buffer_str(&n->part));
    n->part.length = 0;
}

/* Returns the number of a text; 0, which is empty in all profiles, of an empty one. */
static uint64_t number_of_text(named *n, hpf_str text)
{
    uint32_t number = 0;
    bool is_new;
    if (text.length == 0) {
        return 0;
    }
    n->fits = n->fits && hpf__intern_add(&n->texts, text, &number, &is_new) == HPF_OK;
    return n->p.n_texts + number;
}

static uint64_t number_of_function(named *n, hpf_str name, hpf_str file)
{
    const uint64_t key[] = {number_of_text(n, name), number_of_text(n, file)};
    hpf_str bytes = {(const char *)key, sizeof key};
    uint32_t number = 0;
    bool is_new;
    n->fits = n->fits && hpf__intern_add(&n->functions, bytes, &number, &is_new) == HPF_OK;
    return n->last_function + 1 + number;
}

/* Removes a line from the end of a source, and returns it; 0: it has none. */
static uint64_t take_line(hpf_str *source)
{
    size_t colon = source->length;
    uint64_t line = 0;
    while (colon > 0 && source->data[colon - 1] != ':') {
        colon--;
    }
    if (colon == 0) {
        return 0;
    }
    hpf_str digits = hpf_str_from(*source, colon);
    if (!hpf__take_whole(&digits, 10, &line) || digits.length > 0) {
        return 0;
    }
    source->length = colon - 1;
    return line;
}

static bool has_lines(const location *at)
{
    hpf_str rest = at->message;
    hpf__proto_field field;
    bool has = false;
    while (!has && hpf__proto_next(&rest, &field) == HPF_OK) {
        has = field.number == 4 && field.is_bytes;
    }
    return has;
}

static mapping *find_mapping(const pprof *p, uint64_t id)
{
    const mapping *found = find(&id, p->mappings, p->n_mappings, sizeof *p->mappings);
    return found ? &p->mappings[found - p->mappings] : NULL;
}

/* Copies a location, with the functions of its address if it has none. */
static hpf_status name_location(named *n, const location *at, hpf_error *err)
{
    pprof *p = &n->p;
    mapping *module = find_mapping(p, at->mapping);
    hpf_frame frame = {.module = text_of(p, module ? module->file : 0)};
    const hpf_frame *frames = &frame;
    size_t n_frames = 1;
    set_code(p, &frame, at, module);
    bool is_address = frame.code > 0 && !has_lines(at);
    hpf_status status = is_address ? n->symbolise(n->context, &frames, &n_frames, err) : HPF_OK;
    bool is_named = is_address && n_frames > 0 && frames[n_frames - 1].code == 0;
    n->fits = n->fits && hpf__buffer_add(&n->part, at->message);
    for (size_t i = 0; is_named && i < n_frames; i++) {
        hpf_str file = frames[i].source;
        uint64_t line = take_line(&file);
        uint64_t number = number_of_function(n, frames[i].label, file);
        n->line.length = 0;
        n->fits = n->fits && hpf__proto_put_number(&n->line, 1, number) &&
                  hpf__proto_put_number(&n->line, 2, line) &&
                  hpf__proto_put_bytes(&n->part, 4, hpf__buffer_str(&n->line));
    }
    end(n, 4);
    if (module) {
        module->is_named |= is_named;
    }
    return status == HPF_OK && !n->fits ? hpf_error_set_memory(err) : status;
}

/* Copies a mapping, which has functions, files, lines and inlined functions if one was found. */
static void copy_mapping(named *n, hpf_str message)
{
    uint64_t id = 0;
    const mapping *m =
        read_numbers(&n->p, message, &id, 1) == HPF_OK ? find_mapping(&n->p, id) : NULL;
    n->fits = n->fits && hpf__buffer_add(&n->part, message);
    for (uint32_t has = 7; has <= 10 && m && m->is_named; has++) {
        put_number(n, has, 1);
    }
    end(n, 3);
}

/* Copies everything but locations, in its order. */
static void copy_others(named *n)
{
    hpf_str rest = {n->p.bytes.bytes, n->p.bytes.length}, whole = rest;
    hpf__proto_field field;
    for (; n->fits && hpf__proto_next(&rest, &field) == HPF_OK; whole = rest) {
        whole.length -= rest.length;
        if (field.number == 3) {
            copy_mapping(n, field.bytes);
        } else if (field.number != 4) {
            n->fits = hpf__buffer_add(&n->copy, whole);
        }
    }
}

static void put_functions(named *n)
{
    for (uint32_t i = 0; i < n->functions.n_names; i++) {
        const uint64_t *key = (const void *)n->functions.names[i].data;
        put_number(n, 1, n->last_function + 1 + i);
        put_number(n, 2, key[0]);
        put_number(n, 3, key[0]);
        put_number(n, 4, key[1]);
        end(n, 5);
    }
    for (uint32_t i = 0; i < n->texts.n_names && n->fits; i++) {
        n->fits = hpf__proto_put_item(&n->copy, 6, n->texts.names[i]);
    }
}

/* A profile begins with its types: locations come behind everything else. */
static hpf_status name_all(named *n, hpf_error *err)
{
    hpf_status status = HPF_OK;
    sort(n->p.mappings, n->p.n_mappings, sizeof *n->p.mappings);
    for (size_t i = 0; i < n->p.n_functions; i++) {
        uint64_t id = n->p.functions[i].id;
        n->last_function = id > n->last_function ? id : n->last_function;
    }
    for (size_t i = 0; i < n->p.n_locations && status == HPF_OK; i++) {
        status = name_location(n, &n->p.locations[i], err);
    }
    hpf__buffer locations = n->copy;
    n->copy = (hpf__buffer){0};
    copy_others(n);
    n->fits = n->fits && hpf__buffer_add(&n->copy, hpf__buffer_str(&locations));
    put_functions(n);
    hpf__buffer_finish(&locations);
    return status == HPF_OK && !n->fits ? hpf_error_set_memory(err) : status;
}

hpf_status hpf_pprof_symbolise(hpf_source *source, hpf_symboliser *symbolise, void *context,
                               hpf_sink *sink, hpf_error *err)
{
    named n = {.p.err = err, .symbolise = symbolise, .context = context, .fits = true};
    hpf_status status = read_bytes(&n.p, source);
    status = status == HPF_OK ? read_definitions(&n.p) : status;
    status = status == HPF_OK ? name_all(&n, err) : status;
    status = status == HPF_OK ? hpf__pprof_write_gzip(hpf__buffer_str(&n.copy), sink, err) : status;
    hpf__intern_finish(&n.texts);
    hpf__intern_finish(&n.functions);
    hpf__buffer_finish(&n.copy);
    hpf__buffer_finish(&n.part);
    hpf__buffer_finish(&n.line);
    finish(&n.p);
    return status;
}

/* ---- The format ---- */

/* A file begins with the type of a sample or of the period, a short message of two numbers, or with
 * its table of texts, of which the first is empty. */
static bool is_format(hpf_str head)
{
    hpf__proto_field field, part;
    if (hpf__proto_next(&head, &field) != HPF_OK || !field.is_bytes) {
        return false;
    }
    if (field.number == 6) {
        return field.bytes.length == 0 && hpf_str_begins(head, "2");
    }
    bool is_type = (field.number == 1 || field.number == 11) && field.bytes.length > 0;
    while (is_type && hpf__proto_next(&field.bytes, &part) == HPF_OK) {
        is_type = part.number <= 2 && !part.is_bytes;
    }
    return is_type && field.bytes.length == 0 && head.length > 0;
}

const hpf_format hpf_format_pprof = {
    .name = "pprof",
    .extension = "pb.gz",
    .summary = "stacks at one moment for go tool pprof, Parca and Pyroscope, gzip",
    .is_format = is_format,
    .read = read,
    .allocated = "alloc_space",
    .is_moment = true,
    .stacks = HPF_STACKS_PPROF,
};

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Detects the format from the first four bytes, and forwards to the reader of that format. Its
 * events go to the consumer, or to a stack viewer before it.
 */
#include "detect/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "event/stack_view.h"
#include "event/stack_viewer.h"
#include "hp/hp_reader.h"
#include "hpfile/source.h"
#include "hpfile/writer.h"
#include "base/array.h"
#include "event/call_stacks.h"
#include "event/writer.h"
#include "io/source.h"

/* ---- Formats that cannot be read in pieces --------------------------------------------------- */

/* Reads a profile whose format cannot be read in pieces, or several that are samples of one.
 * Names and frames stay in memory; samples, marks and quantities can be kept in a spool, from
 * which a second pass reads them. Its functions for that do the same as those of
 * detect/reader.h.
 *
 * Names of several sources get common numbers, in the order in which samples use them.
 *
 * The spool is words of 64 bits. A record is its kind below a number, its time, and more words.
 * The number of a sample is the number of words of its costs, which follow (event/costs.h); the
 * number of a mark or quantity is that of its text. The value of a quantity follows. */

typedef struct hpf__import hpf__import;

#define NONE UINT32_MAX

enum { KIND_SAMPLE, KIND_MARK, KIND_QUANTITY, KIND_BITS = 8 };
enum { PIECE_BYTES = 1 << 16 };

/* The head of a record. */
typedef struct record {
    uint64_t kind_and_number;
    double time;
} record;

/* A name of all sources. */
typedef struct common_name {
    hpf_name number; /* as it is emitted; NONE: not yet */
    uint32_t node;   /* of its stack; HPF__NO_FRAMES: it is no stack */
    bool is_code;    /* in a file, without a function */
} common_name;

/* A name of the source that is read. */
typedef struct source_name {
    uint32_t common; /* NONE: not known yet */
    hpf_str text;    /* borrowed from its reader */
} source_name;

/* A source of a series. */
typedef struct moment {
    size_t index;
    double at_s; /* NAN: unknown */
} moment;

struct hpf__import {
    hpf_events events;
    void *context;
    hpf_reader_options options;
    hpf__call_stacks stacks; /* with common names, and the sample that is gathered */
    common_name *names;
    size_t names_capacity;
    uint32_t *common_of; /* by number, as it is emitted */
    size_t n_used, used_capacity;
    bool has_header[HPF_N_HEADERS];
    double time_before;    /* of the last sample that was emitted */
    double total, of_code; /* amounts of all samples, and of those without a function */
    bool is_over;
    /* The source that is read. */
    source_name *of_source;
    size_t of_source_capacity;
    bool has_addresses, is_first;
    double time; /* of its sample; NAN: as it is */
    /* The spool. */
    hpf_source *spool;   /* NULL: nothing is kept */
    uint64_t n_spooled;  /* bytes; without a spool, samples, which then differ in their places */
    hpf__buffer pending; /* bytes that are not written yet; in the second pass, not read yet */
    uint64_t offset;     /* of the first of them, in the second pass */
    hpf__intern texts;   /* of marks and quantities */
};

/* --- from the import to the consumer and the spool --- */

static hpf_status spool_bytes(hpf__import *in, const void *bytes, size_t n_bytes, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (in->pending.length + n_bytes > PIECE_BYTES) {
        status = hpf__source_append(in->spool, hpf__buffer_str(&in->pending), err);
        in->pending.length = 0;
    }
    in->n_spooled += n_bytes;
    return status != HPF_OK || hpf__buffer_append(&in->pending, bytes, n_bytes)
               ? status
               : hpf_error_set_memory(err);
}

static hpf_status spool_record(hpf__import *in, uint64_t kind, uint64_t number, double time,
                               hpf_error *err)
{
    const record head = {kind | number << KIND_BITS, time};
    return spool_bytes(in, &head, sizeof head, err);
}

/* Packs the costs, which end in the buffer. */
static hpf_status spool_sample(hpf__import *in, const hpf_sample *sample, hpf_error *err)
{
    uint64_t *words = malloc((2 * sample->n_costs + 1) * sizeof *words), *end = words;
    if (!words) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < sample->n_costs; i++) {
        end = hpf__pack(end, &sample->costs[i]);
    }
    size_t n = (size_t)(end - words);
    hpf_status status = spool_record(in, KIND_SAMPLE, n, sample->time, err);
    status = status == HPF_OK ? spool_bytes(in, words, n * sizeof *words, err) : status;
    free(words);
    return status;
}

static hpf_status write_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf__import *in = context;
    hpf_sample placed = *sample;
    hpf_status status = hpf__check_sample(sample, &in->time_before, err);
    placed.begin_offset = in->n_spooled;
    if (status == HPF_OK && in->spool) {
        status = spool_sample(in, sample, err);
    } else {
        in->n_spooled++;
    }
    placed.end_offset = in->n_spooled;
    return status == HPF_OK && in->events.sample ? in->events.sample(in->context, &placed, err)
                                                 : status;
}

/* Notes a new name of all sources. */
static hpf_status note_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf__import *in = context;
    (void)text;
    if (!HPF__ARRAY_RESERVE(in->names, in->names_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    in->names[name] = (common_name){NONE, HPF__NO_FRAMES, false};
    return HPF_OK;
}

/* --- from the reader of the format --- */

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf__import *in = context;
    in->has_header[which] = true;
    return in->is_first && in->events.header ? in->events.header(in->context, which, text, err)
                                             : HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf__import *in = context;
    if (!HPF__ARRAY_RESERVE(in->of_source, in->of_source_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    in->of_source[name] = (source_name){NONE, text};
    return HPF_OK;
}

static hpf_status on_frames(void *context, hpf_name name, const hpf_frame *frames, size_t n_frames,
                            hpf_error *err)
{
    hpf__import *in = context;
    uint32_t *common = &in->of_source[name].common;
    bool has_addresses = in->has_addresses || in->options.symbolises_all;
    bool is_symbolised = has_addresses && in->options.symbolise;
    hpf_status status = is_symbolised ? in->options.symbolise(in->options.symbolise_context,
                                                              &frames, &n_frames, err)
                                      : HPF_OK;
    status = status == HPF_OK ? hpf__call_stacks_name(&in->stacks, frames, n_frames, common, err)
                              : status;
    if (status == HPF_OK) {
        in->names[*common].node = in->stacks.node;
        in->names[*common].is_code = n_frames > 0 && frames->code > 0 && frames->module.length > 0;
    }
    return status;
}

/* Stores the number of a name as it is emitted. */
static hpf_status use_name(hpf__import *in, source_name *source, hpf_name *number, hpf_error *err)
{
    hpf_status status = source->common == NONE ? hpf__emitter_name(&in->stacks.emit, source->text,
                                                                   &source->common, err)
                                               : HPF_OK;
    if (status != HPF_OK) {
        return status;
    }
    common_name *name = &in->names[source->common];
    if (name->number == NONE) {
        name->number = (hpf_name)in->n_used;
        if (!HPF__ARRAY_PUSH(in->common_of, in->n_used, in->used_capacity, source->common)) {
            return hpf_error_set_memory(err);
        }
        hpf_str text = in->stacks.emit.names.names[source->common];
        status = in->events.name ? in->events.name(in->context, name->number, text, err) : HPF_OK;
    }
    *number = name->number;
    return status;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf__import *in = context;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < sample->n_costs && status == HPF_OK; i++) {
        hpf_cost cost = sample->costs[i];
        double amount = hpf_cost_amount(&cost);
        status = use_name(in, &in->of_source[cost.name], &cost.name, err);
        in->total += amount;
        in->of_code += in->names[in->of_source[sample->costs[i].name].common].is_code ? amount : 0;
        status = status == HPF_OK ? hpf__emitter_cost(&in->stacks.emit, &cost, err) : status;
    }
    double time = isnan(in->time) ? sample->time : in->time;
    return status == HPF_OK ? hpf__emitter_sample(&in->stacks.emit, time, (hpf__location){0}, err)
                            : status;
}

/* Stores the number of a text of a mark or quantity, and the copy of the text. */
static hpf_status keep_text(hpf__import *in, hpf_str *text, uint32_t *number, hpf_error *err)
{
    bool is_new;
    hpf_status status = hpf__intern_add(&in->texts, *text, number, &is_new);
    if (status != HPF_OK) {
        return hpf_error_set_memory(err);
    }
    *text = in->texts.names[*number];
    return HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf__import *in = context;
    uint32_t number;
    hpf_status status = hpf__check_number(time, "the time of a mark", err);
    if (status == HPF_OK && in->spool) {
        status = keep_text(in, &label, &number, err);
        status = status == HPF_OK ? spool_record(in, KIND_MARK, number, time, err) : status;
    }
    return status == HPF_OK && in->events.mark ? in->events.mark(in->context, time, label, err)
                                               : status;
}

static hpf_status on_quantity(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    hpf__import *in = context;
    uint32_t number;
    hpf_status status = hpf__check_number(point.time, "the time of a quantity", err);
    status = status == HPF_OK ? hpf__check_number(point.value, "a quantity", err) : status;
    status = status == HPF_OK ? keep_text(in, &name, &number, err) : status;
    if (status == HPF_OK && in->spool) {
        status = spool_record(in, KIND_QUANTITY, number, point.time, err);
        status = status == HPF_OK ? spool_bytes(in, &point.value, sizeof point.value, err) : status;
    }
    return status == HPF_OK && in->events.quantity
               ? in->events.quantity(in->context, name, point, err)
               : status;
}

/* --- reading --- */

static int compare_moments(const void *left, const void *right)
{
    const moment *a = left, *b = right;
    int order = (a->at_s > b->at_s) - (a->at_s < b->at_s);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Reads when the sources were taken, and sorts them by that; times become seconds after the first.
 * Returns HPF_MORE if that is not known of all: times are places in the list then. */
static hpf_status order(moment *all, const hpf_format *format, hpf_source *const *sources, size_t n,
                        const hpf_reader_options *given, size_t *failed, hpf_error *err)
{
    static const hpf_events nothing;
    hpf_reader_options options = *given;
    hpf_status status = HPF_OK;
    bool is_known = true;
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        all[i] = (moment){i, NAN};
        *failed = i;
        options.taken_at_s = &all[i].at_s;
        status = format->read(sources[i], &nothing, NULL, &options, err);
        status = status == HPF_OK ? hpf_source_rewind(sources[i], err) : status;
        is_known = is_known && !isnan(all[i].at_s);
    }
    if (status != HPF_OK) {
        return status;
    }
    if (is_known) {
        qsort(all, n, sizeof *all, compare_moments);
    }
    double first_s = all[0].at_s;
    for (size_t i = 0; i < n; i++) {
        all[i].at_s = is_known ? all[i].at_s - first_s : (double)i;
    }
    return is_known ? HPF_OK : HPF_MORE;
}

/* Says what names addresses, if more than half of the amounts have nothing else. */
static void warn_of_code(const hpf__import *in)
{
    hpf_error warning;
    if (in->of_code > in->total / 2 && in->options.warning && !in->options.symbolises_all) {
        hpf_error_set(&warning, HPF_ERR_ARGUMENT,
                      "%.0f%% of the amounts have addresses instead of functions: census convert "
                      "--symbolise looks for their names, and says which files it lacks",
                      100 * in->of_code / in->total);
        in->options.warning(in->options.warning_context, &warning);
    }
}

/* Emits the headers that the profile lacks, and ends the spool. */
static hpf_status finish(hpf__import *in, bool has_no_times, hpf_error *err)
{
    hpf_status status = HPF_OK;
    in->is_first = true;
    if (has_no_times) {
        status = on_header(in, HPF_HEADER_SAMPLE_UNIT, HPF_STR("files"), err);
    }
    for (int i = 0; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        status = in->has_header[i] ? HPF_OK : on_header(in, (hpf_header)i, HPF_STR(""), err);
    }
    if (status == HPF_OK && in->stacks.emit.n_samples == 0) {
        status = hpf_error_set(err, HPF_ERR_SYNTAX, "the profile has no complete sample");
    }
    if (status == HPF_OK && in->spool) {
        status = hpf__source_append(in->spool, hpf__buffer_str(&in->pending), err);
    }
    in->is_over = true;
    warn_of_code(in);
    return status;
}

/* Reads the sources, all of one format, and emits their events, with all four headers. Several
 * sources are samples in the order in which they were taken; with their place in the list as times
 * if the format does not say when. Names are emitted when they are used. Appends to the spool
 * (hpf__source_create_spool), unless NULL; offsets of samples are places in it, or their numbers.
 * Sets `*failed` to the source with the error. Errors: those of reading; RANGE, ORDER, MEMORY;
 * SYNTAX for a profile without samples; those of the consumer. */
static hpf_status import_read(hpf__import *in, const hpf_format *format, hpf_source *const *sources,
                              size_t n_sources, hpf_source *spool, size_t *failed, hpf_error *err)
{
    static const hpf_events events = {.header = on_header,
                                      .name = on_name,
                                      .frames = on_frames,
                                      .sample = on_sample,
                                      .mark = on_mark,
                                      .quantity = on_quantity};
    if (!format->read) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "%s can only be written", format->name);
    }
    moment *all = calloc(n_sources, sizeof *all);
    hpf_status status = all ? HPF_OK : hpf_error_set_memory(err);
    in->has_addresses = format->has_addresses;
    in->spool = spool;
    in->time = NAN;
    *failed = 0;
    if (status == HPF_OK && n_sources > 1) {
        status = order(all, format, sources, n_sources, &in->options, failed, err);
    }
    bool has_no_times = status == HPF_MORE;
    status = has_no_times ? HPF_OK : status;
    for (size_t i = 0; i < n_sources && status == HPF_OK; i++) {
        *failed = all[i].index;
        in->time = n_sources > 1 ? all[i].at_s : NAN;
        in->is_first = i == 0;
        hpf_source *source = sources[all[i].index];
        in->stacks.source = source;
        status = format->read(source, &events, in, &in->options, err);
        in->stacks.earlier_bytes += hpf__source_offset(source);
    }
    free(all);
    return status == HPF_OK ? finish(in, has_no_times, err) : status;
}

/* --- the second pass --- */

/* Emits the record at `words`, if all its `n_words` words are there. Returns the number of its
 * words, which may be more. */
static size_t emit_record(hpf__import *in, const uint64_t *words, size_t n_words,
                          hpf_status *status, hpf_error *err)
{
    record head;
    size_t n_head = sizeof head / sizeof *words;
    if (n_words < n_head) {
        return n_head;
    }
    memcpy(&head, words, sizeof head);
    size_t number = (size_t)(head.kind_and_number >> KIND_BITS);
    unsigned kind = head.kind_and_number & ((1U << KIND_BITS) - 1);
    size_t n = n_head + (kind == KIND_SAMPLE ? number : kind == KIND_QUANTITY);
    if (n > n_words) {
        return n;
    }
    const hpf_events *to = &in->events;
    if (kind == KIND_SAMPLE) {
        in->stacks.emit.costs.n = 0;
        for (const uint64_t *word = words + n_head; word < words + n;) {
            hpf_cost cost;
            word = hpf__unpack(word, &cost);
            if (!hpf__costs_add(&in->stacks.emit.costs, cost, in->stacks.emit.names.n_names)) {
                *status = hpf_error_set_memory(err);
                return n;
            }
        }
        const hpf_sample sample = {.time = head.time,
                                   .costs = in->stacks.emit.costs.all,
                                   .n_costs = in->stacks.emit.costs.n,
                                   .begin_offset = in->offset,
                                   .end_offset = in->offset + n * sizeof *words};
        *status = to->sample ? to->sample(in->context, &sample, err) : HPF_OK;
    } else if (kind == KIND_MARK) {
        hpf_str label = in->texts.names[number];
        *status = to->mark ? to->mark(in->context, head.time, label, err) : HPF_OK;
    } else {
        hpf_quantity_point point = {.time = head.time};
        memcpy(&point.value, words + n_head, sizeof point.value);
        *status =
            to->quantity ? to->quantity(in->context, in->texts.names[number], point, err) : HPF_OK;
    }
    return n;
}

/* Emits the events of the next bytes of the spool. Errors: IO, those of the consumer. */
static hpf_status import_feed(hpf__import *in, const char *bytes, size_t n_bytes, hpf_error *err)
{
    if (n_bytes > 0 && !hpf__buffer_append(&in->pending, bytes, n_bytes)) {
        return hpf_error_set_memory(err);
    }
    const uint64_t *words = (const uint64_t *)(const void *)in->pending.bytes;
    size_t n_words = in->pending.length / sizeof *words, at = 0;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && at < n_words) {
        size_t n = emit_record(in, words + at, n_words - at, &status, err);
        if (n > n_words - at) {
            break;
        }
        at += n;
        in->offset += n * sizeof *words;
    }
    if (at > 0) {
        in->pending.length -= at * sizeof *words;
        memmove(in->pending.bytes, words + at, in->pending.length);
    }
    return status;
}

static void import_revisit(hpf__import *in, const hpf_events *events, void *context)
{
    in->events = *events;
    in->context = context;
    in->pending.length = 0;
    in->offset = 0;
}

/* --- results --- */

static hpf_str import_name(const hpf__import *in, hpf_name name)
{
    return in->stacks.emit.names.names[in->common_of[name]];
}

static size_t import_frames(const hpf__import *in, hpf_name name, hpf_frame *frames, size_t room)
{
    uint32_t node = in->names[in->common_of[name]].node;
    return hpf__frame_tree_get(&in->stacks.tree, node, frames, room);
}

/* Returns whether the profile was read. */
static bool import_is_over(const hpf__import *in)
{
    return in->is_over;
}

/* Creates an import. `events` is copied. Returns NULL when there is no memory. */
static hpf__import *import_create(const hpf_events *events, void *context,
                                  const hpf_reader_options *options)
{
    static const hpf_events common = {.name = note_name, .sample = write_sample};
    hpf__import *in = calloc(1, sizeof *in);
    if (in) {
        in->events = *events;
        in->context = context;
        in->options = *options;
        in->stacks.emit = (hpf__emitter){.events = &common, .context = in};
    }
    return in;
}

static void import_destroy(hpf__import *in)
{
    if (in) {
        hpf__call_stacks_finish(&in->stacks);
        hpf__intern_finish(&in->texts);
        hpf__buffer_finish(&in->pending);
        free(in->names);
        free(in->common_of);
        free(in->of_source);
        free(in);
    }
}

#define MAGIC_BYTES (sizeof HPF_EVENTLOG_MAGIC - 1)

/* ---- All formats ---- */

struct hpf_reader {
    hpf_events events;
    void *context;
    hpf_reader_options options;
    hpf_error error; /* sticky; while there is no format */
    char head[MAGIC_BYTES];
    size_t n_head;
    hpf__hp_reader *hp; /* one of the three, or none while the format is not known */
    hpf__eventlog_heap *log;
    hpf__import *import;
    hpf_stack_viewer *viewer; /* or NULL: the events go to the consumer as they are */
    hpf_stack_view *of_names; /* if stacks are kept apart without a view */
    hpf_frame_rules *rules;   /* the usual ones, made when needed */
};

static hpf_str name_of_input(const hpf_reader *r, hpf_name name)
{
    return r->log      ? hpf__eventlog_heap_name(r->log, name)
           : r->import ? import_name(r->import, name)
                       : hpf__hp_name(r->hp, name);
}

/* Fills the frames of a name of the input; none if it is not known to be a stack. */
static size_t known_frames(const hpf_reader *r, hpf_name name, hpf_frame *frames, size_t room)
{
    return r->log      ? hpf__eventlog_heap_frames(r->log, name, frames, room)
           : r->import ? import_frames(r->import, name, frames, room)
                       : 0;
}

/* Fills the frames of a name of the input; the frames in its text if it is not known to be a
 * stack. */
static size_t all_frames(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    const hpf_reader *r = context;
    size_t n = known_frames(r, name, frames, room);
    return n ? n : hpf__frames_of_name(name_of_input(r, name), frames, room);
}

/* Emits events to a consumer, through the viewer if there is one. */
static void emit_to(hpf_reader *r, const hpf_events *events, void *context)
{
    if (r->viewer) {
        hpf_stack_viewer_emit_to(r->viewer, events, context);
    }
    r->events = r->viewer ? hpf_stack_viewer_events : *events;
    r->context = r->viewer ? (void *)r->viewer : context;
}

hpf_reader *hpf_reader_create(const hpf_events *events, void *context,
                              const hpf_reader_options *options)
{
    hpf_reader *r = calloc(1, sizeof *r);
    if (!r) {
        return NULL;
    }
    r->options = options ? *options : (hpf_reader_options){0};
    if (!r->options.rules && r->options.view) {
        r->options.rules = r->options.view->rules;
    }
    if (r->options.keeps_stacks && !r->options.view) {
        const hpf_stack_view_options names = {.size = sizeof names, .shows_names = true};
        if (hpf_stack_view_create(&r->of_names, &names, NULL) != HPF_OK) {
            hpf_reader_destroy(r);
            return NULL;
        }
        r->options.view = r->of_names;
    }
    bool has_viewer = r->options.view && (r->options.keeps_stacks || !r->options.view->shows_names);
    r->viewer = has_viewer ? hpf_stack_viewer_create(r->options.view, all_frames, r) : NULL;
    if (has_viewer && !r->viewer) {
        hpf_reader_destroy(r);
        return NULL;
    }
    if (has_viewer && r->options.keeps_stacks) {
        hpf__stack_viewer_keep_stacks(r->viewer);
    }
    emit_to(r, events, context);
    return r;
}

void hpf_reader_destroy(hpf_reader *r)
{
    if (r) {
        hpf__hp_destroy(r->hp);
        hpf__eventlog_heap_destroy(r->log);
        import_destroy(r->import);
        hpf_stack_viewer_destroy(r->viewer);
        hpf_frame_rules_destroy(r->rules);
        hpf_stack_view_destroy(r->of_names);
        free(r);
    }
}

hpf__eventlog_heap *hpf__reader_log(const hpf_reader *r)
{
    return r->log;
}

const hpf_frame_rules *hpf__reader_rules(hpf_reader *r)
{
    if (!r->options.rules) {
        hpf_error err; /* without memory, frames are as they are */
        (void)!hpf_frame_rules_create(&r->rules, NULL, 0, false, &err);
        r->options.rules = r->rules;
    }
    return r->options.rules;
}

static hpf_status feed_known(hpf_reader *r, const char *bytes, size_t n_bytes, hpf_error *err)
{
    return r->log      ? hpf__eventlog_heap_feed(r->log, bytes, n_bytes, err)
           : r->import ? import_feed(r->import, bytes, n_bytes, err)
                       : hpf__hp_feed(r->hp, bytes, n_bytes, err);
}

/* Creates the reader of the format, and feeds it what was held back. */
static hpf_status choose(hpf_reader *r, bool is_log, hpf_error *err)
{
    if (is_log) {
        r->log = hpf__eventlog_heap_create(&r->events, r->context, &r->options);
    } else if (r->options.has_log_profile) {
        hpf_error_set(&r->error, HPF_ERR_UNSUPPORTED,
                      "only event logs have heap profiles with numbers");
    } else if (r->options.value.length > 0) {
        hpf_error_set(&r->error, HPF_ERR_ARGUMENT, "no amount \"%.*s\": the profile has only one",
                      (int)r->options.value.length, r->options.value.data);
    } else {
        r->hp = hpf__hp_create(&r->events, r->context, &r->options);
    }
    if (!r->log && !r->hp) {
        if (r->error.status == HPF_OK) {
            hpf_error_set_memory(&r->error);
        }
        return hpf_reader_feed(r, NULL, 0, err);
    }
    return feed_known(r, r->head, r->n_head, err);
}

static bool is_known(const hpf_reader *r)
{
    return r->hp || r->log || r->import;
}

static bool is_magic(const hpf_reader *r)
{
    return memcmp(r->head, HPF_EVENTLOG_MAGIC, r->n_head) == 0;
}

hpf_status hpf_reader_feed(hpf_reader *r, const char *bytes, size_t n_bytes, hpf_error *err)
{
    hpf_status status = r->error.status;
    if (status != HPF_OK && err) {
        *err = r->error;
    }
    while (status == HPF_OK && n_bytes && !is_known(r)) {
        r->head[r->n_head++] = *bytes++;
        n_bytes--;
        if (!is_magic(r) || r->n_head == MAGIC_BYTES) {
            status = choose(r, is_magic(r), err);
        }
    }
    return status == HPF_OK && is_known(r) ? feed_known(r, bytes, n_bytes, err) : status;
}

hpf_status hpf_reader_finish(hpf_reader *r, hpf_error *err)
{
    hpf_status status = hpf_reader_feed(r, NULL, 0, err);
    if (status == HPF_OK && !is_known(r)) {
        status = choose(r, false, err);
    }
    if (status != HPF_OK || r->import) {
        return status;
    }
    status = r->log ? hpf__eventlog_heap_finish(r->log, err) : hpf__hp_finish(r->hp, err);
    return status == HPF_OK ? hpf__reader_check_view(r, err) : status;
}

bool hpf__reader_is_whole(const hpf_format *format, const hpf_reader_options *options)
{
    return !format->is_streamed || (options->value.length > 0 && format->read);
}

hpf_status hpf__reader_read(hpf_reader *r, const hpf_format *format, hpf_source *const *sources,
                            size_t n_sources, hpf_source *spool, size_t *failed, hpf_error *err)
{
    *failed = 0;
    if (r->options.has_log_profile) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "only event logs have heap profiles with numbers");
    }
    r->import = import_create(&r->events, r->context, &r->options);
    hpf_status status = r->import
                            ? import_read(r->import, format, sources, n_sources, spool, failed, err)
                            : hpf_error_set_memory(err);
    return status == HPF_OK ? hpf__reader_check_view(r, err) : status;
}

hpf_status hpf__reader_check_view(const hpf_reader *r, hpf_error *err)
{
    return r->viewer ? hpf_stack_viewer_check(r->viewer, err) : HPF_OK;
}

void hpf_reader_revisit(hpf_reader *r, const hpf_events *events, void *context)
{
    emit_to(r, events, context);
    r->error = (hpf_error){0};
    r->n_head = 0;
    if (r->log) {
        hpf__eventlog_heap_revisit(r->log, &r->events, r->context);
    } else if (r->import) {
        import_revisit(r->import, &r->events, r->context);
    } else if (r->hp) {
        hpf__hp_revisit(r->hp, &r->events, r->context);
    }
}

hpf_status hpf_reader_settle(hpf_reader *r, hpf_error *err)
{
    hpf_status status = hpf_reader_feed(r, NULL, 0, err);
    if (status != HPF_OK || !is_known(r) || r->import) {
        return status;
    }
    return r->log ? hpf__eventlog_heap_settle(r->log, err) : hpf__hp_settle(r->hp, err);
}

bool hpf_reader_is_between(const hpf_reader *r)
{
    return r->import ? import_is_over(r->import)
                     : r->error.status == HPF_OK && r->hp && hpf__hp_is_between(r->hp);
}

hpf_str hpf_reader_name(const hpf_reader *r, hpf_name name)
{
    return r->viewer ? hpf__stack_viewer_name(r->viewer, name) : name_of_input(r, name);
}

size_t hpf_reader_frames(const hpf_reader *r, hpf_name name, hpf_frame *frames, size_t room)
{
    return r->viewer ? hpf__stack_viewer_frames(r->viewer, name, frames, room)
                     : known_frames(r, name, frames, room);
}

size_t hpf_reader_calls(const hpf_reader *r, hpf_name name, hpf_frame *frames, size_t room)
{
    return r->log && !r->viewer ? hpf__eventlog_heap_calls(r->log, name, frames, room)
                                : hpf_reader_frames(r, name, frames, room);
}

hpf_status hpf_read_source(hpf_source *source, const hpf_events *events, void *context,
                           const hpf_reader_options *options, hpf_error *err)
{
    hpf_reader *r = hpf_reader_create(events, context, options);
    if (!r) {
        return hpf_error_set_memory(err);
    }
    hpf_str piece;
    hpf_status status;
    while ((status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        status = hpf_reader_feed(r, piece.data, piece.length, err);
        if (status != HPF_OK) {
            break;
        }
    }
    if (status == HPF_END) {
        status = hpf_reader_finish(r, err);
    }
    hpf_reader_destroy(r);
    return status;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The first pass adds up (tally.h), large files in parts at once (parts.h); the second reads only
 * the picks, or recalls them.
 */
#include "hpfile/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sidecar.h"

#include "order.h"
#include "parts.h"
#include "reader_formats.h"
#include "source_file.h"
#include "tally.h"

#define DEFAULT_MAX_PICKS 8192
#define PARTS_LEAST_BYTES (64u << 20)
#define READ_BYTES        (256u << 10)

struct hpf_survey {
    hpf_source *source;
    hpf_reader *reader;
    hpf__tally tally;
    hpf__order order;        /* empty while samples come in the order of time */
    const hpf__place *place; /* of the sample that is read */
    hpf_survey_options options;
};

/* --- first pass --- */

static void on_warning(void *context, const hpf_error *warning)
{
    hpf_survey *s = context;
    s->tally.overview.truncated |= warning->status == HPF_END;
    if (s->options.warning && warning->status != HPF_ERR_ORDER) {
        s->options.warning(s->options.warning_context, warning);
    }
}

static bool begins_as_log(const hpf_source *source)
{
    char head[sizeof HPF_EVENTLOG_MAGIC - 1];
    size_t n = 0;
    hpf_status status = hpf__source_file_read(source, 0, head, sizeof head, &n, NULL);
    return status == HPF_OK && n == sizeof head && memcmp(head, HPF_EVENTLOG_MAGIC, n) == 0;
}

/* A large file of text is read in parts. */
static hpf_status feed_parts(hpf_survey *s, hpf_error *err)
{
    uint64_t least = s->options.parts_least_bytes;
    least = least ? least : PARTS_LEAST_BYTES;
    uint64_t size = hpf__source_file_bytes(s->source);
    if (size == 0 || size < least || begins_as_log(s->source)) {
        return HPF_OK;
    }
    hpf__hp_reader *hp = hpf__reader_hp(s->reader);
    return hp ? hpf__parts_read(hp, &s->tally, s->source, least, s->options.progress,
                                s->options.progress_context, err)
              : hpf_error_set_memory(err);
}

static hpf_status feed_all(hpf_survey *s, hpf_error *err)
{
    hpf_str piece;
    hpf_status status = feed_parts(s, err);
    while (status == HPF_OK && (status = hpf_source_next(s->source, &piece, err)) == HPF_OK) {
        status = hpf_reader_feed(s->reader, piece.data, piece.length, err);
        if (status == HPF_OK && s->options.progress) {
            s->options.progress(s->options.progress_context, hpf_source_position_bytes(s->source),
                                hpf_source_stored_bytes(s->source));
        }
    }
    return status == HPF_END ? HPF_OK : status;
}

/* --- order --- */

/* Reads the samples in [begin, end) again. */
static hpf_status revisit(hpf_survey *s, uint64_t begin, uint64_t end, char *buffer, hpf_error *err)
{
    while (begin < end) {
        size_t n = end - begin < READ_BYTES ? (size_t)(end - begin) : READ_BYTES;
        hpf_status status = hpf_source_read_at(s->source, begin, buffer, n, err);
        if (status == HPF_OK) {
            status = hpf_reader_feed(s->reader, buffer, n, err);
        }
        if (status != HPF_OK) {
            return status;
        }
        begin += n;
    }
    return hpf_reader_settle(s->reader, err);
}

/* All of the source again. */
static hpf_status revisit_all(hpf_survey *s, hpf_error *err)
{
    hpf_str piece;
    hpf_status status = hpf_source_rewind(s->source, err);
    while (status == HPF_OK && (status = hpf_source_next(s->source, &piece, err)) == HPF_OK) {
        status = hpf_reader_feed(s->reader, piece.data, piece.length, err);
    }
    return status == HPF_END ? hpf_reader_settle(s->reader, err) : status;
}

/* A sample read alone does not know its place. */
static hpf_status on_placed(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_survey *s = context;
    hpf_sample placed = *sample;
    placed.begin_offset = s->place->begin_offset;
    placed.end_offset = s->place->end_offset;
    return hpf__tally_events.sample(&s->tally, &placed, err);
}

/* All samples again, by time. */
static hpf_status revisit_in_order(hpf_survey *s, hpf_error *err)
{
    char *buffer = malloc(READ_BYTES);
    hpf_status status = buffer ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < s->order.n_places && status == HPF_OK; i++) {
        s->place = &s->order.places[i];
        status = revisit(s, s->place->begin_offset, s->place->end_offset, buffer, err);
    }
    free(buffer);
    return status;
}

/* An event log's blocks come as they were full: marks are sorted, and if samples are not in order,
 * they are read once more for their places, and then again by time. */
static hpf_status put_in_order(hpf_survey *s, hpf_error *err)
{
    static const hpf_events placed = {.sample = on_placed};
    hpf__log_heap *log = hpf__reader_log(s->reader);
    if (!hpf__tally_sort_marks(&s->tally)) {
        return hpf_error_set_memory(err);
    }
    if (hpf__log_heap_n_late(log) == 0) {
        return HPF_OK;
    }
    hpf__log_heap_keep_times(log);
    hpf_reader_revisit(s->reader, &hpf__order_events, &s->order);
    hpf_status status = revisit_all(s, err);
    if (status == HPF_OK) {
        hpf__order_sort(&s->order);
        hpf__tally_forget_samples(&s->tally);
        hpf_reader_revisit(s->reader, &placed, s);
        status = revisit_in_order(s, err);
    }
    return status;
}

static hpf_status run(hpf_survey *s, hpf_error *err)
{
    hpf_reader_options reader_options = {on_warning, s};
    size_t max_picks = s->options.max_picks ? s->options.max_picks : DEFAULT_MAX_PICKS;
    bool is_ready = hpf__tally_init(&s->tally, max_picks, false);
    if (s->options.has_window) {
        s->tally.from_time = s->options.from_time;
        s->tally.to_time = s->options.to_time;
    }
    s->tally.is_wanted = s->options.is_wanted;
    s->tally.is_wanted_context = s->options.is_wanted_context;
    s->reader = hpf_reader_create(&hpf__tally_events, &s->tally, &reader_options);
    if (!is_ready || !s->reader) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = feed_all(s, err);
    if (status == HPF_OK) {
        status = hpf_reader_finish(s->reader, err);
    }
    if (status == HPF_OK && hpf__reader_log(s->reader)) {
        status = put_in_order(s, err);
    }
    return status == HPF_OK ? hpf__tally_settle(&s->tally, err) : status;
}

hpf_status hpf_survey_create(hpf_survey **out, hpf_source *source,
                             const hpf_survey_options *options, hpf_error *err)
{
    *out = NULL;
    hpf_survey *s = calloc(1, sizeof *s);
    if (!s) {
        return hpf_error_set_memory(err);
    }
    s->source = source;
    s->options = options ? *options : (hpf_survey_options){0};
    hpf_status status = run(s, err);
    if (status != HPF_OK) {
        hpf_survey_destroy(s);
        return status;
    }
    *out = s;
    return HPF_OK;
}

void hpf_survey_destroy(hpf_survey *s)
{
    if (s) {
        hpf_reader_destroy(s->reader);
        hpf__tally_finish(&s->tally);
        hpf__order_finish(&s->order);
        free(s);
    }
}

/* --- what stands beside --- */

/* Marks of both files are in order, so the search goes on where it ended. */
typedef struct labelling {
    hpf__tally *tally;
    size_t next_mark;
} labelling;

static hpf_status on_beside_line(void *context, hpf_str name, hpf_line_point point, hpf_error *err)
{
    labelling *l = context;
    return hpf__tally_events.line(l->tally, name, point, err);
}

static hpf_status on_beside_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    labelling *l = context;
    hpf_mark *marks = l->tally->marks;
    size_t n = l->tally->overview.n_marks, i = l->next_mark;
    while (i < n && (marks[i].time < time || (marks[i].time == time && marks[i].label.length))) {
        i++;
    }
    l->next_mark = i;
    if (i == n || marks[i].time != time) {
        return HPF_OK;
    }
    char *copy = hpf_arena_text(l->tally->arena, label);
    if (!copy) {
        return hpf_error_set_memory(err);
    }
    marks[i].label = (hpf_str){copy, label.length};
    l->next_mark++;
    return HPF_OK;
}

hpf_status hpf_survey_add_sidecar(hpf_survey *s, hpf_source *sidecar, hpf_error *err)
{
    static const hpf_events events = {.mark = on_beside_mark, .line = on_beside_line};
    labelling l = {.tally = &s->tally};
    hpf_status status = hpf_sidecar_read(sidecar, &events, &l, err);
    if (!hpf__tally_settle_lines(&s->tally)) {
        return hpf_error_set_memory(err);
    }
    return status;
}

/* --- what it found --- */

hpf_str hpf_survey_header(const hpf_survey *s, hpf_header which)
{
    return s->tally.headers[which];
}

uint32_t hpf_survey_n_names(const hpf_survey *s)
{
    return (uint32_t)s->tally.n_accounts;
}

hpf_str hpf_survey_name(const hpf_survey *s, hpf_name name)
{
    return hpf_reader_name(s->reader, name);
}

size_t hpf_survey_frames(const hpf_survey *s, hpf_name name, hpf_frame *frames, size_t room)
{
    return hpf_reader_frames(s->reader, name, frames, room);
}

const hpf_log_facts *hpf_survey_log(const hpf_survey *s)
{
    const hpf__log_heap *log = hpf__reader_log(s->reader);
    return log ? hpf__log_heap_facts(log) : NULL;
}

const hpf_totals *hpf_survey_totals(const hpf_survey *s, hpf_name name)
{
    return &s->tally.totals[name];
}

double hpf_survey_leftover(const hpf_survey *s, hpf_name name)
{
    return s->tally.accounts[name].leftover;
}

const hpf_overview *hpf_survey_overview(const hpf_survey *s)
{
    return &s->tally.overview;
}

size_t hpf_survey_peak_pick(const hpf_survey *s)
{
    const hpf_overview *o = &s->tally.overview;
    size_t i = 0;
    while (i + 1 < o->n_picks && o->picks[i].sample_index != o->peak_sample) {
        i++;
    }
    return i;
}

size_t hpf_survey_end_pick(const hpf_survey *s)
{
    const hpf_overview *o = &s->tally.overview;
    size_t i = o->n_picks;
    while (i > 0 && o->picks[i - 1].total == 0) {
        i--;
    }
    return (i > 0 ? i : o->n_picks) - 1;
}

double hpf_survey_mean(const hpf_survey *s, const hpf_totals *totals)
{
    const hpf_overview *o = &s->tally.overview;
    double duration = o->last_time - o->first_time;
    return duration > 0 ? totals->trapezium / duration : totals->sum / (double)o->n_samples;
}

/* --- second pass --- */

typedef struct series {
    const uint32_t *band_of_name;
    const bool *unwanted; /* by name; NULL: all count */
    double *values;
    size_t n_picks;
    size_t next_pick;
} series;

/* A name that the first pass did not see. */
static hpf_status on_strange_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    (void)context;
    (void)name;
    (void)text;
    return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
}

static hpf_status on_pick(void *context, const hpf_sample *sample, hpf_error *err)
{
    series *to = context;
    if (to->next_pick == to->n_picks) {
        return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
    }
    double *column = to->values + to->next_pick++;
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_name name = sample->costs[i].name;
        uint32_t band = to->band_of_name[name];
        if (band != HPF_NO_BAND && !(to->unwanted && to->unwanted[name])) {
            column[(size_t)band * to->n_picks] += hpf_cost_amount(&sample->costs[i]);
        }
    }
    return HPF_OK;
}

/* Picks that are neighbours are read in one go. */
static hpf_status revisit_picks(hpf_survey *s, char *buffer, hpf_error *err)
{
    const hpf_overview *o = &s->tally.overview;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < o->n_picks && status == HPF_OK;) {
        size_t first = i++;
        while (i < o->n_picks && o->picks[i].begin_offset == o->picks[i - 1].end_offset) {
            i++;
        }
        status = revisit(s, o->picks[first].begin_offset, o->picks[i - 1].end_offset, buffer, err);
    }
    return status;
}

static hpf_status read_series(hpf_survey *s, series *to, hpf_error *err)
{
    static const hpf_events events = {.name = on_strange_name, .sample = on_pick};
    char *buffer = malloc(READ_BYTES);
    if (!buffer) {
        return hpf_error_set_memory(err);
    }
    hpf_reader_revisit(s->reader, &events, to);
    hpf_status status = revisit_picks(s, buffer, err);
    free(buffer);
    if (status == HPF_OK && to->next_pick < to->n_picks) {
        return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
    }
    return status;
}

hpf_status hpf_survey_series(hpf_survey *s, const uint32_t *band_of_name, uint32_t n_bands,
                             double *values, hpf_error *err)
{
    series to = {
        .band_of_name = band_of_name,
        .unwanted = s->tally.unwanted,
        .values = values,
        .n_picks = s->tally.overview.n_picks,
    };
    memset(values, 0, (size_t)n_bands * to.n_picks * sizeof *values);
    if (s->tally.recall.is_lost) {
        return read_series(s, &to, err);
    }
    size_t at = 0;
    for (size_t i = 0; i < to.n_picks; i++) {
        at = hpf__recall_column(&s->tally.recall, at, band_of_name, values + i, to.n_picks);
    }
    return HPF_OK;
}

/* Marks and lines, where samples are read one by one. */
static hpf_status replay_rest(const hpf_overview *o, const hpf_events *events, void *context,
                              hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < o->n_marks && events->mark && status == HPF_OK; i++) {
        status = events->mark(context, o->marks[i].time, o->marks[i].label, err);
    }
    for (size_t i = 0; i < o->n_lines && events->line; i++) {
        const hpf_line *line = &o->lines[i];
        for (size_t k = 0; k < line->n_points && status == HPF_OK; k++) {
            status = events->line(context, line->name, line->points[k], err);
        }
    }
    return status;
}

/* A consumer of the samples in the window. */
typedef struct replay {
    const hpf__tally *tally;
    const hpf_events *events;
    void *context;
} replay;

static hpf_status on_replayed_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    const replay *r = context;
    bool is_wanted = r->events->sample && hpf__tally_has(r->tally, sample->time);
    return is_wanted ? r->events->sample(r->context, sample, err) : HPF_OK;
}

static hpf_status on_replayed_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    const replay *r = context;
    return r->events->mark ? r->events->mark(r->context, time, label, err) : HPF_OK;
}

static hpf_status on_replayed_line(void *context, hpf_str name, hpf_line_point point,
                                   hpf_error *err)
{
    const replay *r = context;
    return r->events->line ? r->events->line(r->context, name, point, err) : HPF_OK;
}

hpf_status hpf_survey_replay(hpf_survey *s, const hpf_events *events, void *context, hpf_error *err)
{
    static const hpf_events samples = {.name = on_strange_name, .sample = on_replayed_sample};
    static const hpf_events all = {.name = on_strange_name,
                                   .sample = on_replayed_sample,
                                   .mark = on_replayed_mark,
                                   .line = on_replayed_line};
    replay r = {&s->tally, events, context};
    if (s->order.n_places) {
        hpf_status status = replay_rest(&s->tally.overview, events, context, err);
        hpf_reader_revisit(s->reader, &samples, &r);
        return status == HPF_OK ? revisit_in_order(s, err) : status;
    }
    hpf_reader_revisit(s->reader, &all, &r);
    return revisit_all(s, err);
}

/* --- the profile again, whole --- */

/* Names that only an unfinished sample has are the last ones: they are left out. */
static uint32_t n_used_names(const hpf_survey *s)
{
    uint32_t n = hpf_survey_n_names(s);
    while (n > 0 && s->tally.totals[n - 1].n_samples == 0) {
        n--;
    }
    return n;
}

static hpf_status emit_head(const hpf_survey *s, const hpf_events *to, void *context,
                            hpf_error *err)
{
    uint32_t n_names = to->name ? n_used_names(s) : 0;
    hpf_status status = HPF_OK;
    for (int i = 0; to->header && i < HPF_N_HEADERS && status == HPF_OK; i++) {
        status = to->header(context, (hpf_header)i, s->tally.headers[i], err);
    }
    for (hpf_name i = 0; i < n_names && status == HPF_OK; i++) {
        status = to->name(context, i, hpf_survey_name(s, i), err);
    }
    return status;
}

hpf_status hpf_survey_emit(hpf_survey *s, bool marks_in_place, const hpf_events *events,
                           void *context, hpf_error *err)
{
    hpf_events replayed = {.sample = events->sample};
    hpf_status status = emit_head(s, events, context, err);
    if (marks_in_place) {
        replayed.mark = events->mark;
        replayed.line = events->line;
    } else if (status == HPF_OK) {
        status = replay_rest(&s->tally.overview, events, context, err);
    }
    return status == HPF_OK ? hpf_survey_replay(s, &replayed, context, err) : status;
}

/* --- one moment --- */

typedef struct moment {
    double time; /* wanted */
    double found_time;
    bool is_found;
    double *amounts;
    size_t n_names;
} moment;

static hpf_status on_candidate(void *context, const hpf_sample *sample, hpf_error *err)
{
    moment *m = context;
    (void)err;
    if (m->is_found && fabs(sample->time - m->time) >= fabs(m->found_time - m->time)) {
        return HPF_OK;
    }
    m->is_found = true;
    m->found_time = sample->time;
    memset(m->amounts, 0, m->n_names * sizeof *m->amounts);
    for (size_t i = 0; i < sample->n_costs; i++) {
        m->amounts[sample->costs[i].name] += hpf_cost_amount(&sample->costs[i]);
    }
    return HPF_OK;
}

/* Every sample from one pick to another. */
static hpf_status revisit_between(hpf_survey *s, const hpf_pick *first, const hpf_pick *last,
                                  char *buffer, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (s->order.n_places == 0) {
        return revisit(s, first->begin_offset, last->end_offset, buffer, err);
    }
    for (size_t i = 0; i < s->order.n_places && status == HPF_OK; i++) {
        const hpf__place *place = &s->order.places[i];
        if (place->time >= first->time && place->time <= last->time) {
            status = revisit(s, place->begin_offset, place->end_offset, buffer, err);
        }
    }
    return status;
}

/* The best sample from pick `first` to pick `last`. */
static hpf_status find_moment(hpf_survey *s, size_t first, size_t last, moment *m, hpf_error *err)
{
    static const hpf_events events = {.name = on_strange_name, .sample = on_candidate};
    const hpf_pick *picks = s->tally.overview.picks;
    char *buffer = malloc(READ_BYTES);
    if (!buffer) {
        return hpf_error_set_memory(err);
    }
    m->n_names = hpf_survey_n_names(s);
    hpf_reader_revisit(s->reader, &events, m);
    hpf_status status = revisit_between(s, &picks[first], &picks[last], buffer, err);
    free(buffer);
    if (status == HPF_OK && !m->is_found) {
        return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
    }
    return status;
}

hpf_status hpf_survey_pick_amounts(hpf_survey *s, size_t pick_index, double *amounts,
                                   hpf_error *err)
{
    moment m = {.time = s->tally.overview.picks[pick_index].time, .amounts = amounts};
    return find_moment(s, pick_index, pick_index, &m, err);
}

hpf_status hpf_survey_amounts_at(hpf_survey *s, double time, double *amounts, double *sample_time,
                                 hpf_error *err)
{
    const hpf_overview *o = &s->tally.overview;
    moment m = {.time = time, .amounts = amounts};
    size_t next = 0; /* the first pick that is not earlier */
    while (next < o->n_picks - 1 && o->picks[next].time < time) {
        next++;
    }
    hpf_status status = find_moment(s, next > 0 ? next - 1 : 0, next, &m, err);
    if (status == HPF_OK && sample_time) {
        *sample_time = m.found_time;
    }
    return status;
}

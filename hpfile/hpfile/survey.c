/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The first pass adds up; the second reads only the picks.
 *
 * A name's trapezium is the sum of amount * (time after - time before) / 2, the times being those
 * of the neighbouring samples. So each sample is held back until the time of the next one is known.
 */
#include "hpfile/survey.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "buf.h"
#include "hpfile/arena.h"
#include "picks.h"
#include "recall.h"

#define DEFAULT_MAX_PICKS 8192
#define READ_BYTES        (256u << 10)

typedef struct account {
    uint64_t stamp;   /* 1 + index of the last sample that has the name */
    double current;   /* amount in that sample */
    uint64_t wrapped; /* whole amounts added modulo 2^64, and how often that wrapped */
    uint64_t wraps;
    double real_sum; /* the others */
    double trapezium, sum_time, sum_squares, max;
    uint64_t n_samples, first_sample;
    double leftover;
    hpf_totals totals; /* filled in at the end */
} account;

/* The sample that waits for the time of the next one. */
typedef struct held_sample {
    hpf_cost *costs;
    size_t n_costs, costs_capacity;
    double time, time_before;
    uint64_t begin_offset, end_offset;
    bool is_there;
} held_sample;

struct hpf_survey {
    hpf_source *source;
    hpf_reader *reader;
    hpf_arena *arena; /* texts */
    hpf_str headers[HPF_N_HEADERS];
    account *accounts;
    size_t n_accounts, accounts_capacity;
    held_sample held;
    hpf_mark *marks;
    size_t marks_capacity;
    hpf__picks picks;
    hpf__recall recall;
    account whole; /* all names together */
    hpf_overview overview;
    hpf_survey_options options;
};

/* --- first pass --- */

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf_survey *s = context;
    char *copy = hpf_arena_text(s->arena, text);
    s->headers[which] = (hpf_str){copy, text.length};
    return copy ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf_survey *s = context;
    (void)text; /* the reader keeps it */
    account *accounts =
        hpf__grow(s->accounts, &s->accounts_capacity, (size_t)name + 1, sizeof *accounts);
    if (!accounts) {
        return hpf_error_set_memory(err);
    }
    s->accounts = accounts;
    accounts[name] = (account){0};
    s->n_accounts = (size_t)name + 1;
    return HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_survey *s = context;
    hpf_overview *o = &s->overview;
    hpf_mark *marks = hpf__grow(s->marks, &s->marks_capacity, o->n_marks + 1, sizeof *marks);
    if (!marks) {
        return hpf_error_set_memory(err);
    }
    s->marks = marks;
    char *copy = hpf_arena_text(s->arena, label);
    marks[o->n_marks] = (hpf_mark){time, {copy, label.length}};
    o->n_marks += copy != NULL;
    return copy ? HPF_OK : hpf_error_set_memory(err);
}

/* What a sample has in common for all its names. */
typedef struct moment {
    uint64_t stamp;
    double since_first; /* time from the first sample */
    double weight;      /* half the time from the sample before to the sample after */
} moment;

static void open_account(account *a, const moment *now)
{
    if (a->stamp == 0) {
        a->first_sample = now->stamp - 1;
    }
    a->stamp = now->stamp;
    a->current = 0;
    a->n_samples++;
}

/* Amounts of one name in one sample add up, so each addend is worked in by what it changes. */
static inline void add_amount(account *a, double amount, const moment *now)
{
    double current = a->current + amount;
    a->trapezium += amount * now->weight;
    a->sum_time += amount * now->since_first;
    a->sum_squares += amount * (current + a->current);
    a->max = current > a->max ? current : a->max;
    a->current = current;
}

static inline double add_cost(account *a, const hpf_cost *cost, const moment *now)
{
    double amount;
    if (HPF__UNLIKELY(cost->is_real)) {
        amount = cost->real;
        a->real_sum += amount;
    } else {
        amount = (double)cost->whole;
        a->wrapped += cost->whole;
        a->wraps += a->wrapped < cost->whole;
    }
    if (HPF__LIKELY(a->stamp != now->stamp)) {
        open_account(a, now);
    }
    add_amount(a, amount, now);
    return amount;
}

static hpf_status add_total(hpf_survey *s, double total, const moment *now, hpf_error *err)
{
    hpf_overview *o = &s->overview;
    const held_sample *h = &s->held;
    open_account(&s->whole, now);
    add_amount(&s->whole, total, now);
    o->sum_times += now->since_first;
    o->sum_times_squared += now->since_first * now->since_first;
    if (o->n_samples == 0 || total > o->peak_total) {
        o->peak_total = total;
        o->peak_time = h->time;
        o->peak_sample = o->n_samples;
    }
    hpf_pick pick = {h->time, total, o->n_samples, h->begin_offset, h->end_offset};
    return hpf__picks_add(&s->picks, &pick) ? HPF_OK : hpf_error_set_memory(err);
}

/* Works the held sample in. */
static hpf_status release(hpf_survey *s, double time_after, hpf_error *err)
{
    held_sample *h = &s->held;
    hpf_overview *o = &s->overview;
    if (!h->is_there) {
        return HPF_OK;
    }
    moment now = {o->n_samples + 1, h->time - o->first_time, (time_after - h->time_before) / 2};
    double total = 0;
    for (size_t i = 0; i < h->n_costs; i++) {
        total += add_cost(&s->accounts[h->costs[i].name], &h->costs[i], &now);
    }
    if (o->n_samples < s->picks.max_picks) {
        hpf__recall_add(&s->recall, h->costs, h->n_costs);
    } else {
        hpf__recall_lose(&s->recall);
    }
    hpf_status status = add_total(s, total, &now, err);
    o->last_time = h->time;
    o->n_samples++;
    h->is_there = false;
    return status;
}

static hpf_status hold(hpf_survey *s, const hpf_sample *sample, hpf_error *err)
{
    held_sample *h = &s->held;
    hpf_cost *costs = hpf__grow(h->costs, &h->costs_capacity, sample->n_costs + 1, sizeof *costs);
    if (!costs) {
        return hpf_error_set_memory(err);
    }
    memcpy(costs, sample->costs, sample->n_costs * sizeof *costs);
    h->costs = costs;
    h->n_costs = sample->n_costs;
    h->time_before = h->time;
    h->time = sample->time;
    h->begin_offset = sample->begin_offset;
    h->end_offset = sample->end_offset;
    h->is_there = true;
    return HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_survey *s = context;
    if (!s->held.is_there) {
        s->overview.first_time = s->held.time = sample->time;
    }
    hpf_status status = release(s, sample->time, err);
    return status == HPF_OK ? hold(s, sample, err) : status;
}

static hpf_status on_leftover(void *context, const hpf_cost *costs, size_t n_costs, hpf_error *err)
{
    hpf_survey *s = context;
    (void)err;
    for (size_t i = 0; i < n_costs; i++) {
        s->accounts[costs[i].name].leftover += hpf_cost_amount(&costs[i]);
    }
    return HPF_OK;
}

static void on_warning(void *context, const hpf_error *warning)
{
    hpf_survey *s = context;
    s->overview.truncated = true;
    if (s->options.warning) {
        s->options.warning(s->options.warning_context, warning);
    }
}

static void settle_account(account *a)
{
    const double two_to_64 = 18446744073709551616.0;
    double whole_sum =
        a->wraps ? (double)a->wraps * two_to_64 + (double)a->wrapped : (double)a->wrapped;
    a->totals = (hpf_totals){
        .sum = whole_sum + a->real_sum,
        .sum_wrapped = a->wrapped + (a->real_sum < two_to_64 ? (uint64_t)a->real_sum : 0),
        .trapezium = a->trapezium,
        .sum_squares = a->sum_squares,
        .sum_time = a->sum_time,
        .max = a->max,
        .first_sample = a->first_sample,
        .last_sample = a->stamp ? a->stamp - 1 : 0,
        .n_samples = a->n_samples,
    };
}

static void settle_totals(hpf_survey *s)
{
    for (size_t i = 0; i < s->n_accounts; i++) {
        account *a = &s->accounts[i];
        settle_account(a);
        s->whole.wrapped += a->wrapped;
        s->whole.wraps += a->wraps + (s->whole.wrapped < a->wrapped);
        s->whole.real_sum += a->real_sum;
    }
    settle_account(&s->whole);
}

static hpf_status settle(hpf_survey *s, hpf_error *err)
{
    hpf_overview *o = &s->overview;
    hpf_status status = release(s, s->held.time, err);
    if (status != HPF_OK) {
        return status;
    }
    if (!hpf__picks_settle(&s->picks)) {
        return hpf_error_set_memory(err);
    }
    settle_totals(s);
    o->total = s->whole.totals;
    o->marks = s->marks;
    o->picks = s->picks.all;
    o->n_picks = s->picks.n_all;
    o->reduced = o->n_picks < o->n_samples;
    return HPF_OK;
}

static hpf_status feed_all(hpf_survey *s, hpf_error *err)
{
    hpf_str piece;
    hpf_status status;
    while ((status = hpf_source_next(s->source, &piece, err)) == HPF_OK) {
        status = hpf_reader_feed(s->reader, piece.data, piece.length, err);
        if (status != HPF_OK) {
            return status;
        }
        if (s->options.progress) {
            s->options.progress(s->options.progress_context, hpf_source_position_bytes(s->source),
                                hpf_source_stored_bytes(s->source));
        }
    }
    return status == HPF_END ? HPF_OK : status;
}

static const hpf_events survey_events = {.header = on_header,
                                         .name = on_name,
                                         .sample = on_sample,
                                         .mark = on_mark,
                                         .leftover = on_leftover};

static hpf_status run(hpf_survey *s, hpf_error *err)
{
    hpf_reader_options reader_options = {on_warning, s};
    s->arena = hpf_arena_create();
    s->reader = hpf_reader_create(&survey_events, s, &reader_options);
    if (!s->arena || !s->reader) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = feed_all(s, err);
    if (status == HPF_OK) {
        status = hpf_reader_finish(s->reader, err);
    }
    return status == HPF_OK ? settle(s, err) : status;
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
    hpf__picks_init(&s->picks, s->options.max_picks ? s->options.max_picks : DEFAULT_MAX_PICKS);
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
    if (!s) {
        return;
    }
    hpf_reader_destroy(s->reader);
    hpf_arena_destroy(s->arena);
    hpf__picks_finish(&s->picks);
    hpf__recall_lose(&s->recall);
    free(s->accounts);
    free(s->held.costs);
    free(s->marks);
    free(s);
}

/* --- what it found --- */

hpf_str hpf_survey_header(const hpf_survey *s, hpf_header which)
{
    return s->headers[which];
}

uint32_t hpf_survey_n_names(const hpf_survey *s)
{
    return (uint32_t)s->n_accounts;
}

hpf_str hpf_survey_name(const hpf_survey *s, hpf_name name)
{
    return hpf_reader_name(s->reader, name);
}

const hpf_totals *hpf_survey_totals(const hpf_survey *s, hpf_name name)
{
    return &s->accounts[name].totals;
}

double hpf_survey_leftover(const hpf_survey *s, hpf_name name)
{
    return s->accounts[name].leftover;
}

const hpf_overview *hpf_survey_overview(const hpf_survey *s)
{
    return &s->overview;
}

/* --- second pass --- */

typedef struct series {
    const uint32_t *band_of_name;
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
        uint32_t band = to->band_of_name[sample->costs[i].name];
        if (band != HPF_NO_BAND) {
            column[(size_t)band * to->n_picks] += hpf_cost_amount(&sample->costs[i]);
        }
    }
    return HPF_OK;
}

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

/* Picks that are neighbours are read in one go. */
static hpf_status revisit_picks(hpf_survey *s, char *buffer, hpf_error *err)
{
    const hpf_overview *o = &s->overview;
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
    series to = {band_of_name, values, s->overview.n_picks, 0};
    memset(values, 0, (size_t)n_bands * to.n_picks * sizeof *values);
    if (s->recall.is_lost) {
        return read_series(s, &to, err);
    }
    size_t at = 0;
    for (size_t i = 0; i < to.n_picks; i++) {
        at = hpf__recall_column(&s->recall, at, band_of_name, values + i, to.n_picks);
    }
    return HPF_OK;
}

hpf_status hpf_survey_replay(hpf_survey *s, const hpf_events *events, void *context, hpf_error *err)
{
    hpf_events samples_only = {
        .name = on_strange_name, .sample = events->sample, .mark = events->mark};
    hpf_status status = hpf_source_rewind(s->source, err);
    if (status != HPF_OK) {
        return status;
    }
    hpf_reader_revisit(s->reader, &samples_only, context);
    hpf_str piece;
    while ((status = hpf_source_next(s->source, &piece, err)) == HPF_OK) {
        status = hpf_reader_feed(s->reader, piece.data, piece.length, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    return status == HPF_END ? hpf_reader_settle(s->reader, err) : status;
}

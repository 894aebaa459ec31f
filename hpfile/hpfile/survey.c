/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The first pass adds up; the second reads only the picks.
 *
 * A name's trapezium is the sum of amount * (time to the sample before + time to the sample after)
 * / 2. The part before is known when the amount comes; the part after is added when the next sample
 * comes, to the names of the last one: at once for those that come again, and in a walk over the
 * last sample's names for the others, which is skipped when there are none.
 */
#include "hpfile/survey.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "buf.h"
#include "hpfile/arena.h"
#include "picks.h"

#define DEFAULT_MAX_PICKS 8192
#define READ_BYTES        (256u << 10)

typedef struct account {
    hpf_totals totals;
    double current; /* amount in the sample `stamp` */
    uint64_t stamp; /* 1 + index of the last sample that has the name */
    bool has_real;
    double leftover;
} account;

struct hpf_survey {
    hpf_source *source;
    hpf_reader *reader;
    hpf_arena *arena; /* texts */
    hpf_str headers[HPF_N_HEADERS];
    account *accounts;
    size_t n_accounts, accounts_capacity;
    hpf_name *present; /* names of the last sample */
    hpf_name *before;  /* names of the one before, while a sample is added */
    size_t n_present, present_capacity, before_capacity;
    hpf_mark *marks;
    size_t marks_capacity;
    hpf__picks picks;
    account whole; /* all names together */
    hpf_overview overview;
    hpf_survey_options options;
};

/* --- first pass
 * ------------------------------------------------------------------------------------------ */

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

/* What the sample being added has in common for all its names. */
typedef struct moment {
    uint64_t index;
    double since_first; /* time from the first sample */
    double half_step;   /* half the time from the sample before */
} moment;

/* The name comes for the first time in this sample. Returns whether the last sample had it too. */
static inline bool open_account(account *a, const moment *now)
{
    bool was_present = a->stamp == now->index && now->index > 0;
    if (was_present) {
        a->totals.trapezium += a->current * now->half_step;
    }
    if (a->stamp == 0) {
        a->totals.first_sample = now->index;
    }
    a->current = 0;
    a->stamp = now->index + 1;
    a->totals.last_sample = now->index;
    a->totals.n_samples++;
    return was_present;
}

/* Amounts of one name in one sample add up, so each addend is worked in by what it changes. */
static inline void add_amount(account *a, double amount, const moment *now)
{
    hpf_totals *t = &a->totals;
    double current = a->current + amount;
    t->sum += amount;
    t->trapezium += amount * now->half_step;
    t->sum_squares += amount * (current + a->current);
    t->sum_time += amount * now->since_first;
    t->max = current > t->max ? current : t->max;
    a->current = current;
}

static inline double take_cost(account *a, const hpf_cost *cost, const moment *now)
{
    double amount;
    if (HPF__LIKELY(!cost->is_real)) {
        amount = (double)cost->whole;
        a->totals.sum_wrapped += cost->whole;
    } else {
        amount = cost->real;
        a->has_real = true;
        a->totals.sum_wrapped += amount < 18446744073709551616.0 ? (uint64_t)amount : 0;
    }
    add_amount(a, amount, now);
    return amount;
}

static bool make_room(hpf_survey *s, size_t n_names)
{
    hpf_name *present = hpf__grow(s->present, &s->present_capacity, n_names + 1, sizeof *present);
    if (present) {
        s->present = present;
    }
    hpf_name *before = hpf__grow(s->before, &s->before_capacity, n_names + 1, sizeof *before);
    if (before) {
        s->before = before;
    }
    return present && before;
}

/* The names of the sample before that are gone: their line falls to 0. */
static void close_gone(hpf_survey *s, const hpf_name *before, size_t n_before, const moment *now)
{
    for (size_t i = 0; i < n_before; i++) {
        account *a = &s->accounts[before[i]];
        if (a->stamp == now->index) {
            a->totals.trapezium += a->current * now->half_step;
        }
    }
}

static double add_costs(hpf_survey *s, const hpf_sample *sample, const moment *now)
{
    hpf_name *before = s->present;
    size_t n_before = s->n_present;
    s->present = s->before;
    s->before = before;
    size_t capacity = s->present_capacity;
    s->present_capacity = s->before_capacity;
    s->before_capacity = capacity;

    size_t n = 0;
    size_t n_again = 0;
    double total = 0;
    for (size_t i = 0; i < sample->n_costs; i++) {
        const hpf_cost *cost = &sample->costs[i];
        account *a = &s->accounts[cost->name];
        if (a->stamp != now->index + 1) {
            n_again += open_account(a, now);
            s->present[n++] = cost->name;
        }
        total += take_cost(a, cost, now);
    }
    s->n_present = n;
    if (n_again < n_before) {
        close_gone(s, before, n_before, now);
    }
    return total;
}

/* A sample's distinct names are at most the names there are, and at most its costs. */
static size_t most_names(const hpf_survey *s, const hpf_sample *sample)
{
    return sample->n_costs < s->n_accounts ? sample->n_costs : s->n_accounts;
}

static void add_total(hpf_survey *s, double total, const hpf_sample *sample, const moment *now)
{
    hpf_overview *o = &s->overview;
    open_account(&s->whole, now);
    add_amount(&s->whole, total, now);
    o->sum_times += now->since_first;
    o->sum_times_squared += now->since_first * now->since_first;
    if (now->index == 0 || total > o->peak_total) {
        o->peak_total = total;
        o->peak_time = sample->time;
        o->peak_sample = now->index;
    }
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_survey *s = context;
    hpf_overview *o = &s->overview;
    if (o->n_samples == 0) {
        o->first_time = o->last_time = sample->time;
    }
    moment now = {o->n_samples, sample->time - o->first_time, (sample->time - o->last_time) / 2};
    if (!make_room(s, most_names(s, sample))) {
        return hpf_error_set_memory(err);
    }
    double total = add_costs(s, sample, &now);
    add_total(s, total, sample, &now);
    o->last_time = sample->time;
    o->n_samples++;
    hpf_pick pick = {sample->time, total, now.index, sample->begin_offset, sample->end_offset};
    return hpf__picks_add(&s->picks, &pick) ? HPF_OK : hpf_error_set_memory(err);
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

/* Where all amounts are whole, the sum modulo 2^64 is better than the added-up doubles. */
static void settle_sum(account *a)
{
    if (!a->has_real && a->totals.sum < 9223372036854775808.0) {
        a->totals.sum = (double)a->totals.sum_wrapped;
    }
}

static void settle_totals(hpf_survey *s)
{
    for (size_t i = 0; i < s->n_accounts; i++) {
        account *a = &s->accounts[i];
        s->whole.totals.sum_wrapped += a->totals.sum_wrapped;
        s->whole.has_real |= a->has_real;
        settle_sum(a);
    }
    settle_sum(&s->whole);
}

static hpf_status settle(hpf_survey *s, hpf_error *err)
{
    hpf_overview *o = &s->overview;
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
    free(s->accounts);
    free(s->present);
    free(s->before);
    free(s->marks);
    free(s);
}

/* --- what it found
 * ----------------------------------------------------------------------------------------- */

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

/* --- second pass
 * --------------------------------------------------------------------------------------------- */

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

hpf_status hpf_survey_series(hpf_survey *s, const uint32_t *band_of_name, uint32_t n_bands,
                             double *values, hpf_error *err)
{
    static const hpf_events events = {.name = on_strange_name, .sample = on_pick};
    series to = {band_of_name, values, s->overview.n_picks, 0};
    char *buffer = malloc(READ_BYTES);
    if (!buffer) {
        return hpf_error_set_memory(err);
    }
    memset(values, 0, (size_t)n_bands * to.n_picks * sizeof *values);
    hpf_reader_revisit(s->reader, &events, &to);
    hpf_status status = revisit_picks(s, buffer, err);
    free(buffer);
    if (status == HPF_OK && to.next_pick < to.n_picks) {
        return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
    }
    return status;
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

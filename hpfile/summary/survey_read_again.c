/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The second pass over a source reads only the drawn samples, or takes them from the sample store.
 * Samples that are changes of those before are all read again.
 */
#include <stdlib.h>

#include "detect/reader.h"
#include "hpfile/source.h"
#include "summary/survey_read.h"
#include "base/array.h"
#include "base/names.h"
#include "hpfile/margin.h"
#include "hpfile/str.h"

/* ---- Margins --------------------------------------------------------------------------------- */

/* The blocks of a name in the largest sample have a mean size, by the totals of stacks, from
 * which follows how far estimates of it spread. */

/* What a name has in the largest sample. */
typedef struct entry {
    hpf_str name;
    double bytes, blocks;
} entry;

typedef struct entries {
    hpf_survey *surveys[2]; /* of bytes, and of blocks; they have the names */
    entry *all;
    size_t n, capacity;
} entries;

static int by_name(const void *a, const void *b)
{
    return hpf_str_compare(((const entry *)a)->name, ((const entry *)b)->name);
}

/* Reads one of the totals of stacks. Logs with restrictions have none, and no totals have a type or
 * a holder that a view may ask for. */
static hpf_status read_value(entries *e, int which, const hpf__read_survey *of, hpf_error *err)
{
    static const char *const values[] = {"peak", "blocks"};
    hpf_survey_options options = of->options;
    options.value = hpf_str_of(values[which]);
    options.has_window = options.uses_mutator_clock = options.keeps_stacks = false;
    options.is_wanted = NULL;
    options.warning = NULL;
    options.progress = NULL;
    options.expects_no_series = true;
    options.size = sizeof options;
    hpf_status status = hpf_source_rewind(of->input, err);
    status = status ? status : hpf_survey_create(&e->surveys[which], of->input, &options, err);
    uint32_t n = status ? 0 : hpf_survey_n_names(e->surveys[which]);
    for (hpf_name i = 0; i < n; i++) {
        double sum = hpf_survey_totals(e->surveys[which], i)->sum;
        entry next = {hpf__without_id(hpf_survey_name(e->surveys[which], i)), which == 0 ? sum : 0,
                      which == 1 ? sum : 0};
        if (!HPF__ARRAY_PUSH(e->all, e->n, e->capacity, next)) {
            return hpf_error_set_memory(err);
        }
    }
    bool has_none =
        status == HPF_ERR_ARGUMENT || status == HPF_ERR_UNSUPPORTED || status == HPF_ERR_RANGE;
    return has_none ? HPF_OK : status;
}

/* Joins the entries of each name. */
static void join(entries *e)
{
    size_t n = 0;
    HPF__ARRAY_SORT(e->all, e->n, by_name);
    for (size_t i = 0; i < e->n; i++) {
        if (n > 0 && hpf_str_equal(e->all[n - 1].name, e->all[i].name)) {
            e->all[n - 1].bytes += e->all[i].bytes;
            e->all[n - 1].blocks += e->all[i].blocks;
        } else {
            e->all[n++] = e->all[i];
        }
    }
    e->n = n;
}

/* Returns the variance for each byte of a name that has a part `p` of a total, which is exact: the
 * estimates of all names are scaled to it. For bytes a, their variance v, and that of the total w,
 * all without scaling, it is (1 - p)^2 v + p^2 (w - v). (Cochran, Sampling Techniques, 1977, 6.4.)
 */
static double spread_of_share(double spread, double spread_of_all, double p)
{
    return spread * (1 - 2 * p) + p * spread_of_all;
}

/* Fills in the spreads of names that have an entry, and that of all. */
static bool spread(hpf_survey *s, const entries *e, double rate_bytes)
{
    uint32_t n_names = hpf_survey_n_names(s);
    double variance = 0, bytes = 0;
    bool is_scaled = hpf_survey_eventlog_metadata(s)->has_watch;
    for (size_t i = 0; i < e->n; i++) {
        variance += hpf_margin_variance(e->all[i].bytes, e->all[i].blocks, rate_bytes);
        bytes += e->all[i].bytes;
    }
    s->spread = bytes > 0 ? variance / bytes : rate_bytes;
    s->spreads = malloc((n_names + 1) * sizeof *s->spreads);
    for (hpf_name i = 0; s->spreads && i < n_names; i++) {
        const entry key = {.name = hpf__without_id(hpf_survey_name(s, i))};
        const entry *found = bsearch(&key, e->all, e->n, sizeof *e->all, by_name);
        if (!found || found->bytes <= 0) {
            s->spreads[i] = rate_bytes;
            continue;
        }
        double own = hpf_margin_variance(found->bytes, found->blocks, rate_bytes) / found->bytes;
        s->spreads[i] = is_scaled ? spread_of_share(own, s->spread, found->bytes / bytes) : own;
    }
    return s->spreads != NULL;
}

hpf_status hpf_survey_find_spreads(hpf_survey *survey, hpf_error *err)
{
    entries e = {0};
    double rate_bytes = hpf_survey_rate_bytes(survey);
    hpf_status status = HPF_OK;
    for (int i = 0; i < 2 && status == HPF_OK && rate_bytes > 0; i++) {
        status = read_value(&e, i, (const hpf__read_survey *)survey, err);
    }
    if (status == HPF_OK && e.n > 0) {
        join(&e);
        status = spread(survey, &e, rate_bytes) ? HPF_OK : hpf_error_set_memory(err);
    }
    hpf_survey_destroy(e.surveys[0]);
    hpf_survey_destroy(e.surveys[1]);
    free(e.all);
    return status;
}

double hpf_survey_spread(const hpf_survey *s, hpf_name name)
{
    return s->spreads ? s->spreads[name] : hpf_survey_rate_bytes(s);
}

double hpf_survey_spread_of_all(const hpf_survey *s)
{
    const hpf_eventlog_metadata *metadata = hpf_survey_eventlog_metadata(s);
    if (metadata && metadata->has_watch) {
        return 0;
    }
    return s->spreads ? s->spread : hpf_survey_rate_bytes(s);
}

#define READ_BYTES (256u << 10)

/* Reads the samples in [begin, end) again. */
static hpf_status revisit(hpf__read_survey *s, uint64_t begin, uint64_t end, char *buffer,
                          hpf_error *err)
{
    while (begin < end) {
        size_t n = end - begin < READ_BYTES ? (size_t)(end - begin) : READ_BYTES;
        hpf_status status = hpf_source_read_at(s->source, begin, buffer, n, err);
        if (status == HPF_OK) {
            status = hpf_reader_feed(s->base.reader, buffer, n, err);
        }
        if (status != HPF_OK) {
            return status;
        }
        begin += n;
    }
    return hpf_reader_settle(s->base.reader, err);
}

/* Reads all of the source again. */
hpf_status hpf__survey_reread_all(hpf__read_survey *s, hpf_error *err)
{
    hpf_str piece;
    hpf_status status = hpf_source_rewind(s->source, err);
    while (status == HPF_OK && (status = hpf_source_next(s->source, &piece, err)) == HPF_OK) {
        status = hpf_reader_feed(s->base.reader, piece.data, piece.length, err);
    }
    return status == HPF_END ? hpf_reader_settle(s->base.reader, err) : status;
}

/* Reads all samples again, by time. */
hpf_status hpf__survey_reread_by_time(hpf__read_survey *s, hpf_error *err)
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

/* Returns whether samples can only be read after all those before them. */
static bool has_changes(const hpf__read_survey *s)
{
    const hpf__eventlog_heap *log = hpf__reader_log(s->base.reader);
    return log && hpf__eventlog_heap_has_changes(log);
}

/* Fails on a name that the first pass did not see. */
static hpf_status on_unknown_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    (void)context;
    (void)name;
    (void)text;
    return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
}

/* --- series --- */

typedef struct reading {
    hpf__series *to;
    const bool *unwanted;          /* by name; NULL: all count */
    const hpf_drawn_sample *drawn; /* NULL: only drawn samples are read */
    size_t next_drawn;
} reading;

static hpf_status on_drawn(void *context, const hpf_sample *sample, hpf_error *err)
{
    reading *r = context;
    const hpf__series *to = r->to;
    if (r->drawn && (r->next_drawn == to->n_drawn ||
                     sample->begin_offset != r->drawn[r->next_drawn].begin_offset)) {
        return HPF_OK;
    }
    if (r->next_drawn == to->n_drawn) {
        return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
    }
    double *column = to->values + r->next_drawn++;
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_name name = sample->costs[i].name;
        uint32_t band = to->band_of_name[name];
        if (band != HPF_NO_BAND && !(r->unwanted && r->unwanted[name])) {
            column[(size_t)band * to->n_drawn] += hpf_cost_amount(&sample->costs[i]);
        }
    }
    return HPF_OK;
}

/* Drawn samples that are neighbours are read in one go. */
static hpf_status revisit_drawn(hpf__read_survey *s, char *buffer, hpf_error *err)
{
    const hpf_overview *o = &s->base.accumulator.overview;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < o->n_drawn && status == HPF_OK;) {
        size_t first = i++;
        while (i < o->n_drawn && o->drawn[i].begin_offset == o->drawn[i - 1].end_offset) {
            i++;
        }
        status = revisit(s, o->drawn[first].begin_offset, o->drawn[i - 1].end_offset, buffer, err);
    }
    return status;
}

static hpf_status read_series(hpf__read_survey *s, hpf__series *to, hpf_error *err)
{
    static const hpf_events events = {.name = on_unknown_name, .sample = on_drawn};
    reading r = {.to = to, .unwanted = s->base.accumulator.unwanted};
    char *buffer = malloc(READ_BYTES);
    if (!buffer) {
        return hpf_error_set_memory(err);
    }
    hpf_reader_revisit(s->base.reader, &events, &r);
    if (has_changes(s)) {
        r.drawn = s->base.accumulator.overview.drawn;
    }
    hpf_status status = r.drawn ? hpf__survey_reread_all(s, err) : revisit_drawn(s, buffer, err);
    free(buffer);
    if (status == HPF_OK && r.next_drawn < to->n_drawn) {
        return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
    }
    return status;
}

/* Adds up the stored samples, which are all drawn samples. */
static void add_stored(const hpf__sample_store *store, hpf__series *to)
{
    for (size_t i = 0; i < to->n_drawn; i++) {
        uint64_t n_costs;
        const uint64_t *word = hpf__sample_store_costs(store, i, &n_costs);
        for (; n_costs; n_costs--) {
            hpf_cost cost;
            word = hpf__unpack(word, &cost);
            uint32_t band = to->band_of_name[cost.name];
            if (band != HPF_NO_BAND) {
                to->values[(size_t)band * to->n_drawn + i] += hpf_cost_amount(&cost);
            }
        }
    }
}

static hpf_status find_series(hpf_survey *survey, hpf__series *to, hpf_error *err)
{
    if (survey->accumulator.store.is_dropped) {
        return read_series((hpf__read_survey *)survey, to, err);
    }
    add_stored(&survey->accumulator.store, to);
    return HPF_OK;
}

/* --- everything again --- */

/* A consumer of the samples in the window. */
typedef struct replay {
    const hpf__accumulator *accumulator;
    const hpf_events *events;
    void *context;
} replay;

static hpf_status on_replayed_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    const replay *r = context;
    bool is_wanted = r->events->sample && hpf__accumulator_has(r->accumulator, sample->time);
    return is_wanted ? r->events->sample(r->context, sample, err) : HPF_OK;
}

static hpf_status on_replayed_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    const replay *r = context;
    return r->events->mark ? r->events->mark(r->context, time, label, err) : HPF_OK;
}

static hpf_status on_replayed_line(void *context, hpf_str name, hpf_quantity_point point,
                                   hpf_error *err)
{
    const replay *r = context;
    return r->events->quantity ? r->events->quantity(r->context, name, point, err) : HPF_OK;
}

static bool is_ordered(const hpf_survey *survey)
{
    return ((const hpf__read_survey *)survey)->order.n_places > 0;
}

static hpf_status replay_all(hpf_survey *survey, const hpf_events *events, void *context,
                             hpf_error *err)
{
    static const hpf_events samples = {.name = on_unknown_name, .sample = on_replayed_sample};
    static const hpf_events all = {.name = on_unknown_name,
                                   .sample = on_replayed_sample,
                                   .mark = on_replayed_mark,
                                   .quantity = on_replayed_line};
    hpf__read_survey *s = (hpf__read_survey *)survey;
    replay r = {&survey->accumulator, events, context};
    if (is_ordered(survey)) {
        hpf_status status = hpf__survey_emit_marks(survey, events, context, err);
        hpf_reader_revisit(survey->reader, &samples, &r);
        return status == HPF_OK ? hpf__survey_reread_by_time(s, err) : status;
    }
    hpf_reader_revisit(survey->reader, &all, &r);
    return hpf__survey_reread_all(s, err);
}

/* --- a stretch --- */

/* Returns whether a sample is neither before the first drawn sample nor after the last. */
static bool is_between(const hpf__place *place, const hpf_drawn_sample *first,
                       const hpf_drawn_sample *last)
{
    bool is_before = place->time < first->time ||
                     (place->time == first->time && place->begin_offset < first->begin_offset);
    bool is_after = place->time > last->time ||
                    (place->time == last->time && place->begin_offset > last->begin_offset);
    return !is_before && !is_after;
}

static hpf_status revisit_stretch(hpf__read_survey *s, const hpf_drawn_sample *first,
                                  const hpf_drawn_sample *last, char *buffer, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (s->order.n_places == 0) {
        return revisit(s, first->begin_offset, last->end_offset, buffer, err);
    }
    for (size_t i = 0; i < s->order.n_places && status == HPF_OK; i++) {
        const hpf__place *place = &s->order.places[i];
        if (is_between(place, first, last)) {
            status = revisit(s, place->begin_offset, place->end_offset, buffer, err);
        }
    }
    return status;
}

/* A consumer of the samples from one place to another. */
typedef struct stretch {
    uint64_t begin_offset, end_offset;
    const hpf_events *events;
    void *context;
} stretch;

static hpf_status on_stretch_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    const stretch *s = context;
    bool is_inside = sample->begin_offset >= s->begin_offset && sample->end_offset <= s->end_offset;
    return is_inside ? s->events->sample(s->context, sample, err) : HPF_OK;
}

static hpf_status replay_stretch(hpf_survey *survey, const hpf_drawn_sample *first,
                                 const hpf_drawn_sample *last, const hpf_events *events,
                                 void *context, hpf_error *err)
{
    if (has_changes((hpf__read_survey *)survey)) {
        const hpf_events all = {.name = on_unknown_name, .sample = on_stretch_sample};
        stretch to = {first->begin_offset, last->end_offset, events, context};
        hpf_reader_revisit(survey->reader, &all, &to);
        return hpf__survey_reread_all((hpf__read_survey *)survey, err);
    }
    hpf_events samples = {.name = on_unknown_name, .sample = events->sample};
    char *buffer = malloc(READ_BYTES);
    if (!buffer) {
        return hpf_error_set_memory(err);
    }
    hpf_reader_revisit(survey->reader, &samples, context);
    hpf_status status = revisit_stretch((hpf__read_survey *)survey, first, last, buffer, err);
    free(buffer);
    return status;
}

const hpf__second_pass hpf__survey_second_pass = {.series = find_series,
                                                  .replay = replay_all,
                                                  .emits_marks_first = is_ordered,
                                                  .between = replay_stretch};

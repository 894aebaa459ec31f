/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The first pass adds up (tally.h), large files in parts at once (parts.h); the second reads only
 * the picks, or recalls them.
 */
#include "hpfile/survey.h"

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "tally.h"

#define DEFAULT_MAX_PICKS 8192
#define PARTS_LEAST_BYTES (64u << 20)
#define READ_BYTES        (256u << 10)

struct hpf_survey {
    hpf_source *source;
    hpf_reader *reader;
    hpf__tally tally;
    hpf_survey_options options;
};

/* --- first pass --- */

static void on_warning(void *context, const hpf_error *warning)
{
    hpf_survey *s = context;
    s->tally.overview.truncated = true;
    if (s->options.warning) {
        s->options.warning(s->options.warning_context, warning);
    }
}

static hpf_status feed_all(hpf_survey *s, hpf_error *err)
{
    hpf_str piece;
    hpf_status status = hpf__parts_read(s->reader, &s->tally, s->source,
                                        s->options.parts_least_bytes ? s->options.parts_least_bytes
                                                                     : PARTS_LEAST_BYTES,
                                        s->options.progress, s->options.progress_context, err);
    while (status == HPF_OK && (status = hpf_source_next(s->source, &piece, err)) == HPF_OK) {
        status = hpf_reader_feed(s->reader, piece.data, piece.length, err);
        if (status == HPF_OK && s->options.progress) {
            s->options.progress(s->options.progress_context, hpf_source_position_bytes(s->source),
                                hpf_source_stored_bytes(s->source));
        }
    }
    return status == HPF_END ? HPF_OK : status;
}

static hpf_status run(hpf_survey *s, hpf_error *err)
{
    hpf_reader_options reader_options = {on_warning, s};
    size_t max_picks = s->options.max_picks ? s->options.max_picks : DEFAULT_MAX_PICKS;
    bool is_ready = hpf__tally_init(&s->tally, max_picks, false);
    s->reader = hpf_reader_create(&hpf__tally_events, &s->tally, &reader_options);
    if (!is_ready || !s->reader) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = feed_all(s, err);
    if (status == HPF_OK) {
        status = hpf_reader_finish(s->reader, err);
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
        free(s);
    }
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
    series to = {band_of_name, values, s->tally.overview.n_picks, 0};
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

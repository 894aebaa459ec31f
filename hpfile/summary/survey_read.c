/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The first pass over a source adds up (tally.h). Samples
 * that are not in the order of time are put in order.
 */
#include "summary/survey_read.h"

#include <stdlib.h>
#include <string.h>

#include "detect/reader.h"

/* --- first pass --- */

/* Where no series is expected, nothing is to be recalled. */
static void limit_recall(hpf__read_survey *s)
{
    if (s->options.expects_no_series) {
        hpf__recall_lose(&s->base.tally.recall);
    }
}

static void on_warning(void *context, const hpf_error *warning)
{
    hpf__read_survey *s = context;
    s->base.tally.overview.truncated |= warning->status == HPF_END;
    if (s->options.warning && warning->status != HPF_ERR_ORDER) {
        s->options.warning(s->options.warning_context, warning);
    }
}

static hpf_status feed_all(hpf__read_survey *s, hpf_error *err)
{
    hpf_str piece;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && (status = hpf_source_next(s->source, &piece, err)) == HPF_OK) {
        status = hpf_reader_feed(s->base.reader, piece.data, piece.length, err);
        if (status == HPF_OK && s->options.progress) {
            s->options.progress(s->options.progress_context, hpf_source_position_bytes(s->source),
                                hpf_source_stored_bytes(s->source));
        }
    }
    return status == HPF_END ? HPF_OK : status;
}

/* --- order --- */

/* A sample read alone does not know its place. */
static hpf_status on_placed(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf__read_survey *s = context;
    hpf_sample placed = *sample;
    placed.begin_offset = s->place->begin_offset;
    placed.end_offset = s->place->end_offset;
    return hpf__tally_events.sample(&s->base.tally, &placed, err);
}

/* An event log's blocks come as they were full: marks are sorted, and if samples are not in order,
 * they are read once more for their places, and then again by time. */
static hpf_status put_in_order(hpf__read_survey *s, hpf_error *err)
{
    static const hpf_events placed = {.sample = on_placed};
    hpf__log_heap *log = hpf__reader_log(s->base.reader);
    if (!hpf__tally_sort_marks(&s->base.tally)) {
        return hpf_error_set_memory(err);
    }
    if (hpf__log_heap_n_late(log) == 0) {
        return HPF_OK;
    }
    hpf__log_heap_keep_times(log);
    hpf_reader_revisit(s->base.reader, &hpf__order_events, &s->order);
    hpf_status status = hpf__survey_revisit_all(s, err);
    if (status == HPF_OK) {
        hpf__order_sort(&s->order);
        hpf__tally_forget_samples(&s->base.tally);
        limit_recall(s);
        hpf_reader_revisit(s->base.reader, &placed, s);
        status = hpf__survey_revisit_in_order(s, err);
    }
    return status;
}

static hpf_status run(hpf__read_survey *s, hpf_error *err)
{
    hpf_reader_options reader_options = {.warning = on_warning,
                                         .warning_context = s,
                                         .has_log_profile = s->options.has_log_profile,
                                         .log_profile = s->options.log_profile};
    bool is_ready = hpf__tally_init(&s->base.tally, s->options.max_picks);
    if (s->options.has_window) {
        s->base.tally.from_time = s->options.from_time;
        s->base.tally.to_time = s->options.to_time;
    }
    limit_recall(s);
    s->base.tally.is_wanted = s->options.is_wanted;
    s->base.tally.is_wanted_context = s->options.is_wanted_context;
    s->base.reader = hpf_reader_create(&hpf__tally_events, &s->base.tally, &reader_options);
    if (!is_ready || !s->base.reader) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = feed_all(s, err);
    if (status == HPF_OK) {
        status = hpf_reader_finish(s->base.reader, err);
    }
    if (status == HPF_OK && hpf__reader_log(s->base.reader)) {
        status = put_in_order(s, err);
    }
    if (status == HPF_OK) {
        status = hpf__tally_settle(&s->base.tally, err);
    }
    return status == HPF_OK ? hpf__tally_settle_lines(&s->base.tally, err) : status;
}

hpf_status hpf_survey_create(hpf_survey **out, hpf_source *source,
                             const hpf_survey_options *options, hpf_error *err)
{
    *out = NULL;
    hpf__read_survey *s = calloc(1, sizeof *s);
    if (!s) {
        return hpf_error_set_memory(err);
    }
    s->base.second_pass = &hpf__survey_reads_again;
    s->source = source;
    s->options = options ? *options : (hpf_survey_options){0};
    hpf_status status = run(s, err);
    if (status != HPF_OK) {
        hpf_survey_destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return HPF_OK;
}

void hpf_survey_destroy(hpf_survey *survey)
{
    hpf__read_survey *s = (hpf__read_survey *)survey;
    if (s) {
        hpf_reader_destroy(s->base.reader);
        hpf__tally_finish(&s->base.tally);
        hpf__order_finish(&s->order);
        free(s);
    }
}

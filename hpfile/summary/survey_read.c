/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The first pass over a source adds up (accumulator.h). Samples that are not in the order of time
 * are put in order.
 */
#include "io/source.h"
#include "summary/survey_read.h"

#include <stdlib.h>

#include "base/options.h"
#include "base/array.h"
#include "detect/reader.h"
#include "event/format_row.h"
#include "event/stack_view.h"
#include "hpfile/format.h"
#include "eventlog/eventlog_activity.h"

/* --- first pass --- */

/* Where no series is expected, no costs are stored. */
static void limit_store(hpf__read_survey *s)
{
    if (s->options.expects_no_series) {
        hpf__sample_store_drop(&s->base.accumulator.store);
    }
}

static void on_warning(void *context, const hpf_error *warning)
{
    hpf__read_survey *s = context;
    s->base.accumulator.overview.truncated |= warning->status == HPF_END;
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

static hpf_status on_place(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf__time_index *order = context;
    if (!HPF__ARRAY_RESERVE(order->places, order->capacity, order->n_places + 1)) {
        return hpf_error_set_memory(err);
    }
    order->places[order->n_places++] =
        (hpf__place){sample->time, sample->begin_offset, sample->end_offset};
    return HPF_OK;
}

/* Gathers the places of samples; the context is the order. */
static const hpf_events place_events = {.sample = on_place};

static int compare_places(const void *left, const void *right)
{
    const hpf__place *a = left;
    const hpf__place *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return (a->begin_offset > b->begin_offset) - (a->begin_offset < b->begin_offset);
}

/* A sample read alone does not know its place. */
static hpf_status on_placed(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf__read_survey *s = context;
    hpf_sample placed = *sample;
    placed.begin_offset = s->place->begin_offset;
    placed.end_offset = s->place->end_offset;
    return hpf__accumulator_events.sample(&s->base.accumulator, &placed, err);
}

/* An event log's blocks come as they were full: marks are sorted, and if samples are not in order,
 * they are read once more for their places, and then again by time. */
static hpf_status put_in_order(hpf__read_survey *s, hpf_error *err)
{
    static const hpf_events placed = {.sample = on_placed};
    hpf__eventlog_heap *log = hpf__reader_log(s->base.reader);
    if (!hpf__accumulator_sort_marks(&s->base.accumulator)) {
        return hpf_error_set_memory(err);
    }
    if (hpf__eventlog_heap_n_late(log) == 0) {
        return HPF_OK;
    }
    if (hpf__eventlog_heap_has_changes(log)) {
        return hpf_error_set(err, HPF_ERR_ORDER,
                             "samples that are changes must be in the order of time");
    }
    hpf__eventlog_heap_keep_times(log);
    hpf_reader_revisit(s->base.reader, &place_events, &s->order);
    hpf_status status = hpf__survey_reread_all(s, err);
    if (status == HPF_OK) {
        /* Sorts by time, then by place in the input. */
        HPF__ARRAY_SORT(s->order.places, s->order.n_places, compare_places);
        hpf__accumulator_forget_samples(&s->base.accumulator);
        limit_store(s);
        hpf_reader_revisit(s->base.reader, &placed, s);
        status = hpf__survey_reread_by_time(s, err);
    }
    return status;
}

/* Reads sources of a format that is read whole, and keeps their events for the second pass. Marks
 * and quantities are then sorted by time when they are emitted. */
static hpf_status read_whole(hpf__read_survey *s, const hpf_format *format,
                             hpf_source *const *sources, size_t n_sources, size_t *failed,
                             hpf_error *err)
{
    hpf_status status = hpf__source_create_spool(&s->spool, sources[0], err);
    if (status == HPF_OK) {
        status =
            hpf__reader_read(s->base.reader, format, sources, n_sources, s->spool, failed, err);
    }
    s->source = s->spool;
    s->base.has_sidecar = true;
    return status;
}

static hpf_status run(hpf__read_survey *s, const hpf_format *format, hpf_source *const *sources,
                      size_t n_sources, size_t *failed, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (s->options.uses_mutator_clock &&
        (format == &hpf_format_eventlog || format == &hpf__live_bytes)) {
        status = hpf__eventlog_activity_read(&s->clock, s->source, err);
    }
    if (status != HPF_OK) {
        return status;
    }
    hpf_reader_options reader_options = {.max_name_bytes = s->options.max_name_bytes,
                                         .warning = on_warning,
                                         .warning_context = s,
                                         .has_log_profile = s->options.has_log_profile,
                                         .log_profile = s->options.log_profile,
                                         .clock = s->clock,
                                         .value = s->options.value,
                                         .symbolise = s->options.symbolise,
                                         .symbolise_context = s->options.symbolise_context,
                                         .symbolises_all = s->options.symbolises_all,
                                         .by_stack = s->options.by_stack,
                                         .by_line = s->options.by_line,
                                         .keeps_stacks = s->options.keeps_stacks,
                                         .view = s->options.view};
    bool is_whole = hpf__reader_is_whole(format, &reader_options);
    reader_options.by_line |=
        is_whole && s->options.view && hpf__stack_view_has_lines(s->options.view);
    bool is_ready = hpf__accumulator_init(&s->base.accumulator, s->options.max_drawn);
    if (s->options.has_window) {
        s->base.accumulator.from_time = s->options.from_time;
        s->base.accumulator.to_time = s->options.to_time;
    }
    limit_store(s);
    s->base.accumulator.is_wanted = s->options.is_wanted;
    s->base.accumulator.is_wanted_context = s->options.is_wanted_context;
    s->base.reader =
        hpf_reader_create(&hpf__accumulator_events, &s->base.accumulator, &reader_options);
    if (!is_ready || !s->base.reader) {
        return hpf_error_set_memory(err);
    }
    if (is_whole) {
        status = read_whole(s, format, sources, n_sources, failed, err);
    } else {
        status = feed_all(s, err);
        status = status == HPF_OK ? hpf_reader_finish(s->base.reader, err) : status;
    }
    if (status == HPF_OK && hpf__reader_log(s->base.reader)) {
        status = put_in_order(s, err);
    }
    if (status == HPF_OK) {
        status = hpf__accumulator_settle(&s->base.accumulator, err);
    }
    return status == HPF_OK ? hpf__accumulator_settle_lines(&s->base.accumulator, err) : status;
}

static hpf_status create(hpf_survey **out, const hpf_format *format, hpf_source *const *sources,
                         size_t n_sources, const hpf_survey_options *options, size_t *failed,
                         hpf_error *err)
{
    *out = NULL;
    hpf__read_survey *s = calloc(1, sizeof *s);
    if (!s) {
        return hpf_error_set_memory(err);
    }
    s->base.second_pass = &hpf__survey_second_pass;
    s->input = s->source = sources[0];
    s->options = *options;
    hpf_status status = run(s, format, sources, n_sources, failed, err);
    if (status != HPF_OK) {
        hpf_survey_destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return HPF_OK;
}

/* Surveys the live bytes of an event log. If there are none, keeps `err`, which says why there is
 * no heap profile. */
static hpf_status create_live(hpf_survey **out, hpf_source *source,
                              const hpf_survey_options *options, hpf_error *err)
{
    size_t failed;
    hpf_error other;
    hpf_status status = hpf_source_rewind(source, &other);
    status = status == HPF_OK ? create(out, &hpf__live_bytes, &source, 1, options, &failed, &other)
                              : status;
    if (status == HPF_END) {
        return err->status;
    }
    if (status != HPF_OK) {
        *err = other;
    } else if (options->warning) {
        hpf_error_set(&other, HPF_END, "drawing only the live bytes that the collector measured");
        options->warning(options->warning_context, err);
        options->warning(options->warning_context, &other);
    }
    return status;
}

hpf_status hpf_survey_create_series(hpf_survey **out, hpf_source *const *sources, size_t n_sources,
                                    const hpf_survey_options *options, size_t *failed,
                                    hpf_error *err)
{
    hpf_survey_options own;
    hpf_error own_err;
    err = err ? err : &own_err;
    *out = NULL;
    *failed = 0;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    const hpf_format *format = own.format;
    if (status == HPF_OK && !format) {
        status = hpf_format_detect(&format, sources[0], err);
    }
    status = status == HPF_OK ? create(out, format, sources, n_sources, &own, failed, err) : status;
    bool may_be_live = status == HPF_ERR_SYNTAX && format == &hpf_format_eventlog &&
                       own.takes_live_bytes && !own.has_log_profile &&
                       !(own.view && !own.view->shows_names);
    return may_be_live ? create_live(out, sources[0], &own, err) : status;
}

hpf_status hpf_survey_create(hpf_survey **out, hpf_source *source,
                             const hpf_survey_options *options, hpf_error *err)
{
    size_t failed;
    return hpf_survey_create_series(out, &source, 1, options, &failed, err);
}

void hpf_survey_destroy(hpf_survey *survey)
{
    hpf__read_survey *s = (hpf__read_survey *)survey;
    if (s) {
        hpf_reader_destroy(s->base.reader);
        hpf__accumulator_finish(&s->base.accumulator);
        hpf_eventlog_activity_destroy(s->clock);
        hpf_source_destroy(s->spool);
        free(s->order.places);
        free(s->base.spreads);
        free(s);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of a profile: start, censuses, and the files at the end.
 */
#include "hpfile/prof.h"
#include "hpprof/profiler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccs/ccs.h"
#include "ccs/tick_list.h"
#include "hpfile/eventlog.h"
#include "marks.h"
#include "profiler.h"
#include "output.h"
#include "address_histogram.h"
#include "report.h"
#include "retainer_log.h"
#include "base/text.h"
#include "census/snapshot.h"
#include "timer.h"
#include "title.h"
#include "base/options.h"

struct hpp_profiler {
    hpp_config config;
    const hpp_options *options;
    char date[32];
    hpf_str name; /* last part of the program's path */
    hpp_census *engine;
    hpp__output output;
    hpp__timer timer;
    hpp__address_histogram time_places, heap_places;
    uint64_t start_ns;    /* on the clock */
    uint64_t excluded_ns; /* spent in censuses */
    uint64_t next_ns;     /* when the next census is due, on the profile's clock */
    hpp_heap heap;        /* of `config`, with the members that its caller does not know */
    hpp__retainer_log retainers;
    uint64_t snapshot_bytes;  /* live in the kept snapshot */
    hpf_error snapshot_error; /* the first of a snapshot that could not be written */
    hpp__marks marks;         /* of a biography, whose samples are written again */
    hpp__loss_report missing;
    uint64_t n_log_ticks; /* written into the event log */
    bool logs_ticks;
    bool watches_abort;
    bool is_stopped;
};

/* ---- time ---- */

static uint64_t profile_time_ns(const hpp_profiler *p)
{
    return p->config.clock.now_ns(p->config.clock.context) - p->start_ns -
           HPP_RELAXED_LOAD(&p->excluded_ns);
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

double hpp_profiler_time_s(const hpp_profiler *p)
{
    return p ? seconds(profile_time_ns(p)) : 0.0;
}

/* ---- names ---- */

/* Returns the path of an output file, to be freed; NULL without memory. */
static char *path_of(const hpp_profiler *p, const char *suffix)
{
    hpf_str stem = p->options->stem ? hpf_str_of(p->options->stem) : p->name;
    char *path = malloc(stem.length + strlen(suffix) + 1);
    if (path) {
        memcpy(path, stem.data, stem.length);
        strcpy(path + stem.length, suffix);
    }
    return path;
}

static void emit_headers(hpp_profiler *p, hpp__output *output)
{
    hpp__text job = {0};
    hpp__text_add(&job, p->name);
    for (size_t i = 0; i < p->config.n_arguments; i++) {
        hpp__title_add_word(&job, p->config.arguments[i]);
    }
    hpp__title_add_options(&job, p->options->words, p->options->n_words);
    p->missing.no_title |= job.is_short;
    hpf_str date = hpf_str_of(p->date);
    hpp__output_headers(output, job.is_short ? p->name : hpp__text_str(&job), date,
                        p->options->census->count_objects);
    hpp__text_finish(&job);
}

/* ---- start ---- */

static hpf_status open_log(hpp_profiler *p, const double *end_s, hpf_error *err)
{
    if (!p->options->with_eventlog) {
        return HPF_OK;
    }
    char *path = path_of(p, ".eventlog");
    hpf_status status =
        path ? hpp__output_open_log(&p->output, path, p->options, p->engine, false, end_s, err)
             : hpf_error_set_memory(err);
    free(path);
    return status;
}

/* Opens the file for the figures of retainer passes. A biography does not replace it: they are
 * final at once. */
static hpf_status open_sidecar(hpp_profiler *p, hpf_error *err)
{
    if (!hpp_census_has_retainers(p->engine)) {
        return HPF_OK;
    }
    char *path = path_of(p, ".lines");
    hpf_status status =
        path ? hpp__output_open_sidecar(&p->output, path, err) : hpf_error_set_memory(err);
    free(path);
    return status;
}

/* Starts the heap profile, with an empty sample, as GHC does. */
static hpf_status start_heap(hpp_profiler *p, hpf_error *err)
{
    if (!p->options->with_census) {
        return HPF_OK;
    }
    if (!p->config.heap) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "there is no heap to profile");
    }
    if (p->options->census->count_objects && p->options->with_eventlog) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "--count cannot be used with -l: amounts in event logs are bytes");
    }
    if (p->options->census->savings && p->options->with_eventlog) {
        return hpf_error_set(
            err, HPF_ERR_ARGUMENT,
            "--savings cannot be used with -l: event logs have no such break-down");
    }
    if (p->options->snapshot == HPP_SNAPSHOT_OOM) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "--snapshot oom is for programs under census run");
    }
    hpf_status status = HPF_OK;
    if (p->options->snapshot != HPP_SNAPSHOT_NEVER) {
        status = hpp__heap_snapshot_check(p->config.heap, err);
    }
    if (status == HPF_OK) {
        status = p->options->census->n_further == 0
                     ? hpp_census_create(&p->engine, p->config.heap, p->options->census, err)
                     : hpf_error_set(err, HPF_ERR_ARGUMENT, "only one break-down is possible");
    }
    char *path = path_of(p, ".hp");
    if (status == HPF_OK && !path) {
        status = hpf_error_set_memory(err);
    }
    if (status == HPF_OK) {
        status = hpp__output_open(&p->output, path, err);
    }
    free(path);
    status = status == HPF_OK ? open_sidecar(p, err) : status;
    status = status == HPF_OK ? open_log(p, NULL, err) : status;
    if (status == HPF_OK) {
        hpp__output_add(&p->output, p->config.events, p->config.events_context);
        emit_headers(p, &p->output);
        hpp__output_sample(&p->output, 0.0, NULL, 0);
    }
    return status;
}

static bool wants_time(const hpp_options *options)
{
    return options->report != HPP_REPORT_NONE || options->time_bins;
}

/* Starts the ticker. Only a second signal ticker is an error: a profile without ticks is better
 * than none. */
static hpf_status start_time(hpp_profiler *p, hpf_error *err)
{
    const hpp_options *o = p->options;
    p->missing.no_places = (o->time_bins && !hpp__address_histogram_init(&p->time_places)) ||
                           (o->heap_bins && !hpp__address_histogram_init(&p->heap_places));
    if (o->time_bins && o->tick_ns > 0 && p->config.ticker != HPP_TICKER_SIGNAL) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "-Bt needs a clock that knows addresses, which this program does not "
                             "use: try -Bh for allocation alone");
    }
    if (!wants_time(o) || o->tick_ns == 0) {
        return HPF_OK;
    }
    if (o->with_eventlog && o->report != HPP_REPORT_NONE) {
        p->logs_ticks = hpp__tick_list_start(p->config.clock);
        p->missing.no_ticks = !p->logs_ticks;
        hpp__output_begin_time(&p->output, o->tick_ns);
    }
    p->timer.kind = p->config.ticker;
    p->timer.tick_ns = o->tick_ns;
    p->timer.places = o->time_bins ? &p->time_places : NULL;
    hpf_status status = hpp__timer_start(&p->timer, err);
    p->missing.no_ticks |= status != HPF_OK;
    return status == HPF_ERR_UNSUPPORTED ? status : HPF_OK;
}

static void set_defaults(hpp_profiler *p)
{
    hpp_config *c = &p->config;
    if (!c->clock.now_ns) {
        c->clock = hpp_clock_cpu;
    }
    if (!c->program) {
        c->program = "program";
    }
    p->options = c->options;
    p->name = hpp__title_program(c->program);
    if (c->date) {
        snprintf(p->date, sizeof p->date, "%s", c->date);
    } else {
        hpp__title_date(p->date, sizeof p->date);
    }
    p->start_ns = c->clock.now_ns(c->clock.context);
    p->next_ns = p->options->interval_ns;
}

hpf_status hpp_profiler_start(hpp_profiler **out, const hpp_config *config, hpf_error *err)
{
    hpp_config own;
    *out = NULL;
    hpf_status status = HPF__OPTIONS_COPY(&own, config, err);
    const hpp_options *o = own.options;
    if (status != HPF_OK || !o) {
        return status;
    }
    if (!o->with_census && !wants_time(o) && !o->heap_bins && !o->print_on_abort && !o->life_of) {
        return HPF_OK;
    }
    hpp_profiler *p = calloc(1, sizeof *p);
    if (!p) {
        return hpf_error_set_memory(err);
    }
    p->config = own;
    set_defaults(p);
    if (own.heap) {
        status = HPF__OPTIONS_COPY(&p->heap, own.heap, err);
        p->config.heap = &p->heap;
    }
    status = status == HPF_OK ? start_heap(p, err) : status;
    if (status == HPF_OK) {
        status = start_time(p, err);
    }
    if (status != HPF_OK) {
        hpp_profiler_destroy(p);
        return status;
    }
    if (p->options->print_on_abort) {
        hpp__ccs_abort_watch();
        p->watches_abort = true;
    }
    *out = p;
    return HPF_OK;
}

/* ---- censuses ---- */

bool hpp_profiler_census_due(const hpp_profiler *p)
{
    if (!p || !p->engine || p->is_stopped) {
        return false;
    }
    return p->options->interval_ns == 0 || profile_time_ns(p) >= HPP_RELAXED_LOAD(&p->next_ns);
}

/* Emits a result. Event logs, and the sidecar of savings, also contain the live bytes, which may be
 * more than the bands. */
static void emit_result(hpp_profiler *p, const hpp_census_result *result)
{
    if (p->options->with_eventlog || p->options->census->savings) {
        uint64_t live =
            p->options->census->count_objects ? result->n_live_objects : result->live_bytes;
        hpp__output_line(&p->output, result->time_s, HPF_STR("live"), (double)live);
    }
    hpp__output_sample(&p->output, result->time_s, result->bands, result->n_bands);
}

/* Writes the ticks so far into the event log. Those since `now_ns` came while the clock of the
 * profile had stopped at it. */
static void log_ticks(hpp_profiler *p, uint64_t now_ns)
{
    enum { MAX_FRAMES = 255 };
    hpf_frame frames[MAX_FRAMES];
    hpp__tick tick;
    while (p->logs_ticks && hpp__tick_list_take(&tick)) {
        uint64_t time_ns = tick.time_ns - p->start_ns - p->excluded_ns;
        double time_s = seconds(time_ns < now_ns ? time_ns : now_ns);
        size_t n = hpp__stack_frames(&hpp_ccs_stacks, NULL, hpp_ccs_by_id(tick.stack_id), frames,
                                     MAX_FRAMES);
        for (uint32_t i = 0; i < tick.n; i++) {
            hpp__output_tick(&p->output, time_s, ++p->n_log_ticks, frames,
                             n < MAX_FRAMES ? n : MAX_FRAMES);
        }
    }
}

hpp__output *hpp__profiler_log(hpp_profiler *p)
{
    return p && !p->is_stopped && hpp__output_has_log(&p->output) ? &p->output : NULL;
}

/* Writes the objects and references of the heap. */
static hpf_status write_snapshot(hpp_profiler *p, hpf_error *err)
{
    const hpp_census_options *census = p->options->census;
    hpf_status status = hpp__heap_snapshot_check(p->config.heap, err);
    char *path = path_of(p, ".heapsnapshot");
    hpf_snapshot snapshot;
    if (status == HPF_OK && !path) {
        status = hpf_error_set_memory(err);
    }
    if (status == HPF_OK) {
        status = hpp__heap_snapshot_take(
            &snapshot, p->config.heap,
            (hpp__heap_snapshot_options){.by_type = census->breakdown == HPF_BREAKDOWN_TYPE,
                                         .count_stacks = census->count_stacks},
            err);
    }
    if (status == HPF_OK) {
        status = hpp__heap_snapshot_write(&snapshot, path, err);
    }
    free(path);
    return status;
}

/* Takes the snapshot that is wanted at a census. */
static void keep_snapshot(hpp_profiler *p, uint64_t live_bytes)
{
    const uint64_t kept = p->snapshot_bytes;
    hpf_error err;
    if (p->options->snapshot == HPP_SNAPSHOT_NEVER ||
        (p->options->snapshot == HPP_SNAPSHOT_LARGEST && live_bytes <= kept + kept / 50)) {
        return;
    }
    hpf_status status = write_snapshot(p, &err);
    if (status == HPF_OK) {
        p->snapshot_bytes = live_bytes;
    } else if (status == HPF_ERR_MEMORY || status == HPF_ERR_LIMIT) {
        p->missing.n_snapshots++;
    } else if (p->snapshot_error.status == HPF_OK) {
        p->snapshot_error = err;
    }
}

/* Leaves the time since `then_ns` out of the clock of the profile. */
static void exclude_since(hpp_profiler *p, uint64_t then_ns)
{
    uint64_t spent_ns = profile_time_ns(p) - then_ns;
    HPP_RELAXED_STORE(&p->excluded_ns, p->excluded_ns + spent_ns);
}

hpf_status hpp_profiler_snapshot(hpp_profiler *p, hpf_error *err)
{
    hpf_error ignored;
    if (!p || p->is_stopped) {
        return HPF_OK;
    }
    const hpp_ccs *before = hpp_ccs_current();
    hpp_ccs_set(hpp_ccs_builtin(HPP_CCS_OVERHEAD));
    uint64_t now_ns = profile_time_ns(p);
    hpf_status status = write_snapshot(p, err ? err : &ignored);
    exclude_since(p, now_ns);
    hpp_ccs_set(before);
    return status;
}

void hpp_profiler_census(hpp_profiler *p)
{
    if (!p || !p->engine || p->is_stopped) {
        return;
    }
    const hpp_ccs *before = hpp_ccs_current();
    hpp_ccs_set(hpp_ccs_builtin(HPP_CCS_OVERHEAD));
    uint64_t now_ns = profile_time_ns(p);
    log_ticks(p, now_ns);
    const hpp_census_result *result = hpp_census_take(p->engine, seconds(now_ns));
    hpp__loss_report_add(&p->missing, &result->missing);
    if (hpp_census_has_retainers(p->engine)) {
        p->missing.n_retainer_passes += !hpp__retainer_log_add(&p->retainers, &p->output, result);
    }
    emit_result(p, result);
    keep_snapshot(p, result->live_bytes);
    /* The next census is due one interval after this one was, or one interval from now. */
    uint64_t next_ns = p->next_ns + p->options->interval_ns;
    HPP_RELAXED_STORE(&p->next_ns, next_ns > now_ns ? next_ns : now_ns + p->options->interval_ns);
    log_ticks(p, now_ns);
    exclude_since(p, now_ns);
    hpp_ccs_set(before);
}

hpp__loss_report *hpp__profiler_losses(hpp_profiler *p)
{
    return &p->missing;
}

hpp_census *hpp__profiler_engine(hpp_profiler *p)
{
    return p ? p->engine : NULL;
}

void hpp_profiler_mark(hpp_profiler *p, hpf_str label)
{
    if (!p || !p->engine || p->is_stopped) {
        return;
    }
    double time_s = hpp_profiler_time_s(p);
    hpp__output_mark(&p->output, time_s, label);
    if (hpp_census_has_biography(p->engine)) {
        hpp__marks_add(&p->marks, time_s, label);
    }
}

void hpp_profiler_allocated_at(hpp_profiler *p, const void *place, size_t n_bytes)
{
    if (p && p->options->heap_bins) {
        hpp__address_histogram_add(&p->heap_places, (uintptr_t)place, n_bytes);
    }
}

void hpp_profiler_exception(const hpp_profiler *p, const char *what, int fd)
{
    if (p && p->options->print_on_abort) {
        hpp__print_exception(what, fd);
    }
}

/* ---- stop ---- */

/* Keeps the first failure. */
static void keep_first(hpf_status *all, hpf_error *err, hpf_status status, const hpf_error *why)
{
    if (*all == HPF_OK && status != HPF_OK) {
        *all = status;
        if (err) {
            *err = *why;
        }
    }
}

/* Copies what the provisional event log has besides samples. */
static hpf_status copy_log(hpp_profiler *p, hpf_error *err)
{
    char *path = path_of(p, ".eventlog");
    hpf_status status = path ? hpp__output_copy_log(&p->output, HPP__OUT_LOG, path, NULL, err)
                             : hpf_error_set_memory(err);
    free(path);
    return status;
}

/* Writes the samples again, with phases that are final. The provisional file stays if that fails.
 */
static hpf_status rewrite_biography(hpp_profiler *p, double end_s, hpf_error *err)
{
    hpf_status status = hpp_census_end(p->engine, err);
    char *path = path_of(p, ".hp");
    if (status == HPF_OK && (!path || p->marks.is_short)) {
        status = hpf_error_set_memory(err);
    }
    if (status == HPF_OK) {
        status = hpp__output_replace(&p->output, path, err);
    }
    free(path);
    status = status == HPF_OK ? open_log(p, &end_s, err) : status;
    if (status != HPF_OK) {
        hpp__output_drop(&p->output);
        return status;
    }
    emit_headers(p, &p->output);
    if (p->options->with_eventlog && copy_log(p, err) != HPF_OK) {
        hpp__output_drop(&p->output);
        return err->status;
    }
    hpp__output_sample(&p->output, 0.0, NULL, 0);
    p->missing.censuses = (hpp_missing){0}; /* of the samples that are replaced */
    for (uint32_t i = 0; i < hpp_census_n_eras(p->engine); i++) {
        const hpp_census_result *result = hpp_census_final(p->engine, i);
        hpp__loss_report_add(&p->missing, &result->missing);
        hpp__marks_emit(&p->marks, result->time_s, &p->output);
        emit_result(p, result);
    }
    hpp__marks_emit(&p->marks, HUGE_VAL, &p->output);
    hpp__output_sample(&p->output, end_s, NULL, 0);
    if (p->output.n_lost_samples > 0) {
        hpp__output_drop(&p->output);
        return hpf_error_set_memory(err);
    }
    return hpp__output_close(&p->output, err);
}

static void stop_heap(hpp_profiler *p, hpf_status *all, hpf_error *err)
{
    double end_s = hpp_profiler_time_s(p);
    log_ticks(p, UINT64_MAX);
    hpp__output_sample(&p->output, end_s, NULL, 0);
    keep_first(all, err, p->snapshot_error.status, &p->snapshot_error);
    p->missing.n_samples += p->output.n_lost_samples;
    p->missing.n_records += p->output.n_lost_records;
    hpf_error why;
    hpf_status status = hpp__output_close(&p->output, &why);
    keep_first(all, err, status, &why);
    if (hpp_census_has_biography(p->engine)) {
        status = rewrite_biography(p, end_s, &why);
        p->missing.no_final_biography = status == HPF_ERR_MEMORY;
        keep_first(all, err, status == HPF_ERR_MEMORY ? HPF_OK : status, &why);
    }
}

static hpf_status write_times(hpp_profiler *p, hpf_sink *sink, hpf_error *err)
{
    hpf_str *arguments = calloc(p->config.n_arguments + 1, sizeof *arguments);
    if (!arguments) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < p->config.n_arguments; i++) {
        const char *argument = p->config.arguments[i];
        arguments[i] = hpf_str_of(argument);
    }
    hpf_prof prof = {
        .date = hpf_str_of(p->date),
        .program = p->name,
        .command = hpf_str_of(p->config.program),
        .options = p->options->words,
        .n_options = p->options->n_words,
        .arguments = arguments,
        .n_arguments = p->config.n_arguments,
        .tick_us = p->options->tick_ns / 1000,
        .n_processors = 1, /* ticks are processor time already */
    };
    hpf_status status = hpp__report_write(sink, &prof, p->options->report, err);
    free(arguments);
    return status;
}

/* Writes the report. A JSON report is read by programs, so the file contains nothing else. */
static void write_prof_into(hpp_profiler *p, hpf_sink *sink)
{
    bool is_text = p->options->report != HPP_REPORT_JSON;
    if (p->engine && hpp_census_has_retainers(p->engine) && is_text) {
        hpp__retainer_log_write(&p->retainers, p->engine, sink);
    }
    if (p->options->report != HPP_REPORT_NONE) {
        p->missing.no_report = write_times(p, sink, NULL) != HPF_OK;
    }
    if (is_text || p->missing.no_report) {
        hpp__loss_report_write(&p->missing, sink);
    }
}

/* Writes a file of the profile, which `fill` fills. */
static hpf_status write_file(hpp_profiler *p, const char *suffix,
                             void (*fill)(hpp_profiler *p, hpf_sink *sink), hpf_error *err)
{
    char *path = path_of(p, suffix);
    if (!path) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = HPF_ERR_MEMORY;
    hpf_error why;
    hpf_sink *sink = hpf_sink_to_path(path, &why);
    if (sink) {
        fill(p, sink);
        status = hpf_sink_finish(sink, &why);
        hpf_sink_destroy(sink);
    } else {
        status = why.status;
    }
    *err = why;
    free(path);
    return status;
}

static void fill_time_bins(hpp_profiler *p, hpf_sink *sink)
{
    hpp__address_histogram_write(&p->time_places, HPF_BINS_TIME, p->options->tick_ns, sink);
}

static void fill_heap_bins(hpp_profiler *p, hpf_sink *sink)
{
    hpp__address_histogram_write(&p->heap_places, HPF_BINS_HEAP, 1, sink);
}

static void write_files(hpp_profiler *p, hpf_status *all, hpf_error *err)
{
    hpf_error why;
    bool has_sets = p->engine && hpp_census_has_retainers(p->engine);
    p->missing.stacks = hpp_ccs_losses();
    if (p->options->report != HPP_REPORT_NONE || has_sets || hpp__loss_report_is_any(&p->missing)) {
        keep_first(all, err, write_file(p, ".prof", write_prof_into, &why), &why);
    }
    if (p->options->time_bins) {
        keep_first(all, err, write_file(p, ".time.bins", fill_time_bins, &why), &why);
    }
    if (p->options->heap_bins) {
        keep_first(all, err, write_file(p, ".heap.bins", fill_heap_bins, &why), &why);
    }
}

hpf_status hpp__profiler_write_life(hpp_profiler *p, const hpp__life *life, hpf_error *err)
{
    char *path = path_of(p, ".life.hp");
    char *sidecar = path_of(p, ".life.lines");
    hpp__text job = {0};
    hpp__text_add(&job, p->name);
    hpp__text_add(&job, HPF_STR(": the life of one "));
    hpp__text_add(&job, hpf_str_of(p->options->life_of));
    hpp__output output = {0};
    hpf_status status = !path || !sidecar || job.is_short ? hpf_error_set_memory(err) : HPF_OK;
    status = status == HPF_OK ? hpp__output_open(&output, path, err) : status;
    status = status == HPF_OK ? hpp__output_open_sidecar(&output, sidecar, err) : status;
    if (status == HPF_OK) {
        hpp__output_headers(&output, hpp__text_str(&job), hpf_str_of(p->date), false);
        hpp__life_send(life, &output, hpp_profiler_time_s(p));
        status = hpp__output_close(&output, err);
    } else {
        hpp__output_drop(&output);
    }
    hpp__text_finish(&job);
    free(sidecar);
    free(path);
    return status;
}

/* Writes how long objects were in each phase, if that was measured. */
static hpf_status write_life_times(hpp_profiler *p, hpf_error *err)
{
    const hpp__life_times *times = hpp__census_life_times(p->engine);
    char *path = times ? path_of(p, ".lives.hp") : NULL;
    hpp__output output = {0};
    if (!times) {
        return HPF_OK;
    }
    hpf_status status = path ? hpp__output_open(&output, path, err) : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        emit_headers(p, &output);
        status = hpp__life_times_send(times, &output) && times->n_lost == 0
                     ? HPF_OK
                     : hpf_error_set_memory(err);
    }
    if (status == HPF_OK) {
        status = hpp__output_close(&output, err);
    } else {
        hpp__output_drop(&output);
    }
    free(path);
    return status;
}

static void stop_tick_list(hpp_profiler *p)
{
    if (p->logs_ticks) {
        p->missing.n_records += hpp__tick_list_n_lost();
        hpp__tick_list_stop();
        p->logs_ticks = false;
    }
}

hpf_status hpp_profiler_stop(hpp_profiler *p, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (!p || p->is_stopped) {
        return HPF_OK;
    }
    hpp__timer_stop(&p->timer);
    if (p->engine) {
        hpf_error why;
        stop_heap(p, &status, err);
        keep_first(&status, err, write_life_times(p, &why), &why);
    }
    stop_tick_list(p);
    write_files(p, &status, err);
    if (p->watches_abort) {
        hpp__ccs_abort_unwatch();
    }
    p->is_stopped = true;
    return status;
}

void hpp_profiler_destroy(hpp_profiler *p)
{
    if (!p) {
        return;
    }
    hpp__timer_stop(&p->timer);
    if (p->watches_abort && !p->is_stopped) {
        hpp__ccs_abort_unwatch();
    }
    stop_tick_list(p);
    hpp__output_drop(&p->output);
    hpp_census_destroy(p->engine);
    hpp__address_histogram_finish(&p->time_places);
    hpp__address_histogram_finish(&p->heap_places);
    hpp__retainer_log_finish(&p->retainers);
    hpp__marks_finish(&p->marks);
    free(p);
}

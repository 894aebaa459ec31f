/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A listener without memory for a sample misses that sample. After any other failure it gets no
 * more events.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hpfile/format.h"
#include "base/array.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "hpfile/breakdown.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/sink.h"

enum { OTHER_LISTENER = HPP__N_OUT_FILES, N_LISTENERS };

/* ---- Files ---- */

/* Returns whether a file is in no folder. */
static bool is_nameless(const struct stat *file)
{
    return S_ISREG(file->st_mode) && file->st_nlink == 0;
}

/* Opens a file that grows. `what` describes it in an error. */
static hpf_status open_growing(hpp__out_file *f, const char *path, const char *what, hpf_error *err)
{
    struct stat before; /* a program that ends soon can remove the file right after it is opened */
    bool has_name = stat(path, &before) != 0 || !is_nameless(&before);
    int fd = hpf_sink_open_growing(path);
    if (fd < 0) {
        return hpf_error_set_os(err, errno, "cannot write %s", what);
    }
    *f = (hpp__out_file){hpf_sink_to_fd(fd), fd, has_name};
    if (!f->sink) {
        close(fd);
        return hpf_error_set_memory(err);
    }
    return HPF_OK;
}

/* Opens a file that appears when it is complete. */
static hpf_status open_at_once(hpp__out_file *f, const char *path, hpf_error *err)
{
    hpf_error why;
    *f = (hpp__out_file){hpf_sink_to_path(path, &why), -1, false};
    if (!f->sink && err) {
        *err = why;
    }
    return f->sink ? HPF_OK : why.status;
}

static void drop_file(hpp__out_file *f)
{
    if (f->sink) {
        hpf_sink_destroy(f->sink);
        hpf__close(f->fd);
    }
    f->sink = NULL;
}

/* ---- The profile ---- */

static hpf_status begin_writing(hpp__output *o, hpf_status opened, hpf_error *err)
{
    static const hpf_writer_options options = {.size = sizeof options, .flush_samples = true};
    hpf_status status = opened;
    if (status == HPF_OK) {
        status = hpf_writer_create(&o->writer, &hpf_format_hp, o->files[HPP__OUT_HP].sink, &options,
                                   err);
    }
    if (status != HPF_OK) {
        hpp__output_drop(o);
        return status;
    }
    o->listeners[HPP__OUT_HP] = (hpp__listener){.events = &hpf_writer_events, .context = o->writer};
    return HPF_OK;
}

hpf_status hpp__output_open(hpp__output *o, const char *path, hpf_error *err)
{
    *o = (hpp__output){0};
    return begin_writing(o, open_growing(&o->files[HPP__OUT_HP], path, "the heap profile", err),
                         err);
}

hpf_status hpp__output_replace(hpp__output *o, const char *path, hpf_error *err)
{
    *o = (hpp__output){0};
    return begin_writing(o, open_at_once(&o->files[HPP__OUT_HP], path, err), err);
}

/* ---- Sidecar and event log ---- */

hpf_status hpp__output_open_sidecar(hpp__output *o, const char *path, hpf_error *err)
{
    hpp__out_file *f = &o->files[HPP__OUT_LINES];
    hpf_status status = open_growing(f, path, "the sidecar of the heap profile", err);
    if (status != HPF_OK) {
        return status;
    }
    o->sidecar = hpf_sidecar_writer_create(f->sink);
    if (!o->sidecar) {
        drop_file(f);
        return hpf_error_set_memory(err);
    }
    o->listeners[HPP__OUT_LINES] =
        (hpp__listener){.events = &hpf_sidecar_writer_events, .context = o->sidecar};
    return HPF_OK;
}

/* Stores the frames of the band whose name is being sent; called by the event log writer. */
static size_t frames_of_named(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    const hpp__output *o = context;
    (void)name;
    return hpp__census_frames(o->engine, o->named_band, frames, room);
}

/* Stores the restrictions as lists of names, in texts to be finished: "a,b", and "a,b & c" for two
 * that must both hold. */
static bool list_filters(hpp__text texts[HPF_N_RESTRICTIONS], const hpp_census_options *census)
{
    bool is_complete = true;
    for (size_t i = 0; i < census->n_restrictions; i++) {
        const hpp_restriction *r = &census->restrictions[i];
        int field = hpf_restriction_of(r->selector);
        const char *before = field >= 0 && texts[field].length > 0 ? " & " : "";
        for (size_t k = 0; field >= 0 && k < r->n_names; k++) {
            hpp__text_add(&texts[field], hpf_str_of(before));
            hpp__text_add(&texts[field], r->names[k]);
            before = ",";
            is_complete &= !texts[field].is_short;
        }
    }
    return is_complete;
}

/* Begins an event log. `which` is OUT_LOG or OUT_RECORDING. */
static hpf_status begin_log(hpp__output *o, int which, hpf_sink *sink, const hpp_options *options,
                            const hpp_census *engine, bool has_totals, const double *end_s,
                            hpf_error *err)
{
    hpp__text filters[HPF_N_RESTRICTIONS] = {{0}};
    hpf_writer_options how = {
        .size = sizeof how,
        .breakdown =
            options->census->breakdown ? options->census->breakdown : HPF_BREAKDOWN_COST_CENTRE,
        .period_ns = options->interval_ns,
        .rate_bytes = options->rate_bytes,
        .flush_samples = true,
        .writes_changes = which == HPP__OUT_RECORDING,
        .writes_totals = has_totals,
        .writes_calls = hpp__census_has_calls(engine),
        .writes_resident = options->with_resident,
        .has_watch = options->rate_bytes == 0 &&
                     hpp_census_asks_for(options->census, HPF_BREAKDOWN_BIOGRAPHY),
        .writes_waste = hpp_census_asks_for(options->census, HPF_BREAKDOWN_TYPE),
        .writes_generations = o->has_generations,
        .frames = frames_of_named,
        .frames_context = o,
        .end_time = end_s ? *end_s : 0,
    };
    o->engine = engine;
    o->log_classes = options->log_classes;
    o->n_processors = 1;
    bool is_listed = list_filters(filters, options->census);
    for (int i = 0; i < HPF_N_RESTRICTIONS; i++) {
        how.filters[i] = hpp__text_str(&filters[i]);
    }
    hpf_status status =
        is_listed ? hpf_writer_create(&o->logs[which], &hpf_format_eventlog, sink, &how, err)
                  : hpf_error_set_memory(err);
    for (int i = 0; i < HPF_N_RESTRICTIONS; i++) {
        hpp__text_finish(&filters[i]);
    }
    if (status == HPF_OK) {
        o->listeners[which] =
            (hpp__listener){.events = &hpf_writer_events, .context = o->logs[which]};
    }
    return status;
}

hpf_status hpp__output_open_log(hpp__output *o, const char *path, const hpp_options *options,
                                const hpp_census *engine, bool has_totals, const double *end_s,
                                hpf_error *err)
{
    hpp__out_file *f = &o->files[HPP__OUT_LOG];
    hpf_status status = end_s ? open_at_once(f, path, err)
                              : open_growing(f, path, "the event log of the heap profile", err);
    if (status == HPF_OK) {
        status = begin_log(o, HPP__OUT_LOG, f->sink, options, engine, has_totals, end_s, err);
    }
    if (status != HPF_OK) {
        drop_file(f);
    }
    return status;
}

hpf_status hpp__output_add_recording(hpp__output *o, hpf_sink *sink, const hpp_options *options,
                                     const hpp_census *engine, bool has_totals, const double *end_s,
                                     hpf_error *err)
{
    return begin_log(o, HPP__OUT_RECORDING, sink, options, engine, has_totals, end_s, err);
}

/* ---- Telling ---- */

void hpp__output_add(hpp__output *o, const hpf_events *events, void *context)
{
    o->listeners[OTHER_LISTENER] = (hpp__listener){.events = events, .context = context};
}

static void note_failure(hpp__output *o, int which, const hpf_error *err)
{
    o->listeners[which].has_failed = true;
    if (which != OTHER_LISTENER && o->first_error.status == HPF_OK) {
        o->first_error = *err;
    }
}

static bool is_enabled(const hpp__listener *l)
{
    return l->events && !l->has_failed;
}

static void emit_header(hpp__output *o, hpf_header which, hpf_str text)
{
    for (int i = 0; i < N_LISTENERS; i++) {
        hpp__listener *l = &o->listeners[i];
        hpf_error err;
        if (is_enabled(l) && l->events->header &&
            l->events->header(l->context, which, text, &err) != HPF_OK) {
            note_failure(o, i, &err);
        }
    }
}

void hpp__output_headers(hpp__output *o, hpf_str job, hpf_str date, bool count_objects)
{
    emit_header(o, HPF_HEADER_JOB, job);
    emit_header(o, HPF_HEADER_DATE, date);
    emit_header(o, HPF_HEADER_SAMPLE_UNIT, HPF_STR("seconds"));
    emit_header(o, HPF_HEADER_VALUE_UNIT, count_objects ? HPF_STR("objects") : HPF_STR("bytes"));
}

/* Numbers the name of a band, and sends it if it is new. */
static hpf_status define_name(hpp__output *o, hpp__listener *l, const hpp_band *band,
                              hpf_name *name, hpf_error *err)
{
    o->named_band = band->index;
    if (!HPF__ARRAY_RESERVE_ZEROED(l->names, l->names_capacity, (size_t)band->index + 1)) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = HPF_OK;
    if (l->names[band->index] == 0) {
        if (l->events->name) {
            status = l->events->name(l->context, l->n_names, band->name, err);
        }
        if (status == HPF_OK) {
            l->names[band->index] = ++l->n_names;
        }
    }
    *name = l->names[band->index] - 1;
    return status;
}

static hpf_status emit_sample(hpp__output *o, hpp__listener *l, double time_s,
                              const hpp_band *bands, size_t n_bands, hpf_error *err)
{
    if (!HPF__ARRAY_RESERVE(o->costs, o->costs_capacity, n_bands)) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n_bands; i++) {
        o->costs[i] = (hpf_cost){.whole = bands[i].size_bytes};
        hpf_status status = define_name(o, l, &bands[i], &o->costs[i].name, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    hpf_sample sample = {.time = time_s, .costs = o->costs, .n_costs = n_bands};
    return l->events->sample ? l->events->sample(l->context, &sample, err) : HPF_OK;
}

void hpp__output_sample(hpp__output *o, double time_s, const hpp_band *bands, size_t n_bands)
{
    hpp__output_result(o,
                       &(hpp_census_result){.time_s = time_s, .bands = bands, .n_bands = n_bands});
}

void hpp__output_result(hpp__output *o, const hpp_census_result *result)
{
    for (int i = 0; i < N_LISTENERS; i++) {
        hpp__listener *l = &o->listeners[i];
        hpf_error err;
        if (!is_enabled(l)) {
            continue;
        }
        hpf_status status =
            o->logs[i] && result->by_stack.bands
                ? emit_sample(o, l, result->time_s, result->by_stack.bands,
                              result->by_stack.n_bands, &err)
                : emit_sample(o, l, result->time_s, result->bands, result->n_bands, &err);
        if (status == HPF_ERR_MEMORY) {
            o->n_lost_samples += i == HPP__OUT_HP || o->logs[i];
        } else if (status != HPF_OK) {
            note_failure(o, i, &err);
        }
    }
}

void hpp__output_mark(hpp__output *o, double time_s, hpf_str label)
{
    for (int i = 0; i < N_LISTENERS; i++) {
        hpp__listener *l = &o->listeners[i];
        hpf_error err;
        bool is_wanted = !o->logs[i] || o->log_classes & HPP_LOG_USER;
        if (is_enabled(l) && l->events->mark && !l->has_rest && is_wanted &&
            l->events->mark(l->context, time_s, label, &err) != HPF_OK) {
            note_failure(o, i, &err);
        }
    }
}

void hpp__output_line(hpp__output *o, double time_s, hpf_str name, double value)
{
    hpf_quantity_point point = {.time = time_s, .value = value};
    for (int i = 0; i < N_LISTENERS; i++) {
        hpp__listener *l = &o->listeners[i];
        hpf_error err;
        if (is_enabled(l) && l->events->quantity && !l->has_rest &&
            l->events->quantity(l->context, name, point, &err) != HPF_OK) {
            note_failure(o, i, &err);
        }
    }
}

/* ---- Event logs alone ---- */

static bool is_log(const hpp__output *o, int which)
{
    return o->logs[which] && is_enabled(&o->listeners[which]);
}

bool hpp__output_has_log(const hpp__output *o)
{
    return is_log(o, HPP__OUT_LOG) || is_log(o, HPP__OUT_RECORDING);
}

static void note_log(hpp__output *o, int which, hpf_status status, const hpf_error *err)
{
    if (status == HPF_ERR_MEMORY) {
        o->n_lost_records++;
    } else if (status != HPF_OK) {
        note_failure(o, which, err);
    }
}

static uint64_t ns_of(double time_s)
{
    return time_s > 0 ? (uint64_t)llround(time_s * 1e9) : 0;
}

void hpp__output_begin_time(hpp__output *o, uint64_t tick_ns)
{
    hpf_error err;
    for (int i = 0; i < HPP__N_OUT_FILES; i++) {
        if (is_log(o, i)) {
            note_log(o, i, hpf_eventlog_writer_begin_time(o->logs[i], tick_ns, &err), &err);
        }
    }
}

void hpp__output_tick(hpp__output *o, double time_s, uint64_t tick, const hpf_frame *frames,
                      size_t n_frames)
{
    hpf_error err;
    for (int i = 0; i < HPP__N_OUT_FILES; i++) {
        if (is_log(o, i)) {
            hpf_status status = hpf_eventlog_writer_tick(o->logs[i], ns_of(time_s), 0, tick, frames,
                                                         n_frames, &err);
            note_log(o, i, status, &err);
        }
    }
}

void hpp__output_totals(hpp__output *o, double time_s, const hpf_stack_totals *totals, size_t n,
                        hpf_frames_of_stack *frames_of, void *context, bool is_last)
{
    hpf_error err;
    for (int i = 0; i < HPP__N_OUT_FILES; i++) {
        if (is_log(o, i)) {
            hpf_status status = hpf_eventlog_writer_totals(o->logs[i], ns_of(time_s), totals, n,
                                                           frames_of, context, is_last, &err);
            note_log(o, i, status, &err);
        }
    }
}

/* Returns the HPP_LOG_ value of a type of records. */
static uint32_t class_of(uint16_t type)
{
    switch (type) {
    case HPF__EVENT_CREATE_THREAD:
    case HPF__EVENT_RUN_THREAD:
    case HPF__EVENT_STOP_THREAD:
    case HPF__EVENT_THREAD_LABEL:
    case HPF__EVENT_TASK_CREATE:
    case HPF__EVENT_TASK_MIGRATE:
    case HPF__EVENT_TASK_DELETE:
        return HPP_LOG_SCHEDULER;
    case HPF__EVENT_NONMOVING_HEAP_CENSUS:
        return HPP_LOG_NONMOVING;
    case HPF__EVENT_SPARK_COUNTERS:
        return HPP_LOG_SPARK_COUNTS;
    case HPF__EVENT_CREATE_SPARK_THREAD:
    case HPF__EVENT_SPARK_CREATE:
    case HPF__EVENT_SPARK_DUD:
    case HPF__EVENT_SPARK_OVERFLOW:
    case HPF__EVENT_SPARK_RUN:
    case HPF__EVENT_SPARK_STEAL:
    case HPF__EVENT_SPARK_FIZZLE:
    case HPF__EVENT_SPARK_GC:
        return HPP_LOG_SPARKS;
    case HPF__EVENT_USER_MSG:
        return HPP_LOG_USER;
    case HPF__EVENT_TICKY_COUNTER_DEF:
    case HPF__EVENT_TICKY_COUNTER_SAMPLE:
    case HPF__EVENT_TICKY_COUNTER_BEGIN_SAMPLE:
        return HPP_LOG_TICKY;
    default:
        return HPP_LOG_GC;
    }
}

static void write_record(hpp__output *o, uint16_t type, double time_s, uint16_t processor,
                         hpf_str payload, hpf_str text)
{
    hpf_error err;
    for (int i = 0; i < HPP__N_OUT_FILES; i++) {
        if (is_log(o, i)) {
            hpf_status status = hpf_eventlog_writer_record(o->logs[i], type, ns_of(time_s),
                                                           processor, payload, text, &err);
            note_log(o, i, status, &err);
        }
    }
}

void hpp__output_record(hpp__output *o, uint16_t type, double time_s, uint16_t processor,
                        hpf_str payload, hpf_str text)
{
    if (!hpp__output_has_log(o) || !(o->log_classes & class_of(type))) {
        return;
    }
    for (; o->n_processors <= processor; o->n_processors++) {
        const char number[] = {(char)(o->n_processors >> 8), (char)o->n_processors};
        write_record(o, HPF__EVENT_CAP_CREATE, time_s, HPF_EVENT_NO_CAP,
                     (hpf_str){number, sizeof number}, HPF_STR(""));
    }
    write_record(o, type, time_s, processor, payload, text);
}

hpf_status hpp__output_copy_log(hpp__output *o, int which, const char *path, const char *process,
                                hpf_error *err)
{
    static const double whole[] = {0, HUGE_VAL};
    const hpf_source_options keep = {.size = sizeof keep, .keep = true, .process = process};
    hpf_source *source = NULL;
    hpf_status status = hpf_source_open(&source, path, &keep, err);
    if (status == HPF_OK) {
        status = hpf_eventlog_writer_copy(o->logs[which], source, whole, err);
    }
    hpf_source_destroy(source);
    o->listeners[which].has_rest = true;
    return status;
}

/* ---- The end ---- */

void hpp__output_drop(hpp__output *o)
{
    hpf_writer_destroy(o->writer);
    hpf_sidecar_writer_destroy(o->sidecar);
    for (int i = 0; i < HPP__N_OUT_FILES; i++) {
        hpf_writer_destroy(o->logs[i]);
        drop_file(&o->files[i]);
    }
    for (int i = 0; i < N_LISTENERS; i++) {
        free(o->listeners[i].names);
    }
    free(o->costs);
    memset(o, 0, sizeof *o);
}

hpf_status hpp__output_close(hpp__output *o, hpf_error *err)
{
    hpf_status status = o->writer ? hpf_writer_finish(o->writer, err) : HPF_OK;
    for (int i = 0; i < HPP__N_OUT_FILES; i++) {
        hpf_error *first = status == HPF_OK ? err : NULL;
        hpf_status of_log = o->logs[i] ? hpf_writer_finish(o->logs[i], first) : HPF_OK;
        status = status == HPF_OK ? of_log : status;
        hpf_sink *sink = o->files[i].sink;
        hpf_status at_end = sink ? hpf_sink_finish(sink, status == HPF_OK ? err : NULL) : HPF_OK;
        status = status == HPF_OK ? at_end : status;
        struct stat file;
        if (status == HPF_OK && o->files[i].has_name && fstat(o->files[i].fd, &file) == 0 &&
            is_nameless(&file)) {
            status = hpf_error_set(err, HPF_ERR_IO, "a file of the profile was removed meanwhile");
        }
    }
    if (o->first_error.status != HPF_OK) {
        status = o->first_error.status;
        if (err) {
            *err = o->first_error;
        }
    }
    hpp__output_drop(o);
    return status;
}

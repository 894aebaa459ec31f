/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Results of censuses as events. A listener that has no memory for a sample misses it and goes on;
 * after any other failure it is left alone.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grow.h"

enum { FILE_LISTENER, SIDECAR_LISTENER, OTHER_LISTENER, N_LISTENERS };

static hpf_status begin_writing(hpp__output *o, hpf_sink *sink, hpf_error *err)
{
    o->sink = sink;
    o->writer = sink ? hpf_writer_create(sink, true) : NULL;
    if (!o->writer) {
        return hpf_error_set_memory(err);
    }
    o->listeners[FILE_LISTENER] =
        (hpp__listener){.events = &hpf_writer_events, .context = o->writer};
    return HPF_OK;
}

static int make_file(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

hpf_status hpp__output_open(hpp__output *o, const char *path, hpf_error *err)
{
    *o = (hpp__output){.fd = make_file(path)};
    if (o->fd < 0) {
        return hpf_error_set_os(err, errno, "cannot write the heap profile");
    }
    hpf_status status = begin_writing(o, hpf_sink_to_fd(o->fd), err);
    if (status != HPF_OK) {
        hpp__output_drop(o);
    }
    return status;
}

hpf_status hpp__output_replace(hpp__output *o, const char *path, hpf_error *err)
{
    *o = (hpp__output){.fd = -1};
    hpf_sink *sink = hpf_sink_to_path(path, err);
    if (!sink) {
        return err ? err->status : HPF_ERR_IO;
    }
    hpf_status status = begin_writing(o, sink, err);
    if (status != HPF_OK) {
        hpp__output_drop(o);
    }
    return status;
}

static void drop_sidecar(hpp__output *o)
{
    if (o->sidecar_sink) {
        hpf_sink_destroy(o->sidecar_sink);
        close(o->sidecar_fd);
    }
    hpf_sidecar_writer_destroy(o->sidecar);
    o->sidecar_sink = NULL;
    o->sidecar = NULL;
}

hpf_status hpp__output_open_sidecar(hpp__output *o, const char *path, hpf_error *err)
{
    o->sidecar_fd = make_file(path);
    if (o->sidecar_fd < 0) {
        return hpf_error_set_os(err, errno, "cannot write the lines beside the heap profile");
    }
    o->sidecar_sink = hpf_sink_to_fd(o->sidecar_fd);
    if (!o->sidecar_sink) {
        close(o->sidecar_fd);
        return hpf_error_set_memory(err);
    }
    o->sidecar = hpf_sidecar_writer_create(o->sidecar_sink);
    if (!o->sidecar) {
        drop_sidecar(o);
        return hpf_error_set_memory(err);
    }
    o->listeners[SIDECAR_LISTENER] =
        (hpp__listener){.events = &hpf_sidecar_writer_events, .context = o->sidecar};
    return HPF_OK;
}

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

static bool hears(const hpp__listener *l)
{
    return l->events && !l->has_failed;
}

static void tell_header(hpp__output *o, hpf_header which, hpf_str text)
{
    for (int i = 0; i < N_LISTENERS; i++) {
        hpp__listener *l = &o->listeners[i];
        hpf_error err;
        if (hears(l) && l->events->header &&
            l->events->header(l->context, which, text, &err) != HPF_OK) {
            note_failure(o, i, &err);
        }
    }
}

void hpp__output_headers(hpp__output *o, hpf_str job, hpf_str date)
{
    tell_header(o, HPF_HEADER_JOB, job);
    tell_header(o, HPF_HEADER_DATE, date);
    tell_header(o, HPF_HEADER_SAMPLE_UNIT, HPF_STR("seconds"));
    tell_header(o, HPF_HEADER_VALUE_UNIT, HPF_STR("bytes"));
}

/* Numbers the name of a band, and tells it if it is new. */
static hpf_status define_name(hpp__listener *l, const hpp_band *band, hpf_name *name,
                              hpf_error *err)
{
    if (!hpp__grow(&l->names, &l->names_capacity, (size_t)band->index + 1, sizeof *l->names)) {
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

static hpf_status tell_sample(hpp__output *o, hpp__listener *l, double time_s,
                              const hpp_band *bands, size_t n_bands, hpf_error *err)
{
    if (!hpp__grow(&o->costs, &o->costs_capacity, n_bands, sizeof *o->costs)) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n_bands; i++) {
        o->costs[i] = (hpf_cost){.whole = bands[i].size_bytes};
        hpf_status status = define_name(l, &bands[i], &o->costs[i].name, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    hpf_sample sample = {.time = time_s, .costs = o->costs, .n_costs = n_bands};
    return l->events->sample ? l->events->sample(l->context, &sample, err) : HPF_OK;
}

void hpp__output_sample(hpp__output *o, double time_s, const hpp_band *bands, size_t n_bands)
{
    for (int i = 0; i < N_LISTENERS; i++) {
        hpp__listener *l = &o->listeners[i];
        hpf_error err;
        if (!hears(l)) {
            continue;
        }
        hpf_status status = tell_sample(o, l, time_s, bands, n_bands, &err);
        if (status == HPF_ERR_MEMORY) {
            o->n_lost_samples += i == FILE_LISTENER;
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
        if (hears(l) && l->events->mark &&
            l->events->mark(l->context, time_s, label, &err) != HPF_OK) {
            note_failure(o, i, &err);
        }
    }
}

void hpp__output_line(hpp__output *o, double time_s, hpf_str name, double value)
{
    hpf_line_point point = {.time = time_s, .value = value};
    for (int i = 0; i < N_LISTENERS; i++) {
        hpp__listener *l = &o->listeners[i];
        hpf_error err;
        if (hears(l) && l->events->line &&
            l->events->line(l->context, name, point, &err) != HPF_OK) {
            note_failure(o, i, &err);
        }
    }
}

void hpp__output_drop(hpp__output *o)
{
    drop_sidecar(o);
    hpf_writer_destroy(o->writer);
    if (o->sink) {
        hpf_sink_destroy(o->sink);
        if (o->fd >= 0) {
            close(o->fd);
        }
    }
    for (int i = 0; i < N_LISTENERS; i++) {
        free(o->listeners[i].names);
    }
    free(o->costs);
    memset(o, 0, sizeof *o);
}

hpf_status hpp__output_close(hpp__output *o, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (o->sink) {
        status = hpf_writer_finish(o->writer, err);
        hpf_status at_end = hpf_sink_finish(o->sink, status == HPF_OK ? err : NULL);
        status = status == HPF_OK ? at_end : status;
    }
    if (o->sidecar_sink) {
        hpf_status at_end = hpf_sink_finish(o->sidecar_sink, status == HPF_OK ? err : NULL);
        status = status == HPF_OK ? at_end : status;
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

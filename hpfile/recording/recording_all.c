/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The sum of all processes of a recording, with a band for each. The chunks say how large each
 * process was, so no log is read. They are sorted by time: those of a process are held until it
 * matters.
 *
 * A sample of the sum has the last sizes of all processes, and is preceded by one without processes
 * that begin in it, so that these begin by a step. Samples of processes are one if they are
 * less than a fourth of an interval apart, at most one of each process. What a forked process has
 * from its parent counts there only. Where a log is provisional, its samples are taken.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/date.h"
#include "base/utf8.h"
#include "event/emitter.h"
#include "event/format_row.h"
#include "hpfile/recording.h"
#include "hpfile/str.h"
#include "io/protobuf.h"
#include "io/recording.h"

enum { MOST_NAME_BYTES = 60, MOST_BANDS = 1000 };

/* A sample of a process, or its end. */
typedef struct moment {
    uint64_t time_us;
    size_t number; /* in the order of the recording */
    uint64_t live_bytes;
    uint32_t process; /* its number - 1 */
    bool is_end;
} moment;

typedef struct band {
    uint64_t live_bytes, time_us; /* in the last sample, without what was inherited: */
    uint64_t inherited_bytes;     /* in the next sample that is read */
    uint64_t last_us;             /* of the samples that were read */
    hpf_name name;                /* if is_named */
    bool is_named, is_new;        /* since the last sample of the sum */
    bool is_left_out;             /* the final log of a process whose provisional one is taken */
} band;

typedef struct sum_of_all {
    hpf__emitter emit;
    const hpf_recording *recording;
    band *bands; /* by number - 1 */
    moment *moments;
    size_t n_moments, moments_capacity;
    size_t n_named, n_new;
    bool has_samples;
    uint64_t time_us;     /* of the last sample */
    uint64_t interval_us; /* before the first sample of the sum that is gathered */
    uint64_t end_us;      /* where it ends at the latest */
} sum_of_all;

static hpf_status emit_headers(sum_of_all *s, hpf_error *err)
{
    const hpf_process *first = hpf_recording_process(s->recording, 0);
    char date[HPF__DATE_BYTES];
    hpf__date_write(date, first->date_s);
    hpf__buffer job = {0};
    hpf_str by = HPF_STR(HPF_NATIVE_JOB_BY "process");
    hpf_status status = hpf__buffer_add(&job, first->command) && hpf__buffer_add(&job, by)
                            ? HPF_OK
                            : hpf_error_set_memory(err);
    for (int i = 0; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        hpf_header which = (hpf_header)i;
        status = which == HPF_HEADER_JOB
                     ? hpf__emitter_header(&s->emit, which, hpf__buffer_str(&job), err)
                 : which == HPF_HEADER_DATE && first->date_s > 0
                     ? hpf__emitter_header(&s->emit, which, hpf_str_of(date), err)
                     : hpf__emitter_default_header(&s->emit, which, err);
    }
    hpf__buffer_finish(&job);
    return status;
}

/* Names the band of a process by what tells it apart, with its process id if another process has
 * the same name. Processes beyond MOST_BANDS share a band. */
static hpf_status name_band(sum_of_all *s, size_t index, hpf_error *err)
{
    const hpf_process *p = hpf_recording_process(s->recording, index);
    char name[MOST_NAME_BYTES + 40];
    bool is_shared = false;
    for (size_t i = 0; i < hpf_recording_n_processes(s->recording); i++) {
        const hpf_process *other = hpf_recording_process(s->recording, i);
        is_shared |= other->pid != p->pid && hpf_str_equal(other->name, p->name);
    }
    int n = snprintf(name, sizeof name, "%.*s%s", (int)hpf_utf8_cut(p->name, MOST_NAME_BYTES),
                     p->name.data, p->name.length > MOST_NAME_BYTES ? "..." : "");
    if (is_shared || p->name.length > MOST_NAME_BYTES) {
        n += snprintf(name + n, sizeof name - (size_t)n, " (%" PRIu32 ")", p->pid);
    }
    if (s->n_named++ >= MOST_BANDS) {
        n = snprintf(name, sizeof name, "(other processes)");
    }
    for (int i = 0; i < n; i++) {
        name[i] = isspace((unsigned char)name[i]) ? ' ' : name[i];
    }
    s->bands[index].is_named = true;
    return hpf__emitter_name(&s->emit, (hpf_str){name, (size_t)n}, &s->bands[index].name, err);
}

/* Emits a sample of the processes that have a name or, with `names_new`, of all. */
static hpf_status emit_sizes(sum_of_all *s, bool names_new, hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < hpf_recording_n_processes(s->recording) && status == HPF_OK; i++) {
        band *b = &s->bands[i];
        if (b->live_bytes > 0 && !b->is_named && names_new) {
            status = name_band(s, i, err);
        }
        if (b->live_bytes > 0 && b->is_named && status == HPF_OK) {
            const hpf_cost cost = {.name = b->name, .whole = b->live_bytes};
            status = hpf__emitter_cost(&s->emit, &cost, err);
        }
    }
    s->has_samples = true;
    return status == HPF_OK
               ? hpf__emitter_sample(&s->emit, (double)s->time_us / 1e6, (hpf__location){0}, err)
               : status;
}

static hpf_status emit_sample(sum_of_all *s, hpf_error *err)
{
    bool has_new = false;
    for (size_t i = 0; i < hpf_recording_n_processes(s->recording); i++) {
        band *b = &s->bands[i];
        b->is_new = false;
        has_new |= b->live_bytes > 0 && !b->is_named;
    }
    s->n_new = 0;
    hpf_status status = has_new && s->has_samples ? emit_sizes(s, false, err) : HPF_OK;
    return status == HPF_OK ? emit_sizes(s, true, err) : status;
}

static hpf_status take_sample(sum_of_all *s, band *b, const moment *sample, hpf_error *err)
{
    bool begins = s->n_new == 0 || b->is_new || sample->time_us >= s->end_us;
    hpf_status status = begins && s->n_new > 0 ? emit_sample(s, err) : HPF_OK;
    if (begins) {
        s->interval_us = b->time_us > 0 ? sample->time_us - b->time_us : s->interval_us;
        s->end_us = sample->time_us + s->interval_us / 4;
    }
    b->is_new = true;
    b->live_bytes = sample->live_bytes;
    s->time_us = b->time_us = sample->time_us;
    s->n_new++;
    return status;
}

/* Steps down where a process ends, except the last one. */
static hpf_status take_end(sum_of_all *s, band *b, hpf_error *err)
{
    bool is_live = b->live_bytes > 0, has_others = false;
    hpf_status status = is_live && s->n_new > 0 ? emit_sample(s, err) : HPF_OK;
    for (size_t i = 0; i < hpf_recording_n_processes(s->recording); i++) {
        has_others |= s->bands[i].live_bytes > 0 && &s->bands[i] != b;
    }
    b->live_bytes = 0;
    return status == HPF_OK && is_live && has_others ? emit_sample(s, err) : status;
}

static void leave_out_final_logs(sum_of_all *s)
{
    size_t n = hpf_recording_n_processes(s->recording);
    for (size_t i = 0; i < n; i++) {
        const hpf_process *p = hpf_recording_process(s->recording, i);
        for (size_t next = i + 1; p->end == HPF_PROCESS_REPLACED && next < n; next++) {
            bool is_final = hpf_recording_process(s->recording, next)->pid == p->pid;
            s->bands[next].is_left_out |= is_final;
            next = is_final ? n : next;
        }
    }
}

/* ---- reading ---- */

/* Returns the number in a row's field; 0 if it has none. */
static hpf_status read_number(uint64_t *out, hpf_str row, uint32_t field_number, hpf_error *err)
{
    hpf__proto_field field;
    hpf_status status;
    *out = 0;
    while ((status = hpf__proto_next(&row, &field)) == HPF_OK) {
        *out = field.number == field_number ? field.value : *out;
    }
    return status == HPF_END ? HPF_OK : hpf_error_set(err, HPF_ERR_SYNTAX, "a damaged row");
}

static hpf_status add_moment(sum_of_all *s, moment new, hpf_error *err)
{
    band *b = &s->bands[new.process];
    new.number = s->n_moments;
    b->last_us = new.time_us;
    return HPF__ARRAY_PUSH(s->moments, s->n_moments, s->moments_capacity, new)
               ? HPF_OK
               : hpf_error_set_memory(err);
}

static hpf_status read_part(sum_of_all *s, const hpf__chunk_part *part, hpf_error *err)
{
    if (part->process == 0 || part->process > hpf_recording_n_processes(s->recording)) {
        return HPF_OK; /* of a process that began when the list was read */
    }
    band *b = &s->bands[part->process - 1];
    moment new = {.process = (uint32_t)(part->process - 1)};
    if (part->kind == HPF__CHUNK_INHERITED) {
        return read_number(&b->inherited_bytes, part->bytes, HPF__INHERITED_BYTES, err);
    }
    if (part->kind == HPF__CHUNK_END) {
        hpf_status status = read_number(&new.time_us, part->bytes, HPF__END_US, err);
        new.time_us = new.time_us > b->last_us ? new.time_us : b->last_us;
        new.is_end = true;
        return status == HPF_OK ? add_moment(s, new, err) : status;
    }
    if (!part->is_sample || part->time_us == b->last_us || b->is_left_out) {
        return HPF_OK;
    }
    new.time_us = part->time_us;
    new.live_bytes =
        part->live_bytes > b->inherited_bytes ? part->live_bytes - b->inherited_bytes : 0;
    return add_moment(s, new, err);
}

static hpf_status read_chunks(sum_of_all *s, hpf_source *source, hpf_error *err)
{
    hpf__chunks chunks = {0};
    hpf__chunk_part part;
    hpf_str piece;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && (status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        while ((status = hpf__chunks_next(&chunks, &piece, &part, err)) == HPF_OK &&
               (status = read_part(s, &part, err)) == HPF_OK) {
        }
        status = status == HPF_MORE ? HPF_OK : status;
    }
    hpf__chunks_finish(&chunks);
    return status == HPF_END ? HPF_OK : status;
}

static int compare_moments(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    return x->time_us != y->time_us ? (x->time_us > y->time_us) - (x->time_us < y->time_us)
                                    : (x->number > y->number) - (x->number < y->number);
}

static hpf_status emit_moments(sum_of_all *s, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (s->n_moments > 0) {
        qsort(s->moments, s->n_moments, sizeof *s->moments, compare_moments);
    }
    for (size_t i = 0; i < s->n_moments && status == HPF_OK; i++) {
        const moment *m = &s->moments[i];
        band *b = &s->bands[m->process];
        status = m->is_end ? take_end(s, b, err) : take_sample(s, b, m, err);
    }
    return status == HPF_OK && s->n_new > 0 ? emit_sample(s, err) : status;
}

static hpf_status read(hpf_source *source, const hpf_events *events, void *context,
                       const hpf_reader_options *options, hpf_error *err)
{
    sum_of_all s = {.emit = {.events = events, .context = context},
                    .recording = hpf_source_recording(source)};
    if (options->value.length > 0) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "no amount \"%.*s\": the sum of processes has only live bytes",
                             (int)options->value.length, options->value.data);
    }
    if (!s.recording || hpf_recording_n_processes(s.recording) == 0) {
        return hpf_error_set(err, HPF_ERR_SYNTAX, "the recording has no process");
    }
    s.bands = calloc(hpf_recording_n_processes(s.recording), sizeof *s.bands);
    hpf_status status = s.bands ? emit_headers(&s, err) : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        leave_out_final_logs(&s);
    }
    status = status == HPF_OK ? read_chunks(&s, source, err) : status;
    status = status == HPF_OK ? emit_moments(&s, err) : status;
    if (status == HPF_OK && s.emit.n_samples == 0) {
        status = hpf_error_set(err, HPF_ERR_SYNTAX, "the recording has no sample yet");
    }
    hpf__emitter_finish(&s.emit);
    free(s.moments);
    free(s.bands);
    return status;
}

const hpf_format hpf_format_census = {
    .name = "census",
    .summary = "recording of census run, the sum of its processes (--process all)",
    .is_format = hpf__is_recording,
    .read = read,
};

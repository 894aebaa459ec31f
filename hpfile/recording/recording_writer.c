/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A log that is held stays in its sink, with the ends of its samples.
 */
#include "hpfile/recording_writer.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/array.h"
#include "base/utf8.h"
#include "io/protobuf.h"
#include "io/recording.h"

enum { MOST_TEXT_BYTES = 4096 };
#define LEAST_PACKED_BYTES ((size_t)4 << 10) /* of a log; less is written as it is */

/* A sample that is held. */
typedef struct held_sample {
    uint64_t time_us, live_bytes, inherited_bytes;
    size_t end; /* in the sink */
} held_sample;

typedef struct written_process {
    hpf_process row;
    hpf_sink *log; /* NULL: ended */
    held_sample held[HPF_RECORDING_LEAST_SAMPLES];
    size_t n_held;
    uint64_t inherited_bytes; /* that the file says */
    bool matters;
} written_process;

struct hpf_recording_writer {
    pthread_mutex_t lock;
    int fd;
    uint64_t length; /* of whole chunks in the file */
    hpf_error error; /* sticky */
    hpf__buffer row, pending, packed;
    ZSTD_CCtx *zstd; /* NULL until it is needed */
    bool is_out_of_memory;
    written_process **processes; /* by number - 1 */
    size_t n, capacity;
};

static uint64_t microseconds(double s)
{
    return s > 0 && s < 1e12 ? (uint64_t)llround(s * 1e6) : 0;
}

/* --- chunks --- */

/* Adds a chunk to the pending ones; `numbers` come before its payload, and belong to it. */
static void put_chunk(hpf_recording_writer *w, unsigned kind, uint32_t number,
                      const uint64_t *numbers, size_t n_numbers, hpf_str payload)
{
    hpf__buffer *to = &w->pending, head = {0};
    char byte = (char)kind;
    bool fits = true;
    for (size_t i = 0; i < n_numbers; i++) {
        fits &= hpf__proto_put_varint(&head, numbers[i]);
    }
    fits &= hpf__buffer_append(to, &byte, 1) && hpf__proto_put_varint(to, number) &&
            hpf__proto_put_varint(to, head.length + payload.length) &&
            hpf__buffer_append(to, head.bytes, head.length) && hpf__buffer_add(to, payload);
    w->is_out_of_memory |= !fits;
    hpf__buffer_finish(&head);
}

/* Writes the pending chunks at once. After an error, removes what was written of them. */
static hpf_status write_pending(hpf_recording_writer *w, hpf_error *err)
{
    size_t done = 0;
    if (w->is_out_of_memory && w->error.status == HPF_OK) {
        hpf_error_set_memory(&w->error);
    }
    while (w->error.status == HPF_OK && done < w->pending.length) {
        ssize_t n = write(w->fd, w->pending.bytes + done, w->pending.length - done);
        if (n >= 0) {
            done += (size_t)n;
        } else if (errno != EINTR) {
            hpf_error_set_os(&w->error, errno, "cannot write");
            done = 0;
            if (ftruncate(w->fd, (off_t)w->length) != 0) {
                /* the file ends in a chunk that is cut, which readers accept */
            }
        }
    }
    w->length += done;
    w->pending.length = 0;
    if (w->error.status != HPF_OK && err) {
        *err = w->error;
    }
    return w->error.status;
}

static void put_number(hpf_recording_writer *w, uint32_t field, uint64_t value)
{
    w->is_out_of_memory |= !hpf__proto_put_number(&w->row, field, value);
}

static void put_text(hpf_recording_writer *w, uint32_t field, hpf_str text)
{
    text.length = hpf_utf8_cut(text, MOST_TEXT_BYTES);
    w->is_out_of_memory |= !hpf__proto_put_bytes(&w->row, field, text);
}

static void put_row(hpf_recording_writer *w, unsigned kind, uint32_t number)
{
    put_chunk(w, kind, number, NULL, 0, hpf__buffer_str(&w->row));
    w->row.length = 0;
}

/* --- processes --- */

static written_process *find(hpf_recording_writer *w, uint32_t number)
{
    pthread_mutex_lock(&w->lock);
    written_process *p = w->processes[number - 1];
    pthread_mutex_unlock(&w->lock);
    return p;
}

/* Packs bytes of a log, in frames. Returns false if they do not become fewer. */
static bool pack(hpf_recording_writer *w, hpf_str bytes)
{
    enum { LEVEL = 1 };
    hpf__buffer *to = &w->packed;
    to->length = 0;
    if (bytes.length < LEAST_PACKED_BYTES || (!w->zstd && !(w->zstd = ZSTD_createCCtx()))) {
        return false;
    }
    for (size_t at = 0, n; at < bytes.length; at += n) {
        n = bytes.length - at;
        n = n < HPF__RECORDING_FRAME_BYTES ? n : HPF__RECORDING_FRAME_BYTES;
        if (!hpf__buffer_reserve(to, ZSTD_compressBound(n))) {
            return false;
        }
        size_t n_packed = ZSTD_compressCCtx(w->zstd, to->bytes + to->length,
                                            to->capacity - to->length, bytes.data + at, n, LEVEL);
        if (ZSTD_isError(n_packed)) {
            return false;
        }
        to->length += n_packed;
    }
    return to->length < bytes.length;
}

static void put_log(hpf_recording_writer *w, written_process *p, const held_sample *sample,
                    size_t begin)
{
    if (sample->inherited_bytes != p->inherited_bytes) {
        p->inherited_bytes = sample->inherited_bytes;
        put_number(w, HPF__INHERITED_BYTES, p->inherited_bytes);
        put_row(w, HPF__CHUNK_INHERITED, p->row.number);
    }
    hpf_str bytes = {hpf_sink_bytes(p->log).data + begin, sample->end - begin};
    bool is_packed = pack(w, bytes);
    put_chunk(w, is_packed ? HPF__CHUNK_PACKED_LOG : HPF__CHUNK_LOG, p->row.number,
              (const uint64_t[]){sample->time_us, sample->live_bytes}, 2,
              is_packed ? hpf__buffer_str(&w->packed) : bytes);
}

static void put_held(hpf_recording_writer *w, written_process *p)
{
    size_t begin = 0;
    for (size_t i = 0; i < p->n_held; i++) {
        put_log(w, p, &p->held[i], begin);
        begin = p->held[i].end;
    }
    p->n_held = 0;
    hpf_sink_clear(p->log);
}

/* Returns whether a process replaces one that has a log. */
static bool replaces_log(const hpf_recording_writer *w, uint32_t process_id)
{
    size_t i = w->n;
    while (i > 0 && w->processes[i - 1]->row.pid != process_id) {
        i--;
    }
    return i > 0 && w->processes[i - 1]->log && w->processes[i - 1]->row.has_log;
}

hpf_status hpf_recording_writer_begin(hpf_recording_writer *w, const hpf_process *process,
                                      uint32_t *number, hpf_error *err)
{
    written_process *p = calloc(1, sizeof *p);
    hpf_sink *log = p ? hpf_sink_to_memory() : NULL;
    if (!log) {
        free(p);
        return hpf_error_set_memory(err);
    }
    pthread_mutex_lock(&w->lock);
    *p = (written_process){
        .row = *process, .log = log, .matters = w->n == 0 || replaces_log(w, process->pid)};
    if (!HPF__ARRAY_PUSH(w->processes, w->n, w->capacity, p)) {
        pthread_mutex_unlock(&w->lock);
        hpf_sink_destroy(log);
        free(p);
        return hpf_error_set_memory(err);
    }
    *number = p->row.number = (uint32_t)w->n;
    p->row.name = p->row.command = p->row.host = (hpf_str){"", 0};
    put_number(w, HPF__PROCESS_PARENT, process->parent);
    put_number(w, HPF__PROCESS_PID, process->pid);
    put_number(w, HPF__PROCESS_START_US, microseconds(process->start_s));
    put_number(w, HPF__PROCESS_DATE_S, process->date_s);
    put_text(w, HPF__PROCESS_NAME, process->name);
    put_text(w, HPF__PROCESS_COMMAND, process->command);
    put_text(w, HPF__PROCESS_HOST, process->host);
    put_row(w, HPF__CHUNK_PROCESS, *number);
    hpf_status status = write_pending(w, err);
    pthread_mutex_unlock(&w->lock);
    return status;
}

hpf_sink *hpf_recording_writer_log(hpf_recording_writer *w, uint32_t number)
{
    return find(w, number)->log;
}

hpf_status hpf_recording_writer_sample(hpf_recording_writer *w, uint32_t number,
                                       const hpf_recorded_sample *sample, hpf_error *err)
{
    written_process *p = find(w, number);
    hpf_status status = HPF_OK;
    uint64_t live_bytes = sample->live_bytes;
    p->row.end_s = p->row.start_s + sample->time_s;
    p->row.left_bytes = live_bytes;
    p->row.peak_bytes = p->row.peak_bytes > live_bytes ? p->row.peak_bytes : live_bytes;
    p->row.n_samples++;
    p->held[p->n_held++] = (held_sample){microseconds(p->row.end_s), live_bytes,
                                         sample->inherited_bytes, hpf_sink_bytes(p->log).length};
    p->matters |=
        p->n_held == HPF_RECORDING_LEAST_SAMPLES || live_bytes >= HPF_RECORDING_LEAST_BYTES;
    p->row.has_log = p->matters;
    if (p->matters) {
        pthread_mutex_lock(&w->lock);
        put_held(w, p);
        status = write_pending(w, err);
        pthread_mutex_unlock(&w->lock);
    }
    return status;
}

hpf_status hpf_recording_writer_report(hpf_recording_writer *w, uint32_t number, hpf_str report,
                                       hpf_error *err)
{
    const written_process *p = find(w, number);
    if (!p->row.has_log) {
        return HPF_OK;
    }
    pthread_mutex_lock(&w->lock);
    put_chunk(w, HPF__CHUNK_REPORT, number, NULL, 0, report);
    hpf_status status = write_pending(w, err);
    pthread_mutex_unlock(&w->lock);
    return status;
}

hpf_status hpf_recording_writer_memory(hpf_recording_writer *w, uint32_t number,
                                       const hpf_memory *memory, hpf_error *err)
{
    pthread_mutex_lock(&w->lock);
    put_number(w, HPF__MEMORY_KILLER, memory->killer);
    put_number(w, HPF__MEMORY_N_KILLED, memory->n_killed);
    put_number(w, HPF__MEMORY_WHOLE_CGROUP, memory->is_whole_cgroup);
    put_number(w, HPF__MEMORY_STALLED, memory->stalled_percent);
    if (memory->holder_bytes > 0) {
        put_text(w, HPF__MEMORY_HOLDER, memory->holder);
        put_number(w, HPF__MEMORY_HOLDER_BYTES, memory->holder_bytes);
    }
    for (uint32_t i = 0; i < HPF_N_MEMORY_LIMITS; i++) {
        put_number(w, HPF__MEMORY_LIMITS + 2 * i, memory->limits[i].used_bytes);
        put_number(w, HPF__MEMORY_LIMITS + 2 * i + 1, memory->limits[i].most_bytes);
    }
    put_row(w, HPF__CHUNK_MEMORY, number);
    hpf_status status = write_pending(w, err);
    pthread_mutex_unlock(&w->lock);
    return status;
}

hpf_status hpf_recording_writer_end(hpf_recording_writer *w, uint32_t number,
                                    const hpf_process *process, hpf_error *err)
{
    written_process *p = find(w, number);
    pthread_mutex_lock(&w->lock);
    size_t rest = hpf_sink_bytes(p->log).length;
    p->row.has_log = p->matters && p->row.n_samples > 0;
    if (p->row.has_log && rest > 0) { /* has no sample */
        p->held[0] =
            (held_sample){microseconds(p->row.end_s), p->row.left_bytes, p->inherited_bytes, rest};
        p->n_held = 1;
        put_held(w, p);
    }
    p->row.end = process->end;
    p->row.code = process->code;
    p->row.end_s = process->end_s;
    p->row.left_bytes = process->left_bytes;
    put_number(w, HPF__END_US, microseconds(process->end_s));
    put_number(w, HPF__END_HOW, process->end);
    put_number(w, HPF__END_CODE, (uint32_t)process->code);
    put_number(w, HPF__END_PEAK_BYTES, p->row.peak_bytes);
    put_number(w, HPF__END_LEFT_BYTES, process->left_bytes);
    put_number(w, HPF__END_N_SAMPLES, p->row.n_samples);
    if (process->name.length > 0) {
        put_text(w, HPF__END_NAME, process->name);
    }
    put_number(w, HPF__END_MISSED_PEAK_BYTES, process->missed_peak_bytes);
    put_number(w, HPF__END_MISSED_PEAK_US, microseconds(process->missed_peak_s));
    put_row(w, HPF__CHUNK_END, number);
    hpf_status status = write_pending(w, err);
    pthread_mutex_unlock(&w->lock);
    hpf_sink_destroy(p->log);
    p->log = NULL;
    return status;
}

hpf_process hpf_recording_writer_process(hpf_recording_writer *w, uint32_t number)
{
    return find(w, number)->row;
}

hpf_status hpf_recording_writer_create(hpf_recording_writer **out, int fd, hpf_error *err)
{
    static const char head[HPF__RECORDING_HEAD_BYTES] = {'C', 'E', 'N', 'S',
                                                         'U', 'S', 0,   HPF__RECORDING_MAJOR};
    hpf_recording_writer *w = *out = calloc(1, sizeof *w);
    if (!w) {
        return hpf_error_set_memory(err);
    }
    pthread_mutex_init(&w->lock, NULL);
    w->fd = fd;
    w->is_out_of_memory = !hpf__buffer_append(&w->pending, head, sizeof head);
    hpf_status status = write_pending(w, err);
    if (status != HPF_OK) {
        hpf_recording_writer_destroy(w);
        *out = NULL;
    }
    return status;
}

void hpf_recording_writer_destroy(hpf_recording_writer *w)
{
    if (!w) {
        return;
    }
    for (size_t i = 0; i < w->n; i++) {
        hpf_sink_destroy(w->processes[i]->log);
        free(w->processes[i]);
    }
    free(w->processes);
    hpf__buffer_finish(&w->row);
    hpf__buffer_finish(&w->pending);
    hpf__buffer_finish(&w->packed);
    ZSTD_freeCCtx(w->zstd);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Raw bytes come from a descriptor or from memory; a decompressor may stand behind them; what
 * cannot be read twice is kept aside in `kept`.
 */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "base/array.h"
#include "io/inflate.h"
#include "io/recording.h"
#include "base/buffer.h"
#include "hpfile/event.h"
#include "base/descriptor.h"

/* ---- Spool ----------------------------------------------------------------------------------- */

/* Bytes spooled to be read again: in memory up to 4 MiB, then in an unnamed temporary file.
 *
 * The temporary file is unlinked as soon as it is open, so it disappears however the program
 * ends. */

#define SPOOL_MEMORY_BYTES (4u << 20)

typedef struct hpf__spool {
    hpf__buffer memory; /* everything, while fd is -1 */
    int fd;
    uint64_t length;
    const char *directory; /* borrowed; NULL: /tmp */
} hpf__spool;

static void spool_init(hpf__spool *spool, const char *directory)
{
    *spool = (hpf__spool){.fd = -1, .directory = directory ? directory : "/tmp"};
}

static int open_unnamed(const char *directory)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/census-XXXXXX", directory);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkstemp(path);
    if (fd >= 0) {
        unlink(path);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}

static hpf_status write_all(hpf__spool *spool, hpf_str bytes, hpf_error *err)
{
    while (bytes.length) {
        ssize_t n = write(spool->fd, bytes.data, bytes.length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return hpf_error_set_os(err, errno, "cannot write a temporary file in %s",
                                    spool->directory);
        }
        bytes.data += n;
        bytes.length -= (size_t)n;
    }
    return HPF_OK;
}

static hpf_status move_to_file(hpf__spool *spool, hpf_error *err)
{
    spool->fd = open_unnamed(spool->directory);
    if (spool->fd < 0) {
        return hpf_error_set_os(err, errno, "cannot create a temporary file in %s",
                                spool->directory);
    }
    hpf_status status = write_all(spool, hpf__buffer_str(&spool->memory), err);
    hpf__buffer_finish(&spool->memory);
    return status;
}

static hpf_status spool_append(hpf__spool *spool, hpf_str bytes, hpf_error *err)
{
    if (spool->fd < 0 && bytes.length <= SPOOL_MEMORY_BYTES - spool->memory.length) {
        spool->length += bytes.length;
        return hpf__buffer_add(&spool->memory, bytes) ? HPF_OK : hpf_error_set_memory(err);
    }
    if (spool->fd < 0) {
        hpf_status status = move_to_file(spool, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    spool->length += bytes.length;
    return write_all(spool, bytes, err);
}

/* Bytes [offset, offset + length), which must have been appended. */
static hpf_status spool_read(hpf__spool *spool, uint64_t offset, void *into, size_t length,
                             hpf_error *err)
{
    if (spool->fd < 0) {
        if (length) {
            memcpy(into, spool->memory.bytes + offset, length);
        }
        return HPF_OK;
    }
    char *to = into;
    while (length) {
        ssize_t n = pread(spool->fd, to, length, (off_t)offset);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return hpf_error_set_os(err, n < 0 ? errno : EIO, "cannot read a temporary file");
        }
        to += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return HPF_OK;
}

static void spool_finish(hpf__spool *spool)
{
    hpf__close(spool->fd);
    hpf__buffer_finish(&spool->memory);
}

#define PIECE_BYTES (256u << 10)

/* Consecutive bytes of the log of a process, in its recording: `frame` is where they are packed, or
 * 0. */
typedef struct log_extent {
    uint64_t begin, in_recording, frame;
    size_t n_packed; /* bytes in the frame, as far as they were read */
} log_extent;

/* The log of a process in a recording. */
typedef struct log_of_process {
    hpf_source *recording;
    unsigned kind; /* of the chunks that are read */
    hpf__chunks chunks;
    hpf_str unread; /* of the recording */
    uint64_t next; /* byte of the recording, or of the frame, that would continue the last extent */
    uint64_t frame; /* of the last extent */
    log_extent *extents;
    size_t n_extents, extents_capacity;
    hpf__buffer unpacked; /* a frame, */
    uint64_t unpacked_of; /* this one */
} log_of_process;

struct hpf_source {
    int fd; /* -1: memory */
    bool owns_fd;
    bool is_file; /* fd is a regular file: pread works */
    hpf_str memory;
    hpf_source_options options;

    char *raw; /* PIECE_BYTES of input as stored */
    hpf_str unread;
    bool raw_ended;
    uint64_t stored_bytes;
    uint64_t raw_offset; /* of the next byte to be read */

    bool is_probed; /* the compression is known */
    hpf__inflate *inflate;
    char *plain; /* PIECE_BYTES of decompressed data */

    hpf__spool spool;
    bool keeps;        /* what is given out goes to `keep` */
    uint64_t position; /* of plain bytes given out */
    uint64_t furthest; /* position, also before a rewind */
    uint64_t replayed; /* bytes given out again after a rewind of a kept source */
    bool is_replaying;

    hpf_recording *processes; /* of a recording, else NULL */
    log_of_process *log;      /* which is read; NULL: all bytes of the input are */
};

static hpf_status read_raw(hpf_source *s, hpf_error *err)
{
    if (s->fd < 0) {
        s->unread = s->memory;
        s->memory.length = 0;
        s->raw_ended = true;
        s->raw_offset += s->unread.length;
        return HPF_OK;
    }
    ssize_t n;
    do {
        n = s->is_file ? pread(s->fd, s->raw, PIECE_BYTES, (off_t)s->raw_offset)
                       : read(s->fd, s->raw, PIECE_BYTES);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return hpf_error_set_os(err, errno, "cannot read");
    }
    s->raw_ended = n == 0;
    s->raw_offset += (uint64_t)n;
    s->unread = (hpf_str){s->raw, (size_t)n};
    return HPF_OK;
}

static bool cannot_read_twice(const hpf_source *s)
{
    return s->inflate || (s->fd >= 0 && !s->is_file);
}

/* Reads the first bytes, which identify the compression or a recording. A pipe may give them one by
 * one. */
static hpf_status probe(hpf_source *s, hpf_error *err)
{
    char magic[HPF__RECORDING_HEAD_BYTES];
    size_t n = 0;
    while (s->fd >= 0 && !s->is_file && n < sizeof magic) {
        ssize_t got = read(s->fd, s->raw + n, PIECE_BYTES - n);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return hpf_error_set_os(err, errno, "cannot read");
        }
        s->raw_ended = got == 0;
        if (got == 0) {
            break;
        }
        n += (size_t)got;
        s->raw_offset += (uint64_t)got;
        s->unread = (hpf_str){s->raw, n};
    }
    if (s->fd < 0 || s->is_file) {
        hpf_status status = read_raw(s, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    s->is_probed = true;
    hpf_status status = hpf__inflate_create(&s->inflate, s->unread, err);
    if (status == HPF_OK && s->inflate && !s->plain && !(s->plain = malloc(PIECE_BYTES))) {
        return hpf_error_set_memory(err);
    }
    s->keeps = s->options.keep && cannot_read_twice(s);
    return status;
}

static hpf_status next_inflated(hpf_source *s, hpf_str *out, hpf_error *err)
{
    size_t n = 0;
    while (n == 0) {
        if (s->unread.length == 0 && !s->raw_ended) {
            hpf_status status = read_raw(s, err);
            if (status != HPF_OK) {
                return status;
            }
        }
        hpf_status status =
            hpf__inflate_step(s->inflate, &s->unread, s->raw_ended, s->plain, PIECE_BYTES, &n, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    *out = (hpf_str){s->plain, n};
    return HPF_OK;
}

static hpf_status next_stored(hpf_source *s, hpf_str *out, hpf_error *err)
{
    if (s->unread.length == 0 && !s->raw_ended) {
        hpf_status status = read_raw(s, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    *out = s->unread;
    s->unread.length = 0;
    return out->length ? HPF_OK : HPF_END;
}

/* Passes the kept bytes again, and then continues the input. */
static hpf_status next_kept(hpf_source *s, hpf_str *out, hpf_error *err)
{
    uint64_t left = s->position - s->replayed;
    size_t n = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
    hpf_status status = spool_read(&s->spool, s->replayed, s->plain, n, err);
    s->replayed += n;
    s->is_replaying = s->replayed < s->position;
    *out = (hpf_str){s->plain, n};
    return status;
}

/* --- recordings --- */

/* Reads the whole recording, whose first piece is `piece`, for its processes, and chooses one. */
static hpf_status read_processes(hpf_source *s, hpf_str piece, hpf_error *err)
{
    hpf__chunks chunks = {0};
    hpf__chunk_part part;
    hpf_status status = HPF_OK;
    s->processes = hpf__recording_create();
    if (!s->processes) {
        return hpf_error_set_memory(err);
    }
    if (cannot_read_twice(s) && !s->keeps) {
        s->keeps = true;
        status = spool_append(&s->spool, piece, err);
    }
    while (status == HPF_OK) {
        while ((status = hpf__chunks_next(&chunks, &piece, &part, err)) == HPF_OK &&
               (status = hpf__recording_note(s->processes, &part, err)) == HPF_OK) {
        }
        status = status == HPF_MORE ? hpf_source_next(s, &piece, err) : status;
    }
    hpf__recording_end(s->processes, &chunks);
    hpf__chunks_finish(&chunks);
    return status == HPF_END ? hpf__recording_choose(s->processes, s->options.process, err)
                             : status;
}

/* Makes a source, whose first piece was `piece` and begins a recording, one of the log or report of
 * a process. */
static hpf_status open_recording(hpf_source *s, hpf_str piece, hpf_error *err)
{
    hpf_status status = read_processes(s, piece, err);
    status = status == HPF_OK ? hpf_source_rewind(s, err) : status;
    if (status != HPF_OK || !hpf_recording_chosen(s->processes)) {
        return status;
    }
    hpf_source *recording = malloc(sizeof *recording);
    log_of_process *log = calloc(1, sizeof *log);
    if (!recording || !log) {
        free(recording);
        free(log);
        return hpf_error_set_memory(err);
    }
    *recording = *s;
    recording->processes = NULL;
    log->recording = recording;
    log->kind = s->options.of_report ? HPF__CHUNK_REPORT : HPF__CHUNK_LOG;
    *s = (hpf_source){.fd = -1,
                      .spool = {.fd = -1},
                      .options = s->options,
                      .is_probed = true,
                      .processes = s->processes,
                      .log = log};
    return HPF_OK;
}

/* Notes where a piece of the log is, unless it continues the one before or is read again. */
static bool note_extent(hpf_source *s, const hpf__chunk_part *part)
{
    log_of_process *log = s->log;
    const log_extent new = {s->position, part->offset, part->frame, 0};
    bool continues = part->frame == log->frame && part->offset == log->next;
    bool is_needed = s->position >= s->furthest && (s->position == 0 || !continues);
    if (is_needed && !HPF__ARRAY_PUSH(log->extents, log->n_extents, log->extents_capacity, new)) {
        return false;
    }
    log->next = part->offset + part->bytes.length;
    log->frame = part->frame;
    log_extent *last = &log->extents[log->n_extents - 1];
    if (last->frame == part->frame && log->next > last->n_packed) {
        last->n_packed = (size_t)log->next;
    }
    return true;
}

/* Reads the next bytes of a recording. */
static hpf_status read_on(const log_of_process *log, uint64_t *at, char bytes[PIECE_BYTES],
                          hpf_str *out, hpf_error *err)
{
    uint64_t left = log->recording->furthest - *at;
    size_t n = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
    *out = (hpf_str){bytes, n};
    *at += n;
    return n > 0 ? hpf_source_read_at(log->recording, *at - n, bytes, n, err)
                 : hpf_error_set(err, HPF_ERR_SYNTAX, "a frame is cut");
}

/* Unpacks the frame of an extent, unless it is the last one that was unpacked. */
static hpf_status unpack(log_of_process *log, const log_extent *extent, hpf_error *err)
{
    hpf_str in = {NULL, 0}, out;
    uint64_t at = extent->frame;
    if (log->unpacked_of == extent->frame && log->unpacked.length >= extent->n_packed) {
        return HPF_OK;
    }
    log->unpacked.length = 0;
    log->unpacked_of = extent->frame;
    hpf__unpacker *unpacker = hpf__unpacker_create();
    char *packed = malloc(PIECE_BYTES);
    hpf_status status = unpacker && packed ? HPF_OK : hpf_error_set_memory(err);
    while (status == HPF_OK && log->unpacked.length < extent->n_packed) {
        status = hpf__unpacker_next(unpacker, &in, &out, err);
        if (status == HPF_MORE) {
            status = read_on(log, &at, packed, &in, err);
        } else if ((status == HPF_OK || status == HPF_END) &&
                   !hpf__buffer_add(&log->unpacked, out)) {
            status = hpf_error_set_memory(err);
        }
    }
    hpf__unpacker_destroy(unpacker);
    free(packed);
    return log->unpacked.length >= extent->n_packed ? HPF_OK : status;
}

static hpf_status next_of_log(hpf_source *s, hpf_str *out, hpf_error *err)
{
    log_of_process *log = s->log;
    hpf__chunk_part part = {0};
    hpf_status status = HPF_OK;
    log->chunks.log_of = hpf_recording_chosen(s->processes)->number;
    while (status == HPF_OK || status == HPF_MORE) {
        status = hpf__chunks_next(&log->chunks, &log->unread, &part, err);
        if (status == HPF_MORE) {
            status = hpf_source_next(log->recording, &log->unread, err);
        } else if (status == HPF_OK && part.bytes.length > 0 && part.kind == log->kind &&
                   part.process == log->chunks.log_of) {
            *out = part.bytes;
            status = note_extent(s, &part) ? HPF_OK : hpf_error_set_memory(err);
            s->position += out->length;
            s->furthest = s->furthest > s->position ? s->furthest : s->position;
            return status;
        }
    }
    return status;
}

static hpf_status read_log_at(log_of_process *log, uint64_t offset, char *into, size_t length,
                              hpf_error *err)
{
    size_t next;
    hpf_status status = HPF_OK;
    HPF__ARRAY_BISECT(next, log->n_extents, i, log->extents[i].begin <= offset);
    for (size_t i = next - 1; length > 0 && status == HPF_OK; i++) {
        uint64_t end = i + 1 < log->n_extents ? log->extents[i + 1].begin : UINT64_MAX;
        size_t n = end - offset < length ? (size_t)(end - offset) : length;
        const log_extent *extent = &log->extents[i];
        uint64_t at = extent->in_recording + (offset - extent->begin);
        if (extent->frame == 0) {
            status = hpf_source_read_at(log->recording, at, into, n, err);
        } else if ((status = unpack(log, extent, err)) == HPF_OK) {
            memcpy(into, log->unpacked.bytes + at, n);
        }
        into += n;
        offset += n;
        length -= n;
    }
    return status;
}

hpf_status hpf_source_next(hpf_source *s, hpf_str *out, hpf_error *err)
{
    if (s->log) {
        return next_of_log(s, out, err);
    }
    if (!s->is_probed) {
        hpf_status status = probe(s, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    if (s->is_replaying) {
        return next_kept(s, out, err);
    }
    hpf_status status = s->inflate ? next_inflated(s, out, err) : next_stored(s, out, err);
    bool is_first = s->furthest == 0;
    if (status == HPF_OK) {
        s->position += out->length;
        s->furthest = s->furthest > s->position ? s->furthest : s->position;
        if (s->keeps) {
            status = spool_append(&s->spool, *out, err);
        }
    }
    if (status != HPF_OK || !is_first) {
        return status;
    }
    if (!hpf__is_recording(*out)) {
        return s->options.process ? hpf__recording_fail_other(err) : HPF_OK;
    }
    status = open_recording(s, *out, err);
    return status == HPF_OK ? hpf_source_next(s, out, err) : status;
}

static hpf_status read_some_at(const hpf_source *s, uint64_t offset, char *into, size_t room,
                               size_t *n_read, hpf_error *err)
{
    ssize_t n;
    do {
        n = pread(s->fd, into, room, (off_t)offset);
    } while (n < 0 && errno == EINTR);
    *n_read = n > 0 ? (size_t)n : 0;
    return n < 0 ? hpf_error_set_os(err, errno, "cannot read") : HPF_OK;
}

static hpf_status read_file_at(const hpf_source *s, uint64_t offset, char *into, size_t length,
                               hpf_error *err)
{
    while (length) {
        size_t n = 0;
        hpf_status status = read_some_at(s, offset, into, length, &n, err);
        if (status != HPF_OK) {
            return status;
        }
        if (n == 0) {
            return hpf_error_set(err, HPF_ERR_IO, "the file was truncated while it was read");
        }
        into += n;
        offset += n;
        length -= n;
    }
    return HPF_OK;
}

hpf_status hpf_source_read_at(hpf_source *s, uint64_t offset, void *into, size_t length,
                              hpf_error *err)
{
    if (offset > s->furthest || length > s->furthest - offset) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "these bytes have not been read yet");
    }
    if (s->log) {
        return read_log_at(s->log, offset, into, length, err);
    }
    if (s->keeps) {
        return spool_read(&s->spool, offset, into, length, err);
    }
    if (cannot_read_twice(s)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "this input cannot be read twice: it was not spooled");
    }
    if (s->fd >= 0) {
        return read_file_at(s, offset, into, length, err);
    }
    if (length) {
        memcpy(into, s->memory.data + offset, length);
    }
    return HPF_OK;
}

/* Starts a plain file or memory over. */
static void restart(hpf_source *s)
{
    if (s->fd < 0) {
        s->memory.length = (size_t)s->stored_bytes;
    }
    s->unread.length = 0;
    s->raw_ended = false;
    s->raw_offset = 0;
    s->position = 0;
}

hpf_status hpf_source_rewind(hpf_source *s, hpf_error *err)
{
    if (s->position == 0) {
        return HPF_OK;
    }
    if (s->log) {
        hpf__chunks_finish(&s->log->chunks);
        s->log->chunks = (hpf__chunks){0};
        s->log->unread = (hpf_str){0};
        s->position = 0;
        return hpf_source_rewind(s->log->recording, err);
    }
    if (s->keeps) {
        if (!s->plain && !(s->plain = malloc(PIECE_BYTES))) {
            return hpf_error_set_memory(err);
        }
        s->replayed = 0;
        s->is_replaying = true;
        return HPF_OK;
    }
    if (cannot_read_twice(s)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "this input cannot be read twice: it was not spooled");
    }
    restart(s);
    return HPF_OK;
}

uint64_t hpf_source_stored_bytes(const hpf_source *s)
{
    return s->log ? hpf_source_stored_bytes(s->log->recording) : s->stored_bytes;
}

uint64_t hpf_source_position_bytes(const hpf_source *s)
{
    return s->log ? hpf_source_position_bytes(s->log->recording) : s->raw_offset - s->unread.length;
}

uint64_t hpf__source_offset(const hpf_source *s)
{
    return s->position;
}

const char *hpf_source_compression(const hpf_source *s)
{
    return s->log       ? hpf_source_compression(s->log->recording)
           : s->inflate ? hpf__inflate_name(s->inflate)
                        : "";
}

const hpf_recording *hpf_source_recording(const hpf_source *s)
{
    return s->processes;
}

void hpf_source_destroy(hpf_source *s)
{
    if (!s) {
        return;
    }
    if (s->owns_fd && s->fd >= 0) {
        close(s->fd);
    }
    if (s->log) {
        hpf_source_destroy(s->log->recording);
        hpf__chunks_finish(&s->log->chunks);
        free(s->log->extents);
        hpf__buffer_finish(&s->log->unpacked);
        free(s->log);
    }
    hpf__recording_destroy(s->processes);
    hpf__inflate_destroy(s->inflate);
    spool_finish(&s->spool);
    free(s->raw);
    free(s->plain);
    free(s);
}

static hpf_status create(hpf_source **out, int fd, const hpf_source_options *options,
                         hpf_error *err)
{
    hpf_source *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) {
        return hpf_error_set_memory(err);
    }
    s->fd = fd;
    hpf_status status = HPF__OPTIONS_COPY(&s->options, options, err);
    spool_init(&s->spool, s->options.temporary_dir);
    if (status == HPF_OK && fd >= 0 && !(s->raw = malloc(PIECE_BYTES))) {
        status = hpf_error_set_memory(err);
    }
    if (status != HPF_OK) {
        free(s);
        return status;
    }
    *out = s;
    return HPF_OK;
}

hpf_status hpf_source_from_memory(hpf_source **out, hpf_str bytes,
                                  const hpf_source_options *options, hpf_error *err)
{
    hpf_status status = create(out, -1, options, err);
    if (status == HPF_OK) {
        (*out)->memory = bytes;
        (*out)->stored_bytes = bytes.length;
    }
    return status;
}

hpf_status hpf__source_create_spool(hpf_source **out, const hpf_source *like, hpf_error *err)
{
    hpf_status status = hpf_source_from_memory(out, HPF_STR(""), &like->options, err);
    if (status != HPF_OK) {
        return status;
    }
    hpf_source *s = *out;
    s->is_probed = s->raw_ended = s->keeps = true;
    s->plain = malloc(PIECE_BYTES);
    return s->plain ? HPF_OK : hpf_error_set_memory(err);
}

hpf_status hpf__source_append(hpf_source *s, hpf_str bytes, hpf_error *err)
{
    s->position += bytes.length;
    s->furthest = s->position;
    s->stored_bytes = s->raw_offset = s->position;
    s->is_replaying = s->position > s->replayed;
    return spool_append(&s->spool, bytes, err);
}

hpf_status hpf_source_from_fd(hpf_source **out, int fd, const hpf_source_options *options,
                              hpf_error *err)
{
    struct stat st;
    *out = NULL;
    if (fstat(fd, &st) != 0) {
        return hpf_error_set_os(err, errno, "cannot read");
    }
    if (S_ISDIR(st.st_mode)) {
        return hpf_error_set_os(err, EISDIR, "cannot read");
    }
    hpf_status status = create(out, fd, options, err);
    if (status == HPF_OK) {
        /* An inherited descriptor that is not at the start of its file is read as a stream. */
        (*out)->is_file = S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
        (*out)->stored_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    }
    return status;
}

hpf_status hpf_source_open(hpf_source **out, const char *path, const hpf_source_options *options,
                           hpf_error *err)
{
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return hpf_error_set_os(err, errno, "cannot open");
    }
    hpf_status status = hpf_source_from_fd(out, fd, options, err);
    if (status != HPF_OK) {
        close(fd);
        return status;
    }
    (*out)->owns_fd = true;
    return HPF_OK;
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Raw bytes come from a descriptor or from memory; a decompressor may stand behind them; what
 * cannot be read twice is kept aside in `kept`.
 */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/inflate.h"
#include "io/spool.h"

#define PIECE_BYTES (256u << 10)

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

/* Reads the first bytes, which identify the compression. A pipe may give them one by one. */
static hpf_status probe(hpf_source *s, hpf_error *err)
{
    char magic[HPF__MAGIC_BYTES];
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
    s->keeps = s->options.keep && (s->inflate || (s->fd >= 0 && !s->is_file));
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
    hpf_status status = hpf__spool_read(&s->spool, s->replayed, s->plain, n, err);
    s->replayed += n;
    s->is_replaying = s->replayed < s->position;
    *out = (hpf_str){s->plain, n};
    return status;
}

hpf_status hpf_source_next(hpf_source *s, hpf_str *out, hpf_error *err)
{
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
    if (status == HPF_OK) {
        s->position += out->length;
        s->furthest = s->furthest > s->position ? s->furthest : s->position;
        if (s->keeps) {
            status = hpf__spool_append(&s->spool, *out, err);
        }
    }
    return status;
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
    if (s->keeps) {
        return hpf__spool_read(&s->spool, offset, into, length, err);
    }
    if (s->inflate || (s->fd >= 0 && !s->is_file)) {
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
    if (s->keeps) {
        if (!s->plain && !(s->plain = malloc(PIECE_BYTES))) {
            return hpf_error_set_memory(err);
        }
        s->replayed = 0;
        s->is_replaying = true;
        return HPF_OK;
    }
    if (s->inflate || (s->fd >= 0 && !s->is_file)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "this input cannot be read twice: it was not spooled");
    }
    restart(s);
    return HPF_OK;
}

uint64_t hpf_source_stored_bytes(const hpf_source *s)
{
    return s->stored_bytes;
}

uint64_t hpf_source_position_bytes(const hpf_source *s)
{
    return s->raw_offset - s->unread.length;
}

uint64_t hpf_source_offset(const hpf_source *s)
{
    return s->position;
}

const char *hpf_source_compression(const hpf_source *s)
{
    return s->inflate ? hpf__inflate_name(s->inflate) : "";
}

void hpf_source_destroy(hpf_source *s)
{
    if (!s) {
        return;
    }
    if (s->owns_fd && s->fd >= 0) {
        close(s->fd);
    }
    hpf__inflate_destroy(s->inflate);
    hpf__spool_finish(&s->spool);
    free(s->raw);
    free(s->plain);
    free(s);
}

static hpf_source *create(int fd, const hpf_source_options *options)
{
    hpf_source *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->fd = fd;
    s->options = options ? *options : (hpf_source_options){0};
    hpf__spool_init(&s->spool, s->options.temporary_dir);
    if (fd >= 0 && !(s->raw = malloc(PIECE_BYTES))) {
        free(s);
        return NULL;
    }
    return s;
}

hpf_status hpf_source_from_memory(hpf_source **out, hpf_str bytes,
                                  const hpf_source_options *options, hpf_error *err)
{
    *out = create(-1, options);
    if (!*out) {
        return hpf_error_set_memory(err);
    }
    (*out)->memory = bytes;
    (*out)->stored_bytes = bytes.length;
    return HPF_OK;
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
    return hpf__spool_append(&s->spool, bytes, err);
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
    hpf_source *s = create(fd, options);
    if (!s) {
        return hpf_error_set_memory(err);
    }
    /* An inherited descriptor that is not at the start of its file is read as a stream. */
    s->is_file = S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
    s->stored_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    *out = s;
    return HPF_OK;
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

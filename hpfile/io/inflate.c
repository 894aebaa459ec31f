/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One struct with one step function a library. Concatenated streams are read on, as gzip -d, xz -d
 * and zstd -d do.
 */
#include "io/inflate.h"

#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

typedef struct method {
    const char *name;
    hpf_str magic;
    hpf_status (*start)(hpf__inflate *inflate);
    hpf_status (*step)(hpf__inflate *inflate, hpf_str *in, bool is_final, char *out, size_t room,
                       size_t *n_out);
    void (*stop)(hpf__inflate *inflate);
} method;

struct hpf__inflate {
    const method *method;
    bool is_between; /* a stream has ended, none has begun since */
    union {
        z_stream gzip;
        lzma_stream xz;
        ZSTD_DStream *zstd;
    };
};

static void take(hpf_str *in, size_t n)
{
    in->data += n;
    in->length -= n;
}

/* --- gzip --- */

static hpf_status start_gzip(hpf__inflate *f)
{
    return inflateInit2(&f->gzip, 15 + 16) == Z_OK ? HPF_OK : HPF_ERR_MEMORY;
}

static uInt clip(size_t n)
{
    return n > UINT_MAX ? UINT_MAX : (uInt)n;
}

static hpf_status step_gzip(hpf__inflate *f, hpf_str *in, bool is_final, char *out, size_t room,
                            size_t *n_out)
{
    (void)is_final;
    if (f->is_between && in->length && inflateReset(&f->gzip) != Z_OK) {
        return HPF_ERR_SYNTAX;
    }
    f->gzip.next_in = (const Bytef *)in->data;
    f->gzip.avail_in = clip(in->length);
    f->gzip.next_out = (Bytef *)out;
    f->gzip.avail_out = clip(room);
    f->is_between = f->is_between && !in->length;
    if (f->is_between) {
        return HPF_OK;
    }
    uInt before = f->gzip.avail_in;
    int result = inflate(&f->gzip, Z_NO_FLUSH);
    take(in, before - f->gzip.avail_in);
    *n_out = clip(room) - f->gzip.avail_out;
    f->is_between = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR) {
        return HPF_ERR_MEMORY;
    }
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR ? HPF_OK
                                                                             : HPF_ERR_SYNTAX;
}

static void stop_gzip(hpf__inflate *f)
{
    inflateEnd(&f->gzip);
}

/* --- xz --- */

static hpf_status start_xz(hpf__inflate *f)
{
    f->xz = (lzma_stream)LZMA_STREAM_INIT;
    return lzma_stream_decoder(&f->xz, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK ? HPF_OK
                                                                                 : HPF_ERR_MEMORY;
}

static hpf_status step_xz(hpf__inflate *f, hpf_str *in, bool is_final, char *out, size_t room,
                          size_t *n_out)
{
    f->xz.next_in = (const uint8_t *)in->data;
    f->xz.avail_in = in->length;
    f->xz.next_out = (uint8_t *)out;
    f->xz.avail_out = room;
    lzma_ret result = lzma_code(&f->xz, is_final ? LZMA_FINISH : LZMA_RUN);
    take(in, in->length - f->xz.avail_in);
    *n_out = room - f->xz.avail_out;
    f->is_between = result == LZMA_STREAM_END;
    if (result == LZMA_MEM_ERROR) {
        return HPF_ERR_MEMORY;
    }
    return result == LZMA_OK || result == LZMA_STREAM_END || result == LZMA_BUF_ERROR
               ? HPF_OK
               : HPF_ERR_SYNTAX;
}

static void stop_xz(hpf__inflate *f)
{
    lzma_end(&f->xz);
}

/* --- zstd --- */

static hpf_status start_zstd(hpf__inflate *f)
{
    f->zstd = ZSTD_createDStream();
    return f->zstd ? HPF_OK : HPF_ERR_MEMORY;
}

static hpf_status step_zstd(hpf__inflate *f, hpf_str *in, bool is_final, char *out, size_t room,
                            size_t *n_out)
{
    (void)is_final;
    if (f->is_between && !in->length) {
        return HPF_OK;
    }
    ZSTD_inBuffer input = {in->data, in->length, 0};
    ZSTD_outBuffer output = {out, room, 0};
    size_t result = ZSTD_decompressStream(f->zstd, &output, &input);
    take(in, input.pos);
    *n_out = output.pos;
    f->is_between = result == 0;
    return ZSTD_isError(result) ? HPF_ERR_SYNTAX : HPF_OK;
}

static void stop_zstd(hpf__inflate *f)
{
    ZSTD_freeDStream(f->zstd);
}

/* --- all --- */

#define MAGIC(literal)                                                                             \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

static const method methods[] = {
    {"gzip", MAGIC("\x1f\x8b"), start_gzip, step_gzip, stop_gzip},
    {"xz",
     MAGIC("\xfd"
           "7zXZ\0"),
     start_xz, step_xz, stop_xz},
    {"zstd", MAGIC("\x28\xb5\x2f\xfd"), start_zstd, step_zstd, stop_zstd},
};

static const method *method_for(hpf_str magic)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const method *m = &methods[i];
        if (magic.length >= m->magic.length &&
            memcmp(magic.data, m->magic.data, m->magic.length) == 0) {
            return m;
        }
    }
    return NULL;
}

hpf_status hpf__inflate_create(hpf__inflate **out, hpf_str magic, hpf_error *err)
{
    *out = NULL;
    const method *m = method_for(magic);
    if (!m) {
        return HPF_OK;
    }
    hpf__inflate *f = calloc(1, sizeof *f);
    if (!f) {
        return hpf_error_set_memory(err);
    }
    f->method = m;
    if (m->start(f) != HPF_OK) {
        free(f);
        return hpf_error_set_memory(err);
    }
    *out = f;
    return HPF_OK;
}

void hpf__inflate_destroy(hpf__inflate *f)
{
    if (f) {
        f->method->stop(f);
        free(f);
    }
}

const char *hpf__inflate_name(const hpf__inflate *f)
{
    return f->method->name;
}

hpf_status hpf__inflate_step(hpf__inflate *f, hpf_str *in, bool is_final, char *out, size_t room,
                             size_t *n_out, hpf_error *err)
{
    size_t before = in->length;
    *n_out = 0;
    hpf_status status = f->method->step(f, in, is_final, out, room, n_out);
    if (status == HPF_ERR_MEMORY) {
        return hpf_error_set_memory(err);
    }
    if (status != HPF_OK) {
        return hpf_error_set(err, status, "invalid %s data", f->method->name);
    }
    if (is_final && *n_out == 0 && in->length == before) {
        return f->is_between
                   ? HPF_END
                   : hpf_error_set(err, HPF_ERR_SYNTAX, "incomplete %s data: the file was cut",
                                   f->method->name);
    }
    return HPF_OK;
}

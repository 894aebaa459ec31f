/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The head of a chunk is its kind and two numbers, process and length; the head of one of a log has
 * two more, which are part of its payload.
 */
#include "io/recording_chunks.h"

#include <inttypes.h>

#include "io/protobuf.h"

enum { MOST_HEAD_BYTES = 1 + 4 * 10 };

bool hpf__is_recording(hpf_str head)
{
    return head.length >= sizeof HPF__RECORDING_MAGIC &&
           memcmp(head.data, HPF__RECORDING_MAGIC, sizeof HPF__RECORDING_MAGIC) == 0;
}

static bool is_row(unsigned kind)
{
    return kind == HPF__CHUNK_PROCESS || kind == HPF__CHUNK_END || kind == HPF__CHUNK_INHERITED ||
           kind == HPF__CHUNK_MEMORY;
}

static bool hold(hpf__chunks *c, hpf_str *in, size_t n)
{
    n = n < in->length ? n : in->length;
    if (!hpf__buffer_append(&c->held, in->data, n)) {
        return false;
    }
    *in = hpf_str_from(*in, n);
    c->offset += n;
    return true;
}

static hpf_status check_magic(hpf__chunks *c, hpf_error *err)
{
    hpf_str head = {c->held.bytes, c->held.length};
    unsigned major = (unsigned char)head.data[sizeof HPF__RECORDING_MAGIC];
    if (!hpf__is_recording(head) || major == 0) {
        return hpf_error_set(err, HPF_ERR_SYNTAX, "not a recording of census");
    }
    if (major > HPF__RECORDING_MAJOR) {
        return hpf_error_set(
            err, HPF_ERR_VERSION,
            "a recording of version %u, which a newer census wrote: this one reads "
            "version %d",
            major, HPF__RECORDING_MAJOR);
    }
    c->held.length = 0;
    return HPF_OK;
}

/* Reads the head of a chunk. Returns HPF_MORE while it is incomplete. */
static hpf_status read_head(hpf__chunks *c, hpf_error *err)
{
    hpf_str rest = {c->held.bytes + 1, c->held.length - 1};
    hpf__chunk_part *chunk = &c->chunk;
    *chunk = (hpf__chunk_part){.kind = (unsigned char)*c->held.bytes};
    bool is_log = chunk->kind == HPF__CHUNK_LOG;
    bool is_whole = hpf__proto_varint(&rest, &chunk->process) && hpf__proto_varint(&rest, &c->left);
    size_t before = rest.length;
    is_whole = is_whole && (!is_log || (hpf__proto_varint(&rest, &chunk->time_us) &&
                                        hpf__proto_varint(&rest, &chunk->live_bytes)));
    if (!is_whole && c->held.length < MOST_HEAD_BYTES) {
        return HPF_MORE;
    }
    size_t n_numbers = before - rest.length;
    if (!is_whole || chunk->kind == 0 || c->left < n_numbers ||
        (is_row(chunk->kind) && c->left > HPF__RECORDING_ROW_BYTES)) {
        return hpf_error_set(err, HPF_ERR_SYNTAX,
                             "byte %" PRIu64 ": expected a chunk of a recording",
                             c->offset - c->held.length);
    }
    c->left -= n_numbers;
    c->held.length = 0;
    c->is_inside = true;
    chunk->is_sample = is_log;
    return HPF_OK;
}

hpf_status hpf__chunks_next(hpf__chunks *c, hpf_str *in, hpf__chunk_part *out, hpf_error *err)
{
    hpf_status status = HPF_OK;
    while (status == HPF_OK || status == HPF_MORE) {
        bool is_text = c->chunk.kind == HPF__CHUNK_LOG || c->chunk.kind == HPF__CHUNK_REPORT;
        bool is_of_row = is_row(c->chunk.kind);
        *out = c->chunk;
        if (c->is_inside && c->chunk.is_sample) {
            c->chunk.is_sample = false;
            return HPF_OK;
        } else if (c->is_inside && c->left == 0) {
            c->is_inside = false;
            out->bytes = hpf__buffer_str(&c->held);
            c->held.length = 0;
            if (is_of_row) {
                return HPF_OK;
            }
        } else if (in->length == 0) {
            return HPF_MORE;
        } else if (c->offset < HPF__RECORDING_HEAD_BYTES) {
            size_t n = HPF__RECORDING_HEAD_BYTES - (size_t)c->offset;
            bool is_held = hold(c, in, n);
            status = !is_held                                 ? hpf_error_set_memory(err)
                     : c->offset == HPF__RECORDING_HEAD_BYTES ? check_magic(c, err)
                                                              : HPF_MORE;
        } else if (!c->is_inside) {
            status = hold(c, in, 1) ? read_head(c, err) : hpf_error_set_memory(err);
        } else {
            size_t n = c->left < in->length ? (size_t)c->left : in->length;
            c->left -= n;
            if (is_of_row) {
                status = hold(c, in, n) ? HPF_OK : hpf_error_set_memory(err);
                continue;
            }
            out->bytes = (hpf_str){in->data, n};
            out->offset = c->offset;
            *in = hpf_str_from(*in, n);
            c->offset += n;
            if (is_text) {
                return HPF_OK;
            }
        }
    }
    return status;
}

void hpf__chunks_finish(hpf__chunks *c)
{
    hpf__buffer_finish(&c->held);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows are protocol buffers; the heads of logs say how large samples are.
 */
#include "io/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/array.h"
#include "io/protobuf.h"
#include "base/buffer.h"
#include "hpfile/error.h"
#include "hpfile/str.h"

struct hpf_recording {
    hpf_arena *arena; /* of texts */
    hpf_process *processes;
    size_t n, capacity;
    size_t chosen; /* a number; 0: all */
};

hpf_recording *hpf__recording_create(void)
{
    hpf_recording *r = calloc(1, sizeof *r);
    if (r && !(r->arena = hpf_arena_create())) {
        free(r);
        r = NULL;
    }
    return r;
}

void hpf__recording_destroy(hpf_recording *r)
{
    if (r) {
        hpf_arena_destroy(r->arena);
        free(r->processes);
        free(r);
    }
}

static uint32_t small(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static double seconds(uint64_t us)
{
    return (double)us / 1e6;
}

static hpf_status keep(hpf_recording *r, hpf_str text, hpf_str *to, hpf_error *err)
{
    *to = hpf_arena_str(r->arena, text);
    return to->data ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status note_memory(hpf_recording *r, const hpf__proto_field *f, hpf_memory *m,
                              hpf_error *err)
{
    uint32_t limit = f->number - HPF__MEMORY_LIMITS;
    switch (f->number) {
    case HPF__MEMORY_KILLER:
        m->killer = f->value <= HPF_KILLER_MAYBE ? (hpf_killer)f->value : HPF_KILLER_UNKNOWN;
        break;
    case HPF__MEMORY_N_KILLED:
        m->n_killed = f->value;
        break;
    case HPF__MEMORY_WHOLE_CGROUP:
        m->is_whole_cgroup = f->value != 0;
        break;
    case HPF__MEMORY_STALLED:
        m->stalled_percent = small(f->value);
        break;
    case HPF__MEMORY_HOLDER:
        return keep(r, f->bytes, &m->holder, err);
    case HPF__MEMORY_HOLDER_BYTES:
        m->holder_bytes = f->value;
        break;
    default:
        if (f->number >= HPF__MEMORY_LIMITS && limit / 2 < HPF_N_MEMORY_LIMITS) {
            *(limit % 2 ? &m->limits[limit / 2].most_bytes : &m->limits[limit / 2].used_bytes) =
                f->value;
        }
    }
    return HPF_OK;
}

static hpf_status note_field(hpf_recording *r, unsigned kind, const hpf__proto_field *f,
                             hpf_process *p, hpf_error *err)
{
    if (kind == HPF__CHUNK_MEMORY) {
        return note_memory(r, f, &p->memory, err);
    }
    bool is_end = kind == HPF__CHUNK_END;
    switch (f->number | (is_end ? 0x100U : 0)) {
    case HPF__PROCESS_PARENT:
        p->parent = small(f->value);
        break;
    case HPF__PROCESS_PID:
        p->pid = small(f->value);
        break;
    case HPF__PROCESS_START_US:
        p->start_s = p->end_s = seconds(f->value);
        break;
    case HPF__PROCESS_DATE_S:
        p->date_s = f->value;
        break;
    case HPF__PROCESS_NAME:
        return keep(r, f->bytes, &p->name, err);
    case HPF__PROCESS_COMMAND:
        return keep(r, f->bytes, &p->command, err);
    case HPF__PROCESS_HOST:
        return keep(r, f->bytes, &p->host, err);
    case 0x100 | HPF__END_US:
        p->end_s = seconds(f->value);
        break;
    case 0x100 | HPF__END_HOW:
        p->end = f->value <= HPF_PROCESS_REPLACED ? (hpf_process_end)f->value : HPF_PROCESS_ENDED;
        p->has_log &= p->end != HPF_PROCESS_REPLACED;
        break;
    case 0x100 | HPF__END_CODE:
        p->code = (int)small(f->value);
        break;
    case 0x100 | HPF__END_PEAK_BYTES:
        p->peak_bytes = f->value;
        break;
    case 0x100 | HPF__END_LEFT_BYTES:
        p->left_bytes = f->value;
        break;
    case 0x100 | HPF__END_N_SAMPLES:
        p->n_samples = f->value;
        break;
    case 0x100 | HPF__END_NAME:
        return keep(r, f->bytes, &p->name, err);
    case 0x100 | HPF__END_MISSED_PEAK_BYTES:
        p->missed_peak_bytes = f->value;
        break;
    case 0x100 | HPF__END_MISSED_PEAK_US:
        p->missed_peak_s = seconds(f->value);
        break;
    default:
        break; /* of a later version */
    }
    return HPF_OK;
}

static hpf_status note_row(hpf_recording *r, const hpf__chunk_part *part, hpf_process *p,
                           hpf_error *err)
{
    hpf_str rest = part->bytes;
    hpf__proto_field field;
    hpf_status status;
    while ((status = hpf__proto_next(&rest, &field)) == HPF_OK) {
        status = note_field(r, part->kind, &field, p, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    return status == HPF_END
               ? HPF_OK
               : hpf_error_set(err, HPF_ERR_SYNTAX, "process %u: a damaged row", p->number);
}

hpf_status hpf__recording_note(hpf_recording *r, const hpf__chunk_part *part, hpf_error *err)
{
    bool is_new = part->kind == HPF__CHUNK_PROCESS;
    if (part->process == 0 || part->process > r->n + is_new || (is_new && part->process <= r->n)) {
        return hpf_error_set(err, HPF_ERR_SYNTAX,
                             "a chunk of process %llu, expected one of 1 to %zu",
                             (unsigned long long)part->process, r->n + is_new);
    }
    if (is_new) {
        hpf_str empty = HPF_STR("");
        hpf_process new = {.number = small(part->process),
                           .name = empty,
                           .command = empty,
                           .host = empty,
                           .memory.holder = empty};
        if (!HPF__ARRAY_PUSH(r->processes, r->n, r->capacity, new)) {
            return hpf_error_set_memory(err);
        }
    }
    hpf_process *p = &r->processes[part->process - 1];
    if (part->kind == HPF__CHUNK_MEMORY) {
        p->memory = (hpf_memory){.holder = HPF_STR("")};
    }
    if (is_new || part->kind == HPF__CHUNK_END || part->kind == HPF__CHUNK_MEMORY) {
        return note_row(r, part, p, err);
    }
    if (part->is_sample && (p->n_samples == 0 || seconds(part->time_us) != p->end_s)) {
        p->end_s = seconds(part->time_us);
        p->left_bytes = part->live_bytes;
        p->peak_bytes = p->peak_bytes > p->left_bytes ? p->peak_bytes : p->left_bytes;
        p->n_samples++;
        p->has_log = true;
    }
    return HPF_OK;
}

void hpf__recording_end(hpf_recording *r, const hpf__chunks *c)
{
    bool is_cut = c->is_inside && c->left > 0 && c->chunk.kind == HPF__CHUNK_LOG;
    hpf_process *p =
        is_cut && c->chunk.process - 1 < r->n ? &r->processes[c->chunk.process - 1] : NULL;
    if (p && p->n_samples == 1) {
        p->n_samples = 0;
        p->has_log = false;
    }
}

/* --- the choice of a process --- */

bool hpf__recording_is_all(const char *which)
{
    return which && strcmp(which, "all") == 0;
}

hpf_status hpf__recording_fail_other(hpf_error *err)
{
    return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "only recordings (.census) have processes");
}

/* Returns how well a text names a process; 0: not at all. A number is no part of a name, as the
 * process with this number may begin later. */
static int likeness(const hpf_process *p, const char *which)
{
    char *end;
    unsigned long number = strtoul(which, &end, 10);
    bool is_number = *end == '\0' && end > which;
    return is_number && number == p->number             ? 4
           : is_number && number == p->pid              ? 3
           : hpf_str_is(p->name, which)                 ? 2
           : !is_number && hpf_str_find(p->name, which) ? 1
                                                        : 0;
}

hpf_status hpf__recording_choose(hpf_recording *r, const char *which, hpf_error *err)
{
    const hpf_process *best = NULL;
    int best_likeness = 0;
    r->chosen = 0;
    if (hpf__recording_is_all(which)) {
        return HPF_OK;
    }
    for (size_t i = 0; i < r->n; i++) {
        const hpf_process *p = &r->processes[i];
        int like = which ? likeness(p, which) : p->has_log;
        bool is_better =
            best && like == best_likeness &&
            (p->has_log > best->has_log ||
             (p->has_log == best->has_log && hpf_process_peak(p) > hpf_process_peak(best)));
        if (like > best_likeness || is_better) {
            best = p;
            best_likeness = like;
        }
    }
    if (!best) {
        return which ? hpf_error_set(err, HPF_ERR_ARGUMENT,
                                     "no process \"%s\" in the recording: census info lists them",
                                     which)
                     : hpf_error_set(err, HPF_ERR_SYNTAX, "the recording has no sample yet");
    }
    if (!best->has_log) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "process %u (%.*s) was too short or too small for a profile",
                             best->number, (int)best->name.length, best->name.data);
    }
    r->chosen = best->number;
    return HPF_OK;
}

/* --- results --- */

double hpf_memory_part(const hpf_memory *m, hpf_memory_limit limit)
{
    uint64_t most_bytes = limit < HPF_N_MEMORY_LIMITS ? m->limits[limit].most_bytes : 0;
    return most_bytes > 0 ? (double)m->limits[limit].used_bytes / (double)most_bytes : 0;
}

hpf_memory_limit hpf_memory_nearest(const hpf_memory *m)
{
    hpf_memory_limit nearest = HPF_N_MEMORY_LIMITS;
    for (hpf_memory_limit i = 0; i < HPF_N_MEMORY_LIMITS; i++) {
        if (m->limits[i].most_bytes > 0 && hpf_memory_part(m, i) >= hpf_memory_part(m, nearest)) {
            nearest = i;
        }
    }
    return nearest;
}

size_t hpf_recording_n_processes(const hpf_recording *r)
{
    return r->n;
}

const hpf_process *hpf_recording_process(const hpf_recording *r, size_t index)
{
    return &r->processes[index];
}

const hpf_process *hpf_recording_chosen(const hpf_recording *r)
{
    return r->chosen > 0 ? &r->processes[r->chosen - 1] : NULL;
}

/* --- frames --- */

struct hpf__unpacker {
    ZSTD_DCtx *zstd;
    bool has_more; /* that did not fit */
    char bytes[128 << 10];
};

hpf__unpacker *hpf__unpacker_create(void)
{
    hpf__unpacker *u = calloc(1, sizeof *u);
    const int window_log = 20; /* HPF__RECORDING_FRAME_BYTES */
    if (u && (!(u->zstd = ZSTD_createDCtx()) ||
              ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, window_log)))) {
        hpf__unpacker_destroy(u);
        u = NULL;
    }
    return u;
}

void hpf__unpacker_destroy(hpf__unpacker *u)
{
    if (u) {
        ZSTD_freeDCtx(u->zstd);
        free(u);
    }
}

hpf_status hpf__unpacker_next(hpf__unpacker *u, hpf_str *in, hpf_str *out, hpf_error *err)
{
    ZSTD_inBuffer from = {in->data, in->length, 0};
    ZSTD_outBuffer to = {u->bytes, sizeof u->bytes, 0};
    if (in->length == 0 && !u->has_more) {
        return HPF_MORE;
    }
    size_t left = ZSTD_decompressStream(u->zstd, &to, &from);
    if (ZSTD_isError(left)) {
        return hpf_error_set(err, HPF_ERR_SYNTAX, "a damaged frame: %s", ZSTD_getErrorName(left));
    }
    *in = hpf_str_from(*in, from.pos);
    *out = (hpf_str){u->bytes, to.pos};
    u->has_more = left > 0 && to.pos == to.size;
    return left == 0 ? HPF_END : to.pos > 0 ? HPF_OK : HPF_MORE;
}

/* --- chunks --- */

/* The head of a chunk is its kind and two numbers, process and length; the head of one of a log
 * has two more, which are part of its payload. */

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
            "up to version %d",
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
    c->is_packed = chunk->kind == HPF__CHUNK_PACKED_LOG;
    chunk->kind = c->is_packed ? HPF__CHUNK_LOG : chunk->kind;
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

/* Stores the next part of a packed log. Returns HPF_MORE if there is none without more input. */
static hpf_status unpack(hpf__chunks *c, hpf_str *in, hpf__chunk_part *out, hpf_error *err)
{
    size_t n = c->left < in->length ? (size_t)c->left : in->length;
    hpf_str packed = {in->data, n};
    hpf__chunk_part *chunk = &c->chunk;
    if (!c->unpacker && !(c->unpacker = hpf__unpacker_create())) {
        return hpf_error_set_memory(err);
    }
    if (chunk->frame == 0) {
        chunk->frame = c->offset;
        chunk->offset = 0;
    }
    out->frame = chunk->frame;
    out->offset = chunk->offset;
    hpf_status status = hpf__unpacker_next(c->unpacker, &packed, &out->bytes, err);
    size_t n_taken = n - packed.length;
    *in = hpf_str_from(*in, n_taken);
    c->offset += n_taken;
    c->left -= n_taken;
    chunk->offset += status == HPF_OK || status == HPF_END ? out->bytes.length : 0;
    chunk->frame = status == HPF_END ? 0 : chunk->frame;
    bool is_cut = status == HPF_MORE && c->left == 0;
    if (is_cut || chunk->offset > HPF__RECORDING_FRAME_BYTES) {
        status = hpf_error_set(err, HPF_ERR_SYNTAX, "a damaged frame");
    }
    return status != HPF_END ? status : out->bytes.length > 0 ? HPF_OK : HPF_MORE;
}

hpf_status hpf__chunks_next(hpf__chunks *c, hpf_str *in, hpf__chunk_part *out, hpf_error *err)
{
    hpf_status status = HPF_OK;
    while (status == HPF_OK || status == HPF_MORE) {
        bool is_of_row = is_row(c->chunk.kind);
        bool is_read = c->chunk.kind == HPF__CHUNK_REPORT ||
                       (c->chunk.kind == HPF__CHUNK_LOG && c->chunk.process == c->log_of);
        bool is_unpacked = c->is_inside && c->is_packed && is_read;
        *out = c->chunk;
        if (c->is_inside && c->chunk.is_sample) {
            c->chunk.is_sample = false;
            return HPF_OK;
        } else if (is_unpacked && (c->left > 0 ? in->length > 0 : c->chunk.frame != 0)) {
            status = unpack(c, in, out, err);
            if (status == HPF_OK) {
                return HPF_OK;
            }
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
            if (is_read) {
                return HPF_OK;
            }
        }
    }
    return status;
}

void hpf__chunks_finish(hpf__chunks *c)
{
    hpf__unpacker_destroy(c->unpacker);
    hpf__buffer_finish(&c->held);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows are protocol buffers; the heads of logs say how large samples are.
 */
#include "io/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "io/protobuf.h"

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
        bool is_better = best && like == best_likeness &&
                         (p->has_log > best->has_log ||
                          (p->has_log == best->has_log && p->peak_bytes > best->peak_bytes));
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

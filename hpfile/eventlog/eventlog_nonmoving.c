/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Records come in the order of the collector's work: a census is a run of records with rising block
 * sizes.
 */
#include "hpfile/eventlog.h"

#include <stdlib.h>

#include "base/array.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/str.h"

void hpf_eventlog_nonmoving_finish(hpf_eventlog_nonmoving *n)
{
    free(n->blocks);
    *n = (hpf_eventlog_nonmoving){0};
}

/* Returns the number in the first field of a record that has the name; 0 if there is none. */
static uint64_t number_in(const hpf_event *event, const char *name)
{
    hpf_event_cursor cursor = {0};
    hpf_event_field field;
    while (hpf_event_next_field(event, &cursor, &field)) {
        if (hpf_str_is(field.name, name)) {
            return field.number;
        }
    }
    return 0;
}

/* GHC writes both ends of some phases twice: the first of them count. */
static void begin_phase(hpf_nonmoving_time *phase, const hpf_event *event)
{
    if (!phase->is_open) {
        phase->is_open = true;
        phase->open_ns = event->time_ns;
    }
}

static void end_phase(hpf_nonmoving_time *phase, const hpf_event *event)
{
    uint64_t ns = event->time_ns > phase->open_ns ? event->time_ns - phase->open_ns : 0;
    if (phase->is_open) {
        phase->is_open = false;
        phase->n++;
        phase->total_ns += ns;
        phase->longest_ns = ns > phase->longest_ns ? ns : phase->longest_ns;
    }
}

/* Earlier logs have the logarithm of the size, in one byte. */
static uint64_t block_bytes_of(const hpf_event *event)
{
    uint64_t exponent = number_in(event, "log2_block");
    return exponent ? (uint64_t)1 << (exponent & 31) : number_in(event, "block_bytes");
}

static hpf_status note_blocks(hpf_eventlog_nonmoving *n, const hpf_event *event, hpf_error *err)
{
    if (!HPF__ARRAY_RESERVE(n->blocks, n->blocks_capacity, n->n_blocks + 1)) {
        return hpf_error_set_memory(err);
    }
    hpf_nonmoving_blocks *added = &n->blocks[n->n_blocks];
    *added = (hpf_nonmoving_blocks){.time_ns = event->time_ns,
                                    .block_bytes = block_bytes_of(event),
                                    .n_active = (uint32_t)number_in(event, "n_active"),
                                    .n_filled = (uint32_t)number_in(event, "n_filled"),
                                    .n_live = (uint32_t)number_in(event, "n_live_blocks")};
    bool is_new = n->n_blocks == 0 || added->block_bytes <= added[-1].block_bytes;
    n->n_censuses += is_new;
    added->census = n->n_censuses - 1;
    n->census_bytes = (is_new ? 0 : n->census_bytes) + hpf_nonmoving_live_bytes(added);
    if (n->census_bytes > n->peak_bytes || n->n_blocks == 0) {
        n->peak_bytes = n->census_bytes;
        n->peak_census = added->census;
        n->peak_ns = added->time_ns;
    }
    n->n_blocks++;
    return HPF_OK;
}

hpf_status hpf_eventlog_nonmoving_note(hpf_eventlog_nonmoving *n, const hpf_event *event,
                                       hpf_error *err)
{
    switch (event->type->id) {
    case HPF__EVENT_CONC_MARK_BEGIN:
        begin_phase(&n->phases[HPF_NONMOVING_MARK], event);
        break;
    case HPF__EVENT_CONC_MARK_END:
        end_phase(&n->phases[HPF_NONMOVING_MARK], event);
        n->n_marked += number_in(event, "n_marked");
        break;
    case HPF__EVENT_CONC_SYNC_BEGIN:
        begin_phase(&n->phases[HPF_NONMOVING_SYNC], event);
        break;
    case HPF__EVENT_CONC_SYNC_END:
        end_phase(&n->phases[HPF_NONMOVING_SYNC], event);
        break;
    case HPF__EVENT_CONC_SWEEP_BEGIN:
        begin_phase(&n->phases[HPF_NONMOVING_SWEEP], event);
        break;
    case HPF__EVENT_CONC_SWEEP_END:
        end_phase(&n->phases[HPF_NONMOVING_SWEEP], event);
        break;
    case HPF__EVENT_CONC_UPD_REM_SET_FLUSH:
        n->n_flushes++;
        break;
    case HPF__EVENT_NONMOVING_PRUNED_SEGMENTS:
        n->n_pruned += number_in(event, "n_pruned");
        break;
    case HPF__EVENT_NONMOVING_HEAP_CENSUS:
        return note_blocks(n, event, err);
    default:
        break;
    }
    return HPF_OK;
}

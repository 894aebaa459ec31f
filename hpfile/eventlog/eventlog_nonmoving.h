/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Statistics of the non-moving collector from an event log (`+RTS --nonmoving-gc -l`): how long it
 * marked, stopped the program and swept, and, with `-ln`, how its heap was filled after each
 * collection. In that heap, blocks of equal size live in segments of their own; a segment with few
 * live blocks wastes memory.
 *
 * Memory: a row for each block size of each census.
 */
#ifndef HPFILE_EVENTLOG_NONMOVING_H
#define HPFILE_EVENTLOG_NONMOVING_H

#include "eventlog/eventlog.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hpf_nonmoving_phase {
    HPF_NONMOVING_MARK,  /* while the program runs */
    HPF_NONMOVING_SYNC,  /* the program waits */
    HPF_NONMOVING_SWEEP, /* while the program runs */
    HPF_N_NONMOVING_PHASES
} hpf_nonmoving_phase;

/* Phases of one kind that began and ended. */
typedef struct hpf_nonmoving_time {
    uint64_t n;
    uint64_t total_ns, longest_ns;
    uint64_t open_ns; /* when the one that is open began */
    bool is_open;
} hpf_nonmoving_time;

/* The blocks of one size at one census. */
typedef struct hpf_nonmoving_blocks {
    uint64_t time_ns;
    uint32_t census; /* from 0 */
    uint64_t block_bytes;
    uint32_t n_active; /* segments with live and with free blocks */
    uint32_t n_filled; /* segments without a free block */
    uint32_t n_live;   /* blocks */
} hpf_nonmoving_blocks;

typedef struct hpf_eventlog_nonmoving {
    hpf_nonmoving_time phases[HPF_N_NONMOVING_PHASES];
    uint64_t n_marked;            /* objects */
    uint64_t n_flushes;           /* of remembered sets */
    uint64_t n_pruned;            /* segments given back */
    hpf_nonmoving_blocks *blocks; /* by census, then as the log has them: by size */
    size_t n_blocks, blocks_capacity;
    uint32_t n_censuses;
} hpf_eventlog_nonmoving;

/* Notes an event; those that say nothing of this collector do nothing. The struct begins zeroed.
 * Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_nonmoving_note(hpf_eventlog_nonmoving *log,
                                                            const hpf_event *event, hpf_error *err);

/* Live blocks times their size. */
static inline uint64_t hpf_nonmoving_live_bytes(const hpf_nonmoving_blocks *blocks)
{
    return blocks->n_live * blocks->block_bytes;
}

HPF_API void hpf_eventlog_nonmoving_finish(hpf_eventlog_nonmoving *log);

#ifdef __cplusplus
}
#endif
#endif

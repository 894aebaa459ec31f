/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options and results of a collector (collector.h).
 */
#ifndef HPPROF_COLLECTOR_TYPES_H
#define HPPROF_COLLECTOR_TYPES_H

#include "hpprof/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All is borrowed until the collector is destroyed. Zero means the default. */
typedef struct hpp_collector_options {
    const hpp_options *profile; /* breakdown, restrictions, -i, -L, -p..., -V */
    const char *base;           /* of the names of files */
    bool without_children;      /* profile the first process alone */
    bool by_cpu_time;           /* the clock is the processor time of each process; else time that
                                   passes */
    const char *const *skip; /* POSIX extended regular expressions: more functions that are passed
                                over when a producer is named */
    size_t n_skip;
    uint32_t max_depth;            /* functions in a stack, the innermost; 0: all */
    uint32_t verify_stacks;        /* compare one stack in so many with a fresh unwind; 0: none */
    uint64_t max_overhead_bytes;   /* memory of the profiler in a process; 0: no limit */
    uint32_t max_overhead_percent; /* the same, of the process's own resident set; 0: no limit */
    const hpf_events *events; /* NULL, or who is told what the first process's files are told */
    void *events_context;
    /* NULL, or who is told that files of a process were written to, on the thread that writes: it
     * may do what any thread may, such as waking the host, which then asks hpp_collector_files. */
    void (*written)(void *context);
    void *written_context;
} hpp_collector_options;

/* The files of a process, as far as they are written. */
typedef struct hpp_process_files {
    const char *base;  /* what they are called but for ".hp"; borrowed until the next serve */
    uint64_t n_writes; /* grows whenever there is more in them, or less; 0: there are none yet */
    bool is_complete;
} hpp_process_files;

/* One process, as far as it has been profiled. */
typedef struct hpp_process_figures {
    uint32_t process_id;
    bool is_first;    /* the one that was started */
    hpf_str command;  /* its words, with blanks between them */
    const char *base; /* of its files */
    double duration_s;
    uint64_t n_samples;
    uint64_t n_missed_samples; /* that were due while names were being found */
    uint64_t peak_bytes;       /* of what restrictions let pass */
    double peak_s;
    uint64_t allocations, allocated_bytes, frees, freed_bytes; /* of all */
    uint64_t resident_bytes, profiler_bytes; /* the most that were seen; 0: none */
    uint64_t n_sites, n_stacks; /* places that allocate; stacks of functions that they make */
    uint32_t limits;            /* HPP_LIMITED values: what the memory limit has stopped */
    /* What is missing. */
    uint64_t n_lost_stacks; /* allocations of unknown producers */
    uint64_t n_uncounted, uncounted_bytes;
    uint64_t n_missed_frees; /* blocks that went by ways that are not seen */
    uint64_t n_cut_stacks;   /* stacks whose outer functions are not known */
    /* Self-check of stacks: compared; different from a fresh unwind, from the C library's (but for
     * those that this provably cut). */
    uint64_t n_checked, n_memo_mismatches, n_peer_mismatches, n_peer_cut;
    hpf_error error; /* what its files met first */
} hpp_process_figures;

enum {
    HPP_LIMITED_STACKS = 1, /* new stacks were not kept */
    HPP_LIMITED_BLOCKS = 2, /* new blocks were not counted */
};

typedef enum hpp_moment { HPP_AT_PEAK, HPP_AT_END } hpp_moment;

/* Blocks that were asked for at one place. */
typedef struct hpp_site_figures {
    hpf_str place;  /* "function@file:line", or "function" */
    hpf_str module; /* the object file it is in */
    hpf_str path;   /* of the heaviest stack there, callers outwards: "caller/.../main" */
    uint64_t live_bytes, live_blocks;
} hpp_site_figures;

/* What threads of one name have allocated in a process, largest first. */
typedef struct hpp_thread_figures {
    hpf_str name;
    uint64_t n_threads;
    uint64_t allocated_bytes;
} hpp_thread_figures;

#ifdef __cplusplus
}
#endif
#endif

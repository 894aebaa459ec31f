/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The processes of a recording (docs/formats/census.md), which `census run` writes. A source of a
 * recording reads as the event log of one process, which hpf_source_options.process chooses; with
 * "all", as a profile whose bands are the processes.
 */
#ifndef HPFILE_RECORDING_H
#define HPFILE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "hpfile/error.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

typedef enum hpf_process_end {
    HPF_PROCESS_RUNS = 0, /* the recording does not say that it has ended */
    HPF_PROCESS_EXITED,   /* with `code` */
    HPF_PROCESS_KILLED,   /* by the signal `code` */
    HPF_PROCESS_LEFT,     /* census stopped to observe it */
    HPF_PROCESS_ENDED,    /* it is not known how */
    HPF_PROCESS_REPLACED, /* its log was provisional: a later process with its pid has the final one
                           */
} hpf_process_end;

/* Who ended a process by SIGKILL, as far as the counters of the kernel tell. */
typedef enum hpf_killer {
    HPF_KILLER_UNKNOWN = 0, /* it was not killed, or no counter could be read */
    HPF_KILLER_OTHER,       /* no counter has grown: it was not the kernel, for memory */
    HPF_KILLER_CGROUP,      /* the kernel: a cgroup that it was in reached its limit */
    HPF_KILLER_MACHINE,     /* the kernel: the machine had no memory for it */
    HPF_KILLER_MAYBE,       /* the kernel killed a process of the machine; it is not known which */
} hpf_killer;

/* Limits of the memory of a process. */
typedef enum hpf_memory_limit {
    HPF_MEMORY_MAX = 0,   /* of the cgroup with least room: memory.max, memory.limit_in_bytes */
    HPF_MEMORY_HIGH,      /* the same: memory.high */
    HPF_MEMORY_ADDRESSES, /* RLIMIT_AS, without what the profiler takes */
    HPF_MEMORY_DATA,      /* RLIMIT_DATA, the same */
    HPF_MEMORY_MACHINE,   /* MemTotal, of which MemAvailable is not used */
    HPF_MEMORY_COMMIT,    /* CommitLimit, if the kernel enforces it */
    HPF_N_MEMORY_LIMITS
} hpf_memory_limit;

/* How close a process was to the limits of its memory when that was last looked at. */
typedef struct hpf_memory {
    struct {
        uint64_t used_bytes, most_bytes; /* most_bytes 0: there is no limit, or it is not known */
    } limits[HPF_N_MEMORY_LIMITS];
    uint32_t stalled_percent; /* of ten seconds, all tasks of its cgroup waited for memory (PSI) */
    /* At the end: */
    hpf_killer killer;
    uint64_t n_killed;     /* processes that the kernel has killed at that time */
    bool is_whole_cgroup;  /* and it has killed all of the cgroup (memory.oom.group) */
    uint64_t holder_bytes; /* live, of the allocation site with most of them: */
    hpf_str holder;
} hpf_memory;

/* Returns the limit with the largest part used; HPF_N_MEMORY_LIMITS if none is known. */
HPF_API hpf_memory_limit hpf_memory_nearest(const hpf_memory *memory);

/* Returns the part of a limit that is used; 0 if it is not known. */
HPF_API double hpf_memory_part(const hpf_memory *memory, hpf_memory_limit limit);

/* Times are in seconds since the start of the run, other amounts in bytes. Texts are borrowed. */
typedef struct hpf_process {
    uint32_t number; /* in the recording, from 1 */
    uint32_t parent; /* its number; 0: none in the recording */
    uint32_t pid;
    double start_s;  /* its log has times since then */
    uint64_t date_s; /* when it began, since 1970 in UTC; 0: unknown */
    hpf_str name;    /* the program or script, and what else tells it apart */
    hpf_str command; /* with all arguments */
    hpf_str host;
    /* Until it has ended, so far: */
    hpf_process_end end;
    int code;
    double end_s; /* or of the last sample */
    uint64_t peak_bytes;
    uint64_t left_bytes; /* live in the last sample; not freed at the end */
    uint64_t n_samples;  /* 0 with a peak: too few to write a log */
    bool has_log;
    hpf_memory memory;
    /* The largest number of live bytes, if no sample has it, and when that was, since the process
     * began; else 0. */
    uint64_t missed_peak_bytes;
    double missed_peak_s;
} hpf_process;

/* Returns the largest number of live bytes of a process, whether a sample has it or not. */
static inline uint64_t hpf_process_peak(const hpf_process *process)
{
    return process->missed_peak_bytes > process->peak_bytes ? process->missed_peak_bytes
                                                            : process->peak_bytes;
}

/* The processes of a source: hpf_source_recording (source.h). */
typedef struct hpf_recording hpf_recording;

HPF_API size_t hpf_recording_n_processes(const hpf_recording *recording);
HPF_API const hpf_process *hpf_recording_process(const hpf_recording *recording, size_t index);

/* Returns the process whose log is read; NULL: all are. */
HPF_API const hpf_process *hpf_recording_chosen(const hpf_recording *recording);

HPF_END_DECLS
#endif

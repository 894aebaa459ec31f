/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The processes of a recording (docs/formats/census.md), which `census run` writes. A source of a
 * recording reads as the event log of one process, which hpf_source_options.process chooses; with
 * "all", as a profile whose bands are the processes.
 */
#ifndef HPFILE_RECORDING_H
#define HPFILE_RECORDING_H

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
} hpf_process;

/* The processes of a source: hpf_source_recording (source.h). */
typedef struct hpf_recording hpf_recording;

HPF_API size_t hpf_recording_n_processes(const hpf_recording *recording);
HPF_API const hpf_process *hpf_recording_process(const hpf_recording *recording, size_t index);

/* Returns the process whose log is read; NULL: all are. */
HPF_API const hpf_process *hpf_recording_chosen(const hpf_recording *recording);

HPF_END_DECLS
#endif

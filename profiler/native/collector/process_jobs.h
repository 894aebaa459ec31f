/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the queue's thread does for a process that is being profiled: it starts the profile, takes
 * samples, notes marks and threads, and ends or renames the files.
 *
 * Threads: call the functions in the thread of the collector.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROCESS_JOBS_H
#define HPP_NATIVE_COLLECTOR_PROCESS_JOBS_H

#include "process_state.h"

typedef enum hpp__job_kind {
    HPP__JOB_BEGIN,
    HPP__JOB_SAMPLE,
    HPP__JOB_MARK,
    HPP__JOB_THREAD,
    HPP__JOB_END,
    HPP__JOB_RENAME
} hpp__job_kind;

typedef struct hpp__process_job {
    hpp__job job;
    hpp__process *process;
    hpp__process_sample snapshot; /* of a sample, and of the end */
    double mark_s;                /* of a mark, a thread, and the end */
    char mark[sizeof((hpp_window_mark *)0)->text];
    hpp__thread_event thread;
    bool forget;     /* drops the profile at its end */
    int wait_status; /* at the end */
    const char *new_base;
} hpp__process_job;

/* Returns an empty job, or NULL without memory. */
hpp__process_job *hpp__process_job_new(hpp__process *process, hpp__job_kind kind);
void hpp__process_job_free(hpp__process_job *job);

/* Queues a job, after the sample that is held back; one that forgets the profile drops it. */
void hpp__process_job_add(hpp__process *process, hpp__process_job *job);

/* Starts the profile if it has not: its first job does. Without memory, the next one does. */
void hpp__process_start_profile(hpp__process *process);

/* Queues or drops the sample that is held back, if there is one. */
void hpp__process_queue_held(hpp__process *process);
void hpp__process_drop_held(hpp__process *process);

/* Only counts it, if it is of a row. */
void hpp__process_count_held(hpp__process *process, bool is_of_row);

void hpp__process_close_window(hpp__process *process);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A queue of jobs from the thread that samples to the thread that names and writes. So sampling
 * stays on time while the symbols of a large program are read.
 *
 * Threads: call all functions in one thread; jobs run in the queue's own.
 */
#ifndef HPP_NATIVE_COLLECTOR_SAMPLE_QUEUE_H
#define HPP_NATIVE_COLLECTOR_SAMPLE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hpfile/error.h"

/* A job; the first member of a struct with its data. `run` frees it. */
typedef struct hpp__job hpp__job;
struct hpp__job {
    hpp__job *next;
    void (*run)(hpp__job *job);
    size_t n_bytes; /* memory that it holds while it waits */
};

typedef struct hpp__queue {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    hpp__job *first, **last;
    size_t waiting_bytes;
    bool has_thread, is_ending, has_ended;
    _Atomic bool is_hurried;
} hpp__queue;

/* Starts the thread. If there can be none, jobs run when they are added. */
void hpp__queue_start(hpp__queue *queue);

/* Returns whether the queue has room for a job of `n_bytes`. */
bool hpp__queue_has_room(hpp__queue *queue, size_t n_bytes);

void hpp__queue_add(hpp__queue *queue, hpp__job *job);

/* Asks jobs to leave out what takes long (`is_hurried`). */
void hpp__queue_hurry(hpp__queue *queue);

/* Waits for all jobs for `limit_ms` at most, and ends the thread. Returns whether it has ended;
 * after that, a further call does nothing. */
bool hpp__queue_stop_within(hpp__queue *queue, uint32_t limit_ms);

/* The same without a limit. */
void hpp__queue_stop(hpp__queue *queue);

#endif

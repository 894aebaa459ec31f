/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Jobs from the thread that samples to one that names and writes, in order. Sampling keeps in step
 * with the clock, however long it takes to read the symbols of a large program.
 *
 * Threads: hpp__queue_add and the rest from one thread; jobs run on the queue's own.
 */
#ifndef HPP_NATIVE_QUEUE_H
#define HPP_NATIVE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "hpfile/error.h"

/* Something to do; the first member of what it is done with. `run` frees it. */
typedef struct hpp__job hpp__job;
struct hpp__job {
    hpp__job *next;
    void (*run)(hpp__job *job);
    size_t n_bytes; /* of memory that waits with it */
};

typedef struct hpp__queue {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    hpp__job *first, **last;
    size_t waiting_bytes;
    bool has_thread, is_ending;
} hpp__queue;

/* Starts the thread. Where there can be none, jobs run as they are added. */
void hpp__queue_start(hpp__queue *queue);

/* Whether a job of so many bytes may wait: not when much waits already. */
bool hpp__queue_has_room(hpp__queue *queue, size_t n_bytes);

void hpp__queue_add(hpp__queue *queue, hpp__job *job);

/* Waits for all jobs, and ends the thread. Does nothing the second time. */
void hpp__queue_stop(hpp__queue *queue);

#endif

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A list under a lock.
 */
#include "sample_queue.h"

#include <signal.h>
#include <time.h>

static const size_t max_waiting_bytes = (size_t)64 << 20;

/* Returns the job that has waited longest, or NULL if there is none. */
static hpp__job *next_job(hpp__queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->first && !q->is_ending) {
        pthread_cond_wait(&q->changed, &q->lock);
    }
    hpp__job *job = q->first;
    if (job) {
        q->first = job->next;
        q->last = q->first ? q->last : &q->first;
        q->waiting_bytes -= job->n_bytes;
    }
    pthread_mutex_unlock(&q->lock);
    return job;
}

static void *work(void *context)
{
    hpp__queue *q = context;
    hpp__job *job;
    while ((job = next_job(q))) {
        job->run(job);
    }
    pthread_mutex_lock(&q->lock);
    q->has_ended = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* Signals are the business of the host's threads. */
void hpp__queue_start(hpp__queue *q)
{
    sigset_t all, before;
    pthread_condattr_t clock;
    *q = (hpp__queue){.last = &q->first};
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&q->changed, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    q->has_thread = pthread_create(&q->thread, NULL, work, q) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool hpp__queue_has_room(hpp__queue *q, size_t n_bytes)
{
    pthread_mutex_lock(&q->lock);
    bool has_room = !q->first || q->waiting_bytes + n_bytes <= max_waiting_bytes;
    pthread_mutex_unlock(&q->lock);
    return has_room;
}

void hpp__queue_add(hpp__queue *q, hpp__job *job)
{
    if (!q->has_thread) {
        job->run(job);
        return;
    }
    pthread_mutex_lock(&q->lock);
    job->next = NULL;
    *q->last = job;
    q->last = &job->next;
    q->waiting_bytes += job->n_bytes;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

void hpp__queue_hurry(hpp__queue *q)
{
    atomic_store(&q->is_hurried, true);
}

bool hpp__queue_stop_within(hpp__queue *q, uint32_t limit_ms)
{
    struct timespec end;
    if (!q->last) {
        return true;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    uint64_t end_ns = (uint64_t)end.tv_nsec + (uint64_t)limit_ms % 1000 * 1000000;
    end.tv_sec += (time_t)(limit_ms / 1000 + end_ns / 1000000000);
    end.tv_nsec = (long)(end_ns % 1000000000);
    pthread_mutex_lock(&q->lock);
    q->is_ending = true;
    pthread_cond_broadcast(&q->changed);
    while (q->has_thread && !q->has_ended &&
           pthread_cond_timedwait(&q->changed, &q->lock, &end) == 0) {
    }
    bool has_ended = !q->has_thread || q->has_ended;
    pthread_mutex_unlock(&q->lock);
    if (!has_ended) {
        return false;
    }
    if (q->has_thread) {
        pthread_join(q->thread, NULL);
    }
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    q->last = NULL;
    return true;
}

void hpp__queue_stop(hpp__queue *q)
{
    while (!hpp__queue_stop_within(q, UINT32_MAX)) {
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads of the language. Each is a thread of the system, which has a C stack and a current
 * cost-centre stack of its own, and waits until it is its turn. So the order of all steps is fixed.
 */
#include <stdlib.h>

#include "runtime.h"

void lz_threads_start(lz_runtime *rt)
{
    lz_thread *t = &rt->main_thread;
    t->slots = rt->main_slots;
    t->frames = rt->main_frames;
    t->max_slots = LZ_MAX_SLOTS;
    t->max_frames = LZ_MAX_FRAMES;
    t->next = rt->running = t;
    t->id = rt->n_threads = 1;
    pthread_mutex_init(&rt->turn_mutex, NULL);
    pthread_cond_init(&rt->turn_changed, NULL);
    pthread_mutex_lock(&rt->turn_mutex);
}

static void wait_for_turn(lz_runtime *rt, const lz_thread *t)
{
    while (rt->running != t) {
        pthread_cond_wait(&rt->turn_changed, &rt->turn_mutex);
    }
}

static void pass_turn(lz_runtime *rt, lz_thread *to)
{
    rt->running = to;
    lz_profile_runs(rt);
    pthread_cond_broadcast(&rt->turn_changed);
}

/* Removes the running thread, and passes its turn. */
static void end_thread(lz_runtime *rt, lz_thread *t)
{
    lz_thread *before = t;
    while (before->next != t) {
        before = before->next;
    }
    before->next = t->next;
    lz_profile_stops(rt, HPP_THREAD_ENDED);
    lz_profile_thread_end(rt, t);
    pass_turn(rt, t->next);
    free(t->slots);
    free(t->frames);
    free(t);
}

static void *run_thread(void *context)
{
    lz_thread *t = context;
    lz_runtime *rt = t->rt;
    pthread_mutex_lock(&rt->turn_mutex);
    wait_for_turn(rt, t);
    lz_profile_task(rt, t);
    HPP_UNDER(t->tso.profile.producer ? t->tso.profile.producer : hpp_ccs_current())
    {
        (void)lz_eval(rt, t->slots[0]);
    }
    end_thread(rt, t);
    pthread_mutex_unlock(&rt->turn_mutex);
    return NULL;
}

void lz_fork(lz_runtime *rt, lz_object *o, const char *name)
{
    static const lz_info thread_info = {.kind = LZ_FUNCTION, .n_locals = 1};
    lz_thread *t = calloc(1, sizeof *t);
    pthread_t id;
    if (!t || !(t->slots = calloc(8 * LZ_FORK_FRAMES, sizeof(lz_object *))) ||
        !(t->frames = calloc(LZ_FORK_FRAMES, sizeof *t->frames))) {
        lz_fail("out of memory");
    }
    t->rt = rt;
    t->max_slots = 8 * LZ_FORK_FRAMES;
    t->max_frames = LZ_FORK_FRAMES;
    t->slots[t->n_slots++] = o;
    t->frames[t->n_frames++] = (lz_frame){&thread_info, 0};
    t->id = ++rt->n_threads;
    lz_profile_thread(rt, t, name);
    t->next = rt->running->next;
    rt->running->next = t;
    if (pthread_create(&id, NULL, run_thread, t) != 0) {
        lz_fail("cannot create a thread");
    }
    pthread_detach(id);
}

void lz_yield(lz_runtime *rt)
{
    lz_thread *self = rt->running;
    lz_sparks_start(rt);
    lz_finalizers_start(rt);
    lz_profile_stops(rt, HPP_THREAD_STOPS);
    pass_turn(rt, self->next);
    wait_for_turn(rt, self);
}

static lz_object *run_finalizers(lz_runtime *rt, lz_object **slots)
{
    while (rt->n_finalizers > 0) {
        slots[0] = rt->finalizers[--rt->n_finalizers];
        lz_eval(rt, slots[0]);
    }
    return lz_int(rt, 0);
}

void lz_finalizers_start(lz_runtime *rt)
{
    static const lz_info info = LZ_THUNK_INFO("run_finalizers", 0, 1, run_finalizers);
    if (rt->n_finalizers > 0) {
        lz_fork(rt, lz_new(rt, &info, NULL, NULL, NULL), "finalizers");
    }
}

size_t lz_n_threads(const lz_runtime *rt)
{
    size_t n = 1;
    for (const lz_thread *t = rt->main_thread.next; t != &rt->main_thread; t = t->next) {
        n++;
    }
    return n;
}

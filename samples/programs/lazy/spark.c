/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sparks: thunks that may be evaluated before their values are needed. They wait in a pool, which
 * keeps nothing alive, until the program yields; then a thread evaluates them.
 */
#include "hpprof/log.h"
#include "runtime.h"

/* Profiler: notes what happened to a spark. */
static void note(lz_runtime *rt, hpp_log_spark_event event, uint64_t *count)
{
    ++*count;
    hpp_log_spark(hpp_runtime_profiler(rt->profile), event, 0, 0);
}

void lz_spark(lz_runtime *rt, lz_object *o)
{
    lz_spark_pool *pool = &rt->sparks;
    if (o->info->kind != LZ_THUNK) {
        note(rt, HPP_SPARK_DUD, &pool->counts.duds);
    } else if (pool->counts.remaining == LZ_MAX_SPARKS) {
        note(rt, HPP_SPARK_OVERFLOWED, &pool->counts.overflowed);
    } else {
        pool->thunks[pool->counts.remaining++] = o;
        note(rt, HPP_SPARK_CREATED, &pool->counts.created);
    }
}

/* Returns the newest spark that has no value yet, or NULL if there are no more. */
static lz_object *take(lz_runtime *rt)
{
    lz_spark_pool *pool = &rt->sparks;
    while (pool->counts.remaining > 0) {
        lz_object *o = pool->thunks[--pool->counts.remaining];
        if (o->info->kind == LZ_THUNK) {
            note(rt, HPP_SPARK_RUNS, &pool->counts.converted);
            return o;
        }
        note(rt, HPP_SPARK_FIZZLED, &pool->counts.fizzled);
    }
    return NULL;
}

void lz_sparks_moved(lz_runtime *rt, lz_object *moved(lz_object *o))
{
    lz_spark_pool *pool = &rt->sparks;
    size_t n = 0;
    for (size_t i = 0; i < pool->counts.remaining; i++) {
        lz_object *o = moved(pool->thunks[i]);
        if (!o) {
            note(rt, HPP_SPARK_COLLECTED, &pool->counts.collected);
        } else if (o->info->kind != LZ_THUNK) {
            note(rt, HPP_SPARK_FIZZLED, &pool->counts.fizzled);
        } else {
            pool->thunks[n++] = o;
        }
    }
    pool->counts.remaining = n;
}

static lz_object *run_sparks(lz_runtime *rt, lz_object **slots)
{
    while ((slots[0] = take(rt))) {
        lz_eval(rt, slots[0]);
    }
    return lz_int(rt, 0);
}

void lz_sparks_start(lz_runtime *rt)
{
    static const lz_info info = LZ_THUNK_INFO("run_sparks", 0, 1, run_sparks);
    if (rt->sparks.counts.remaining > 0) {
        lz_fork(rt, lz_new(rt, &info, NULL, NULL, NULL), "spark evaluator");
        hpp_log_thread(hpp_runtime_profiler(rt->profile), rt->n_threads, HPP_THREAD_FOR_SPARKS, 0);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads and their stacks, for -xt. There are n workers; worker i calls itself 4 i times, one call
 * in each of its turns, and ends in the turn after. Each call holds a number of 16 bytes.
 *
 *   main = do mapM_ (forkIO . descend . (4 *)) [1 .. n]; census; rounds
 *   descend d = do number <- new; yield; if d == 0 then return () else descend (d - 1); use number
 *   rounds = while there are workers: do yield; census
 *
 * At census r + 1, after round r, worker i has r calls on its stack if r <= 4 i + 1; else it has
 * ended. In the program's bands, TSO is the number of threads, and STACK grows with the calls.
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

#include <stdio.h>

enum { CALLS_PER_WORKER = 4 };

static lz_object *descend(lz_runtime *rt, lz_object **slots);
static const lz_info descend_info = LZ_STATIC_FUNCTION_INFO("descend", 1, 1, descend, NULL);
static lz_static descend_function = {.object = {.info = &descend_info}};

static lz_object *descend(lz_runtime *rt, lz_object **slots)
{
    lz_object **number = &slots[1];
    int64_t depth = lz_int_value(slots[0]);
    HPP_SCC_HERE("descend");
    slots[0] = NULL;
    *number = lz_int(rt, depth);
    lz_yield(rt);
    if (depth > 0) {
        lz_call(rt, &descend_function.object, lz_int(rt, depth - 1), NULL);
    }
    return lz_eval(rt, *number);
}

static lz_object *work(lz_runtime *rt, lz_object **slots)
{
    return lz_call(rt, &descend_function.object, slots[0], NULL);
}

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    static const lz_info work_info = LZ_THUNK_INFO("work", 1, 0, work);
    int64_t n = lz_int_value(slots[0]);
    HPP_SCC_HERE("main");
    for (int64_t i = 1; i <= n; i++) {
        HPP_SCC("worker")
        {
            lz_object *depth = lz_int(rt, CALLS_PER_WORKER * i);
            char name[32];
            snprintf(name, sizeof name, "worker %d", (int)i);
            lz_fork(rt, lz_new(rt, &work_info, depth, NULL, NULL), name);
        }
    }
    lz_census(rt);
    lz_trace(rt, "all workers wait");
    while (lz_n_threads(rt) > 1) {
        lz_yield(rt);
        lz_census(rt);
    }
    lz_mark(rt, "all workers have ended");
    lz_print(rt, lz_int(rt, n));
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 0, run, NULL);
    return lz_main(argc, argv, &info, 8);
}

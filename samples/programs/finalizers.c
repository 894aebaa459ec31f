/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finalizers: each of n keys has a weak pointer, whose finalizer counts in a mutable cell.
 *
 *   main = do count <- newIORef 0
 *             keys <- forM [1 .. n] (\i -> mkWeak i () (Just (modifyIORef count (+ 1))) ...)
 *             census                               -- all keys are alive
 *             drop half of the keys; census        -- the finalizers of the others wait
 *             yield                                -- and run
 *             print =<< readIORef count
 *             census
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

static lz_object *count_one(lz_runtime *rt, lz_object **slots)
{
    int64_t n = lz_int_value(lz_refs(slots[0])[0]);
    lz_refs(slots[0])[0] = lz_int(rt, n + 1);
    return lz_nil();
}

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    static const lz_info count_info = LZ_THUNK_INFO("count", 1, 0, count_one);
    lz_object **count = &slots[1], **keys = &slots[2], **odd_keys = &slots[3];
    HPP_SCC_HERE("main");
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    *count = lz_cell(rt, lz_int(rt, 0));
    *keys = *odd_keys = lz_nil();
    for (int64_t i = n; i > 0; i--) {
        lz_object *key = lz_int(rt, i);
        lz_finalize(lz_weak(rt, key, lz_nil()), lz_new(rt, &count_info, *count, NULL, NULL));
        *keys = lz_cons(rt, key, *keys);
        *odd_keys = i % 2 == 1 ? lz_cons(rt, key, *odd_keys) : *odd_keys;
    }
    lz_census(rt);
    *keys = NULL;
    lz_census(rt);
    lz_yield(rt);
    lz_print(rt, lz_refs(*count)[0]);
    lz_census(rt);
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 3, run, NULL);
    return lz_main(argc, argv, &info, 100);
}

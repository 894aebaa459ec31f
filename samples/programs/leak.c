/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two space leaks: a lazy sum is a chain of thunks as long as the list, and the list itself is kept
 * because its length is computed later.
 *
 *   mean xs = {-# SCC total #-} foldl (+) 0 xs `div` {-# SCC count #-} length xs
 *   main = print (mean [1 .. n])
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

static lz_object *mean(lz_runtime *rt, lz_object **slots)
{
    lz_object **xs = &slots[0], **total = &slots[1];
    HPP_SCC_HERE("mean");
    HPP_SCC("total")
    {
        *total = lz_foldl(rt, lz_plus_function(), lz_int(rt, 0), *xs);
        *total = lz_eval(rt, *total);
    }
    int64_t n = 0;
    HPP_SCC("count")
    {
        n = lz_length(rt, xs);
    }
    return lz_int(rt, lz_int_value(*total) / n);
}

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    static const lz_info mean_info = LZ_THUNK_INFO("mean", 1, 1, mean);
    lz_object **n = &slots[0];
    HPP_SCC_HERE("main");
    lz_object *xs = lz_enum_from_to(rt, lz_int(rt, 1), *n);
    lz_print(rt, lz_new(rt, &mean_info, xs, NULL, NULL));
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 0, run, NULL);
    return lz_main(argc, argv, &info, 20000);
}

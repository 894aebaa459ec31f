/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Partial applications, and suspended calls of functions that are not known.
 *
 *   main = do let fs = map plus [1 .. n]           -- n functions that wait for one more argument
 *             census
 *             let ys = [f 10 | f <- fs]            -- n suspended calls
 *             census
 *             print (sum ys)
 *             census
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    lz_object **functions = &slots[1], **results = &slots[2], **ten = &slots[3];
    HPP_SCC_HERE("main");
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    *functions = *results = lz_nil();
    for (int64_t i = n; i > 0; i--) {
        lz_object *function = lz_apply(rt, lz_plus_function(), lz_int(rt, i));
        *functions = lz_cons(rt, function, *functions);
    }
    lz_census(rt);
    *ten = lz_int(rt, 10);
    while (lz_is_cons(rt, functions)) {
        lz_object *call = lz_apply_later(rt, lz_head(*functions), *ten);
        *results = lz_cons(rt, call, *results);
        *functions = lz_tail(*functions);
    }
    *ten = NULL;
    lz_census(rt);
    lz_print(rt, lz_int(rt, lz_sum(rt, results)));
    lz_census(rt);
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 3, run, NULL);
    return lz_main(argc, argv, &info, 100);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sparks: each of n sums may be computed early, by a thread for sparks.
 *
 *   main = do let sums = [sum [1 .. i] | i <- [1 .. n]]
 *             mapM_ spark sums
 *             print (sum (take (n / 4) sums))       -- these sparks fizzle
 *             spark (head sums)                     -- a dud
 *             let rest = take (n / 2) (drop (n / 4) sums)
 *             census                                -- the last n / 4 sparks are collected
 *             yield                                 -- the others run
 *             print (sum rest)
 *
 * The pool holds 4096 sparks; further ones overflow.
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

/* sum [1 .. i] */
static lz_object *sum_up(lz_runtime *rt, lz_object **slots)
{
    lz_object **i = &slots[0], **eaten = &slots[1];
    HPP_SCC_HERE("sum");
    *i = lz_eval(rt, *i);
    *eaten = lz_enum_from_to(rt, lz_int(rt, 1), *i);
    return lz_int(rt, lz_sum(rt, eaten));
}

/* A list of the first `n` elements of the list in the slot, in reverse order; the slot keeps the
 * rest. */
static lz_object *take(lz_runtime *rt, lz_object **list, int64_t n)
{
    lz_object *taken = lz_nil();
    for (; n > 0; n--) {
        taken = lz_cons(rt, lz_head(*list), taken);
        *list = lz_tail(*list);
    }
    return taken;
}

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    static const lz_info sum_info = LZ_THUNK_INFO("sum", 1, 1, sum_up);
    lz_object **sums = &slots[1], **first = &slots[2], **eaten = &slots[3];
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    HPP_SCC_HERE("main");
    *sums = lz_nil();
    for (int64_t i = n; i > 0; i--) {
        lz_object *sum = lz_new(rt, &sum_info, lz_int(rt, i), NULL, NULL);
        lz_spark(rt, sum);
        *sums = lz_cons(rt, sum, *sums);
    }
    *first = *eaten = take(rt, sums, n / 4);
    lz_print(rt, lz_int(rt, lz_sum(rt, eaten)));
    *first = lz_eval(rt, lz_head(*first));
    lz_spark(rt, *first);
    *sums = take(rt, sums, n / 2);
    lz_census(rt);
    lz_yield(rt);
    lz_census(rt);
    lz_print(rt, lz_int(rt, lz_sum(rt, sums)));
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 3, run, NULL);
    return lz_main(argc, argv, &info, 100);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ways to fail, for -xc: the head of an empty list, and a recursion that is too deep. If n is
 * negative, the first is caught, twice.
 *
 *   main | n < 0 = replicateM_ 2 (try (evaluate choose) >>= either print print)
 *        | n == 0 = print choose
 *        | otherwise = print (total n)
 *   choose = {-# SCC choose #-} first (drop 1 [1])
 *   first xs = {-# SCC first #-} head xs
 *   total n = {-# SCC total #-} if n == 0 then 0 else n + total (n - 1)
 *
 * `choose` is evaluated by print, under the stack that created it. The recursion fails if n is
 * larger than the runtime's stack, 120,000 frames. The program fail_calls is this one with
 * -DLZ_PROF_AUTO_CALLS: its calls have cost centres.
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

#include <stdio.h>

static lz_object *first(lz_runtime *rt, lz_object **slots)
{
    HPP_SCC_HERE("first");
    if (!lz_is_cons(rt, &slots[0])) {
        lz_raise(rt, "head: empty list");
    }
    return lz_eval(rt, lz_head(slots[0]));
}

static lz_object *choose(lz_runtime *rt, lz_object **slots)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("first", 1, 0, first, NULL);
    static lz_static first_function = {.object = {.info = &info}};
    (void)slots;
    lz_object *numbers = lz_cons(rt, lz_int(rt, 1), lz_nil());
    return LZ_CALL(rt, first, lz_tail(numbers), NULL);
}

static lz_object *total(lz_runtime *rt, lz_object **slots);
static const lz_info total_info = LZ_STATIC_FUNCTION_INFO("total", 1, 0, total, NULL);
static lz_static total_function = {.object = {.info = &total_info}};

static lz_object *total(lz_runtime *rt, lz_object **slots)
{
    HPP_SCC_HERE("total");
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    if (n == 0) {
        return lz_int(rt, 0);
    }
    lz_object *rest = LZ_CALL(rt, total, lz_int(rt, n - 1), NULL);
    return lz_int(rt, n + lz_int_value(rest));
}

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    static const lz_info choose_info = LZ_THUNK_INFO("choose", 0, 0, choose);
    lz_object **chosen = &slots[1];
    HPP_SCC_HERE("main");
    if (lz_int_value(lz_eval(rt, slots[0])) > 0) {
        lz_print(rt, LZ_CALL(rt, total, slots[0], NULL));
        return lz_nil();
    }
    HPP_SCC("choose")
    {
        *chosen = lz_new(rt, &choose_info, NULL, NULL, NULL);
    }
    for (int i = 0; i < 2 && lz_int_value(slots[0]) < 0; i++) {
        const char *message;
        if (!lz_try(rt, *chosen, &message)) {
            puts(message);
        }
    }
    if (lz_int_value(slots[0]) == 0) {
        lz_print(rt, *chosen);
    }
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 1, run, NULL);
    return lz_main(argc, argv, &info, 1000);
}

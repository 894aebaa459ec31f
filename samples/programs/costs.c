/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost-centre stacks: the examples of GHC's user's guide, and the effect of recursion.
 *
 *   main = do print (f n + g n)
 *             print (isEven n)
 *             print (outer n)
 *             let add = adder n
 *             print ({-# SCC caller #-} add 1)
 *     where f n = fib n
 *           g n = fib (n `div` 2)
 *   fib n = if n < 2 then 1 else fib (n - 1) + fib (n - 2)
 *   isEven n = n == 0 || isOdd (n - 1)
 *   isOdd n = n /= 0 && isEven (n - 1)
 *   outer n = if n == 0 then 0 else n + {-# SCC inner #-} outer (n - 1)
 *   adder k = \x -> x + k
 *
 * fib calls itself: its stack does not grow, and its costs are added up, separately for f and g.
 * isEven and isOdd call each other: pushing isEven on <isEven, isOdd> cuts it back to <isEven>. The
 * function that adder returns has captured <main, adder>; called from <main, caller>, it runs under
 * <main, caller, adder>.
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

static lz_code fib, is_even, is_odd, outer, adder;

/* A top-level function is a static object. */
#define FUNCTION(name, text)                                                                       \
    static const lz_info name##_info = LZ_STATIC_FUNCTION_INFO(text, 1, 0, name, NULL);            \
    static lz_static name##_function = {.object = {.info = &name##_info}}

FUNCTION(fib, "fib");
FUNCTION(is_even, "isEven");
FUNCTION(is_odd, "isOdd");
FUNCTION(outer, "outer");
FUNCTION(adder, "adder");

static int64_t call(lz_runtime *rt, lz_static *function, int64_t n)
{
    return lz_int_value(lz_call(rt, &function->object, lz_int(rt, n), NULL));
}

static lz_object *fib(lz_runtime *rt, lz_object **slots)
{
    HPP_SCC_HERE("fib");
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    return lz_int(rt, n < 2 ? 1 : call(rt, &fib_function, n - 1) + call(rt, &fib_function, n - 2));
}

static lz_object *is_even(lz_runtime *rt, lz_object **slots)
{
    HPP_SCC_HERE("isEven");
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    return lz_int(rt, n == 0 || call(rt, &is_odd_function, n - 1));
}

static lz_object *is_odd(lz_runtime *rt, lz_object **slots)
{
    HPP_SCC_HERE("isOdd");
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    return lz_int(rt, n != 0 && call(rt, &is_even_function, n - 1));
}

static lz_object *outer(lz_runtime *rt, lz_object **slots)
{
    HPP_SCC_HERE("outer");
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    int64_t rest = 0;
    if (n > 0) {
        HPP_SCC_HERE("inner");
        rest = call(rt, &outer_function, n - 1);
    }
    return lz_int(rt, n + rest);
}

/* \x -> x + k: k is the free variable. */
static lz_object *add(lz_runtime *rt, lz_object **slots)
{
    int64_t x = lz_int_value(lz_eval(rt, slots[0]));
    return lz_int(rt, x + lz_int_value(lz_eval(rt, slots[1])));
}

static lz_object *adder(lz_runtime *rt, lz_object **slots)
{
    static const lz_info add_info = LZ_FUNCTION_INFO("adder.\\", 1, 1, 0, add);
    HPP_SCC_HERE("adder");
    return lz_new(rt, &add_info, slots[0], NULL, NULL);
}

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    HPP_SCC_HERE("main");
    int64_t sum = 0;
    HPP_SCC("main.f")
    {
        sum += call(rt, &fib_function, n);
    }
    HPP_SCC("main.g")
    {
        sum += call(rt, &fib_function, n / 2);
    }
    lz_print(rt, lz_int(rt, sum));
    lz_print(rt, lz_int(rt, call(rt, &is_even_function, n)));
    lz_print(rt, lz_int(rt, call(rt, &outer_function, n)));
    lz_object *add_n = lz_call(rt, &adder_function.object, slots[0], NULL);
    HPP_SCC("caller")
    {
        lz_print(rt, lz_call(rt, add_n, lz_int(rt, 1), NULL));
    }
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 0, run, NULL);
    return lz_main(argc, argv, &info, 25);
}

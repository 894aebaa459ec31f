/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The example of GHC's user's guide: cost centres set by hand show where time is spent, and which
 * code creates the lists.
 *
 *   main = do let xs = [1 .. n]
 *             let ys = [1 .. 2 * n]
 *             print $ {-# SCC last_xs #-} last xs
 *             print $ {-# SCC last_init_xs #-} last $ init xs
 *             print $ {-# SCC last_ys #-} last ys
 *             print $ {-# SCC last_init_ys #-} last $ init ys
 *
 * `xs` is created while last_xs runs, but charged to main.xs, the stack of its thunk. It is alive
 * until last_init_xs has consumed it.
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

static lz_object *make_xs(lz_runtime *rt, lz_object **slots)
{
    HPP_SCC_HERE("main.xs");
    return lz_eval(rt, lz_enum_from_to(rt, lz_int(rt, 1), slots[0]));
}

static lz_object *make_ys(lz_runtime *rt, lz_object **slots)
{
    HPP_SCC_HERE("main.ys");
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    return lz_eval(rt, lz_enum_from_to(rt, lz_int(rt, 1), lz_int(rt, 2 * n)));
}

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    static const lz_info xs_info = LZ_THUNK_INFO("main.xs", 1, 0, make_xs);
    static const lz_info ys_info = LZ_THUNK_INFO("main.ys", 1, 0, make_ys);
    lz_object **n = &slots[0], **xs = &slots[1], **ys = &slots[2], **eaten = &slots[3];
    HPP_SCC_HERE("main");
    *xs = lz_new(rt, &xs_info, *n, NULL, NULL);
    *ys = lz_new(rt, &ys_info, *n, NULL, NULL);
    HPP_SCC("last_xs")
    {
        *eaten = *xs;
        lz_print(rt, lz_last(rt, eaten));
    }
    HPP_SCC("last_init_xs")
    {
        *eaten = lz_init(rt, *xs);
        *xs = NULL;
        lz_print(rt, lz_last(rt, eaten));
    }
    HPP_SCC("last_ys")
    {
        *eaten = *ys;
        lz_print(rt, lz_last(rt, eaten));
    }
    HPP_SCC("last_init_ys")
    {
        *eaten = lz_init(rt, *ys);
        *ys = NULL;
        lz_print(rt, lz_last(rt, eaten));
    }
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 3, run, NULL);
    return lz_main(argc, argv, &info, 100000);
}

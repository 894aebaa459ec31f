/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Many retainer sets, as in the cacheprof graphs of the retainer paper: eight suspended readers
 * share numbers in all combinations, and are created one after the other.
 *
 * There are n copies of each number from 1 to 255. Reader i will read the numbers whose bit i is
 * set: first the stack holds their list, then its thunk does. Census j + 1 is taken after j readers
 * were created, the last one when all have been evaluated. At census j + 1, a number is retained by
 * the objects of the first j readers whose bits it has, and also by the stack if it has a higher
 * bit. So there are 2^j sets with the stack, each with 2^(8-j) - 1 numbers, and 2^j - 1 sets
 * without it, each with one number: 1, 3, 7, ... 255 sets.
 *
 * A number takes 16 n bytes, the list of a reader 128 n * 24.
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

enum { N_READERS = 8 };

#define READER(i) HPP_CC_INIT("reader" #i, HPP_MODULE, "sets.c", 0)
static hpp_cc centres[N_READERS] = {READER(0), READER(1), READER(2), READER(3),
                                    READER(4), READER(5), READER(6), READER(7)};

/* The sum of the list. */
static lz_object *reader(lz_runtime *rt, lz_object **slots)
{
    return lz_int(rt, lz_sum(rt, &slots[0]));
}

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    static const lz_info info = LZ_THUNK_INFO("reader", 1, 0, reader);
    lz_object **lists = &slots[1];
    int64_t n = lz_int_value(slots[0]);
    HPP_SCC_HERE("main");
    for (int i = 0; i < N_READERS; i++) {
        lists[i] = lz_nil();
    }
    for (int64_t k = 0; k < n << N_READERS; k++) {
        int64_t bits = k % (1 << N_READERS);
        lz_object *number = bits ? lz_int(rt, bits) : NULL;
        for (int i = 0; i < N_READERS; i++) {
            lists[i] = bits >> i & 1 ? lz_cons(rt, number, lists[i]) : lists[i];
        }
    }
    lz_census(rt);
    for (int i = 0; i < N_READERS; i++) {
        HPP_UNDER(hpp_ccs_push(hpp_ccs_current(), &centres[i]))
        {
            lists[i] = lz_new(rt, &info, lists[i], NULL, NULL);
        }
        lz_census(rt);
    }
    for (int i = 0; i < N_READERS; i++) {
        lz_print(rt, lists[i]);
        lists[i] = NULL;
    }
    lz_census(rt);
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, N_READERS, run, NULL);
    return lz_main(argc, argv, &info, 20);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The leak of GHC's guide: lookups in a finite map that are not evaluated keep the whole map, and a
 * chain of thunks keeps them. C retains the map, B retains C, A retains B:
 *
 *   main = do
 *     let map = {-# SCC build #-} build depth          -- a binary tree of 2^depth leaves
 *     print ({-# SCC walk #-} sumOf (leftHalf map))
 *     let answers = [ {-# SCC B_scale #-} scale ({-# SCC C_lookup #-} lookup 0 map) | _ <- [1 ..
 * 100] ] total = {-# SCC A_total #-} sum answers work; work print total -- evaluates all lookups:
 * the map is released work
 *
 *   census  since the previous census    left half   path to leaf 0   right half
 *      1    the map is built             lag         lag              void
 *      2    its left half is read        use         use              void
 *      3    other work                   drag        use              void
 *      4    other work                   drag        use              void
 *      5    the lookups are evaluated, other work: the map is dead
 *
 * A Branch takes 24 bytes, a Leaf 16, and the number in it 16. The path to leaf 0 is in the left
 * half; the table gives the phases of the rest of that half.
 */
#define HPP_MODULE "Main"
#include "lazy/prelude.h"

enum { N_LOOKUPS = 100, N_WORK = 20000 };

static const lz_info branch_info = LZ_CONSTRUCTOR_INFO("Branch", "Map", 2, 2);
static const lz_info leaf_info = LZ_CONSTRUCTOR_INFO("Leaf", "Map", 1, 1);

/* Creates a tree whose leaves hold the numbers from `first` on. Creating objects moves none. */
static lz_object *build(lz_runtime *rt, int64_t depth, int64_t first)
{
    if (depth == 0) {
        return lz_new(rt, &leaf_info, lz_int(rt, first), NULL, NULL);
    }
    lz_object *left = build(rt, depth - 1, first);
    lz_object *right = build(rt, depth - 1, first + ((int64_t)1 << (depth - 1)));
    return lz_new(rt, &branch_info, left, right, NULL);
}

/* sumOf map = case map of Leaf n -> n; Branch l r -> sumOf l + sumOf r. No object moves, because
 * all are evaluated. */
static int64_t sum_of(lz_runtime *rt, lz_object *map)
{
    lz_object **refs = lz_refs(lz_eval(rt, map));
    return map->info == &leaf_info ? lz_int_value(lz_eval(rt, refs[0]))
                                   : sum_of(rt, refs[0]) + sum_of(rt, refs[1]);
}

/* lookup 0 map = case map of Leaf n -> n; Branch l _ -> lookup 0 l */
static lz_object *lookup(lz_runtime *rt, lz_object **slots)
{
    lz_object *map = lz_eval(rt, slots[0]);
    while (map->info == &branch_info) {
        map = lz_eval(rt, lz_refs(map)[0]);
    }
    return lz_eval(rt, lz_refs(map)[0]);
}

/* scale n = 2 * n + 1 */
static lz_object *scale(lz_runtime *rt, lz_object **slots)
{
    return lz_int(rt, 2 * lz_int_value(lz_eval(rt, slots[0])) + 1);
}

static lz_object *total(lz_runtime *rt, lz_object **slots)
{
    return lz_int(rt, lz_sum(rt, &slots[0]));
}

/* The chain: a list of B, each with a C, and an A with the list. */
static lz_object *ask(lz_runtime *rt, lz_object *map)
{
    static const lz_info c_info = LZ_THUNK_INFO("lookup", 1, 0, lookup);
    static const lz_info b_info = LZ_THUNK_INFO("scale", 1, 0, scale);
    static const lz_info a_info = LZ_THUNK_INFO("total", 1, 0, total);
    lz_object *answers = lz_nil(), *thunk = NULL;
    for (int i = 0; i < N_LOOKUPS; i++) {
        HPP_SCC("C_lookup")
        {
            thunk = lz_new(rt, &c_info, map, NULL, NULL);
        }
        HPP_SCC("B_scale")
        {
            thunk = lz_new(rt, &b_info, thunk, NULL, NULL);
        }
        answers = lz_cons(rt, thunk, answers);
    }
    HPP_SCC("A_total")
    {
        thunk = lz_new(rt, &a_info, answers, NULL, NULL);
    }
    return thunk;
}

/* Work that leaves no objects behind. */
static void work(lz_runtime *rt, lz_object **eaten)
{
    HPP_SCC("work")
    {
        *eaten = lz_enum_from_to(rt, lz_int(rt, 1), lz_int(rt, N_WORK));
        (void)lz_length(rt, eaten);
        *eaten = NULL;
    }
    lz_census(rt);
}

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    lz_object **map = &slots[1], **answer = &slots[2], **eaten = &slots[3];
    HPP_SCC_HERE("main");
    HPP_SCC("build")
    {
        *map = build(rt, lz_int_value(slots[0]), 0);
    }
    lz_census(rt);
    HPP_SCC("walk")
    {
        *map = lz_eval(rt, *map);
        lz_print(rt, lz_int(rt, sum_of(rt, lz_refs(*map)[0])));
    }
    *answer = ask(rt, *map);
    *map = NULL;
    lz_census(rt);
    work(rt, eaten);
    work(rt, eaten);
    lz_print(rt, *answer);
    *answer = NULL;
    work(rt, eaten);
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 3, run, NULL);
    return lz_main(argc, argv, &info, 12);
}

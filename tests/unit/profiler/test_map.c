/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table against a plain array, with additions and removals at random; and the sets of
 * retainers, whose unions must not depend on the order of their making.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "census/retainer_set.h"
#include "toy_heap.h"

/* Keys are multiples of `spacing`. */
static void compare_with_array(hpp__map map, uint64_t spacing)
{
    enum { N = 3000, N_STEPS = 100000 };
    static uint64_t values[N]; /* 0: not there */
    uint64_t seed = 1;
    memset(values, 0, sizeof values);
    size_t n_there = 0;
    for (int step = 0; step < N_STEPS; step++) {
        uint32_t i = toy_random(&seed, N);
        uint64_t key = (i + 1) * spacing;
        uint64_t *found = hpp__map_find(&map, key);
        cr_assert_eq(found ? *found : 0, values[i]);
        if (toy_random(&seed, 2) && !values[i]) {
            uint64_t *added = hpp__map_add(&map, key);
            cr_assert_eq(*added, 0);
            values[i] = *added = (uint64_t)step + 1;
            n_there++;
        } else if (values[i]) {
            hpp__map_remove(&map, key);
            values[i] = 0;
            n_there--;
        }
        cr_assert_eq(map.n_keys, n_there);
    }
    for (uint32_t i = 0; i < N; i++) {
        const uint64_t *found = hpp__map_find(&map, (i + 1) * spacing);
        cr_assert_eq(found ? *found : 0, values[i]);
    }
    hpp__map_clear(&map);
    cr_assert_eq(map.n_keys, 0);
    cr_assert_null(hpp__map_find(&map, spacing));
    hpp__map_finish(&map);
}

Test(map, agrees_with_an_array)
{
    compare_with_array((hpp__map){0}, 72);
}

Test(map, agrees_with_an_array_when_near_keys_stay_together)
{
    compare_with_array((hpp__map){.is_near = true, .unit_shift = 4}, 48);
    compare_with_array((hpp__map){.is_near = true, .unit_shift = 4}, 1);
    compare_with_array((hpp__map){.is_near = true}, 1);
    compare_with_array((hpp__map){.is_near = true}, 4096);
}

Test(map, removing_a_missing_key_changes_nothing)
{
    hpp__map map = {0};
    hpp__map_remove(&map, 5);
    *hpp__map_add(&map, 7) = 1;
    hpp__map_remove(&map, 5);
    cr_assert_eq(*hpp__map_find(&map, 7), 1);
    hpp__map_finish(&map);
}

/* The set of the elements among the lowest 16 bits, added one by one in random order. */
static uint32_t make_set(hpp__sets *sets, uint32_t bits, uint64_t *seed)
{
    uint32_t set = HPP__SET_NONE;
    for (uint32_t left = bits; left != 0;) {
        uint32_t element = toy_random(seed, 16);
        if (left >> element & 1) {
            set = hpp__sets_union(sets, set, hpp__sets_singleton(sets, element));
            left &= ~(UINT32_C(1) << element);
        }
    }
    return set;
}

Test(retainer_set, equal_sets_are_equal_numbers)
{
    hpp__sets *sets = malloc(sizeof *sets);
    cr_assert(hpp__sets_init(sets, 16));
    static uint32_t number_of[1u << 16];
    uint64_t seed = 5;
    for (int round = 0; round < 20000; round++) {
        uint32_t a = toy_random(&seed, 1u << 16), b = toy_random(&seed, 1u << 16);
        uint32_t set = hpp__sets_union(sets, make_set(sets, a, &seed), make_set(sets, b, &seed));
        cr_assert(number_of[a | b] == 0 || number_of[a | b] == set);
        number_of[a | b] = set;
        uint32_t n, bits = 0;
        const uint32_t *elements =
            set == HPP__SET_NONE ? (n = 0, NULL) : hpp__sets_elements(sets, set, &n);
        for (uint32_t i = 0; i < n; i++) {
            cr_assert(i == 0 || elements[i - 1] < elements[i]);
            bits |= UINT32_C(1) << elements[i];
        }
        cr_assert_eq(bits, a | b);
    }
    hpp__sets_finish(sets);
    free(sets);
}

Test(retainer_set, sets_above_the_limit_become_many)
{
    hpp__sets *sets = malloc(sizeof *sets);
    cr_assert(hpp__sets_init(sets, 3));
    uint64_t seed = 1;
    cr_expect_geq(make_set(sets, 7, &seed), HPP__FIRST_SET);
    cr_expect_eq(make_set(sets, 15, &seed), HPP__SET_MANY);
    cr_expect_eq(hpp__sets_union(sets, HPP__SET_MANY, make_set(sets, 1, &seed)), HPP__SET_MANY);
    cr_expect_eq(hpp__sets_union(sets, HPP__SET_NONE, HPP__SET_MANY), HPP__SET_MANY);
    cr_expect_eq(hpp__sets_union(sets, HPP__SET_MANY, HPP__SET_OUT_OF_MEMORY),
                 HPP__SET_OUT_OF_MEMORY);
    hpp__sets_finish(sets);
    free(sets);
}

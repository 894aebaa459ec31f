/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Growable arrays: contents survive, growing is linear, sizes that overflow are refused.
 */
#include <criterion/criterion.h>

#include "base/array.h"

Test(array, doubles_so_that_growing_is_linear)
{
    int *array = NULL;
    size_t n = 0;
    size_t capacity = 0;
    unsigned n_moves = 0;
    for (int i = 0; i < 100000; i++) {
        size_t before = capacity;
        cr_assert(HPF__ARRAY_PUSH(array, n, capacity, i));
        n_moves += capacity != before;
    }
    cr_assert_leq(n_moves, 20);
    cr_assert_eq(n, 100000);
    for (int i = 0; i < 100000; i++) {
        cr_assert_eq(array[i], i);
    }
    free(array);
}

Test(array, a_size_that_overflows_is_refused_and_changes_nothing)
{
    uint64_t *array = NULL;
    size_t n = 0;
    size_t capacity = 0;
    cr_assert_not(HPF__ARRAY_RESERVE(array, capacity, SIZE_MAX / 8 + 1));
    cr_assert_null(array);
    cr_assert_eq(capacity, 0);
    cr_assert(HPF__ARRAY_PUSH(array, n, capacity, UINT64_C(7)));
    size_t before = capacity;
    cr_assert_not(HPF__ARRAY_RESERVE(array, capacity, SIZE_MAX));
    cr_assert_eq(capacity, before);
    cr_assert_eq(array[0], 7);
    free(array);
}

/* In memory that was used before. */
Test(array, what_is_added_can_be_zeroed)
{
    char *before = malloc(1000);
    memset(before, 0xff, 1000);
    __asm__ volatile("" : : "r"(before) : "memory");
    free(before);
    unsigned char *array = NULL;
    size_t capacity = 0;
    size_t n = 0;
    for (size_t needed = 20; needed < 5000; needed += 700) {
        cr_assert(HPF__ARRAY_RESERVE_ZEROED(array, capacity, needed));
        for (; n < capacity; n++) {
            cr_assert_eq(array[n], 0);
            array[n] = 0xff;
        }
    }
    cr_assert_not(HPF__ARRAY_RESERVE_ZEROED(array, capacity, SIZE_MAX));
    free(array);
}

Test(array, bisection_finds_what_a_linear_search_finds)
{
    static const int ascending[] = {1, 3, 3, 3, 7, 8, 20};
    for (size_t n = 0; n <= sizeof ascending / sizeof *ascending; n++) {
        for (int wanted = 0; wanted < 22; wanted++) {
            size_t first, linear = 0;
            HPF__ARRAY_BISECT(first, n, i, ascending[i] < wanted);
            while (linear < n && ascending[linear] < wanted) {
                linear++;
            }
            cr_expect_eq(first, linear, "%d among %zu", wanted, n);
        }
    }
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Growing bytes and arrays: contents survive, sizes that overflow are refused.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

Test(buf, appended_pieces_stand_behind_each_other)
{
    hpf__buf buf = {0};
    for (int i = 0; i < 5000; i++) {
        cr_assert(hpf__buf_append(&buf, "abc", (size_t)(i % 4)));
    }
    cr_assert_eq(buf.length, 5000 / 4 * 6);
    for (size_t i = 0; i < buf.length; i += 6) {
        cr_assert_eq(memcmp(buf.bytes + i, "aababc", 6), 0);
    }
    hpf__buf_finish(&buf);
    cr_assert_null(buf.bytes);
    cr_assert_eq(buf.capacity, 0);
}

Test(buf, appending_nothing_to_nothing_allocates_nothing)
{
    hpf__buf buf = {0};
    cr_assert(hpf__buf_append(&buf, NULL, 0));
    cr_assert_null(buf.bytes);
    hpf__buf_finish(&buf);
}

Test(buf, a_refused_reservation_keeps_what_is_there)
{
    hpf__buf buf = {0};
    cr_assert(hpf__buf_append(&buf, "abc", 3));
    char *before = buf.bytes;
    cr_assert_not(hpf__buf_reserve(&buf, SIZE_MAX));
    cr_assert_not(hpf__buf_reserve(&buf, SIZE_MAX / 2));
    cr_assert_eq(buf.bytes, before);
    cr_assert_eq(buf.length, 3);
    cr_assert_eq(memcmp(buf.bytes, "abc", 3), 0);
    hpf__buf_finish(&buf);
}

Test(buf, an_array_doubles_so_that_growing_is_linear)
{
    size_t capacity = 0;
    unsigned n_moves = 0;
    int *array = NULL;
    for (size_t i = 0; i < 100000; i++) {
        size_t before = capacity;
        int *moved = hpf__grow(array, &capacity, i + 1, sizeof *array);
        cr_assert_not_null(moved);
        array = moved;
        array[i] = (int)i;
        n_moves += capacity != before;
    }
    cr_assert_leq(n_moves, 20);
    for (int i = 0; i < 100000; i++) {
        cr_assert_eq(array[i], i);
    }
    free(array);
}

Test(buf, an_array_too_large_for_any_memory_is_refused)
{
    size_t capacity = 0;
    cr_assert_null(hpf__grow(NULL, &capacity, SIZE_MAX / 8 + 1, 16));
    cr_assert_eq(capacity, 0);
}

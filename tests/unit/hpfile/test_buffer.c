/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Growing bytes: contents survive, sizes that overflow are refused.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

Test(buffer, appended_pieces_follow_each_other)
{
    hpf__buffer buf = {0};
    for (int i = 0; i < 5000; i++) {
        cr_assert(hpf__buffer_append(&buf, "abc", (size_t)(i % 4)));
    }
    cr_assert_eq(buf.length, 5000 / 4 * 6);
    for (size_t i = 0; i < buf.length; i += 6) {
        cr_assert_eq(memcmp(buf.bytes + i, "aababc", 6), 0);
    }
    hpf__buffer_finish(&buf);
    cr_assert_null(buf.bytes);
    cr_assert_eq(buf.capacity, 0);
}

Test(buffer, appending_nothing_to_nothing_allocates_nothing)
{
    hpf__buffer buf = {0};
    cr_assert(hpf__buffer_append(&buf, NULL, 0));
    cr_assert_null(buf.bytes);
    hpf__buffer_finish(&buf);
}

Test(buffer, a_refused_reservation_keeps_what_is_there)
{
    hpf__buffer buf = {0};
    cr_assert(hpf__buffer_append(&buf, "abc", 3));
    char *before = buf.bytes;
    cr_assert_not(hpf__buffer_reserve(&buf, SIZE_MAX));
    cr_assert_not(hpf__buffer_reserve(&buf, SIZE_MAX / 2));
    cr_assert_eq(buf.bytes, before);
    cr_assert_eq(buf.length, 3);
    cr_assert_eq(memcmp(buf.bytes, "abc", 3), 0);
    hpf__buffer_finish(&buf);
}

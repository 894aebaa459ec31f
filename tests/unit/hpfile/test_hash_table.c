/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The hash table: every index that was inserted is found by its hash, equal hashes included.
 */
#include <criterion/criterion.h>

#include "base/hash_table.h"

static bool has(const hpf__hash_table *table, uint32_t hash, uint32_t wanted)
{
    hpf__hash_probe probe = {0};
    uint32_t index;
    do {
        index = hpf__hash_next(table, hash, &probe);
    } while (index != HPF__HASH_NONE && index != wanted);
    return index == wanted;
}

Test(hash_table, an_empty_table_has_nothing)
{
    hpf__hash_table table = {0};
    cr_assert_not(has(&table, 0, 0));
    hpf__hash_finish(&table);
}

Test(hash_table, every_index_is_found_after_growth)
{
    enum { N = 50000 };
    hpf__hash_table table = {0};
    for (uint32_t i = 0; i < N; i++) {
        cr_assert(hpf__hash_reserve(&table));
        hpf__hash_insert(&table, hpf__hash_word(i), i);
    }
    cr_assert_eq(table.n_used, N);
    cr_assert_leq(table.n_used, table.n_slots / 2);
    for (uint32_t i = 0; i < N; i++) {
        cr_assert(has(&table, hpf__hash_word(i), i));
        cr_assert_not(has(&table, hpf__hash_word(i), N + i));
    }
    hpf__hash_finish(&table);
    cr_assert_null(table.slots);
}

Test(hash_table, equal_hashes_are_returned_one_after_the_other)
{
    hpf__hash_table table = {0};
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert(hpf__hash_reserve(&table));
        hpf__hash_insert(&table, i % 2 ? UINT32_MAX : 7, i);
    }
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert_eq(has(&table, 7, i), i % 2 == 0);
        cr_assert_eq(has(&table, UINT32_MAX, i), i % 2 == 1);
    }
    hpf__hash_finish(&table);
}

Test(hash_table, bytes_hash_by_content_and_length)
{
    const char text[] = "a name of some length";
    for (size_t n = 0; n + 1 < sizeof text; n++) {
        cr_expect_neq(hpf__hash_bytes(text, n), hpf__hash_bytes(text, n + 1));
    }
    cr_expect_eq(hpf__hash_bytes(text, 9), hpf__hash_bytes("a name of", 9));
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Interned names: one number a text, dense, in order of first sight; copies stay and are padded.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/intern.h"

static hpf__intern table;

static void tear_down(void)
{
    hpf__intern_finish(&table);
}

TestSuite(intern, .fini = tear_down);

static uint32_t add(hpf_str text, bool expect_new)
{
    uint32_t number = UINT32_MAX;
    bool is_new = !expect_new;
    cr_assert_eq(hpf__intern_add(&table, text, &number, &is_new), HPF_OK);
    cr_assert_eq(is_new, expect_new);
    return number;
}

Test(intern, numbers_are_dense_and_stable_over_growth)
{
    enum { N = 100000 };
    char text[32];
    for (uint32_t i = 0; i < N; i++) {
        int n = snprintf(text, sizeof text, "name-%u", i);
        cr_assert_eq(add((hpf_str){text, (size_t)n}, true), i);
    }
    for (uint32_t i = 0; i < N; i++) {
        int n = snprintf(text, sizeof text, "name-%u", i);
        cr_assert_eq(add((hpf_str){text, (size_t)n}, false), i);
        cr_assert_eq(table.names[i].length, (size_t)n);
        cr_assert_eq(memcmp(table.names[i].data, text, (size_t)n), 0);
    }
    cr_assert_eq(table.n_names, N);
}

Test(intern, names_are_compared_by_bytes_and_length)
{
    cr_assert_eq(add(HPF_STR(""), true), 0);
    cr_assert_eq(add(HPF_STR("\0"), true), 1);
    cr_assert_eq(add(HPF_STR("\0\0"), true), 2);
    cr_assert_eq(add(HPF_STR("a\0b"), true), 3);
    cr_assert_eq(add(HPF_STR("a\0c"), true), 4);
    cr_assert_eq(add(HPF_STR("a"), true), 5);
    cr_assert_eq(add(HPF_STR("a\0b"), false), 3);
    cr_assert_eq(add(HPF_STR(""), false), 0);
}

Test(intern, prefixes_of_all_lengths_differ)
{
    char text[200];
    memset(text, 'x', sizeof text);
    for (uint32_t i = 0; i < sizeof text; i++) {
        cr_assert_eq(add((hpf_str){text, i}, true), i);
    }
    for (uint32_t i = 0; i < sizeof text; i++) {
        cr_assert_eq(add((hpf_str){text, i}, false), i);
    }
}

Test(intern, a_copy_ends_with_a_nul)
{
    char text[] = "abcde";
    add((hpf_str){text, 5}, true);
    memset(text, 'z', 5);
    cr_assert_str_eq(table.names[0].data, "abcde");
}

/* Texts that differ little must not fall into few slots: probing would become a walk. */
Test(intern, numbered_names_spread_over_the_slots)
{
    char text[32];
    for (unsigned i = 0; i < 30000; i++) {
        int n = snprintf(text, sizeof text, "(%u)main", i);
        add((hpf_str){text, (size_t)n}, true);
    }
    uint64_t n_steps = 0;
    for (uint32_t i = 0; i < table.n_names; i++) {
        uint32_t hash = hpf__hash_bytes(table.names[i].data, table.names[i].length);
        hpf__hash_probe probe = {0};
        while (hpf__hash_next(&table.table, hash, &probe) != i) {
        }
        n_steps += probe.n_steps - 1;
    }
    cr_assert_lt(n_steps, 30000, "%llu steps", (unsigned long long)n_steps);
}

Test(intern, finish_may_be_repeated)
{
    add(HPF_STR("a"), true);
    hpf__intern_finish(&table);
    hpf__intern_finish(&table);
    cr_assert_eq(add(HPF_STR("b"), true), 0);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The replayed selection sort against the sort itself, and the order of the hash table.
 */
#include <criterion/criterion.h>

#include "base/arena.h"
#include "chart/hp2ps_sort.h"

static hpf_arena *scratch;

static void set_up(void)
{
    scratch = hpf_arena_create();
}

static void tear_down(void)
{
    hpf_arena_destroy(scratch);
}

TestSuite(hp2ps_sort, .init = set_up, .fini = tear_down);

/* Sorts exactly like hp2ps. */
static void selection_sort(hpr__sort_item *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t least = i;
        for (uint32_t j = i + 1; j < n; j++) {
            least = items[j].number < items[least].number ? j : least;
        }
        hpr__sort_item item = items[i];
        items[i] = items[least];
        items[least] = item;
    }
}

/* Returns the next reproducible number (Park and Miller's generator). */
static uint32_t next_random(uint32_t *state)
{
    *state = (uint32_t)((uint64_t)*state * 48271 % 2147483647);
    return *state;
}

Test(hp2ps_sort, swaps_are_those_of_a_selection_sort)
{
    uint32_t state = 1;
    for (int round = 0; round < 2000; round++) {
        hpr__sort_item items[40];
        hpr__sort_item expected[40];
        uint32_t n = next_random(&state) % 41;
        uint32_t n_keys = 1 + next_random(&state) % 12;
        for (uint32_t i = 0; i < n; i++) {
            items[i] = (hpr__sort_item){.name = i, .number = next_random(&state) % n_keys};
            expected[i] = items[i];
        }
        selection_sort(expected, n);
        cr_assert_eq(hpr__sort_by_swaps(items, n, hpr__sort_by_number, scratch, NULL), HPF_OK);
        for (uint32_t i = 0; i < n; i++) {
            cr_assert_eq(items[i].name, expected[i].name, "round %d, position %u", round, i);
        }
    }
}

Test(hp2ps_sort, sorts_many_equal_names_quickly, .timeout = 20)
{
    enum { N = 300000 };
    hpr__sort_item *items = hpf_arena_array(scratch, N, sizeof *items);
    uint32_t state = 7;
    for (uint32_t i = 0; i < N; i++) {
        items[i] = (hpr__sort_item){.name = i, .number = next_random(&state) % 3};
    }
    cr_assert_eq(hpr__sort_by_swaps(items, N, hpr__sort_by_number, scratch, NULL), HPF_OK);
    for (uint32_t i = 1; i < N; i++) {
        cr_assert_leq(items[i - 1].number, items[i].number);
    }
}

static hpr__sort_item named(hpf_name name, const char *text, size_t length)
{
    return (hpr__sort_item){.name = name, .text = {text, length}};
}

Test(hp2ps_sort, texts_are_compared_by_byte)
{
    hpr__sort_item items[] = {named(0, "b", 1), named(1, "\xc3\xa9", 2), named(2, "B", 1),
                              named(3, "bb", 2)};
    static const hpf_name up[] = {2, 0, 3, 1};
    cr_assert_eq(hpr__sort_by_swaps(items, 4, hpr__sort_by_text, scratch, NULL), HPF_OK);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(items[i].name, up[i]);
    }
    cr_assert_eq(hpr__sort_by_swaps(items, 4, hpr__sort_by_text_down, scratch, NULL), HPF_OK);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(items[i].name, up[3 - i]);
    }
}

/* 'a' is in bucket 97, 'b' in 98; "\x01\x5e" (3 + 94) shares 97 and comes later, so before 'a'; a
 * byte above 127 counts as negative, and the bucket is the amount's. */
Test(hp2ps_sort, buckets_hold_the_newest_name_first)
{
    hpr__sort_item items[] = {named(0, "b", 1), named(1, "a", 1), named(2, "\x01\x5e", 2),
                              named(3, "\xff", 1)};
    static const hpf_name order[] = {3, 2, 1, 0};
    cr_assert_eq(hpr__sort_hash_table(items, 4, scratch, NULL), HPF_OK);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(items[i].name, order[i]);
    }
}

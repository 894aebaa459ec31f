/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of live blocks: it keeps every size at every address, across the bounds of leaves, and
 * walks find each block once.
 */
#include "native/target/counting/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/window/window_writer.h"

#define LEAF  ((uintptr_t)1 << HPP_LEAF_SHIFT)
#define BASE  (100 * LEAF)
#define AT(x) ((const void *)(x))
#define MIB   ((uint64_t)1 << 20)

static bool put(uintptr_t place, uint32_t site, uint64_t n_bytes)
{
    hpp_block before;
    bool is_in = hpp__blocks_put(AT(place), site, n_bytes, &before);
    cr_assert(eq(u32, before.site, 0));
    return is_in;
}

static void expect(hpp_block block, uint32_t site, uint64_t n_bytes)
{
    cr_assert(eq(u32, block.site, site));
    cr_assert(eq(u64, block.size_bytes, n_bytes));
}

Test(blocks, starts_empty)
{
    expect(hpp__blocks_get(AT(BASE)), 0, 0);
    expect(hpp__blocks_take(AT(BASE)), 0, 0);
    expect(hpp__blocks_take(AT(BASE)), 0, 0);
}

static const uint64_t sizes[] = {0,
                                 1,
                                 15,
                                 16,
                                 17,
                                 31,
                                 4096,
                                 0x7fffffff,
                                 0x80000000u,
                                 0xffffffffu,
                                 0x100000000,
                                 8 * 1024 * MIB,
                                 ((uint64_t)1 << 47) - 1};
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

Test(blocks, keeps_every_size)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        cr_assert(put(BASE, HPP_MAX_SITES - 1, sizes[i]));
        expect(hpp__blocks_get(AT(BASE)), HPP_MAX_SITES - 1, sizes[i]);
        expect(hpp__blocks_take(AT(BASE)), HPP_MAX_SITES - 1, sizes[i]);
        for (uintptr_t granule = 0; granule < 4; granule++) {
            expect(hpp__blocks_get(AT(BASE + granule * 16)), 0, 0);
        }
    }
}

Test(blocks, marked_blocks_are_not_usual)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        hpp_block before;
        cr_assert(hpp__blocks_put(AT(BASE), 7, sizes[i], &before));
        cr_assert(eq(u32, hpp__blocks_mark(AT(BASE)), 7));
        cr_assert(not(hpp__block_is_usual(*hpp__granule_at(AT(BASE)))));
        expect(hpp__blocks_get(AT(BASE)), 7, sizes[i]);
        expect(hpp__blocks_take(AT(BASE)), 7, sizes[i]);
        for (uintptr_t place = BASE; place < BASE + 3 * HPP_GRANULE_BYTES;
             place += HPP_GRANULE_BYTES) {
            cr_assert(eq(u32, *hpp__granule_at(AT(place)), 0));
        }
    }
    cr_assert(eq(u32, hpp__blocks_mark(AT(BASE)), 0));
}

Test(blocks, both_insertions_agree)
{
    put(BASE, 1, 1); /* the leaf */
    for (size_t i = 0; i < N_SIZES; i++) {
        bool is_usual = hpp__blocks_put_usual(AT(BASE + 64), 7, sizes[i]);
        cr_assert(eq(int, is_usual, sizes[i] < 0x80000000u));
        if (is_usual) {
            expect(hpp__blocks_take(AT(BASE + 64)), 7, sizes[i]);
        }
    }
}

Test(blocks, size_may_be_in_the_next_leaf)
{
    for (uintptr_t back = 1; back <= 2; back++) {
        uintptr_t place = BASE + LEAF - back * 16;
        for (size_t i = 0; i < N_SIZES; i++) {
            cr_assert(put(place, 5, sizes[i]));
            expect(hpp__blocks_take(AT(place)), 5, sizes[i]);
            expect(hpp__blocks_get(AT(BASE + LEAF)), 0, 0);
        }
    }
}

Test(blocks, reports_blocks_that_were_not_removed)
{
    put(BASE, 4, 100);
    hpp_block before;
    cr_assert(hpp__blocks_put(AT(BASE), 5, 8, &before));
    expect(before, 4, 100);
    expect(hpp__blocks_get(AT(BASE)), 5, 8);
    cr_assert(not(hpp__blocks_put_usual(AT(BASE), 6, 8)));
    expect(hpp__blocks_get(AT(BASE)), 5, 8);
}

Test(blocks, keeps_neighbours_apart)
{
    put(BASE, 1, 16);
    put(BASE + 16, 2, 32);
    put(BASE + 48, 3, 0);
    expect(hpp__blocks_take(AT(BASE + 16)), 2, 32);
    expect(hpp__blocks_get(AT(BASE)), 1, 16);
    expect(hpp__blocks_get(AT(BASE + 48)), 3, 0);
}

Test(blocks, rejects_other_addresses)
{
    cr_assert(not(put(BASE + 8, 1, 8)));
    cr_assert(not(put((uintptr_t)1 << HPP_ADDRESS_BITS, 1, 8)));
    cr_assert(not(hpp__blocks_put_usual(AT(BASE + 8), 1, 8)));
    expect(hpp__blocks_take(AT((uintptr_t)1 << 60)), 0, 0);
    cr_assert(not(put(HPP_MAX_LEAVES * LEAF, 1, 8)));
    cr_assert(put(HPP_MAX_LEAVES * LEAF - 16, 1, 8));
}

typedef struct seen {
    uint64_t n, sum_bytes, sum_places;
    bool takes;
} seen;

static void see(uintptr_t address, hpp_block block, void *context)
{
    seen *all = context;
    all->n++;
    all->sum_bytes += block.size_bytes;
    all->sum_places += address;
    if (all->takes) {
        expect(hpp__blocks_take(AT(address)), block.site, block.size_bytes);
    }
}

/* Fills three leaves with blocks of all kinds, many of the second's pages untouched. */
static seen fill(void)
{
    seen all = {0};
    uintptr_t place = BASE + LEAF - 100000;
    place -= place % 16;
    for (uint64_t i = 0; place < BASE + 2 * LEAF + 100000; i++) {
        uint64_t n_bytes = i % 1000 == 0 ? 900000 : i * 7919 % 300;
        cr_assert(put(place, 1 + (uint32_t)i % 1000, n_bytes));
        all.n++;
        all.sum_bytes += n_bytes;
        all.sum_places += place;
        place += n_bytes <= 16 ? 16 : (n_bytes + 15) / 16 * 16;
    }
    return all;
}

Test(blocks, walk_finds_every_block)
{
    seen put_in = fill();
    seen found = {0};
    hpp__blocks_each(see, &found);
    cr_assert(eq(u64, found.n, put_in.n));
    cr_assert(eq(u64, found.sum_bytes, put_in.sum_bytes));
    cr_assert(eq(u64, found.sum_places, put_in.sum_places));
}

Test(blocks, walk_of_a_range_finds_what_begins_in_it)
{
    static const struct {
        uintptr_t begin, end;
        uint64_t n, sum_bytes;
    } cases[] = {
        {0, 64, 4, 15}, {16, 48, 2, 6}, {17, 48, 1, 4}, {15, 48, 2, 6},  {16, 49, 3, 14},
        {1, 16, 0, 0},  {32, 32, 0, 0}, {48, 99, 1, 8}, {33, 200, 1, 8}, {49, 200, 0, 0},
    };
    for (uint32_t i = 0; i < 4; i++) {
        put(BASE + 16 * i, 1, 1u << i);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        seen found = {0};
        hpp__blocks_in(BASE + cases[i].begin, BASE + cases[i].end, see, &found);
        cr_assert(eq(u64, found.n, cases[i].n), "case %zu", i);
        cr_assert(eq(u64, found.sum_bytes, cases[i].sum_bytes), "case %zu", i);
    }
}

Test(blocks, walk_may_remove_blocks)
{
    seen put_in = fill();
    seen found = {.takes = true};
    uintptr_t middle = BASE + LEAF + 12345;
    hpp__blocks_in(BASE, middle, see, &found);
    hpp__blocks_in(middle, BASE + 3 * LEAF, see, &found);
    cr_assert(eq(u64, found.n, put_in.n));
    cr_assert(eq(u64, found.sum_places, put_in.sum_places));
    seen left = {0};
    hpp__blocks_each(see, &left);
    cr_assert(eq(u64, left.n, 0));
}

Test(blocks, lists_leaves_for_the_collector)
{
    const char *reason;
    hpp__window_make(&reason, 16 * MIB);
    put(BASE, 1, 1);
    put(BASE + 16, 1, 1);
    put(BASE + 7 * LEAF, 1, 1);
    const hpp_window_head *head = &hpp__window->head;
    cr_assert(eq(u32, head->n_leaves, 2));
    cr_assert(eq(u64, head->branches, (uintptr_t)hpp__branches));
    const uint64_t *list = hpp__window_at(head->n_leaf_pages);
    cr_assert(eq(u64, list[0], hpp__leaf_entry((uintptr_t)hpp__leaf_at(100), 100)));
    cr_assert(eq(u64, list[1], hpp__leaf_entry((uintptr_t)hpp__leaf_at(107), 107)));
}

Test(blocks, leaves_after_a_full_list_are_not_listed)
{
    enum { MOST_LEAVES = 512 * 4096 / 8 };
    const char *reason;
    hpp__window_make(&reason, 16 * MIB);
    put(BASE, 1, 1);
    hpp_window_head *head = &hpp__window->head;
    uint64_t *list = hpp__window_at(head->n_leaf_pages);
    uint32_t next_page = hpp__window_pages(1);
    cr_assert(eq(u32, next_page, head->n_leaf_pages + 512));
    head->n_leaves = MOST_LEAVES - 1;
    put(BASE + LEAF, 1, 1);
    cr_assert(eq(u32, head->n_leaves, MOST_LEAVES));
    cr_assert(eq(u64, list[MOST_LEAVES - 1], hpp__leaf_entry((uintptr_t)hpp__leaf_at(101), 101)));
    put(BASE + 2 * LEAF, 1, 1);
    cr_assert(eq(u32, head->n_leaves, MOST_LEAVES));
    cr_assert(eq(u64, list[MOST_LEAVES], 0));
}

/* Adds and removes random blocks, like an allocator, and compares with a plain list. */
Test(blocks, agrees_with_plain_list)
{
    enum { N = 4096, SPACING = 64 };
    static hpp_block truth[N];
    srand(1);
    for (int i = 0; i < 400000; i++) {
        int k = rand() % N;
        const void *place = AT(BASE + LEAF - N / 2 * SPACING + (uintptr_t)k * SPACING);
        if (truth[k].site != 0) {
            expect(hpp__blocks_take(place), truth[k].site, truth[k].size_bytes);
            truth[k] = (hpp_block){0};
            continue;
        }
        truth[k] = (hpp_block){1 + (uint32_t)rand() % 1000, sizes[rand() % N_SIZES]};
        if (!hpp__blocks_put_usual(place, truth[k].site, truth[k].size_bytes)) {
            put((uintptr_t)place, truth[k].site, truth[k].size_bytes);
        }
    }
}

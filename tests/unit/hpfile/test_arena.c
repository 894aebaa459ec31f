/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Arenas: pieces are zeroed, aligned, apart from each other, and stay where they are.
 */
#include <criterion/criterion.h>
#include <stdalign.h>
#include <string.h>

#include "base/arena.h"
#include "rng.h"

static hpf_arena *arena;

static void set_up(void)
{
    arena = hpf_arena_create();
}

static void tear_down(void)
{
    hpf_arena_destroy(arena);
}

TestSuite(arena, .init = set_up, .fini = tear_down);

Test(arena, pieces_are_zeroed_aligned_and_apart)
{
    enum { N = 3000 };
    static unsigned char *pieces[N];
    static size_t sizes[N];
    rng chance = {1};
    for (int i = 0; i < N; i++) {
        sizes[i] = (size_t)rng_below(&chance, i % 100 == 0 ? 20000 : 200);
        pieces[i] = hpf_arena_alloc(arena, sizes[i]);
        cr_assert_not_null(pieces[i]);
        cr_assert_eq((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < sizes[i]; k++) {
            cr_assert_eq(pieces[i][k], 0, "piece %d is not zeroed", i);
        }
        memset(pieces[i], i & 0xff, sizes[i]);
    }
    for (int i = 0; i < N; i++) {
        for (size_t k = 0; k < sizes[i]; k++) {
            cr_assert_eq(pieces[i][k], i & 0xff, "piece %d was overwritten", i);
        }
    }
}

Test(arena, a_large_piece_does_not_waste_the_room_left)
{
    char *first = hpf_arena_alloc(arena, 16);
    cr_assert_not_null(hpf_arena_alloc(arena, 5 << 20));
    char *second = hpf_arena_alloc(arena, 16);
    cr_assert_eq(second - first, 16);
}

Test(arena, nothing_is_a_valid_piece)
{
    cr_assert_not_null(hpf_arena_alloc(arena, 0));
    cr_assert_not_null(hpf_arena_array(arena, 0, 8));
    cr_assert_not_null(hpf_arena_array(arena, 8, 0));
}

Test(arena, sizes_that_overflow_are_refused)
{
    cr_assert_null(hpf_arena_alloc(arena, SIZE_MAX));
    cr_assert_null(hpf_arena_alloc(arena, SIZE_MAX - 20));
    cr_assert_null(hpf_arena_array(arena, SIZE_MAX / 4 + 2, 4));
    cr_assert_null(hpf_arena_text(arena, (hpf_str){"", SIZE_MAX}));
    cr_assert_eq(hpf_arena_used_bytes(arena), 0);
}

Test(arena, a_text_is_copied_and_terminated)
{
    char source[] = "a\0b";
    char *copy = hpf_arena_text(arena, (hpf_str){source, 3});
    source[0] = 'x';
    cr_assert_eq(memcmp(copy, "a\0b", 4), 0);
    cr_assert_str_eq(hpf_arena_text(arena, (hpf_str){NULL, 0}), "");
}

Test(arena, used_bytes_go_with_what_was_asked)
{
    for (int i = 0; i < 100; i++) {
        cr_assert_not_null(hpf_arena_alloc(arena, 1000));
    }
    cr_assert_geq(hpf_arena_used_bytes(arena), 100000);
    cr_assert_leq(hpf_arena_used_bytes(arena), 102000);
}

Test(arena, destroy_accepts_null)
{
    hpf_arena_destroy(NULL);
}

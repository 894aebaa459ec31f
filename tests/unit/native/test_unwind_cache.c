/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cached stacks: the inlined check of the first slot and the full search find the current stack,
 * and no other.
 */
#include "native/target/unwind/unwind_cache.h"

#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

enum { N_WORDS = 23, PC = 0x401000, FP = 0x7000, CALL = 1 };

/* The stack: the return address of the call, then the words that an unwind reads. */
static uintptr_t stack[1 + N_WORDS];
static hpp_unwind_cache_table cache;

static void begin(void)
{
    cr_assert(hpp__unwind_cache_begin(&cache));
    for (uintptr_t i = 0; i <= N_WORDS; i++) {
        stack[i] = i == 0 ? PC : 1000 + i;
    }
}

TestSuite(cache, .init = begin);

static hpp_caller caller_with(uintptr_t fp)
{
    return (hpp_caller){PC, (uintptr_t)(stack + 1), fp};
}

/* Returns the site that the cache has for the current stack; 0: none. */
static uint32_t find(uintptr_t fp)
{
    hpp_caller caller = caller_with(fp);
    hpp_place place;
    return hpp__unwind_cache_find(&place, &cache, &caller, CALL) ? place.site : 0;
}

/* Adds the current stack to the cache if it is missing. The caller's fp is its word at
 * `fp_index`, unless there is no such word. */
static void remember(uint32_t site, uint32_t n_words, uint32_t fp_index, uintptr_t fp)
{
    hpp_caller caller = caller_with(fp);
    hpp_word words[N_WORDS];
    for (uint32_t i = 0; i < n_words; i++) {
        words[i] = i == fp_index ? (hpp_word){0, fp}
                                 : (hpp_word){(uintptr_t)(stack + 1 + i), stack[1 + i]};
    }
    uint32_t n_known;
    if (find(fp) == 0 && hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, true)) {
        cr_assert(le(u32, n_known, n_words));
        hpp__unwind_cache_add(&cache, caller, words + n_known, n_words - n_known,
                              (hpp_place){site, NULL});
    }
}

/* Does the same as find by the inlined check of the first slot, where the few stacks are. */
static uint32_t find_first(uintptr_t fp)
{
    hpp_caller caller = caller_with(fp);
    const hpp_unwind_cache_slot *slot =
        hpp__unwind_cache_slot_of(&cache, hpp__unwind_cache_key(caller.pc, CALL), caller.sp);
    cr_assert(ne(ptr, slot->entry, NULL));
    return hpp__unwind_cache_agrees(slot, slot->entry, caller.sp, fp) ? slot->entry->place.site : 0;
}

Test(cache, finds_stack_only_if_every_word_matches)
{
    for (uint32_t n = 1; n <= N_WORDS; n++) {
        hpp__unwind_cache_forget(&cache);
        remember(n, n, N_WORDS, FP);
        cr_assert(eq(u32, find(FP), n));
        cr_assert(eq(u32, find_first(FP), n));
        for (uint32_t i = 1; i <= N_WORDS; i++) {
            stack[i] ^= 8;
            cr_assert(eq(u32, find(FP), i <= n ? 0 : n), "%u of %u", i, n);
            cr_assert(eq(u32, find_first(FP), i <= n ? 0 : n), "%u of %u", i, n);
            stack[i] ^= 8;
        }
    }
}

Test(cache, finds_stacks_that_differ_in_one_word)
{
    remember(100, N_WORDS, N_WORDS, FP);
    for (uint32_t i = 1; i <= N_WORDS; i++) {
        stack[i] ^= 8;
        cr_assert(eq(u32, find(FP), 0));
        remember(100 + i, N_WORDS, N_WORDS, FP);
        stack[i] ^= 8;
    }
    cr_assert(eq(u32, find(FP), 100));
    cr_assert(eq(u32, find_first(FP), 100));
    for (uint32_t i = 1; i <= N_WORDS; i++) {
        stack[i] ^= 8;
        cr_assert(eq(u32, find(FP), 100 + i));
        cr_assert(eq(u32, find_first(FP), 0));
        stack[i] ^= 8;
    }
}

Test(cache, distinguishes_stacks_that_differ_in_two_words)
{
    for (uint32_t way = 0; way < 4; way++) {
        stack[3] = way & 1 ? 33 : 30;
        stack[17] = way & 2 ? 77 : 70;
        remember(1 + way, N_WORDS, N_WORDS, FP);
    }
    for (uint32_t way = 0; way < 4; way++) {
        stack[3] = way & 1 ? 33 : 30;
        stack[17] = way & 2 ? 77 : 70;
        cr_assert(eq(u32, find(FP), 1 + way));
        cr_assert(eq(u32, find_first(FP), way == 0 ? 1 : 0));
    }
}

Test(cache, distinguishes_equal_values_of_different_words)
{
    remember(1, N_WORDS, N_WORDS, FP);
    stack[3] = 5;
    remember(2, N_WORDS, N_WORDS, FP);
    cr_assert(eq(u32, find(FP), 2));
    stack[3] = 1003;
    stack[9] = 5;
    cr_assert(eq(u32, find(FP), 0));
    remember(3, N_WORDS, N_WORDS, FP);
    cr_assert(eq(u32, find(FP), 3));
    stack[3] = 5;
    cr_assert(eq(u32, find(FP), 0));
    stack[9] = 1009;
    cr_assert(eq(u32, find(FP), 2));
}

Test(cache, compares_frame_pointer_only_if_it_was_used)
{
    /* A second stack without a word of its own needs the one of the call. */
    uint32_t end = HPP_CALL_PUSHES ? N_WORDS : N_WORDS - 1;
    for (uint32_t index = 0; index < end; index++) {
        hpp__unwind_cache_forget(&cache);
        remember(1, N_WORDS, index, FP);
        cr_assert(eq(u32, find_first(FP), 1));
        cr_assert(eq(u32, find_first(FP + 8), 0));
        cr_assert(eq(u32, find(FP + 8), 0));
        remember(2, N_WORDS, index, FP + 8);
        stack[1 + index] ^= 8; /* is not read */
        cr_assert(eq(u32, find(FP), 1));
        cr_assert(eq(u32, find(FP + 8), 2));
        cr_assert(eq(u32, find(FP + 16), 0));
    }
}

Test(cache, calls_and_places_distinguish_stacks)
{
    hpp_place place;
    remember(1, N_WORDS, N_WORDS, FP);
    hpp_caller caller = caller_with(FP);
    cr_assert(not(hpp__unwind_cache_find(&place, &cache, &caller, CALL + 1)));
    caller.pc++;
    cr_assert(not(hpp__unwind_cache_find(&place, &cache, &caller, CALL)));
    caller.pc--;
    caller.sp += 8;
    cr_assert(not(hpp__unwind_cache_find(&place, &cache, &caller, CALL)));
}

Test(cache, adds_only_the_stack_of_the_last_search)
{
    hpp_caller caller = caller_with(FP);
    uint32_t n_known;
    cr_assert(not(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, true)));
    cr_assert(eq(u32, find(FP), 0));
    cr_assert(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, true));
    cr_assert(eq(u32, n_known, 0));
    cr_assert(not(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL + 1, true)));
    remember(1, N_WORDS, N_WORDS, FP);
    cr_assert(not(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, true)));
    stack[5] ^= 8;
    cr_assert(eq(u32, find(FP), 0));
    cr_assert(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, true));
    cr_assert(eq(u32, n_known, 4));
    cr_assert(not(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, false)));
    hpp__unwind_cache_forget(&cache);
    cr_assert(not(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, true)));
}

Test(cache, does_not_add_stack_of_another_search_path)
{
    hpp_caller caller = caller_with(FP);
    uint32_t n_known;
    remember(1, N_WORDS, N_WORDS, FP);
    stack[5] ^= 8;
    for (uint32_t way = 0; way < 3; way++) {
        cr_assert(eq(u32, find(FP), 0));
        cr_assert(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, true));
        hpp_word strange = {(uintptr_t)(stack + 5 + (way == 0)), stack[5] + (way == 1)};
        hpp__unwind_cache_add(&cache, caller, &strange, way < 2, (hpp_place){2, NULL});
    }
    cr_assert(eq(u32, find(FP), 0));
}

Test(cache, prefers_stacks_of_the_same_thread)
{
    hpp_caller caller = caller_with(FP);
    uint32_t n_known;
    hpp_word word = {(uintptr_t)(stack + 1), stack[1]};
    cr_assert(eq(u32, find(FP), 0));
    cr_assert(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, false));
    hpp__unwind_cache_add(&cache, caller, &word, 1, (hpp_place){1, NULL});
    cr_assert(eq(u32, find(FP), 1));
    stack[1] ^= 8;
    remember(2, N_WORDS, N_WORDS, FP);
    cr_assert(eq(u32, find(FP), 2));
}

/* Slots of other calls may be in between. */
Test(cache, inlined_check_sees_what_was_searched_for_last)
{
    enum { N = 31 }; /* nearly half of the slots */
    hpp_caller caller = caller_with(FP);
    hpp_word word = {(uintptr_t)(stack + 1), stack[1]};
    hpp_place place;
    uint32_t n_known;
    for (uint32_t call = 1; call <= N; call++) {
        cr_assert(not(hpp__unwind_cache_find(&place, &cache, &caller, call)));
        cr_assert(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, call, true));
        hpp__unwind_cache_add(&cache, caller, &word, 1, (hpp_place){call, NULL});
    }
    for (uint32_t i = 0; i < 5 * N; i++) {
        uint32_t call = 1 + i * 7 % N;
        uint64_t key = hpp__unwind_cache_key(caller.pc, call);
        cr_assert(hpp__unwind_cache_find(&place, &cache, &caller, call));
        cr_assert(eq(u32, place.site, call));
        const hpp_unwind_cache_slot *slot = hpp__unwind_cache_slot_of(&cache, key, caller.sp);
        cr_assert(eq(u64, slot->a, key));
        cr_assert(eq(u32, slot->entry->place.site, call));
    }
}

Test(cache, finds_many_stacks)
{
    enum { N = 5000 };
    for (uint32_t i = 0; i < N; i++) {
        stack[1 + i % 7] = i;
        remember(1 + i, N_WORDS, N_WORDS, FP);
        cr_assert(eq(u32, find(FP), 1 + i));
    }
    hpp__unwind_cache_forget(&cache);
    cr_assert(eq(u32, find(FP), 0));
}

/* Words that are too far from the stack pointer, or below it on the own stack, have no offset. */
Test(cache, remembers_near_words_only)
{
    static const struct {
        int64_t offset; /* of one word, from the return address of the call */
        bool are_own, is_near;
    } cases[] = {
        {8, true, true},
        {0, true, true},
        {-8, true, false},
        {-8, false, true},
        {INT32_MAX, true, true},
        {INT32_MAX, false, true},
        {INT32_MAX + (int64_t)1, true, false},
        {INT32_MIN, false, true},
        {INT32_MIN - (int64_t)1, false, false},
    };
    enum { N = 3 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (uint32_t at = 0; at <= N; at++) { /* the last one is not in use */
            hpp_caller caller = caller_with(FP);
            hpp_word words[N + 1];
            for (uint32_t k = 0; k <= N; k++) {
                words[k] = (hpp_word){(uintptr_t)(stack + 1 + k), stack[1 + k]};
            }
            words[at].address = (uintptr_t)stack + (uintptr_t)cases[i].offset;
            hpp__unwind_cache_forget(&cache);
            cr_assert(eq(u32, find(FP), 0));
            uint32_t n_known;
            cr_assert(hpp__unwind_cache_has_gap(&n_known, &cache, &caller, CALL, cases[i].are_own));
            hpp__unwind_cache_add(&cache, caller, words, N, (hpp_place){7, NULL});
            bool is_expected = at == N || cases[i].is_near;
            cr_assert(eq(int, cache.n_entries, is_expected), "case %zu, word %u", i, at);
        }
    }
}

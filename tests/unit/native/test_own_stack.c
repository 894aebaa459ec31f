/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Walks the stack of the test itself by the tables of the compiler, and compares all return
 * addresses with the ones of backtrace(): through functions with and without frame pointers, and
 * through a signal handler.
 */
#include "native/target/unwind/unwind.h"

#include <execinfo.h>
#include <signal.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/window/window_writer.h"

#define NAME(name) name##_without_fp
#include "frames_of_c.h"
#undef NAME
void call_deeply_with_fp(unsigned depth, void (*at_end)(void));

enum { MAX_FRAMES = 200 };

static void set_up(void)
{
    const char *reason;
    cr_assert(ge(int, hpp__window_make(&reason, (uint64_t)64 << 20), 0)); /* for modules */
}

TestSuite(own_stack, .init = set_up);

static void *peers[MAX_FRAMES];
static int n_peers, first_peer;

static void expect_frame(int i, uintptr_t pc, const char *walk)
{
    cr_assert(lt(int, first_peer + i, n_peers), "%s: frame %d of %d", walk, i, n_peers);
    cr_assert(eq(u64, pc, (uintptr_t)peers[first_peer + i]), "%s: frame %d", walk, i);
}

static void check_walk(uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
    hpp_walk walk = {.pc = pc, .sp = sp, .fp = fp};
    hpp_step step = HPP_STEP_UP;
    int n = 0;
    while (step == HPP_STEP_UP) {
        hpp_word words[HPP_MAX_STEP_WORDS];
        uint32_t n_words = 0;
        expect_frame(n++, walk.pc, "walk");
        step =
            hpp__walk_step(&walk, hpp__unwind_rules_find(hpp__walk_place(&walk)), words, &n_words);
        for (uint32_t i = 0; i < n_words && step == HPP_STEP_UP; i++) {
            cr_assert(words[i].address == 0 || *(uintptr_t *)words[i].address == words[i].value);
        }
    }
    if (step != HPP_STEP_HARD) { /* then the full walk goes on */
        cr_assert(eq(int, step, HPP_STEP_END));
        cr_assert(eq(int, first_peer + n, n_peers));
    }
}

static void check_full_walk(uintptr_t pc, uintptr_t sp)
{
    hpp_full_walk walk;
    hpp_step step = HPP_STEP_UP;
    int n = 0;
    cr_assert(hpp__full_walk_begin_here(&walk, pc, sp, (hpp_memory){0}));
    while (step == HPP_STEP_UP) {
        expect_frame(n++, hpp__full_walk_pc(&walk), "full walk");
        step = hpp__full_walk_step(&walk);
    }
    cr_assert(eq(int, step, HPP_STEP_END));
    cr_assert(eq(int, first_peer + n, n_peers));
}

/* The frame pointer of this function points to the caller's. */
static __attribute__((noinline)) void compare(void)
{
    uintptr_t pc = hpp__return_address((uintptr_t)__builtin_return_address(0));
    uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
    uintptr_t fp = *(uintptr_t *)__builtin_frame_address(0);
    n_peers = backtrace(peers, MAX_FRAMES);
    first_peer = 0;
    while (first_peer < n_peers && (uintptr_t)peers[first_peer] != pc) {
        first_peer++;
    }
    cr_assert(gt(int, n_peers - first_peer, 3));
    check_walk(pc, sp, fp);
    check_full_walk(pc, sp);
}

static void on_signal(int number)
{
    (void)number;
    call_deeply_with_fp(5, compare);
}

static void interrupt(void)
{
    raise(SIGUSR1);
}

Test(own_stack, of_functions_with_frame_pointers)
{
    call_deeply_with_fp(12, compare);
}

Test(own_stack, of_functions_without_frame_pointers)
{
    call_deeply_without_fp(12, compare);
}

Test(own_stack, through_a_signal_handler)
{
    signal(SIGUSR1, on_signal);
    call_deeply_without_fp(7, interrupt);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a call to its site: what is cached, what is walked, what is verified, and what is counted
 * when a stack is lost. Walks, nodes and sites are made up.
 */
#include "native/target/counting/stacks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/target/counting/python_place.h"
#include "native/target/unwind/verify.h"
#include "native/window/trie.h"
#include "native/window/window_writer.h"

/* --- replacements ----------------------------------------------------------------------------- */

static hpp_window window_page;
hpp_window *hpp__window = &window_page;
hpp_unwind_rule_line hpp__unwind_rule_lines[HPP_UNWIND_RULE_LINES];
_Atomic uint32_t hpp__unwind_rule_page_bits = HPP_UNWIND_RULE_FIRST_BITS;
_Atomic uint32_t hpp__generation = 1;

static hpp_stack_walk_outcome outcome, full_outcome;
static bool can_begin_here, is_own, are_changing, is_loader;
static uint32_t node, site;
static unsigned n_walks, n_full_walks, n_interrupted, n_verified, n_forgotten;
static hpp_walk walked_from;
static hpp_memory verified_memory;
static uint32_t max_new_frames;

static bool is_in_python;
static uint32_t python_site;

bool hpp__python_place_begins(uint32_t begun)
{
    (void)begun;
    return is_in_python;
}

uint32_t hpp__python_place_interrupted(hpp_thread *self, uint32_t key)
{
    (void)self;
    cr_assert(eq(u32, key, hpp__python_place_key(node, HPP_CALL_TICK)));
    return python_site;
}

void hpp__python_places_forget(hpp_thread *self)
{
    (void)self;
}

hpp_stack_walk_outcome hpp__stack_walk(hpp_stack_walk *path, hpp_walk *walk)
{
    n_walks++;
    walked_from = *walk;
    max_new_frames = path->max_new_frames;
    path->n_new_frames = 5;
    path->n_compared = 3;
    return outcome;
}

hpp_stack_walk_outcome hpp__stack_walk_fully(hpp_stack_walk *path, hpp_full_walk *walk)
{
    (void)path, (void)walk;
    n_full_walks++;
    return full_outcome;
}

bool hpp__full_walk_begin_here(hpp_full_walk *out, uintptr_t pc, uintptr_t sp, hpp_memory memory)
{
    (void)out, (void)pc, (void)sp, (void)memory;
    return can_begin_here;
}

void hpp__full_walk_begin_interrupted(hpp_full_walk *out, const void *context, hpp_memory memory)
{
    const hpp_caller *at = context;
    n_interrupted++;
    *out = (hpp_full_walk){.memory = memory};
    out->registers.value[HPP_CFI_PC] = at->pc;
    out->registers.value[HPP_CFI_SP] = at->sp;
    out->registers.value[HPP_CFI_FP] = at->fp;
}

uint32_t hpp__stack_walk_extend(hpp_stack_walk *path)
{
    (void)path;
    return node;
}

bool hpp__stack_walk_is_own(const hpp_stack_walk *path, const hpp_memory *memory)
{
    (void)path, (void)memory;
    return is_own;
}

static uintptr_t stack[8];

/* One word: all stacks of a caller are equal. */
bool hpp__stack_walk_collect(uint32_t *n_words, hpp_stack_walk *path, uint32_t n_skipped,
                             uint32_t n_most)
{
    static hpp_word word;
    (void)n_skipped, (void)n_most;
    word = (hpp_word){(uintptr_t)(stack + 3), stack[3]};
    path->new_words.data = &word;
    *n_words = 1;
    return true;
}

void hpp__stack_walk_forget(hpp_stack_walk *path)
{
    (void)path;
    n_forgotten++;
}

void hpp__stack_walk_end(hpp_stack_walk *path)
{
    (void)path;
}

/* No function is open. */
_Thread_local hpp_thread *hpp__self;

uint32_t hpp__centres_node(hpp_centres *centres, hpp_walk walk)
{
    (void)centres, (void)walk;
    return 0;
}

uint32_t hpp__centres_site(hpp_centres *centres, uint32_t of, hpp_call call)
{
    (void)centres, (void)of, (void)call;
    return 0;
}

uint32_t hpp__trie_site(uint32_t of, uint32_t call)
{
    (void)call;
    cr_assert(eq(u32, of, node));
    return site;
}

hpp_window_cell *hpp__thread_cell(hpp_thread *thread, uint32_t of)
{
    (void)thread, (void)of;
    return NULL;
}

bool hpp__loader_is_changing(void)
{
    return are_changing;
}

hpp_unwind_rule hpp__unwind_rules_make(uintptr_t pc)
{
    (void)pc;
    return (uint64_t)is_loader << 3;
}

void hpp__unwind_rules_new_generation(void)
{
    hpp__generation++;
}

void hpp__verify_begin(void)
{
}

void hpp__verify_site(uint32_t of, hpp_stack_walk *path, hpp_caller caller, hpp_memory memory)
{
    (void)path, (void)caller;
    cr_assert(eq(u32, of, site));
    n_verified++;
    verified_memory = memory;
}

/* --- tests ------------------------------------------------------------------------------------ */

enum { PC = 0x401000 };
static const hpp_call CALL = HPP_CALL_MALLOC;

static hpp_thread thread;

static void begin(void)
{
    outcome = full_outcome = HPP_STACK_WALK_WHOLE;
    is_own = can_begin_here = true;
    node = 40;
    site = 50;
    stack[0] = PC;
    thread = (hpp_thread){.stack_low = (uintptr_t)(stack + 1), .stack_end = (uintptr_t)(stack + 8)};
}

TestSuite(stacks, .init = begin);

static hpp_caller caller_here(void)
{
    return (hpp_caller){PC, (uintptr_t)(stack + 1), 77};
}

static uint32_t find(void)
{
    hpp_caller caller = caller_here();
    hpp_place place;
    if (!hpp__stacks_recall(&place, &thread, &caller, CALL)) {
        place = hpp__stacks_place_anew(&thread, caller, CALL, &(hpp_visit){0});
    }
    return place.site;
}

static uint64_t n_lost(void)
{
    return hpp__window->head.n_lost_stacks;
}

Test(stacks, a_stack_is_walked_once)
{
    for (unsigned i = 0; i < 3; i++) {
        cr_assert(eq(u32, find(), 50));
        cr_assert(eq(u32, n_walks, 1));
    }
    cr_assert(hpp__stacks_are_current(&thread));
    cr_assert(eq(u64, hpp__window->head.n_unwinds, 1));
    cr_assert(eq(u64, hpp__window->head.n_frames, 5));
    cr_assert(eq(u64, hpp__window->head.n_compared, 3));
    cr_assert(eq(u64, walked_from.pc, PC));
    cr_assert(eq(u64, walked_from.fp, 77));
    cr_assert(eq(u64, walked_from.memory.low, (uintptr_t)(stack + 1)));
    cr_assert(eq(u64, walked_from.memory.end, (uintptr_t)(stack + 8)));
    hpp__stacks_new_generation();
    cr_assert(eq(u32, find(), 50));
    cr_assert(eq(u32, n_walks, 2));
    cr_assert(zero(u64, n_lost()));
}

Test(stacks, stacks_without_site_are_lost_and_walked_again)
{
    site = 0; /* no room */
    cr_assert(eq(u32, find(), HPP_SITE_UNKNOWN));
    cr_assert(eq(u64, n_lost(), 1));
    site = 50;
    node = 0;
    cr_assert(eq(u32, find(), HPP_SITE_UNKNOWN));
    cr_assert(eq(u64, n_lost(), 2));
    node = 40;
    outcome = HPP_STACK_WALK_FAILED;
    cr_assert(eq(u32, find(), HPP_SITE_UNKNOWN));
    cr_assert(eq(u64, n_lost(), 3));
    outcome = HPP_STACK_WALK_WHOLE;
    cr_assert(eq(u32, find(), 50));
    cr_assert(eq(u64, n_lost(), 3));
    cr_assert(eq(u32, n_walks, 4));
}

Test(stacks, hard_stacks_are_walked_fully_each_time)
{
    outcome = HPP_STACK_WALK_HARD;
    for (unsigned i = 1; i < 4; i++) {
        cr_assert(eq(u32, find(), 50));
        cr_assert(eq(u32, n_full_walks, i));
    }
    full_outcome = HPP_STACK_WALK_CUT;
    cr_assert(eq(u32, find(), 50));
    cr_assert(eq(u64, hpp__window->head.n_cut_stacks, 1));
    can_begin_here = false;
    cr_assert(eq(u32, find(), HPP_SITE_UNKNOWN));
    cr_assert(eq(u64, n_lost(), 1));
}

Test(stacks, calls_of_the_loader_are_not_cached)
{
    is_loader = true;
    uint32_t generation = hpp__generation;
    find();
    find();
    cr_assert(eq(u32, n_walks, 2));
    cr_assert(eq(u32, hpp__generation, generation));
    are_changing = true; /* what is cached may be wrong */
    find();
    cr_assert(eq(u32, hpp__generation, generation + 1));
    is_loader = false;
    find();
    cr_assert(eq(u32, hpp__generation, generation + 1));
}

Test(stacks, every_nth_stack_is_verified)
{
    for (uint32_t n = 1; n < 5; n++) {
        hpp__stacks_verify(n);
        n_verified = 0;
        for (uint32_t i = 1; i <= 24; i++) {
            find();
            cr_assert(eq(u32, n_verified, i / n), "every %u", n);
        }
        cr_assert(eq(u64, verified_memory.low, (uintptr_t)(stack + 1)));
    }
    n_verified = 0;
    hpp__stacks_verify(1);
    site = 0; /* lost ones are not */
    hpp__stacks_new_generation();
    find();
    cr_assert(zero(u32, n_verified));
    hpp__stacks_verify(0);
    site = 50;
    find();
    cr_assert(zero(u32, n_verified));
}

Test(stacks, without_the_data_of_a_thread)
{
    cr_assert(eq(u32, hpp__stacks_site_unaided(caller_here(), CALL), 50));
    cr_assert(eq(u32, hpp__stacks_site_unaided(caller_here(), CALL), 50));
    cr_assert(eq(u32, n_walks, 2));
    cr_assert(eq(u64, walked_from.memory.end, 0));
    cr_assert(not(walked_from.is_exact));
    cr_assert(zero(u32, max_new_frames));
    outcome = HPP_STACK_WALK_HARD;
    cr_assert(eq(u32, hpp__stacks_site_unaided(caller_here(), CALL), 50));
    cr_assert(eq(u32, n_full_walks, 1));
    cr_assert(zero(u32, n_interrupted));
    site = 0;
    cr_assert(eq(u32, hpp__stacks_site_unaided(caller_here(), CALL), HPP_SITE_UNKNOWN));
    cr_assert(eq(u64, n_lost(), 1));
}

Test(stacks, of_an_interrupted_instruction)
{
    hpp_caller at = {PC + 3, (uintptr_t)(stack + 2), 66};
    cr_assert(eq(u32, hpp__stacks_site_interrupted(&thread, &at, CALL), 50));
    cr_assert(eq(u64, walked_from.pc, PC + 3));
    cr_assert(eq(u64, walked_from.sp, (uintptr_t)(stack + 2)));
    cr_assert(eq(u64, walked_from.fp, 66));
    cr_assert(eq(u64, walked_from.memory.low, (uintptr_t)(stack + 2)));
    cr_assert(walked_from.is_exact);
    cr_assert(eq(u32, max_new_frames, 1 << 17));
    at.sp = (uintptr_t)(stack + 8); /* not the own stack */
    outcome = HPP_STACK_WALK_HARD;
    can_begin_here = false;
    cr_assert(eq(u32, hpp__stacks_site_interrupted(&thread, &at, CALL), 50));
    cr_assert(eq(u64, walked_from.memory.end, 0));
    cr_assert(eq(u32, n_interrupted, 3)); /* twice for the registers */
    cr_assert(eq(u32, hpp__stacks_site_interrupted(NULL, &at, CALL), 50));
}

Test(stacks, time_in_the_library_does_not_count)
{
    hpp_unwind_cache cache = {.path = {.kept_at = 20}};
    hpp_visit visit = {.begun_at = 10, .kept_at = 20};
    thread.cache = &cache;
    hpp__stacks_end_visit(&thread, &visit);
    cr_assert(gt(u64, cache.path.kept_at, 20));
    uint64_t of_a_signal_handler = cache.path.kept_at;
    hpp__stacks_end_visit(&thread, &visit);
    cr_assert(eq(u64, cache.path.kept_at, of_a_signal_handler));
    visit.kept_at = cache.path.kept_at = 0; /* not deep */
    hpp__stacks_end_visit(&thread, &visit);
    cr_assert(zero(u64, cache.path.kept_at));
    cr_assert(eq(u64, hpp__time_between(5, 9), 4 + hpp__clock_step()));
    cr_assert(eq(u64, hpp__time_between(9, 5), hpp__clock_step()));
    cr_assert(eq(u64, hpp__time_between(0, 9), UINT64_MAX));
    cr_assert(eq(u64, hpp__time_between(5, 0), UINT64_MAX));
}

Test(stacks, that_end_in_python_are_places_to_be_completed)
{
    hpp_caller caller = caller_here();
    is_in_python = true;
    hpp_place place = hpp__stacks_place_anew(&thread, caller, CALL, &(hpp_visit){0});
    cr_assert(eq(u32, place.site, hpp__python_place_key(40, CALL)));
    cr_assert(zero(ptr, (void *)place.cell));
    cr_assert(not(hpp__stacks_recall(&place, &thread, &caller, CALL))); /* it may occur only once */
    hpp__stacks_place_anew(&thread, caller, CALL, &(hpp_visit){0});
    cr_assert(hpp__stacks_recall(&place, &thread, &caller, CALL));
    cr_assert(eq(u32, place.site, hpp__python_place_key(40, CALL)));
    cr_assert(eq(u32, hpp__stacks_site_unaided(caller, CALL), 50));
    hpp_caller at = {0};
    python_site = 60;
    cr_assert(eq(u32, hpp__stacks_site_interrupted(&thread, &at, HPP_CALL_TICK), 60));
    python_site = 0;
    cr_assert(eq(u32, hpp__stacks_site_interrupted(&thread, &at, HPP_CALL_TICK), HPP_SITE_UNKNOWN));
    cr_assert(eq(u64, n_lost(), 1));
}

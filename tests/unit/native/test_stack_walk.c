/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A walk that joins the previous stack has the same result as a walk of the whole stack: the
 * frames, the node, and the words on which they depend. The stack belongs to a synthetic program,
 * whose functions keep, save or change fp, and whose frames keep old words.
 */
#include "native/target/unwind/stack_walk.h"

#include <stdlib.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/target/unwind/cfi_entry.h"
#include "native/window/window_writer.h"
#include "rng.h"

/* --- the synthetic program -------------------------------------------------------------------- */

enum { N_WORDS = 4096, MOST_FRAMES = 14, CODE = 0x400000, CODE_BYTES = 0x100 };

typedef enum fp_use {
    KEEPS_FP,
    SAVES_FP, /* and may change it */
    NEEDS_FP, /* has a frame pointer, and a frame of any size */
    SHARES_FP /* finds its frame by the frame pointer of a caller */
} fp_use;

static const struct {
    fp_use use;
    int n_words;   /* of the frame, with the return address; NEEDS_FP: at least */
    int cfa_words; /* from fp to the CFA */
} functions[] = {{KEEPS_FP, 2, 0},   {KEEPS_FP, 3, 0},   {KEEPS_FP, 2, 0},  {SAVES_FP, 3, 0},
                 {SAVES_FP, 4, 0},   {NEEDS_FP, 2, 2},   {NEEDS_FP, 2, 2},  {NEEDS_FP, 2, 2},
                 {SHARES_FP, 2, -2}, {SHARES_FP, 2, -4}, {SHARES_FP, 3, -4}};

enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

typedef struct frame {
    uintptr_t pc, sp, fp;
} frame;

static uintptr_t stack[N_WORDS];
static frame frames[MOST_FRAMES]; /* outermost first */
static unsigned n_frames;

static uintptr_t pc_in(unsigned function)
{
    return CODE + (uintptr_t)function * CODE_BYTES + 0x20;
}

static void put_word(uintptr_t address, uintptr_t value)
{
    stack[(address - (uintptr_t)stack) / 8] = value;
}

static void call(unsigned function, rng *chance)
{
    const frame outside = {0, (uintptr_t)(stack + N_WORDS), 0};
    const frame *caller = n_frames > 0 ? &frames[n_frames - 1] : &outside;
    fp_use use = functions[function].use;
    frame callee = {pc_in(function), caller->sp - 8 * (uintptr_t)functions[function].n_words,
                    caller->fp};
    if (use == SHARES_FP &&
        caller->sp != caller->fp + 8 * (uintptr_t)functions[function].cfa_words) {
        return;
    }
    put_word(caller->sp - 8, caller->pc);
    if (use == NEEDS_FP || use == SAVES_FP) {
        put_word(caller->sp - 16, caller->fp);
    }
    if (use == NEEDS_FP) {
        callee.fp = caller->sp - 16;
        callee.sp -= 8 * rng_below(chance, 5);
    } else if (use == SAVES_FP) {
        callee.fp = rng_below(chance, 2) ? caller->sp - 16 : rng_below(chance, 3);
    }
    frames[n_frames++] = callee;
}

/* Returns from some functions and calls others. */
static void run(rng *chance)
{
    n_frames -= (unsigned)rng_below(chance, n_frames + 1);
    while (n_frames == 0 || (n_frames < MOST_FRAMES && rng_below(chance, 4))) {
        call(n_frames ? (unsigned)rng_below(chance, N_FUNCTIONS) : 0, chance);
    }
}

/* --- replacements for other files of the unwinder --------------------------------------------- */

hpp_unwind_rule_line hpp__unwind_rule_lines[HPP_UNWIND_RULE_LINES];
_Atomic uint32_t hpp__unwind_rule_page_bits = HPP_UNWIND_RULE_FIRST_BITS;
_Atomic uint32_t hpp__generation = 1;

hpp_unwind_rule hpp__unwind_rules_make(uintptr_t pc)
{
    unsigned function = (unsigned)((pc - CODE) / CODE_BYTES);
    fp_use use = functions[function].use;
    bool is_by_fp = use == NEEDS_FP || use == SHARES_FP;
    int n_words = is_by_fp ? functions[function].cfa_words : functions[function].n_words;
    bool is_kept = use == KEEPS_FP || use == SHARES_FP;
    int16_t place = is_kept ? -1 : -2; /* of the return address, or of the frame pointer below */
    return (is_by_fp ? HPP_UNWIND_RULE_FP : HPP_UNWIND_RULE_SP) |
           (is_kept ? HPP_UNWIND_RULE_FP_KEPT : 0) | (uint64_t)((uint32_t)n_words << 8) |
           (uint64_t)(uint16_t)place << 32 | (uint64_t)(function + 1) << 48;
}

hpp_step hpp__walk_step_rarely(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                               uint32_t *n_words)
{
    (void)walk, (void)rule, (void)words, (void)n_words;
    return HPP_STEP_LOST;
}

hpp_step hpp__full_walk_step(hpp_full_walk *walk)
{
    (void)walk;
    return HPP_STEP_LOST;
}

bool hpp__modules_find(hpp_module *out, uintptr_t address)
{
    (void)out, (void)address;
    return true;
}

hpp_cfi_found hpp__cfi_entry_find(hpp_cfi_entry *out, const hpp_cfi_tables *tables, uintptr_t pc)
{
    (void)tables;
    *out = (hpp_cfi_entry){.begin = pc / CODE_BYTES * CODE_BYTES,
                           .end = (pc / CODE_BYTES + 1) * CODE_BYTES};
    return HPP_CFI_FOUND;
}

/* --- tests ------------------------------------------------------------------------------------ */

static hpp_walk walk_from_inside(void)
{
    const frame *inner = &frames[n_frames - 1];
    return (hpp_walk){.pc = inner->pc,
                      .sp = inner->sp,
                      .fp = inner->fp,
                      .memory = {inner->sp, (uintptr_t)(stack + N_WORDS), 0}};
}

static void expect_frames(const hpp_stack_walk *path)
{
    const hpp_stack_walk_frame *found = path->frames.data;
    cr_assert(eq(u32, path->n_frames, n_frames));
    for (unsigned i = 0; i < n_frames; i++) {
        cr_assert(eq(u64, found[i].pc, frames[i].pc));
        cr_assert(eq(u64, found[i].sp, frames[i].sp));
    }
}

static int compare_words(const void *left, const void *right)
{
    const hpp_word *a = left, *b = right;
    return a->address != b->address ? (a->address > b->address) - (a->address < b->address)
                                    : (a->value > b->value) - (a->value < b->value);
}

/* Returns the words of a path by address, in memory of the path. */
static const hpp_word *sorted_words(uint32_t *n, hpp_stack_walk *path)
{
    cr_assert(hpp__stack_walk_collect(n, path, 0, UINT32_MAX));
    qsort(path->new_words.data, *n, sizeof(hpp_word), compare_words);
    return path->new_words.data;
}

Test(stack_walk, joined_walk_equals_whole_walk, .timeout = 120)
{
    enum { N_ROUNDS = 100000 };
    hpp_stack_walk path = {0}, whole = {0};
    unsigned n_joined = 0;
    rng chance = {3};
    const char *reason;
    cr_assert(ge(int, hpp__window_make(&reason, 256 << 20), 0));
    for (int round = 0; round < N_ROUNDS; round++) {
        run(&chance);
        hpp_walk walk = walk_from_inside(), again = walk;
        hpp_stack_walk_outcome outcome = hpp__stack_walk(&path, &walk);
        hpp__stack_walk_forget(&whole);
        cr_assert(eq(int, hpp__stack_walk(&whole, &again), HPP_STACK_WALK_WHOLE));
        cr_assert(outcome == HPP_STACK_WALK_WHOLE || outcome == HPP_STACK_WALK_JOINED);
        n_joined += outcome == HPP_STACK_WALK_JOINED;
        uint32_t node = hpp__stack_walk_extend(&path);
        cr_assert(ne(u32, node, 0));
        cr_assert(eq(u32, hpp__stack_walk_extend(&whole), node));
        expect_frames(&path);
        expect_frames(&whole);
        uint32_t n, n_whole;
        const hpp_word *words = sorted_words(&n, &path);
        const hpp_word *all = sorted_words(&n_whole, &whole);
        cr_assert(eq(u32, n, n_whole));
        for (uint32_t i = 0; i < n; i++) {
            cr_assert(eq(u64, words[i].address, all[i].address));
            cr_assert(eq(u64, words[i].value, all[i].value));
        }
    }
    cr_expect(eq(u32, n_joined, N_ROUNDS - 1));
    hpp__stack_walk_end(&path);
    hpp__stack_walk_end(&whole);
}

/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Steps of a walk by rows that are rare, by frame pointers, and the rules that rows become. The
 * objects and their tables are made up: a row belongs to each pc of a range.
 */
#include "native/target/unwind/unwind.h"

#include <string.h>
#include <sys/mman.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* --- replacements for other files of the unwinder --------------------------------------------- */

enum { CODE = 0x400000, CODE_BYTES = 0x1000 };

static hpp_cfi_row row;
static hpp_cfi_found found = HPP_CFI_FOUND;
static uintptr_t asked_pc;

_Atomic uint32_t hpp__generation = 1;

bool hpp__modules_find(hpp_module *out, uintptr_t address)
{
    *out = (hpp_module){.begin = CODE, .end = CODE + CODE_BYTES, .number = 5};
    return hpp__modules_hold(address);
}

bool hpp__modules_hold(uintptr_t address)
{
    return address >= CODE && address < CODE + CODE_BYTES;
}

uint32_t hpp__modules_new_generation(void)
{
    return ++hpp__generation;
}

hpp_cfi_found hpp__cfi_row(hpp_cfi_row *out, const hpp_cfi_tables *tables, uintptr_t pc)
{
    (void)tables;
    asked_pc = pc;
    *out = row;
    return found;
}

/* --- a stack ---------------------------------------------------------------------------------- */

enum { N_WORDS = 64 };

static uintptr_t space[16 + N_WORDS];
static uintptr_t *const stack = space + 16;
static hpp_word noted[HPP_MAX_STEP_WORDS];
static uint32_t n_noted;

/* CFA = sp + 32, the return address below it, fp at CFA - 16. */
static void usual_row(void)
{
    row = (hpp_cfi_row){.cfa_register = HPP_CFI_SP,
                        .return_register = HPP_CFI_RETURN,
                        .cfa_value = 32,
                        .begin = CODE,
                        .end = CODE + CODE_BYTES};
    row.kind[HPP_CFI_RETURN] = row.kind[HPP_CFI_FP] = HPP_CFI_AT_CFA;
    row.value[HPP_CFI_RETURN] = -8;
    row.value[HPP_CFI_FP] = -16;
    found = HPP_CFI_FOUND;
    space[15] = CODE + 0xff;
    for (unsigned i = 0; i < N_WORDS; i++) {
        stack[i] = CODE + 0x100 + i;
    }
    n_noted = 0;
}

TestSuite(unwind, .init = usual_row);

static hpp_walk walk_here(void)
{
    return (hpp_walk){.pc = CODE + 0x20,
                      .sp = (uintptr_t)stack,
                      .fp = (uintptr_t)(stack + 10),
                      .memory = {(uintptr_t)stack, (uintptr_t)(stack + N_WORDS), 0}};
}

static hpp_full_walk full_walk_here(void)
{
    hpp_full_walk walk = {.memory = {(uintptr_t)stack, (uintptr_t)(stack + N_WORDS), 0}};
    walk.registers.known = ((uint64_t)1 << HPP_CFI_N_REGISTERS) - 1;
    walk.registers.value[HPP_CFI_PC] = CODE + 0x20;
    walk.registers.value[HPP_CFI_SP] = (uintptr_t)stack;
    walk.registers.value[HPP_CFI_FP] = (uintptr_t)(stack + 10);
    return walk;
}

static hpp_step step(hpp_walk *walk, hpp_unwind_rule_kind kind)
{
    return hpp__walk_step(walk, (hpp_unwind_rule)kind, noted, &n_noted);
}

static void expect_word(uint32_t i, const uintptr_t *place)
{
    cr_assert(lt(u32, i, n_noted));
    cr_assert(eq(u64, noted[i].address, (uintptr_t)place));
    cr_assert(eq(u64, noted[i].value, *place));
}

/* --- rows ------------------------------------------------------------------------------------- */

Test(unwind, a_row_gives_the_caller_and_the_words_that_it_needed)
{
    hpp_walk walk = walk_here();
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_UP));
    cr_assert(eq(u64, asked_pc, CODE + 0x1f));
    cr_assert(eq(u64, walk.pc, stack[3]));
    cr_assert(eq(u64, walk.sp, (uintptr_t)(stack + 4)));
    cr_assert(eq(u64, walk.fp, stack[2]));
    cr_assert(eq(u64, walk.fp_slot, (uintptr_t)(stack + 2)));
    cr_assert(not(walk.fp_is_noted));
    cr_assert(not(walk.is_exact));
    cr_assert(eq(u32, n_noted, 1));
    expect_word(0, stack + 3);
}

Test(unwind, a_frame_that_fp_finds_depends_on_it)
{
    hpp_walk walk = walk_here();
    row.cfa_register = HPP_CFI_FP;
    walk.fp_slot = 77;
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_UP));
    cr_assert(eq(u64, walk.sp, (uintptr_t)(stack + 14)));
    cr_assert(eq(u64, walk.pc, stack[13]));
    cr_assert(eq(u32, n_noted, 2));
    cr_assert(eq(u64, noted[0].address, 77));
    cr_assert(eq(u64, noted[0].value, (uintptr_t)(stack + 10)));
    expect_word(1, stack + 13);
}

/* fp itself is known only when it is needed; the stack pointer and the pc are known then too. */
Test(unwind, a_saved_fp_that_needs_fp_and_other_registers)
{
    /* the words at fp + 8, and at fp - fp + sp + 16, and at fp - fp + pc - pc + sp + 24 */
    enum { FP = 0x70 + HPP_CFI_FP, PC = HPP_CFI_PC, BREGX = 0x92 };
    static const uint8_t by_fp[] = {2, FP, 8};
    static const uint8_t by_sp[] = {7, FP, 0, FP, 0, 0x1c, 0x22, 0x96};
    static const uint8_t by_pc[] = {11, FP, 0, BREGX, PC, 0, BREGX, PC, 0, 0x1c, 0x22, 0x96};
    const uint8_t *const expressions[] = {by_fp, by_sp, by_pc};
    const uintptr_t *const places[] = {stack + 11, stack + 4, stack + 10};
    for (unsigned i = 0; i < 3; i++) {
        hpp_walk walk = walk_here();
        n_noted = 0;
        row.kind[HPP_CFI_FP] = HPP_CFI_AT_EXPRESSION;
        row.value[HPP_CFI_FP] = (int64_t)(uintptr_t)expressions[i];
        if (i == 1) { /* CFA + (fp - fp) */
            walk.fp_slot = 99;
        }
        cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_UP), "%u", i);
        cr_assert(eq(u64, walk.fp_slot, (uintptr_t)places[i]), "%u", i);
        cr_assert(eq(u64, walk.fp, *places[i]), "%u", i);
        cr_assert(eq(u64, walk.sp, (uintptr_t)(stack + 4)), "%u", i);
        cr_assert(eq(u32, n_noted, 2), "%u", i);
        cr_assert(eq(u64, noted[0].value, (uintptr_t)(stack + 10)), "%u", i);
        expect_word(1, stack + 3);
    }
}

Test(unwind, other_registers_are_for_full_walks)
{
    hpp_walk walk = walk_here();
    row.cfa_register = HPP_CFI_PRESERVED;
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_HARD));
    usual_row();
    row.kind[HPP_CFI_FP] = HPP_CFI_IN_REGISTER;
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_HARD));
    usual_row();
    row.kind[HPP_CFI_FP] = HPP_CFI_SAME;
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_UP));
    cr_assert(eq(u64, walk.fp, (uintptr_t)(stack + 10)));
    cr_assert(eq(u64, walk.fp_slot, 0));
}

Test(unwind, ends_and_losses)
{
    hpp_walk walk = walk_here();
    row.kind[HPP_CFI_RETURN] = HPP_CFI_UNDEFINED;
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_END));
    usual_row();
    stack[3] = 0;
    walk = walk_here();
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_END));
    usual_row();
    row.cfa_value = 0; /* not further */
    walk = walk_here();
    walk.memory.low -= 64;
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_LOST));
    usual_row();
    found = HPP_CFI_BROKEN;
    walk = walk_here();
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_LOST));
    found = HPP_CFI_FOUND;
    walk.pc = 0x1000;
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_LOST));
    walk = walk_here();
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_END), HPP_STEP_END));
    walk.memory = (hpp_memory){0};
    walk.sp = 16; /* not mapped */
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_LOST));
}

Test(unwind, frames_of_signals_may_go_back_and_are_exact)
{
    hpp_walk walk = walk_here();
    row.is_signal = true;
    row.cfa_value = -64;
    walk.sp = (uintptr_t)(stack + 20);
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_UP));
    cr_assert(eq(u64, walk.sp, (uintptr_t)(stack + 12)));
    cr_assert(walk.is_exact);
    cr_assert(eq(int, walk.n_jumps, 1));
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_UP));
    cr_assert(eq(u64, asked_pc, stack[11]));
    walk.n_jumps = 64;
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_LOST));
}

/* --- realigned stacks ------------------------------------------------------------------------- */

static hpp_unwind_rule realigned(int cfa_words, int fp_words)
{
    return HPP_UNWIND_RULE_FP_AT | (uint64_t)(uint32_t)(cfa_words * 256) |
           (uint64_t)(uint16_t)fp_words << 32;
}

Test(unwind, a_realigned_stack_is_found_by_the_word_below_fp)
{
    hpp_walk walk = walk_here();
    stack[9] = (uintptr_t)(stack + 20);
    stack[10] = 4242;
    cr_assert(eq(int, hpp__walk_step(&walk, realigned(-1, 0), noted, &n_noted), HPP_STEP_UP));
    cr_assert(eq(u64, walk.sp, (uintptr_t)(stack + 20)));
    cr_assert(eq(u64, walk.pc, stack[19]));
    cr_assert(eq(u64, walk.fp, 4242));
    cr_assert(eq(u64, walk.fp_slot, (uintptr_t)(stack + 10)));
    cr_assert(not(walk.fp_is_noted));
    cr_assert(eq(u32, n_noted, 3));
    expect_word(1, stack + 9);
    expect_word(2, stack + 19);
    stack[9]++;
    walk = walk_here();
    cr_assert(eq(int, hpp__walk_step(&walk, realigned(-1, 0), noted, &n_noted), HPP_STEP_LOST));
    stack[9] = (uintptr_t)(stack + 20);
    stack[19] = 0;
    walk = walk_here();
    n_noted = 0;
    cr_assert(eq(int, hpp__walk_step(&walk, realigned(-1, 0), noted, &n_noted), HPP_STEP_END));
}

/* --- frame pointers --------------------------------------------------------------------------- */

Test(unwind, a_frame_pointer_is_followed_to_a_plausible_frame)
{
    hpp_walk walk = walk_here();
    stack[10] = (uintptr_t)(stack + 30);
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_NONE), HPP_STEP_UP));
    cr_assert(eq(u64, walk.pc, stack[11]));
    /* The caller's frame record is 16 bytes below its CFA, which is 32 above its stack pointer. */
    cr_assert(eq(u64, walk.sp, (uintptr_t)(HPP_CALL_PUSHES ? stack + 12 : stack + 28)));
    cr_assert(eq(u64, walk.fp, (uintptr_t)(stack + 30)));
    cr_assert(eq(u64, walk.fp_slot, (uintptr_t)(stack + 10)));
    cr_assert(walk.is_guessed);
    cr_assert(eq(u32, n_noted, 2));
    expect_word(1, stack + 11);
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_UP));
    cr_assert(not(walk.is_guessed));
}

Test(unwind, frame_pointers_that_are_no_frames)
{
    static const struct {
        int distance; /* in bytes from the stack pointer */
        hpp_step outcome;
    } cases[] = {{80, HPP_STEP_UP}, {0, HPP_STEP_UP}, {81, HPP_STEP_LOST}, {-8, HPP_STEP_LOST}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpp_walk walk = walk_here();
        hpp_full_walk full = full_walk_here();
        n_noted = 0;
        walk.memory.low = full.memory.low = (uintptr_t)stack - 64;
        walk.fp = (uintptr_t)((char *)stack + cases[i].distance);
        full.registers.value[HPP_CFI_FP] = walk.fp;
        found = HPP_CFI_NONE;
        cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_NONE), cases[i].outcome), "case %zu", i);
        cr_assert(eq(int, hpp__full_walk_step(&full), cases[i].outcome), "case %zu", i);
    }
    hpp_walk walk = walk_here();
    walk.fp = 0; /* of the outermost frame */
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_NONE), HPP_STEP_END));
}

Test(unwind, far_frames_are_no_frames)
{
    enum { MIB = 1 << 20 };
    uintptr_t *far =
        mmap(NULL, 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(ne(ptr, far, MAP_FAILED));
    for (unsigned words = 0; words < 2; words++) {
        hpp_walk walk = {.pc = 1, .sp = (uintptr_t)far, .fp = (uintptr_t)(far + MIB / 8 + words)};
        far[MIB / 8 + 1 + words] = CODE + 1;
        n_noted = 0;
        cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_NONE), words ? HPP_STEP_LOST : HPP_STEP_UP));
    }
    munmap(far, 2 * MIB);
}

/* Code without an object, as a compiler at run time makes it: a call must be in front. */
Test(unwind, callers_in_no_object_follow_a_call)
{
    static const struct {
        uint8_t code[8];
        bool is_call;
    } cases[] = {
#if defined(__aarch64__)
        {{0x1f, 0x20, 0x03, 0xd5, 0x01, 0x02, 0x03, 0x94}, true},  /* bl */
        {{0x1f, 0x20, 0x03, 0xd5, 0x01, 0x02, 0x03, 0x14}, false}, /* b */
        {{0x1f, 0x20, 0x03, 0xd5, 0x60, 0x00, 0x3f, 0xd6}, true},  /* blr x3 */
        {{0x1f, 0x20, 0x03, 0xd5, 0x60, 0x00, 0x1f, 0xd6}, false}, /* br x3 */
        {{0x1f, 0x20, 0x03, 0xd5, 0x7f, 0x08, 0x3f, 0xd6}, true},  /* blraaz x3 */
        {{0x1f, 0x20, 0x03, 0xd5, 0x64, 0x0c, 0x3f, 0xd7}, true},  /* blrab x3, x4 */
        {{0x01, 0x02, 0x03, 0x94, 0x1f, 0x20, 0x03, 0xd5}, false},
#else
        {{0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4}, true},
        {{0x90, 0x90, 0xe8, 0x90, 1, 2, 3, 4}, false},
        {{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0}, true},  /* call *%rax */
        {{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0}, false}, /* jmp *%rax */
        {{0x90, 0xff, 0x94, 0xc8, 1, 2, 3, 4}, true},              /* call *d32(%rax,%rcx,8) */
        {{0xff, 0x94, 0x90, 0x90, 1, 2, 3, 4}, false},
        {{0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff}, false},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpp_walk walk = walk_here();
        stack[10] = 0;
        stack[11] = (uintptr_t)(cases[i].code + 8);
        n_noted = 0;
        cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_NONE),
                     cases[i].is_call ? HPP_STEP_UP : HPP_STEP_LOST),
                  "case %zu", i);
        hpp_full_walk full = full_walk_here();
        full.registers.value[HPP_CFI_PC] = 1;
        cr_assert(
            eq(int, hpp__full_walk_step(&full), cases[i].is_call ? HPP_STEP_UP : HPP_STEP_LOST),
            "case %zu", i);
    }
}

/* --- full walks ------------------------------------------------------------------------------- */

Test(unwind, a_full_walk_gives_all_registers)
{
    hpp_full_walk walk = full_walk_here();
    walk.registers.value[HPP_CFI_PRESERVED] = 1234;
    row.cfa_register = HPP_CFI_PRESERVED;
    row.kind[12] = HPP_CFI_UNDEFINED;
    walk.registers.value[HPP_CFI_PRESERVED] = (uintptr_t)(stack + 20);
    cr_assert(eq(int, hpp__full_walk_step(&walk), HPP_STEP_UP));
    cr_assert(eq(u64, asked_pc, CODE + 0x1f));
    cr_assert(eq(u64, hpp__full_walk_sp(&walk), (uintptr_t)(stack + 24)));
    cr_assert(eq(u64, hpp__full_walk_pc(&walk), stack[23]));
    cr_assert(eq(u64, walk.registers.value[HPP_CFI_FP], stack[22]));
    cr_assert(eq(u64, walk.registers.value[HPP_CFI_PRESERVED], (uintptr_t)(stack + 20)));
    uint64_t all = ((uint64_t)1 << HPP_CFI_N_REGISTERS) - 1;
    cr_assert(eq(u64, walk.registers.known, all & ~((uint64_t)1 << 12)));
    cr_assert(eq(u32, walk.module_number, 5));
}

/* The registers that calls preserve, by their numbers: rbx, rbp, rsp, r12 to r15; x19 to x30, sp;
 * and the pc. */
Test(unwind, a_full_walk_begins_with_the_registers_that_calls_preserve)
{
    uintptr_t here = 0;
    hpp_full_walk walk;
    cr_assert(not(hpp__full_walk_begin_here(&walk, 0, 0, (hpp_memory){0, 0, 0})));
#if defined(__aarch64__)
    cr_assert(eq(u64, walk.registers.known, (uint64_t)0x3fff << 19));
#else
    cr_assert(eq(u64, walk.registers.known, 1u << 3 | 1u << 6 | 1u << 7 | 0xfu << 12 | 1u << 16));
#endif
    cr_assert(lt(u64, walk.registers.value[HPP_CFI_SP], (uintptr_t)&here));
    cr_assert(gt(u64, walk.registers.value[HPP_CFI_SP], (uintptr_t)&here - 4096));
    cr_assert(walk.is_exact);
}

Test(unwind, a_full_walk_ends_or_is_lost)
{
    hpp_full_walk walk = full_walk_here();
    stack[3] = 0;
    cr_assert(eq(int, hpp__full_walk_step(&walk), HPP_STEP_END));
    usual_row();
    walk = full_walk_here();
    row.kind[HPP_CFI_RETURN] = HPP_CFI_UNDEFINED;
    cr_assert(eq(int, hpp__full_walk_step(&walk), HPP_STEP_END));
    usual_row();
    walk = full_walk_here();
    walk.registers.known = (uint64_t)1 << HPP_CFI_PC;
    cr_assert(eq(int, hpp__full_walk_step(&walk), HPP_STEP_HARD));
    walk = full_walk_here();
    row.cfa_value = 0;
    walk.memory.low -= 64;
    cr_assert(eq(int, hpp__full_walk_step(&walk), HPP_STEP_LOST));
    row.is_signal = true;
    walk = full_walk_here();
    walk.memory.low -= 64;
    cr_assert(eq(int, hpp__full_walk_step(&walk), HPP_STEP_UP));
    cr_assert(walk.is_exact);
    usual_row();
    found = HPP_CFI_NONE;
    walk = full_walk_here();
    walk.registers.known = (uint64_t)1 << HPP_CFI_PC | (uint64_t)1 << HPP_CFI_SP;
    cr_assert(eq(int, hpp__full_walk_step(&walk), HPP_STEP_LOST));
    walk = full_walk_here();
    walk.registers.value[HPP_CFI_FP] = 0;
    cr_assert(eq(int, hpp__full_walk_step(&walk), HPP_STEP_END));
    walk = full_walk_here();
    stack[10] = 55;
    cr_assert(eq(int, hpp__full_walk_step(&walk), HPP_STEP_UP));
    cr_assert(walk.is_guessed);
    uint64_t known =
        (uint64_t)1 << HPP_CFI_FP | (uint64_t)1 << HPP_CFI_SP | (uint64_t)1 << HPP_CFI_PC;
    cr_assert(eq(u64, walk.registers.known, known));
    cr_assert(eq(u64, walk.registers.value[HPP_CFI_FP], 55));
    cr_assert(eq(u64, hpp__full_walk_sp(&walk), (uintptr_t)(stack + 12)));
    cr_assert(eq(u64, hpp__full_walk_pc(&walk), stack[11]));
}

/* --- rules ------------------------------------------------------------------------------------ */

static hpp_unwind_rule rule_of_row(void)
{
    return hpp__unwind_rules_from_row(&row, &(hpp_module){.number = 9});
}

Test(unwind, rows_of_compilers_become_rules)
{
    hpp_unwind_rule rule = rule_of_row();
    cr_assert(eq(int, hpp__unwind_rule_kind(rule), HPP_UNWIND_RULE_SP));
    cr_assert(eq(i64, hpp__unwind_rule_cfa_offset(rule), 32));
    cr_assert(eq(i64, hpp__unwind_rule_fp_offset(rule), -16));
    cr_assert(eq(u32, hpp__unwind_rule_module(rule), 9));
    cr_assert(not(hpp__unwind_rule_is_loader(rule)));
    cr_assert(hpp__unwind_rule_is_loader(
        hpp__unwind_rules_from_row(&row, &(hpp_module){.is_loader = true})));
    row.kind[HPP_CFI_FP] = HPP_CFI_SAME;
    row.cfa_register = HPP_CFI_FP;
    row.cfa_value = -16;
    rule = rule_of_row();
    cr_assert(eq(int, hpp__unwind_rule_kind(rule), HPP_UNWIND_RULE_FP));
    cr_assert(eq(i64, hpp__unwind_rule_cfa_offset(rule), -16));
    cr_assert(hpp__unwind_rule_keeps_fp(rule));
    row.kind[HPP_CFI_RETURN] = HPP_CFI_UNDEFINED;
    cr_assert(eq(int, hpp__unwind_rule_kind(rule_of_row()), HPP_UNWIND_RULE_END));
}

/* An offset that a rule cannot hold is left to the row. */
Test(unwind, rules_hold_whole_and_near_words_only)
{
    static const struct {
        int64_t cfa, fp;
        bool is_easy;
    } cases[] = {
        {8 * ((1 << 23) - 1), -16, true},
        {-8 * ((1 << 23) - 1), -16, true},
        {8 << 23, -16, false},
        {-8 * (1 << 23), -16, false},
        {36, -16, false},
        {32, -20, false},
        {32, 8 * 32767, true},
        {32, -8 * 32767, true},
        {32, 8 * 32768, false},
        {32, -8 * 32768, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        row.cfa_value = cases[i].cfa;
        row.value[HPP_CFI_FP] = cases[i].fp;
        row.value[HPP_CFI_RETURN] = HPP_CALL_PUSHES ? -8 : cases[i].fp + 8;
        hpp_unwind_rule rule = rule_of_row();
        cr_assert(eq(int, hpp__unwind_rule_kind(rule),
                     cases[i].is_easy ? HPP_UNWIND_RULE_SP : HPP_UNWIND_RULE_HARD),
                  "case %zu", i);
        if (cases[i].is_easy) {
            cr_assert(eq(i64, hpp__unwind_rule_cfa_offset(rule), cases[i].cfa), "case %zu", i);
            cr_assert(eq(i64, hpp__unwind_rule_fp_offset(rule), cases[i].fp), "case %zu", i);
        }
    }
}

Test(unwind, unusual_rows_are_hard)
{
    for (unsigned i = 0; i < 7; i++) {
        usual_row();
        switch (i) {
        case 0:
            row.is_signal = true;
            break;
        case 1:
            row.return_register = 3;
            break;
        case 2:
            row.kind[HPP_CFI_RETURN] = HPP_CFI_SAME;
            break;
        case 3:
            row.value[HPP_CFI_RETURN] = -16;
            break;
        case 4:
            row.kind[HPP_CFI_SP] = HPP_CFI_AT_CFA;
            break;
        case 5:
            row.cfa_register = HPP_CFI_PRESERVED;
            break;
        default:
            row.kind[HPP_CFI_FP] = HPP_CFI_IN_REGISTER;
            break;
        }
        cr_assert(eq(int, hpp__unwind_rule_kind(rule_of_row()), HPP_UNWIND_RULE_HARD), "%u", i);
    }
}

#if HPP_CALL_PUSHES
Test(unwind, realigned_rows)
{
    static const struct {
        uint8_t cfa[20], fp[20];
        bool is_easy;
    } cases[] = {
        {{3, 0x76, 0x78, 0x06}, {2, 0x76, 0}, true},
        {{3, 0x76, 0x7c, 0x06}, {2, 0x76, 0}, false}, /* no whole word */
        {{3, 0x76, 0x78, 0x06}, {2, 0x76, 4}, false},
        {{3, 0x77, 0x78, 0x06}, {2, 0x76, 0}, false}, /* sp */
        {{3, 0x76, 0x78, 0x06}, {2, 0x77, 0}, false},
        {{3, 0x76, 0x78, 0x12}, {2, 0x76, 0}, false}, /* no dereference */
        {{2, 0x76, 0x78}, {2, 0x76, 0}, false},
        {{3, 0x76, 0x78, 0x06}, {3, 0x76, 0, 0x06}, false},
        {{17, 0x76, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
          0xff, 0x7f, 0x06},
         {2, 0x76, 0},
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        row.cfa_is_expression = true;
        row.cfa_value = (int64_t)(uintptr_t)cases[i].cfa;
        row.kind[HPP_CFI_FP] = HPP_CFI_AT_EXPRESSION;
        row.value[HPP_CFI_FP] = (int64_t)(uintptr_t)cases[i].fp;
        hpp_unwind_rule rule = rule_of_row();
        cr_assert(eq(int, hpp__unwind_rule_kind(rule),
                     cases[i].is_easy ? HPP_UNWIND_RULE_FP_AT : HPP_UNWIND_RULE_HARD),
                  "case %zu", i);
        if (cases[i].is_easy) {
            cr_assert(eq(i64, hpp__unwind_rule_cfa_offset(rule), -8));
            cr_assert(eq(i64, hpp__unwind_rule_fp_offset(rule), 0));
        }
    }
    row.kind[HPP_CFI_FP] = HPP_CFI_AT_CFA;
    row.cfa_value = (int64_t)(uintptr_t)cases[0].cfa;
    cr_assert(eq(int, hpp__unwind_rule_kind(rule_of_row()), HPP_UNWIND_RULE_HARD));
}
#else
/* A frame record holds both; where the frame pointer is kept, the return address may be anywhere.
 */
Test(unwind, rows_of_frame_records)
{
    row.value[HPP_CFI_FP] = -32;
    row.value[HPP_CFI_RETURN] = -24;
    hpp_unwind_rule rule = rule_of_row();
    cr_assert(eq(int, hpp__unwind_rule_kind(rule), HPP_UNWIND_RULE_SP));
    cr_assert(eq(i64, hpp__unwind_rule_fp_offset(rule), -32));
    cr_assert(eq(i64, hpp__unwind_rule_return_offset(rule), -24));
    row.kind[HPP_CFI_FP] = HPP_CFI_SAME;
    rule = rule_of_row();
    cr_assert(hpp__unwind_rule_keeps_fp(rule));
    cr_assert(eq(i64, hpp__unwind_rule_return_offset(rule), -24));
}

/* The code of a return address that was signed is no part of the address, but of the word that the
 * walk depended on. */
Test(unwind, signed_return_addresses)
{
    hpp_walk walk = walk_here();
    stack[3] = (CODE + 0x44) | (uintptr_t)0x7fab << 48;
    cr_assert(eq(int, step(&walk, HPP_UNWIND_RULE_HARD), HPP_STEP_UP));
    cr_assert(eq(u64, walk.pc, CODE + 0x44));
    cr_assert(eq(u64, noted[0].value, stack[3]));
    walk = walk_here();
    cr_assert(eq(int, hpp__walk_step(&walk, rule_of_row(), noted, &n_noted), HPP_STEP_UP));
    cr_assert(eq(u64, walk.pc, CODE + 0x44));
    hpp_full_walk full = full_walk_here();
    cr_assert(eq(int, hpp__full_walk_step(&full), HPP_STEP_UP));
    cr_assert(eq(u64, hpp__full_walk_pc(&full), CODE + 0x44));
}
#endif

Test(unwind, rules_are_kept_for_a_generation)
{
    hpp_unwind_rule rule = hpp__unwind_rules_find(CODE);
    cr_assert(eq(u64, rule, hpp__unwind_rules_from_row(&row, &(hpp_module){.number = 5})));
    row.cfa_value = 64;
    cr_assert(eq(u64, hpp__unwind_rules_find(CODE), rule));
    hpp__unwind_rules_new_generation();
    cr_assert(eq(i64, hpp__unwind_rule_cfa_offset(hpp__unwind_rules_find(CODE)), 64));
    hpp__generation = (1 << 16) - 1; /* keys have 16 bits of it */
    rule = hpp__unwind_rules_find(CODE);
    for (unsigned i = 0; i <= 1 << 16; i++) {
        hpp__unwind_rules_new_generation();
    }
    row.cfa_value = 72;
    cr_assert(eq(i64, hpp__unwind_rule_cfa_offset(hpp__unwind_rules_find(CODE)), 72));
    cr_assert(eq(u64, hpp__unwind_rules_find(1), HPP_UNWIND_RULE_NONE));
    found = HPP_CFI_NONE;
    cr_assert(eq(u64, hpp__unwind_rules_find(CODE + 1), HPP_UNWIND_RULE_NONE | (uint64_t)5 << 48));
}

Test(unwind, many_rules_use_more_pages)
{
    enum { N_FIRST = 1 << (HPP_UNWIND_RULE_FIRST_BITS + HPP_UNWIND_RULE_LINE_BITS) };
    hpp_unwind_rule rule = hpp__unwind_rules_find(CODE);
    for (uintptr_t i = 0; i < N_FIRST; i++) {
        hpp__unwind_rules_find(CODE + i * 64);
    }
    for (size_t i = N_FIRST; i < HPP_UNWIND_RULE_LINES; i++) {
        cr_assert(eq(u64, hpp__unwind_rule_lines[i].key[0], 0));
    }
    for (uintptr_t i = 0; i < 300 * N_FIRST; i++) {
        hpp__unwind_rules_find(CODE + i * 64);
    }
    cr_assert(eq(u32, hpp__unwind_rule_page_bits, HPP_UNWIND_RULE_PAGE_BITS));
    cr_assert(eq(u64, hpp__unwind_rules_find(CODE), rule));
    cr_assert(eq(u64, hpp__unwind_rule_line(CODE)->key[0], hpp__unwind_rule_key(CODE)));
}

/* A line has four places. A place that is being written is skipped, and stays. */
Test(unwind, places_that_are_being_written_are_left_alone)
{
    hpp_unwind_rule_line *line = hpp__unwind_rule_line(CODE);
    for (unsigned i = 0; i < HPP_UNWIND_RULES_PER_LINE; i++) {
        line->key[i] = 1;
        line->rule[i] = 1000 + i;
    }
    hpp__unwind_rules_find(CODE);
    for (unsigned i = 0; i < HPP_UNWIND_RULES_PER_LINE; i++) {
        cr_assert(eq(u64, line->key[i], 1));
        cr_assert(eq(u64, line->rule[i], 1000 + i));
    }
    line->key[2] = 0;
    hpp_unwind_rule rule = hpp__unwind_rules_find(CODE);
    cr_assert(eq(u64, line->key[2], hpp__unwind_rule_key(CODE)));
    cr_assert(eq(u64, line->rule[2], rule));
    hpp__generation = (1 << 16) - 1;
    hpp__unwind_rules_new_generation(); /* clears all others */
    cr_assert(eq(u64, line->key[2], 0));
    cr_assert(eq(u64, line->key[1], 1));
}

/* --- memory ----------------------------------------------------------------------------------- */

Test(unwind, words_are_readable_up_to_the_end_of_a_page)
{
    enum { PAGE = 4096 };
    char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(ne(ptr, pages, MAP_FAILED));
    cr_assert(zero(int, mprotect(pages, PAGE, PROT_NONE)));
    uintptr_t begin = (uintptr_t)pages + PAGE;
    for (unsigned i = 0; i < 2; i++) { /* second: with a readable page after it */
        if (i == 0) {
            cr_assert(zero(int, mprotect(pages + 2 * PAGE, PAGE, PROT_NONE)));
        } else {
            cr_assert(zero(int, mprotect(pages + 2 * PAGE, PAGE, PROT_READ)));
        }
        for (unsigned at = 0; at <= PAGE; at++) {
            hpp_memory memory = {0};
            bool is_expected = i == 1 || at + 8 <= PAGE;
            cr_assert(eq(int, hpp__memory_has(&memory, begin + at), is_expected), "at %u", at);
        }
        for (unsigned back = 1; back < 9; back++) {
            hpp_memory memory = {0};
            cr_assert(not(hpp__memory_has(&memory, begin - back)));
        }
    }
    hpp_memory memory = {0};
    cr_assert(not(hpp__memory_has(&memory, 0)));
    cr_assert(not(hpp__memory_has(&memory, UINTPTR_MAX - 3)));
    munmap(pages, 3 * PAGE);
}

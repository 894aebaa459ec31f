/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The rarer rules: aligned stacks, signal frames, expressions, and code without unwind information,
 * where the frame pointer is followed if what it points to looks like a frame.
 */
#include "unwind.h"

#include <ucontext.h>

/* ---- without unwind information ------------------------------------------------------------ */

enum { MAX_CALL_BYTES = 7, MAX_GUESSED_FRAME_BYTES = 1 << 20 };

/* Whether the bytes before an address end with a call: E8 rel32, or FF /2 with one of the lengths
 * that it can have. */
static bool is_behind_call(hpp_memory *memory, uintptr_t address)
{
    uintptr_t before;
    if (address < 4096 || !hpp__memory_read(&before, memory, address - 8)) {
        return false;
    }
    uint8_t code[8];
    for (unsigned i = 0; i < 8; i++) {
        code[i] = (uint8_t)(before >> 8 * i);
    }
    if (code[3] == 0xe8) {
        return true;
    }
    for (unsigned n = 2; n <= MAX_CALL_BYTES; n++) {
        if (code[8 - n] == 0xff && (code[9 - n] >> 3 & 7) == 2) {
            return true;
        }
    }
    return false;
}

typedef struct guess {
    uintptr_t pc, sp, rbp;
} guess;

/* Reads the frame that rbp points to, if it is plausible. (In the outermost frame, rbp is 0: ABI,
 * section 3.4.1.) */
static bool read_guess(guess *out, hpp_memory *memory, uintptr_t sp, uintptr_t rbp)
{
    out->sp = rbp + 16;
    return rbp >= sp && rbp - sp <= MAX_GUESSED_FRAME_BYTES && rbp % 8 == 0 &&
           hpp__memory_read(&out->rbp, memory, rbp) && hpp__memory_read(&out->pc, memory, rbp + 8);
}

static bool is_plausible(const guess *caller, hpp_memory *memory)
{
    return hpp__modules_hold(caller->pc) || is_behind_call(memory, caller->pc);
}

static hpp_step step_by_guess(hpp_walk *walk, hpp_word *words, uint32_t *n_words)
{
    guess caller;
    hpp__walk_note_rbp(walk, words, n_words);
    if (walk->rbp == 0) {
        return HPP_STEP_END;
    }
    if (!read_guess(&caller, &walk->memory, walk->sp, walk->rbp)) {
        return HPP_STEP_LOST;
    }
    words[(*n_words)++] = (hpp_word){walk->rbp + 8, caller.pc};
    if (!is_plausible(&caller, &walk->memory)) {
        return HPP_STEP_LOST;
    }
    walk->rbp_slot = walk->rbp;
    walk->rbp_is_noted = false;
    walk->pc = caller.pc;
    walk->sp = caller.sp;
    walk->rbp = caller.rbp;
    walk->is_exact = false;
    walk->is_guessed = true;
    return HPP_STEP_UP;
}

/* ---- rows of any kind ---------------------------------------------------------------------- */

/* Reads for an expression, and keeps what was read. */
typedef struct recorder {
    hpp_memory *memory;
    hpp_word *words;
    uint32_t n, max;
} recorder;

static bool read_and_record(uintptr_t *out, uintptr_t address, void *context)
{
    recorder *r = context;
    if (r->n == r->max || address == 0 || !hpp__memory_read(out, r->memory, address)) {
        return false;
    }
    r->words[r->n++] = (hpp_word){address, *out};
    return true;
}

/* Whether the caller's stack pointer makes sense. */
static bool is_further(const hpp_cfi_row *row, uintptr_t sp, uintptr_t caller_sp, uint8_t *n_jumps)
{
    bool may_switch = row->is_signal || row->cfa_is_expression || row->cfa_register != HPP_CFI_RSP;
    return caller_sp > sp || (may_switch && hpp__walk_may_jump(n_jumps));
}

/* The caller's rbp is the last word that was read, if the row says that it is saved. That word
 * decides nothing unless rbp comes to be needed. */
static void take_rbp(hpp_walk *walk, const hpp_cfi_registers *caller, recorder *r)
{
    walk->rbp = caller->value[HPP_CFI_RBP];
    walk->rbp_slot = r->words[--r->n].address;
    walk->rbp_is_noted = false;
}

static hpp_step step_by_row(hpp_walk *walk, const hpp_cfi_row *row, hpp_word *words,
                            uint32_t *n_words)
{
    hpp_cfi_registers registers = {.known = 1u << HPP_CFI_RSP | 1u << HPP_CFI_PC};
    registers.value[HPP_CFI_RSP] = walk->sp;
    registers.value[HPP_CFI_PC] = walk->pc;
    registers.value[HPP_CFI_RBP] = walk->rbp;
    unsigned rbp_kind = row->kind[HPP_CFI_RBP];
    bool is_saved = rbp_kind == HPP_CFI_AT_CFA || rbp_kind == HPP_CFI_AT_EXPRESSION;
    if (!is_saved && rbp_kind != HPP_CFI_SAME) {
        return HPP_STEP_HARD;
    }
    uint32_t wanted = is_saved ? 1u << HPP_CFI_RBP : 0;
    recorder r = {&walk->memory, words + *n_words, 0, HPP_MAX_STEP_WORDS - 1};
    hpp_cfi_step outcome = hpp__cfi_step_some(&registers, row, wanted, read_and_record, &r);
    if (outcome == HPP_CFI_UNKNOWN || (outcome == HPP_CFI_UP && wanted & ~registers.known)) {
        hpp__walk_note_rbp(walk, words, n_words);
        registers.value[HPP_CFI_RSP] = walk->sp;
        registers.value[HPP_CFI_PC] = walk->pc;
        registers.value[HPP_CFI_RBP] = walk->rbp;
        registers.known = 1u << HPP_CFI_RSP | 1u << HPP_CFI_PC | 1u << HPP_CFI_RBP;
        r = (recorder){&walk->memory, words + *n_words, 0, HPP_MAX_STEP_WORDS - 1};
        outcome = hpp__cfi_step_some(&registers, row, wanted, read_and_record, &r);
    }
    if (outcome == HPP_CFI_UNKNOWN || (outcome == HPP_CFI_UP && wanted & ~registers.known)) {
        return HPP_STEP_HARD;
    }
    if (outcome == HPP_CFI_TOP) {
        return HPP_STEP_END;
    }
    if (outcome == HPP_CFI_UP && is_saved) {
        take_rbp(walk, &registers, &r);
    }
    *n_words += r.n;
    if (outcome != HPP_CFI_UP || r.n == 0 ||
        !is_further(row, walk->sp, registers.value[HPP_CFI_RSP], &walk->n_jumps)) {
        return HPP_STEP_LOST;
    }
    walk->pc = registers.value[HPP_CFI_PC];
    walk->sp = registers.value[HPP_CFI_RSP];
    walk->is_exact = row->is_signal;
    walk->is_guessed = false;
    return walk->pc != 0 ? HPP_STEP_UP : HPP_STEP_END;
}

static hpp_step step_hard(hpp_walk *walk, hpp_word *words, uint32_t *n_words)
{
    hpp_module module;
    hpp_cfi_row row;
    if (!hpp__modules_find(&module, hpp__walk_place(walk)) ||
        hpp__cfi_row(&row, &module.tables, hpp__walk_place(walk)) != HPP_CFI_FOUND) {
        return HPP_STEP_LOST;
    }
    return step_by_row(walk, &row, words, n_words);
}

static hpp_step step_realigned(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                               uint32_t *n_words)
{
    hpp__walk_note_rbp(walk, words, n_words);
    uintptr_t place = walk->rbp + (uintptr_t)hpp__unwind_rule_cfa_offset(rule);
    uintptr_t slot = walk->rbp + (uintptr_t)hpp__unwind_rule_rbp_offset(rule);
    uintptr_t cfa;
    if (!hpp__memory_read(&cfa, &walk->memory, place) || cfa % 8 != 0 ||
        (cfa <= walk->sp && !hpp__walk_may_jump(&walk->n_jumps)) ||
        !hpp__memory_read(&walk->pc, &walk->memory, cfa - 8) ||
        !hpp__memory_read(&walk->rbp, &walk->memory, slot)) {
        return HPP_STEP_LOST;
    }
    words[(*n_words)++] = (hpp_word){place, cfa};
    words[(*n_words)++] = (hpp_word){cfa - 8, walk->pc};
    walk->rbp_slot = slot;
    walk->rbp_is_noted = false;
    walk->sp = cfa;
    walk->is_exact = false;
    walk->is_guessed = false;
    return walk->pc != 0 ? HPP_STEP_UP : HPP_STEP_END;
}

hpp_step hpp__walk_step_rarely(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                               uint32_t *n_words)
{
    switch (hpp__unwind_rule_kind(rule)) {
    case HPP_UNWIND_RULE_RBP_AT:
        return step_realigned(walk, rule, words, n_words);
    case HPP_UNWIND_RULE_END:
        return HPP_STEP_END;
    case HPP_UNWIND_RULE_HARD:
        return step_hard(walk, words, n_words);
    default:
        return step_by_guess(walk, words, n_words);
    }
}

/* ---- full walks ---------------------------------------------------------------------------- */

static bool read_for_full(uintptr_t *out, uintptr_t address, void *context)
{
    return hpp__memory_read(out, context, address);
}

static hpp_step full_step_by_guess(hpp_full_walk *walk)
{
    guess caller;
    hpp_cfi_registers *registers = &walk->registers;
    if (!(registers->known >> HPP_CFI_RBP & 1)) {
        return HPP_STEP_LOST;
    }
    if (registers->value[HPP_CFI_RBP] == 0) {
        return HPP_STEP_END;
    }
    if (!read_guess(&caller, &walk->memory, registers->value[HPP_CFI_RSP],
                    registers->value[HPP_CFI_RBP]) ||
        !is_plausible(&caller, &walk->memory)) {
        return HPP_STEP_LOST;
    }
    *registers =
        (hpp_cfi_registers){.known = 1u << HPP_CFI_RSP | 1u << HPP_CFI_PC | 1u << HPP_CFI_RBP};
    registers->value[HPP_CFI_PC] = caller.pc;
    registers->value[HPP_CFI_RSP] = caller.sp;
    registers->value[HPP_CFI_RBP] = caller.rbp;
    walk->is_exact = false;
    walk->is_guessed = true;
    return HPP_STEP_UP;
}

hpp_step hpp__full_walk_step(hpp_full_walk *walk)
{
    uintptr_t place = hpp__full_walk_pc(walk) - !walk->is_exact;
    hpp_module module;
    hpp_cfi_row row;
    walk->module_number = 0;
    if (!hpp__modules_find(&module, place)) {
        return full_step_by_guess(walk);
    }
    walk->module_number = module.number;
    if (hpp__cfi_row(&row, &module.tables, place) != HPP_CFI_FOUND) {
        return full_step_by_guess(walk);
    }
    if (hpp__unwind_rules_is_evaluator(place)) {
        return HPP_STEP_END;
    }
    uintptr_t sp = hpp__full_walk_sp(walk);
    switch (hpp__cfi_step(&walk->registers, &row, read_for_full, &walk->memory)) {
    case HPP_CFI_UP:
        break;
    case HPP_CFI_TOP:
        return HPP_STEP_END;
    case HPP_CFI_UNKNOWN:
        return HPP_STEP_HARD;
    default:
        return HPP_STEP_LOST;
    }
    walk->is_exact = row.is_signal;
    walk->is_guessed = false;
    if (!is_further(&row, sp, hpp__full_walk_sp(walk), &walk->n_jumps)) {
        return HPP_STEP_LOST;
    }
    return hpp__full_walk_pc(walk) != 0 ? HPP_STEP_UP : HPP_STEP_END;
}

void hpp__full_walk_begin_interrupted(hpp_full_walk *out, const void *context, hpp_memory memory)
{
    static const uint8_t place[HPP_CFI_N_REGISTERS] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
        REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    const ucontext_t *interrupted = context;
    *out = (hpp_full_walk){.memory = memory, .is_exact = true};
    for (unsigned i = 0; i < HPP_CFI_N_REGISTERS; i++) {
        out->registers.value[i] = (uintptr_t)interrupted->uc_mcontext.gregs[place[i]];
    }
    out->registers.known = (1u << HPP_CFI_N_REGISTERS) - 1;
}

/* The registers that calls preserve, as they are here. */
static inline __attribute__((always_inline)) void capture(hpp_cfi_registers *out)
{
    *out = (hpp_cfi_registers){.known = 1u << HPP_CFI_RBX | 1u << HPP_CFI_RBP | 1u << HPP_CFI_RSP |
                                        0xfu << HPP_CFI_R12 | 1u << HPP_CFI_PC};
    __asm__ volatile("movq %%rbx, 24(%0)\n\t"
                     "movq %%rbp, 48(%0)\n\t"
                     "movq %%rsp, 56(%0)\n\t"
                     "movq %%r12, 96(%0)\n\t"
                     "movq %%r13, 104(%0)\n\t"
                     "movq %%r14, 112(%0)\n\t"
                     "movq %%r15, 120(%0)\n\t"
                     "leaq 0(%%rip), %%rax\n\t"
                     "movq %%rax, 128(%0)"
                     :
                     : "r"(out->value)
                     : "rax", "memory");
}

HPP_NO_INLINE bool hpp__full_walk_begin_here(hpp_full_walk *out, uintptr_t pc, uintptr_t sp,
                                             hpp_memory memory)
{
    enum { MAX_OWN_FRAMES = 64 };
    *out = (hpp_full_walk){.memory = memory, .is_exact = true};
    capture(&out->registers);
    if (memory.end != 0) {
        out->memory.low = hpp__full_walk_sp(out); /* own frames are further down */
    }
    for (unsigned i = 0; i < MAX_OWN_FRAMES && hpp__full_walk_sp(out) < sp; i++) {
        if (hpp__full_walk_step(out) != HPP_STEP_UP) {
            return false;
        }
    }
    return hpp__full_walk_sp(out) == sp && hpp__full_walk_pc(out) == pc;
}

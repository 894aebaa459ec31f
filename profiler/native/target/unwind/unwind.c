/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The rarer rules: aligned stacks, signal frames, expressions, and code without unwind information,
 * where the frame pointer is followed if what it points to looks like a frame.
 */
#include "unwind.h"

/* ---- without unwind information ------------------------------------------------------------ */

enum { MAX_GUESSED_FRAME_BYTES = 1 << 20 };

static bool is_behind_call(hpp_memory *memory, uintptr_t address)
{
    uintptr_t before;
    return address >= 4096 && hpp__memory_read(&before, memory, address - 8) &&
           hpp__ends_with_call(before);
}

typedef struct guess {
    uintptr_t pc, sp, fp;
} guess;

/* Returns the stack pointer of the caller of the frame that `fp` points to. A frame record need not
 * be at the end of its frame: then the caller's own record shows where its frame is. */
static uintptr_t guess_sp(const guess *caller, uintptr_t fp)
{
    if (!HPP_CALL_PUSHES) {
        hpp_unwind_rule rule = hpp__unwind_rules_find(caller->pc - 1);
        uintptr_t sp = caller->fp - (uintptr_t)hpp__unwind_rule_fp_offset(rule) -
                       (uintptr_t)hpp__unwind_rule_cfa_offset(rule);
        if (hpp__unwind_rule_kind(rule) == HPP_UNWIND_RULE_SP && !hpp__unwind_rule_keeps_fp(rule) &&
            sp > fp) {
            return sp;
        }
    }
    return fp + 16;
}

/* Reads the frame that fp points to, if it is plausible. `return_word` is from the stack. (In the
 * outermost frame, fp is 0: AMD64 ABI, section 3.4.1; AAPCS64, section 6.4.6.) */
static bool read_guess(guess *out, uintptr_t *return_word, hpp_memory *memory, uintptr_t sp,
                       uintptr_t fp)
{
    if (fp < sp || fp - sp > MAX_GUESSED_FRAME_BYTES || fp % 8 != 0 ||
        !hpp__memory_read(&out->fp, memory, fp) || !hpp__memory_read(return_word, memory, fp + 8)) {
        return false;
    }
    out->pc = hpp__return_address(*return_word);
    out->sp = guess_sp(out, fp);
    return true;
}

/* Finds the row of the code that returns from a signal handler, where it has no tables. */
static bool find_signal_row(hpp_cfi_row *out, hpp_memory *memory, uintptr_t pc)
{
    uintptr_t code;
    if (HPP_SIGNAL_REGISTERS == 0 || !hpp__memory_read(&code, memory, pc) ||
        !hpp__is_end_of_signal(code)) {
        return false;
    }
    *out = (hpp_cfi_row){.is_signal = true,
                         .cfa_register = HPP_CFI_SP,
                         .cfa_value = HPP_SIGNAL_REGISTERS,
                         .return_register = HPP_CFI_PC};
    for (unsigned i = 0; i < HPP_CFI_N_REGISTERS; i++) {
        out->kind[i] = HPP_CFI_AT_CFA;
        out->value[i] = 8 * (int64_t)i;
    }
    return true;
}

static bool is_plausible(const guess *caller, hpp_memory *memory)
{
    return hpp__modules_hold(caller->pc) || is_behind_call(memory, caller->pc);
}

static hpp_step step_by_guess(hpp_walk *walk, hpp_word *words, uint32_t *n_words)
{
    guess caller;
    hpp__walk_note_fp(walk, words, n_words);
    if (walk->fp == 0) {
        return HPP_STEP_END;
    }
    uintptr_t return_word;
    if (!read_guess(&caller, &return_word, &walk->memory, walk->sp, walk->fp)) {
        return HPP_STEP_LOST;
    }
    words[(*n_words)++] = (hpp_word){walk->fp + 8, return_word};
    if (!is_plausible(&caller, &walk->memory)) {
        return HPP_STEP_LOST;
    }
    walk->fp_slot = walk->fp;
    walk->fp_is_noted = false;
    walk->pc = caller.pc;
    walk->sp = caller.sp;
    walk->fp = caller.fp;
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

/* Returns whether the caller's stack pointer makes sense. */
static bool is_further(const hpp_cfi_row *row, bool is_exact, uintptr_t sp, uintptr_t caller_sp,
                       uint8_t *n_jumps)
{
    bool may_switch = row->is_signal || row->cfa_is_expression || row->cfa_register != HPP_CFI_SP;
    bool may_be_empty = !HPP_CALL_PUSHES && is_exact;
    return caller_sp > sp || (may_be_empty && caller_sp == sp) ||
           (may_switch && hpp__walk_may_jump(n_jumps));
}

/* Takes the caller's fp from the last word that was read, where the row has saved it. The unwind
 * depends on that word only if a later frame needs fp. */
static void take_fp(hpp_walk *walk, const hpp_cfi_registers *caller, recorder *r)
{
    walk->fp = caller->value[HPP_CFI_FP];
    walk->fp_slot = r->words[--r->n].address;
    walk->fp_is_noted = false;
}

static hpp_step step_by_row(hpp_walk *walk, const hpp_cfi_row *row, hpp_word *words,
                            uint32_t *n_words)
{
    hpp_cfi_registers registers = {.known = (uint64_t)1 << HPP_CFI_SP | (uint64_t)1 << HPP_CFI_PC};
    registers.value[HPP_CFI_SP] = walk->sp;
    registers.value[HPP_CFI_PC] = walk->pc;
    registers.value[HPP_CFI_FP] = walk->fp;
    unsigned fp_kind = row->kind[HPP_CFI_FP];
    bool is_saved = fp_kind == HPP_CFI_AT_CFA || fp_kind == HPP_CFI_AT_EXPRESSION;
    if (!is_saved && fp_kind != HPP_CFI_SAME) {
        return HPP_STEP_HARD;
    }
    uint64_t wanted = is_saved ? (uint64_t)1 << HPP_CFI_FP : 0;
    recorder r = {&walk->memory, words + *n_words, 0, HPP_MAX_STEP_WORDS - 1};
    hpp_cfi_step outcome = hpp__cfi_step_some(&registers, row, wanted, read_and_record, &r);
    if (outcome == HPP_CFI_UNKNOWN || (outcome == HPP_CFI_UP && wanted & ~registers.known)) {
        hpp__walk_note_fp(walk, words, n_words);
        registers.value[HPP_CFI_SP] = walk->sp;
        registers.value[HPP_CFI_PC] = walk->pc;
        registers.value[HPP_CFI_FP] = walk->fp;
        registers.known =
            (uint64_t)1 << HPP_CFI_SP | (uint64_t)1 << HPP_CFI_PC | (uint64_t)1 << HPP_CFI_FP;
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
        take_fp(walk, &registers, &r);
    }
    *n_words += r.n;
    if (outcome != HPP_CFI_UP || r.n == 0 ||
        !is_further(row, walk->is_exact, walk->sp, registers.value[HPP_CFI_SP], &walk->n_jumps)) {
        return HPP_STEP_LOST;
    }
    walk->pc = registers.value[HPP_CFI_PC];
    walk->sp = registers.value[HPP_CFI_SP];
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
    hpp__walk_note_fp(walk, words, n_words);
    uintptr_t place = walk->fp + (uintptr_t)hpp__unwind_rule_cfa_offset(rule);
    uintptr_t slot = walk->fp + (uintptr_t)hpp__unwind_rule_fp_offset(rule);
    uintptr_t cfa;
    if (!hpp__memory_read(&cfa, &walk->memory, place) || cfa % 8 != 0 ||
        (cfa <= walk->sp && !hpp__walk_may_jump(&walk->n_jumps)) ||
        !hpp__memory_read(&walk->pc, &walk->memory, cfa - 8) ||
        !hpp__memory_read(&walk->fp, &walk->memory, slot)) {
        return HPP_STEP_LOST;
    }
    words[(*n_words)++] = (hpp_word){place, cfa};
    words[(*n_words)++] = (hpp_word){cfa - 8, walk->pc};
    walk->fp_slot = slot;
    walk->fp_is_noted = false;
    walk->sp = cfa;
    walk->is_exact = false;
    walk->is_guessed = false;
    return walk->pc != 0 ? HPP_STEP_UP : HPP_STEP_END;
}

hpp_step hpp__walk_step_rarely(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                               uint32_t *n_words)
{
    switch (hpp__unwind_rule_kind(rule)) {
    case HPP_UNWIND_RULE_FP_AT:
        return step_realigned(walk, rule, words, n_words);
    case HPP_UNWIND_RULE_END:
        return HPP_STEP_END;
    case HPP_UNWIND_RULE_HARD:
        return step_hard(walk, words, n_words);
    default: {
        hpp_cfi_row row;
        return find_signal_row(&row, &walk->memory, walk->pc)
                   ? step_by_row(walk, &row, words, n_words)
                   : step_by_guess(walk, words, n_words);
    }
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
    if (!(registers->known >> HPP_CFI_FP & 1)) {
        return HPP_STEP_LOST;
    }
    if (registers->value[HPP_CFI_FP] == 0) {
        return HPP_STEP_END;
    }
    uintptr_t return_word;
    if (!read_guess(&caller, &return_word, &walk->memory, registers->value[HPP_CFI_SP],
                    registers->value[HPP_CFI_FP]) ||
        !is_plausible(&caller, &walk->memory)) {
        return HPP_STEP_LOST;
    }
    *registers = (hpp_cfi_registers){
        .known = (uint64_t)1 << HPP_CFI_SP | (uint64_t)1 << HPP_CFI_PC | (uint64_t)1 << HPP_CFI_FP};
    registers->value[HPP_CFI_PC] = caller.pc;
    registers->value[HPP_CFI_SP] = caller.sp;
    registers->value[HPP_CFI_FP] = caller.fp;
    walk->is_exact = false;
    walk->is_guessed = true;
    return HPP_STEP_UP;
}

hpp_step hpp__full_walk_step(hpp_full_walk *walk)
{
    uintptr_t place = hpp__full_walk_pc(walk) - !walk->is_exact;
    hpp_module module;
    hpp_cfi_row row;
    bool is_in_module = hpp__modules_find(&module, place);
    walk->module_number = is_in_module ? module.number : 0;
    if ((!is_in_module || hpp__cfi_row(&row, &module.tables, place) != HPP_CFI_FOUND) &&
        !find_signal_row(&row, &walk->memory, hpp__full_walk_pc(walk))) {
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
    bool was_exact = walk->is_exact;
    walk->is_exact = row.is_signal;
    walk->is_guessed = false;
    if (!is_further(&row, was_exact, sp, hpp__full_walk_sp(walk), &walk->n_jumps)) {
        return HPP_STEP_LOST;
    }
    return hpp__full_walk_pc(walk) != 0 ? HPP_STEP_UP : HPP_STEP_END;
}

void hpp__full_walk_begin_interrupted(hpp_full_walk *out, const void *context, hpp_memory memory)
{
    *out = (hpp_full_walk){.memory = memory, .is_exact = true};
    hpp__interrupted_registers(out->registers.value, context);
    out->registers.known = ((uint64_t)1 << HPP_CFI_N_REGISTERS) - 1;
}

HPP_NO_INLINE bool hpp__full_walk_begin_here(hpp_full_walk *out, uintptr_t pc, uintptr_t sp,
                                             hpp_memory memory)
{
    enum { MAX_OWN_FRAMES = 64 };
    *out = (hpp_full_walk){.memory = memory, .is_exact = true};
    out->registers.known = hpp__preserved_registers(out->registers.value);
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
